"""Where Refloat was started: the repository, its branch and how much is dirty, as far as that is quick to know."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from refloat.ports import Git
from refloat.usecases.workbench import Workbench

_PATIENCE: Final = 3.0
"""Seconds for each question: a line at the top of a screen is not worth more."""


@dataclass(frozen=True, slots=True)
class StartedIn:
    """Where Refloat was started."""

    path: str
    repo: str | None = None
    branch: str | None = None
    dirty: int | None = None
    """None where it was not quick to know."""


def look_around(bench: Workbench, cwd: Path) -> StartedIn:
    """Ask git three quick questions; what it does not answer in time stays unknown."""
    git = bench.machine.git
    repo = _ask(git, cwd, "rev-parse", "--show-toplevel")
    if repo is None:
        return StartedIn(str(cwd))
    status = git.run(cwd, "status", "--porcelain=v1", "-z", seconds=_PATIENCE)
    rows = [row for row in status.out.split(b"\0") if row[2:3] == b" "]
    known = status.code == 0 and not status.timed_out
    return StartedIn(
        str(cwd), repo, _ask(git, cwd, "symbolic-ref", "--short", "-q", "HEAD"), len(rows) if known else None
    )


def _ask(git: Git, cwd: Path, *words: str) -> str | None:
    answer = git.run(cwd, *words, seconds=_PATIENCE)
    said = answer.out.decode("utf-8", "surrogateescape").rstrip("\n")
    return said or None if answer.code == 0 and not answer.timed_out else None
