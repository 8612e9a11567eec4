"""Whose the lines of a file are that the session itself brought to another path."""

from dataclasses import replace

import pytest
from tests.core.checkout.conftest import Repo, change_of, file_of

from refloat.model.checkout import Owner
from refloat.model.transcript import FileEdit
from refloat.testing.stories import edited, written

OLD = "".join(f"line {number}\n" for number in range(1, 31))
NEW = OLD.replace("line 8\n", "line eight\n")


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("by_hand", [False, True])
def test_a_file_that_the_session_moved_and_edited(repo: Repo, *, exact: bool, by_hand: bool) -> None:
    path = repo.write("mv.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(replace(edited(path, OLD, NEW, exact=exact), moved_to=repo.path("lib/moved.py")))
    repo.git("rm", "-q", "mv.py")
    repo.write("lib/moved.py", NEW + "by hand\n" if by_hand else NEW, 12)
    made = repo.compare(story)
    assert file_of(made, "lib/moved.py").owner is (Owner.MIXED if by_hand else Owner.THIS_SESSION)
    assert file_of(made, "mv.py").owner is Owner.THIS_SESSION


@pytest.mark.parametrize("exact", [True, False])
def test_edited_then_moved_then_edited_again(repo: Repo, *, exact: bool) -> None:
    path, target = repo.write("app.py", OLD), repo.path("core.py")
    repo.commit("a")
    last = NEW.replace("line 20\n", "line twenty\n")
    story = repo.story()
    story.edit(edited(path, OLD, NEW, exact=exact))
    story.edit(FileEdit(path, "update", moved_to=target))
    story.edit(edited(target, NEW, last, exact=exact))
    repo.git("mv", "app.py", "core.py")
    repo.write("core.py", last, 32)
    assert {hunk.owner for hunk in file_of(repo.compare(story), "core.py").hunks} == {Owner.THIS_SESSION}


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("text", ["a = 1\nb = 2\n", "a = 1\nb = 2\nc = 3\n"])
def test_a_copy_of_what_the_session_wrote_is_its_own(repo: Repo, *, kept: bool, text: str) -> None:
    """A command copied it; what the record holds to the last line needs no command to explain it."""
    path = repo.path("src/n.py")
    story = repo.story()
    story.edit(written(path, "a = 1\nb = 2\n", existed=False))
    story.run("cp src/n.py n4.py" if kept else "cp src/n.py n4.py; rm src/n.py")
    if kept:
        repo.write("src/n.py", "a = 1\nb = 2\n", 12)
    else:
        story.edit(FileEdit(path, "delete"))
    repo.write("n4.py", text, 21)
    change = change_of(repo.compare(story), "n4.py")
    own = text == "a = 1\nb = 2\n"
    assert (change.owner, {hunk.owner for hunk in change.hunks}) == (
        (Owner.THIS_SESSION, {Owner.THIS_SESSION}) if own else (Owner.COMMAND, {Owner.COMMAND})
    )
    assert ("src/n.py" in change.why) is own or not own


def test_a_copy_of_lines_that_were_there_before_is_the_commands(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    story.run("cp a.py b.py")
    repo.write("a.py", NEW, 12)
    repo.write("b.py", NEW, 21)
    assert change_of(repo.compare(story), "b.py").owner is Owner.COMMAND
