"""Edits that the record tells within lines, without a position: sub-agents, `-p`, programs that embed an agent."""

import pytest
from tests.core.checkout.conftest import Repo, file_of

from refloat.model.checkout import EditedFile, Fate, FileState, Owner
from refloat.model.transcript import FileEdit, Hunk, Outcome
from refloat.testing.stories import edited, replaced, written

OLD = "def f():\n    return g(1)\n\n\ndef k():\n    return 2\n"
NEW = OLD.replace("g(1)", "h(g(1))")


def fates(file: EditedFile) -> list[tuple[Fate, str | None]]:
    return [(edit.fate, edit.commit) for edit in file.edits]


def compared(repo: Repo, disk: str, *edits: tuple[str, str], old: str = OLD, every: bool = False) -> EditedFile:
    """The answer for a file that was edited within lines, uncommitted."""
    path = repo.write("a.py", old)
    repo.commit("a")
    story = repo.story()
    for gone, came in edits:
        story.edit(replaced(path, gone, came, every=every))
    repo.write("a.py", disk, 600)
    return file_of(repo.compare(story), "a.py")


def test_an_uncommitted_edit_within_a_line_stands_and_is_this_sessions(repo: Repo) -> None:
    file = compared(repo, NEW, ("g(1)", "h(g(1))"))
    assert (file.state, file.owner, fates(file)) == (FileState.PRESENT, Owner.THIS_SESSION, [(Fate.UNCOMMITTED, None)])


def test_a_committed_edit_within_a_line_names_its_commit(repo: Repo) -> None:
    path = repo.write("cart.py", "def total(rows):\n    return sum(rows)\n")
    repo.commit("a")
    story = repo.story()
    story.edit(replaced(path, "return sum(rows)", "return round(sum(rows), 2)"))
    repo.write("cart.py", "def total(rows):\n    return round(sum(rows), 2)\n", 12)
    sha = repo.commit("b", at=20)
    file = file_of(repo.compare(story), "cart.py")
    assert (file.state, fates(file)) == (FileState.PRESENT, [(Fate.COMMITTED, sha)])


def test_an_edit_within_a_line_that_was_taken_back_is_not_there(repo: Repo) -> None:
    file = compared(repo, OLD, ("g(1)", "h(g(1))"))
    assert (file.state, file.owner, fates(file)) == (FileState.REVERTED, None, [(Fate.REVERTED, None)])


def test_two_edits_of_one_line_are_this_sessions(repo: Repo) -> None:
    disk = OLD.replace("return g(1)", "return k() + h(g(1))")
    file = compared(repo, disk, ("g(1)", "h(g(1))"), ("return h", "return k() + h"))
    assert (file.state, file.owner) == (FileState.PRESENT, Owner.THIS_SESSION)
    assert [fate for fate, _ in fates(file)] == [Fate.REPLACED, Fate.UNCOMMITTED]


def test_what_stood_elsewhere_too_is_told_by_what_head_has(repo: Repo) -> None:
    old = OLD + "\n\ndef l():\n    return h(g(1)) + 1\n"
    file = compared(repo, old.replace("return g(1)", "return h(g(1))"), ("return g(1)", "return h(g(1))"), old=old)
    assert (file.state, file.owner, fates(file)) == (FileState.PRESENT, Owner.THIS_SESSION, [(Fate.UNCOMMITTED, None)])


def test_every_occurrence(repo: Repo) -> None:
    old = "a = foo(1)\nb = 2\nc = foo(3)\n"
    file = compared(repo, old.replace("foo", "bar"), ("foo", "bar"), old=old, every=True)
    assert (file.state, file.owner, fates(file)) == (FileState.PRESENT, Owner.THIS_SESSION, [(Fate.UNCOMMITTED, None)])


