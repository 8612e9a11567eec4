"""Foreign JSON narrowed: every value may be anything, and what is not as expected reads as if it were absent."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, cast

import orjson

from refloat.readers.load import loads

Row = dict[str, object]
"""A JSON object. orjson makes no other keys than strings."""

NOTHING: Final[Row] = {}


def mapping(value: object) -> Row:
    """The object, or an empty one."""
    return cast("Row", value) if isinstance(value, dict) else NOTHING  # keys of JSON objects are strings


def listed(value: object) -> list[object]:
    """The array, or an empty one."""
    return cast("list[object]", value) if isinstance(value, list) else []  # elements stay unknown


def text(value: object) -> str:
    """The string, or an empty one."""
    return value if isinstance(value, str) else ""


def number(value: object) -> int | None:
    """The whole number, or None; JSON's true and false are none."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def strings(value: object) -> tuple[str, ...]:
    """The strings of an array."""
    return tuple([entry for entry in listed(value) if isinstance(entry, str)])


def objects(value: object) -> list[Row]:
    """The objects of an array."""
    return [cast("Row", entry) for entry in listed(value) if isinstance(entry, dict)]  # as in `mapping`


def words(content: object) -> str:
    """The text of a content value: the string itself, or its text blocks, one below the other."""
    if isinstance(content, str):
        return content
    parts = [text(block.get("text")) for block in objects(content) if block.get("type") == "text"]
    return parts[0] if len(parts) == 1 else "\n".join(parts)


def json_text(value: object) -> str:
    """The value as JSON text; what cannot be written (nested too deep) as nothing."""
    try:
        return orjson.dumps(value).decode()
    except (TypeError, RecursionError):  # orjson's own errors are TypeErrors
        return ""


@lru_cache(maxsize=64)
def version_of(value: str) -> tuple[int, ...]:
    """`2.1.270` as numbers that compare; what is no number ends it."""
    found: list[int] = []
    for part in value.split("."):
        digits = part[:9]
        if not (digits.isascii() and digits.isdigit()):
            break
        found.append(int(digits))
    return tuple(found)


def get_object(data: bytes) -> Mapping[str, object] | None:
    """A small side file's JSON object, or None."""
    try:
        value: object = loads(data)
    except ValueError:
        return None
    return cast("Row", value) if isinstance(value, dict) else None  # as in `mapping`
