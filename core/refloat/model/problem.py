"""Where in a transcript something stands, and what of it could not be read."""

from __future__ import annotations

from refloat.model.light import light


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
