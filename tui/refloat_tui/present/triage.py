"""Findings as cards: what, the verdict in a word, the evidence in a line; and what stands beside the piles."""

from collections.abc import Iterable
from typing import Final

from refloat.model.fate_words import PLACE_WORDS
from refloat.model.recovery import Pile
from refloat.model.triage import ActionOutcome, DoNotRepeat, Finding, FindingVerdict, StillOpen, Triage
from refloat.text import inert_line, one_line
from refloat.usecases.recover import Card
from refloat_tui.present import QUIET, STRONG, Pieces
from refloat_tui.present.age import timed_line
from refloat_tui.theme import Glyphs

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
    "claimed": "Nothing was claimed without evidence.",
    "gone": "Nothing is lost.",
}


def pile_words(found: Iterable[Card], pile: Pile) -> str:
    """What a count alone would hide, behind it: ` (1 failed, 2 confirmed)` of the saved, ` (1 unknown, 1 lost)` of what
    is gone; "" where all are of one sort. What a tired reader must not take for the other sort comes first.
    """
    cards = [card for card in found if card.pile == pile]
    own = [card.finding for card in cards]
    failed, unknown = sum(finding.failed for finding in own), sum(finding.unknown for finding in own)
    doubtful = sum(finding.unconfirmed for finding in own)
    seen = sum(finding.verdict is FindingVerdict.CONFIRMED and not finding.unconfirmed for finding in own)
    lost = sum(finding.verdict is FindingVerdict.LOST and not finding.unconfirmed for finding in own) - unknown
    moved = sum(card.pile != card.found and not _counted(card.finding, pile) for card in cards)
    told = {
        "saved": [(failed, "failed"), (seen if seen != len(own) else 0, "confirmed"), (moved, "moved")],
        "claimed": [(moved, "moved")],
        "gone": [
            (unknown, "unknown"),
            (doubtful if doubtful != len(own) else 0, "unconfirmed"),
            (lost if unknown or doubtful or moved else 0, "lost"),
            (moved, "moved"),
        ],
    }[pile]
    words = ", ".join(f"{count} {word}" for count, word in told if count)
    return f" ({words})" if words else ""


def _counted(finding: Finding, pile: Pile) -> bool:
    """Whether a pile counts it by what it is, wherever it was found."""
    if pile == "saved":
        return finding.failed or finding.verdict is FindingVerdict.CONFIRMED
    return pile == "gone" and (finding.unknown or finding.verdict is FindingVerdict.LOST)


def verdict(card: Card) -> tuple[str, str]:
    """How a finding is known, in a word, and the name of its colour; what a person moved says from where."""
    if card.pile != card.found:
        return f"was {card.found}", "$person"
    if card.finding.unconfirmed:
        return card.finding.known_as, "$pile-claimed"
    return card.finding.known_as, "$pile-gone" if card.finding.failed else _VERDICTS[card.finding.verdict]


def kind_words(finding: Finding) -> str:
    """What sort of work it is; a claim says what it claims."""
    kind = one_line(finding.claim or finding.kind).replace("_", " ")
    return f"claim: {kind}" if finding.claim else kind


def what_words(finding: Finding, glyphs: Glyphs) -> str:
    """What it is; a claim between the marks of a quotation. A check that failed and an action that nobody knows to have
    happened begin with that: a pile's name alone would call the one done and the other lost.
    """
    what = inert_line(finding.what) if finding.files else one_line(finding.what)
    if finding.failed or finding.unknown:
        what = f"{'failed' if finding.failed else 'outcome unknown'}: {what}"
    return f"{glyphs.quotes[0]}{what}{glyphs.quotes[1]}" if finding.claim else what


