"""Repositories found by names alone, held against git's own answer."""

import subprocess
from pathlib import Path

import pytest

from refloat.catalogue.repos import NONE, Repos, is_in_scope


def git(directory: Path, *words: str) -> str:
    quiet = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "protocol.file.allow=always"]
    run = subprocess.run(["git", *quiet, *words], cwd=directory, check=True, capture_output=True, text=True)
    return run.stdout.strip()


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    top = tmp_path.resolve() / "repo"
    (top / "sub").mkdir(parents=True)
    git(top, "init", "-q")
    git(top, "commit", "-q", "--allow-empty", "-m", "first")
    return top


def test_top_and_common_directory_are_those_that_git_names(repo: Path, tmp_path: Path):
    tree = tmp_path.resolve() / "tree"
    git(repo, "worktree", "add", "-q", str(tree))
    for directory in (repo / "sub", tree):
        top, common = Repos().of(str(directory))
        assert top == git(directory, "rev-parse", "--show-toplevel")
        assert common == str((directory / git(directory, "rev-parse", "--git-common-dir")).resolve())


def test_a_submodule_is_a_repository_of_its_own(repo: Path, tmp_path: Path):
    other = tmp_path.resolve() / "other"
    other.mkdir()
    git(other, "init", "-q")
    git(other, "commit", "-q", "--allow-empty", "-m", "first")
    git(repo, "submodule", "add", "-q", str(other), "mod")
    top, common = Repos().of(str(repo / "mod"))
    assert top == str(repo / "mod")
    assert common != Repos().of(str(repo))[1]


def test_vanished_directories_and_empty_git_directories(repo: Path, tmp_path: Path):
    assert Repos().of(str(repo / "gone" / "deeper"))[0] == str(repo)
    (tmp_path / "plain" / ".git").mkdir(parents=True)
    assert Repos().of(str(tmp_path.resolve() / "plain")) == NONE
    assert Repos().of("C:\\src\\x") == Repos().of(None) == NONE


@pytest.mark.parametrize(
    ("place", "inside"),
    [("/r/a", True), ("/r/a/b", True), ("/r", True), ("/r/c", False), ("/w", True), ("/w/a", True), ("/w/c", False)],
)
def test_scope_reaches_down_up_and_into_other_worktrees(place: str, inside: bool):
    common = "/r/.git"
    place_repo = ("/w" if place.startswith("/w") else "/r", common)
    assert is_in_scope("/r/a", ("/r", common), place, place_repo) is inside


def test_scope_stops_at_the_repository():
    assert not is_in_scope("/home/ada/r", ("/home/ada/r", "/home/ada/r/.git"), "/home/ada", NONE)
    assert is_in_scope("/home/ada", NONE, "/home/ada/r", ("/home/ada/r", "/home/ada/r/.git"))
    assert not is_in_scope("/home/ada", NONE, "/home/adam", NONE)


def test_a_link_to_no_path_is_no_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").write_bytes(b"gitdir: /a\0b\n")
    assert Repos().of(str(tmp_path)) == NONE
