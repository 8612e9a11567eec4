"""Answers that are kept for small questions alone.

Decides nothing about the answers. A cache counts its rows, and holds any number of characters where a row may be a
whole file; what is long rarely comes again, so what is told of it is worked out each time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, update_wrapper
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Cached(Generic[P, R]):
    """A function whose answers of late are kept, where what it is asked is small."""

    def __init__(self, work: Callable[P, R], small: Callable[P, bool], rows: int) -> None:
        self._work, self._small = work, small
        self._kept = lru_cache(maxsize=rows)(work)
        update_wrapper(self, work)

    def __call__(self, *given: P.args, **named: P.kwargs) -> R:
        """What the function answers."""
        return (self._kept if self._small(*given, **named) else self._work)(*given, **named)

    def cache_clear(self) -> None:
        """Keep none of them on."""
        self._kept.cache_clear()

    @property
    def many(self) -> int:
        """How many are kept."""
        return self._kept.cache_info().currsize


def cached_if(small: Callable[P, bool], rows: int) -> Callable[[Callable[P, R]], Cached[P, R]]:
    """Keep so many answers of a function: those to questions of which `small` says yes."""
    return lambda work: Cached(work, small, rows)
