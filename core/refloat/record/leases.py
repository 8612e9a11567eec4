"""Leases: one holder at a time on a session, a workspace or a job, for a limited time.

Decides who holds what: a lease is free when nobody has it, when its holder is proved dead, or when its time ran out and
its holder is not proved to run (a suspended process beats no more, and still holds). Several are taken in one
transaction on either engine, all or none, so two that ask at once get one yes. Refuses to know how a process is looked
at: that comes in as a function.
"""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from refloat.errors import NotDone
from refloat.model.record import Lease
from refloat.model.saving import Runner
from refloat.model.stamp import Stamp, later
from refloat.record.engine import Connection, Row, Value, new_id
from refloat.record.rows import get_text, number, stamp, text
from refloat.record.store import Record


class Held(NotDone):
    """Somebody else holds it; `lease` says who, and until when."""

    def __init__(self, lease: Lease) -> None:
        super().__init__(f"{lease.holder} holds {lease.subject} until {lease.until}")
        self.lease = lease


class Claim(NamedTuple):
    """A lease as somebody asks for it."""

    subject: str
    """`agent:id` of a session, `workspace:HOST:/real/path`, or `job:NAME`."""
    holder: str
    """`user@host`."""
    runner: Runner
    seconds: float
    reason: str | None = None


Runs = Callable[[Runner], bool | None]
"""Whether a holder's process runs: False where it is proved dead or is the one that asks, None where none can tell."""


def holds(lease: Lease, now: Stamp, runs: Runs) -> bool:
    """Whether a lease that was not given back stands in the way now."""
    running = runs(lease.runner)
    return running is True or (running is None and lease.until > now)


def take_leases(
    record: Record,
    claims: Sequence[Claim],
    now: Stamp,
    runs: Runs,
    *,
    force: bool = False,
    over: Collection[str] = (),
) -> tuple[Lease, ...]:
    """Take all of them or none; `force` takes them from whoever has them, `over` from the leases with these tokens.

    Raises:
        Held: somebody else holds one of them.
        NotWritten: the record did not take it.

    """
    with record.writing() as connection:
        return tuple(_take(connection, claim, now, runs, force=force, over=over) for claim in claims)


def _take(connection: Connection, claim: Claim, now: Stamp, runs: Runs, *, force: bool, over: Collection[str]) -> Lease:
    token, until = new_id(), later(now, claim.seconds)
    values: dict[str, Value] = {
        "subject": claim.subject,
        "token": token,
        "holder": claim.holder,
        "host": claim.runner.host or "",
        "pid": claim.runner.pid or 0,
        "pid_started": claim.runner.pid_started or "",
        "since": now,
        "until": until,
        "reason": claim.reason,
    }
    if not connection.run("leases.take", **values):
        row = connection.row("leases.one", subject=claim.subject)
        held = None if row is None else lease_of(row)
        if held is not None and not force and held.token not in over and holds(held, now, runs):
            raise Held(held)
        if not connection.run("leases.replace", was="" if held is None else held.token, **values):
            raise NotDone(f"{claim.subject} was taken by somebody else just now")
    return Lease(claim.subject, token, claim.holder, claim.runner, now, now, until, claim.reason)


def take_lease(record: Record, claim: Claim, now: Stamp, runs: Runs, *, force: bool = False) -> Lease:
    """`take_leases` of one."""
    return take_leases(record, [claim], now, runs, force=force)[0]


def renew_lease(record: Record, lease: Lease, now: Stamp, seconds: float) -> Lease | None:
    """Hold it on; None where somebody took it meanwhile.

    Raises:
        NotWritten: the record did not take it.

    """
    until = later(now, seconds)
    with record.writing() as connection:
        held = connection.run("leases.renew", subject=lease.subject, token=lease.token, now=now, until=until)
    if not held:
        return None
    return Lease(lease.subject, lease.token, lease.holder, lease.runner, lease.since, now, until, lease.reason)


def hand_leases(record: Record, leases: Sequence[Lease], runner: Runner) -> tuple[Lease, ...]:
    """Have another process stand for leases that this one took: the agent that it is about to become or to start. While
    that runs they hold, whatever becomes of this one.

    Raises:
        Held: somebody took one meanwhile.
        NotWritten: the record did not take it.

    """
    values: dict[str, Value] = {
        "host": runner.host or "",
        "pid": runner.pid or 0,
        "pid_started": runner.pid_started or "",
    }
    with record.writing() as connection:
        for lease in leases:
            if not connection.run("leases.hand", subject=lease.subject, token=lease.token, **values):
                row = connection.row("leases.one", subject=lease.subject)
                raise Held(lease if row is None else lease_of(row))
    return tuple(
        Lease(one.subject, one.token, one.holder, runner, one.since, one.renewed_at, one.until, one.reason)
        for one in leases
    )


def release_lease(record: Record, lease: Lease) -> None:
    """Give it back; nothing happens where somebody else took it meanwhile.

    Raises:
        NotWritten: the record did not take it.

    """
    with record.writing() as connection:
        connection.run("leases.release", subject=lease.subject, token=lease.token)


def get_lease(record: Record, subject: str, now: Stamp, runs: Runs) -> Lease | None:
    """The lease that holds now; None where there is none, it ran out, or its holder is dead."""
    with record.reading() as connection:
        row = connection.row("leases.one", subject=subject)
    lease = None if row is None else lease_of(row)
    return lease if lease is not None and holds(lease, now, runs) else None


def check_lease(connection: Connection, lease: Lease, now: Stamp, runs: Runs) -> None:
    """As a part of somebody else's transaction: nobody took the lease from its holder and has it still.

    Raises:
        Held: somebody did.

    """
    row = connection.row("leases.one", subject=lease.subject)
    there = None if row is None else lease_of(row)
    if there is not None and there.token != lease.token and holds(there, now, runs):
        raise Held(there)


def find_leases(record: Record) -> tuple[Lease, ...]:
    """Every lease that was not given back, run out or not."""
    with record.reading() as connection:
        return tuple(lease_of(row) for row in connection.rows("leases.all"))


def lease_of(row: Row) -> Lease:
    """A row as a lease."""
    return Lease(
        subject=text(row, "subject"),
        token=text(row, "token"),
        holder=text(row, "holder"),
        # Nothing is written as an empty word: a system without start times must not look like a dead process.
        runner=Runner(get_text(row, "host") or None, number(row, "pid") or None, get_text(row, "pid_started") or None),
        since=stamp(row, "since"),
        renewed_at=stamp(row, "renewed_at"),
        until=stamp(row, "until"),
        reason=get_text(row, "reason"),
    )