def test_a_part_that_was_merely_taken_away(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(FileEdit(path, "update", hunks=(Hunk(None, 1, None, 0, ("-g(1)",)),)))
    repo.write("a.py", OLD.replace("g(1)", ""), 600)
    file = file_of(repo.compare(story), "a.py")
    assert (file.state, file.owner, fates(file)) == (FileState.PRESENT, Owner.THIS_SESSION, [(Fate.UNCOMMITTED, None)])


def test_the_rest_of_the_line_is_not_rounded_to_the_session(repo: Repo) -> None:
    file = compared(repo, NEW.replace("h(g(1))", "h(g(1))  # by hand"), ("g(1)", "h(g(1))"))
    assert (file.owner, fates(file)) == (Owner.MIXED, [(Fate.UNCOMMITTED, None)])


def test_one_of_two_edits_within_lines_is_gone(repo: Repo) -> None:
    file = compared(repo, NEW, ("g(1)", "h(g(1))"), ("return 2", "return 3"))
    assert (file.state, file.owner) == (FileState.PARTLY, Owner.THIS_SESSION)
    assert [fate for fate, _ in fates(file)] == [Fate.UNCOMMITTED, Fate.LOST]


@pytest.mark.parametrize("head", [True, False])
def test_a_file_that_is_new(repo: Repo, *, head: bool) -> None:
    path = repo.path("a.py")
    story = repo.story()
    story.edit(replaced(path, "g(1)", "h(g(1))"))
    repo.write("a.py", NEW, 12)
    sha = repo.commit("b", at=20) if head else None
    file = file_of(repo.compare(story), "a.py")
    assert (file.state, fates(file)) == (
        FileState.PRESENT, [(Fate.COMMITTED if head else Fate.UNCOMMITTED, sha)]
    )  # fmt: skip


def test_another_sessions_edit_within_a_line_is_its_own(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story, other = repo.story(), repo.story(session_id="5f0c1d2e-0000-4000-8000-000000000002")
    story.edit(written(repo.path("b.py"), "b\n"))
    other.edit(replaced(path, "g(1)", "h(g(1))"))
    repo.write("b.py", "b\n", 12)
    repo.write("a.py", NEW, 12)
    [change] = repo.compare(story, other).other_changes
    assert (change.path, change.owner) == ("a.py", Owner.OTHER_SESSION)


def test_an_edit_without_a_result_that_was_never_made_is_unconfirmed(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(replaced(path, "g(1)", "h(g(1))"), outcome=Outcome.DANGLING)
    file = file_of(repo.compare(story), "a.py")
    assert (file.state, file.confirmed, fates(file)) == (FileState.REVERTED, False, [(Fate.UNCONFIRMED, None)])


def test_a_committed_part_that_stands_twice_is_named_by_head(repo: Repo) -> None:
    """Which of the two it is nobody can say; that it stands, everybody can."""
    path = repo.write("a.py", "a = f(1)\nb = h(1)\n")
    repo.commit("a")
    story = repo.story()
    story.edit(replaced(path, "f(1)", "h(1)"))
    repo.write("a.py", "a = h(1)\nb = h(1)\n", 12)
    sha = repo.commit("b", at=20)
    file = file_of(repo.compare(story), "a.py")
    assert (file.state, fates(file)) == (FileState.PRESENT, [(Fate.COMMITTED, sha)])


def test_an_edit_within_a_line_behind_one_that_was_recorded_whole(repo: Repo) -> None:
    """Somebody changed the file in between, so what the first edit left tells nothing of the second."""
    path = repo.write("a.py", OLD)
    repo.commit("a")
    first = OLD.replace("return 2", "return 3")
    hand = first.replace("g(1)", "g(2)")
    story = repo.story()
    story.edit(edited(path, OLD, first))
    story.edit(replaced(path, "g(2)", "h(g(2))"))
    repo.write("a.py", hand.replace("g(2)", "h(g(2))"), 600)
    file = file_of(repo.compare(story), "a.py")
    assert [fate for fate, _ in fates(file)] == [Fate.UNCOMMITTED, Fate.UNCOMMITTED]
    assert [hunk.owner for hunk in file.hunks] == [Owner.MIXED, Owner.THIS_SESSION]
