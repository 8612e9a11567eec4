"""What is kept for a later reading is sealed: SQLite finds damage of its pages' form, and none within a text.

Decides whether a value is as it was written (CRC-32: every run of up to 32 bits is found). A broken seal is a
value that is not there: it is read anew.
"""

from binascii import crc32  # `zlib` has the same, and is a library to load
from typing import Final

_BYTES: Final = 4
_DIGITS: Final = 8


def seal(value: bytes) -> bytes:
    """A value with its seal."""
    return crc32(value).to_bytes(_BYTES, "big") + value


def unseal(sealed: object) -> bytes | None:
    """The value; None where it is not what was sealed."""
    if not isinstance(sealed, bytes) or len(sealed) < _BYTES:
        return None
    value = sealed[_BYTES:]
    return value if crc32(value).to_bytes(_BYTES, "big") == sealed[:_BYTES] else None


def seal_text(text: str, of: str) -> str:
    """The same for a text that belongs to something of that name."""
    return f"{crc32((of + text).encode('utf-8', 'surrogateescape')):08x}{text}"


def unseal_text(sealed: object, of: str) -> str:
    """The text; "" where it is not what was sealed, or another one's."""
    if not isinstance(sealed, str):
        return ""
    text = sealed[_DIGITS:]
    return text if seal_text(text, of) == sealed else ""
