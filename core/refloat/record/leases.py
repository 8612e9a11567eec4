"""Leases: one holder at a time on a session or a job, for a limited time.

Decides who holds what: a lease is free when nobody has it, when its time ran out, or when its holder is proved dead. It
is taken in one transaction on either engine, so two that ask at once get one yes. Refuses to know how a holder is
proved dead: that comes in as a function.
"""

from collections.abc import Callable
from typing import NamedTuple

from refloat.errors import NotDone
from refloat.model.record import Lease
from refloat.model.saving import Runner
from refloat.model.stamp import Stamp, later
from refloat.record.engine import Row, new_id
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
    """`agent:id` of a session, or `job:NAME`."""
    holder: str
    """`user@host`."""
    runner: Runner
    seconds: float
    reason: str | None = None


def take_lease(
    record: Record, claim: Claim, now: Stamp, is_dead: Callable[[Runner], bool], *, force: bool = False
) -> Lease:
    """Take a lease; `force` takes it from whoever has it.

    Raises:
        Held: somebody else holds it.
        NotWritten: the record did not take it.

    """
    token, until = new_id(), later(now, claim.seconds)
    values = {
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
    with record.writing() as connection:
        if not connection.run("leases.take", **values):
            row = connection.row("leases.one", subject=claim.subject)
            held = None if row is None else lease_of(row)
            if held is not None and not force and held.until > now and not is_dead(held.runner):
                raise Held(held)
            if not connection.run("leases.replace", was="" if held is None else held.token, **values):
                raise NotDone(f"{claim.subject} was taken by somebody else just now")
    return Lease(claim.subject, token, claim.holder, claim.runner, now, now, until, claim.reason)


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


def release_lease(record: Record, lease: Lease) -> None:
    """Give it back; nothing happens where somebody else took it meanwhile.

    Raises:
        NotWritten: the record did not take it.

    """
    with record.writing() as connection:
        connection.run("leases.release", subject=lease.subject, token=lease.token)


def get_lease(record: Record, subject: str, now: Stamp, is_dead: Callable[[Runner], bool]) -> Lease | None:
    """The lease that holds now; None where there is none, it ran out, or its holder is dead."""
    with record.reading() as connection:
        row = connection.row("leases.one", subject=subject)
    lease = None if row is None else lease_of(row)
    return lease if lease is not None and lease.until > now and not is_dead(lease.runner) else None


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
        runner=Runner(get_text(row, "host"), number(row, "pid"), get_text(row, "pid_started")),
        since=stamp(row, "since"),
        renewed_at=stamp(row, "renewed_at"),
        until=stamp(row, "until"),
        reason=get_text(row, "reason"),
    )
