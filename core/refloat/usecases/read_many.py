"""Reads many sessions: one after the other where little is unread, by worker processes where it is much.

Decides how the work is cut, that its results come in the order asked for, and from when on the decoder of the quick
road is worth its start. Workers hold one session's summary at a time, and write nothing but its digest.
"""

import gc
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Final

from refloat.catalogue.pack import Packed
from refloat.forking import processors
from refloat.model.light import light
from refloat.readers.contract import Digest, Found, Reader
from refloat.usecases.reading import WORTH_QUICK, Resumable
from refloat.usecases.recall import Made, Recall, make, read_before
from refloat.usecases.workers import Workers

WORTH: Final = 32 * 1024 * 1024
"""Bytes from which workers are worth their start."""
_PIECE: Final = 4 * 1024 * 1024
_LARGEST: Final = 16 * 1024 * 1024
"""Bytes handed to a worker at once, where single sessions are not larger: fewer towards the end, so that none has much
to do yet when the others are done. What is written of a large piece at once takes a sixth less than of small ones.
"""
_SHARE: Final = 4
"""No piece is more than such a part of what each worker has still to do."""
_AHEAD: Final = 8
"""Pieces under way for each worker."""
_MOST: Final = 4

Stop = Callable[[], bool]


@light
class _Task:
    reader: Reader
    found: Found
    start: Mapping[str, Resumable]
    digests: Callable[[], Digest] | None = None


def read_each(
    recall: Recall,
    unread: Sequence[tuple[Reader, Found]],
    stop: Stop,
    worth: int = WORTH,
    *,
    digests: Callable[[], Digest] | None = None,
) -> Iterator[tuple[Found, Packed]]:
    """Read and keep sessions in the order given; ends early once `stop()` says so between two of them. `digests` makes
    one for each session, in whatever process reads it: a function that pickle finds by its name.
    """
    workers = min(_MOST, processors())
    much = sum(size_of(found) for _, found in unread) >= worth
    if workers > 1 and len(unread) > 1 and much:
        made = _by_workers([_Task(reader, found, recall.starts(found), digests) for reader, found in unread], workers)
    else:
        made = _here(recall, unread, digests)
    with closing(made):
        for _, found in unread:
            if stop():
                return
            yield found, recall.keep(found, next(made))


def size_of(found: Found) -> int:
    """Bytes of a session's own files."""
    return sum(file.size for file in found.files)


def _here(
    recall: Recall, unread: Sequence[tuple[Reader, Found]], digests: Callable[[], Digest] | None
) -> Generator[Made]:
    read = 0
    for reader, found in unread:
        start = recall.starts(found)
        read += size_of(found) - read_before(found, start)
        yield make(reader, found, start, digests, quick=read >= WORTH_QUICK)


def _by_workers(tasks: Sequence[_Task], many: int) -> Generator[Made]:
    """What the tasks come to, in order; never more pieces under way than keep every worker busy, whatever one of them
    takes and whoever asked does in between.
    """
    pieces = _pieces(tasks, many)
    waiting: deque[Callable[[], list[Made]]] = deque()
    with Workers(many) as workers:
        while True:
            while len(waiting) < _AHEAD * many and (piece := next(pieces, None)) is not None:
                waiting.append(workers.begin(_do, piece))
            if not waiting:
                return
            yield from waiting.popleft()()


def _pieces(tasks: Sequence[_Task], many: int) -> Iterator[list[_Task]]:
    piece: list[_Task] = []
    size, left = 0, sum(size_of(task.found) for task in tasks)
    for task in tasks:
        more = size_of(task.found)
        if piece and size + more > max(_PIECE, min(_LARGEST, left // (_SHARE * many))):
            yield piece
            piece, size, left = [], 0, left - size
        piece.append(task)
        size += more
    if piece:
        yield piece


def _do(piece: Sequence[_Task]) -> list[Made]:
    from refloat.search.shards import Together  # a list needs none

    with Together() as rows:
        made = [make(task.reader, task.found, task.start, task.digests, quick=True) for task in piece]
    # Nobody else lets go here of what hangs together in a circle, little as that is. All that is new is of the
    # youngest generation; nothing else is looked at.
    gc.collect(0)
    return made if rows.kept else [replace(each, digest=b"") for each in made]
