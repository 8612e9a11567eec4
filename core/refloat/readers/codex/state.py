"""What a parser must remember of earlier lines: small, whatever the transcript's size, and all of it JSON.

Texts are remembered as fingers of the present turn only; calls while they are open, and the last few that were closed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal

from refloat.model.light import field, field_names, plain, slotted
from refloat.model.problem import Place
from refloat.model.stamp import Stamp
from refloat.readers.codex.copies import Copying, thaw
from refloat.readers.codex.shape import Json, as_dict, as_int, as_list, as_text, finger

_CLOSED: Final = 256
"""Closed calls that are remembered: their events come beside the output row, or shortly after it."""
_SAID: Final = 64
_SOURCES: Final = 4

Status = Literal["completed", "interrupted", "failed", "open"]


@slotted
class OpenCall:
    """What must be known of a call until its last row."""

    tool: str = ""
    session: str = ""
    """The running process that it talks to."""
    summary: str = ""
    command: str = ""
    kind: str = ""
    edits: bool = False
    """It asks for changes of files."""
    answered: bool = False
    nested: list[int] = field(default_factory=list[int])
    """For a code-mode program: fingers of the units that finished inside it."""


@slotted
class State:
    """A parser's memory."""

    own: str = ""
    created: str = ""
    first: str = ""
    last: str = ""
    version: str = ""
    cwd: str = ""
    model: str = ""
    policy: str = ""
    goal: str = ""
    files: int = 0
    placed: bool = False
    meta_seen: bool = False
    active: bool = False
    """The thread did something of its own in this file."""
    lifecycle: bool = False
    has_events: bool = False
    superseded: bool = False
    turn: str = ""
    status: Status = "completed"
    kept_turn: str = ""
    kept_status: Status = "completed"
    aborted_at: str | None = None
    asked: bool = False
    said: bool = False
    compacted: bool = False
    limit: str = ""
    last_word: str = ""
    """`error` or `limit` where the record told of one after everything that the agent did."""
    error: dict[str, object] = field(default_factory=dict[str, object])
    texts: dict[str, dict[int, list[int]]] = field(default_factory=dict[str, dict[int, list[int]]])
    """Of each kind, by finger: how often each source told it."""
    said_rows: list[str] = field(default_factory=list[str])
    held: list[list[object]] = field(default_factory=list[list[object]])
    open: dict[str, OpenCall] = field(default_factory=dict[str, OpenCall])
    closed: dict[str, OpenCall] = field(default_factory=dict[str, OpenCall])
    running: dict[str, str] = field(default_factory=dict[str, str])
    """Process name to the call that began it."""
    copying: Copying | None = None

    # ── files and turns ──────────────────────────────────────────────────────────────────────────────────────────────

    def new_file(self, *, whole: bool) -> None:
        """Another stretch begins: at the head of a file, or in its middle."""
        if whole:
            self.files += not self.superseded
            self.meta_seen = self.active = False
            self.copying = None
            self.first = ""
        self.texts.clear()
        self.said_rows.clear()

    def begin_turn(self, turn: str) -> None:
        """A turn began, told by the record."""
        self.turn, self.status, self.active = turn, "open", True
        self.asked = self.said = self.compacted = False
        self.aborted_at = None
        self.error, self.last_word = {}, ""
        self.new_turn_texts(prompts=True)

    def new_turn_texts(self, *, prompts: bool) -> None:
        """Texts of the turn before are no copies of what comes."""
        waits = {finger(as_text(row[0])) for row in self.held}
        known = self.texts.get("p", {}).items()
        self.texts = {"p": {mark: counts for mark, counts in known if not prompts or mark in waits}}
        self.said_rows.clear()
        if not prompts:
            self.said = False

    def forget_prompts(self) -> None:
        """A prompt that comes after the agent went on is another one, whatever it says."""
        self.texts.pop("p", None)

    # ── one fact told twice ──────────────────────────────────────────────────────────────────────────────────────────

    def fresh(self, kind: str, source: int, text: str) -> bool:
        """Whether this is news: each source tells the same texts once, so the one that told more of them decides."""
        known = self.texts.get(kind)
        if known is None:
            known = self.texts[kind] = {}
        mark = finger(text)
        counts = known.get(mark)
        if counts is None:
            counts = known[mark] = [0] * _SOURCES
            counts[source] = 1
            return True
        before = max(counts)
        counts[source] += 1
        return counts[source] > before

    def knows(self, kind: str, text: str) -> bool:
        """Whether any source told it in this turn."""
        return finger(text) in self.texts.get(kind, ())

    def count(self, kind: str, source: int, text: str) -> None:
        """Remember a text that is known not to be news."""
        self.fresh(kind, source, text)
        if len(self.said_rows) > _SAID:
            del self.said_rows[:-_SAID]

    def hold(self, text: str, at: Stamp | None, place: Place, row: str, *, sure: bool) -> None:
        """Keep a prompt back until its event comes, or the agent goes on."""
        self.held.append([text, at, place.path, place.line, place.offset, row, sure])

    def release(self, text: str) -> tuple[Stamp | None, Place, str] | None:
        """Take a held prompt out."""
        for at, (kept, *_) in enumerate(self.held):
            if isinstance(kept, str) and finger(kept) == finger(text):
                _, stamp, place, row, _ = _held(self.held.pop(at))
                return stamp, place, row
        return None

    def waiting(self) -> Iterator[tuple[str, Stamp | None, Place, str, bool]]:
        """The prompts held back."""
        return map(_held, list(self.held))

    def close(self, call: str, known: OpenCall) -> None:
        """A call was answered; it is remembered for a while."""
        self.closed.pop(call, None)
        known.summary = known.command = ""
        self.closed[call] = known
        if len(self.closed) > _CLOSED:
            del self.closed[next(iter(self.closed))]

    def kind_of(self, call: str) -> str | None:
        """The kind of a call that is known; None when no row of it was met."""
        known = self.open.get(call) or self.closed.get(call)
        return known.kind if known is not None and known.tool else None

    # ── freezing ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def freeze(self) -> dict[str, object]:
        """All of it as JSON values."""
        frozen = {name: plain(getattr(self, name)) for name in _FROZEN}
        frozen["open"] = {name: _list(call) for name, call in self.open.items()}
        frozen["closed"], frozen["#closed"] = _pack(self.closed)
        frozen["#texts"] = {
            kind: [[mark, *counts] for mark, counts in known.items()] for kind, known in self.texts.items() if known
        }
        return frozen

    @classmethod
    def thaw(cls, frozen: Mapping[str, object]) -> State:
        """What `freeze` gave. What is missing or of another kind begins anew."""
        state = cls()
        for name in field_names(cls) or ():
            value, fresh = frozen.get(name), getattr(state, name)
            if isinstance(fresh, str | bool | int) and type(value) is type(fresh):
                setattr(state, name, value)
        aborted = frozen.get("aborted_at")
        state.aborted_at = aborted if isinstance(aborted, str) else None
        state.error = dict(as_dict(frozen.get("error")))
        state.texts = {
            kind: {mark: counts for mark, *counts in map(_numbers, as_list(known))}
            for kind, known in as_dict(frozen.get("#texts")).items()
        }
        state.said_rows = [as_text(row) for row in as_list(frozen.get("said_rows"))]
        state.held = [as_list(row) for row in as_list(frozen.get("held")) if len(as_list(row)) == 7]
        state.open = {key: _call(value) for key, value in as_dict(frozen.get("open")).items()}
        state.closed = _unpack(as_dict(frozen.get("closed")), as_list(frozen.get("#closed")))
        state.running = {key: as_text(value) for key, value in as_dict(frozen.get("running")).items()}
        state.copying = thaw(frozen.get("copying"))
        return state


