"""Checks and the tree that they saw, in real repositories."""

import os

import pytest
from tests.core.checkout.conftest import Repo, at

from refloat.model.checkout import CheckRun, Freshness
from refloat.model.stamp import seconds_of
from refloat.model.transcript import Background, FileEdit, Outcome, StepKind
from refloat.testing.stories import StoryBuilder, written

CURRENT, STALE, UNKNOWN = Freshness.CURRENT, Freshness.STALE, Freshness.UNKNOWN_TREE


def only(repo: Repo, story: StoryBuilder) -> CheckRun:
    (run,) = repo.compare(story).checks
    return run


def told(run: CheckRun) -> tuple[Freshness, str | None]:
    return run.freshness, run.stale_because


def test_a_check_that_nothing_followed_is_current(repo: Repo) -> None:
    story = repo.story()
    story.run("pytest -q")
    run = only(repo, story)
    assert (told(run), run.outcome, run.exit_code, run.proved) == ((CURRENT, None), Outcome.OK, 0, True)
    assert run.head == repo.git("rev-parse", "HEAD")


def test_a_pipe_of_which_nothing_speaks_proves_nothing(repo: Repo) -> None:
    story = repo.story()
    story.run("pytest -q | tail -1", "some words")
    run = only(repo, story)
    assert (run.outcome, run.exit_code, run.proved) == (Outcome.OK, None, False)
    assert run.note == "its exit code is that of `tail -1`, not of the check; nothing says how it ended"


def test_an_edit_outside_the_repository_makes_no_check_stale(repo: Repo) -> None:
    story = repo.story()
    story.run("pytest -q")
    story.edit(written(str(repo.root.parent / "notes.md"), "x\n"))
    (repo.root.parent / "notes.md").write_text("x\n", encoding="utf-8")
    assert told(only(repo, story)) == (CURRENT, None)


@pytest.mark.parametrize(
    ("between", "behind", "expected"),
    [
        ("", "", UNKNOWN),
        ("ls", "", UNKNOWN),
        ("mv src/new.py src/other.py", "", CURRENT),
        ("rm -rf src", "", CURRENT),
        ("rm src/*.py", "", CURRENT),
        ("", "python tidy.py", UNKNOWN),
        ("", "rm src/new.py", STALE),
        ("", "rm -rf src", STALE),
        ("touch README.md", "", UNKNOWN),
        ("rm other/new.py", "", UNKNOWN),
        ("echo new.py >> list.txt", "", UNKNOWN),
    ],
)
def test_a_check_that_saw_a_file_that_is_gone_is_not_current(
    repo: Repo, between: str, behind: str, expected: Freshness
) -> None:
    story = repo.story()
    story.edit(written(repo.path("src/new.py"), "x = 1\n"))
    if between:
        story.run(between)
    story.run("pytest -q")
    if behind:
        story.run(behind)
    run = only(repo, story)
    assert run.freshness is expected, run.stale_because
    why = {UNKNOWN: "src/new.py is gone, and nothing tells when", STALE: "step 3 edited src/new.py"}
    assert run.stale_because == why.get(expected)


def test_a_file_that_the_session_deleted_itself_was_gone_for_the_check_too(repo: Repo) -> None:
    story = repo.story()
    story.edit(written(repo.path("a.py"), "x\n"))
    story.edit(FileEdit(repo.path("a.py"), "delete"))
    story.run("pytest -q")
    assert told(only(repo, story)) == (CURRENT, None)


def test_a_refused_edit_makes_no_check_stale(repo: Repo) -> None:
    story = repo.story()
    story.run("pytest -q")
    story.edit(written(repo.path("a.py"), "x\n"), outcome=Outcome.DENIED)
    assert told(only(repo, story)) == (CURRENT, None)


def test_an_edit_while_it_ran_makes_it_stale(repo: Repo) -> None:
    story = repo.story()
    story.run("pytest -q")
    helper = repo.story()
    helper.subagent = "helper"
    helper.edit(written(repo.path("a.py"), "x\n"))
    story.subagents["helper"] = helper.build()
    repo.write("a.py", "x\n", 11)
    assert told(only(repo, story)) == (STALE, "step 1 edited a.py")


def test_a_formatter_behind_it_is_named(repo: Repo) -> None:
    repo.write("a.py", "x\n")
    repo.commit("a")
    story = repo.story()
    story.run("pytest -q")
    story.run("ruff format .")
    repo.write("a.py", "y\n", 21)
    assert told(only(repo, story)) == (STALE, f"a.py was written at {at(21)}, while step 2 ran: ruff format .")


def test_a_stash_behind_it_makes_it_stale(repo: Repo) -> None:
    path = repo.write("a.py", "old\n")
    repo.commit("a")
    story = repo.story()
    story.edit(written(path, "new\n"))
    repo.write("a.py", "new\n", 11)
    story.run("pytest -q")
    assert told(only(repo, story)) == (CURRENT, None)
    repo.git("stash", at=60)
    os.utime(path, (seconds_of(at(60)), seconds_of(at(60))))
    assert told(only(repo, story)) == (STALE, f"a.py was written at {at(60)}")


