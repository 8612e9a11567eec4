"""Processes that work for this one, for as long as their work is wanted.

Decides nothing about the work. What a worker cannot do (no process may be started, one died, something in it does not
travel) is done here, so a result always comes. Workers end at once when the work is given up or the process that asked
is gone, however it went.
"""

from __future__ import annotations

import gc
import os
import threading
from typing import TYPE_CHECKING, Final, Protocol, Self, TypeVar

from refloat.forking import may_fork
from refloat.together import can_start_threads
from refloat.usecases.tracker import start_tracker

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

_EACH: Final = 2
"""Processes and threads of one worker; the system counts both."""
_BESIDE: Final = 4
"""Threads of a pool here, and the process that counts what is shared where nothing is forked."""
T = TypeVar("T")
P = TypeVar("P")


class _Asker(Protocol):
    """The end of a pipe; at its closing `poll` returns."""

    def poll(self, timeout: float | None = 0.0, /) -> bool: ...

    def close(self) -> None: ...


class Workers:
    """So many processes. Use it in a `with`."""

    def __init__(self, many: int) -> None:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        forked = may_fork()
        context = multiprocessing.get_context("fork" if forked else "spawn")
        self._theirs, self._ours = context.Pipe(duplex=False)
        # A pool of which one thread cannot be started waits for ever, or writes a traceback for each worker.
        self._pool: ProcessPoolExecutor | None = None
        if not can_start_threads(_EACH * many + _BESIDE):
            return
        if not forked:
            start_tracker()
        self._pool = ProcessPoolExecutor(many, context, _begin, (self._theirs, self._ours if forked else None))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Give up what is not done."""
        self._ours.close()
        self._theirs.close()
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def begin(self, work: Callable[[P], T], piece: P) -> Callable[[], T]:
        """Begin `work`, a function that pickle finds by its name; what is returned waits for its result."""
        from concurrent.futures.process import BrokenProcessPool

        if self._pool is None:
            return lambda: work(piece)
        try:
            future = self._pool.submit(work, piece)
        except (BrokenProcessPool, OSError, RuntimeError):  # the last: "can't start new thread"
            return lambda: work(piece)
        return lambda: _result(future, work, piece)


def _result(future: Future[T], work: Callable[[P], T], piece: P) -> T:
    import pickle
    from concurrent.futures.process import BrokenProcessPool

    try:
        return future.result()
    except (BrokenProcessPool, OSError, pickle.PicklingError, AttributeError, TypeError):
        return work(piece)  # the last three: something does not travel; a fault of the work itself shows again here


def _begin(asker: _Asker, ours: _Asker | None) -> None:
    """Ctrl-C is the asker's to handle; its end, and its giving up, close the pipe, of which a fork holds a copy."""
    import signal

    if ours is not None:
        ours.close()
    gc.disable()  # of what it makes, cycles are let go of by `read_many._do` alone
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(asker,), daemon=True).start()


def _end_with(asker: _Asker) -> None:
    asker.poll(None)
    os._exit(0)  # nothing to tidy up: a worker leaves nothing half
