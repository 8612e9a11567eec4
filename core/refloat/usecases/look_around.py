"""Where Refloat was started: the repository, its branch and how much is dirty, as far as that is quick to know."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from refloat.model.own_files import is_own_text
from refloat.ports import Git
from refloat.usecases.workbench import Workbench

_PATIENCE: Final = 3.0
"""Seconds for each question: a line at the top of a screen is not worth more."""
_MOST: Final = 64
"""New files that are opened to see whether Refloat wrote them."""
_LARGEST: Final = 1_000_000
"""Bytes of one."""


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
    dirty = len(rows) - _own(Path(repo), rows) if known else None
    return StartedIn(str(cwd), repo, _ask(git, cwd, "symbolic-ref", "--short", "-q", "HEAD"), dirty)


def _own(repo: Path, rows: list[bytes]) -> int:
    """How many new files are Refloat's own, a brief above all: the checkout does not count them either."""
    new = [row[3:] for row in rows if row.startswith(b"?? ") and not row.endswith(b"/")]
    return sum(_is_own(repo / os.fsdecode(name)) for name in new[:_MOST])


def _is_own(path: Path) -> bool:
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _LARGEST:
            return False
        return is_own_text(path.read_text("utf-8", "replace"))
    except OSError:
        return False


def _ask(git: Git, cwd: Path, *words: str) -> str | None:
    answer = git.run(cwd, *words, seconds=_PATIENCE)
    said = answer.out.decode("utf-8", "surrogateescape").rstrip("\n")
    return said or None if answer.code == 0 and not answer.timed_out else None
