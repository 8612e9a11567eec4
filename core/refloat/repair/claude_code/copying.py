"""The second reading: the rows of the copy, with the decisions of the first applied.

Each row keeps what it holds. It gets the new session's id and says where it was copied from in the program's own field
for that (`forkedFrom`, as `/branch` writes it); a row whose content was made or changed says so in a field of ours.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Protocol

from refloat.model.repaired import CLAUDE_FIELD, NOTE, UNKNOWN_OUTCOME
from refloat.model.stamp import Stamp, later, read_stamp
from refloat.readers.claude_code.values import Row, listed, mapping, text, words
from refloat.repair.claude_code.content import mend
from refloat.repair.claude_code.index import TALK, Id, Insert
from refloat.repair.frame import NewCopy, Source
from refloat.repair.pieces import Piece, encode

_MADE: Final = (
    "[Tool call interrupted: the session ended before this call's result was recorded. "
    f"{UNKNOWN_OUTCOME}: it may have run, in part or whole. Look at what it did before repeating it.]"
)
"""Begins as the program's own placeholder does, so that the agent and other readers take it for what it is."""
_ENVELOPE: Final = (
    "isSidechain", "agentId", "userType", "entrypoint", "sessionKind", "cwd", "version", "gitBranch", "slug",
)  # fmt: skip
_NOT_TALK: Final = frozenset({"parentUuid", "uuid"})


class Decisions(Protocol):
    """What the first reading decided, by the number of a piece."""

    drops: set[int]
    ids: dict[int, Id]
    parents: dict[int, Id | None]
    logical: dict[int, Id | None]
    out: dict[int, set[int]]
    orphans: dict[int, set[int]]
    renamed: dict[int, dict[int, str]]
    inserts: dict[int, list[Insert]]


def copy_rows(decided: Decisions, source: Source, new: NewCopy) -> Iterator[bytes]:
    """The lines of the copy."""
    above: Row = {}
    end = _End()
    for piece in source.pieces():
        where = f"line {piece.line} of {source.paths[piece.file]}"
        if piece.value is None:
            if piece.number in decided.ids:
                note = f"a record of {piece.size:,} bytes stood here, too large to be loaded; it lies in {where}"
                content = [{"type": "text", "text": f"{NOTE} {note}"}]
                made = _made(above, new, content, decided.ids[piece.number], decided.parents.get(piece.number))
                yield encode({**made, "isMeta": True})
            continue
        row = mapping(piece.value)
        if not text(row.get("type")):
            continue
        end.recorded(row)
        if text(row.get("type")) not in TALK and _NOT_TALK.isdisjoint(row):
            yield encode(_owned(row, new))
            continue
        if piece.number not in decided.drops:
            above = row
            yield encode(end.wrote(_copied(row, piece, decided, new, where)))
        for insert in decided.inserts.get(piece.number, ()):
            yield encode(end.wrote(_inserted(insert, row, piece, decided, source, new)))
    if end.tail:
        yield encode(end.note(new))


class _End:
    """The end of a copy: a notice behind the last row, of a kind that the program shows and never sends.

    It makes the copy a moment younger than the original, which it carries whole: also where the original's last row was
    left out, and where the copy is the shorter one.
    """

    def __init__(self) -> None:
        self.tail: Row = {}
        """The last row that was written of the main talk: the program leads back through no other kind."""
        self._last = ""
        """Id of the original's last row of the main talk."""
        self._newest = Stamp("")
        self._closed = 0

    def recorded(self, row: Row) -> None:
        """A row of the original."""
        if text(row.get("type")) in {"user", "assistant"} and row.get("isSidechain") is not True:
            self._last = text(row.get("uuid")) or self._last
        self._newest = max(self._newest, read_stamp(row.get("timestamp")) or Stamp(""))

    def wrote(self, row: Row) -> Row:
        """A row of the copy."""
        self._closed += mapping(row.get(CLAUDE_FIELD)).get("made") == "result"
        if row.get("isSidechain") is not True and text(row.get("type")) in TALK:
            self.tail = row if "message" not in row else {key: row[key] for key in ("uuid", *_ENVELOPE) if key in row}
        return row

    def note(self, new: NewCopy) -> Row:
        """The last row."""
        calls = f"; {self._closed} closed as interrupted, outcome unknown" if self._closed else ""
        return {
            "parentUuid": self.tail.get("uuid"),
            **{key: self.tail[key] for key in _ENVELOPE if key in self.tail},
            "sessionId": new.session,
            "type": "system",
            "subtype": "informational",
            "content": f"Repaired copy of session {new.parent}{calls}",
            "level": "info",
            "isMeta": False,
            "uuid": new.fresh_uuid(0),
            "timestamp": later(self._newest, 0.001) if self._newest else new.made_at,
            "forkedFrom": {"sessionId": new.parent, "messageUuid": self._last},
            CLAUDE_FIELD: {"made": "note", "from": new.parent, "at": new.made_at},
        }


