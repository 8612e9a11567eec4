"""Lines of a damaged file to records: what is whole is kept, what is lost is told, the same on every reading.

Decides which records stand in one line (glued ones, one behind a torn one, one between NUL bytes) and which characters
had to be replaced. Holds one line at a time; of a record that is too long for that, its long texts are shortened.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO, Final, cast

import orjson

from refloat.model.light import light
from refloat.readers.cutting import shorten
from refloat.readers.lines import LONG, decode

LONGEST: Final = 16 * 1024 * 1024
"""Bytes of a record that is copied as it is: no request to a service holds as much. Of a longer one, its long texts are
copied by their beginnings and ends.
"""
_BLANK: Final = b" \t\r\n"
_DEEPEST: Final = 200
_LONG_NUMBER: Final = re.compile(rb"[:\[,]\s*-?\d{19}")
"""Numbers that the fast decoder would round."""


@light
class Damage:
    """What is wrong with the bytes of a line, and what is done about it."""

    code: str
    what: str
    act: str
    """What becomes of it in a copy."""


_Record = tuple[object, tuple[Damage, ...]]
Part = Callable[[object], object]
"""Makes fit to be shown a value of whose texts something was left out, as `readers.cutting` marks it."""


@light
class Piece:
    """One record, or a line of which nothing can be kept."""

    number: int
    """From 0, over all files of a session: the same in every reading."""
    line: int
    offset: int
    value: object
    """The JSON value; None where nothing is left of the line."""
    damages: tuple[Damage, ...] = ()
    size: int = 0
    """Bytes of the line."""
    sub: int = 0
    """Which of the records of its line, from 0."""
    file: int = 0
    """Which of the session's files, from 0."""


def read_pieces(
    file: BinaryIO, end: int, heads: Sequence[bytes], part: Part, first: int = 0, of: int = 0
) -> Iterator[Piece]:
    """Read a file up to the byte `end`; `heads` are how a record begins, `first` is the number of the first piece,
    `of` that of the file.

    Raises:
        OSError: it cannot be read.

    """
    offset = line = 0
    number = first
    while offset < end:
        size, found = _found(file, offset, end, heads, part)
        if not size:
            return
        line += 1
        for sub, (value, damages) in enumerate(found):
            yield Piece(number, line, offset, value, damages, size, sub, of)
            number += 1
        offset += size


def read_again(file: BinaryIO, piece: Piece, heads: Sequence[bytes], part: Part) -> object:
    """The value of a piece that was read before."""
    _, found = _found(file, piece.offset, piece.offset + piece.size, heads, part)
    return found[piece.sub][0] if piece.sub < len(found) else None


def _found(file: BinaryIO, offset: int, end: int, heads: Sequence[bytes], part: Part) -> tuple[int, list[_Record]]:
    """The bytes of the line that begins at `offset`, and its records."""
    if file.tell() != offset:
        file.seek(offset)
    raw = file.readline(min(LONG + 1, end - offset))
    if len(raw) <= LONG:
        return len(raw), list(_records(raw, heads))
    cut = shorten(file, offset, end - offset, LONGEST, thin=False)
    record = None if cut.data is None else _decoded(cut.data.strip(_BLANK))
    if record is not None:
        return cut.size + cut.ended, [record if cut.whole else _parted(record, cut.size, part)]
    if cut.data is not None:  # damaged: it is looked through as text, which takes more
        cut = shorten(file, offset, end - offset, LONG, thin=False)
    size = cut.size + cut.ended
    if cut.data is None:
        return size, [(None, (_too_large(size),))]
    records = list(_records(cut.data + b"\n" * cut.ended, heads))
    return size, records if cut.whole else [_parted(record, cut.size, part) for record in records]


def _parted(record: _Record, size: int, part: Part) -> _Record:
    value, damages = record
    if value is None:
        return record
    what = f"a record of {size:,} bytes, which is too long to be held"
    return part(value), (*damages, Damage("texts_too_long", what, "its long texts kept by their beginnings and ends"))


def _too_large(size: int) -> Damage:
    return Damage("line_too_large", f"a line of {size:,} bytes: no record holds as much", "cut")


def _records(raw: bytes, heads: Sequence[bytes]) -> Iterator[tuple[object, tuple[Damage, ...]]]:
    whole = raw.endswith(b"\n")
    body = raw.strip(_BLANK)
    if not body:
        if whole:
            yield None, (Damage("blank_line", "an empty line", "left out"),)
        return
    value = _decoded(body)
    if value is not None:
        yield value
        return
    bare = body.replace(b"\x00", b"").strip(_BLANK)
    nuls = body.count(0)
    if not bare:
        yield None, (Damage("nul_bytes", f"{nuls:,} NUL bytes and nothing else", "left out"),)
        return
    damage = (Damage("nul_bytes", f"{nuls:,} NUL bytes in a line", "taken out"),) if nuls else ()
    for at, (value, damages) in enumerate(_split(bare, heads, torn_end=not whole)):
        yield value, (*(damage if at == 0 else ()), *damages)


