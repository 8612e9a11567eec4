"""Calls and their results: one step for one call, whatever the order, the copies and the number of answers.

Decides which of several answers counts: a real one beats a placeholder, a later real one beats an earlier one, an event
that tells of the same call beside its output row is merged into it.
"""

from __future__ import annotations

from array import array
from binascii import a2b_base64, b2a_base64, crc32, crc_hqx  # `zlib` has the same crc32, and is a library to load
from collections.abc import Mapping
from typing import Any, Final

from refloat.model.left_out import whole_size
from refloat.model.light import field, plain_of, replace, slotted
from refloat.model.transcript import Call, Outcome, Result, Step, StepKind, Touched


@slotted
class StepDraft:
    """A step while its session is being read."""

    call: Call
    n: int
    item: int
    turn: int
    subagent: str | None
    result: Result | None = None
    event: Result | None = None
    superseded: bool = False
    made: str = ""
    """What a repair wrote in the place of an answer."""

    def answer(self, result: Result) -> None:
        """Take an answer."""
        if result.made:
            self.made = result.output
        elif result.partial:
            self.event = merge_events(self.event, result)
        elif self.result is None or self.result.placeholder or not result.placeholder:
            self.result = result

    def step(self, message: str | None, kept: int | None) -> Step:
        """The step as it stands; texts up to `kept` characters."""
        call, told = self.call, settle(self.result, self.event)
        output = told.output if told else self.made
        edits = call.edits if told is None or told.edits is None else told.edits
        outcome = told.outcome if told else (Outcome.DANGLING if call.needs_result else Outcome.OK)
        # By place, not by name: a third of the time, and a session has thousands of them.
        return Step(
            self.n,
            call.id,
            call.kind if told is None or told.kind is None else told.kind,
            call.tool,
            keep(call.summary, kept),
            call.at,
            told.at if told else None,
            outcome,
            told.exit_code if told else None,
            call.files or (tuple(dict.fromkeys(edit.path for edit in edits)) if edits else ()),
            message,
            call.place.line,
            call.place.path,
            keep(call.input, kept),
            keep_ends(output, kept),
            whole_size(output),
            call.command,
            call.cwd,
            edits,
            bool(told and told.effects_unknown),
            bool(told and told.shutdown),
            self.superseded or call.superseded,
            self.subagent,
            self.turn,
            self.item,
            told.background if told else None,
            call.pending if told is None else None,
            bool(told and told.never_ran),
            bool(told and told.pushed),
        )


def keep(text: str, kept: int | None) -> str:
    """At most `kept` characters, without a mark. A word that the cut would part goes whole: it may be a secret, and
    half of one is not found any more.
    """
    return text if kept is None or len(text) <= kept else text[: _before(text, kept)]


def keep_ends(text: str, kept: int | None) -> str:
    """The same of an output, whose last lines say how it went: a third of it is taken from the end."""
    if kept is None or len(text) <= kept:
        return text
    return f"{text[: _before(text, kept - kept // 3)]}\n{text[_behind(text, len(text) - kept // 3) :]}"


_WORD: Final = 1024
"""A run without white space that is longer is no word, and parted."""


def _before(text: str, at: int) -> int:
    """Where the word ends before the one that goes over `at`."""
    if text[at : at + 1].isspace():
        return at
    start = next((back for back in range(at, max(0, at - _WORD), -1) if text[back - 1].isspace()), None)
    return at if start is None else start


def _behind(text: str, at: int) -> int:
    """Where the next word begins behind the one that goes over `at`."""
    if text[at - 1].isspace():
        return at
    return next((place for place in range(at, min(len(text), at + _WORD)) if text[place].isspace()), at)


def merge_events(first: Result | None, second: Result) -> Result:
    """Two events about one call: what the later one leaves open, the earlier one may tell."""
    if first is None:
        return second
    return replace(
        second,
        exit_code=first.exit_code if second.exit_code is None else second.exit_code,
        output=second.output or first.output,
        edits=first.edits if second.edits is None else second.edits,
        kind=second.kind or first.kind,
        background=second.background or first.background,
    )


def settle(result: Result | None, event: Result | None) -> Result | None:
    """One answer of a call's output row and its event: the event knows better how it went, the row what it said."""
    if result is None or event is None:
        return result or event
    if result.placeholder:
        return event
    return Result(
        event.id,
        event.outcome,
        max(result.at, event.at) if result.at and event.at else result.at or event.at,
        event.place,
        result.exit_code if event.exit_code is None else event.exit_code,
        _output(result, event),
        result.edits if event.edits is None else event.edits,
        event.kind or result.kind,
        event.effects_unknown or result.effects_unknown,
        event.shutdown or result.shutdown,
        event.placeholder,
        event.background or result.background,
        event.made,
        event.pushed or result.pushed,
        event.never_ran or (result.never_ran and event.outcome is result.outcome),
        event.partial,
    )


