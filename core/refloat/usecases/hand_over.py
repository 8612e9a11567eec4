"""Wraps, pickups and decisions: one person or agent hands a job to the next.

Decides the first moves of a pickup: the job is read end to end, the receipts that most rests on are verified from
their bytes up, and the work goes on at the first step that is absent, failed or cannot be confirmed. Refuses to hand on
as done a step that failed, or whose outcome nobody knows.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from refloat.errors import UsageError
from refloat.model.record import Checked, Decision, Fault, Pickup, SavedStep, Trail, Verdict, Wrap, bearing
from refloat.model.saving import Runner
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp
from refloat.model.story import Story
from refloat.record.checking import find_receipt, is_receipt, read_end_to_end, verify_job
from refloat.record.handovers import NewDecision, NewPickup, NewWrap, add_decision, add_pickup, add_wrap
from refloat.record.rows import number, text
from refloat.record.store import Record
from refloat.record.trails import newest_wraps, own_row, unsettled, with_coverage
from refloat.record.values import decision_of, pickup_of, wrap_of
from refloat.usecases.reconstruct import reconstruct
from refloat.usecases.show_trail import SHOWN, show_trail, with_running

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
    why: str = ""
    """Why work goes on at the step that the pickup names."""
    remarks: tuple[str, ...] = ()
    """What whoever takes it should know of the wrap: it is somebody else's, or taken already."""


def _nobody_can_tell(runner: Runner) -> bool | None:
    del runner


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
    """Seal a decision on a job that is there. `about` may be the beginning of a receipt of that job.

    Raises:
        NoSuchJob: there is none of that name.
        UsageError: it is about a receipt that the job does not have.
        NotWritten: the record did not take it.

    """
    with record.reading() as connection:
        own_row(connection, decision.job)
    if decision.about is not None:
        decision = decision._replace(about=_receipt_of(record, decision.job, decision.about))
    done = decision_of(add_decision(record, decision).row, "unchanged")
    with record.reading() as connection:
        return with_coverage(connection, done)


def _receipt_of(record: Record, job: str, about: str) -> str:
    place, receipt = find_receipt(record, about) if is_receipt(about) else ("", "")
    if place != job:
        raise UsageError(
            f"{job} has no receipt that begins with {about[:80]!r}; `refloat trail {job} --json` names all"
        )
    return receipt


def pick_up(
    record: Record,
    ref: str,
    producer: str,
    now: Callable[[], Stamp],
    is_running: Callable[[Runner], bool | None] = _nobody_can_tell,
) -> PickedUp:
    """Pick up a wrap (its id, or a prefix of it), or a job by name: its newest wrap, or none where it has none.

    Raises:
        UsageError: neither a wrap nor a job is called so.
        NotWritten: the record did not take the pickup.

    """
    job, wrap = find_wrap(record, ref)
    trail = show_trail(record, job, SHOWN, is_running)
    wrap = wrap or (trail.wraps[0] if trail.wraps else None)
    checked, problems = _verifybearing(record, trail)
    with record.reading() as connection:
        open_steps = with_running(record, unsettled(record, connection, job), is_running)
        total = number(own_row(connection, job), "last_seq") or 0
        taken = [pickup_of(row) for row in connection.rows("links.pickups_of", job=job)]
        remarks = () if wrap is None else remarks_on(wrap, taken, producer)
    whole = read_end_to_end(record, job).problems
    problems = (*whole, *(fault for fault in problems if fault not in whole))
    continue_at, why = _goes_on(open_steps, problems, trail, total)
    pickup = NewPickup(job, now(), producer, wrap.id if wrap else None, checked, continue_at)
    sealed = pickup_of(add_pickup(record, pickup).row, "unchanged")
    return PickedUp(sealed, wrap, trail, checked, problems, open_steps, why, remarks)


def _goes_on(unsettled: Sequence[SavedStep], problems: Sequence[Fault], trail: Trail, total: int) -> tuple[int, str]:
    """The first step that is absent, failed or cannot be confirmed, and which of that it is."""
    doubts = [(step.seq, _doubt(step)) for step in unsettled]
    for fault in problems:
        if fault.seq is not None:
            doubts.append((fault.seq, f"its {fault.field} does not hold: {fault.what}"))
        elif fault.field in _OF_ALL:
            doubts.append((1, f"no step can be confirmed: {fault.what}"))
    doubts += [(step.seq, f"it is {step.verdict}") for step in trail.steps if step.verdict in {"altered", "missing"}]
    return min(doubts, key=lambda doubt: doubt[0], default=(total + 1, "every step before it ended well and stands"))


_OF_ALL = frozenset(("job", "created_at", "database"))
"""Fields of a whole job: where one does not hold, no step of it can be confirmed."""


def _doubt(step: SavedStep) -> str:
    if step.ending is None:
        return "it never ended here; its outcome is unknown"
    if step.ending.outcome in {"error", "denied"}:
        word = "failed" if step.ending.outcome == "error" else "was denied"
        return f"it {word}, and was not repeated with success since"
    return f"its outcome is unknown ({step.ending.outcome})"


def remarks_on(wrap: Wrap, pickups: Iterable[Pickup], producer: str) -> tuple[str, ...]:
    """What `producer` must know before they pick a wrap up: that it is for another, that another has it already."""
    remarks: list[str] = []
    names = {producer.casefold(), producer.partition(":")[2].casefold()}
    if wrap.recipient and wrap.recipient.casefold() not in names:
        remarks.append(f"this wrap is for {wrap.recipient}, not for {producer}")
    if taken := [pickup for pickup in pickups if pickup.wrap == wrap.id]:
        last = max(taken, key=lambda pickup: pickup.at)
        remarks.append(f"{last.producer} picked this wrap up already, at {last.at}")
    return tuple(remarks)


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


def _verifybearing(record: Record, trail: Trail) -> tuple[tuple[Checked, ...], tuple[Fault, ...]]:
    checked: list[Checked] = []
    problems: list[Fault] = []
    for step in bearing(trail):
        if step.link is None:
            continue
        found = verify_job(record, trail.job, step.link.receipt)
        worst: Verdict = found.problems[0].verdict if found.problems else "unchanged"
        checked.append(Checked(step.seq, step.link.receipt, worst))
        problems += found.problems
    return tuple(checked), tuple(problems)
