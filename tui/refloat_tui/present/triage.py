"""Findings as cards of two lines: what and its verdict, then the evidence."""

from typing import Final, Literal

from refloat.model.triage import ActionOutcome, DoNotRepeat, Finding, FindingVerdict, StillOpen, Triage
from refloat.text import inert_line, one_line
from refloat_tui.present import QUIET, Pieces
from refloat_tui.present.hunk import place_name
from refloat_tui.theme import Glyphs

Pile = Literal["saved", "claimed", "gone"]
PILES: Final[tuple[Pile, ...]] = ("saved", "claimed", "gone")

_VERDICTS: Final[dict[FindingVerdict, str]] = {
    FindingVerdict.CONFIRMED: "$pile-saved",
    FindingVerdict.RECORDED: "$pile-saved",
    FindingVerdict.UNSUPPORTED: "$pile-claimed",
    FindingVerdict.CONTRADICTED: "$pile-gone",
    FindingVerdict.STALE: "$pile-claimed",
    FindingVerdict.LOST: "$pile-gone",
}

EMPTY: Final[dict[Pile, str]] = {
    "saved": "Nothing is proved to stand.",
    "claimed": "No claim without evidence.",
    "gone": "Nothing is lost.",
}


def pile_of(triage: Triage, pile: Pile) -> tuple[Finding, ...]:
    """The findings of one pile."""
    match pile:
        case "saved":
            return triage.saved
        case "claimed":
            return triage.claimed
        case "gone":
            return triage.gone


def finding_head(finding: Finding) -> tuple[Pieces, Pieces]:
    """What it is, and the verdict in a word."""
    word, style = finding.known_as, _VERDICTS[finding.verdict]
    if finding.confirmed is False:
        word, style = "unconfirmed", "$pile-claimed"
    kind = one_line(finding.claim or finding.kind).replace("_", " ")
    return ((one_line(finding.what), ""), (f"  {kind}", QUIET)), ((word, style),)


def finding_evidence(finding: Finding, glyphs: Glyphs) -> Pieces:
    """The evidence, in a line."""
    facts: list[str] = []
    if finding.steps:
        facts.append(("step " if len(finding.steps) == 1 else "steps ") + ", ".join(map(str, finding.steps[:6])))
    if finding.subagent:
        facts.append(f"sub-agent {inert_line(finding.subagent)}")
    if finding.why:
        facts.append(one_line(finding.why))
    if finding.recoverable_from:
        places = ", ".join(place_name(place.source) for place in finding.recoverable_from)
        facts.append(f"recoverable from {places}")
    return ((f" {glyphs.dot} ".join(facts), QUIET),)


def action_line(row: DoNotRepeat, glyphs: Glyphs) -> tuple[Pieces, Pieces]:
    """One row of what must not be repeated: sign, outcome and action; and how to look."""
    glyph, word, style = {
        ActionOutcome.DONE: (glyphs.ok, "done", "$pile-saved"),
        ActionOutcome.UNKNOWN: (glyphs.unknown, "unknown", "$pile-claimed"),
        ActionOutcome.NOT_STARTED: (glyphs.unbound, "not started", QUIET),
    }[row.outcome]
    times = f"  {row.times} times" if row.times > 1 else ""
    head: Pieces = ((f"{glyph} {word:<12}", style), (one_line(row.action), ""), (f"{times}  step {row.step}", QUIET))
    probe = (("              look  ", QUIET), (one_line(" ".join(row.probe)), "$key")) if row.probe else ()
    return head, probe


def still_open_line(work: StillOpen, glyphs: Glyphs) -> Pieces:
    """One row of what runs beside."""
    words, style, glyph = {
        True: ("running", "$state-live", glyphs.live),
        False: ("ended", QUIET, glyphs.unbound),
        None: ("not known", "$pile-claimed", glyphs.unknown),
    }[work.running]
    if work.kind == "queued_prompt":
        words, style, glyph = "unsent", "$pile-claimed", glyphs.prompt
    pid = f"  pid {work.pid}" if work.pid else ""
    kind = work.kind.replace("_", " ")
    why = f": {one_line(work.why)}" if work.why else ""
    return ((f"{glyph} {words:<12}", style), (one_line(work.what), ""), (f"  {kind}{pid}{why}", QUIET))
