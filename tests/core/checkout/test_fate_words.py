"""A fate `committed` names its commit; what no commit took up is told with another word."""

import pytest
from tests.core.checkout.conftest import Repo, file_of

from refloat.model.checkout import EditedFile, Fate, FileState, Owner
from refloat.model.transcript import FileEdit
from refloat.testing.stories import edited, written

OLD = "".join(f"line {number}\n" for number in range(1, 31))
NEW = OLD.replace("line 4\n", "line four\n")


def fates(file: EditedFile) -> list[tuple[Fate, str | None]]:
    return [(edit.fate, edit.commit) for edit in file.edits]


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("ignored", [False, True])
def test_an_empty_new_file_is_uncommitted_and_this_sessions(repo: Repo, *, staged: bool, ignored: bool) -> None:
    if ignored:
        repo.write(".gitignore", "pkg/\n")
        repo.commit("ignore")
    story = repo.story()
    story.edit(written(repo.path("pkg/__init__.py"), "", existed=False))
    repo.write("pkg/__init__.py", "", 12)
    if staged:
        repo.git("add", "-f", "pkg")
    file = file_of(repo.compare(story), "pkg/__init__.py")
    assert (file.state, file.owner, fates(file)) == (FileState.PRESENT, Owner.THIS_SESSION, [(Fate.UNCOMMITTED, None)])


def test_an_empty_file_that_was_committed_names_its_commit(repo: Repo) -> None:
    story = repo.story()
    story.edit(written(repo.path("pkg/__init__.py"), "", existed=False))
    repo.write("pkg/__init__.py", "", 12)
    sha = repo.commit("pkg", at=20)
    file = file_of(repo.compare(story), "pkg/__init__.py")
    assert (file.state, file.owner, fates(file)) == (FileState.PRESENT, None, [(Fate.COMMITTED, sha)])


def test_an_empty_file_of_somebody_else_is_not_this_sessions(repo: Repo) -> None:
    story = repo.story()
    story.edit(written(repo.path("a.py"), "", existed=False))
    repo.write("a.py", "", 12)
    repo.write("b.py", "", 600)
    [change] = repo.compare(story).other_changes
    assert (change.path, change.owner) == ("b.py", Owner.UNKNOWN)


@pytest.mark.parametrize("exact", [True, False])
def test_what_edits_that_cancel_out_leave_stands_in_head(repo: Repo, *, exact: bool) -> None:
    path = repo.write("a.py", OLD)
    sha = repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW, exact=exact))
    story.edit(edited(path, NEW, OLD, exact=exact))
    file = file_of(repo.compare(story), "a.py")
    assert (file.state, file.owner) == (FileState.PRESENT, None)
    assert fates(file) == [(Fate.REPLACED, None), (Fate.COMMITTED, sha)]


def test_a_file_that_was_made_and_deleted_was_committed_by_nobody(repo: Repo) -> None:
    story = repo.story()
    story.edit(written(repo.path("tmp.py"), "t\n", existed=False))
    story.edit(FileEdit(repo.path("tmp.py"), "delete", before="t\n"))
    file = file_of(repo.compare(story), "tmp.py")
    assert (file.state, fates(file)) == (FileState.PRESENT, [(Fate.REPLACED, None), (Fate.UNCOMMITTED, None)])


LATE, EARLY = 600, 11


@pytest.mark.parametrize(
    ("disk", "written_at", "state", "why"),
    [
        (NEW.replace("line 25\n", "line by hand\n"), LATE, FileState.CHANGED_SINCE, "something else changed"),
        (NEW.replace("line 25\n", "line by hand\n"), EARLY, FileState.PRESENT, "every recorded hunk is there"),
        (NEW.replace("\n", "\r\n"), LATE, FileState.CHANGED_SINCE, "line ends changed"),
        (NEW, LATE, FileState.PRESENT, "every recorded hunk is there"),
    ],
)
def test_mere_hunks_beside_a_dirty_place_of_somebody_else(
    repo: Repo, disk: str, written_at: float, state: FileState, why: str
) -> None:
    """What was written after the last edit came since; what it found there did not."""
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW, exact=False))
    repo.write("a.py", disk, written_at)
    file = file_of(repo.compare(story), "a.py")
    assert (file.state, file.why.endswith(why)) == (state, True)


def test_what_a_commit_with_another_time_took_up_stands_in_head(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    repo.write("a.py", NEW, 12)
    sha = repo.commit("b", at=-900)
    file = file_of(repo.compare(story), "a.py")
    assert (file.state, fates(file)) == (FileState.PRESENT, [(Fate.COMMITTED, sha)])
