"""Foreign JSON to values. The decoder refuses by itself what is nested deeper than 1,024 levels, in text of any length;
the tests ask it with three hundred thousand, since one that followed them on the stack would end the process.

Decides what a number is that no double holds.
"""

from __future__ import annotations

from typing import Final

import orjson

_LARGE: Final = 1 << 63


def loads(raw: bytes | bytearray | memoryview) -> object:
    """One JSON value. Numbers that no double holds are infinite: they are JSON, and nothing here counts by them.

    Raises:
        ValueError: it is none, or nested too deep.
    """
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError as fault:
        if "infinity" not in fault.msg:
            raise
    return _load_large(raw)


def _load_large(raw: bytes | bytearray | memoryview) -> object:
    import json  # such rows are rare

    try:
        value = json.loads(bytes(raw).decode(), parse_int=_whole, parse_constant=_refuse)
        orjson.dumps(value)
    except RecursionError:
        raise ValueError("nested too deep") from None
    except orjson.JSONEncodeError as fault:  # halves of characters, which the other one lets pass, or levels
        raise ValueError(str(fault)) from fault
    return value


def _whole(digits: str) -> int | float:
    """A whole number as `orjson` reads it: one that 64 bits do not hold is a double."""
    number = float(digits)
    return int(digits) if -_LARGE <= number < _LARGE else number


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is no JSON")
