"""Read what is not searchable yet into the index.

Decides how much is read before a search answers: what is small at once; otherwise what is there is searched, and it is
said that there is more.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Final

from refloat.model.light import light
from refloat.readers.contract import Found, Reader
from refloat.search.index import Index, hash_files
from refloat.usecases.digesting import Digester
from refloat.usecases.feeding import feed
from refloat.usecases.find_sessions import Finder
from refloat.usecases.read_many import size_of
from refloat.usecases.recall import files_text, key_of
from refloat.usecases.sighting import newest_of
from refloat.usecases.workbench import Workbench

AT_ONCE: Final = 32 * 1024 * 1024
"""Bytes that a search reads before it answers."""
_BATCH: Final = 64
_BYTES: Final = 8 * 1024 * 1024
"""Sessions, and bytes of them, that are read before they are kept."""

Stop = Callable[[], bool]


@light
class Progress:
    """How far it is."""

    done: int
    total: int
    kept: int
    """Of those that are done: searchable now."""


def make_searchable(
    bench: Workbench, index: Index, *, most: int | None = None, tell: Callable[[Progress], None] = lambda _: None
) -> int:
    """Read what is new into the index, newest first, at most so many bytes; how many sessions are left."""
    every = find_pending(bench, index)
    pending = every if most is None else _newest(every, most)
    kept = 0
    for progress in _read(index, pending):
        kept = progress.kept
        tell(progress)
    return len(every) - kept


def read_on(bench: Workbench, stop: Stop) -> Iterator[Progress]:
    """Read all that is new into the index of the cache; after each piece, how far it is. Nothing without an index."""
    index = Index.open(bench.machine.places.cache)
    if index is not None:
        with index:
            yield from _read(index, find_pending(bench, index), stop)


def _read(index: Index, pending: Sequence[tuple[Reader, Found]], stop: Stop = lambda: False) -> Iterator[Progress]:
    digester = Digester(index.directory)
    kept = size = 0
    rows: list[tuple[tuple[str, str, str], str, bool, bytes]] = []
    for done, (reader, found) in enumerate(pending, 1):
        if stop():
            break
        digest = digester()
        feed(reader, found, digest.own)
        rows.append((key_of(found), files_text(found) or "", True, digest.close()))
        size += size_of(found)
        if len(rows) >= _BATCH or size >= _BYTES or done == len(pending):
            kept += len(rows) if index.keep(rows) else 0
            rows, size = [], 0
            yield Progress(done, len(pending), kept)
    if rows:
        index.keep(rows)


def _newest(pending: Sequence[tuple[Reader, Found]], most: int) -> Sequence[tuple[Reader, Found]]:
    """The first ones that have so many bytes together."""
    sizes = accumulate(size_of(found) for _, found in pending)
    return [pair for pair, size in zip(pending, sizes, strict=True) if size <= most]


def find_pending(bench: Workbench, index: Index) -> list[tuple[Reader, Found]]:
    """Sessions that are not searchable in the state in which they lie on disk, newest files first."""
    covered = index.covered()
    pending = [
        (reader, found)
        for reader, found in Finder(bench).sight().found
        if covered.get(key_of(found)) != hash_files(files_text(found) or "")
    ]
    return sorted(pending, key=lambda pair: newest_of(pair[1]), reverse=True)
