"""The trail of a job: what a newcomer must know first, bounded, and without reading a single output.

Decides what is shown where not all is: what is in flight, what failed last, what most later steps rest on, the newest;
none of these takes the place of all the others. What was altered counts as altered, not as what it says.
A step rests on the one that left the checkout which it started from, or the output that was its input. Decides what
nobody may take for done, too: steps in flight, or of unknown outcome.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from refloat.model.record import Decision, Job, SavedStep, TiedBy, TiedJob, Trail, Verdict
from refloat.model.saving import STATUSES, LinkKind, Origin
from refloat.model.stamp import Stamp
from refloat.record.checking import quick_verdict
from refloat.record.engine import Connection, Row
from refloat.record.receipts import altered_fields, altered_opening
from refloat.record.rows import get_stamp, get_text, number, stamp, text
from refloat.record.store import Record
from refloat.record.values import decision_of, pickup_of, step_of, wrap_of
from refloat.record.whole import no_such_job

SHOWN: Final = 40
"""Steps of a trail, unless more are asked for."""
LOAD_BEARING: Final = 2
_CANDIDATES: Final = 10
_FAILURES: Final = 5
_IN_FLIGHT: Final = 10
_HANDOVERS: Final = 5


def load_trail(record: Record, job: str, limit: int = SHOWN) -> Trail:
    """The trail of a job: about `limit` steps, never fewer than those that must be known, and the newest of the rest.

    Raises:
        NoSuchJob: there is none of that name.

    """
    with record.reading() as connection:
        created_at = own_row(connection, job)["created_at"]
        resting = load_bearing(record, connection, job)
        bearing = tuple(resting)
        rows = _shown(connection, job, bearing, limit)
        steps = tuple(_step(record, connection, row, created_at) for row in rows)
        wraps = newest_wraps(connection, job)
        pickups = connection.rows("links.newest_pickups", job=job, many=_HANDOVERS)
        decisions = connection.rows("links.newest_decisions", job=job, many=_HANDOVERS)
        outcomes = connection.rows("links.outcomes", job=job)
        total = number(connection.row("links.count_steps", job=job) or {}, "n") or 0
        return Trail(
            job=job,
            goal=text(wraps[0], "goal") if wraps else None,
            steps=steps,
            load_bearing=bearing,
            wraps=tuple(wrap_of(row, _verdict("wrap", row, created_at)) for row in wraps),
            pickups=tuple(pickup_of(row, _verdict("pickup", row, created_at)) for row in pickups),
            decisions=tuple(_decision(connection, row, created_at) for row in decisions),
            omitted=max(0, total - len(rows)),
            outcomes=_outcomes(outcomes, steps),
            resting=tuple(resting.values()),
            in_flight=number(connection.row("links.count_in_flight", job=job) or {}, "n") or 0,
            reconstructed=number(connection.row("links.all_reconstructed", job=job) or {}, "n") or 0,
        )


def own_row(connection: Connection, job: str) -> Row:
    """A job's own row.

    Raises:
        NoSuchJob: there is none.

    """
    row = connection.row("jobs.one", job=job)
    if row is None:
        raise no_such_job(connection, job)
    return row


def newest_wraps(connection: Connection, job: str) -> Sequence[Row]:
    """The newest wraps, a person's first: an automatic one never buries it."""
    person = connection.row("links.last_own_wrap", job=job)
    newest = connection.rows("links.newest_wraps", job=job, many=_HANDOVERS)
    if person is None:
        return newest
    return [person, *[wrap for wrap in newest if wrap["id"] != person["id"]]]


def load_bearing(record: Record, connection: Connection, job: str) -> dict[int, int]:
    """The steps that most later ones rest on, and how many those are; failed and altered ones are not among them.

    Where nothing says what it rests on: the last step that changed the checkout, with 0. There may be none.
    """
    created_at = own_row(connection, job)["created_at"]
    found: dict[int, int] = {}
    for resting in connection.rows("links.load_bearing", job=job, many=_CANDIDATES):
        seq = number(resting, "seq") or 0
        row = connection.row("links.step_at", job=job, seq=seq)
        if row is not None and _stands(record, connection, row, created_at):
            found[seq] = number(resting, "resting") or 0
        if len(found) == LOAD_BEARING:
            break
    if not found:
        for row in connection.rows("links.newest_sealed", job=job, many=SHOWN):
            if _changed(row) and _stands(record, connection, row, created_at):
                return {number(row, "seq") or 0: 0}
    return found


def _stands(record: Record, connection: Connection, row: Row, created_at: object) -> bool:
    return row["outcome"] == "ok" and quick_verdict(record, connection, row, created_at) == "unchanged"


def _changed(row: Row) -> bool:
    """It is known to have left another checkout than it found."""
    before = (row["head_before"], row["worktree_before"])
    after = (row["head_after"], row["worktree_after"])
    return None not in before and None not in after and before != after


def unsettled(record: Record, connection: Connection, job: str) -> Sequence[SavedStep]:
    """The first steps that nobody may take for done: in flight, or of unknown outcome, and not repeated successfully
    since.
    """
    created_at = own_row(connection, job)["created_at"]
    found: list[SavedStep] = []
    after = 0
    while rows := connection.rows("links.not_done", job=job, after=after, many=SHOWN):
        for row in rows:
            step = _step(record, connection, row, created_at)
            if step.verdict == "altered" or not _is_repeated(record, connection, row, created_at):
                found.append(step)
            if len(found) == SHOWN:
                return found
        after = number(rows[-1], "seq") or 0
    return found


