"""Requests that the SDK cannot read, answered: it drops them, and whoever sent one would wait for ever.

Decides on those that Python's own reader can read (half a surrogate pair in an escape is JSON to it) and that have an
id to answer to. Refuses to guess at anything else, and to do what such a request asks.
"""

import json
from collections.abc import AsyncIterable
from typing import Any, Final

from anyio.streams.memory import MemoryObjectSendStream
from mcp import types
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

Heard = SessionMessage | Exception
"""What the SDK makes of a line."""
_SAYS: Final = "nothing was done: this request holds what no JSON reader has to take, such as half a surrogate pair"


async def relay(heard: AsyncIterable[Heard], answers: Any, onward: MemoryObjectSendStream[Heard]) -> None:
    """Hand on what was heard, until its end, but for what is answered here."""
    async with onward:
        async for item in heard:
            answer = refuse(item) if isinstance(item, ValidationError) else None
            if answer is None:
                await onward.send(item)
            else:
                await answers.send(SessionMessage(answer))


def refuse(fault: ValidationError) -> types.JSONRPCError | None:
    """The answer to a request that was no JSON to the SDK; None where nobody asked, or no id can be read."""
    told = fault.errors(include_url=False, include_context=False)[0]
    if told["type"] != "json_invalid" or not isinstance(told["input"], str):
        return None
    try:
        asked: Any = json.loads(told["input"])
        known = asked["id"] if isinstance(asked, dict) and "method" in asked else None
        if not isinstance(known, int | str) or isinstance(known, bool):
            return None
        str(known).encode()
    except (ValueError, KeyError, RecursionError):
        return None
    return types.JSONRPCError(jsonrpc="2.0", id=known, error=types.ErrorData(code=types.PARSE_ERROR, message=_SAYS))
