"""Bytes to JSON lines: only 0x0A ends a line, damaged lines cost themselves only, memory holds one line at a time.

What is read around is reported with path, line and offset: runs of NUL bytes, torn records, records cut at the end.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO, Final

import orjson

from refloat.model.light import light, replace
from refloat.model.problem import Problem
from refloat.patterns import late
from refloat.readers.contract import Line
from refloat.readers.load import loads

if TYPE_CHECKING:
    from refloat.readers.cutting import Shortened
    from refloat.readers.plain import QuickRows

_CHUNK: Final = 1024 * 1024
LONG: Final = 4 * _CHUNK
"""Bytes of a line that is held as it is. Of what is longer, memory holds what `cutting` leaves of it."""
_SMALL: Final = 64 * 1024
_NEAR: Final = 256 * 1024
"""Bytes that are parted while they are still near the processor."""
_DEEPEST: Final = 1024
"""Lists and objects within each other that the decoder takes."""
NO_RECORD: Final = object()
"""Stands for a line that wants a closer look."""


@light
class Cursor:
    """Where reading stopped: everything before `offset` was read, `line` lines of it."""

    offset: int = 0
    line: int = 0


@light
class Rows:
    """Whole lines that follow each other, without their ends, not decoded yet."""

    cursor: Cursor
    """Before the first of them."""
    raw: Sequence[bytes]


@light
class Tail:
    """Bytes behind the last line end: a record still being written, or cut for good."""

    cursor: Cursor
    data: bytes
    cut: Shortened | None = None
    """What is left of it, where it is long: `data` holds nothing then."""


ESCAPE: Final = r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)"
"""One escape of a JSON text, or two that make a character. A text's are consumed one by one, so that an escaped
backslash before `ud83d` is not taken for one. To be compiled with DOTALL.
"""
_ESCAPE: Final = late(ESCAPE.encode(), re.DOTALL)
_LONE: Final = late(rb"\\u[dD][89a-fA-F]..")


def _mend_surrogate(match: re.Match[bytes]) -> bytes:
    found = match.group()
    return b"\\ufffd" if _LONE.fullmatch(found) else found


def decode(raw: bytes) -> object:
    """One JSON value; lone surrogates, which some agents write, become U+FFFD.

    Raises:
        ValueError: it is none.

    """
    try:
        return loads(raw)
    except orjson.JSONDecodeError:
        mended = _ESCAPE.sub(_mend_surrogate, raw)
        if mended == raw:
            raise
        return loads(mended)


def read_lines(
    path: str,
    cursor: Cursor,
    torn_heads: Sequence[bytes],
    end: int | None = None,
    opener: Callable[[str], BinaryIO] | None = None,
    *,
    longest: int | None = None,
) -> Iterator[tuple[Line | Problem, Cursor] | Tail]:
    """Yield each whole line behind `cursor` with the cursor behind it, then a Tail when bytes are left over.

    `opener` opens files that are not read as they stand on disk. Of a line of more than `LONG` bytes comes what
    `cutting` leaves of it; one of more than `longest` bytes is passed over and told.

    Raises:
        OSError: the file cannot be opened or read.

    """
    with opener(path) if opener else open(path, "rb") as file:  # noqa: PTH123 - buffered reading in chunks of our own
        at: Cursor | None = cursor
        while at is not None:
            long = yield from _read_short(file, path, at, torn_heads, end, longest or LONG)
            at = long and (yield from _read_cut(file, path, long, torn_heads, end, shorten=longest is None))


def _read_short(
    file: BinaryIO, path: str, cursor: Cursor, torn_heads: Sequence[bytes], end: int | None, longest: int
) -> Generator[tuple[Line | Problem, Cursor] | Tail, None, Cursor | None]:
    """Ends with where a long line begins, or None at the end of the file."""
    offset, line = cursor.offset, cursor.line
    file.seek(offset)
    buffer = bytearray()
    searched = 0
    left = None if end is None else max(0, end - offset)
    while chunk := file.read(_CHUNK if left is None else min(_CHUNK, left)):
        if left is not None:
            left -= len(chunk)
        buffer += chunk
        start = 0
        while (newline := buffer.find(b"\n", max(searched, start))) >= 0:
            if newline - start > longest:
                return Cursor(offset, line)
            value, raw = _cut_line(buffer, start, newline)
            size = newline - start + 1
            if newline - start > _CHUNK:  # while it is worked on, memory holds its value alone
                del buffer[: newline + 1]
                newline = -1
            line += 1
            after = Cursor(offset + size, line)
            if value is not NO_RECORD:
                yield Line(path, line, offset, value, size=size), after
            else:
                for found in read_one(path, line, offset, raw, torn_heads):
                    yield found, after
            offset += size
            start = searched = newline + 1
        del buffer[:start]
        searched = len(buffer)
        if len(buffer) > longest:
            return Cursor(offset, line)
    if buffer:
        yield Tail(Cursor(offset, line), bytes(buffer))
    return None


def _read_cut(
    file: BinaryIO, path: str, cursor: Cursor, torn_heads: Sequence[bytes], end: int | None, *, shorten: bool
) -> Generator[tuple[Line | Problem, Cursor] | Tail, None, Cursor | None]:
    """The long line that begins at the cursor. Ends with the cursor behind it, or None where it has no end."""
    from refloat.readers import cutting  # such lines are rare

    cut = (cutting.shorten if shorten else cutting.pass_over)(file, cursor.offset, end and end - cursor.offset)
    if shorten and not cut.ended:
        yield Tail(cursor, b"", cut)
        return None
    after = Cursor(cursor.offset + cut.size + 1, cursor.line + 1) if cut.ended else cursor
    for found in read_long(path, cursor.line + 1, cursor.offset, cut, torn_heads):
        yield found, after
    return after if cut.ended else None


def read_long(
    path: str, line: int, offset: int, cut: Shortened, torn_heads: Sequence[bytes]
) -> Iterator[Line | Problem]:
    """As `read_one`, for what was left of a long line."""
    if cut.data is None:
        size = f"{cut.size + 1:,}" if cut.ended else f"over {cut.size:,}"
        yield Problem(path, line, offset, f"a line of {size} bytes was passed over")
        return
    for found in read_one(path, line, offset, cut.data, torn_heads, cut.size):
        yield found if isinstance(found, Problem) or cut.whole else replace(found, whole=False)


def skim_lines(
    path: str, cursor: Cursor, torn_heads: Sequence[bytes], end: int | None, quick: QuickRows | None
) -> Iterator[tuple[Line | Problem, Cursor] | Rows | Tail | Cursor]:
    """As `read_lines`, for a file as it stands on disk, without the lines that `quick` takes, where it is given. Where
    it is not, lines come by the piece that was read, as Rows.

    Where reading stopped comes as a Cursor before the Tail, and before a long line: the last lines may have been taken.

    Raises:
        OSError: the file cannot be opened or read.

    """
    at: Cursor | None = cursor
    while at is not None and (long := (yield from _skim(path, at, torn_heads, end, quick))) is not None:
        yield long
        with open(path, "rb") as file:  # noqa: PTH123 - as in `read_lines`
            at = yield from _read_cut(file, path, long, torn_heads, end, shorten=True)


def _skim(
    path: str, cursor: Cursor, torn_heads: Sequence[bytes], end: int | None, quick: QuickRows | None
) -> Generator[tuple[Line | Problem, Cursor] | Rows | Tail | Cursor, None, Cursor | None]:
    """Ends with where a very long line begins, or None at the end of the file."""
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - as in `read_lines`
        file.seek(cursor.offset)
        rest = b""
        left = None if end is None else max(0, end - cursor.offset)
        # Room is made for all that is asked for, and of most files there is little to read.
        piece = min(_NEAR, max(os.fstat(file.fileno()).st_size - cursor.offset + 1, _SMALL))
        while chunk := file.read(piece if left is None else min(piece, left)):
            if left is not None:
                left -= len(chunk)
            rows = chunk.split(b"\n")
            if rest:
                rows[0] = rest + rows[0]
            rest = rows.pop()
            if quick is not None:
                cursor = yield from _skim_rows(path, rows, cursor, torn_heads, quick)
            elif rows:
                yield Rows(cursor, rows)
                cursor = Cursor(cursor.offset + sum(map(len, rows)) + len(rows), cursor.line + len(rows))
            if len(rest) > LONG:
                return cursor
        yield cursor
        if rest:
            yield Tail(cursor, rest)
        return None


def _skim_rows(
    path: str, rows: Sequence[bytes], cursor: Cursor, torn_heads: Sequence[bytes], quick: QuickRows
) -> Generator[tuple[Line | Problem, Cursor], None, Cursor]:
    """Ends with the cursor behind the rows, which begin at `cursor`."""
    at, line, offset = 0, cursor.line, cursor.offset
    if rows:
        quick.begin(rows, line + 1, offset)
    while at < len(rows):
        upto = quick.take(at)
        line += upto - at
        offset += sum(map(len, rows[at:upto])) + upto - at
        at = upto
        if at == len(rows):
            break
        raw = rows[at]
        at += 1
        line += 1
        after = Cursor(offset + len(raw) + 1, line)
        value = plain_value(raw)
        if value is not NO_RECORD:
            yield Line(path, line, offset, value, size=len(raw) + 1), after
        else:
            for found in read_one(path, line, offset, raw, torn_heads):
                yield found, after
        offset = after.offset
    return Cursor(offset, line)


def read_stretch(path: str, start: int, many: int) -> bytes:
    """At most so many bytes of a file, from `start` on; of thousands of files, so without a buffer of their own.

    Raises:
        OSError: it cannot be opened or read.

    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.pread(descriptor, many, start)
    finally:
        os.close(descriptor)


