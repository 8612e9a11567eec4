"""Chains of edits of the same lines, of which the last ones were undone by somebody."""

import pytest
from tests.core.checkout.conftest import Repo, file_of

from refloat.model.checkout import EditedFile, Fate, FileState, Owner
from refloat.testing.stories import edited, written
from refloat.usecases.salvage import salvage

FIRST = "".join(f"line {number}\n" for number in range(1, 31))
SECOND = FIRST.replace("line 4\n", "line four\n")
THIRD = SECOND.replace("line four\n", "line 4 second\n")
EXACT = pytest.mark.parametrize("exact", [True, False])


def fates(file: EditedFile) -> list[tuple[Fate, str | None]]:
    return [(edit.fate, edit.commit) for edit in file.edits]


def patched(repo: Repo, patch: str, name: str) -> str:
    repo.git("apply", "-", stdin=patch)
    return (repo.root / name).read_text()


@EXACT
def test_back_at_the_middle_of_a_chain_without_a_commit(repo: Repo, *, exact: bool) -> None:
    path = repo.write("a.py", FIRST)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, FIRST, SECOND, exact=exact))
    story.edit(edited(path, SECOND, THIRD, exact=exact))
    repo.write("a.py", SECOND, 600)
    file = file_of(repo.compare(story), "a.py")
    assert (file.state, file.owner) == (FileState.REVERTED, Owner.THIS_SESSION)
    assert fates(file) == [(Fate.UNCOMMITTED, None), (Fate.REVERTED, None)]
    found = salvage(repo.bench, story.build())
    assert [row.in_patch for row in found.files] == [True]
    assert patched(repo, found.patch, "a.py") == THIRD


def test_a_chain_that_was_taken_back_with_its_talk_keeps_the_fate_of_each_edit(repo: Repo) -> None:
    path = repo.write("a.py", FIRST)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, FIRST, SECOND), superseded=True)
    story.edit(edited(path, SECOND, THIRD), superseded=True)
    repo.write("a.py", SECOND, 600)
    file = file_of(repo.compare(story), "a.py")
    assert fates(file) == [(Fate.UNCOMMITTED, None), (Fate.REVERTED, None)]


@EXACT
def test_back_at_what_was_committed_within_a_chain(repo: Repo, *, exact: bool) -> None:
    path = repo.write("a.py", FIRST)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, FIRST, SECOND, exact=exact))
    repo.write("a.py", SECOND, 12)
    sha = repo.commit("b", at=15)
    story.edit(edited(path, SECOND, THIRD, exact=exact))
    file = file_of(repo.compare(story), "a.py")
    assert (file.state, file.owner) == (FileState.REVERTED, None)
    assert fates(file) == [(Fate.COMMITTED, sha), (Fate.REVERTED, None)]
    assert patched(repo, salvage(repo.bench, story.build()).patch, "a.py") == THIRD


@EXACT
def test_back_at_the_start_of_a_chain(repo: Repo, *, exact: bool) -> None:
    path = repo.write("a.py", FIRST)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, FIRST, SECOND, exact=exact))
    story.edit(edited(path, SECOND, THIRD, exact=exact))
    file = file_of(repo.compare(story), "a.py")
    assert (file.state, file.owner) == (FileState.REVERTED, None)
    assert [fate for fate, _ in fates(file)] == [Fate.REPLACED, Fate.REVERTED]
    assert patched(repo, salvage(repo.bench, story.build()).patch, "a.py") == THIRD


def test_a_new_file_committed_then_edited_again_and_put_back(repo: Repo) -> None:
    path = repo.path("n.py")
    story = repo.story()
    story.edit(written(path, "one = 1\n", existed=False))
    repo.write("n.py", "one = 1\n", 12)
    sha = repo.commit("n", at=15)
    story.edit(edited(path, "one = 1\n", "one = 2\n"))
    file = file_of(repo.compare(story), "n.py")
    assert (file.state, fates(file)) == (FileState.REVERTED, [(Fate.COMMITTED, sha), (Fate.REVERTED, None)])
    assert patched(repo, salvage(repo.bench, story.build()).patch, "n.py") == "one = 2\n"


def test_an_own_older_version_of_a_new_file_is_this_sessions(repo: Repo) -> None:
    """Written whole, most of its lines stand in either version: it stands in part, and nobody else's line is there."""
    path = repo.path("n.py")
    story = repo.story()
    story.edit(written(path, FIRST, existed=False))
    story.edit(edited(path, FIRST, SECOND))
    repo.write("n.py", FIRST, 600)
    file = file_of(repo.compare(story), "n.py")
    assert (file.state, file.owner) == (FileState.PARTLY, Owner.THIS_SESSION)
    assert [fate for fate, _ in fates(file)] == [Fate.UNCOMMITTED, Fate.LOST]
    assert patched(repo, salvage(repo.bench, story.build()).patch, "n.py") == SECOND


@EXACT
def test_another_sessions_older_version_is_its_own(repo: Repo, *, exact: bool) -> None:
    path = repo.write("a.py", FIRST)
    repo.commit("a")
    story, other = repo.story(), repo.story(session_id="5f0c1d2e-0000-4000-8000-000000000002")
    story.edit(written(repo.path("b.py"), "b\n"))
    other.edit(edited(path, FIRST, SECOND, exact=exact))
    other.edit(edited(path, SECOND, THIRD, exact=exact))
    repo.write("b.py", "b\n", 12)
    repo.write("a.py", SECOND, 600)
    [change] = repo.compare(story, other).other_changes
    assert (change.path, change.owner) == ("a.py", Owner.OTHER_SESSION)


@pytest.mark.parametrize(("line", "state"), [("line four\n", FileState.DIVERGED), ("line 25\n", FileState.REVERTED)])
def test_what_somebody_else_put_there_is_no_older_version(repo: Repo, line: str, state: FileState) -> None:
    path = repo.write("a.py", FIRST)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, FIRST, SECOND))
    story.edit(edited(path, SECOND, THIRD))
    repo.write("a.py", SECOND.replace(line, "line by hand\n"), 600)
    file = file_of(repo.compare(story), "a.py")
    assert file.state is state
    assert Owner.UNKNOWN in {hunk.owner for hunk in file.hunks}
    if state is FileState.REVERTED:
        made = patched(repo, salvage(repo.bench, story.build()).patch, "a.py")
        assert made == THIRD.replace("line 25\n", "line by hand\n")
