"""Values out of a row, whatever stands there: a damaged record must give a sentence, never a traceback."""

from refloat.model.stamp import Stamp, read_stamp
from refloat.record.engine import Row

EPOCH = Stamp("1970-01-01T00:00:00.000Z")
"""Stands where a row holds no readable moment; its receipt tells that it was altered."""


def text(row: Row, name: str) -> str:
    """A text; empty where there is none."""
    return get_text(row, name) or ""


def get_text(row: Row, name: str) -> str | None:
    """A text, or None. Damaged bytes in it are shown as replaced."""
    value = row.get(name)
    if not isinstance(value, str):
        return None
    return readable(value)


def readable(value: str) -> str:
    """A text without what UTF-8 cannot carry: damaged bytes are shown as replaced, and so are lone surrogates."""
    if value.isascii():
        return value
    try:
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def number(row: Row, name: str) -> int | None:
    """A whole number, or None."""
    value = row.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def stamp(row: Row, name: str) -> Stamp:
    """A moment."""
    return read_stamp(row.get(name)) or EPOCH


def get_stamp(row: Row, name: str) -> Stamp | None:
    """A moment, or None."""
    return read_stamp(row.get(name))
