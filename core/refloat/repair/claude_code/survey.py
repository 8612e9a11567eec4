"""The first reading of a transcript of Claude Code: which rows, calls and results do not fit, and what is done.

Decides by what the program and its service accept (formats/claude-code): one result for each call, behind it; ids once;
a chain that leads to a root. A rewind, an edited prompt and parallel calls branch the chain by right: branches stay.
"""

from collections.abc import Iterator, Mapping
from sys import intern
from typing import Final

from refloat.model.repair import Action, Issue, Severity
from refloat.model.repaired import CLAUDE_FIELD, is_made_output
from refloat.readers.claude_code.values import Row, listed, mapping, text, words
from refloat.repair.claude_code import chain
from refloat.repair.claude_code.content import mend
from refloat.repair.claude_code.copying import copy_rows
from refloat.repair.claude_code.index import NONE, TALK, UNKNOWN, Answer, Called, Entry, Id, Insert, digest
from refloat.repair.frame import DAMAGES, Findings, NewCopy, Source
from refloat.repair.pieces import Piece

_SEVERITIES: Final[Mapping[str, Severity]] = {
    **DAMAGES,
    "broken_block": "blocks",
    "broken_chain": "loses",
    "chain_cycle": "blocks",
    "dangling_call": "blocks",
    "duplicate_call": "blocks",
    "duplicate_call_id": "blocks",
    "duplicate_result": "blocks",
    "duplicate_row": "noted",
    "duplicate_uuid": "loses",
    "empty_image": "blocks",
    "empty_message": "blocks",
    "image_too_large": "blocks",
    "missing_uuid": "loses",
    "orphan_result": "blocks",
    "result_before_call": "blocks",
}
_LOST: Final = "\0"
"""Stands for a parent that the row does not name although each names one, or null."""
_PLACEHOLDERS: Final = ("[Tool call", "[Agent call", "[Request interrupted")


