"""Reads everything that is new, newest files first, and tells how far it is.

Decides that one process at a time does it: a second one waits, and then reads what is still new. What was read is kept
also when the reading is given up. Refuses to need a catalogue that can be written, and then says that nothing was kept.
"""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from refloat.model.refreshed import Refreshed
from refloat.usecases.finder import Finder, Stop
from refloat.usecases.recall import Searched
from refloat.usecases.workbench import Workbench

LOCK: Final = "reading.lock"


def refresh(
    bench: Workbench, stop: Stop = lambda: False, *, searched: Searched | None = None
) -> Generator[Refreshed, None, None]:
    """Read all that is new, into the index too where one is given. The last value is `complete`, unless stopped."""
    with _alone(bench) as alone:
        if alone is not None and not alone(False):
            yield Refreshed(waits=True)
            alone(True)
        state = Refreshed()
        for batch in Finder(bench, searched=searched).read_all(stop):
            problems = batch.problems or ()
            state = Refreshed(
                batch.done, batch.total, batch.read, batch.size, len(batch.sessions), problems, complete=batch.complete
            )
            yield state


class _Lock:
    """The lock of whoever reads."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def __call__(self, wait: bool) -> bool:
        """Take it; False where another one holds it and this one shall not `wait`."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks: two may read at once, and keep the same
            return True
        return True


@contextmanager
def _alone(bench: Workbench) -> Generator[_Lock | None]:
    """The lock, to be taken; None where there is no place for it."""
    place = bench.machine.places.cache
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(place / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        yield None
        return
    try:
        yield _Lock(descriptor)
    finally:
        os.close(descriptor)
