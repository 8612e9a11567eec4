"""Whether a look that asks a remote has one to ask, in real repositories."""

from pathlib import Path

import pytest
from tests.core.checkout.conftest import Repo, bare, bench_in, repo

from refloat.usecases.remotes import why_no_remote

__all__ = ("bare", "repo")


@pytest.mark.parametrize(
    ("probe", "why"),
    [
        (("git", "ls-remote", "origin", "main"), "no remote `origin` is configured here"),
        (("git", "ls-remote", "--tags", "origin"), "no remote `origin` is configured here"),
        (("git", "ls-remote", "https://example.invalid/x.git", "main"), ""),
        (("git", "ls-remote", "../other", "main"), ""),
        (("gh", "pr", "list"), ""),
        (None, ""),
    ],
)
def test_without_a_remote(repo: Repo, tmp_path: Path, probe: tuple[str, ...] | None, why: str) -> None:
    assert why_no_remote(bench_in(tmp_path).machine.git, Path(repo.path("")), probe) == why


def test_with_that_remote_there_is_somebody_to_ask(repo: Repo, tmp_path: Path) -> None:
    repo.git("remote", "add", "origin", "https://example.invalid/x.git")
    git = bench_in(tmp_path).machine.git
    assert why_no_remote(git, Path(repo.path("")), ("git", "ls-remote", "origin", "main")) == ""
    assert why_no_remote(git, Path(repo.path("")), ("git", "ls-remote", "fork", "main")) != ""
