"""Page 5: did it happen?"""

import shlex
from collections import Counter
from collections.abc import Sequence
from typing import Final

from refloat.model.recovery import LOOKED_SAID, Inspected, LookedAt, LookedSaid, Page, Said
from refloat.model.triage import ActionOutcome
from refloat.text import inert_line, one_line
from refloat.usecases.recover import Card, Recovery, Uncertain, cards, uncertain_rows
from refloat_tui.present import QUIET, STRONG, Pieces
from refloat_tui.present.age import clock_time, local_times
from refloat_tui.present.triage import kind_words, verdict, what_words
from refloat_tui.screens.wizard.pages.view import (
    PERSON,
    Field,
    Look,
    PageView,
    Row,
    gap,
    heading,
    text_lines,
)
from refloat_tui.widgets.cells import Cell

LOOKED_WORDS: Final[dict[LookedSaid, str]] = {
    "happened": "it happened",
    "did_not_happen": "it did not",
    "unknown": "still unknown",
}


class UncertainPage(PageView):
    """Steps without a result, effects outside the checkout first."""

    page = Page.UNCERTAIN
    title = "Uncertain"
    ask = "Did these happen?"
    section = "uncertain"
    offers = frozenset({"choose", "edit", "probe", "undo"})
    rounds = frozenset({"choose"})

    def so_far(self, look: Look) -> str:
        """`2 of 3 unknown`."""
        rows = uncertain_rows(look.recovery)
        open_ = sum(1 for row in rows if row.said == "unknown")
        return f"{open_} of {len(rows)} unknown" if rows else "nothing uncertain"

    def reason(self, look: Look) -> Pieces:
        """Why anybody should look."""
        if uncertain_rows(look.recovery):
            return (("No result was recorded. Look before anybody repeats one; unknown is an honest answer.", QUIET),)
        if _claims(look.recovery):
            return (("Every step has a recorded result. What was claimed without one stands below.", QUIET),)
        return (("Every step has a recorded result, and nothing was claimed without one.", QUIET),)

    def rows(self, look: Look) -> Sequence[Row]:
        """The uncertain ones; below them claims without evidence, and what must not be repeated."""
        found = uncertain_rows(look.recovery)
        rows = [Row(row.key, _cells(row, look)) for row in found]
        claims = _claims(look.recovery)
        if claims:
            rows += [gap("claims gap")] if rows else []
            counts = Counter(card.finding.known_as for card in claims)
            words = ", ".join(f"{many} {known}" for known, many in counts.most_common())
            rows.append(heading("claims", (("CLAIMS NOT BORNE OUT", STRONG), (f"  {words}", QUIET))))
        rows += [Row(f"{_CLAIM}{card.key}", _claim_cells(card, look)) for card in claims]
        done = [row for row in look.recovery.triage.do_not_repeat if row.outcome is not ActionOutcome.UNKNOWN]
        if done:
            rows += [gap("done gap")] if rows else []
            rows.append(heading("done", (("DO NOT REPEAT", STRONG),)))
        for row in done:
            words = "done" if row.outcome is ActionOutcome.DONE else "not started"
            cells = (
                Cell(((f"{row.step}", QUIET),), 4, "right"),
                Cell(((one_line(row.action), ""),)),
                Cell(((words, QUIET),), 13),
            )
            rows.append(Row(f"done {row.key}", cells, stop=False))
        return rows or [heading("none", (("Nothing uncertain: nothing to ask here.", QUIET),))]

    def detail(self, look: Look, key: str) -> Sequence[Pieces]:
        """The whole step, the command that would tell and what it told, the answers, why it is uncertain."""
        row = _row(look, key)
        if row is None:
            return _claim_detail(look, key)
        agent = f" of sub-agent {inert_line(row.subagent)}" if row.subagent else ""
        lines: list[Pieces] = [((f"Step {row.step}{agent}  ", QUIET), (one_line(row.what), STRONG))]
        if not why_no_look(row, look):  # that is told with the rest of why it is uncertain
            lines.append(_look_first(row))
        if row.looked is not None:
            ended = "said" if row.looked.code == 0 else f"ended with {row.looked.code} and said"
            lines.append(((f"{clock_time(row.looked.at)} it {ended}, kept here:", QUIET),))
            lines += [(("  ", ""), *line) for line in text_lines(row.looked.out or "nothing", limit=40)]
            if row.told:
                lines.append(((f"So {row.told}.", STRONG),))
        lines += [(), _choices(row, look)]
        if row.note:
            lines.append((("note: ", QUIET), (one_line(row.note), PERSON)))
        why = row.why if row.said == "unknown" else f"Your word: {LOOKED_WORDS[row.said]}. No result is recorded."
        return [*lines, (), *text_lines(local_times(why), QUIET)]

    def choose(self, look: Look, key: str) -> Said | None:
        """The next answer; a claim was looked at, or was not after all."""
        row = _row(look, key)
        if row is None:
            card = _claim(look, key)
            return None if card is None else LookedAt(card.key, looked=not card.looked)
        said = LOOKED_SAID[(LOOKED_SAID.index(row.said) + 1) % len(LOOKED_SAID)]
        return Inspected(key, None if said == "unknown" and not row.note else said, row.note)

    def field(self, look: Look, key: str) -> Field | None:
        """A note."""
        row = _row(look, key)
        return None if row is None else Field("What did you see?", row.note)

    def typed(self, look: Look, key: str, text: str) -> Said | None:
        """Keep the note."""
        row = _row(look, key)
        if row is None:
            return None
        return Inspected(key, None if row.said == "unknown" and not text.strip() else row.said, text)

    def undo(self, look: Look, key: str) -> Said | None:
        """Back to unknown."""
        return Inspected(key, None) if key in look.recovery.given.inspected else None


