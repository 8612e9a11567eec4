r"""JSON in the one form of RFC 8785 (JCS): what receipts are hashed over.

Decides as the RFC does: members sorted by their UTF-16 code units, numbers as ECMAScript writes them, strings with the
fewest escapes. Refuses what I-JSON cannot carry: lone surrogates, NaN, infinities, whole numbers beyond 2^53.

>>> canonical({"b": 1.0, "a": "\u20ac"}).decode()
'{"a":"€","b":1}'
"""

import json
from collections.abc import Mapping, Sequence
from typing import Final, cast

_LARGEST: Final = 2**53
_encode: Final = json.JSONEncoder(ensure_ascii=False).encode


def canonical(value: object) -> bytes:
    """The canonical bytes of a value of JSON.

    Raises:
        ValueError: it holds something that has no canonical form.

    """
    return _write(value).encode("utf-8")  # a lone surrogate is a UnicodeEncodeError, which is a ValueError


def _write(value: object) -> str:
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return _encode(value)
    if isinstance(value, int):
        if abs(value) > _LARGEST:
            raise ValueError(f"{value} is beyond 2^53")
        return str(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, Mapping):
        return _members(cast("Mapping[object, object]", value))
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return "[" + ",".join([_write(each) for each in cast("Sequence[object]", value)]) + "]"
    raise ValueError(f"{type(value).__name__} is no value of JSON")


def _members(value: Mapping[object, object]) -> str:
    rows: list[tuple[bytes, str]] = []
    for name, inner in value.items():
        if not isinstance(name, str):
            raise ValueError("a member's name is a text")  # noqa: TRY004 - one error for what has no form
        rows.append((name.encode("utf-16-be"), f"{_encode(name)}:{_write(inner)}"))
    return "{" + ",".join([text for _, text in sorted(rows)]) + "}"


def _number(value: float) -> str:
    """As ECMA-262 (Number::toString, radix 10) writes it: the shortest digits, which are Python's too."""
    if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124 - NaN alone differs from itself
        raise ValueError("no canonical form of NaN and infinities")
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = f"{abs(value)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    size = len(digits)
    if size <= point <= 21:
        return sign + digits + "0" * (point - size)
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    tail = f".{digits[1:]}" if size > 1 else ""
    return f"{sign}{digits[0]}{tail}e{'+' if point > 0 else '-'}{abs(point - 1)}"
