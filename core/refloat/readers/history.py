"""The items of one session while it is being read: messages joined, calls answered, parts taken back.

Decides what becomes an item of its own and in which order, which plan is the last, and what was left running. Refuses
to count: the Assembler does that, with items or without.
"""

from __future__ import annotations

from typing import Final

from refloat.model.compressed import Compressor
from refloat.model.light import replace
from refloat.model.stamp import Stamp
from refloat.model.story import OpenWork
from refloat.model.transcript import (
    Background,
    BackgroundSeen,
    Call,
    Item,
    Marker,
    Message,
    Plan,
    Queued,
    Result,
    StepKind,
    Touched,
)
from refloat.readers.lines import decode
from refloat.readers.pairing import StepDraft, keep

LYING: Final = 16 * 1024 * 1024
"""Characters of files' contents that a session holds as they are; what comes after them is compressed."""


class History:
    """The items of a session, while it is being read."""

    def __init__(self, kept: int | None) -> None:
        self._kept = kept
        self._compressor = Compressor(LYING)
        self._entries: list[Message | StepDraft | Marker] = []
        self._parts: dict[tuple[str, str], int] = {}
        self._rows: set[str] = set()
        self._turns: list[int] = []
        self._taken: set[int] = set()
        self._drafts: dict[str, StepDraft] = {}
        self._early: dict[str, list[Result]] = {}
        self._background: dict[str, tuple[Background, int | None, Stamp | None]] = {}
        self.plan: Plan | None = None
        self.touched: list[Touched] = []
        self.queued: dict[str, Queued] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def _add(self, entry: Message | StepDraft | Marker, turn: int) -> None:
        self._entries.append(entry)
        self._turns.append(turn)

    def message(self, message: Message, turn: int) -> None:
        """Take words; parts of one message are joined, a row that was there already is not taken again."""
        if message.row:
            row = f"{message.type}:{message.row}"
            if row in self._rows:
                return
            self._rows.add(row)
        if (text := keep(message.text, self._kept)) != message.text:
            message = replace(message, text=text)
        key = (message.type, message.id)
        at = self._parts.get(key) if message.id and message.type != "prompt" else None
        if at is None:
            if message.id:
                self._parts[key] = len(self._entries)
            self._add(message, turn)
            return
        first = self._entries[at]
        if isinstance(first, Message) and message.text:
            joined = f"{first.text}\n{message.text}" if first.text else message.text
            self._entries[at] = replace(first, text=keep(joined, self._kept))

    def call(self, call: Call, n: int, turn: int, subagent: str | None) -> None:
        """Take the `n`th call, with the answers that came before it."""
        if call.edits:
            self._compressor.take(call.edits, "before", "after")
        draft = StepDraft(call, n, len(self._entries) + 1, turn, subagent)
        self._drafts[call.id] = draft
        for result in self._early.pop(call.id, ()):
            self.result(result, draft)
        if call.kind is StepKind.PLAN and (plan := read_plan(call.input, n)):
            self.plan = plan
        self._add(draft, turn)

    def result(self, result: Result, draft: StepDraft | None = None) -> None:
        """Take an answer; `draft` is its call where that is known."""
        draft = draft or self._drafts.get(result.id)
        if draft is None:
            self._early.setdefault(result.id, []).append(result)
            return
        if result.edits:
            self._compressor.take(result.edits, "before", "after")
        draft.answer(result)
        if result.background:
            self._see_background(result.background, draft.n, result.at)

    def marker(self, marker: Marker) -> None:
        """Take a marker; one that tells of a plan becomes the plan."""
        if marker.kind != "plan":
            text = keep(marker.text, self._kept)
            self._add(marker if text == marker.text else replace(marker, text=text), 0)
        elif plan := read_plan(marker.text, len(self._drafts)):
            self.plan = plan

    def side(self, event: Queued | BackgroundSeen | Touched) -> None:
        """Take what is no item of the talk."""
        if isinstance(event, Touched):
            self._compressor.take((event,), "content")
            self.touched.append(event)
        elif isinstance(event, BackgroundSeen):
            self._see_background(event.background, None, event.at)
        elif event.waiting:
            self.queued[event.id] = event
        else:
            self.queued.pop(event.id, None)

    def _see_background(self, seen: Background, step: int | None, at: Stamp | None) -> None:
        before = self._background.get(seen.id)
        if before is not None:
            what = before[0].what or seen.what
            seen = replace(
                before[0], what=what, running=seen.running, pid=seen.pid or before[0].pid,
                output=seen.output or before[0].output,
            )  # fmt: skip
            step, at = before[1] or step, before[2] or at
        self._background[seen.id] = (seen, step, at)

    def take_back(self, rows: frozenset[str], turns: set[int]) -> None:
        """Mark the items of these rows and turns as superseded."""
        for at, entry in enumerate(self._entries):
            if isinstance(entry, StepDraft):
                entry.superseded = entry.superseded or entry.call.id in rows or entry.turn in turns
            elif isinstance(entry, Message) and (entry.row in rows or self._turns[at] in turns):
                self._taken.add(at)

    def open_work(self) -> tuple[OpenWork, ...]:
        """What runs in the background, as the record has it last."""
        return tuple(OpenWork(work, step, at) for work, step, at in self._background.values() if work.running)

    def items(self) -> tuple[Item, ...]:
        """The items so far, in order."""
        return tuple(self._item(at, entry) for at, entry in enumerate(self._entries))

    def _item(self, at: int, entry: Message | StepDraft | Marker) -> Item:
        if isinstance(entry, StepDraft):
            step = entry.step(self._said_beside(entry.call.message), self._kept)
            return Item(at + 1, "step", entry.call.at, step=step, superseded=step.superseded)
        if isinstance(entry, Marker):
            return Item(at + 1, "marker", entry.at, marker=entry)
        taken = entry.superseded or at in self._taken
        return Item(at + 1, entry.type, entry.at, text=entry.text, superseded=taken)

    def _said_beside(self, message_id: str) -> str | None:
        at = self._parts.get(("reply", message_id)) if message_id else None
        entry = self._entries[at] if at is not None else None
        return entry.text if isinstance(entry, Message) and entry.text else None


def read_plan(recorded: str, step: int) -> Plan | None:
    """The plan in the arguments of a planning tool: `todos` with `content`, or `plan` with `step`."""
    try:
        value = decode(recorded.encode("utf-8", "replace"))
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    listed: object = value.get("todos") or value.get("plan")  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] - foreign JSON, narrowed below
    if not isinstance(listed, list):
        return None
    entries: list[tuple[str, str]] = []
    for entry in listed:  # pyright: ignore[reportUnknownVariableType] - foreign JSON, narrowed below
        if isinstance(entry, dict):
            text: object = entry.get("content") or entry.get("step") or entry.get("subject")  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType] - as above
            if isinstance(text, str):
                entries.append((text, str(entry.get("status") or "pending")))  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType] - as above
    return Plan(tuple(entries), step) if entries else None
