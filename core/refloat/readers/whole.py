"""Lines of files that are no plain JSON lines: compressed ones, and single documents that are written anew each time.

Decides by the name of a file how its lines are got. Such files are never read on from an offset: when one changed, it
is read from its start. Offsets and line numbers count in the uncompressed text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import BinaryIO, Final, cast

from refloat.model.problem import Problem
from refloat.patterns import late
from refloat.readers.contract import Line
from refloat.readers.lines import Cursor, Tail, read_lines

LONGEST: Final = 12 * 1024 * 1024
"""Bytes of a document. It is held whole, as bytes, as text and as values; the agent that wrote such was young."""
_ITEMS: Final = late(r'"items"\s*:\s*\[')
_SESSION: Final = late(r'"session"\s*:\s*')
_BETWEEN: Final = late(r"[\s,]*")


def reads_on(path: str) -> bool:
    """Whether a grown file can be read on from where reading stopped."""
    return not path.endswith((".zst", ".json"))


def read_any(
    path: str, cursor: Cursor, torn_heads: Sequence[bytes], end: int | None = None
) -> Iterator[tuple[Line | Problem, Cursor] | Tail]:
    """As `lines.read_lines`, for every kind of file.

    Raises:
        OSError: the file cannot be opened or read.
    """
    if path.endswith(".json"):
        yield from read_document(path)
    elif path.endswith(".zst"):
        yield from _read_compressed(path, cursor, torn_heads, end)
    else:
        yield from read_lines(path, cursor, torn_heads, end)


def open_plain(path: str) -> BinaryIO:
    """Open a file for reading its uncompressed bytes.

    Raises:
        OSError: it cannot be opened, or this machine cannot unpack it.
    """
    if not path.endswith(".zst"):
        return open(path, "rb")  # noqa: PTH123 - the caller closes it
    return cast("BinaryIO", _zstd().open(path, "rb"))  # both modules give a binary file


def _zstd() -> ModuleType:
    try:
        from compression import zstd  # pyright: ignore[reportMissingImports, reportUnknownVariableType] - Python 3.14
    except ImportError:
        try:
            from backports import zstd  # pyright: ignore[reportMissingImports, reportUnknownVariableType] - before
        except ImportError:
            raise OSError("compressed with zstd, which this Python cannot unpack") from None
    return cast("ModuleType", zstd)


def _read_compressed(
    path: str, cursor: Cursor, torn_heads: Sequence[bytes], end: int | None
) -> Iterator[tuple[Line | Problem, Cursor] | Tail]:
    fault: type[Exception] = _zstd().ZstdError
    last = cursor
    try:
        for got in read_lines(path, cursor, torn_heads, end, opener=open_plain):
            if not isinstance(got, Tail):
                last = got[1]
            yield got
    except (fault, EOFError) as broken:
        yield Problem(path, last.line + 1, last.offset, f"the compressed file is damaged: {broken}"), last


def read_document(path: str) -> Iterator[tuple[Line | Problem, Cursor] | Tail]:
    """The `session` and each of the `items` of one JSON document as lines of their own, as far as it is whole.

    Raises:
        OSError: the file cannot be opened or read.
    """
    with open(path, "rb") as file:  # noqa: PTH123 - read whole: it is one value
        data = file.read(LONGEST + 1)
    if len(data) > LONGEST:
        yield Problem(path, 1, 0, f"a document of over {LONGEST:,} bytes was passed over"), Cursor(len(data), 1)
        return
    text = data.decode("utf-8", "replace")
    marks = _Marks(path, text)
    items = _ITEMS.search(text)
    if (head := _SESSION.search(text, 0, items.start() if items else len(text))) and (
        found := _value(text, head.end())
    ):
        yield marks.line(head.end(), found), marks.cursor(found[1])
    at = items.end() if items else len(text)
    while items:
        at = cast("re.Match[str]", _BETWEEN.match(text, at)).end()  # matches everywhere
        if at >= len(text) or text[at] == "]":
            break
        found = _value(text, at)
        if found is None:
            break
        yield marks.line(at, found), marks.cursor(found[1])
        at = found[1]
    if items is None or at >= len(text) or text[at] != "]":
        yield (
            Problem(path, marks.cursor(at).line, marks.cursor(at).offset, "the document is cut short"),
            marks.cursor(at),
        )


def _value(text: str, at: int) -> tuple[object, int] | None:
    try:
        value, end = cast("tuple[object, int]", json.JSONDecoder().raw_decode(text, at))  # typed as Any there
    except (ValueError, RecursionError):
        return None
    return value, end


class _Marks:
    """Lines and byte offsets of places in a text, asked for in rising order."""

    def __init__(self, path: str, text: str) -> None:
        self._path, self._text = path, text
        self._at = self._bytes = 0
        self._line = 1

    def cursor(self, at: int) -> Cursor:
        if at > self._at:
            piece = self._text[self._at : at]
            self._bytes += len(piece.encode("utf-8", "surrogatepass"))
            self._line += piece.count("\n")
            self._at = at
        return Cursor(self._bytes, self._line)

    def line(self, at: int, found: tuple[object, int]) -> Line:
        start = self.cursor(at)
        return Line(self._path, start.line, start.offset, found[0], size=found[1] - at)