def _output(result: Result, event: Result) -> str:
    """The row's words, unless they said no more than that a command ran on and its end has words of its own."""
    left = result.background is not None and result.background.running
    return event.output or result.output if left else result.output or event.output


@slotted
class OpenCall:
    """What must be remembered of a call without a result."""

    n: int
    turn: int
    pending: str | None
    kind: str
    at: str | None
    needs_result: bool = True
    superseded: bool = False
    item: int = 0
    """Its number among the items."""


@slotted
class Calls:
    """Open calls by id, and the ids that were seen, so that a copied row counts once."""

    open: dict[str, OpenCall] = field(default_factory=dict[str, OpenCall])
    seen: set[int] = field(default_factory=set[int])
    early: dict[str, tuple[str | None, bool]] = field(default_factory=dict[str, tuple[str | None, bool]])
    """Results whose call has not come yet: (kind, shutdown)."""
    ended_by_shutdown: dict[str, int] = field(default_factory=dict[str, int])
    """Calls that the program closed while it was ending, with their turn."""

    again: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    """Ids that name more than one call: what tells each but the first."""
    answered: dict[str, str] = field(default_factory=dict[str, str])
    """Of such an id: the name of the call that its last row spoke of."""

    def name_call(self, call_id: str, told: str) -> str | None:
        """The name of a call in this session: its id, for the second one under an id `ID#2`; None for a copy."""
        key, seen = short(call_id), self.seen
        own = key ^ crc32(told.encode("utf-8", "replace")) << _TOLD if told else key
        if key not in seen:
            seen.add(key)
            seen.add(own)
            return call_id
        others = self.again.get(call_id, [])
        if own in self.seen:
            if others:
                self.answered[call_id] = f"{call_id}#{others.index(own) + 2}" if own in others else call_id
            return None
        self.seen.add(own)
        self.again[call_id] = [*others, own]
        self.answered[call_id] = f"{call_id}#{len(others) + 2}"
        return self.answered[call_id]

    def name_result(self, call_id: str) -> str:
        """The name of the call that an answer is of: where several of its id wait in one turn, the first of them."""
        others = self.again.get(call_id)
        if not others:
            return call_id
        names = [call_id, *(f"{call_id}#{number + 2}" for number in range(len(others)))]
        waiting = [name for name in names if name in self.open]
        last = max((self.open[name].turn for name in waiting), default=0)
        name = next((name for name in waiting if self.open[name].turn == last), self.answered[call_id])
        self.answered[call_id] = name
        return name

    def renamed(self, touched: Touched) -> Touched:
        """The same under the name of its call."""
        name = self.answered.get(touched.call, touched.call)
        return touched if name == touched.call else replace(touched, call=name)

    def last_named(self, call_id: str) -> str:
        """The call that an id was last used for."""
        others = self.again.get(call_id)
        return f"{call_id}#{len(others) + 1}" if others else call_id

    def dangling(self, turn: int | None = None) -> list[OpenCall]:
        """Open calls, of one turn or of all."""
        return [call for call in self.open.values() if call.needs_result and (turn is None or call.turn == turn)]


_TOLD: Final = 16
"""Bits that what tells a call is moved by, so that it changes the upper part of its id's number."""


def short(call_id: str) -> int:
    """An id as a small number, so that all of a long session can be remembered: 48 bits of two checks whose polynomials
    share no factor, which takes a third of a hash's time.
    """
    name = call_id.encode("utf-8", "replace")
    return crc32(name) << 16 | crc_hqx(name, 0)


def freeze_calls(calls: Calls) -> dict[str, object]:
    """All of it as JSON values, apart from the ids that were seen: see `freeze_seen`."""
    return {
        "open": {name: plain_of(call) for name, call in calls.open.items()},
        "early": {name: list(told) for name, told in calls.early.items()},
        "ended_by_shutdown": dict(calls.ended_by_shutdown),
        "again": {name: list(told) for name, told in calls.again.items()},
        "answered": dict(calls.answered),
    }


def freeze_seen(calls: Calls) -> str:
    """The ids that were seen, packed: no text, and of a long session most of what is frozen."""
    return b2a_base64(array("Q", sorted(calls.seen)).tobytes(), newline=False).decode()


def thaw_calls(frozen: Mapping[str, Any], ids: str) -> Calls:
    """What `freeze_calls` and `freeze_seen` gave, made live again.

    Raises:
        TypeError, KeyError, ValueError: it was made by another version.
    """
    opened = {key: OpenCall(**call) for key, call in frozen["open"].items()}
    seen = array("Q")
    seen.frombytes(a2b_base64(ids))
    early = {key: (pair[0], pair[1]) for key, pair in frozen["early"].items()}
    again, answered = frozen["again"], frozen["answered"]
    return Calls(opened, set(seen), early, dict(frozen["ended_by_shutdown"]), again, answered)


_EDIT: Final = StepKind.EDIT.value


def is_edit(kind: str) -> bool:
    """Whether a step of this kind counts among the edits."""
    return kind == _EDIT
