"""The rows of a rollout as types: what of each kind counts for a summary, as a decoder finds it.

Decides nothing of what a row means (`quick` does). What must be absent is typed so, where it hardly ever comes.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Annotated, Any, Final, Protocol, cast

import msgspec
from msgspec import Struct

from refloat.model.stamp import Stamp
from refloat.readers.plain import UNFIT, is_plain_stamp, is_utf8


class Part(Struct, gc=False):
    """A part of a content."""

    text: str = ""


class Reasoning(Struct, gc=False, tag="reasoning"):
    """Thoughts."""

    summary: list[Part] = []


class Words(Struct, gc=False, tag="message"):
    """Words of anybody."""

    role: str = ""
    content: list[Part] = []
    id: str = ""
    internal_chat_message_metadata_passthrough: object = None
    """Says of each part whose it is."""


class Prompted(Struct, gc=False, tag="user_message"):
    """A person's words, as their event has them."""

    message: str = ""
    kind: str = ""


class Function(Struct, gc=False, tag="function_call"):
    """A call with arguments in JSON."""

    name: str
    call_id: str
    arguments: str = ""
    namespace: str | None = None


class Custom(Struct, gc=False, tag="custom_tool_call"):
    """A call with an input of its own form."""

    name: str
    call_id: str
    input: str = ""
    namespace: str | None = None


class Arguments(Struct, gc=False):
    """Of the tools that run a command line."""

    cmd: str = ""
    command: None = None
    input: None = None


class Output(Struct, gc=False, tag="function_call_output"):
    """The answer to a call."""

    call_id: str
    output: str | list[Part]


class CustomOutput(Output, gc=False, tag="custom_tool_call_output"):
    """The answer to a custom call."""


class Window(Struct, gc=False):
    """Usage within a span of time."""

    used_percent: Annotated[float, msgspec.Meta(lt=100)] | None = None


class Limits(Struct, gc=False):
    """Below the limit, or the decoder refuses the row."""

    rate_limit_reached_type: None = None
    primary: Window | None = None
    secondary: Window | None = None
    primary_used_percent: None = None
    secondary_used_percent: None = None


class Tokens(Struct, gc=False, tag="token_count"):
    """Tokens used."""

    rate_limits: Limits | None = None


class Turn(Struct, gc=False, tag="task_started"):
    """A turn begins."""

    turn_id: str


class Completed(Struct, gc=False, tag="task_complete"):
    """A turn ended by itself."""

    turn_id: str | None = None
    last_agent_message: str | None = None
    error: None = None


class Sandbox(Struct, gc=False):
    """What commands may do."""

    type: str = ""
    mode: str = ""


class Context(Struct, gc=False):
    """Settings of a turn."""

    cwd: str
    model: str
    approval_policy: str
    sandbox_policy: Sandbox


class Said(Struct, gc=False, tag="agent_message"):
    """Words of the agent, as its event has them."""

    message: str


class Change(Struct, gc=False):
    """What became of a file."""

    type: str = ""
    move_path: str | None = None


class Done(Struct, gc=False, kw_only=True):
    """A finished unit."""

    source: str = ""
    status: str = ""
    exit_code: int | None = None
    success: bool | None = None
    changes: dict[str, Change] = {}
    aggregated_output: str = ""
    formatted_output: str = ""
    stdout: str = ""
    stderr: str = ""


class Item(Done, gc=False):
    """An item, which names its own kind."""

    type: str
    id: str = ""
    content: list[Part] = []


class Finished(Struct, gc=False, tag="item_completed"):
    """An item is finished."""

    item: Item


class Command(Done, gc=False, tag="exec_command_end"):
    """A command ended, in the builds before items."""

    call_id: str = ""


class Patch(Done, gc=False, tag="patch_apply_end"):
    """A patch was applied, in the builds before items."""

    call_id: str = ""


class Row(Protocol):
    """A row."""

    @property
    def timestamp(self) -> Stamp:
        """One as it stands."""
        ...

    @property
    def payload(self) -> object:
        """One of the types of this module."""
        ...


def _any_of(kinds: Sequence[type[Struct]]) -> type[Struct]:
    """Their union; for the type checker, what all of them are."""
    union = reduce(lambda one, other: one | other, cast("Sequence[Any]", kinds))
    return cast("type[Struct]", union)  # no class: the decoder takes it for one


def _row(kind: str, *payloads: type[Struct]) -> type[Struct]:
    fields = [("timestamp", Stamp), ("payload", _any_of(payloads))]
    return msgspec.defstruct("row", fields, tag_field="type", tag=kind, gc=False)


def _decode(rows: Sequence[bytes]) -> list[Row | None]:
    """Each row decoded, None for one that does not fit."""
    found: list[Row | None] = []
    values = map(_ROW, rows)
    while len(found) < len(rows):
        try:
            for value in values:
                found.append(value)  # noqa: PERF402 - what came before one that does not fit is kept
        except UNFIT:
            found.append(None)
    for at in [at for at, raw in enumerate(rows) if not raw.isascii()]:
        if not is_utf8(rows[at]):
            found[at] = None
    return found


def decoded(rows: Sequence[bytes]) -> list[Row | None]:
    """Each row; None for one that is of no type here, or whose time wants a closer look."""
    found = _decode(rows)
    return [row if row is not None and is_plain_stamp(row.timestamp) else None for row in found]


_ROW: Final = cast(
    "Callable[[bytes], Row]",  # rows as made above
    msgspec.json.Decoder(
        _any_of(
            (
                _row("response_item", Reasoning, Words, Function, Custom, Output, CustomOutput),
                _row("event_msg", Tokens, Turn, Completed, Prompted, Said, Finished, Command, Patch),
                _row("turn_context", Context),
            )
        )
    ).decode,
)
read_arguments: Final = msgspec.json.Decoder(Arguments).decode
