"""What is kept is sealed: SQLite finds damage of its pages' form, and none within a text, nor a row that a page lost.

Decides whether a value is as it was written, and as it was written there (CRC-32: every run of up to 32 bits is found).
A broken seal of what is read by its name is a value that is not there: it is read anew. What a list shows is sealed as
a whole, by the sum of its rows' seals: where that is broken, the catalogue is thrown away.
"""

from __future__ import annotations

import _sqlite3
from binascii import crc32  # `zlib` has the same, and is a library to load
from collections.abc import Iterable, Sequence

TYPE_CHECKING = False  # `typing` is dear on the list's road
if TYPE_CHECKING:
    from typing import Any

_BYTES = 4


class Broken(_sqlite3.DatabaseError):
    """A row is not as it was written, or not all of them are there: what SQLite would say, had it seen that."""

    sqlite_errorcode = _sqlite3.SQLITE_CORRUPT


def seal(value: bytes, *of: str) -> bytes:
    """A value with its seal, of something of those names."""
    return crc32(value, _begin(of)).to_bytes(_BYTES, "big") + value


def unseal(sealed: object, *of: str) -> bytes | None:
    """The value; None where it is not what was sealed, or another one's."""
    if not isinstance(sealed, bytes) or len(sealed) < _BYTES:
        return None
    value = sealed[_BYTES:]
    return value if crc32(value, _begin(of)).to_bytes(_BYTES, "big") == sealed[:_BYTES] else None


def _begin(of: Iterable[str]) -> int:
    return crc32("\0".join(of).encode("utf-8", "surrogatepass"))


def row_seal(row: Sequence[Any]) -> int:
    """The seal of a row: texts, and bytes at its end.

    Raises:
        TypeError, ValueError: a column is of another type.
    """
    return crc32(row[-1], crc32("\0".join(row[:-1]).encode()))


def check_rows(rows: Iterable[Sequence[Any]], total: object) -> None:
    """That these are just the rows whose seals come to that sum.

    Raises:
        Broken: they are not.
    """
    try:
        if sum(map(row_seal, rows)) == total:
            return
    except (TypeError, ValueError):
        pass
    raise Broken
