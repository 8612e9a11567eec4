"""What a session took away itself by a directory, a pattern or `git clean` is a recorded deletion, and no lost work."""

import shutil

import pytest
from tests.core.checkout.conftest import Repo, file_of

from refloat.checkout import runs, swept
from refloat.commands.line import Simple, read_line
from refloat.model.checkout import Fate, FileState
from refloat.model.transcript import FileEdit, Outcome
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
        "git clean -f scratch",  # a path that is given is looked into without `-d`
        "git clean -fdx",
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
        "docker exec web rm -rf scratch",
        "docker exec -i web sh -c 'cd . && rm -rf scratch'",
        "docker compose exec app rm -rf scratch",
        "docker-compose run --rm app find scratch -exec rm -rf scratch ';'",
        "podman run --rm alpine rm -rf scratch",
        "env -C other rm -rf scratch",
        "tmux send-keys -t a 'rm -rf scratch' Enter",  # nobody knows where that terminal is
        "uv run --directory=other rm -rf scratch",
        "git clean -f",  # a directory that git does not know
        "git clean -fdn",
        "git clean -fd -- . ':!scratch'",
        "git add scratch; git rm -rn scratch",
        "git add scratch; git rm -r --cached scratch",
        "git rm -rf --ignore-unmatch scratch",  # git does not know it
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


@pytest.mark.parametrize(("flags", "taken"), [("-fd", False), ("-fdx", True), ("-f", False), ("-fx", True)])
def test_git_clean_leaves_what_git_ignores(repo: Repo, flags: str, *, taken: bool) -> None:
    repo.write(".gitignore", "*.local\n")
    repo.commit("a")
    story = repo.story()
    story.edit(written(repo.path("key.local"), "k = 1\n", existed=False))
    story.edit(written(repo.path("plain.txt"), "p = 1\n", existed=False))
    story.run(f"git clean {flags}")
    checkout = repo.compare(story)
    assert file_of(checkout, "plain.txt").recorded == "deleted"
    assert file_of(checkout, "key.local").recorded == ("deleted" if taken else "content")


def test_what_git_cannot_be_asked_about_it_may_have_left(bare: Repo) -> None:
    assert file_of(bare.compare(made_and(bare, "git clean -fd")), bare.path(_OURS)).recorded == "content"


def test_git_clean_of_a_file_that_was_moved_tells_nothing(repo: Repo) -> None:
    story = repo.story()
    story.edit(written(repo.path("a.py"), "a = 1\n", existed=False))
    story.edit(FileEdit(repo.path("a.py"), "update", moved_to=repo.path("b.py")))
    story.run("git clean -fd")
    assert file_of(repo.compare(story), "b.py").recorded == "deleted"


def test_the_last_of_several_sweeps_counts_behind_what_put_files_back(repo: Repo) -> None:
    path = repo.write("lib/a.py", "a = 1\n")
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, "a = 1\n", "a = 2\n"))
    for command in ("rm -rf lib", "git checkout lib", "rm -rf l*", "ls", "rm -rf lib"):
        story.run(command)
    shutil.rmtree(repo.root / "lib")
    told = file_of(repo.compare(story), "lib/a.py")
    assert (told.recorded, told.edits[0].by) == ("deleted", "step 4")


def _lines_read(repo: Repo, patch: pytest.MonkeyPatch, files: int, commands: list[str], *, gone: bool) -> int:
    """How often a command is taken apart to tell what became of so many new files."""
    story = repo.story()
    for n in range(files):
        path = repo.path(f"made/{n}.py") if gone else repo.write(f"kept/{n}.py", f"n = {n}\n", at=5)
        story.edit(written(path, f"n = {n}\n", existed=False))
    for command in commands:
        story.run(command)
    asked: list[str] = []

    def reading(command: str) -> tuple[Simple, ...]:
        asked.append(command)
        return read_line(command)

    with patch.context() as patched:
        patched.setattr(swept, "read_line", reading)
        patched.setattr(runs, "read_line", reading)
        checkout = repo.compare(story)
    assert [file.recorded for file in checkout.files] == ["deleted" if gone else "content"] * files
    return len(asked)


@pytest.mark.parametrize("sweep", ["rm -rf made", "git clean -fd"])
def test_commands_are_not_read_anew_for_each_file_that_was_swept(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, sweep: str
) -> None:
    commands = [sweep, *(f"cp a{n} b{n} > out{n}.txt" for n in range(20))]
    few = _lines_read(repo, monkeypatch, 2, commands, gone=True)
    assert _lines_read(repo, monkeypatch, 40, commands, gone=True) == few


def test_no_command_is_read_for_sweeps_where_every_file_stands(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = [f"python tool.py {n}" for n in range(20)]
    sweeping = [f"rm -rf build{n}/* && git clean -fd" for n in range(20)]
    without = _lines_read(repo, monkeypatch, 5, plain, gone=False)
    assert _lines_read(repo, monkeypatch, 5, sweeping, gone=False) == without
