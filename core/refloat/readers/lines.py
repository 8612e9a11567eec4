"""Bytes to JSON lines: only 0x0A ends a line, damaged lines cost themselves only, memory holds one line at a time.

What is read around is reported with path, line and offset: runs of NUL bytes, torn records, records cut at the end.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO, Final

import orjson

from refloat.model.light import light
from refloat.model.problem import Problem
from refloat.patterns import late
from refloat.readers.contract import Line
from refloat.readers.load import loads

if TYPE_CHECKING:
    from refloat.readers.plain import QuickRows

LONGEST: Final = 128 * 1024 * 1024
"""Bytes of one line. Longer ones are passed over and reported: no record of a conversation is that long."""

_CHUNK: Final = 1024 * 1024
_SMALL: Final = 64 * 1024
_NEAR: Final = 256 * 1024
"""Bytes that are parted while they are still near the processor."""
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


# Escapes are consumed pair by pair, so that an escaped backslash before `ud83d` is not taken for one.
_ESCAPE: Final = late(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)", re.DOTALL
)
_LONE: Final = 6


def _mend_surrogate(match: re.Match[bytes]) -> bytes:
    found = match.group()
    return b"\\ufffd" if len(found) == _LONE and found[1:3] in (b"ud", b"uD") else found


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

    `opener` opens files that are not read as they stand on disk. Lines of more than `longest` bytes (else `LONGEST`)
    are passed over and told.

    Raises:
        OSError: the file cannot be opened or read.

    """
    with opener(path) if opener else open(path, "rb") as file:  # noqa: PTH123 - buffered reading in chunks of our own
        file.seek(cursor.offset)
        offset, line = cursor.offset, cursor.line
        buffer = bytearray()
        searched = 0
        skipping = 0
        left = None if end is None else max(0, end - cursor.offset)
        while True:
            chunk = file.read(_CHUNK if left is None else min(_CHUNK, left))
            if left is not None:
                left -= len(chunk)
            if not chunk:
                break
            buffer += chunk
            start = 0
            while (newline := buffer.find(b"\n", max(searched, start))) >= 0:
                value, raw = _cut_line(buffer, start, newline)
                size = newline - start + 1 + skipping
                if newline - start > _CHUNK:  # while it is worked on, memory holds its value alone
                    del buffer[: newline + 1]
                    newline = -1
                line += 1
                after = Cursor(offset + size, line)
                if skipping:
                    yield Problem(path, line, offset, f"a line of {size:,} bytes was passed over"), after
                    skipping = 0
                elif value is not NO_RECORD:
                    yield Line(path, line, offset, value, size=size), after
                else:
                    for found in read_one(path, line, offset, raw, torn_heads):
                        yield found, after
                offset += size
                start = searched = newline + 1
            del buffer[:start]
            searched = len(buffer)
            if len(buffer) > (longest or LONGEST):
                skipping += len(buffer)
                buffer.clear()
                searched = 0
        if skipping:
            yield (
                Problem(path, line + 1, offset, f"a line of over {skipping:,} bytes was passed over"),
                Cursor(offset, line),
            )
        elif buffer:
            yield Tail(Cursor(offset, line), bytes(buffer))


_LONG: Final = 4 * _CHUNK
"""A line that is longer is left to `read_lines`, which holds it once."""


def skim_lines(
    path: str, cursor: Cursor, torn_heads: Sequence[bytes], end: int | None, quick: QuickRows | None
) -> Iterator[tuple[Line | Problem, Cursor] | Rows | Tail | Cursor]:
    """As `read_lines`, for a file as it stands on disk, without the lines that `quick` takes, where it is given. Where
    it is not, lines come by the piece that was read, as Rows.

    Where reading stopped comes as a Cursor before the Tail: the last lines may have been taken.

    Raises:
        OSError: the file cannot be opened or read.

    """
    while True:
        long = yield from _skim(path, cursor, torn_heads, end, quick)
        if long is None:
            return
        cursor = long
        for got in read_lines(path, long, torn_heads, end):
            if isinstance(got, Tail):
                yield cursor
                yield got
                return
            cursor = got[1]
            yield got
            break
        else:
            return


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
            if len(rest) > _LONG:
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


def read_one(path: str, line: int, offset: int, raw: bytes, torn_heads: Sequence[bytes]) -> Iterator[Line | Problem]:
    """The record of one line, or what is wrong with it, or both when a whole record stands behind a torn one."""
    body = raw.strip(b" \t\r")
    if not body:
        return
    if value := _whole(body):
        yield Line(path, line, offset, value[0], size=len(raw) + 1)
        return
    bare = body.lstrip(b"\x00 \t\r")
    nuls = len(body) - len(bare)
    bare = bare.rstrip(b"\x00 \t\r")
    if not bare:
        yield Problem(path, line, offset, f"{nuls:,} NUL bytes and nothing else")
        return
    if value := _whole(bare):
        yield Problem(path, line, offset, "NUL bytes around a whole record")
        yield Line(path, line, offset, value[0], size=len(raw) + 1)
        return
    for head in torn_heads:
        at = bare.rfind(head)
        while at > 0:
            if value := _whole(bare[at:]):
                yield Problem(path, line, offset, f"a record cut after {at:,} bytes, with a whole one behind it")
                yield Line(path, line, offset, value[0], size=len(raw) + 1)
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


def _reason(raw: bytes) -> str:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return "bytes that are not UTF-8"
    if raw[:1] not in b"{[":
        return "it does not begin like one"
    return "cut short" if not raw.endswith(b"}") else "not valid JSON"