def test_head_at_the_time_of_each_check(repo: Repo) -> None:
    first = repo.git("rev-parse", "HEAD")
    story = repo.story()
    story.run("pytest -q")  # at 10
    repo.write("a.py", "x\n", 12)
    second = repo.commit("a", at=15)
    story.run("pytest -q")  # at 20
    repo.git("commit", "-q", "--amend", "-m", "b", at=25)
    third = repo.git("rev-parse", "HEAD")
    story.run("pytest -q")  # at 30
    repo.git("checkout", "-q", "-b", "other", first, at=35)
    story.run("pytest -q")  # at 40
    repo.git("checkout", "-q", "main", at=45)
    story.run("pytest -q")  # at 50
    assert [run.head for run in repo.compare(story).checks] == [first, second, third, first, third]


def test_a_check_in_another_worktree_is_that_worktrees(repo: Repo) -> None:
    repo.write("a.py", "x\n")
    repo.commit("a")
    other = repo.root.parent / "other"
    repo.git("worktree", "add", "-q", "-b", "topic", str(other), at=5)
    here = repo.git("rev-parse", "HEAD")
    story = repo.story()
    story.run(f"cd {other} && pytest -q")  # at 10
    story.run("pytest -q")  # at 20
    repo.git("commit", "-q", "--allow-empty", "-m", "there", at=6, cwd=other)
    there = repo.git("rev-parse", "HEAD", cwd=other)
    run, own = repo.compare(story).checks
    assert (run.head, own.head) == (there, here)
    assert (run.freshness, own.freshness) == (CURRENT, CURRENT)
    repo.write("a.py", "y\n", 90)
    run, own = repo.compare(story).checks
    assert (run.freshness, told(own)) == (CURRENT, (STALE, f"a.py was written at {at(90)}"))


def test_a_check_outside_any_repository_has_no_known_tree(repo: Repo) -> None:
    elsewhere = repo.root.parent / "elsewhere"
    elsewhere.mkdir()
    story = repo.story()
    story.run(f"cd {elsewhere} && pytest -q")
    run = only(repo, story)
    assert (run.head, told(run)) == (None, (UNKNOWN, "there is no repository to tell what else changed"))


def test_a_check_without_a_result_has_no_known_tree(repo: Repo) -> None:
    story = repo.story()
    story.run("pytest -q", outcome=Outcome.DANGLING)
    assert told(only(repo, story)) == (UNKNOWN, "no result of it was ever recorded")


@pytest.mark.parametrize(
    ("line", "change"),
    [
        ("git stash -q && pytest -q; git stash pop -q", "git stash pop -q"),
        ("pytest -q && sed -i s/x/y/ a.py", "sed -i s/x/y/ a.py"),
        ("pytest -q && black .", "black ."),
        ("git checkout -q v1 && pytest -q; git checkout -q -", "git checkout -q -"),
        ("pytest -q || git reset -q --hard", "git reset -q --hard"),
    ],
)
def test_a_line_that_changes_the_tree_behind_its_check_confirms_nothing(repo: Repo, line: str, change: str) -> None:
    story = repo.story()
    story.run(line, "3 passed in 0.10s")
    assert told(only(repo, story)) == (UNKNOWN, f"`{change}` changes the tree behind it in the same line")


@pytest.mark.parametrize(
    "line",
    [
        "pytest -q && git commit -qam x",
        "pytest -q && git checkout -b topic",
        "black . && pytest -q",
        "pytest -q; git stash list",
        "pytest -q && git reset -q",
        "pytest -q && git restore --staged .",
    ],
)
def test_a_line_that_leaves_the_tree_to_its_check_is_current(repo: Repo, line: str) -> None:
    story = repo.story()
    story.run(line, "3 passed in 0.10s")
    assert told(only(repo, story)) == (CURRENT, None)


def test_a_file_that_was_written_while_a_check_ran_makes_its_tree_unknown(repo: Repo) -> None:
    repo.write("a.py", "x\n")
    repo.commit("a")
    story = repo.story()
    story.run("pytest -q", "3 passed in 0.10s")  # from 10 to 12
    repo.write("a.py", "y\n", 11)
    repo.write("coverage.xml", "made by the check\n", 11)
    assert told(only(repo, story)) == (UNKNOWN, f"a.py was written at {at(11)}, while it ran")
    repo.write("a.py", "y\n", 9)
    assert told(only(repo, story)) == (CURRENT, None)


def test_what_a_line_writes_before_its_check_was_seen_by_it(repo: Repo) -> None:
    repo.write("a.py", "x\n")
    repo.commit("a")
    story = repo.story()
    story.run("sed -i s/x/y/ a.py && pytest -q", "3 passed in 0.10s")
    repo.write("a.py", "y\n", 11)
    assert told(only(repo, story)) == (CURRENT, None)


def test_a_check_that_was_left_running_has_no_result(repo: Repo) -> None:
    story = repo.story()
    shell = Background("b1", "background_shell", "pytest -q", running=True)
    story.step(StepKind.CHECK, command="pytest -q", exit_code=0, background=shell)
    run = only(repo, story)
    assert (run.outcome, run.exit_code, run.proved) == (Outcome.DANGLING, None, False)
    assert told(run) == (UNKNOWN, "no end of it was ever recorded")
    assert run.note == "it was left running in the background"


def test_a_check_whose_end_is_recorded_has_its_result(repo: Repo) -> None:
    story = repo.story()
    shell = Background("b1", "background_shell", "pytest -q", running=False)
    story.step(StepKind.CHECK, command="pytest -q", exit_code=0, background=shell)
    run = only(repo, story)
    assert (run.outcome, run.exit_code, run.proved, told(run)) == (Outcome.OK, 0, True, (CURRENT, None))
