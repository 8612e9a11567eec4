"""Processes that work for this one, for as long as their work is wanted.

Decides nothing about the work. What a worker cannot do (no process may be started, one died, something in it does not
travel) is done here, so a result always comes. Workers end at once when the work is given up or the process that asked
is gone, however it went.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, NoReturn, Protocol, Self, TypeVar

from refloat.usecases.tracker import start_tracker

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from concurrent.futures import Future

SHARED: Final = 600
"""Files or sessions that are looked into from which a second process is worth its start."""
T = TypeVar("T")
P = TypeVar("P")


class _Asker(Protocol):
    """The end of a pipe; at its closing `poll` returns."""

    def poll(self, timeout: float | None = 0.0, /) -> bool: ...

    def close(self) -> None: ...


def processors() -> int:
    """How many this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS has none
        return os.cpu_count() or 1


def may_fork() -> bool:
    """Whether this process can be copied as it is, with everything loaded: a copy has no other threads, and would wait
    for ever for what they hold. Elsewhere than on Linux what a system's library holds may not survive it.
    """
    try:
        return sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208 - names alone
    except OSError:
        return False


@contextmanager
def uncollected() -> Generator[None]:
    """No look for cycles among values that hang together in none, of which there are many."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


class Beside:
    """One piece of work in a copy of this process, which has all that is in memory here. Use it in a `with`, and only
    where one `may_fork`. It costs a tenth of what a pool's start does.
    """

    def __init__(self, work: Callable[[], object]) -> None:
        """Begin it. Its result is one that pickle knows."""
        sys.stdout.flush()
        sys.stderr.flush()
        self._theirs, write = os.pipe()
        self._pid: int | None = os.fork()
        if not self._pid:
            _work_and_end(work, write)
        os.close(write)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Give up what is not done."""
        os.close(self._theirs)
        if self._pid is not None:
            import signal

            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            self._reap()

    def result(self) -> object | None:
        """Wait for it; None where none came: it failed, or somebody ended the copy."""
        import pickle

        with open(self._theirs, "rb", closefd=False) as told:
            data = told.read()
        self._reap()
        try:
            size = int.from_bytes(data[:_LENGTH], "big")
            return pickle.loads(data[_LENGTH:]) if len(data) == _LENGTH + size else None  # noqa: S301 - a copy of this process wrote it
        except Exception:  # noqa: BLE001 - whatever does not travel is done here
            return None

    def _reap(self) -> None:
        if self._pid is not None:
            with suppress(ChildProcessError):  # where nobody waits for children
                os.waitpid(self._pid, 0)
            self._pid = None


_LENGTH: Final = 8


def _work_and_end(work: Callable[[], object], write: int) -> NoReturn:
    """In the copy: nothing of what the original has begun may be ended here too."""
    try:
        import pickle
        import signal

        signal.signal(signal.SIGINT, signal.SIG_DFL)
        gc.disable()

        data = pickle.dumps(work(), pickle.HIGHEST_PROTOCOL)
        with open(write, "wb") as told:
            told.write(len(data).to_bytes(_LENGTH, "big"))
            told.write(data)
    finally:
        os._exit(0)  # also when it failed: the asker sees that nothing came


class Workers:
    """So many processes. Use it in a `with`."""

    def __init__(self, many: int) -> None:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        forked = may_fork()
        context = multiprocessing.get_context("fork" if forked else "spawn")
        if not forked:
            start_tracker()
        self._theirs, self._ours = context.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(many, context, _begin, (self._theirs, self._ours if forked else None))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Give up what is not done."""
        self._ours.close()
        self._theirs.close()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def begin(self, work: Callable[[P], T], piece: P) -> Callable[[], T]:
        """Begin `work`, a function that pickle finds by its name; what is returned waits for its result."""
        from concurrent.futures.process import BrokenProcessPool

        try:
            future = self._pool.submit(work, piece)
        except (BrokenProcessPool, OSError):
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
    gc.disable()  # what a worker makes goes by itself: values that hang together in no cycle
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(asker,), daemon=True).start()


def _end_with(asker: _Asker) -> None:
    asker.poll(None)
    os._exit(0)  # nothing to tidy up: a worker leaves nothing half
