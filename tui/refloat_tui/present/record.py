"""What the record holds, in words: links of a chain, a job, a check, a holder.

Decides wording. Never says that a step was right: a receipt proves that what was saved is unchanged, and nothing more.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from refloat.model.record import (
    Decision,
    Fault,
    Link,
    Pickup,
    SavedStep,
    TiedJob,
    Trail,
    Verdict,
    Verified,
    Wrap,
    bearing,
)
from refloat.model.saving import RULE, SavedOutcome
from refloat.model.stamp import Stamp
from refloat.text import inert_line, one_line
from refloat_tui.present import QUIET, STRONG, Pieces
from refloat_tui.present.age import absolute, age, clock_time, duration
from refloat_tui.present.saved_words import RUNNING, VERDICTS, ending_words, latest, short_producer
from refloat_tui.theme import Glyphs

if TYPE_CHECKING:
    from refloat.usecases.hand_over import PickedUp

_VERDICT_STYLES: Final[dict[Verdict, str]] = {
    "unchanged": "$pile-saved",
    "altered": "$pile-gone bold",
    "missing": "$pile-gone bold",
    "not_checked": "$pile-claimed",
}
_OUTCOME_STYLES: Final[dict[SavedOutcome, str]] = {
    "ok": "$pile-saved",
    "error": "$pile-gone",
    "denied": "$pile-claimed",
    "interrupted": "$pile-claimed",
    "dangling": "$pile-claimed",
}
_TIES: Final = {"session": "this session is on it", "workspace": "done in this workspace", None: ""}
_FAULTS: Final = 3
AnyLink = SavedStep | Wrap | Pickup | Decision


def verdict_piece(verdict: Verdict) -> tuple[str, str]:
    """`unchanged since saved`, never `correct`."""
    return VERDICTS[verdict], _VERDICT_STYLES[verdict]


def step_sign(step: SavedStep, glyphs: Glyphs) -> tuple[str, str]:
    """One sign for how a step ended, or for where the crash sits."""
    if step.ending is None:
        return (glyphs.dangling, "$pile-claimed") if step.running is not False else (glyphs.failed, "$state-failed")
    signs: dict[SavedOutcome, str] = {
        "ok": glyphs.ok,
        "error": glyphs.error,
        "denied": glyphs.denied,
        "interrupted": glyphs.interrupted,
        "dangling": glyphs.dangling,
    }
    return signs[step.ending.outcome], _OUTCOME_STYLES[step.ending.outcome]


def step_what(step: SavedStep) -> Pieces:
    """The tool, and what it was."""
    tool, summary = inert_line(step.opening.tool), one_line(step.opening.summary)
    label: Pieces = (("  reconstruction", "$pile-claimed"),) if step.opening.origin == "reconstruction" else ()
    return ((f"{tool}  ", QUIET), (summary or tool, ""), *label)


def step_state(step: SavedStep, verdict: Verdict) -> tuple[str, str]:
    """The verdict of a sealed step; of one in flight, whether it still runs."""
    if step.ending is not None and step.opening.origin == "reconstruction" and verdict not in {"altered", "missing"}:
        return "reconstructed", "$pile-claimed"  # a transcript told it: that its words are unchanged says little
    if step.ending is not None or verdict == "altered":
        return verdict_piece(verdict)
    if step.running is False:
        return "a crash sits here", "$state-failed bold"
    return ("still runs", "$state-live") if step.running else ("may still run", "$pile-claimed")


def handover_words(link: Wrap | Pickup | Decision) -> Pieces:
    """A wrap, a pickup or a decision on a line."""
    match link:
        case Wrap():
            to = f"for {inert_line(link.recipient)}" if link.recipient else "for whoever picks it up"
            made = "automatic wrap" if link.automatic else "wrap"
            return ((f"{made}  ", "$accent"), (one_line(link.summary), ""), (f"  {to}", QUIET))
        case Pickup():
            at = "" if link.continue_at is None else f"goes on at step {link.continue_at}"
            of = f"wrap {link.wrap[:8]}" if link.wrap else "the job, which had no wrap"
            return (("pickup  ", "$accent"), (at, ""), (f"  {of}", QUIET))
        case Decision():
            return (("decision  ", "$accent"), *decision_words(link))


def decision_words(decision: Decision) -> Pieces:
    """`accepted by ada, release ok`."""
    style = {"accepted": "$pile-saved", "pending": "$pile-claimed", "declined": "$pile-gone"}[decision.status]
    about = f", on receipt {decision.about[:8]}" if decision.about else ""
    release = f", release {decision.release}" if decision.release else ""
    note = f"  {one_line(decision.note)}" if decision.note else ""
    by = inert_line(decision.decided_by)
    return ((decision.status, f"{style} bold"), (f" by {by}{release}{about}", ""), (note, QUIET))


def producer_of(link: AnyLink) -> str:
    """Who made it."""
    match link:
        case SavedStep():
            return short_producer(inert_line(link.opening.producer))
        case Decision():
            return inert_line(link.decided_by)
        case Wrap() | Pickup():
            return short_producer(inert_line(link.producer))


def time_of(link: AnyLink) -> Stamp:
    """When it was sealed, or began."""
    if isinstance(link, SavedStep):
        return link.ending.ended_at if link.ending else link.opening.started_at
    return link.at


# ── a job ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def job_line(tied: TiedJob | None, trail: Trail, at: int, of: int, glyphs: Glyphs) -> Pieces:
    """Name, how its steps ended, and that there are others."""
    dot = f" {glyphs.dot} "
    ended = ", ".join(f"{count} {word}" for word, count in trail.outcomes) or "no step sealed yet"
    facts = [ended]
    if flying := sum(step.ending is None for step in trail.steps):
        facts.append(f"{flying} in flight")
    if of > 1:
        facts.append(f"{at} of {of}, o next")
    if tied is not None and (words := _TIES[tied.tie]):
        facts.append(words)
    return (("JOB   ", f"{QUIET} bold"), (inert_line(trail.job), "bold"), (dot + dot.join(facts), QUIET))


def goal_line(trail: Trail) -> Pieces:
    """What it is for."""
    goal = one_line(trail.goal or "")
    return (("GOAL  ", f"{QUIET} bold"), (goal, "") if goal else ("no wrap names one", QUIET))


def check_line(verified: Verified | None, at: Stamp | None) -> Pieces:
    """What the last check found, or what was compared without one."""
    head = ("CHECK ", f"{QUIET} bold")
    if verified is None:
        return (head, ("fields fit their receipts where it says so; v re-hashes every byte", QUIET))
    when = f" at {clock_time(at)}" if at is not None else ""
    if verified.ok:
        words = f"{_links(verified.checked)} unchanged since saved, bytes included{when}"
        return (head, (words, "$pile-saved"), (f", {verified.signature.replace('_', ' ')}", QUIET))
    told = "; ".join(fault_words(fault) for fault in verified.problems[:_FAULTS])
    more = f"; and {len(verified.problems) - _FAULTS} more" if len(verified.problems) > _FAULTS else ""
    return (head, (f"NOT what was saved{when}: ", "$pile-gone bold"), (told + more, "$pile-gone"))


def checking_line(done: int, of: int, glyphs: Glyphs) -> Pieces:
    """How far a check has come."""
    bar = 20
    full = bar * done // of if of else 0
    drawn = ("#" if glyphs.ascii else glyphs.bar) * full
    words = f" {done:,} of {_links(of)} re-hashed; x stops" if of else " reading the chain; x stops"
    return (("CHECK ", f"{QUIET} bold"), (drawn, "$accent"), ("." * (bar - full), "$faint"), (words, QUIET))


def fault_words(fault: Fault) -> str:
    """`step 2, output: its bytes are not kept any more`."""
    where = "the job" if fault.seq is None else f"step {fault.seq}"
    return f"{where}, {inert_line(fault.field)}: {one_line(fault.what)}"


def _links(count: int) -> str:
    return f"{count:,} {'link' if count == 1 else 'links'}"


def waits_line(trail: Trail) -> Pieces:
    """What waits for somebody: decisions that are pending, a crash; else what was decided last; nothing where none."""
    decided = latest(trail.decisions)
    waits = [one for one in decided if one.status == "pending"]
    crashed = [step for step in trail.steps if step.ending is None and step.running is False]
    if crashed:
        numbers = ", ".join(f"#{step.seq}" for step in crashed[:5])
        words = f"nobody knows what {numbers} did: look before it is repeated"
        return (("WAITS ", "$pile-claimed bold"), (words, "$pile-claimed"))
    if waits:
        return (("WAITS ", "$pile-claimed bold"), *decision_words(waits[0]))
    return (("NOW   ", f"{QUIET} bold"), *decision_words(decided[0])) if decided else ()


def tied_row(tied: TiedJob, now: Stamp) -> tuple[Pieces, str, Pieces, str]:
    """A job in a list: name with what ties it, steps, what is decided or in flight, age. The job of a recovery is told
    apart by its session's title: the ids in two such names are alike as far as they are seen.
    """
    job = tied.job
    steps = f"{job.steps:,} {'step' if job.steps == 1 else 'steps'}"
    state: Pieces = ((job.status or "", QUIET),)
    if job.status and job.status_verdict != "unchanged":
        state = ((job.status_verdict, "$pile-gone bold"),)
    if job.in_flight:
        state = ((f"{job.in_flight} in flight", "$pile-claimed"),)
    style = STRONG if tied.tie == "session" else ""
    name: Pieces = (
        (f"recovery of {one_line(tied.title)}" if tied.title else inert_line(job.name), style),
        (f"  {_TIES[tied.tie]}", "$accent"),
        (f"  {inert_line(job.name)}" if tied.title else "", QUIET),
    )
    return name, steps, state, age(job.last_at or job.created_at, now)


# ── one link, whole ──────────────────────────────────────────────────────────────────────────────────────────────────


def link_facts(link: AnyLink, verdict: Verdict) -> Iterator[tuple[str, str]]:
    """Everything of one link: label and words."""
    match link:
        case SavedStep():
            yield from _step_facts(link, verdict)
        case Wrap():
            yield "wrap", f"{link.id[:12]}, by {inert_line(link.producer)}, {absolute(link.at)}"
            yield "for", inert_line(link.recipient or "") or "whoever picks it up"
            yield "goal", inert_line(link.goal) or "none"
            yield "done", link.summary
            yield from (("next", text) for text in link.next_steps)
            yield from (("unsure", text) for text in link.not_checked)
        case Pickup():
            yield "pickup", f"by {inert_line(link.producer)}, {absolute(link.at)}"
            yield "of", f"wrap {link.wrap[:12]}" if link.wrap else "the job, which had no wrap"
            for each in link.checked:
                yield "verified", f"#{each.seq}: {VERDICTS[each.verdict]}"
            if link.continue_at is not None:
                yield "goes on", f"at step {link.continue_at}"
        case Decision():
            yield "decision", "".join(text for text, _ in decision_words(link)).strip() + f", {absolute(link.at)}"
    if not isinstance(link, SavedStep):
        yield from _link_facts(link.link, link.note, verdict)


def _step_facts(step: SavedStep, verdict: Verdict) -> Iterator[tuple[str, str]]:
    opening, ending = step.opening, step.ending
    label = ", a reconstruction" if opening.origin == "reconstruction" else ""
    yield f"#{step.seq}", f"{inert_line(opening.tool)}: {inert_line(opening.summary)}"
    state = ending_words(step) if ending else f"in flight, {RUNNING[step.running]}"
    took = duration(opening.started_at, ending.ended_at) if ending else ""
    yield "state", f"{state}, began {absolute(opening.started_at)}{f', took {took}' if took else ''}"
    yield "by", f"{inert_line(opening.producer)}{label}"
    if opening.workspace:
        yield "in", inert_line(opening.workspace)
    for name, size, sha in (
        ("input", step.input_bytes, step.input_sha256),
        ("output", step.output_bytes, step.output_sha256),
    ):
        if sha is not None:
            yield name, f"{size or 0:,} bytes, SHA-256 {sha[:16]}"
    before, after = opening.tree, ending.tree if ending else None
    yield "HEAD", f"{_head(before.head, before.unknown)} before, {_head(*after[::2]) if after else 'no end'} after"
    if step.link is not None:
        yield from _link_facts(step.link, ending.note if ending else None, verdict)


def _head(head: str | None, unknown: str | None) -> str:
    return head[:9] if head else f"unknown ({inert_line(unknown)})" if unknown else "unknown"


def _link_facts(link: Link, note: str | None, verdict: Verdict) -> Iterator[tuple[str, str]]:
    if note:
        yield "note", note
    yield "receipt", f"{link.receipt[:16]}, number {link.sealed} of the chain, {VERDICTS[verdict]}"


# ── picking up ───────────────────────────────────────────────────────────────────────────────────────────────────────


def bearing_words(trail: Trail) -> str:
    """The receipts that a pickup verifies."""
    numbers = [f"#{step.seq}" for step in bearing(trail)]
    if not numbers:
        return "no sealed step ended well: there is no receipt to begin with"
    if not trail.load_bearing:
        return f"{numbers[0]}, the newest that ended well: nothing is known to rest on another"
    return f"{' and '.join(numbers)}: most of what came later rests on {'it' if len(numbers) == 1 else 'them'}"


def picked_facts(picked: "PickedUp") -> Iterator[tuple[str, str]]:
    """What whoever picked a job up must know now."""
    yield from (("MIND", remark) for remark in picked.remarks)
    yield "GO ON", f"at step {picked.pickup.continue_at}"
    yield "RULE", RULE
    for each in picked.checked:
        yield "VERIFIED", f"#{each.seq} from its bytes up: {VERDICTS[each.verdict]}"
    if not picked.checked:
        yield "VERIFIED", "nothing: no sealed step ended well"
    yield from (("BROKEN", fault_words(fault)) for fault in picked.problems)
    for step in picked.unsettled:
        state = RUNNING[step.running] if step.ending is None else ending_words(step)
        yield "NOT DONE", f"#{step.seq} {one_line(step.opening.summary or step.opening.tool)}: {state}"
    if picked.wrap is not None:
        yield from link_facts(picked.wrap, picked.wrap.verdict)
    yield "SEALED", f"this pickup has the receipt {picked.pickup.link.receipt[:16]}"


# ── who is there ─────────────────────────────────────────────────────────────────────────────────────────────────────


def worst(own: Verdict, faults: Sequence[Fault]) -> Verdict:
    """The verdict of a link with what a check found of it."""
    found: set[Verdict] = {own, *(fault.verdict for fault in faults)}
    ordered: tuple[Verdict, ...] = ("altered", "missing", "not_checked", "unchanged")
    return next(verdict for verdict in ordered if verdict in found)
