"""HEAD and the worktree's hash: they move with what is dirty, run nothing of the repository's, and take no longer."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from refloat.machine.worktree import look_at_tree
from refloat.model.saving import Tree

LONG = 60.0


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    place = tmp_path / "repo"
    place.mkdir()
    git(place, "init", "-q")
    (place / "kept.txt").write_text("one\n")
    git(place, "add", ".")
    git(place, "commit", "-qm", "first")
    return place


def git(place: Path, *words: str) -> str:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    done = subprocess.run(["git", *who, *words], cwd=place, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def look(place: Path) -> Tree:
    return look_at_tree(str(place), os.environ, LONG)


def test_it_names_head_and_is_the_same_for_the_same_tree(repo: Path) -> None:
    first = look(repo)
    assert first.head == git(repo, "rev-parse", "HEAD")
    assert first == look(repo)
    assert first.unknown is None
    (repo / "sub").mkdir()
    assert look(repo / "sub") == first


CHANGES: list[Callable[[Path], object]] = [
    lambda repo: (repo / "kept.txt").write_text("two\n"),
    lambda repo: (repo / "new.txt").write_text("x"),
    lambda repo: (repo / "kept.txt").unlink(),
    lambda repo: (repo / "kept.txt").chmod(0o755),
    lambda repo: (repo / "link").symlink_to("kept.txt"),
    lambda repo: (repo / "d").mkdir() or (repo / "d" / "ä\n").write_text("x"),
    lambda repo: git(repo, "mv", "kept.txt", "moved.txt"),
]


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_moves_it_and_taking_it_back_restores_it(repo: Path, change: Callable[[Path], object]) -> None:
    clean = look(repo)
    change(repo)
    dirty = look(repo)
    assert dirty.head == clean.head
    assert dirty.worktree not in {None, clean.worktree}
    git(repo, "stash", "-u")
    assert look(repo) == clean


def test_dirty_files_are_told_apart_by_their_content(repo: Path) -> None:
    (repo / "new.txt").write_text("one")
    one = look(repo)
    (repo / "new.txt").write_text("two")
    assert look(repo).worktree != one.worktree
    (repo / "new.txt").write_text("one")
    assert look(repo) == one


def test_a_repository_without_a_commit_and_a_place_without_a_repository(tmp_path: Path) -> None:
    assert look(tmp_path) == Tree(unknown="no repository")
    git(tmp_path, "init", "-q")
    found = look(tmp_path)
    assert (found.head, found.unknown) == (None, None)
    assert found.worktree is not None


def test_what_takes_too_long_is_unknown_with_the_reason(repo: Path) -> None:
    assert look_at_tree(str(repo), os.environ, 0.0) == Tree(None, None, "it took longer than 0 ms")


def test_without_git_it_says_so(repo: Path, tmp_path: Path) -> None:
    assert look_at_tree(str(repo), {"PATH": str(tmp_path)}, LONG).unknown == "there is no git on the path"


def test_nothing_of_the_repository_s_is_run(repo: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\ncat\n")
    trap.chmod(0o755)
    (repo / ".gitattributes").write_text("*.txt filter=evil diff=evil\n")
    for key in (
        "core.fsmonitor",
        "filter.evil.clean",
        "filter.evil.process",
        "diff.external",
        "core.pager",
        "core.sshCommand",
    ):
        git(repo, "config", key, str(trap))
    (repo / "kept.txt").write_text("dirty\n")
    assert look(repo).worktree is not None
    assert not (tmp_path / "sprung").exists()


def test_what_the_person_ignores_is_no_change(repo: Path) -> None:
    clean = look(repo)
    ignore = Path(os.environ["HOME"]) / ".config" / "git" / "ignore"
    ignore.parent.mkdir(parents=True)
    ignore.write_text("*.log\n")
    (repo / "a.log").write_text("x")
    assert look(repo) == clean


def test_it_writes_nothing_into_the_repository(repo: Path) -> None:
    (repo / "kept.txt").write_text("dirty\n")
    before = {path: path.stat().st_mtime_ns for path in repo.rglob("*")}
    look(repo)
    assert {path: path.stat().st_mtime_ns for path in repo.rglob("*")} == before


def test_a_setting_that_names_another_place_is_not_followed(repo: Path, tmp_path: Path) -> None:
    clean = look(repo)
    (tmp_path / "elsewhere").mkdir()
    git(repo, "config", "core.worktree", str(tmp_path / "elsewhere"))
    assert look(repo) == clean
