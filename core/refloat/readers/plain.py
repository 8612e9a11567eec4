"""What rows that agents write by the hundred thousand have in common, decoded and tested as they come.

Decides nothing that the readers decide: what is not plain goes the long way.
"""

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import Final, Protocol

import msgspec

from refloat.model.problem import Place
from refloat.model.stamp import PLAIN
from refloat.readers.story import Assembler

UNFIT: Final = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""What a decoder raises for a row of another shape."""

is_plain_stamp: Final = re.compile(PLAIN).fullmatch
"""Matches a text that is a `model.stamp.Stamp` as it stands, which nearly all are."""


def is_utf8(raw: bytes) -> bool:
    """Whether bytes are UTF-8: a decoder that passes over a text does not look at it."""
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


class Spot:
    """Where reading stands among rows that follow each other in a file."""

    __slots__ = ("_line", "_path", "_place", "_starts", "_told", "at")

    def __init__(self, path: str, *, told: bool) -> None:
        self._path = path
        self._told = told
        self._place = Place(path, 0, 0)
        self._line = 0
        self._starts: Sequence[int] = ()
        self.at = 0
        """Index of the row."""

    def begin(self, rows: Sequence[bytes], line: int, offset: int) -> None:
        """Such rows come, the first of them with that number and offset."""
        self._line = line
        self.at = 0
        if self._told:
            self._starts = list(accumulate(map(len, rows), initial=offset))

    @property
    def place(self) -> Place:
        """The row's place as a value; a mere stand-in where nobody is told."""
        at = self.at
        return Place(self._path, self._line + at, self._starts[at] + at) if self._told else self._place


class QuickRows(Protocol):
    """Takes plain rows of a summary."""

    def begin(self, rows: Sequence[bytes], line: int, offset: int) -> None:
        """Rows that follow each other come, the first of them with that number and offset. 0 stands for numbers that
        are not known.
        """
        ...

    def take(self, at: int) -> int:
        """Tell the assembler what the rows come to from index `at` on; the index of the first one that must be fed, and
        of that nothing was told, nor of those behind it.
        """
        ...


class QuickParser(Protocol):
    """A parser that may take plain rows of a summary without decoding all of them."""

    def quick(self, assembler: Assembler, path: str) -> QuickRows | None:
        """What takes plain rows of the file. None: each must be fed."""
        ...