def _split(bare: bytes, heads: Sequence[bytes], *, torn_end: bool) -> Iterator[tuple[object, tuple[Damage, ...]]]:
    """The records of one line that is no whole record: each that begins where the last one ends, or at a head."""
    text = bare.decode("utf-8", "replace")
    starts = sorted({place for head in heads for place in _places(text, head.decode())})
    at = kept = spent = 0
    lost: int | None = None
    while at < len(text):
        found = _record_at(text, at)
        if found is None or (lost is not None and _IDENTIFIES.isdisjoint(found[0])):
            lost = at if lost is None else lost
            after = bisect_right(starts, at)
            spent += at if found is None else 0
            at = starts[after] if after < len(starts) and spent < _PATIENCE else len(text)
            continue
        value, damages, end = found
        if lost is not None:
            what = f"a record cut after {at - lost:,} characters, with a whole one behind it"
            damages = (Damage("glued_lines", what, "the whole one kept"), *damages)
        elif kept:
            damages = (Damage("glued_lines", "two records on one line", "both kept"), *damages)
        yield value, damages
        kept, lost, at = kept + 1, None, end
    if lost is not None:
        size = len(text) - lost
        if torn_end and not _is_whole(text[lost:]):
            yield None, (Damage("torn_last_line", f"the last line is cut after {size:,} characters", "left out"),)
        else:
            yield None, (Damage("broken_line", f"{size:,} characters that are no JSON record", "left out"),)


_IDENTIFIES: Final = frozenset(
    ["uuid", "sessionId", "leafUuid", "messageId", "payload", "timestamp", "call_id", "role"]
)
"""What tells a record from a piece of one, where the piece before it was cut."""
_PATIENCE: Final = 4_000_000_000
"""Characters that failed attempts may pass over in one line: each costs as much as stands before it."""
_SCAN: Final = json.JSONDecoder().raw_decode


def _is_whole(text: str) -> bool:
    """Whether it is a JSON value that nothing was cut from, though no record."""
    try:
        return _SCAN(text)[1] == len(text)
    except (ValueError, RecursionError):
        return False


def _places(text: str, head: str) -> Iterator[int]:
    at = text.find(head)
    while at >= 0:
        yield at
        at = text.find(head, at + 1)


def _record_at(text: str, at: int) -> tuple[dict[str, object], tuple[Damage, ...], int] | None:
    """The record that begins there, and where it ends."""
    if text[at] != "{":
        return None
    try:
        end = _SCAN(text, at)[1]
    except (ValueError, RecursionError):
        return None
    raw = text[at:end]
    found = _decoded(raw.encode())
    if found is None:
        return None
    damages = found[1]
    if "\ufffd" in raw:  # came of bytes that are no UTF-8, or stood there
        damages = (Damage("invalid_utf8", "bytes that are no UTF-8", "replaced by U+FFFD"), *damages)
    while text[end : end + 1].isspace():
        end += 1
    return cast("dict[str, object]", found[0]), damages, end


def _decoded(raw: bytes) -> tuple[object, tuple[Damage, ...]] | None:
    """A record, with what had to be replaced in it; None where it is none."""
    if raw[:1] != b"{":
        return None
    try:
        value: object = orjson.loads(raw)
    except (ValueError, RecursionError):
        return _mended(raw)
    if raw.count(b"[") + raw.count(b"{") > _DEEPEST and _is_too_deep(value):
        return None
    return json.loads(raw) if _LONG_NUMBER.search(raw) else value, ()


def _is_too_deep(value: object) -> bool:
    """Whether a value is nested deeper than what can be written again; no agent's record is."""
    try:
        orjson.dumps(value)
    except TypeError:  # that, or a whole number beyond 64 bits
        level: list[object] = [value]
        for _ in range(_DEEPEST):
            level = [inner for outer in level for inner in _inside(outer)]
            if not level:
                return False
        return True
    return False


def _inside(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        yield from cast("dict[str, object]", value).values()
    elif isinstance(value, list):
        yield from cast("list[object]", value)


def _mended(raw: bytes) -> tuple[object, tuple[Damage, ...]] | None:
    try:
        return decode(raw), (Damage("lone_surrogate", "half a character, which no request can carry", "replaced"),)
    except (ValueError, RecursionError):
        return None


def encode(value: object) -> bytes:
    """A record as one line."""
    try:
        return orjson.dumps(value) + b"\n"
    except TypeError:  # a whole number beyond 64 bits
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"
