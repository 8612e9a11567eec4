"""Who is at a session: the claims of this process, for as long as they are open, and those of others.

Decides that a holder that is proved dead on this host holds nothing, that this process never stands in its own way, and
that taking a session from somebody is told in the lease and in the chains of its jobs. Refuses to know how a process is
looked at: that comes in as a function. Whether an operation may act at all is the guard's (`model.guard`).
"""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from refloat.errors import RefloatError
from refloat.model.record import Lease
from refloat.model.saving import Ending, Opening, Runner, Tree
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp
from refloat.record.chain import add_step
from refloat.record.engine import Connection
from refloat.record.leases import (
    Claim,
    Held,
    check_lease,
    find_leases,
    get_lease,
    hand_leases,
    holds,
    release_lease,
    renew_lease,
    take_leases,
)
from refloat.record.store import Record
from refloat.record.trails import find_tied
from refloat.usecases.decided import job_of

__all__ = ["BEAT", "Held", "Holder", "Holding", "find_holders", "tell_jobs"]

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

    def runs(self, runner: Runner) -> bool | None:
        """Whether another process runs that holds something: False where it is proved dead, or is this one."""
        return False if runner == self.runner else self.is_running(runner)


class Holding:
    """The claims of this process on one session and, where it writes there, on its workspace. Each call opens the
    record for itself; all may be slow, and any thread may call.
    """

    def __init__(
        self,
        open_it: Callable[[], Record],
        now: Callable[[], Stamp],
        own: Holder,
        session: SessionName,
        doing: str,
        *,
        beside: Sequence[str] = (),
    ) -> None:
        """`beside`: further subjects, taken and given back with the session."""
        self._open = open_it
        self._now = now
        self._own = own
        self._session = session
        self._doing = doing
        self._subjects = (session, *beside)
        self._runner = own.runner
        self._leases: tuple[Lease, ...] = ()
        self._taken: Lease | None = None
        """On the session, as this process took it last; kept when it is lost, and None once it was given back."""
        self._turn = threading.Lock()

    @property
    def lease(self) -> Lease | None:
        """On the session. None before it is taken, and after it was given back or lost."""
        return next((lease for lease in self._leases if lease.subject == self._session), None)

    def take(self, *, force: bool = False, over: Collection[str] = (), tell: bool = True) -> None:
        """Take the session; `force` takes it from whoever holds it, `over` from leases with these tokens alone. Who
        lost it is told in the lease (`tell`: on its jobs, too).

        Raises:
            Held: somebody else holds it.
            RefloatError: the record did not take it.

        """
        with self._turn:
            self._take(force=force, over=over, tell=tell)

    def _take(self, *, force: bool, over: Collection[str], tell: bool) -> None:
        own, now = self._own, self._now()
        with self._open() as record:
            before = get_lease(record, self._session, now, own.runs)
            doing = self._doing
            taken = before is not None and (force or before.token in over)
            if taken and before is not None:
                doing = f"{doing}; taken over from {before.holder}, who held it since {before.since}"
            claims = [Claim(subject, own.holder, self._runner, SECONDS, doing) for subject in self._subjects]
            self._leases = take_leases(record, claims, now, own.runs, force=force, over=over)
            self._taken = self.lease
            if taken and before is not None and tell:
                # From whom comes first: where a line is too narrow it is cut in the middle.
                words = f"take over from {before.holder}: {self._session}, held since {before.since}"
                tell_jobs(record, own, self._session, "take over", words, now)

    def hand_to(self, runner: Runner) -> None:
        """Have a process that this one starts stand for the claims: while it runs they hold, also when this one dies.

        Raises:
            Held: somebody took one of them meanwhile.
            RefloatError: the record did not take it.

        """
        with self._turn:
            if self._leases:
                with self._open() as record:
                    self._leases = hand_leases(record, self._leases, runner)
            self._runner = runner

    def renew(self) -> Lease | None:
        """Hold it on. None where this process still holds all it took, or holds nothing; else whoever took one of them
        meanwhile. What is left is held on.

        Raises:
            RefloatError: the record cannot be had now; the lease runs on.

        """
        with self._turn:
            if not self._leases:
                return None
            now, lost, kept = self._now(), list[Lease](), list[Lease]()
            with self._open() as record:
                for lease in self._leases:
                    renewed = renew_lease(record, lease, now, SECONDS)
                    taker = None if renewed else get_lease(record, lease.subject, now, self._runs_for_others)
                    if renewed is None and taker is None:  # somebody had it meanwhile, and gave it back
                        claim = Claim(lease.subject, lease.holder, self._runner, SECONDS, lease.reason)
                        (renewed,) = take_leases(record, [claim], now, self._runs_for_others)
                    lost += [taker] if taker else []
                    kept += [renewed] if renewed else []
            self._leases = tuple(kept)
            self._taken = self.lease or self._taken
            return lost[0] if lost else None

    def taker(self) -> Lease | None:
        """Whoever took the session over and has it now; None where nobody did. It writes nothing.

        Raises:
            RefloatError: the record cannot be read now.

        """
        taken = self._taken
        if taken is None:
            return None
        with self._open() as record:
            there = get_lease(record, taken.subject, self._now(), self._runs_for_others)
        return there if there is not None and there.token != taken.token else None

    def check(self, connection: Connection) -> None:
        """As a part of a transaction that writes: nobody took the session over and has it now.

        Raises:
            Held: somebody did.

        """
        taken = self._taken
        if taken is not None:
            check_lease(connection, taken, self._now(), self._runs_for_others)

    def _runs_for_others(self, runner: Runner) -> bool | None:
        return False if runner == self._runner else self._own.runs(runner)

    def release(self) -> None:
        """Give it back. What cannot be given back runs out by itself."""
        with self._turn:
            leases, self._leases, self._taken = self._leases, (), None
            if not leases:
                return
            try:
                with self._open() as record:
                    for lease in leases:
                        release_lease(record, lease)
            except RefloatError:
                return


def jobs_of(record: Record, session: SessionName) -> Sequence[str]:
    """The job of the session's recovery, and every job that the session itself is on."""
    mine = {tied.job.name for tied in find_tied(record, session, ()) if tied.tie == "session"}
    return sorted({job_of(session), *mine})


def tell_jobs(record: Record, own: Holder, session: SessionName, tool: str, words: str, now: Stamp) -> None:
    """A receipted step on the job of the session's recovery, and on every job that the session itself is on.

    Raises:
        NotWritten: the record did not take it.

    """
    for job in jobs_of(record, session):
        opening = Opening(job, own.producer, tool, words, "recovery", now, None, _UNSEEN, own.runner)
        add_step(record, opening, Ending("ok", now, None, _UNSEEN))


def find_holders(record: Record, now: Stamp, own: Holder) -> Mapping[str, Lease]:
    """What others hold now: subject (`agent:id` of a session, …) → lease."""
    return {one.subject: one for one in find_leases(record) if holds(one, now, own.runs)}
