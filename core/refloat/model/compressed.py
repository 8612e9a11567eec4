"""Whole contents of files in little room, once a session has told many of them.

Decides how such a text lies in memory: compressed, and decompressed each time that it is asked for. Whoever reads the
field of a value sees a text like any other. Sessions of an ordinary size compress none: it takes longer than all else
that is done with a text. Of what an enormous session holds in memory, contents of files are two thirds.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

T = TypeVar("T")

WORTH: Final = 1024
"""Characters from which a text is compressed."""


class Compressed:
    """A text, compressed."""

    __slots__ = ("_data",)

    def __init__(self, text: str) -> None:
        self._data = zlib.compress(text.encode("utf-8", "surrogatepass"), 1)

    def text(self) -> str:
        """The text."""
        return zlib.decompress(self._data).decode("utf-8", "surrogatepass")


class CompressedField:
    """A field, over its slot, that may hold its text compressed, and gives the text."""

    __slots__ = ("_slot",)

    def __init__(self, slot: Any) -> None:
        self._slot = slot

    def __get__(self, owner: object, kind: type | None = None) -> object:
        """The text."""
        if owner is None:
            return self
        value: object = self._slot.__get__(owner, kind)
        return value.text() if isinstance(value, Compressed) else value

    def __set__(self, owner: object, value: object) -> None:
        """Take a text, or a compressed one."""
        self._slot.__set__(owner, value)

    def compress(self, owner: object) -> None:
        """Compress what a value holds here."""
        value: object = self._slot.__get__(owner, type(owner))
        if isinstance(value, str) and len(value) >= WORTH:
            self._slot.__set__(owner, Compressed(value))


def compressible(*names: str) -> Callable[[type[T]], type[T]]:
    """A class with slots, of whose values these fields may be compressed."""

    def made(cls: type[T]) -> type[T]:
        for name in names:
            setattr(cls, name, CompressedField(cls.__dict__[name]))
        return cls

    return made


class Compressor:
    """Compresses the texts of values that come one after the other, once there are many characters of them."""

    def __init__(self, free: int) -> None:
        """`free`: characters that may lie about as they are."""
        self._free = free

    def take(self, values: Iterable[object], *names: str) -> None:
        """Values whose fields `names` are compressible; nobody else holds their texts."""
        for value in values:
            for name in names:
                if self._free > 0:
                    self._free -= len(getattr(value, name) or "")
                else:
                    type(value).__dict__[name].compress(value)
