"""The first reading of a rollout: its head, its ordinals, and which calls and outputs do not fit.

Decides by what Codex loads (formats/codex): a head that is the file's own, in paginated threads ordinals without gaps,
one output for each call, behind it. Turns without an end are no damage: a resumed thread goes on behind them.
"""

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from pathlib import PurePath
from typing import Final

from refloat.model.repair import Action, Issue, Severity
from refloat.model.repaired import CODEX_FIELD
from refloat.readers.codex.shape import UUID, Json, as_dict, as_id, as_int, as_list, as_text, is_dict
from refloat.repair.codex.content import NAME, item_of, mend
from refloat.repair.codex.copying import copy_rows
from refloat.repair.codex.index import Answer, Called, Insert
from refloat.repair.frame import DAMAGES, Findings, NewCopy, Source
from refloat.repair.pieces import Piece, encode

CALLS: Final[Mapping[str, str]] = {
    "function_call": "function_call_output",
    "local_shell_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
}
"""Calls that get an output row, and which; others (a web search, an image) never dangle."""
_OUTPUTS: Final = frozenset(CALLS.values())
_BARE: Final = frozenset({"message", "reasoning", "web_search_call", "other", *CALLS, *_OUTPUTS})
"""Items that files before 0.32 hold without an envelope."""
_SEVERITIES: Final[Mapping[str, Severity]] = {
    **DAMAGES,
    "call_too_large": "blocks",
    "dangling_call": "noted",
    "duplicate_call": "blocks",
    "duplicate_call_id": "blocks",
    "duplicate_output": "blocks",
    "duplicate_row": "noted",
    "empty_image": "blocks",
    "id_too_long": "blocks",
    "image_too_large": "blocks",
    "missing_session_meta": "blocks",
    "ordinal_missing": "loses",
    "ordinal_repeated": "loses",
    "ordinal_skipped": "loses",
    "orphan_output": "noted",
    "output_before_call": "blocks",
    "text_too_large": "blocks",
    "wrong_session_id": "blocks",
}
"""A dangling call and an orphan output are noted: Codex closes the one and drops the other in each request."""