class ClaudeSurvey:
    """What the first reading came to; `rows` makes the copy."""

    def __init__(self, source: Source) -> None:
        self._found = Findings(_SEVERITIES)
        self.entries: list[Entry] = []
        self._index: dict[str, int] = {}
        """Row id → the entry that it means from here on."""
        self._calls: dict[str, Called] = {}
        self._alias: dict[str, str] = {}
        self._early: dict[str, list[Answer]] = {}
        self.drops: set[int] = set()
        self.ids: dict[int, Id] = {}
        self.parents: dict[int, Id | None] = {}
        self.logical: dict[int, Id | None] = {}
        self.out: dict[int, set[int]] = {}
        self.orphans: dict[int, set[int]] = {}
        self.renamed: dict[int, dict[int, str]] = {}
        self.inserts: dict[int, list[Insert]] = {}
        self._fresh = 0
        self._last: dict[str, int] = {}
        for piece in source.pieces():
            self._take(piece, source)
        self._settle()
        chain.link(self.entries, self, self._found)
        self.issues: list[Issue] = sorted(self._found.issues, key=lambda issue: issue.line)
        self.actions: list[Action] = sorted(self._found.actions, key=lambda action: action.line)

    @property
    def holds_talk(self) -> bool:
        """Whether a row of the conversation is left."""
        return any(not entry.dropped for entry in self.entries)

    def rows(self, source: Source, new: NewCopy) -> Iterator[bytes]:
        """The lines of the copy."""
        return copy_rows(self, source, new)

    def fresh(self) -> int:
        """The number of a new row id."""
        self._fresh += 1
        return self._fresh

    # ── the reading ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _take(self, piece: Piece, source: Source) -> None:
        self._found.add_damages(piece)
        if piece.value is None:
            if any(damage.code == "line_too_large" for damage in piece.damages) and self.entries:
                made: Id = self.fresh()
                self.entries.append(Entry(piece.number, piece.line, "note", "", made, self._last.get("", NONE)))
                self.ids[piece.number] = made
                self._last[""] = len(self.entries) - 1
            return
        row = mapping(piece.value)
        kind = text(row.get("type"))
        if not kind or (kind in {"user", "assistant"} and not mapping(row.get("message"))):
            self.drops.add(piece.number)
            self._found.add("broken_line", piece.line, "a record that lacks its type or its message", "left out")
            return
        if kind not in TALK:
            return
        same = digest(kind, row.get("message"), row.get("attachment"), row.get("content"), row.get("data"))
        uuid = text(row.get("uuid"))
        before = self._index.get(uuid)
        if before is not None and self.entries[before].same == same:
            self.drops.add(piece.number)
            self._found.add("duplicate_row", piece.line, "the same row once more", "left out", uuid)
            return
        for refused in mend(row, f"line {piece.line} of {source.paths[piece.file]}"):
            self._found.add(refused.code, piece.line, refused.what, "replaced by a note", uuid)
        self._row(piece, row, kind, uuid, same)

    def _row(self, piece: Piece, row: Row, kind: str, uuid: str, same: int) -> None:
        parent = row.get("parentUuid")
        wanted = parent if isinstance(parent, str) else "" if "parentUuid" in row else _LOST
        content = listed(mapping(row.get("message")).get("content"))
        results = any(mapping(block).get("type") == "tool_result" for block in content)
        side = (text(row.get("agentId")) or "side") if row.get("isSidechain") is True else ""
        entry = Entry(
            piece.number,
            piece.line,
            kind,
            side,
            uuid,
            self._index.get(wanted, UNKNOWN) if wanted else NONE,
            wanted,
            intern(text(mapping(row.get("message")).get("id"))) if kind == "assistant" else "",
            len(content),
            same=same,
            may_be_root=bool(side) or not (kind == "assistant" or results),
            answers=results,
        )
        if entry.parent >= 0 and self.entries[entry.parent].id == wanted:
            entry.wanted = str(self.entries[entry.parent].id)  # one string for both
        self._name(entry, uuid)
        self.entries.append(entry)
        if row.get("subtype") == "compact_boundary":
            entry.back = text(row.get("logicalParentUuid"))
        at = len(self.entries) - 1
        for number, block in enumerate(content):
            shape = mapping(block)
            if shape.get("type") == "tool_use" and kind == "assistant":
                self._call(at, number, shape)
            elif shape.get("type") == "tool_result" and kind == "user":
                self._result(at, number, shape, row, piece)
        if uuid:
            self._index[uuid] = at
        self._last[side] = at

    def _name(self, entry: Entry, uuid: str) -> None:
        if not uuid:
            entry.id = self.ids[entry.number] = self.fresh()
            self._found.add("missing_uuid", entry.line, "a row without an id", "given one")
        elif uuid in self._index:
            entry.id = self.ids[entry.number] = self.fresh()
            self._found.add("duplicate_uuid", entry.line, "another row under the same id", "given its own", uuid)

    def _call(self, at: int, number: int, block: Row) -> None:
        entry = self.entries[at]
        name = text(block.get("id"))
        if not name:
            return
        same = digest(block.get("name"), block.get("input"))
        known = self._calls.get(name)
        if known is not None and known.digest == same and not known.answers:
            self._leave_out(entry, number, instead=known.entry)
            self._found.add("duplicate_call", entry.line, "the same call once more", "left out", name)
            return
        if known is not None:
            fresh = self._rename(name)
            self.renamed.setdefault(entry.number, {})[number] = fresh
            self._found.add(
                "duplicate_call_id", entry.line, f"another call under the id {name}", f"named {fresh}", name
            )
            name = fresh
        call = Called(name, at, intern(text(block.get("name"))), same, entry.line)
        self._calls[name] = call
        for answer in self._early.pop(name, ()):
            call.answers.append(answer)

    def _rename(self, name: str) -> str:
        count = 2
        while (fresh := f"{name}_{count}") in self._calls:
            count += 1
        self._alias[name] = fresh
        return fresh

    def _result(self, at: int, number: int, block: Row, row: Row, piece: Piece) -> None:
        name = text(block.get("tool_use_id"))
        said = words(block.get("content"))
        shut = row.get("interruptedByShutdown") is True or CLAUDE_FIELD in row or is_made_output(said)
        answer = Answer(at, number, shut or said.startswith(_PLACEHOLDERS))
        fresh = self._alias.get(name, name)
        if fresh != name:
            self.renamed.setdefault(piece.number, {})[number] = fresh
        call = self._calls.get(fresh)
        if call is None:
            answer.piece = Piece(piece.number, piece.line, piece.offset, None, (), piece.size, piece.sub, piece.file)
            self._early.setdefault(name, []).append(answer)
        else:
            call.answers.append(answer)

    def _leave_out(self, entry: Entry, block: int, instead: int = NONE) -> None:
        self.out.setdefault(entry.number, set()).add(block)
        entry.out += 1
        if entry.out == entry.blocks:
            entry.dropped, entry.instead = True, entry.parent if instead == NONE else instead
            self.drops.add(entry.number)

    # ── calls and results ────────────────────────────────────────────────────────────────────────────────────────────

    def _settle(self) -> None:
        for call in self._calls.values():
            if not call.answers:
                self._close(call)
                continue
            real = [answer for answer in call.answers if not answer.placeholder]
            counts = (real or call.answers)[-1]
            for answer in call.answers:
                if answer is not counts:
                    entry = self.entries[answer.entry]
                    self._leave_out(entry, answer.block)
                    what = f"a second result; that of line {self.entries[counts.entry].line} counts"
                    self._found.add("duplicate_result", entry.line, what, "left out", call.id)
            if counts.piece is not None:
                self._move(call, counts, counts.piece)
        for name, answers in self._early.items():
            for answer in answers:
                entry = self.entries[answer.entry]
                self.orphans.setdefault(entry.number, set()).add(answer.block)
                what = "a result of a call that is not there"
                self._found.add("orphan_result", entry.line, what, "kept as a note to the agent", name)

    def _close(self, call: Called) -> None:
        entry = self.entries[call.entry]
        made: Id = self.fresh()
        before = self.inserts.setdefault(entry.number, [])
        before.append(Insert(call.id, made, before[-1].id if before else entry.id))
        what = f"{call.tool or 'a call'} has no result: its outcome is unknown"
        self._found.add("dangling_call", call.line, what, "closed as interrupted, outcome unknown", call.id)

    def _move(self, call: Called, answer: Answer, piece: Piece) -> None:
        entry, holder = self.entries[answer.entry], self.entries[call.entry]
        alone = entry.blocks == 1
        insert = Insert(call.id, entry.id if alone else self.fresh(), holder.id, piece, answer.block, alone)
        self.inserts.setdefault(holder.number, []).append(insert)
        if alone:
            entry.moved, entry.parent = True, call.entry
            self.drops.add(entry.number)
        else:
            self._leave_out(entry, answer.block)
        what = f"a result before its call of line {call.line}"
        self._found.add("result_before_call", entry.line, what, "moved behind its call", call.id)