def raw_lines(file: BinaryIO) -> Iterator[bytes]:
    """Lines as they stand, with their ends; a long one in pieces."""
    return iter(lambda: file.readline(LONG), b"")


def read_one(
    path: str, line: int, offset: int, raw: bytes, torn_heads: Sequence[bytes], size: int | None = None
) -> Iterator[Line | Problem]:
    """The record of one line, or what is wrong with it, or both when a whole record stands behind a torn one. `size`:
    its bytes, where `raw` is what is left of a long line.
    """
    size = len(raw) if size is None else size
    body = raw.strip(b" \t\r")
    if not body:
        return
    if value := _whole(body):
        yield Line(path, line, offset, value[0], size=size + 1)
        return
    if flat := _flattened(body):
        yield Problem(path, line, offset, f"{flat[1]:,} bytes of a record are nested too deep to be read")
        yield Line(path, line, offset, flat[0], size=size + 1)
        return
    bare = body.lstrip(b"\x00 \t\r")
    nuls = len(body) - len(bare) + size - len(raw)
    bare = bare.rstrip(b"\x00 \t\r")
    if not bare:
        yield Problem(path, line, offset, f"{nuls:,} NUL bytes and nothing else")
        return
    if value := _whole(bare):
        yield Problem(path, line, offset, "NUL bytes around a whole record")
        yield Line(path, line, offset, value[0], size=size + 1)
        return
    for head in torn_heads:
        at = bare.rfind(head)
        while at > 0:
            if value := _whole(bare[at:]):
                cut = at + size - len(raw)
                yield Problem(path, line, offset, f"a record cut after {cut:,} bytes, with a whole one behind it")
                yield Line(path, line, offset, value[0], size=size + 1)
                return
            at = bare.rfind(head, 0, at)
    yield Problem(path, line, offset, "no whole JSON record: " + _reason(bare))


