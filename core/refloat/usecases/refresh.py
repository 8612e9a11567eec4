"""Reads what is new, newest files first, and tells how far it is.

Decides that one process at a time does it: a second one waits, and then reads what is still new. What was read is kept
also when the reading is given up. Refuses to need a catalogue that can be written, and then says that nothing was kept,
which is no complete reading.
"""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from refloat.catalogue.opening import check
from refloat.catalogue.peek import FILE
from refloat.model.refreshed import Refreshed
from refloat.search.index import throw_broken_away
from refloat.search.seal import put_seal
from refloat.usecases.batch import Batch
from refloat.usecases.finder import Finder
from refloat.usecases.searched import searched
from refloat.usecases.workbench import Workbench

LOCK: Final = "reading.lock"


def refresh(bench: Workbench) -> Generator[Refreshed, None, None]:
    """Read all that is new, and make it searchable. The last value is `complete`. A damaged catalogue is made anew,
    wherever the damage is.
    """
    check(bench.machine.places.cache / FILE)
    for batch in read_on(bench):
        yield state_of(batch)
    put_seal(bench.machine.places.cache)


def state_of(batch: Batch | None) -> Refreshed:
    """How far a reading is that hands out this batch."""
    if batch is None:
        return Refreshed(waits=True)
    return Refreshed(
        batch.done,
        batch.total,
        batch.read,
        batch.size,
        len(batch.sessions),
        batch.problems or (),
        complete=batch.complete and batch.kept,
        kept=batch.kept,
    )


def read_on(bench: Workbench, most: int | None = None) -> Generator[Batch | None, None, None]:
    """The same in batches; None: another one is waited for. Only the newest `most` bytes where there is more; nothing
    at all then, while another one is at it.
    """
    throw_broken_away(bench.machine.places.cache)
    finder = Finder(bench, searched=searched(bench))
    with _alone(bench) as alone:
        if alone is not None and not alone(False):
            if most is not None:
                *_, batch = finder.read_all(0)
                if batch.complete or batch.size > most:
                    yield batch
                    return
            yield None
            alone(True)
        yield from finder.read_all(most)


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
