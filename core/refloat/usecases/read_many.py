"""Reads many sessions: one after the other where little is unread, by worker processes where it is much.

Decides how the work is cut and that its results come in the order asked for. What a worker cannot do (no process may be
started, one died, a reader does not travel) is done here. Workers hold one session's summary at a time, write nothing,
and end at once when the reading is given up or the process that asked is gone, however it went.
"""

import gc
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol

from refloat.catalogue.pack import Packed
from refloat.model.light import light
from refloat.readers.contract import Digest, Found, Reader
from refloat.usecases.reading import Resumable
from refloat.usecases.recall import Made, Recall, make
from refloat.usecases.tracker import start_tracker
from refloat.usecases.twin import processors

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

WORTH: Final = 32 * 1024 * 1024
"""Bytes from which workers are worth their start."""
_PIECE: Final = 4 * 1024 * 1024
"""Bytes handed to a worker at once, where single sessions are not larger."""
_MOST: Final = 4

Stop = Callable[[], bool]


class _Asker(Protocol):
    """The end of a pipe; at its closing `poll` returns."""

    def poll(self, timeout: float | None = 0.0, /) -> bool: ...

    def close(self) -> None: ...


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
    if much:
        import_module("msgspec")  # so that small ones among many are read by the quick road too, in each fork
    if workers > 1 and len(unread) > 1 and much:
        made = _by_workers([_Task(reader, found, recall.starts(found), digests) for reader, found in unread], workers)
    else:
        made = (make(reader, found, recall.starts(found), digests) for reader, found in unread)
    with closing(made):
        for _, found in unread:
            if stop():
                return
            yield found, recall.keep(found, next(made))


def size_of(found: Found) -> int:
    """Bytes of a session's own files."""
    return sum(file.size for file in found.files)


def _by_workers(tasks: Sequence[_Task], workers: int) -> Generator[Made]:
    """What the tasks come to, in order; never more pieces under way than keep every worker busy."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # A fork takes the locks of other threads along, and so is for a process without such. It has everything loaded.
    forked = sys.platform == "linux" and threading.active_count() == 1
    context = multiprocessing.get_context("fork" if forked else "spawn")
    if not forked:
        start_tracker()
    theirs, ours = context.Pipe(duplex=False)
    pieces = iter(_pieces(tasks))
    waiting: deque[tuple[Sequence[_Task], Future[list[Made]] | None]] = deque()
    pool = ProcessPoolExecutor(workers, context, _begin, (theirs, ours if forked else None))
    try:
        while True:
            while len(waiting) < 2 * workers and (piece := next(pieces, None)) is not None:
                waiting.append((piece, _submit(pool, piece)))
            if not waiting:
                return
            piece, future = waiting.popleft()
            yield from _result(piece, future)
    finally:
        ours.close()
        theirs.close()
        pool.shutdown(wait=True, cancel_futures=True)


def _submit(pool: "ProcessPoolExecutor", piece: Sequence[_Task]) -> "Future[list[Made]] | None":
    from concurrent.futures.process import BrokenProcessPool

    try:
        return pool.submit(_do, piece)
    except (BrokenProcessPool, OSError):
        return None


def _result(piece: Sequence[_Task], future: "Future[list[Made]] | None") -> Sequence[Made]:
    import pickle
    from concurrent.futures.process import BrokenProcessPool

    try:
        if future is not None:
            return future.result()
    except (BrokenProcessPool, OSError, pickle.PicklingError, AttributeError, TypeError):
        pass  # the last three: something in it does not travel; a fault of the reading itself shows again below
    return _do(piece)


def _pieces(tasks: Sequence[_Task]) -> Iterator[list[_Task]]:
    piece: list[_Task] = []
    size = 0
    for task in tasks:
        if piece and size + size_of(task.found) > _PIECE:
            yield piece
            piece, size = [], 0
        piece.append(task)
        size += size_of(task.found)
    if piece:
        yield piece


# ── in the workers ───────────────────────────────────────────────────────────────────────────────────────────────────


def _do(piece: Sequence[_Task]) -> list[Made]:
    return [make(task.reader, task.found, task.start, task.digests) for task in piece]


def _begin(asker: _Asker, ours: _Asker | None) -> None:
    """Ctrl-C is the asker's to handle; its end, and its giving up, close the pipe, of which a fork holds a copy."""
    import signal

    if ours is not None:
        ours.close()
    gc.disable()  # what is read goes by itself; a session's values hang together in no cycle
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(asker,), daemon=True).start()


def _end_with(asker: _Asker) -> None:
    asker.poll(None)
    os._exit(0)  # nothing to tidy up: a worker writes nothing
