"""The lists of a triage: one for each pile, its cards drawn to the width, and one for what stands beside the piles."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from textual.content import Content

from refloat.model.triage import DoNotRepeat, StillOpen, Triage
from refloat.text import one_line
from refloat.usecases.recover import Card
from refloat_tui.present import QUIET, STRONG, Pieces
from refloat_tui.present.triage import (
    action_words,
    evidence,
    kind_words,
    nothing_beside,
    order_of,
    still_open_words,
    verdict,
    what_words,
)
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import Cell, content, lines_of, row
from refloat_tui.widgets.row_list import RowList

_TALL_BELOW: Final = 42
"""Columns of a card below which the verdict takes a line of its own."""
_SIGN, _REASON = 13, 28
"""Columns of a sign with its word, and those that a kind and its reason have at least, below the piles."""
_MOST_OF_NAME, _MOST_OF_REASON = 3, 3
"""Lines that what it is and its evidence may take."""


@dataclass(frozen=True, slots=True)
class CardLine:
    """One line of a card."""

    key: str
    card: Card
    part: int
    """0: the first line, where the cursor may stand."""
    words: Content


class PileList(RowList[CardLine]):
    """One pile."""

    DEFAULT_CSS = """
    PileList { height: 1fr; width: 1fr; }
    """

    def __init__(self, glyphs: Glyphs, *, id: str, classes: str = "") -> None:
        super().__init__(glyphs, id=id, classes=classes)
        self._cards: Sequence[Card] = ()
        self._room = 0
        """Columns that the cards were laid for."""

    def key_of(self, row: CardLine) -> str:
        """Its finding and part."""
        return row.key

    def stops_at(self, row: CardLine) -> bool:
        """On the first line of a card."""
        return row.part == 0

    def draw_row(self, row: CardLine, width: int, *, chosen: bool) -> Content:
        """A part of a card."""
        del width, chosen
        looked = row.card.looked and self.stops_at(row)
        return content(((f"{self.glyphs.reply if looked else ' '} ", "$accent"),)) + row.words

    @property
    def card(self) -> Card | None:
        """The card under the cursor."""
        return None if self.cursor_row is None else self.cursor_row.card

    def take(self, cards: Sequence[Card]) -> None:
        """Show cards."""
        self._cards = cards
        self._lay()

    def _lay(self) -> None:
        # The cursor's mark, and whether it was looked at: three columns.
        self._room = max(1, (self.scrollable_content_region.width or self.size.width) - 3)
        lines: list[CardLine] = []
        seen = Counter[str]()
        for card in self._cards:
            key = f"{card.key}\n{seen[card.key]}"
            seen[card.key] += 1
            drawn = _card_lines(card, self._room, self.glyphs)
            lines += [CardLine(f"{key}\n{part}", card, part, words) for part, words in enumerate(drawn)]
        self.set_rows(lines)

    def on_resize(self) -> None:
        """Cards to the new width."""
        super().on_resize()
        if self._room != max(1, self.scrollable_content_region.width - 3):
            self._lay()


def _card_lines(card: Card, width: int, glyphs: Glyphs) -> Iterator[Content]:
    """What it is, how that is known, and the evidence: the reason is never left to guesses for want of a line."""
    word, style = verdict(card)
    kind = (kind_words(card.finding), QUIET)
    name = what_words(card.finding, glyphs)
    moved = card.pile != card.found
    if width < _TALL_BELOW:
        yield from lines_of(((name, "$person" if moved else STRONG),), width, _MOST_OF_NAME, glyphs)
        yield row((Cell(((word, style), (f" {glyphs.dot} ", "$faint"), kind)),), width, glyphs)
    else:
        head: Pieces = ((name, "$person" if moved else ""), ("  ", ""), kind)
        yield row((Cell(head), Cell(((word, style),), 12, "right")), width, glyphs)
    yield from lines_of(evidence(card, glyphs), width, _MOST_OF_REASON, glyphs)


@dataclass(frozen=True, slots=True)
class BesideLine:
    """One line below the piles."""

    key: str
    heading: Pieces = ()
    action: DoNotRepeat | None = None
    is_probe: bool = False
    work: StillOpen | None = None


def beside_lines(triage: Triage) -> Iterator[BesideLine]:
    """What must not be repeated, what needs a look first; then what still runs."""
    if triage.do_not_repeat:
        words = "  inspect what is unknown before anybody repeats it" if triage.inspect else ""
        yield BesideLine("do not", (("DO NOT REPEAT", f"{QUIET} bold"), (words, QUIET)))
    for at, action in enumerate(sorted(triage.do_not_repeat, key=order_of)):
        yield BesideLine(f"action {at}", action=action)
        if action.probe:
            yield BesideLine(f"probe {at}", action=action, is_probe=True)
    if triage.still_open:
        alive = sum(work.running is True for work in triage.still_open)
        words = f"  {alive or 'none'} of {len(triage.still_open)} that the record left open is proved to run"
        yield BesideLine("open", (("WHAT ELSE WAS ALIVE", f"{QUIET} bold"), (words, QUIET)))
    for at, work in enumerate(triage.still_open):
        yield BesideLine(f"work {at}", work=work)
    if not triage.do_not_repeat and not triage.still_open:
        yield BesideLine("none", ((nothing_beside(triage), QUIET),))


class BesideList(RowList[BesideLine]):
    """What stands beside the piles."""

    DEFAULT_CSS = """
    BesideList { height: auto; max-height: 40%; border-top: solid $rule; }
    """

    def key_of(self, row: BesideLine) -> str:
        """Its own."""
        return row.key

    def stops_at(self, row: BesideLine) -> bool:
        """On what was done, and on what runs."""
        return not row.heading and not row.is_probe

    def draw_row(self, row: BesideLine, width: int, *, chosen: bool) -> Content:
        """A heading, a row, or how to look."""
        del chosen
        return _beside(row, width, self.glyphs)


def _beside(line: BesideLine, width: int, glyphs: Glyphs) -> Content:
    if line.work is not None:
        sign, what, right = still_open_words(line.work, glyphs)
    elif line.action is None:
        return row((Cell(line.heading),), width, glyphs)
    elif line.is_probe:
        probe: Pieces = ((one_line(" ".join(line.action.probe or ())), "$key"),)
        if line.action.no_look:
            probe = ((one_line(line.action.no_look), QUIET),)
        label = "no look:" if line.action.no_look else "look"
        return row((Cell(((label, QUIET),), _SIGN, "right"), Cell(probe)), width, glyphs)
    else:
        sign, what, right = action_words(line.action, glyphs)
    left_over = width - _SIGN - 2 - sum(len(text) for text, _ in what)
    size = min(max(_REASON, left_over), max(8, sum(len(text) for text, _ in right)))
    return row((Cell(sign, _SIGN), Cell(what), Cell(right, size, "right")), width, glyphs)