def _cut_line(buffer: bytearray, start: int, end: int) -> tuple[object, bytes]:
    """The value of a line; where it wants a closer look, `NO_RECORD` and its bytes. A long one is not copied first."""
    if end - start > _CHUNK:
        with memoryview(buffer) as whole, whole[start:end] as part:
            value = plain_value(part)
            return value, bytes(part) if value is NO_RECORD else b""
    raw = buffer[start:end]
    value = plain_value(raw)
    return value, bytes(raw) if value is NO_RECORD else b""


def plain_value(raw: bytes | bytearray | memoryview) -> object:
    """The value of a line as nearly all are; `NO_RECORD` for one that wants a closer look."""
    try:
        return loads(raw)
    except (ValueError, RecursionError):
        return NO_RECORD


def _whole(raw: bytes) -> tuple[object] | None:
    try:
        return (decode(raw),)
    except (ValueError, RecursionError):
        return None


def _flattened(raw: bytes) -> tuple[object, int] | None:
    """The value of a line that only its depth keeps from being one, and how many bytes that is without."""
    if raw.count(b"[") + raw.count(b"{") <= _DEEPEST:
        return None
    from refloat.readers.cutting import flatten  # such lines are rare

    flat, left_out = flatten(raw)
    value = _whole(flat) if left_out else None
    return value and (value[0], left_out)


def _reason(raw: bytes) -> str:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return "bytes that are not UTF-8"
    if raw[:1] not in b"{[":
        return "it does not begin like one"
    return "cut short" if not raw.endswith(b"}") else "not valid JSON"
