"""The record's answers for a person: trails, jobs, checks, pickups."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from refloat.model.record import Decision, Fault, Job, Pickup, SavedStep, Trail, Verified, Wrap
from refloat.model.saving import RULE, RULE_RECONSTRUCTED, Status
from refloat.text import one_line
from refloat_tui.cli import out
from refloat_tui.cli.show.table import columns, counted, labelled, section
from refloat_tui.present.saved_words import VERDICTS, ending_words, latest, short_producer, verdict_words

if TYPE_CHECKING:
    from refloat.usecases.hand_over import PickedUp
    from refloat.usecases.known_keys import KnownKey
    from refloat.usecases.tie_job import Tie


def trail_lines(trail: Trail, width: int) -> Iterator[str]:
    """A job's trail: the rule, what was decided against it, what is in flight, failed, much rests on, the newest."""
    yield from labelled("JOB", trail.job, width)
    yield from labelled("GOAL", trail.goal or "no wrap names one", width)
    ended = [f"{count} {word}" for word, count in trail.outcomes] or ["none sealed yet"]
    ended += [f"{trail.in_flight} in flight"] if trail.in_flight else []
    ended += [f"{trail.reconstructed} of them reconstructed"] if trail.reconstructed else []
    yield from labelled("STEPS", ", ".join(ended), width)
    yield from labelled("RULE", RULE, width)
    if trail.reconstructed:
        yield from labelled("", RULE_RECONSTRUCTED, width)
    decisions = latest(trail.decisions)
    yield from section("DECLINED", _decision_lines(decisions, "declined", width))
    yield from section("WAITS FOR A DECISION", _decision_lines(decisions, "pending", width))
    flying = [step for step in trail.steps if step.ending is None]
    yield from section("IN FLIGHT", step_rows(flying, width))
    failed = [step for step in trail.steps if step.ending is not None and step.ending.outcome != "ok"]
    yield from section("FAILED LAST", step_rows(failed[:_FAILED], width, [_repeated(each, trail) for each in failed]))
    bearing = [step for seq in trail.load_bearing for step in trail.steps if step.seq == seq]
    yield from section("VERIFY FIRST", step_rows(bearing, width, [_rests(many) for many in trail.resting]))
    rest = [step for step in trail.steps if step.ending is not None]
    yield from section("NEWEST FIRST", step_rows(rest, width))
    if trail.omitted:
        total = trail.omitted + len(trail.steps)
        yield f"  {counted(trail.omitted, 'more step')}: `refloat trail {trail.job} --limit {total}`"
    for wrap in trail.wraps[:1]:
        yield from wrap_lines(wrap, width)
    yield from section("OLDER WRAPS", columns([_wrap_row(wrap) for wrap in trail.wraps[1:]], width))
    yield from section("PICKED UP", columns([_pickup_row(each) for each in trail.pickups], width))
    yield from section("ACCEPTED", _decision_lines(decisions, "accepted", width))
    yield from ["", "Receipts were compared, outputs were not read: `refloat verify " + trail.job + "` does both."]


def step_rows(steps: Sequence[SavedStep], width: int, reasons: Sequence[str] = ()) -> list[str]:
    """A line for each step, with the reason why it stands there; the name of a file at its end is never cut away."""
    rows = [(*step_row(step)[:-1], "") for step in steps]
    if width - max((len(line) for line in columns(rows, width)), default=0) - 2 < _ROOM:
        rows = [(*row[:-2], "") for row in rows]  # who did it gives way to what was done
    room = width - max((len(line) for line in columns(rows, width)), default=0) - 2
    listed = [*reasons, *("" for _ in steps)]
    told = [f"{reason}: " if reason else "" for reason in listed[: len(steps)]]
    whats = [
        f"{reason}{_fit(_what(step), max(20, room - len(reason)))}" for reason, step in zip(told, steps, strict=True)
    ]
    return columns([(*row[:-1], what) for row, what in zip(rows, whats, strict=True)], width)


def _what(step: SavedStep) -> str:
    """What was done; the tool where a summary does not say it, and a person's note."""
    opening = step.opening
    what = one_line(opening.summary or opening.tool)
    if opening.origin != "run" and opening.tool.casefold() not in what.casefold():
        what = f"{opening.tool} {what}"
    note = step.ending.note if step.ending is not None and opening.origin != "reconstruction" else None
    return f"{what} ({one_line(note)})" if note else what


