"""Who is at a session: one claim of this process, for as long as it is open, and the claims of others.

Decides that a holder that is proved dead on this host holds nothing, that this process never stands in its own way, and
that taking a session from somebody is told in the lease and in the chains of its jobs. Refuses to know how a process is
proved dead: that comes in as a function.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from refloat.errors import RefloatError
from refloat.model.record import Lease
from refloat.model.saving import Ending, Opening, Runner, Tree
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp
from refloat.record.chain import add_step
from refloat.record.leases import Claim, Held, find_leases, get_lease, release_lease, renew_lease, take_lease
from refloat.record.store import Record
from refloat.record.trails import find_tied
from refloat.usecases.decided import job_of

__all__ = ["BEAT", "Held", "Holder", "Holding", "find_holders"]

SECONDS: Final = 120.0
"""A lease runs out after so long without a beat: where the holder's host cannot be asked."""
BEAT: Final = 30.0
"""Seconds between two beats."""
_UNSEEN: Final = Tree(unknown="not looked at")


@dataclass(frozen=True, slots=True)
class Holder:
    """Who this process is, and what it can tell of others."""

    holder: str
    """`user@host`."""
    producer: str
    """`human:NAME`."""
    runner: Runner
    is_running: Callable[[Runner], bool | None]

    def is_dead(self, runner: Runner) -> bool:
        """Whether a holder is no obstacle: proved dead, or this process itself."""
        return runner == self.runner or self.is_running(runner) is False


class Holding:
    """The claim of this process on one session. Each call opens the record for itself; all may be slow."""

    def __init__(
        self, open_it: Callable[[], Record], now: Callable[[], Stamp], own: Holder, session: SessionName, doing: str
    ) -> None:
        self._open = open_it
        self._now = now
        self._own = own
        self._session = session
        self._doing = doing
        self.lease: Lease | None = None
        """None before it is taken, and after it was given back or lost."""
        self._turn = threading.Lock()

    def take(self, *, force: bool = False) -> None:
        """Take the session; `force` takes it from whoever holds it, and says so.

        Raises:
            Held: somebody else holds it.
            RefloatError: the record did not take it.

        """
        with self._turn:
            self._take(force=force)

    def _take(self, *, force: bool) -> None:
        own, now = self._own, self._now()
        with self._open() as record:
            before = get_lease(record, self._session, now, own.is_dead)
            doing = self._doing
            if force and before is not None:
                doing = f"{doing}; taken over from {before.holder}, who held it since {before.since}"
            claim = Claim(self._session, own.holder, own.runner, SECONDS, doing)
            self.lease = take_lease(record, claim, now, own.is_dead, force=force)
            if force and before is not None:
                self._tell(record, before, now)

    def _tell(self, record: Record, before: Lease, now: Stamp) -> None:
        """A receipted step on the job of the session's recovery, and on every job that the session itself is on."""
        words = f"took {self._session} over from {before.holder}, who held it since {before.since}"
        own = self._own
        mine = {tied.job.name for tied in find_tied(record, self._session, ()) if tied.tie == "session"}
        for job in sorted({job_of(self._session), *mine}):
            opening = Opening(job, own.producer, "take over", words, "recovery", now, None, _UNSEEN, own.runner)
            add_step(record, opening, Ending("ok", now, None, _UNSEEN))

    def renew(self) -> Lease | None:
        """Hold it on. None where this process still holds it, or holds nothing; else whoever took it meanwhile.

        Raises:
            RefloatError: the record cannot be had now; the lease runs on.

        """
        with self._turn:
            if self.lease is None:
                return None
            now = self._now()
            with self._open() as record:
                self.lease = renew_lease(record, self.lease, now, SECONDS)
                taker = get_lease(record, self._session, now, self._own.is_dead)
            if self.lease is None and taker is None:
                self._take(force=False)  # somebody had it meanwhile, and gave it back
            return taker if self.lease is None else None

    def release(self) -> None:
        """Give it back. What cannot be given back runs out by itself."""
        with self._turn:
            lease, self.lease = self.lease, None
            if lease is None:
                return
            try:
                with self._open() as record:
                    release_lease(record, lease)
            except RefloatError:
                return


def find_holders(record: Record, now: Stamp, own: Holder) -> Mapping[str, Lease]:
    """What others hold now: subject (`agent:id` of a session) → lease."""
    leases = find_leases(record)
    return {one.subject: one for one in leases if one.until > now and not own.is_dead(one.runner)}
