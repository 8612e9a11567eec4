"""The record's answers for a person: trails, jobs, checks, pickups."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from refloat.model.record import Decision, Fault, Job, Pickup, SavedStep, Trail, Verified, Wrap
from refloat.model.saving import RULE
from refloat_tui.cli.show.table import columns, counted, labelled, section
from refloat_tui.present.saved_words import RUNNING, VERDICTS, ending_words, latest, short_producer

if TYPE_CHECKING:
    from refloat.usecases.hand_over import PickedUp
    from refloat.usecases.known_keys import KnownKey
    from refloat.usecases.tie_job import Tie


def trail_lines(trail: Trail, width: int) -> Iterator[str]:
    """A job's trail: the rule, what is in flight, what much rests on, the newest, and what others decided."""
    yield from labelled("JOB", trail.job, width)
    yield from labelled("GOAL", trail.goal or "no wrap names one", width)
    ended = ", ".join(f"{count} {word}" for word, count in trail.outcomes) or "none sealed yet"
    yield from labelled("STEPS", ended, width)
    yield from labelled("RULE", RULE, width)
    flying = [step for step in trail.steps if step.ending is None]
    yield from section("IN FLIGHT", columns([step_row(step) for step in flying], width))
    bearing = [step for seq in trail.load_bearing for step in trail.steps if step.seq == seq]
    yield from section("VERIFY FIRST", columns([step_row(step) for step in bearing], width))
    rest = [step for step in trail.steps if step.ending is not None]
    yield from section("NEWEST FIRST", columns([step_row(step) for step in rest], width))
    if trail.omitted:
        total = trail.omitted + len(trail.steps)
        yield f"  {counted(trail.omitted, 'more step')}: `refloat trail {trail.job} --limit {total}`"
    for wrap in trail.wraps:
        yield from wrap_lines(wrap, width)
    yield from section("PICKED UP", columns([_pickup_row(each) for each in trail.pickups], width))
    for title, waits in (("DECIDED", False), ("WAITS FOR A DECISION", True)):
        rows = [_decision_row(each) for each in latest(trail.decisions) if (each.status == "pending") is waits]
        yield from section(title, columns(rows, width))
    yield from ["", "Receipts were compared, outputs were not read: `refloat verify " + trail.job + "` does both."]


def step_row(step: SavedStep) -> Sequence[str]:
    """One step on one line."""
    opening = step.opening
    label = " (reconstruction)" if opening.origin == "reconstruction" else ""
    sealed_or_altered = step.ending is not None or step.verdict == "altered"
    verdict = VERDICTS[step.verdict] if sealed_or_altered else f"{RUNNING[step.running]}, since {opening.started_at}"
    return (
        f"#{step.seq}",
        ending_words(step),
        verdict,
        short_producer(opening.producer) + label,
        opening.summary or opening.tool,
    )


def wrap_lines(wrap: Wrap, width: int) -> Iterator[str]:
    """A wrap, whole."""
    kind = "AUTOMATIC WRAP" if wrap.automatic else "WRAP"
    yield from ["", f"{kind} {wrap.id[:12]} of {wrap.at} by {wrap.producer}, {VERDICTS[wrap.verdict]}"]
    yield from labelled("  for", wrap.recipient or "whoever picks it up", width)
    yield from labelled("  goal", wrap.goal or "none", width)
    yield from labelled("  done", wrap.summary, width)
    for label, texts in (("  next", wrap.next_steps), ("  unsure", wrap.not_checked)):
        for text in texts:
            yield from labelled(label, text, width)


def _pickup_row(pickup: Pickup) -> Sequence[str]:
    wrap = pickup.wrap[:12] if pickup.wrap else "no wrap"
    goes_on = f"goes on at step {pickup.continue_at}" if pickup.continue_at is not None else ""
    return (pickup.at, pickup.producer, wrap, VERDICTS[pickup.verdict], goes_on)


def _decision_row(decision: Decision) -> Sequence[str]:
    waits = f"release {decision.release}" if decision.release else ""
    return (
        decision.status,
        f"by {decision.decided_by}",
        decision.at,
        VERDICTS[decision.verdict],
        waits or decision.note or "",
    )


def keys_lines(keys: Sequence["KnownKey"], width: int) -> Iterator[str]:
    """Every key on a line, whole: it is copied from here."""
    del width
    yield from [f"{each.key}  {each.name}{'  (own)' if each.own else ''}" for each in keys] or ["no key is known here"]


def jobs_lines(jobs: Sequence[Job], ties: "Sequence[Tie]", width: int) -> Iterator[str]:
    """Every job on a line, and the directories of this machine whose work goes to one."""
    rows = [
        (
            job.last_at or job.created_at,
            counted(job.steps, "step"),
            f"{job.in_flight} in flight" if job.in_flight else "",
            job.status or "",
            job.name,
        )
        for job in jobs
    ]
    yield from columns(rows, width, "") or ["no job yet: `refloat run --job JOB -- COMMAND` saves a first step"]
    yield from section("TIED", columns([(each.workspace, each.job) for each in ties], width))


def verified_lines(found: Verified, width: int) -> Iterator[str]:
    """What a check found."""
    what = f"job {found.job}" if found.job is not None else "file"
    verdict = "unchanged since saved" if found.ok else "NOT what was saved"
    yield from labelled("CHECKED", f"{what}: {counted(found.checked, 'link')}, {verdict}", width)
    yield from labelled("SIGNED", found.signature, width)
    rows = [
        (each.signature, counted(each.links, "link"), each.name or "", each.key or "")
        for each in (found.signers if any(each.key for each in found.signers) else ())
    ]
    yield from columns(rows, width)
    if found.in_flight:
        numbers = ", ".join(f"#{seq}" for seq in found.in_flight)
        yield from labelled("IN FLIGHT", numbers, width)
    yield from fault_lines(found.problems, width)


def fault_lines(faults: Sequence[Fault], width: int) -> Iterator[str]:
    """What does not hold, a line each."""
    rows = [
        (VERDICTS[fault.verdict], "job" if fault.seq is None else f"#{fault.seq}", fault.field, fault.what)
        for fault in faults
    ]
    yield from section("DOES NOT HOLD", columns(rows, width))


def pickup_lines(picked: "PickedUp", width: int) -> Iterator[str]:
    """The first moves of whoever picked a job up."""
    yield from trail_lines(picked.trail, width)
    rows = [(f"#{each.seq}", VERDICTS[each.verdict], each.receipt) for each in picked.checked]
    yield from section("VERIFIED FROM THE BYTES UP", columns(rows, width))
    yield from fault_lines(picked.problems, width)
    yield from section("NOT TO BE TAKEN FOR DONE", columns([step_row(step) for step in picked.unsettled], width))
    pickup = picked.pickup
    yield from ["", f"Go on at step {pickup.continue_at}. This pickup has the receipt {pickup.link.receipt}."]
