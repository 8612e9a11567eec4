"""Wraps, pickups and decisions: one person or agent hands a job to the next.

Decides the first moves of a pickup: the job is read end to end, the receipts that most rests on are verified from
their bytes up, and the work goes on at the first step that is absent or cannot be confirmed. Refuses to hand on as done
a step whose outcome nobody knows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from refloat.errors import UsageError
from refloat.model.record import Checked, Decision, Fault, Pickup, SavedStep, Trail, Verdict, Wrap
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp
from refloat.model.story import Story
from refloat.record.checking import read_end_to_end, verify_job
from refloat.record.handovers import NewDecision, NewPickup, NewWrap, add_decision, add_pickup, add_wrap
from refloat.record.rows import number, text
from refloat.record.store import Record
from refloat.record.trails import load_trail, newest_wraps, own_row, unsettled
from refloat.record.values import decision_of, pickup_of, wrap_of
from refloat.usecases.reconstruct import reconstruct

__all__ = ["NewDecision", "NewWrap", "PickedUp", "decide_job", "find_wrap", "pick_up", "wrap_job", "wrap_session"]


@dataclass(frozen=True, slots=True)
class PickedUp:
    """A job in new hands."""

    pickup: Pickup
    wrap: Wrap | None
    trail: Trail
    checked: tuple[Checked, ...]
    problems: tuple[Fault, ...]
    """Of the job read end to end, and of the receipts that were verified from their bytes up."""
    unsettled: tuple[SavedStep, ...]
    """What nobody may take for done."""


def wrap_job(record: Record, wrap: NewWrap) -> Wrap:
    """Seal a wrap of a job that is there. Without a goal the one of its last wrap goes on.

    Raises:
        NoSuchJob: there is none of that name.
        NotWritten: the record did not take it.

    """
    with record.reading() as connection:
        own_row(connection, wrap.job)
        before = newest_wraps(connection, wrap.job)
    goal = wrap.goal or (text(before[0], "goal") if before else "")
    return wrap_of(add_wrap(record, wrap._replace(goal=goal)).row, "unchanged")


def wrap_session(record: Record, wrap: NewWrap, session: SessionName, load_story: Callable[[], Story]) -> Wrap:
    """Seal a wrap of a job; one that is not there yet is begun with the session's own steps, as a reconstruction.

    Raises:
        UsageError: no job can be called so.
        RefloatError: the session cannot be read, or the record did not take it.

    """
    with record.reading() as connection:
        is_there = connection.row("jobs.one", job=wrap.job) is not None
    if not is_there:
        reconstruct(record, wrap.job, session, load_story(), wrap.at)
    return wrap_job(record, wrap)


def decide_job(record: Record, decision: NewDecision) -> Decision:
    """Seal a decision on a job that is there.

    Raises:
        NoSuchJob: there is none of that name.
        NotWritten: the record did not take it.

    """
    with record.reading() as connection:
        own_row(connection, decision.job)
    return decision_of(add_decision(record, decision).row, "unchanged")


def pick_up(record: Record, ref: str, producer: str, now: Callable[[], Stamp]) -> PickedUp:
    """Pick up a wrap (its id, or a prefix of it), or a job by name: its newest wrap, or none where it has none.

    Raises:
        UsageError: neither a wrap nor a job is called so.
        NotWritten: the record did not take the pickup.

    """
    job, wrap = find_wrap(record, ref)
    trail = load_trail(record, job)
    wrap = wrap or (trail.wraps[0] if trail.wraps else None)
    checked, problems = _verify_bearing(record, trail)
    with record.reading() as connection:
        open_steps = tuple(unsettled(record, connection, job))
        total = number(own_row(connection, job), "last_seq") or 0
    problems = (*read_end_to_end(record, job).problems, *problems)
    doubtful = [step.seq for step in open_steps] + [each.seq for each in checked if each.verdict != "unchanged"]
    doubtful += [fault.seq for fault in problems if fault.seq is not None]
    doubtful += [step.seq for step in trail.steps if step.verdict in {"altered", "missing"}]
    continue_at = min(doubtful, default=total + 1)
    pickup = NewPickup(job, now(), producer, wrap.id if wrap else None, checked, continue_at)
    sealed = pickup_of(add_pickup(record, pickup).row, "unchanged")
    return PickedUp(sealed, wrap, trail, checked, problems, open_steps)


def find_wrap(record: Record, ref: str) -> tuple[str, Wrap | None]:
    """The job that a wrap's id or a job's name means, and the wrap where it was an id.

    Raises:
        UsageError: it means nothing, or more than one wrap.

    """
    with record.reading() as connection:
        if connection.row("jobs.one", job=ref) is not None:
            return ref, None
        is_id = len(ref) >= 4 and all(c in "0123456789abcdef" for c in ref)
        rows = connection.rows("links.find_wrap", prefix=f"{ref}%") if is_id else ()
        if len(rows) == 1:
            return text(rows[0], "job"), wrap_of(rows[0])
        if not rows:
            own_row(connection, ref)  # says which jobs there are
    raise UsageError(f"{len(rows)} wraps begin with {ref}; give more of it")


def _verify_bearing(record: Record, trail: Trail) -> tuple[tuple[Checked, ...], tuple[Fault, ...]]:
    checked: list[Checked] = []
    problems: list[Fault] = []
    for step in _bearing(trail):
        if step.link is None:
            continue
        found = verify_job(record, trail.job, step.link.receipt)
        worst: Verdict = found.problems[0].verdict if found.problems else "unchanged"
        checked.append(Checked(step.seq, step.link.receipt, worst))
        problems += found.problems
    return tuple(checked), tuple(problems)


def _bearing(trail: Trail) -> Sequence[SavedStep]:
    return [step for seq in trail.load_bearing for step in trail.steps if step.seq == seq]
