"""Whole contents of files in little room, once a session has told many of them.

Decides how such a text lies in memory: packed, and unpacked each time that it is asked for. Whoever reads the field of
a value sees a text like any other. Sessions of an ordinary size pack none: it takes longer than all else that is done
with a text. Of what an enormous session holds in memory, contents of files are two thirds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar
from zlib import compress, decompress

T = TypeVar("T")

WORTH: Final = 1024
"""Characters from which a text is packed."""


class Packed:
    """A text, packed."""

    __slots__ = ("_data",)

    def __init__(self, text: str) -> None:
        self._data = compress(text.encode("utf-8", "surrogatepass"), 1)

    def text(self) -> str:
        """The text."""
        return decompress(self._data).decode("utf-8", "surrogatepass")


class PackedField:
    """A field, over its slot, that may hold its text packed, and gives the text."""

    __slots__ = ("_slot",)

    def __init__(self, slot: Any) -> None:
        self._slot = slot

    def __get__(self, owner: object, kind: type | None = None) -> object:
        """The text."""
        if owner is None:
            return self
        value: object = self._slot.__get__(owner, kind)
        return value.text() if isinstance(value, Packed) else value

    def __set__(self, owner: object, value: object) -> None:
        """Take a text, or a packed one."""
        self._slot.__set__(owner, value)

    def pack(self, owner: object) -> None:
        """Pack what a value holds here."""
        value: object = self._slot.__get__(owner, type(owner))
        if isinstance(value, str) and len(value) >= WORTH:
            self._slot.__set__(owner, Packed(value))


def packable(*names: str) -> Callable[[type[T]], type[T]]:
    """A class with slots, of whose values these fields may be packed."""

    def made(cls: type[T]) -> type[T]:
        for name in names:
            setattr(cls, name, PackedField(cls.__dict__[name]))
        return cls

    return made


class Packer:
    """Packs the texts of values that come one after the other, once there are many characters of them."""

    def __init__(self, free: int) -> None:
        """`free`: characters that may lie about as they are."""
        self._free = free

    def take(self, values: Iterable[object], *names: str) -> None:
        """Values whose fields `names` are packable; nobody else holds their texts."""
        for value in values:
            for name in names:
                if self._free > 0:
                    self._free -= len(getattr(value, name) or "")
                else:
                    type(value).__dict__[name].pack(value)
