"""What an agent tells a hook: one event, read from a stream, with the parts that the record wants.

Claude Code's events are described at <https://code.claude.com/docs/en/hooks>, Codex' at
<https://developers.openai.com/codex/hooks>; both send one JSON object with the same names. Codex' form of a shell
command's `tool_response` is not documented: today it is the bare output, without an exit code.
"""

import json
from collections.abc import Callable, Mapping
from typing import Final, Literal, NamedTuple, cast

from refloat.hooks.members import Member, read_members

Agent = Literal["claude-code", "codex"]
AGENTS: Final[tuple[Agent, ...]] = ("claude-code", "codex")
Kind = Literal["result", "start", "handover"]
KINDS: Final[Mapping[str, Kind]] = {
    "PostToolUse": "result",
    "PostToolUseFailure": "result",
    "SessionStart": "start",
    "PreCompact": "handover",
    "Stop": "handover",
    "SessionEnd": "handover",
}
_NONE: Final = Member(b"", 0)


class Event(NamedTuple):
    """One event."""

    agent: Agent
    name: str
    """As the agent calls it."""
    kind: Kind
    session: str
    cwd: str | None
    why: str | None = None
    """What the agent adds: `source` of a start, `trigger` of a compaction, `reason` of an end."""
    tool: str = ""
    call: str | None = None
    """The call's id."""
    given: Member = _NONE
    output: Member = _NONE
    interrupted: bool = False

    @property
    def failed(self) -> bool:
        """Whether the agent itself calls the tool's result a failure."""
        return self.name == "PostToolUseFailure"

    @property
    def producer(self) -> str:
        """Who does the steps."""
        return f"{self.agent}:{self.session}"


class NoEvent(ValueError):  # noqa: N818 - reads as the answer that it is
    """What came is no event that is known here."""


def read_event(agent: Agent, read: Callable[[int], bytes]) -> Event | None:
    """The event that `read` gives; None for one that a hook need not know.

    Raises:
        NoEvent: it is damaged, or names no session.

    """
    members = read_members(read)
    name = _text(members, "hook_event_name")
    if name is None:
        raise NoEvent("what came on standard input is no event")
    kind = KINDS.get(name)
    if kind is None:
        return None
    session = _text(members, "session_id")
    if not session:
        raise NoEvent(f"a {name} event names no session")
    tool = _text(members, "tool_name") or ""
    if kind == "result" and not tool:
        raise NoEvent(f"a {name} event names no tool")
    return Event(
        agent=agent,
        name=name,
        kind=kind,
        session=session,
        cwd=_text(members, "cwd"),
        why=next((said for key in ("source", "trigger", "reason") if (said := _text(members, key))), None),
        tool=tool,
        call=_text(members, "tool_use_id"),
        given=members.get("tool_input", _NONE),
        output=members.get("error" if name == "PostToolUseFailure" else "tool_response", _NONE),
        interrupted=members.get("is_interrupt", _NONE).raw == b"true",
    )


def value_of(member: Member) -> object:
    """What a member's text means; None where it is cut, damaged or missing."""
    if member.is_cut or not member.raw:
        return None
    try:
        value: object = json.loads(member.raw.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return None
    return value


def exact(member: Member) -> bytes | None:
    """The bytes to keep: a plain text as its own, anything else as the JSON text that came. None for nothing."""
    if not member.raw:
        return None
    value = value_of(member)
    return value.encode("utf-8", "replace") if isinstance(value, str) else member.raw


def mapping(value: object) -> Mapping[str, object]:
    """An object's members; none where it is no object."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _text(members: Mapping[str, Member], name: str) -> str | None:
    value = value_of(members.get(name, _NONE))
    return value if isinstance(value, str) and value else None
