"""Page 4: saved, claimed, gone."""

from collections.abc import Sequence

from refloat.model.fate_words import PLACE_WORDS
from refloat.model.recovery import PILES, LookedAt, MovedTo, Page, Said
from refloat.model.triage import Finding
from refloat.text import inert_line, one_line
from refloat.usecases.recover import Card, cards
from refloat_tui.present import QUIET, STRONG, Pieces
from refloat_tui.present.age import local_times, timed_line
from refloat_tui.present.triage import EMPTY, kind_words, pile_words, verdict, what_words
from refloat_tui.screens.wizard.pages.view import (
    PERSON,
    Field,
    Look,
    PageView,
    Row,
    gap,
    heading,
    several,
    text_lines,
    wrapped_rows,
)
from refloat_tui.widgets.cells import Cell


class TriagePage(PageView):
    """Each piece of work, on its pile."""

    page = Page.TRIAGE
    title = "Triage"
    ask = "Does each piece lie on the right pile?"
    section = "established"
    offers = frozenset({"choose", "move", "edit", "undo"})
    rounds = frozenset({"move"})
    list_first = True

    def so_far(self, look: Look) -> str:
        """`9 saved, 1 gone`."""
        found = cards(look.recovery)
        counts = {pile: sum(1 for card in found if card.pile == pile) for pile in PILES}
        return ", ".join(f"{count} {pile}" for pile, count in counts.items() if count) or "nothing to sort"

    def reason(self, look: Look) -> Pieces:
        """What the piles mean."""
        del look
        words = (
            "Saved: seen on disk, or recorded. Claimed: said, and no step proves it. "
            "Gone: it stands nowhere, or nobody knows how it ended."
        )
        return ((words, QUIET),)

    def rows(self, look: Look) -> Sequence[Row]:
        """Three piles, and what may still run."""
        found, rows = cards(look.recovery), list[Row]()
        for pile in PILES:
            own = [card for card in found if card.pile == pile]
            if rows:
                rows.append(gap(f"{pile} gap"))
            rows.append(
                heading(
                    f"{pile} pile",
                    ((pile.upper(), f"$pile-{pile} bold"), (f"  {len(own)}{pile_words(found, pile)}", QUIET)),
                )
            )
            if not own:
                rows.append(heading(f"{pile} none", ((f"  {EMPTY[pile]}", QUIET),)))
            rows += [Row(card.key, _cells(card, look)) for card in own]
        return [*rows, *_still_open(look)]

    def detail(self, look: Look, key: str) -> Sequence[Pieces]:
        """Why it lies there."""
        card = _card(look, key)
        if card is None:
            return ()
        finding = card.finding
        lines: list[Pieces] = [
            ((what_words(finding, look.glyphs), STRONG), (f"  {kind_words(finding)}", QUIET), ("  ", ""), verdict(card))
        ]
        lines += text_lines(local_times(finding.why))
        if where := _where(finding):
            lines.append((("evidence: ", QUIET), (where, "")))
        if finding.where is not None:
            ref = finding.where.ref or ""
            lines.append(((f"stands in {PLACE_WORDS[finding.where.place]} {one_line(ref)}".rstrip(), QUIET),))
        if finding.recoverable_from:
            places = ", ".join(PLACE_WORDS[row.source] for row in finding.recoverable_from)
            lines.append(((f"can still be had from: {places}", QUIET),))
        if card.pile != card.found:
            lines.append(
                ((f"you moved it from {card.found}: ", QUIET), (one_line(card.reason) or "why? e says it", PERSON))
            )
        return lines

    def choose(self, look: Look, key: str) -> Said | None:
        """Looked at, or not after all."""
        card = _card(look, key)
        return None if card is None else LookedAt(key, looked=not card.looked)

    def move(self, look: Look, key: str) -> Said | None:
        """To the next pile; back where it was found, the move is none."""
        card = _card(look, key)
        if card is None:
            return None
        pile = PILES[(PILES.index(card.pile) + 1) % len(PILES)]
        return MovedTo(key, None if pile == card.found else pile, card.reason)

    def field(self, look: Look, key: str) -> Field | None:
        """The reason, once it was moved."""
        card = _card(look, key)
        if card is None or card.pile == card.found:
            return None
        return Field(f"Why is it {card.pile}?", card.reason)

    def still_asks(self, look: Look) -> str | None:
        """A finding that was moved without a reason."""
        moved = look.recovery.given.moved
        return next((card.key for card in cards(look.recovery) if card.key in moved and not card.reason.strip()), None)

    def typed(self, look: Look, key: str, text: str) -> Said | None:
        """Keep the reason."""
        card = _card(look, key)
        return None if card is None else MovedTo(key, card.pile, text)

    def undo(self, look: Look, key: str) -> Said | None:
        """Back to where it was found."""
        return MovedTo(key, None) if key in look.recovery.given.moved else None


def _where(finding: Finding) -> str:
    """Where the evidence is to be found: steps and items as History counts them."""
    facts: list[str] = []
    if finding.steps:
        numbers = ", ".join(map(str, finding.steps))
        whose = f" of sub-agent {inert_line(finding.subagent)}" if finding.subagent else ""
        facts.append(f"step{'s' if len(finding.steps) > 1 else ''} {numbers}{whose}")
    elif finding.claim:
        facts.append("no step")
    if finding.message is not None:
        facts.append(f"said in item {finding.message}")
    return ", ".join(facts) + " of its history" if facts else ""


def _card(look: Look, key: str) -> Card | None:
    return next((card for card in cards(look.recovery) if card.key == key), None)


def _cells(card: Card, look: Look) -> tuple[Cell, ...]:
    moved = card.pile != card.found
    mark = look.glyphs.reply if card.looked else " "
    what = what_words(card.finding, look.glyphs)
    cells = [Cell(((mark, "$accent"),), 1), Cell(((what, PERSON if moved else ""),))]
    if look.width >= 60:
        cells.append(Cell(((kind_words(card.finding), QUIET),), 18 if card.finding.claim else 9))
    return (*cells, Cell((verdict(card),), 12))


def _still_open(look: Look) -> list[Row]:
    running = look.recovery.triage.still_open
    if not running:
        return []
    words = {True: "still runs", False: "ended", None: "not known"}
    rows = [
        gap("open gap"),
        heading(
            "open",
            (("WHAT ELSE WAS ALIVE", STRONG), (f"  {several(len(running), 'thing')} the record left open", QUIET)),
        ),
    ]
    for at, work in enumerate(running):
        pid = f" (pid {work.pid})" if work.pid else ""
        cells = (
            Cell(((" ", ""),), 1),
            Cell(((one_line(work.what) + pid, ""),)),
            Cell(((work.kind.replace("_", " "), QUIET),), 16),
            Cell(((words[work.running], QUIET),), 12),
        )
        rows.append(Row(f"open {at}", cells, stop=False))
        if work.why:
            rows += wrapped_rows(f"open {at} why", ((timed_line(work.why), QUIET),), look.width, indent=4, stop=False)
    return rows
