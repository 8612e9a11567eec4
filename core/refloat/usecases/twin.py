"""A twin of this process, for a second of work that needs what this one has loaded and found.

Decides nothing about the work. Refuses where it cannot be done: the caller does the work itself then. Only for a
process of one thread: a twin has no other threads, and would wait for ever for what they hold.
"""

import gc
import os
import sys
from collections.abc import Callable
from typing import TypeVar, cast

T = TypeVar("T")


def processors() -> int:
    """How many this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS has none
        return os.cpu_count() or 1


def begin_twin(work: Callable[[], T]) -> Callable[[], T | None]:
    """Begin the work in a twin; what is returned waits for its result, None where there is none."""
    if sys.platform != "linux":  # elsewhere what a system's library holds may not survive it
        return lambda: None
    theirs, ours = os.pipe()
    try:
        child = os.fork()
    except OSError:
        os.close(theirs)
        os.close(ours)
        return lambda: None
    if not child:
        _work(work, theirs, ours)
    os.close(ours)
    return lambda: cast("T | None", _wait(child, theirs))  # what the work gave


def _work(work: Callable[[], object], theirs: int, ours: int) -> None:
    """In the twin: work, tell, and end without anything that the end of a process does."""
    import pickle  # whoever makes no twin needs it not

    code = 1
    try:
        os.close(theirs)
        gc.disable()
        with os.fdopen(ours, "wb") as out:
            pickle.dump(work(), out, pickle.HIGHEST_PROTOCOL)
        code = 0
    finally:
        os._exit(code)


def _wait(child: int, theirs: int) -> object:
    import pickle  # as above

    with os.fdopen(theirs, "rb") as told:
        data = told.read()
    _, status = os.waitpid(child, 0)
    return pickle.loads(data) if not status and data else None  # noqa: S301 - from a twin of our own
