"""Foreign JSON to values, without what the decoder does not refuse by itself: it follows every level of nesting on the
stack, and a row of ten thousand brackets ends the process.

Decides how deep a value may go. Refuses to look closely at what cannot be deep.
"""

from typing import Final

import orjson

DEEPEST: Final = 500
"""Levels that any value may have for sure; twice as many are refused for sure."""


def loads(raw: bytes | bytearray | memoryview) -> object:
    """One JSON value.

    Raises:
        ValueError: it is none, or nested too deep.
    """
    if len(raw) > DEEPEST and is_deep(raw):
        raise ValueError("nested too deep")
    return orjson.loads(raw)


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
