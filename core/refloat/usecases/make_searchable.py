"""Read what is not searchable yet: into the catalogue and into the index, in one pass.

Decides that the newest comes first, and that what is not read is told.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import accumulate
from typing import Final

from refloat.catalogue.store import Catalogue
from refloat.model.light import light
from refloat.readers.contract import Found, Reader
from refloat.search.index import Index
from refloat.search.shards import close_writers
from refloat.usecases.digesting import Digester
from refloat.usecases.finder import Finder
from refloat.usecases.read_many import read_each, size_of
from refloat.usecases.recall import Recall, key_of
from refloat.usecases.sighting import Sighting, newest_of
from refloat.usecases.workbench import Workbench

_BATCH: Final = 32
_BYTES: Final = 8 * 1024 * 1024
"""Sessions, and bytes of them, that are read before it is told how far it is."""


@light
class Progress:
    """How far it is."""

    done: int
    total: int
    left: int
    """Sessions that are not searchable yet."""


def make_searchable(
    bench: Workbench, index: Index, *, most: int | None = None, tell: Callable[[Progress], None] = lambda _: None
) -> int:
    """Read what is new into the index, newest first, at most so many bytes; how many sessions are left."""
    left = 0
    for progress in _read(bench, index, most):
        left = progress.left
        tell(progress)
    return left


def _read(bench: Workbench, index: Index, most: int | None) -> Iterator[Progress]:
    """Nothing where there is nothing to read."""
    with ExitStack() as opened:
        opened.callback(close_writers)
        catalogue = Catalogue.open(index.directory)
        if catalogue is not None:
            opened.enter_context(catalogue)
        recall = Recall()
        recall.open(catalogue, everything=True, index=index)
        sighting = Finder(bench).sight()
        _forget_lost(index, sighting)
        every = _find_pending(recall, sighting)
        pending = every if most is None else _newest(every, most)
        size = done = told = 0
        for done, (found, _) in enumerate(
            read_each(recall, pending, lambda: False, digests=Digester(index.directory)), 1
        ):
            size += size_of(found)
            if done - told >= _BATCH or size >= _BYTES:
                yield Progress(done, len(pending), len(every) - done)
                size, told = 0, done
        recall.flush()
        if every:
            left = [pair for pair in every if recall.recall(pair[1]) is None]
            yield Progress(done, len(pending), len(left))


def find_pending(bench: Workbench, index: Index) -> list[tuple[Reader, Found]]:
    """Sessions that are not searchable in the state in which they lie on disk, newest files first."""
    with ExitStack() as opened:
        catalogue = Catalogue.open(index.directory)
        if catalogue is not None:
            opened.enter_context(catalogue)
        recall = Recall()
        recall.open(catalogue, everything=True, index=index)
        return _find_pending(recall, Finder(bench).sight())


def _find_pending(recall: Recall, sighting: Sighting) -> list[tuple[Reader, Found]]:
    pending = [pair for pair in sighting.found if recall.recall(pair[1]) is None]
    return sorted(pending, key=lambda pair: newest_of(pair[1]), reverse=True)


def _newest(pending: Sequence[tuple[Reader, Found]], most: int) -> Sequence[tuple[Reader, Found]]:
    """The first ones that have so many bytes together."""
    sizes = accumulate(size_of(found) for _, found in pending)
    return [pair for pair, size in zip(pending, sizes, strict=True) if size <= most]


def _forget_lost(index: Index, sighting: Sighting) -> None:
    seen = {key_of(found) for _, found in sighting.found}
    lost = [key for key in index.covered() if key not in seen and not os.path.lexists(key[2])]
    if lost:
        index.forget(lost)
