"""The searchable texts of one session, as a reading hands them over, to rows of the index.

Decides what of a text is searched, what belongs to one item, and what is told of it to find it again: its number, where
in the transcript it stands, what kinds of text it has. Texts are cleaned of secrets before they become words; whoever
makes a digest says how.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from itertools import accumulate, groupby, pairwise
from operator import itemgetter
from pathlib import Path
from typing import Final

import orjson

from refloat.model.light import light
from refloat.model.problem import Place
from refloat.search.shards import write_rows
from refloat.search.words import index_forms, word_end, word_start

HEAD: Final = 512
TAIL: Final = 768
"""Characters searched of an output: from its beginning, and from its end, where it says how it went."""
_WHOLE: Final = HEAD + TAIL
"""Characters up to which every text but a path is searched as it is."""
LONGEST: Final = 12 * 1024
"""Characters searched of any other text: what a reading keeps of it."""
PARTS: Final = 3
"""Parts searched of a path, from its end: what stands further above stands above everything."""
_RUN: Final = 400
"""A run without white space that is longer is no word, and parted."""

_WINDOW: Final = 2 * 1024 * 1024
"""Characters held before they are written."""
KINDS: Final = ("prompt", "reply", "thinking", "marker", "command", "path", "output")
_BITS: Final = {kind: 1 << at for at, kind in enumerate(KINDS)}
PIECE: Final = 128
"""Rows whose places are kept together, to be unpacked at once."""

Clean = Callable[[Sequence[str]], Sequence[str]]
"""Texts of one session without what is secret, each on its own; the very same list where nothing is."""


@light
class Doc:
    """A row of the index: an item, or a part of one that came later."""

    item: int
    kinds: int
    """Bits, by the order of `KINDS`."""
    places: tuple[Place, ...]
    """Where its texts stand, in reading order."""
    late: bool = False
    """Another row, written before, holds the beginning of the same item."""


Row = tuple[int, int, Sequence[Place], bool]
"""A `Doc`, field by field: they are made by the thousand to be packed at once."""


@light
class Run:
    """Rows that were written together."""

    shard: int
    mark: str
    first: int
    count: int
    pieces: tuple[bytes, ...]
    """Its docs, packed, `PIECE` in each but the last: those of a long session are many."""
    late: bool = False
    """One of them is."""
    provisional: bool = False
    """Told again when the session is read on: then these count no more."""
    cleaned: bool = False
    """Something was taken out of the session's texts."""


_Told = tuple[int, Place, str, str]
"""(item, place, kind, text), as taken."""
_ITEM: Final = itemgetter(0)


class Digest:
    """Takes the texts of one session; `close` writes them and gives the receipt by which `Index.keep` finds them."""

    def __init__(self, directory: Path, clean: Clean) -> None:
        self._directory = directory
        self._clean = clean
        self._told: list[_Told] = []
        self._size = 0
        self._upto = 0
        """The last item that has a row."""
        self._provisional = False
        self._runs: list[Run] | None = []

    def take(self, n: int, place: Place, kind: str, text: str) -> None:
        """One text of the item `n`; 0 where it is not known to which item it belongs: it is not searched."""
        if n <= 0 or not text:
            return
        if len(text) > _WHOLE or kind == "path":
            text = bounded(kind, text)
        self._told.append((n, place, kind, text))
        self._size += len(text)
        if self._size > _WINDOW:
            self._write()

    def provisional(self) -> None:
        """What follows stands behind the place where reading goes on: it is told again then."""
        self._write()
        self._provisional = True

    def close(self) -> bytes:
        """Write what is left; the receipt, b"" where it could not be written."""
        self._write()
        return b"" if self._runs is None else pack(self._runs)

    def _write(self) -> None:
        told, self._told, self._size = self._told, [], 0
        if not told or self._runs is None:
            return
        told.sort(key=_ITEM)  # what is told of one item stays in its order
        texts, rows = _items(told, self._upto)
        clean = self._clean(texts)
        written = write_rows(self._directory, index_forms(clean))
        if written is None:
            self._runs = None
            return
        self._upto = max(self._upto, rows[-1][0])
        self._runs.append(
            Run(
                written.shard,
                written.mark,
                written.first,
                len(rows),
                tuple(pack_docs(rows[at : at + PIECE]) for at in range(0, len(rows), PIECE)),
                any(late for *_, late in rows),
                self._provisional,
                clean is not texts,
            )
        )


