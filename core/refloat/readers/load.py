"""Foreign JSON to values, without what not every decoder refuses by itself: older ones follow each level of nesting on
the stack, and a row of ten thousand brackets ends the process.

Decides how deep a value may go. Refuses to look closely at what cannot be deep.
"""

from typing import Final

import orjson

_LARGE: Final = 1 << 63

DEEPEST: Final = 512
"""Levels that any value may have for sure; more than twice as many are refused for sure."""


def _is_refused() -> bool:
    deep = 2 * DEEPEST + 1  # few enough for any stack
    try:
        orjson.loads(b"[" * deep + b"]" * deep)
    except orjson.JSONDecodeError:
        return True
    return False


REFUSES: Final = _is_refused()
"""Whether the decoder counts the levels itself (orjson 3.13 does): counting brackets takes half as long as decoding."""


def loads(raw: bytes | bytearray | memoryview) -> object:
    """One JSON value. Numbers that no double holds are infinite: they are JSON, and nothing here counts by them.

    Raises:
        ValueError: it is none, or nested too deep.
    """
    if not REFUSES and len(raw) > DEEPEST and is_deep(raw):
        raise ValueError("nested too deep")
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError as fault:
        if "infinity" not in fault.msg:
            raise
    return _load_large(raw)


def _load_large(raw: bytes | bytearray | memoryview) -> object:
    import json  # such rows are rare

    value = json.loads(bytes(raw).decode(), parse_int=_whole, parse_constant=_refuse)
    try:
        orjson.dumps(value)
    except orjson.JSONEncodeError as fault:  # halves of characters, which the other one lets pass
        raise ValueError(str(fault)) from fault
    return value


def _whole(digits: str) -> int | float:
    """A whole number as `orjson` reads it: one that 64 bits do not hold is a double."""
    number = float(digits)
    return int(digits) if -_LARGE <= number < _LARGE else number


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


def is_deep(raw: bytes | bytearray | memoryview) -> bool:
    """Whether a value may be nested too deep to be decoded."""
    if not isinstance(raw, memoryview) and raw.count(b"[") + raw.count(b"{") <= DEEPEST:
        return False  # a view is of a long row, which is not copied
    import msgspec  # it counts its levels; rows like these are rare, and its start is dear

    try:
        msgspec.json.decode(raw, type=msgspec.Raw)
    except RecursionError:
        return True
    except msgspec.MsgspecError:
        return False  # the other one stops at the same place
    return False
