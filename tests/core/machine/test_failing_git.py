"""A git that hangs, floods, is too old or is not there."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.core.machine.test_git import git, tool

from refloat.machine.git import HardenedGit
from refloat.ports import Places


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    place = tmp_path / "repo"
    place.mkdir()
    git(place, "init", "-q", "-b", "main")
    (place / "a.txt").write_text("one\n")
    (place / "b.dat").write_text("two\n")
    git(place, "add", ".")
    git(place, "commit", "-q", "-m", "start")
    return place


def test_a_time_limit_ends_git(repo: Path, tmp_path: Path) -> None:
    ask = tool(tmp_path)
    assert ask.run(repo, "rev-parse", "HEAD").code == 0
    os.mkfifo(repo / "pipe")
    answer = ask.run(repo, "hash-object", "pipe", seconds=0.2)
    assert answer.timed_out
    assert answer.code != 0


def test_an_answer_without_end_is_cut_off(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repo / "a.txt").write_text("x\n" * 500_000)
    monkeypatch.setattr("refloat.machine.git._LONGEST", 100_000)
    answer = tool(tmp_path).run(repo, "diff")
    assert (answer.code, answer.out, answer.timed_out) == (-9, b"", False)
    assert "longer than" in answer.err


def fake_git(folder: Path, script: str) -> HardenedGit:
    folder.mkdir()
    (folder / "git").write_text(
        f'#!/bin/sh\ncase "$*" in *version*) echo git version 2.39.5;; *config*) ;; *) {script};; esac\n'
    )
    (folder / "git").chmod(0o755)
    return HardenedGit(Places(folder, folder, folder, folder, {"PATH": f"{folder}:/usr/bin:/bin"}))


def test_a_flood_of_complaints_does_not_block_the_answer(tmp_path: Path) -> None:
    ask = fake_git(tmp_path / "bin", "yes complaint | head -c 3000000 >&2; echo done")
    answer = ask.run(tmp_path, "status")
    assert answer.out == b"done\n"
    assert 0 < len(answer.err) < 300_000


def test_children_that_keep_the_answer_open_end_with_it(tmp_path: Path) -> None:
    ask = fake_git(tmp_path / "bin", f"(echo $$ > {tmp_path}/pid; exec sleep 300) & echo started")
    answer = ask.run(tmp_path, "status", seconds=60)
    assert (answer.out, answer.timed_out) == (b"started\n", False)
    assert answer.out == b"started\n"


def test_settings_that_cannot_be_read_are_never_guessed(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A filter is switched off by its name: where the names are not known, nothing is asked."""
    monkeypatch.setattr("refloat.machine.git._ASIDE", 0.3)
    os.mkfifo(repo / ".git" / "pipe")
    git(repo, "config", "include.path", "pipe")
    answer = tool(tmp_path).run(repo, "status")
    assert answer.timed_out
    (repo / ".git" / "config").write_text("[core\n")
    answer = tool(tmp_path).run(repo, "status")
    assert answer.code == 128
    assert "bad config" in answer.err


def test_a_git_that_hangs_is_left_alone_for_a_while(tmp_path: Path) -> None:
    home, now = tmp_path / "bin", 100.0
    home.mkdir()
    (home / "git").write_text(
        '#!/bin/sh\ncase "$*" in *version*) echo git version 2.39.5;; *config*) ;; *) sleep 60;; esac\n'
    )
    (home / "git").chmod(0o755)
    ask = HardenedGit(Places(tmp_path, tmp_path, tmp_path, tmp_path, {"PATH": f"{home}:/usr/bin:/bin"}), lambda: now)
    first, second = (ask.run(tmp_path, "status", seconds=0.2) for _ in range(2))
    assert (first.timed_out, second.timed_out) == (True, True)
    assert first.err == "git did not answer within 0.2 s"
    assert ask.run(tmp_path, "status", seconds=0.2).code == 127
    now += 60
    assert ask.run(tmp_path, "status", seconds=0.2).timed_out


def test_loading_the_runner_starts_no_git(tmp_path: Path) -> None:
    (tmp_path / "git").write_text('#!/bin/sh\necho started >> "${0%/*}/starts"\necho git version 2.39.5\n')
    (tmp_path / "git").chmod(0o755)
    words = (
        "import sys; from pathlib import Path; from refloat.machine.git import HardenedGit; from refloat.ports import"
        " Places; p = Path(sys.argv[1]); HardenedGit(Places(p, p, p, p, {'PATH': f'{p}:/usr/bin:/bin'})).version()"
    )
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", words, str(tmp_path)], check=True, env=environment)
    assert (tmp_path / "starts").read_text() == "started\n"


@pytest.mark.parametrize("missing", ["nowhere", "with\0zero"])
def test_odd_directories_are_answers(tmp_path: Path, missing: str) -> None:
    ask = tool(tmp_path)
    answer = ask.run(tmp_path / missing, "status")
    assert answer.code == 128
    assert answer.err
    assert ask.not_obeyed(tmp_path / missing) == ()


def test_without_git_everything_answers(tmp_path: Path) -> None:
    ask = tool(tmp_path, {"PATH": str(tmp_path)})
    assert ask.version() is None
    assert ask.run(tmp_path, "status").code == 127
    assert ask.not_obeyed(tmp_path) == ()


def test_an_old_git_is_refused_with_a_sentence(tmp_path: Path) -> None:
    fake = tmp_path / "git"
    fake.write_text("#!/bin/sh\necho git version 2.30.2\n")
    fake.chmod(0o755)
    ask = tool(tmp_path, {"PATH": str(tmp_path)})
    assert ask.version() == "2.30.2"
    assert "2.31" in ask.run(tmp_path, "status").err
