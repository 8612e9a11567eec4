"""What rows that agents write by the hundred thousand have in common, tested in one step each.

Decides nothing that the readers decide: what is not plain goes the long way.
"""

import re
from collections.abc import Callable
from typing import Final, Protocol

from refloat.model.problem import Place
from refloat.readers.story import Assembler

is_plain_stamp: Final = re.compile(
    r"(?:19[7-9]\d|[2-8]\d{3}|9[0-8]\d\d|99[0-8]\d|999[0-8])-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])"
    r"T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z",
    re.ASCII,
).fullmatch
"""Matches a text that is a `model.stamp.Stamp` as it stands; the last days of a month are left to the calendar."""


class Spot:
    """Where reading stands in a file."""

    __slots__ = ("_place", "_told", "line", "offset", "path")

    def __init__(self, path: str, *, told: bool) -> None:
        self.path = path
        self.line = self.offset = 0
        self._told = told
        self._place = Place(path, 0, 0)

    @property
    def place(self) -> Place:
        """The same as a value; a mere stand-in where nobody is told."""
        return Place(self.path, self.line, self.offset) if self._told else self._place


def is_utf8(raw: bytes) -> bool:
    """Whether bytes are UTF-8: a decoder that passes over a text does not look at it."""
    if raw.isascii():
        return True
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


class QuickParser(Protocol):
    """A parser that may take plain rows of a summary without decoding all of them."""

    def quick(self, assembler: Assembler, path: str) -> Callable[[bytes, int, int], bool] | None:
        """What is asked for each line of the file, with its number and offset: True when it has told the assembler what
        the line comes to, False when the line must be fed, and then nothing has changed. None: each line must be fed.
        """
        ...
