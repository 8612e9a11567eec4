"""Work that goes on beside this thread: waiting for git, above all, while Python reads.

Decides nothing but that work is done in place where no thread can be had. Plain threads, because the pools of the
standard library load the logging.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Final, Generic, TypeVar, cast

T = TypeVar("T")
_LOOKS: Final = 100


def can_start_threads(many: int) -> bool:
    """Whether so many further threads can be had at once; they end before this returns. What cannot do a part of its
    work in place asks first.
    """
    before, over = _tasks(), threading.Event()
    begun: list[threading.Thread] = []
    try:
        for _ in range(many):
            thread = threading.Thread(target=over.wait, daemon=True)
            thread.start()
            begun.append(thread)
    except RuntimeError:  # "can't start new thread"
        return False
    finally:
        over.set()
        for thread in begun:
            thread.join()
        for _ in range(_LOOKS):  # the system lets go of a thread a moment later; until then nobody may be forked
            if _tasks() <= before:
                break
            time.sleep(0.001)
    return True


def _tasks() -> int:
    try:
        return len(os.listdir("/proc/self/task"))  # noqa: PTH208 - names alone
    except OSError:  # only Linux tells
        return 0


class Running(Generic[T]):
    """One function under way in a thread of its own, or done where none can be started (its asker may have as many
    processes as it has). A process that ends does not wait for it.
    """

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._made: T | None = None
        self._fault: BaseException | None = None
        self._thread: threading.Thread | None = threading.Thread(target=self._run, daemon=True)
        try:
            self._thread.start()
        except RuntimeError:  # "can't start new thread"
            self._thread = None
            self._run()

    def _run(self) -> None:
        try:
            self._made = self._work()
        except BaseException as fault:  # noqa: BLE001 - it is raised where the result is wanted
            self._fault = fault

    def result(self) -> T:
        """What the function gave, once it has. Raises what it raised."""
        if self._thread is not None:
            self._thread.join()
        if self._fault is not None:
            raise self._fault
        return cast("T", self._made)  # it has run to its end
