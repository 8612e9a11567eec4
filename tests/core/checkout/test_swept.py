"""What a session took away itself by a directory, a pattern or `git clean` is a recorded deletion, and no lost work."""

import shutil

import pytest
from tests.core.checkout.conftest import Repo, file_of

from refloat.model.checkout import Fate, FileState
from refloat.model.transcript import Outcome
from refloat.testing.stories import StoryBuilder, edited, written
from refloat.usecases.salvage import salvage

_OURS = "scratch/deep/tmp.py"


def made_and(repo: Repo, command: str, outcome: Outcome = Outcome.OK, path: str = _OURS) -> StoryBuilder:
    story = repo.story()
    story.edit(written(repo.write(path, "t = 1\n", at=5), "t = 1\n", existed=False))
    story.run(command, outcome=outcome)
    shutil.rmtree(repo.root / "scratch")
    return story


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf scratch",
        "rm -r ./scratch/ && ls",
        "ls && rm -Rf other scratch; echo ok",
        "cd scratch && rm -rf deep",
        "rm -f scratch/deep/*.py",
        "rm -rf scr*",
        "git add scratch; git rm -rqf scratch",
        "git clean -fdq",
        "git clean -fd -- scratch",
        "find scratch -name '*.py' -delete",
        "find . -type f -name 'tmp.*' -print -delete",
        "sudo rm -rf scratch",
    ],
)
def test_a_sweep_is_a_recorded_deletion(repo: Repo, command: str) -> None:
    story = made_and(repo, command)
    told = file_of(repo.compare(story), _OURS)
    assert (told.state, told.recorded) == (FileState.PRESENT, "deleted")
    assert told.edits[0].by == "step 2"
    assert salvage(repo.bench, story.build()).files == ()


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf other",
        "rm -rf scratchy",
        "rm scratch",  # a directory: it takes `-r`
        "rm scratch/*.py",  # it lies deeper
        "rm -rf scratch/*.txt",
        "rm -rf $WHERE/scratch",
        "test -d other || rm -rf scratch",
        "git rm -r --cached scratch",
        "git clean -nd",
        "git add -A && git clean -fd",  # git knows it by then
        "find scratch -name '*.txt' -delete",
        "find scratch -mtime +3 -delete",
        "find scratch -name '*.py'",
        "python tidy.py",
    ],
)
def test_what_a_command_does_not_take_is_gone_and_lost(repo: Repo, command: str) -> None:
    told = file_of(repo.compare(made_and(repo, command)), _OURS)
    assert (told.state, told.recorded, told.edits[0].fate) == (FileState.DELETED, "content", Fate.LOST)


def test_a_command_that_may_have_taken_a_file_away_is_named(repo: Repo) -> None:
    told = file_of(repo.compare(made_and(repo, "python3 -c \"import os; os.remove('scratch/deep/tmp.py')\"")), _OURS)
    assert (told.edits[0].fate, told.edits[0].by) == (Fate.LOST, "step 2")


def test_a_sweep_that_failed_is_none(repo: Repo) -> None:
    assert file_of(repo.compare(made_and(repo, "rm -rf scratch", Outcome.ERROR)), _OURS).recorded == "content"


def test_what_is_there_or_was_made_anew_was_not_swept_away(repo: Repo) -> None:
    story = repo.story()
    kept = repo.write("build/kept.py", "k = 1\n", at=5)
    story.edit(written(kept, "k = 1\n", existed=False))
    again = repo.path("build/again.py")
    story.edit(written(again, "a = 1\n", existed=False))
    story.run("rm -rf build")
    story.edit(written(again, "a = 2\n", existed=False))
    checkout = repo.compare(story)
    assert file_of(checkout, "build/kept.py").recorded == "content"
    assert file_of(checkout, "build/again.py").state is FileState.DELETED


def test_what_the_session_put_back_behind_its_sweep_is_lost(repo: Repo) -> None:
    path = repo.write("lib/a.py", "a = 1\n")
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, "a = 1\n", "a = 2\n"))
    story.run("rm -rf lib")
    story.run("git checkout lib")
    shutil.rmtree(repo.root / "lib")
    assert file_of(repo.compare(story), "lib/a.py").recorded == "content"


def test_git_clean_leaves_what_git_knows(repo: Repo) -> None:
    path = repo.write("lib/a.py", "a = 1\n")
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, "a = 1\n", "a = 2\n"))
    story.run("git clean -fd")
    shutil.rmtree(repo.root / "lib")
    assert file_of(repo.compare(story), "lib/a.py").state is FileState.DELETED
