"""Wraps, pickups and decisions: sealed as they are written, links of the job's chain like its steps.

Decides how each becomes a row. Refuses to judge what is said in them.
"""

import json
from collections.abc import Sequence
from typing import NamedTuple

from refloat.model.record import Checked
from refloat.model.saving import Release, Status
from refloat.model.stamp import Stamp
from refloat.record.chain import Sealed, add_link, take_turn
from refloat.record.engine import Value, new_id
from refloat.record.rows import number
from refloat.record.store import Record


class NewWrap(NamedTuple):
    """A handover as somebody writes it."""

    job: str
    at: Stamp
    producer: str
    summary: str
    goal: str
    recipient: str | None = None
    next_steps: Sequence[str] = ()
    not_checked: Sequence[str] = ()
    automatic: bool = False
    note: str | None = None


class NewPickup(NamedTuple):
    """An acceptance as somebody gives it."""

    job: str
    at: Stamp
    producer: str
    wrap: str | None = None
    checked: Sequence[Checked] = ()
    continue_at: int | None = None
    automatic: bool = False
    note: str | None = None


class NewDecision(NamedTuple):
    """A decision as somebody takes it."""

    job: str
    at: Stamp
    status: Status
    decided_by: str
    release: Release | None = None
    about: str | None = None
    automatic: bool = False
    note: str | None = None


def add_wrap(record: Record, wrap: NewWrap) -> Sealed:
    """Seal a wrap.

    Raises:
        NotWritten: the record did not take it.

    """
    signer = record.signer()
    with record.writing() as connection:
        job = take_turn(connection, wrap.job, wrap.at, "jobs.take_sealed")
        row: dict[str, Value] = {
            "summary": wrap.summary,
            "goal": wrap.goal,
            "recipient": wrap.recipient,
            "next_steps": _texts(wrap.next_steps),
            "not_checked": _texts(wrap.not_checked),
            "last_seq": number(job, "last_seq"),
            **_common(wrap),
        }
        return add_link(connection, "wrap", "links.add_wrap", job, row, signer)


def add_pickup(record: Record, pickup: NewPickup) -> Sealed:
    """Seal a pickup.

    Raises:
        NotWritten: the record did not take it.

    """
    signer = record.signer()
    with record.writing() as connection:
        job = take_turn(connection, pickup.job, pickup.at, "jobs.take_sealed")
        found = [{"seq": each.seq, "receipt": each.receipt, "verdict": each.verdict} for each in pickup.checked]
        row: dict[str, Value] = {
            "wrap": pickup.wrap,
            "checked": json.dumps(found, separators=(",", ":")),
            "continue_at": pickup.continue_at,
            **_common(pickup),
        }
        return add_link(connection, "pickup", "links.add_pickup", job, row, signer)


def add_decision(record: Record, decision: NewDecision) -> Sealed:
    """Seal a decision.

    Raises:
        NotWritten: the record did not take it.

    """
    signer = record.signer()
    with record.writing() as connection:
        job = take_turn(connection, decision.job, decision.at, "jobs.take_sealed")
        row: dict[str, Value] = {
            "id": new_id(),
            "job": decision.job,
            "at": decision.at,
            "status": decision.status,
            "decided_by": decision.decided_by,
            "release": decision.release,
            "about": decision.about,
            "automatic": int(decision.automatic),
            "note": decision.note,
        }
        return add_link(connection, "decision", "links.add_decision", job, row, signer)


def _common(link: NewWrap | NewPickup) -> dict[str, Value]:
    return {
        "id": new_id(),
        "job": link.job,
        "at": link.at,
        "producer": link.producer,
        "automatic": int(link.automatic),
        "note": link.note,
    }


def _texts(values: Sequence[str]) -> str:
    return json.dumps(list(values), ensure_ascii=False, separators=(",", ":"))
