"""Foreign JSON narrowed: whatever stands at a place, a value of the wanted type comes out."""

from __future__ import annotations

from binascii import crc32
from typing import Final, TypeGuard

from refloat.model.left_out import inside_json, is_left_out
from refloat.patterns import late
from refloat.readers.lines import decode

Json = dict[str, object]

UUID: Final = late(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")
_HEX: Final = "0123456789abcdefABCDEF-"
_NOTHING: Final[Json] = {}


def is_uuid(text: str) -> bool:
    """Whether a text is a UUID and nothing else."""
    return len(text) == 36 and text[8::5][:4] == "----" and text.count("-") == 4 and not text.strip(_HEX)


def is_dict(value: object) -> TypeGuard[Json]:
    """Whether it is an object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[object]]:
    """Whether it is an array."""
    return isinstance(value, list)


def as_dict(value: object) -> Json:
    """The object, or an empty one that nobody may change."""
    return value if is_dict(value) else _NOTHING


def as_list(value: object) -> list[object]:
    """The array, or an empty one."""
    return value if is_list(value) else []


def as_text(value: object) -> str:
    """The string, or ""."""
    return value if isinstance(value, str) else ""


def as_id(value: object) -> str:
    """A name that other tools' copies may have written as a number."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def as_int(value: object) -> int | None:
    """A whole number, also one that was written as text."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and len(value) < 20 and value.removeprefix("-").isdecimal():
        return int(value)
    return None


def as_float(value: object) -> float | None:
    """A number, also one that was written as text."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if abs(value) < 1e300 else None
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return None


def parse_object(value: object) -> Json:
    """An object that stands in a string (`arguments`), or as itself; {} when it is none."""
    if isinstance(value, str):
        if value.lstrip()[:1] != "{":
            return _NOTHING
        try:
            return as_dict(decode((inside_json(value) if is_left_out(value) else value).encode("utf-8", "replace")))
        except (ValueError, RecursionError):
            return _NOTHING
    return as_dict(value)


def texts(content: object) -> list[str]:
    """The texts of content items, one for each item; "" for images and what cannot be read."""
    if isinstance(content, str):
        return [content]
    return [item if isinstance(item, str) else as_text(as_dict(item).get("text")) for item in as_list(content)]


def finger(text: str) -> int:
    """A number that stands for a text, the same in every process."""
    bare = text.strip().encode("utf-8", "surrogatepass")
    return crc32(bare) << 32 | len(bare)


def time_of_uuid(text: str) -> int | None:
    """Milliseconds since 1970 that a UUIDv7 carries (RFC 9562, section 5.7); None for other ids."""
    if len(text) != 36 or text[14] != "7" or not UUID.fullmatch(text):
        return None
    return int(text[:8] + text[9:13], 16)
