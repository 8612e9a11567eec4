"""The second reading: the rows of the copy, with the decisions of the first applied.

Each row keeps what it holds. The head names the new thread, and in a field of ours the thread that it was copied from:
Codex skips fields that it does not know. In paginated threads the records are numbered anew, without gaps.
"""

from collections.abc import Iterator
from typing import Final, Protocol

from refloat.model.repaired import CODEX_FIELD, NOTE, UNKNOWN_OUTCOME
from refloat.readers.codex.shape import Json, as_dict, as_id, as_text, is_dict, is_list, texts
from refloat.repair.codex.content import item_of, mend
from refloat.repair.codex.index import Insert
from refloat.repair.frame import NewCopy, Source
from refloat.repair.pieces import Piece, encode

MADE: Final = (
    "aborted\n"
    f"{UNKNOWN_OUTCOME}: the session ended before this call's result was recorded. It may have run, in part or whole. "
    "Look at what it did before repeating it."
)
"""Begins as Codex' own placeholder does, so that readers take it for what it is."""
_MAKER: Final = "refloat_repair"


class Decisions(Protocol):
    """What the first reading decided, by the number of a piece."""

    thread: str
    head: Json | None
    head_at: int
    bare: bool
    paginated: bool
    start: int
    cwd: str
    first_at: str | None
    drops: set[int]
    orphans: set[int]
    renamed: dict[int, str]
    notes: set[int]
    inserts: dict[int, list[Insert]]


class _Numbers:
    """Ordinals of the copy, and where those of the original went."""

    def __init__(self, decided: Decisions) -> None:
        self._on = decided.paginated
        self._next = decided.start

    def write(self, row: Json) -> bytes:
        """The row as a line, numbered where the thread is paginated."""
        if self._on:
            row = {"timestamp": row.get("timestamp"), "ordinal": self._next, **_without(row, "timestamp", "ordinal")}
            self._next += 1
        return encode(row)


def _without(row: Json, *keys: str) -> Json:
    return {key: value for key, value in row.items() if key not in keys}


def copy_rows(decided: Decisions, source: Source, new: NewCopy) -> Iterator[bytes]:
    """The lines of the copy."""
    numbers = _Numbers(decided)
    begun = False
    at: object = decided.first_at
    for piece in source.pieces():
        where = f"line {piece.line} of {source.paths[piece.file]}"
        kept = piece.value is not None and piece.number not in decided.drops
        if not begun and decided.head_at < 0 and (kept or piece.number in decided.notes):
            begun = True
            yield numbers.write(_made_head(decided, new))
        if piece.value is None:
            if piece.number in decided.notes:
                note = f"a record of {piece.size:,} bytes stood here, too large to be loaded; it lies in {where}"
                yield numbers.write(_row(decided, at, _message(f"{NOTE} {note}")))
            continue
        row = as_dict(piece.value)
        at = row.get("timestamp", at)
        if piece.number not in decided.drops:
            yield numbers.write(_copied(row, piece, decided, new, where))
        for insert in decided.inserts.get(piece.number, ()):
            yield numbers.write(_inserted(insert, at, decided, source, new))


def _copied(row: Json, piece: Piece, decided: Decisions, new: NewCopy, where: str) -> Json:
    if piece.number == decided.head_at or row.get("type") == "session_meta":
        return _head(row, piece, decided, new)
    if piece.number in decided.orphans:
        item = item_of(row)
        head = f"{NOTE} the output of a call that the record does not hold ({where}):"
        return _row(decided, row.get("timestamp"), _message(f"{head}\n{_said(item.get('output'))}"))
    if (item := item_of(row)) and mend(item, where):
        row[CODEX_FIELD] = {"changed": True}
    payload = as_dict(row.get("payload"))
    if row.get("type") == "event_msg" and payload.get("thread_id") == decided.thread:
        payload["thread_id"] = new.session
    if piece.number in decided.renamed:
        _rename(item or payload, decided.renamed[piece.number])
    return row


def _rename(item: Json, name: str) -> None:
    if "call_id" in item:
        item["call_id"] = name
    elif is_dict(inner := item.get("item")):
        inner["id"] = name
    else:
        item["id"] = name


def _head(row: Json, piece: Piece, decided: Decisions, new: NewCopy) -> Json:
    head = row if decided.bare else as_dict(row.get("payload"))
    if piece.number == decided.head_at:
        _name(head, decided, new)
    elif as_id(head.get("id")) == decided.thread:
        head["id"] = new.session  # a later head of the thread's own
    return row


def _name(head: Json, decided: Decisions, new: NewCopy) -> None:
    if head.get("session_id") in {decided.thread, head.get("id")}:
        head["session_id"] = new.session
    head["id"] = new.session
    head[CODEX_FIELD] = {"from": new.parent, "at": new.made_at}


def _made_head(decided: Decisions, new: NewCopy) -> Json:
    """The head of a file that lost it: from a later one of the same thread, else from what the turns tell."""
    at = decided.first_at or new.made_at
    head: Json = {
        "id": decided.thread,
        "timestamp": at,
        "cwd": decided.cwd or "/",
        "originator": _MAKER,
        "cli_version": "0.0.0",
        "source": "cli",
        **(decided.head or {}),
    }
    if decided.bare:
        head = {"id": decided.thread, "timestamp": at, "instructions": None}
    elif decided.paginated:
        head["history_mode"] = "paginated"
    _name(head, decided, new)
    return head if decided.bare else {"timestamp": at, "type": "session_meta", "payload": head}


def _inserted(insert: Insert, at: object, decided: Decisions, source: Source, new: NewCopy) -> Json:
    if insert.source is None:
        made: Json = {"type": insert.kind, "call_id": insert.call, "output": MADE}
        return {**_row(decided, at, made), CODEX_FIELD: {"made": "result", "from": new.parent}}
    row = as_dict(source.read_again(insert.source))
    mend(item_of(row), f"line {insert.source.line} of {source.paths[insert.source.file]}")
    return row


def _row(decided: Decisions, at: object, item: Json) -> Json:
    return item if decided.bare else {"timestamp": at, "type": "response_item", "payload": item}


def _message(text: str) -> Json:
    """Words that the agent reads and that are no person's."""
    return {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": text}]}


def _said(output: object) -> str:
    if isinstance(output, str):
        return output
    return (
        "\n".join(part for part in texts(output) if part) if is_list(output) else as_text(as_dict(output).get("text"))
    )
