"""Whole writes of which the record does not say what stood there before."""

import pytest
from tests.core.checkout.conftest import Repo, file_of

from refloat.checkout.pieces import before_of
from refloat.model.checkout import EditedFile, Fate, FileState, PlaceKind
from refloat.model.transcript import FileEdit, Outcome
from refloat.testing.stories import hunks_between, written

OLD = "".join(f"line {n} of a file\n" for n in range(1, 31))
NEW = OLD.replace("line 4 of", "LINE FOUR of")


def told(file: EditedFile) -> tuple[FileState, list[Fate], set[PlaceKind]]:
    return file.state, [edit.fate for edit in file.edits], {place.where for place in file.found_in}


def patched(path: str) -> FileEdit:
    """As a result records it that leaves out an original which is too long."""
    return FileEdit(path, "update", after=NEW, hunks=hunks_between(OLD, NEW), existed=True)


LOST = (FileState.REVERTED, [Fate.REVERTED], {PlaceKind.RECORD})


def test_the_patch_of_a_whole_write_tells_what_it_replaced(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(patched(path))
    assert told(file_of(repo.compare(story), "a.py")) == LOST


def test_the_patch_tells_it_where_there_is_no_repository(bare: Repo) -> None:
    path = bare.write("a.py", OLD)
    story = bare.story()
    story.edit(patched(path))
    assert told(file_of(bare.compare(story), path)) == LOST


@pytest.mark.parametrize("helper", ["", "helper"])
def test_head_at_that_time_tells_what_a_whole_write_replaced(repo: Repo, helper: str) -> None:
    path = repo.write("a.py", "earlier\n")
    repo.commit("a")
    repo.write("a.py", OLD, 5)
    repo.commit("b", at=5)
    story = repo.story()
    wrote = repo.story() if helper else story
    wrote.subagent = helper or None
    wrote.edit(written(path, NEW))
    if helper:
        story.subagents[helper] = wrote.build()
    assert told(file_of(repo.compare(story), "a.py")) == LOST


def test_a_whole_write_without_a_result_that_never_came_to_the_disk_is_not_committed(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(written(path, NEW), outcome=Outcome.DANGLING)
    file = file_of(repo.compare(story), "a.py")
    assert told(file) == (FileState.REVERTED, [Fate.UNCONFIRMED], {PlaceKind.RECORD})


def test_a_whole_write_that_stands_beside_other_changes_is_there(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(written(path, NEW))
    repo.write("a.py", NEW.replace("line 20 of", "line twenty of"), 100)
    file = file_of(repo.compare(story), "a.py")
    assert told(file) == (FileState.CHANGED_SINCE, [Fate.UNCOMMITTED], {PlaceKind.WORKTREE})


def test_a_whole_write_that_was_taken_back_with_its_talk_is_not_lost(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(written(path, NEW), superseded=True)
    assert told(file_of(repo.compare(story), "a.py"))[1] == [Fate.REVERTED]


def test_what_head_never_had_stays_unknown(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    story = repo.story()
    story.edit(written(path, NEW))
    repo.write("a.py", OLD, 100)
    assert file_of(repo.compare(story), "a.py").state is FileState.PARTLY


@pytest.mark.parametrize(
    ("before", "after"),
    [(OLD, NEW), (OLD, NEW.rstrip("\n")), (OLD.rstrip("\n"), NEW), ("a\n", "x\na\n"), ("x\na\nb", "a\nb")],
)
def test_hunks_are_taken_back_from_the_text_that_they_led_to(before: str, after: str) -> None:
    edit = FileEdit("/a", "update", after=after, hunks=hunks_between(before, after))
    assert before_of(edit) == before


def test_hunks_that_do_not_fit_tell_no_before() -> None:
    hunks = hunks_between(OLD, NEW)
    assert before_of(FileEdit("/a", "update", after=OLD, hunks=hunks)) is None
    assert before_of(FileEdit("/a", "update", hunks=hunks)) is None
    assert before_of(FileEdit("/a", "create", after=NEW, hunks=hunks_between("", NEW))) is None
