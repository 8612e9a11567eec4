"""What the session's own `git status` says of the time before its first edit, against the time of a file."""

from dataclasses import replace

import pytest
from tests.core.checkout.conftest import Repo, change_of

from refloat.checkout.reported import find_reported
from refloat.model.checkout import Owner
from refloat.model.transcript import StepKind
from refloat.testing.samples import make_step
from refloat.testing.stories import edited

LONG = "On branch main\nChanges not staged for commit:\n\tmodified:   a.txt\n\nno changes added to commit\n"
UNTRACKED = "On branch main\nUntracked files:\n\tnotes/\n\nnothing added to commit but untracked files present\n"


@pytest.mark.parametrize(
    ("command", "output", "path", "listed"),
    [
        ("git status", LONG, "a.txt", True),
        ("git status", LONG, "b.txt", False),
        ("git status", UNTRACKED, "notes/x.md", True),
        ("git status --short", " M a.txt\n?? notes/\n", "notes/x.md", True),
        ("git status -sb", "## main\n", "a.txt", False),
        ("git status", LONG.partition("\n\n")[0], "a.txt", None),
        ("git status --short -uno", "", "a.txt", None),
        ("git status --short src", "", "a.txt", None),
        ("git status --short && ls", "a.txt\n", "a.txt", None),
    ],
)
def test_what_a_recorded_status_lists(command: str, output: str, path: str, listed: bool | None) -> None:
    step = replace(make_step(1, StepKind.COMMAND, command, output=output), command=command, cwd="/w")
    found = find_reported([step], "/w")
    assert (None if found is None else found.lists(path)) is listed
    assert find_reported([step], "/elsewhere") is None


@pytest.mark.parametrize(("output", "owner"), [("?? old.txt\n", Owner.PREDATES), ("?? else.txt\n", Owner.UNKNOWN)])
def test_it_speaks_before_the_time_of_the_file(repo: Repo, output: str, owner: Owner) -> None:
    path = repo.write("a.txt", "alpha\n")
    repo.commit("a")
    repo.write("old.txt", "who knows\n", -5_000)
    story = repo.story()
    story.run("git status --short", output)
    story.edit(edited(path, "alpha\n", "beta\n"))
    repo.write("a.txt", "beta\n", 30)
    change = change_of(repo.compare(story), "old.txt")
    assert change.owner is owner
    assert "`git status` of step 1" in change.why


def test_a_file_time_alone_is_called_that(repo: Repo) -> None:
    path = repo.write("a.txt", "alpha\n")
    repo.commit("a")
    repo.write("old.txt", "who knows\n", -5_000)
    story = repo.story()
    story.edit(edited(path, "alpha\n", "beta\n"))
    change = change_of(repo.compare(story), "old.txt")
    assert change.owner is Owner.PREDATES
    assert change.why.startswith("its file time is older")