def _owned(row: Row, new: NewCopy) -> Row:
    """A row under the new session's id, wherever it names the old one as its own."""
    for key in ("sessionId", "session_id"):
        if isinstance(row.get(key), str):
            row[key] = new.session
    entered = mapping(row.get("worktreeSession"))
    if entered.get("sessionId") == new.parent:
        entered["sessionId"] = new.session
    return row


def _copied(row: Row, piece: Piece, decided: Decisions, new: NewCopy, where: str) -> Row:
    number = piece.number
    recorded = text(row.get("uuid"))
    changed = [refused.code for refused in mend(row, where)]
    changed += _blocks(row, decided, number, where)
    if number in decided.ids:
        row["uuid"] = _id(decided.ids[number], new)
    if number in decided.parents:
        row["parentUuid"] = _id(decided.parents[number], new)
    if number in decided.logical:
        row["logicalParentUuid"] = _id(decided.logical[number], new)
    _owned(row, new)["sessionId"] = new.session
    row["forkedFrom"] = {"sessionId": new.parent, "messageUuid": recorded or row["uuid"]}
    if changed:
        row[CLAUDE_FIELD] = {"changed": sorted(set(changed))}
    return row


def _id(recorded: Id | None, new: NewCopy) -> str | None:
    return new.fresh_uuid(recorded) if isinstance(recorded, int) else recorded


def _blocks(row: Row, decided: Decisions, number: int, where: str) -> list[str]:
    """Take out, rename and turn into notes the blocks that do not fit; what was done to the content."""
    out, orphans = decided.out.get(number, ()), decided.orphans.get(number, ())
    names: Mapping[int, str] = decided.renamed.get(number, {})
    if not out and not orphans and not names:
        return []
    message = mapping(row.get("message"))
    kept: list[object] = []
    for at, block in enumerate(listed(message.get("content"))):
        shape = mapping(block)
        if at in out:
            continue
        if at in orphans:
            kept.append(_note_of(shape, where))
            continue
        if at in names:
            shape["tool_use_id" if shape.get("type") == "tool_result" else "id"] = names[at]
        kept.append(block)
    message["content"] = kept
    if not orphans:
        return ["content"]
    row["isMeta"] = True  # no person's words
    row.pop("toolUseResult", None)
    return ["orphan_result"]


def _note_of(block: Row, where: str) -> Row:
    said = words(block.get("content"))
    head = f"{NOTE} the result of a call that the record does not hold ({where}):"
    return {"type": "text", "text": f"{head}\n{said}"}


def _inserted(insert: Insert, call: Row, piece: Piece, decided: Decisions, source: Source, new: NewCopy) -> Row:
    if insert.source is None:
        block = {"tool_use_id": insert.call, "type": "tool_result", "content": _MADE, "is_error": True}
        row = _made(call, new, [block], insert.id, insert.parent)
        row["sourceToolAssistantUUID"] = call.get("uuid")
        row[CLAUDE_FIELD] = {"made": "result", "from": new.parent, "line": piece.line, "at": new.made_at}
        return row
    where = f"line {insert.source.line} of {source.paths[insert.source.file]}"
    row = mapping(source.read_again(insert.source))
    recorded = text(row.get("uuid"))
    mend(row, where)
    if insert.alone:
        _blocks(row, decided, insert.source.number, where)
    else:
        message = mapping(row.get("message"))
        blocks: Sequence[object] = listed(message.get("content"))
        message["content"] = [blocks[insert.block]]
        row.pop("toolUseResult", None)  # of which block it tells is not known
    row["uuid"], row["parentUuid"] = _id(insert.id, new), _id(insert.parent, new)
    row["forkedFrom"] = {"sessionId": new.parent, "messageUuid": recorded or row["uuid"]}
    return _owned(row, new)


def _made(call: Row, new: NewCopy, content: Sequence[object], own: Id, parent: Id | None) -> Row:
    """A row of the other side's, in the surroundings of another row."""
    name = _id(own, new)
    return {
        "parentUuid": _id(parent, new),
        **{key: call[key] for key in _ENVELOPE if key in call},
        "sessionId": new.session,
        "type": "user",
        "message": {"role": "user", "content": list(content)},
        "uuid": name,
        "timestamp": call.get("timestamp"),
        "forkedFrom": {"sessionId": new.parent, "messageUuid": name},
    }