def _items(told: Sequence[_Told], upto: int) -> tuple[list[str], list[Row]]:
    """Of texts in the order of their items, those of each item joined, and what its row tells."""
    texts: list[str] = []
    rows: list[Row] = []
    for n, own in groupby(told, _ITEM):
        (_, place, kind, text), *more = own
        # What began in an earlier reading, or in a window that was written, has a row already.
        late = n <= upto or kind == "output"
        kinds, places = _BITS[kind], [place]
        for _, at, kind, _ in more:
            kinds |= _BITS[kind]
            if at is not place and (at.offset != place.offset or at != place):
                places.append(at)
                place = at
        if more:
            text = "\n".join((text, *[each[3] for each in more]))
        texts.append(text)
        rows.append((n, kinds, places, late))
    return texts, rows


def bounded(kind: str, text: str) -> str:
    """What of a text is searched. No word is parted: half a secret is not known for one any more."""
    if kind == "path":
        return "/".join(text.rsplit("/", PARTS)[-PARTS:])
    if kind != "output":
        return text if len(text) <= LONGEST else text[: word_end(text, LONGEST, _RUN)]
    if len(text) <= _WHOLE:
        return text
    return f"{text[: word_end(text, HEAD, _RUN)]}\n{text[word_start(text, len(text) - TAIL, _RUN) :]}"


# ── receipts ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def pack(runs: Sequence[Run]) -> bytes:
    """Runs as bytes: a line that tells them, then their pieces."""
    told = [
        [run.shard, run.mark, run.first, run.count, run.late, run.provisional, run.cleaned, list(map(len, run.pieces))]
        for run in runs
    ]
    return b"".join((orjson.dumps(told), b"\n", *(piece for run in runs for piece in run.pieces)))


def unpack(receipt: bytes) -> list[Run]:
    """Runs from `pack`.

    Raises:
        ValueError, TypeError: it is no receipt.
    """
    at = receipt.index(b"\n") + 1
    runs: list[Run] = []
    for shard, mark, first, count, late, provisional, cleaned, lengths in orjson.loads(receipt[:at]):
        ends = list(accumulate(lengths, initial=at))
        pieces = tuple(receipt[start:end] for start, end in pairwise(ends))
        runs.append(Run(shard, mark, first, count, pieces, late, provisional, cleaned))
        at = ends[-1]
    return runs


def pack_docs(docs: Sequence[Row]) -> bytes:
    """A piece of a run: numbers as differences, compressed."""
    paths: dict[str, int] = {}
    rows: list[int] = []
    before, line, offset = 0, 0, 0
    for item, kinds, places, late in docs:
        rows += (item - before, kinds | (late << len(KINDS)), len(places))
        before = item
        for place in places:
            rows += (paths.setdefault(place.path, len(paths)), place.line - line, place.offset - offset)
            line, offset = place.line, place.offset
    return zlib.compress(orjson.dumps([len(docs), list(paths), rows]), 1)


def unpack_docs(piece: bytes) -> list[Doc]:
    """Docs from `pack_docs`.

    Raises:
        ValueError, TypeError, LookupError, zlib.error: they are none.
    """
    count, paths, rows = orjson.loads(zlib.decompress(piece))
    docs: list[Doc] = []
    item, line, offset, at = 0, 0, 0, 0
    for _ in range(count):
        item, kinds, end = item + rows[at], rows[at + 1], at + 3 + 3 * rows[at + 2]
        places: list[Place] = []
        for at in range(at + 3, end, 3):  # noqa: B020 - the places of this one
            line, offset = line + rows[at + 1], offset + rows[at + 2]
            places.append(Place(paths[rows[at]], line, offset))
        docs.append(Doc(item, kinds & ((1 << len(KINDS)) - 1), tuple(places), bool(kinds >> len(KINDS))))
        at = end
    return docs
