"""Where in a transcript something stands, and what of it could not be read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from refloat.model.light import light

_CANNOT: Final = "cannot be "


@light
class Place:
    """Where in a transcript something stands."""

    path: str
    line: int
    """From 1."""
    offset: int
    """Bytes from the start of the file to the start of the line."""


@light
class Problem:
    """Something that could not be read. The reading went on behind it."""

    path: str
    line: int | None
    offset: int | None
    what: str


def unread(path: str, why: str, *, how: str = "read") -> Problem:
    """A whole file or directory that the system does not let be read: `why` in its words."""
    return Problem(path, None, None, f"{_CANNOT}{how}: {why}")


def only_unread(problems: Iterable[Problem]) -> list[Problem]:
    """Those that `unread` made: what lies there is not known. A damaged line costs itself alone and is none."""
    return [each for each in problems if each.line is None and each.offset is None and each.what.startswith(_CANNOT)]