def evidence(card: Card, glyphs: Glyphs) -> Pieces:
    """The evidence in a line: what it says, then where it stands."""
    finding, facts = card.finding, list[str]()
    if finding.why:
        facts.append(timed_line(finding.why))
    if finding.steps:
        facts.append(("step " if len(finding.steps) == 1 else "steps ") + ", ".join(map(str, finding.steps[:6])))
    if finding.subagent:
        facts.append(f"sub-agent {inert_line(finding.subagent)}")
    if finding.message is not None:
        facts.append(f"said in item {finding.message}")
    if finding.recoverable_from:
        places = ", ".join(PLACE_WORDS[place.source] for place in finding.recoverable_from)
        facts.append(f"recoverable from {places}")
    said: Pieces = ()
    if card.reason:  # between marks of its own: the evidence behind it is nobody's word
        said = ((f"{glyphs.quotes[0]}{one_line(card.reason)}{glyphs.quotes[1]} {glyphs.dot} ", "$person"),)
    return (*said, (f" {glyphs.dot} ".join(facts), QUIET))


def card_words(card: Card, glyphs: Glyphs) -> Pieces:
    """All of a card on as many lines as it takes."""
    word, style = verdict(card)
    head: Pieces = (
        (what_words(card.finding, glyphs), STRONG),
        (f"  {kind_words(card.finding)}", QUIET),
        (f"  {word}", style),
        ("  looked at" if card.looked else "", "$accent"),
        ("\n", ""),
    )
    back = card.finding.kind == "edit" and card.pile == "gone" and bool(card.finding.recoverable_from)
    way: Pieces = ((f" {glyphs.dot} ", QUIET), ("`refloat salvage` writes it out (Y)", STRONG)) if back else ()
    return (*head, *evidence(card, glyphs), *way)


def nothing_beside(triage: Triage) -> str:
    """What stands where no action outside and no open work is listed: only without an open step is it nothing."""
    steps = sorted({(row.subagent or "", step) for row in triage.gone if row.kind == "dangling" for step in row.steps})
    if not steps:
        return "Nothing was done outside the checkout, and nothing runs beside it."
    named = ", ".join(f"{step}{f' of sub-agent {inert_line(agent)}' if agent else ''}" for agent, step in steps[:6])
    words = f"step {named}" if len(steps) == 1 else f"steps {named}"
    return f"What {words} did outside the checkout is not known: no result is recorded."


_SIGNS: Final[dict[ActionOutcome, tuple[str, str]]] = {
    ActionOutcome.UNKNOWN: ("unknown", "$pile-claimed"),
    ActionOutcome.NOT_STARTED: ("not started", QUIET),
    ActionOutcome.DONE: ("done", "$pile-saved"),
}
"""In the order in which they need a person."""


def order_of(row: DoNotRepeat) -> int:
    """Those that need a person come first."""
    return list(_SIGNS).index(row.outcome)


def action_words(row: DoNotRepeat, glyphs: Glyphs) -> tuple[Pieces, Pieces, Pieces]:
    """Sign and outcome; the action; its step, and how often it was tried."""
    glyph = {
        ActionOutcome.DONE: glyphs.ok,
        ActionOutcome.UNKNOWN: glyphs.unknown,
        ActionOutcome.NOT_STARTED: glyphs.unbound,
    }[row.outcome]
    word, style = _SIGNS[row.outcome]
    times = f"{row.times} times, " if row.times > 1 else ""
    step = f"step {row.step}" + (f" of {inert_line(row.subagent)}" if row.subagent else "")
    return ((f"{glyph} {word}", style),), ((one_line(row.action), ""),), ((f"{times}{step}", QUIET),)


def still_open_words(work: StillOpen, glyphs: Glyphs) -> tuple[Pieces, Pieces, Pieces]:
    """Sign and whether it runs; what it is; its kind and process."""
    words, style, glyph = {
        True: ("running", "$state-live", glyphs.live),
        False: ("ended", QUIET, glyphs.unbound),
        None: ("not known", "$pile-claimed", glyphs.unknown),
    }[work.running]
    if work.kind == "queued_prompt":
        words, style, glyph = "unsent", "$pile-claimed", glyphs.prompt
    pid = f", pid {work.pid}" if work.pid else ""
    why = f": {timed_line(work.why)}" if work.why else ""
    return (
        ((f"{glyph} {words}", style),),
        ((one_line(work.what), ""),),
        ((f"{work.kind.replace('_', ' ')}{pid}{why}", QUIET),),
    )