def _numbers(value: object) -> list[int]:
    told = [as_int(number) or 0 for number in as_list(value)]
    return (told + [0] * (1 + _SOURCES))[: 1 + _SOURCES]


def _pack(calls: Mapping[str, OpenCall]) -> tuple[dict[str, object], list[int]]:
    """Hundreds of closed calls are written for each session, and hardly one differs from the others in more than its
    name: the names, what there is of the rest, and which of that each has.
    """
    what: dict[tuple[object, ...], int] = {}
    which: list[int] = []
    for call in calls.values():
        told = call.tool, call.session, call.kind, call.edits, call.answered, *call.nested
        which.append(what.setdefault(told, len(what)))
    return {"names": list(calls), "what": [list(told) for told in what]}, which


def _unpack(frozen: Json, which: list[object]) -> dict[str, OpenCall]:
    what = [as_list(told) for told in as_list(frozen.get("what"))]
    names = as_list(frozen.get("names"))
    calls: dict[str, OpenCall] = {}
    for name, number in zip(names, which, strict=False):
        at = as_int(number)
        tool, session, kind, edits, answered, *nested = what[at] if at is not None and at < len(what) else _NOTHING
        calls[as_text(name)] = _call([tool, session, "", "", kind, edits, answered, nested])
    return calls


_NOTHING: Final = ("", "", "", False, False)


def _list(call: OpenCall) -> list[object]:
    return [call.tool, call.session, call.summary, call.command, call.kind, call.edits, call.answered, call.nested]


def _call(value: object) -> OpenCall:
    told = as_list(value)
    if len(told) != 8:
        return OpenCall()
    tool, session, summary, command, kind, edits, answered, nested = told
    return OpenCall(
        as_text(tool),
        as_text(session),
        as_text(summary),
        as_text(command),
        as_text(kind),
        edits is True,
        answered is True,
        [as_int(mark) or 0 for mark in as_list(nested)],
    )


_FROZEN: Final = tuple(name for name in field_names(State) or () if name not in {"open", "closed", "texts"})


def _held(row: list[object]) -> tuple[str, Stamp | None, Place, str, bool]:
    text, at, path, line, offset, name, sure = row
    stamp = Stamp(at) if isinstance(at, str) else None
    return (
        as_text(text),
        stamp,
        Place(as_text(path), as_int(line) or 0, as_int(offset) or 0),
        as_text(name),
        sure is True,
    )