def _is_repeated(record: Record, connection: Connection, row: Row, created_at: object) -> bool:
    """A later step did the very same: the same input in the same directory, saved as it happened, and it stands.

    A summary alone is words: another place or another edit has the same.
    """
    given, workspace = get_text(row, "input_sha256"), get_text(row, "workspace")
    if given is None or workspace is None:
        return False
    same = {"tool": text(row, "tool"), "summary": text(row, "summary"), "workspace": workspace, "given": given}
    after = number(row, "seq") or 0
    later = connection.rows("links.repeats", job=text(row, "job"), after=after, many=_CANDIDATES, **same)
    return any(quick_verdict(record, connection, each, created_at) == "unchanged" for each in later)


def find_jobs(record: Record) -> tuple[Job, ...]:
    """Every job, the one that something happened to last first."""
    with record.reading() as connection:
        jobs = [_job(row, _decided(connection, row)) for row in connection.rows("jobs.all")]
    return tuple(sorted(jobs, key=lambda job: job.last_at or "", reverse=True))


def find_last_done(record: Record, job: str, tool: str, origin: Origin) -> Stamp | None:
    """When the newest step of a tool that came into the record that way ended well; None where there is none."""
    with record.reading() as connection:
        row = connection.row("links.last_done", job=job, tool=tool, origin=origin)
    return None if row is None else get_stamp(row, "ended_at")


def find_tied(
    record: Record, producer: str, places: Sequence[str], *, own: Collection[str] = (), near: Collection[str] = ()
) -> tuple[TiedJob, ...]:
    """Every job: first those that `producer` saved on, then those with a step from one of the directories or below
    it, then the rest; each kind with the newest activity first. `own` and `near` are known to be of the first and the
    second kind.
    """
    with record.reading() as connection:
        mine = {*own, *(row["name"] for row in connection.rows("jobs.of_producer", producer=producer))}
        beside: set[object] = set(near)
        for place in places:
            below = place.rstrip("/") + "/"
            rows = connection.rows("jobs.at_place", place=place, below=below, length=len(below))
            beside |= {row["name"] for row in rows}
    ties: list[TiedBy | None] = ["session", "workspace", None]
    tied = [
        TiedJob(job, "session" if job.name in mine else "workspace" if job.name in beside else None)
        for job in find_jobs(record)
    ]
    return tuple(sorted(tied, key=lambda one: ties.index(one.tie)))


def _shown(connection: Connection, job: str, bearing: Sequence[int], limit: int) -> list[Row]:
    """The steps to show, each once, by number: what must be known first has its place, the newest fill up."""
    some = max(1, limit // 4)
    must: list[Row] = list(connection.rows("links.newest_in_flight", job=job, many=min(_IN_FLIGHT, some)))
    must += connection.rows("links.newest_sealed", job=job, many=1)
    for seq in bearing:
        must += connection.rows("links.step_at", job=job, seq=seq)
    must += connection.rows("links.last_failures", job=job, many=min(_FAILURES, some))
    chosen = {row["id"]: row for row in must}
    for newest in ("links.newest_sealed", "links.newest_steps"):
        for row in connection.rows(newest, job=job, many=limit) if len(chosen) < limit else ():
            if len(chosen) >= limit:
                break
            chosen.setdefault(row["id"], row)
    return sorted(chosen.values(), key=lambda row: number(row, "seq") or 0, reverse=True)


def _step(record: Record, connection: Connection, row: Row, created_at: object) -> SavedStep:
    if row["sealed"] is None:
        return step_of(row, "altered" if altered_opening(row, created_at) else "not_checked")
    return step_of(row, quick_verdict(record, connection, row, created_at))


def _outcomes(rows: Sequence[Row], shown: Sequence[SavedStep]) -> tuple[tuple[str, int], ...]:
    counted = Counter({text(row, "outcome") or "unknown": number(row, "n") or 0 for row in rows})
    for step in shown:
        if step.ending is not None and step.verdict in {"altered", "missing"}:
            counted[step.ending.outcome] -= 1
            counted[step.verdict] += 1
    return tuple(sorted((word, many) for word, many in counted.items() if many > 0))


def _decision(connection: Connection, row: Row, created_at: object) -> Decision:
    return with_coverage(connection, decision_of(row, _verdict("decision", row, created_at)))


def with_coverage(connection: Connection, decision: Decision) -> Decision:
    """A decision on a job with what it covers: the steps that were sealed before it, and no later one."""
    if decision.about is not None:
        return decision
    place = {"job": decision.job, "sealed": decision.link.sealed}
    before = connection.row("links.sealed_before", **place)
    since = connection.row("links.count_since", **place)
    return replace(decision, at_step=number(before or {}, "seq"), since=number(since or {}, "n") or 0)


def _verdict(kind: LinkKind, row: Row, created_at: object) -> Verdict:
    return "altered" if altered_fields(kind, row, created_at) else "unchanged"


def _decided(connection: Connection, job: Row) -> Verdict:
    row = connection.row("links.newest_on_job", job=text(job, "name")) if job["status"] is not None else None
    return "unchanged" if row is None else _verdict("decision", row, job["created_at"])


def _job(row: Row, status_verdict: Verdict) -> Job:
    moments = [get_stamp(row, f"last_{what}") for what in ("started", "ended", "wrap", "pickup", "decision")]
    return Job(
        name=text(row, "name"),
        created_at=stamp(row, "created_at"),
        steps=number(row, "last_seq") or 0,
        in_flight=number(row, "in_flight") or 0,
        wraps=number(row, "wraps") or 0,
        last_at=max((moment for moment in moments if moment is not None), default=None),
        status=next((status for status in STATUSES if status == row["status"]), None),
        status_at=number(row, "status_at"),
        status_since=(number(row, "status_since") or 0) if row["status"] else 0,
        status_verdict=status_verdict,
    )