class CodexSurvey:
    """What the first reading came to; `rows` makes the copy."""

    def __init__(self, source: Source, thread: str) -> None:
        self._found = Findings(_SEVERITIES)
        self.thread = thread
        name = PurePath(source.paths[0]).name
        named = UUID.findall(name) if name.startswith("rollout-") else ()
        self._named = named[0] if named else ""
        self.head: Json | None = None
        """The payload of the file's own `session_meta`, from wherever one is found; {} fields are filled in later."""
        self.head_at = -1
        """Number of the piece that is the head; -1: one is made."""
        self.bare = False
        """Written before 0.32: no envelopes."""
        self.paginated = False
        self.start = 0
        self.cwd = ""
        self.first_at: str | None = None
        self.drops: set[int] = set()
        self.orphans: set[int] = set()
        self.renamed: dict[int, str] = {}
        self.notes: set[int] = set()
        """Pieces too large to be held: a note stands in their place."""
        self.inserts: dict[int, list[Insert]] = {}
        self._calls: dict[str, Called] = {}
        self._alias: dict[str, str] = {}
        self._early: dict[str, list[Answer]] = {}
        self._ordinal: int | None = None
        self._unnumbered = 0
        """The first line without an ordinal, while nothing has told that the thread is paginated."""
        self._previous = b""
        self._begun = False
        for piece in source.pieces():
            self._take(piece, source)
        self._settle()
        if self._begun and self.head_at < 0:
            self._found.add("missing_session_meta", 1, "the file does not begin with its session_meta", "one is made")
        self.issues: list[Issue] = sorted(self._found.issues, key=lambda issue: issue.line)
        self.actions: list[Action] = sorted(self._found.actions, key=lambda action: action.line)

    @property
    def holds_talk(self) -> bool:
        """Whether a record is left; a lost head is made from the others."""
        return self._begun or bool(self.notes)

    def rows(self, source: Source, new: NewCopy) -> Iterator[bytes]:
        """The lines of the copy."""
        return copy_rows(self, source, new)

    # ── the reading ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _take(self, piece: Piece, source: Source) -> None:
        self._found.add_damages(piece)
        if piece.value is None:
            if any(damage.code == "line_too_large" for damage in piece.damages):
                self.notes.add(piece.number)
            return
        row = as_dict(piece.value)
        if not (_is_bare(row) if self.bare else _is_envelope(row) or (not self._begun and _is_bare(row))):
            self.drops.add(piece.number)
            self._found.add("broken_line", piece.line, "a record that lacks its type or its payload", "left out")
            return
        if not self._begun:
            self._begun = True
            self._first(piece, row)
        elif row.get("type") == "session_meta" and self.head_at < 0:
            self._late_head(as_dict(row.get("payload")))
        self._look_around(row)
        if self.head_at < 0 and not self.paginated:
            self._seek_ordinals(piece, row)
        if self.paginated:
            self._count(piece, row)
        item = item_of(row)
        if item and self._is_repeated(piece, item):
            return
        for refused in mend(item, f"line {piece.line} of {source.paths[piece.file]}") if item else ():
            self._found.add(refused.code, piece.line, refused.what, "replaced by a note", _call_id(item))
        self._pair(piece, row, item)

    def _first(self, piece: Piece, row: Json) -> None:
        payload = as_dict(row.get("payload"))
        if row.get("type") == "session_meta":
            own = as_id(payload.get("id"))
            self.head, self.head_at = payload, piece.number
            self.paginated = payload.get("history_mode") == "paginated"
            told = as_int(row.get("ordinal"))
            base = as_int(as_dict(payload.get("history_base")).get("end_ordinal_exclusive"))
            self.start = base if base is not None else told or 0
            self._ordinal = self.start - 1
            if self._named and own != self._named:
                what = f"its head names thread {own or 'nothing'}, its file {self._named}"
                self._found.add("wrong_session_id", piece.line, what, "the copy has an id of its own", own)
        elif "type" not in row and isinstance(row.get("id"), str):
            self.head, self.head_at, self.bare = row, piece.number, True
        else:
            self.bare = _is_bare(row)

    def _late_head(self, payload: Json) -> None:
        """A head further down: this thread's own stands in for the lost one, a parent's does not."""
        if self.head is None and as_id(payload.get("id")) == self.thread:
            self.head = {key: value for key, value in payload.items() if key != "history_base"}

    def _seek_ordinals(self, piece: Piece, row: Json) -> None:
        """Whether a thread without its head is paginated: its first ordinal tells, else a head further down."""
        ordinal = as_int(row.get("ordinal"))
        if ordinal is None and (self.head is None or self.head.get("history_mode") != "paginated"):
            self._unnumbered = self._unnumbered or piece.line
            return
        self.paginated = True
        if self._unnumbered:
            what = f"records without an ordinal before line {piece.line}"
            self._found.add("ordinal_missing", self._unnumbered, what, "numbered anew")
        self._ordinal = ordinal - 1 if ordinal is not None else None

    def _look_around(self, row: Json) -> None:
        payload = as_dict(row.get("payload"))
        if self.first_at is None and isinstance(row.get("timestamp"), str):
            self.first_at = as_text(row.get("timestamp"))
        if not self.cwd and row.get("type") == "turn_context":
            self.cwd = as_text(payload.get("cwd"))

    def _count(self, piece: Piece, row: Json) -> None:
        """Ordinals are told where the count leaves its way: what follows consecutively is no further issue."""
        ordinal = as_int(row.get("ordinal"))
        wanted = (self._ordinal if self._ordinal is not None else -1) + 1
        if ordinal is None:
            self._found.add("ordinal_missing", piece.line, "a record without an ordinal", "numbered anew")
            return
        if ordinal < wanted:
            what = f"ordinal {ordinal} once more, where {wanted} is due"
            self._found.add("ordinal_repeated", piece.line, what, "numbered anew")
        elif ordinal > wanted:
            what = f"ordinals {wanted} to {ordinal - 1} are missing"
            self._found.add("ordinal_skipped", piece.line, what, "numbered anew")
        self._ordinal = ordinal

    def _is_repeated(self, piece: Piece, item: Json) -> bool:
        """Whether an item is the one before it, written twice."""
        same = blake2b(encode([as_dict(piece.value).get("timestamp"), item]), digest_size=12).digest()
        before, self._previous = self._previous, same
        if same != before or "timestamp" not in as_dict(piece.value):
            return False
        self.drops.add(piece.number)
        self._found.add("duplicate_row", piece.line, "the same record once more", "left out", _call_id(item))
        return True

    # ── calls and outputs ────────────────────────────────────────────────────────────────────────────────────────────

    def _pair(self, piece: Piece, row: Json, item: Json) -> None:
        kind = as_text(item.get("type"))
        place = Piece(piece.number, piece.line, piece.offset, None, (), piece.size, piece.sub, piece.file)
        if kind in CALLS and _call_id(item):
            self._call(place, kind, item)
        elif kind in _OUTPUTS and _call_id(item):
            self._answer(place, row, item)
        elif self._alias:
            payload = as_dict(row.get("payload"))
            told = as_id(payload.get("call_id")) or as_id(as_dict(payload.get("item")).get("id"))
            if told in self._alias:
                self.renamed[piece.number] = self._alias[told]

    def _call(self, place: Piece, kind: str, item: Json) -> None:
        name = _call_id(item)
        told = [kind, item.get("name"), item.get("arguments"), item.get("input"), item.get("action")]
        same = blake2b(encode(told), digest_size=12).digest()
        known = self._calls.get(name)
        if known is not None and known.digest == same and not known.answers:
            self.drops.add(place.number)
            self._found.add("duplicate_call", place.line, "the same call once more", "left out", name)
            return
        if known is not None or len(name) > NAME:
            fresh = self._rename(name)
            self.renamed[place.number] = fresh
            code = "duplicate_call_id" if known is not None else "id_too_long"
            what = "another call under the same id" if known is not None else "a call's id that is too long"
            self._found.add(code, place.line, what, f"named {fresh}", name)
            name = fresh
        call = Called(name, kind, as_text(item.get("name")) or kind, place, same)
        self._calls[name] = call
        for answer in self._early.pop(name, ()):
            answer.early = True
            call.answers.append(answer)

    def _rename(self, name: str) -> str:
        short = name[: NAME - 8]
        count = 2
        while (fresh := f"{short}_{count}") in self._calls:
            count += 1
        self._alias[name] = fresh
        return fresh

    def _answer(self, place: Piece, row: Json, item: Json) -> None:
        name = _call_id(item)
        output = item.get("output")
        said = output if isinstance(output, str) else as_text(as_dict(next(iter(as_list(output)), None)).get("text"))
        answer = Answer(place, not said.startswith("aborted") and CODEX_FIELD not in row)
        if name in self._alias:
            self.renamed[place.number] = name = self._alias[name]
        call = self._calls.get(name)
        if call is None:
            self._early.setdefault(name, []).append(answer)
        else:
            call.answers.append(answer)

    def _settle(self) -> None:
        for call in self._calls.values():
            if not call.answers:
                self._insert(call, None)
                what = f"{call.tool} has no output: its outcome is unknown"
                self._found.add("dangling_call", call.piece.line, what, "closed as aborted, outcome unknown", call.id)
                continue
            counts = ([answer for answer in call.answers if answer.real] or call.answers)[-1]
            for answer in call.answers:
                if answer is not counts:
                    self.drops.add(answer.piece.number)
                    what = f"a second output; that of line {counts.piece.line} counts"
                    self._found.add("duplicate_output", answer.piece.line, what, "left out", call.id)
            if counts.early:
                self.drops.add(counts.piece.number)
                self._insert(call, counts.piece)
                what = f"an output before its call of line {call.piece.line}"
                self._found.add("output_before_call", counts.piece.line, what, "moved behind its call", call.id)
        for name, answers in self._early.items():
            for answer in answers:
                self.orphans.add(answer.piece.number)
                what = "an output of a call that is not there"
                self._found.add("orphan_output", answer.piece.line, what, "kept as a note to the agent", name)

    def _insert(self, call: Called, source: Piece | None) -> None:
        insert = Insert(call.id, CALLS[call.kind], source)
        self.inserts.setdefault(call.piece.number, []).append(insert)


def _is_envelope(row: Json) -> bool:
    """Whether a row has what each one has: its type and payload, an item its own type, a call and an output an id."""
    kind, payload = row.get("type"), row.get("payload")
    if not isinstance(kind, str) or not is_dict(payload):
        return False
    inner = payload.get("type")
    if kind not in {"response_item", "event_msg"}:
        return True
    calls = kind == "response_item" and (inner in CALLS or inner in _OUTPUTS)
    return isinstance(inner, str) and not (calls and not _call_id(payload))


def _is_bare(row: Json) -> bool:
    """Whether a row has the shape of files before 0.32: a head, a bare item, or a state to skip."""
    if "payload" in row:
        return False
    if "type" in row:
        return as_text(row["type"]) in _BARE and "timestamp" not in row
    return "record_type" in row or (isinstance(row.get("id"), str) and ("timestamp" in row or "instructions" in row))


def _call_id(item: Json) -> str:
    return as_id(item.get("call_id")) or (as_id(item.get("id")) if item.get("type") == "local_shell_call" else "")
