"""A look at a checkout begun while the record is still being read: git works beside Python, and the wait is one.

Decides only whether a look that was begun is the one that is wanted: the same worktree. What was begun for another one
is not used. Refuses to guess where a session worked: it is told.
"""

import os
from pathlib import Path

from refloat.checkout.repository import Repository, load_repository
from refloat.ports import Git
from refloat.together import Running


class Ahead:
    """Looks under way, each used once. Use it from one thread."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._looks: dict[str, Running[Repository | None]] = {}

    def begin(self, place: str) -> None:
        """Begin to look at the worktree that a directory lies in, where it lies in one."""
        root = _root_of(place)
        if root is not None and root not in self._looks:
            self._looks[root] = Running(lambda: self._look(root))

    def _look(self, root: str) -> Repository | None:
        repository = load_repository(self._git, Path(root))
        if repository is not None:
            repository.ask_ahead()
        return repository

    def repository(self, place: Path) -> Repository | None:
        """The worktree that a directory lies in, as `load_repository` tells it; None where it lies in none."""
        root = _root_of(str(place))
        look = self._looks.pop(root, None) if root is not None else None
        found = look.result() if look is not None else None
        # Git may know better where the top is (`core.worktree`).
        return found if found is not None and str(found.root) == root else load_repository(self._git, place)


def _root_of(place: str) -> str | None:
    """The nearest directory at or above a place that has a `.git`."""
    if not place.startswith("/") or "\0" in place:
        return None
    here = os.path.realpath(place)
    while not os.path.lexists(os.path.join(here, ".git")):  # noqa: PTH118 - strings all around
        above = os.path.dirname(here)  # noqa: PTH120 - as above
        if above == here:
            return None
        here = above
    return here
