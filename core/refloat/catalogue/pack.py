"""What a reading came to, as JSON for the catalogue and back.

Decides the form alone. A form of another version raises, and the session is read again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from sys import intern
from typing import Final, Literal, cast

import orjson

from refloat.model.light import light, plain_of, replace
from refloat.model.problem import Problem
from refloat.model.session import Failure, FailureKind, PendingKind
from refloat.model.stamp import Stamp
from refloat.model.story import Summary
from refloat.model.transcript import Ending


@light
class Packed:
    """A session with its sub-agents, as read."""

    summary: Summary
    subagents: Mapping[str, Summary]
    provisional: bool = False
    """Only the ends of its files were read: nothing was counted. Such a one is not kept."""


_SAID_BY_MANY: Final = ("agent", "workspace", "cwd", "worktree", "branch", "model", "version", "entrypoint")


def share(packed: Packed) -> Packed:
    """The same, with what many sessions say once in memory, as `unpack` gives it: of ten thousand summaries that is a
    quarter.
    """
    subagents = {key: _share(each) for key, each in packed.subagents.items()}
    return Packed(_share(packed.summary), subagents, packed.provisional)


def _share(summary: Summary) -> Summary:
    said = {name: intern(text) for name in _SAID_BY_MANY if (text := getattr(summary, name))}
    return replace(summary, **said, edited_paths=tuple(map(intern, summary.edited_paths)))


def pack(packed: Packed) -> bytes:
    """Write as JSON.

    Raises:
        TypeError: some name in it is no text (bytes that are not UTF-8).

    """
    subagents = {key: plain_of(each) for key, each in packed.subagents.items()}
    return orjson.dumps({"summary": plain_of(packed.summary), "subagents": subagents})  # its own error is a TypeError


def unpack(written: bytes) -> Packed:
    """Read what `pack` wrote.

    Raises:
        ValueError, TypeError, KeyError: it is of another form.

    """
    value = cast("dict[str, dict[str, object]]", orjson.loads(written))  # our own; a wrong form raises below
    subagents = cast("dict[str, dict[str, object]]", value["subagents"])
    return Packed(_summary(value["summary"]), {key: _summary(each) for key, each in subagents.items()})


_Turn = Literal["none", "open", "completed", "interrupted", "failed"]
_PLAIN: Final = frozenset({"ending", "problems", "edited_paths"})


def _summary(value: Mapping[str, object]) -> Summary:
    plain = {key: each for key, each in value.items() if key not in _PLAIN}
    for name in _SAID_BY_MANY:
        if (text := plain[name]) is not None:
            plain[name] = intern(cast("str", text))
    return Summary(
        **cast("dict[str, str]", plain),  # pyright: ignore[reportArgumentType] - our own JSON: texts, numbers and None as they went in
        ending=_ending(cast("Mapping[str, object]", value["ending"])),
        problems=tuple(Problem(**each) for each in cast("Sequence[dict[str, str]]", value["problems"])),  # pyright: ignore[reportArgumentType] - as above
        edited_paths=tuple(map(intern, cast("Sequence[str]", value["edited_paths"]))),
    )


def _ending(value: Mapping[str, object]) -> Ending:
    failure = cast("dict[str, str] | None", value["failure"])
    return Ending(
        turn=cast("_Turn", value["turn"]),
        dangling=cast("int", value["dangling"]),
        failure=None if failure is None else _failure(failure),
        cut=bool(value["cut"]),
        prompts=cast("int", value["prompts"]),
        pending=cast("PendingKind | None", value["pending"]),
        open_since=cast("Stamp | None", value["open_since"]),
        user_interrupted=bool(value["user_interrupted"]),
        shutdown=bool(value["shutdown"]),
    )


def _failure(value: Mapping[str, str]) -> Failure:
    at = value["at"]
    return Failure(FailureKind(value["kind"]), value["detail"], Stamp(at) if at else None)