_CLAIM: Final = "claim "
"""Before the keys of claims."""


def _claims(recovery: Recovery) -> tuple[Card, ...]:
    """What was said and lies on the pile of what no step proves."""
    return tuple(card for card in cards(recovery) if card.pile == "claimed" and card.finding.claim is not None)


def _claim(look: Look, key: str) -> Card | None:
    return next((card for card in _claims(look.recovery) if f"{_CLAIM}{card.key}" == key), None)


def _claim_cells(card: Card, look: Look) -> tuple[Cell, ...]:
    mark = look.glyphs.reply if card.looked else " "
    cells = [Cell(((mark, "$accent"),), 4, "right"), Cell(((what_words(card.finding, look.glyphs), ""),))]
    if look.width >= 60:
        cells.append(Cell(((kind_words(card.finding), QUIET),), 18))
    return (*cells, Cell((verdict(card),), 13))


def _look_first(row: Uncertain) -> Pieces:
    if row.probe is None:
        return (("look first: ", QUIET), ("no read-only command is known that would tell", ""))
    return (("look first: ", QUIET), (inert_line(shlex.join(row.probe)), "$accent"), ("   p asks, then runs it", QUIET))


def _claim_detail(look: Look, key: str) -> Sequence[Pieces]:
    card = _claim(look, key)
    if card is None:
        return ()
    finding = card.finding
    said = f"item {finding.message} of its history" if finding.message is not None else "its record"
    steps = f"; step {', '.join(map(str, finding.steps))} stands behind it" if finding.steps else ""
    return [
        ((what_words(finding, look.glyphs), STRONG), (f"  {kind_words(finding)}", QUIET), ("  ", ""), verdict(card)),
        (("evidence: ", QUIET), (f"said in {said}{steps}", "")),
        *text_lines(local_times(finding.why)),
        (("The brief says so. Where you know better, move it on page 4 with m.", QUIET),),
    ]


def _row(look: Look, key: str) -> Uncertain | None:
    return next((row for row in uncertain_rows(look.recovery) if row.key == key), None)


def why_no_look(row: Uncertain, look: Look) -> str:
    """Why the read-only command of a row cannot tell here; empty where nothing is known against it."""
    actions = look.recovery.triage.do_not_repeat
    return next((one.no_look for one in actions if one.key == row.key), "")


def can_look(look: Look) -> bool:
    """Whether a read-only command may tell of any row here."""
    rows = uncertain_rows(look.recovery)
    return any(row.probe is not None and not why_no_look(row, look) for row in rows)


def _cells(row: Uncertain, look: Look) -> tuple[Cell, ...]:
    style = PERSON if row.by_person else "$state-unresolved"
    cells = [Cell(((f"{row.step}", QUIET),), 4, "right"), Cell(((one_line(row.what), STRONG),))]
    if look.width >= 60:
        cells.append(Cell(((row.kind, QUIET),), 9))
    return (*cells, Cell(((LOOKED_WORDS[row.said], style),), 13))


def _choices(row: Uncertain, look: Look) -> Pieces:
    pieces: list[tuple[str, str]] = []
    for word in LOOKED_SAID:
        on = word == row.said
        between = "  " if pieces else ""
        mark = look.glyphs.chosen if on else look.glyphs.free
        pieces += [(f"{between}{mark} ", "$accent" if on else QUIET), (LOOKED_WORDS[word], STRONG if on else "")]
    return tuple(pieces)