def _fit(what: str, room: int) -> str:
    """Cut in the middle: how it begins says what was done, how it ends says to which file."""
    if len(what) <= room:
        return what
    end = max(room // 2, min(len(what.rpartition("/")[2]) + 1, room - 10))
    return f"{what[: room - end - 1]}…{what[-end:]}"


def _repeated(step: SavedStep, trail: Trail) -> str:
    same = (step.opening.tool, step.opening.summary)
    again = [
        each.seq
        for each in trail.steps
        if each.seq > step.seq
        and each.ending is not None
        and each.ending.outcome == "ok"
        and each.verdict == "unchanged"
        and (each.opening.tool, each.opening.summary) == same
    ]
    return f"ended well later, as #{min(again)}" if again else ""


def _rests(many: int) -> str:
    if not many:
        return "the last that changed the checkout"
    return f"{counted(many, 'later step')} {'rests' if many == 1 else 'rest'} on it"


def step_row(step: SavedStep) -> Sequence[str]:
    """One step on one line."""
    return (f"#{step.seq}", ending_words(step), verdict_words(step), short_producer(step.opening.producer), _what(step))


_FAILED: Final = 5
_ROOM: Final = 30
"""Columns for what was done, at least."""
_RECEIPT: Final = 12
"""Digits of a receipt for a person; JSON has all."""


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


def _wrap_row(wrap: Wrap) -> Sequence[str]:
    kind = "automatic, " if wrap.automatic else ""
    return (wrap.id[:12], wrap.at, wrap.producer, kind + VERDICTS[wrap.verdict], one_line(wrap.summary))


def _pickup_row(pickup: Pickup) -> Sequence[str]:
    wrap = pickup.wrap[:12] if pickup.wrap else "no wrap"
    goes_on = f"goes on at step {pickup.continue_at}" if pickup.continue_at is not None else ""
    return (pickup.at, pickup.producer, wrap, VERDICTS[pickup.verdict], goes_on)


def _decision_lines(decisions: Sequence[Decision], status: Status, width: int) -> list[str]:
    """The decisions of that status, wrapped: what they do not cover must not be cut away."""
    lines: list[str] = []
    for each in decisions:
        said = [
            f"on receipt {each.about[:_RECEIPT]}" if each.about else _covers(each.at_step, each.since),
            f"release {each.release}" if each.release else "",
            each.note or "",
        ]
        told = "; ".join(part for part in said if part)
        if each.status == status:
            line = f"by {each.decided_by}, {each.at}, {VERDICTS[each.verdict]}: {told}"
            lines += labelled(f"  {each.status}", line, width, 12)
    return lines


def _covers(at_step: int | None, since: int) -> str:
    """What a decision speaks of: what was there when it was made."""
    at = "before any step" if at_step is None else f"at step {at_step}"
    if not since:
        return at
    return f"{at}, {counted(since, 'step')} since {'is' if since == 1 else 'are'} not covered"


def keys_lines(keys: Sequence["KnownKey"], width: int) -> Iterator[str]:
    """Every key on a line, whole: it is copied from here."""
    del width
    yield from [f"{each.key}  {each.name}{'  (own)' if each.own else ''}" for each in keys] or ["no key is known here"]


def jobs_lines(jobs: Sequence[Job], ties: "Sequence[Tie]", width: int) -> Iterator[str]:
    """Every job on a line, below a heading, and the directories of this machine whose work goes to one."""
    if not jobs:
        yield "no job yet: `refloat run --job JOB -- COMMAND` saves a first step"
    heading = ("LAST ACTIVITY", "STEPS", "IN FLIGHT", "DECIDED", "JOB")
    rows = [
        (
            job.last_at or job.created_at,
            str(job.steps),
            str(job.in_flight) if job.in_flight else "-",
            _decided(job),
            job.name,
        )
        for job in jobs
    ]
    whole = not out.is_bounded()  # a name that is cut is none: another command is to take it
    yield from columns([heading, *rows], width, "", whole=whole) if rows else []
    yield from section("TIED", columns([(each.workspace, each.job) for each in ties], width, whole=whole))


def _decided(job: Job) -> str:
    if job.status is None:
        return "-"
    if job.status_verdict != "unchanged":
        return f"{job.status_verdict.upper()}: not what was decided"
    return f"{job.status} {_covers(job.status_at, job.status_since)}"


def verified_lines(found: Verified, width: int) -> Iterator[str]:
    """What a check found."""
    what = f"job {found.job}" if found.job is not None else "file"
    verdict = "consistent with itself" if found.by_itself else "unchanged since saved"
    if found.problems and not found.checked and not any(each.verdict != "not_checked" for each in found.problems):
        verdict = "nothing of it could be checked"
    elif not found.ok:
        verdict = "NOT what was saved"
    elif found.problems:
        verdict = "not all of it could be checked"
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
    for remark in found.remarks:
        yield from labelled("NOT KNOWN", remark, width)


def fault_lines(faults: Sequence[Fault], width: int) -> Iterator[str]:
    """What does not hold, a line each."""
    rows = [
        (VERDICTS[fault.verdict], "job" if fault.seq is None else f"#{fault.seq}", fault.field, fault.what)
        for fault in faults
    ]
    yield from section("DOES NOT HOLD", columns(rows, width))


def pickup_lines(picked: "PickedUp", width: int) -> Iterator[str]:
    """The first moves of whoever picked a job up."""
    for remark in picked.remarks:
        yield from labelled("MIND", remark, width)
    yield from trail_lines(picked.trail, width)
    rows = [(f"#{each.seq}", VERDICTS[each.verdict], each.receipt[:_RECEIPT]) for each in picked.checked]
    yield from section("VERIFIED FROM THE BYTES UP", columns(rows, width))
    yield from fault_lines(picked.problems, width)
    altered = [step for step in picked.trail.steps if step.verdict in {"altered", "missing"}]
    undone = {step.seq: step for step in (*picked.unsettled, *altered)}
    rows_ = step_rows([undone[seq] for seq in sorted(undone)], width)
    yield from section("NOT TO BE TAKEN FOR DONE", rows_)
    pickup = picked.pickup
    yield from ["", f"Go on at step {pickup.continue_at}: {picked.why}."]
    yield f"This pickup has the receipt {pickup.link.receipt[:_RECEIPT]}."
