"""The numbers of items while they are only counted: as `history` keeps them, without keeping one.

Decides which message is a part of an earlier one, and which row was there already, among those of late: parts of one
message stand close together. Refuses to remember a whole session.
"""

from __future__ import annotations

from binascii import crc32  # `zlib` has the same, and is a library to load
from collections.abc import Mapping
from typing import Final, cast

_PARTS: Final = 32
"""Messages of late that may go on."""
_ROWS: Final = 1024
"""Rows of late that may come again; at most twice as many are remembered."""


class Numbers:
    """Counts items as `History` adds them."""

    def __init__(self, frozen: Mapping[str, object] | None = None) -> None:
        """`frozen`: what `freeze` gave, and as `rows` what `freeze_rows` gave."""
        self.last = 0
        """The newest item's number."""
        self._parts: dict[str, int] = {}
        self._new: set[int] = set()
        self._old: set[int] = set()
        if frozen:  # our own, under the catalogue's schema number
            self.last = cast("int", frozen["last"])
            self._parts = dict(cast("Mapping[str, int]", frozen["parts"]))
            self._new, self._old = map(set, cast("list[list[int]]", frozen["rows"]))

    def add(self) -> int:
        """The number of a new item."""
        self.last += 1
        return self.last

    def add_step(self) -> int:
        """The number of a new item that is a step."""
        return self.add()

    def message(self, kind: str, name: str, row: str) -> int:
        """The number that words get, `name` being their message's id; 0 for a row that was there already."""
        if row:
            key = crc32(row.encode("utf-8", "replace"), len(kind))
            if key in self._new or key in self._old:
                return 0
            if len(self._new) >= _ROWS:
                self._old, self._new = self._new, set()
            self._new.add(key)
        if not name:
            return self.add()
        key = kind + name
        known = self._parts.get(key)
        if known is not None and kind != "prompt":
            return known
        self._parts.pop(key, None)
        self._parts[key] = self.add()
        if len(self._parts) > _PARTS:
            del self._parts[next(iter(self._parts))]
        return self.last

    def freeze(self) -> dict[str, object]:
        """All of it as JSON values, apart from the rows."""
        return {"last": self.last, "parts": self._parts}

    def freeze_rows(self) -> list[list[int]]:
        """The rows of late, as numbers."""
        return [sorted(self._new), sorted(self._old)]
