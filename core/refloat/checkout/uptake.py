"""Which commit took up what an edit left: the first one of those that can have.

Pure. A long session has as many commits as edits, so what is asked of each pair of them is one comparison of sets, and
those from before the edit are passed over unasked. Refuses to know what an edit is.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

from refloat.model.light import light
from refloat.model.stamp import Stamp, later

_ALWAYS: Final = "~"
"""Behind every time: of a commit whose time is not known."""


@light
class Committed:
    """What a commit made of the file."""

    sha: str
    at: Stamp | None
    lines: frozenset[str] | None
    """None: it deleted the file."""


class Uptake:
    """The commits of a file, in an order of its own; every answer is the first that fits."""

    def __init__(self, commits: Sequence[Committed] = (), patience: int = 32) -> None:
        """`patience`: questions that may go through the commits in vain until it is learnt what none of them has."""
        self._patience = {"holding": patience, "lacking": patience}
        self._ever: frozenset[str] | None = None
        """Lines of any commit, once that was learnt."""
        self._always = frozenset[str]()
        """Lines of every one that has the file, once that was learnt."""
        self._commits = commits
        self._until = [_ALWAYS if commit.at is None else later(commit.at, 1) for commit in commits]
        """Its time, rounded up: an edit of the same second can stand in it."""
        self._rising = list(_rising(self._until))

    def holding(self, lines: frozenset[str], since: Stamp | None) -> str | None:
        """The first commit behind `since` that holds all of some lines."""
        if self._ever is not None and not lines <= self._ever:
            return None
        found = self._first(since, lines.issubset)
        if found is None and self._is_enough("holding"):
            self._ever = frozenset().union(*self._texts())
        return found

    def lacking(self, lines: frozenset[str], since: Stamp | None) -> str | None:
        """The first commit behind `since` that has the file and none of some lines."""
        if not lines.isdisjoint(self._always):
            return None
        found = self._first(since, lines.isdisjoint)
        if found is None and self._is_enough("lacking"):
            first, *others = self._texts() or [frozenset[str]()]
            self._always = first.intersection(*others)
        return found

    def deleting(self, since: Stamp | None) -> str | None:
        """The first commit behind `since` that deleted the file."""
        return next((commit.sha for commit in self._behind(since) if commit.lines is None), None)

    def _first(self, since: Stamp | None, fits: Callable[[frozenset[str]], bool]) -> str | None:
        for commit in self._behind(since):
            if commit.lines is not None and fits(commit.lines):
                return commit.sha
        return None

    def _is_enough(self, question: str) -> bool:
        """Whether such a question was asked in vain often enough, told once."""
        self._patience[question] -= 1
        return self._patience[question] == -1

    def _texts(self) -> list[frozenset[str]]:
        return [commit.lines for commit in self._commits if commit.lines is not None]

    def _behind(self, since: Stamp | None) -> Iterator[Committed]:
        for start, stop in self._rising:
            first = start if since is None else bisect_right(self._until, since, start, stop)
            yield from islice(self._commits, first, stop)


def _rising(times: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The stretches in which times do not fall."""
    start = 0
    for index in range(1, len(times) + 1):
        if index == len(times) or times[index] < times[index - 1]:
            yield start, index
            start = index
