"""Triage: saved, claimed, gone; below them what must not be repeated and what still runs."""

from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from refloat.model.story import Story
from refloat.model.triage import Finding, Triage
from refloat_tui.actions import bindings
from refloat_tui.present import Pieces
from refloat_tui.present.triage import (
    EMPTY,
    PILES,
    Pile,
    action_line,
    finding_evidence,
    finding_head,
    pile_of,
    still_open_line,
)
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import Cell, content, row
from refloat_tui.widgets.panes import JumpTo, Pane
from refloat_tui.widgets.row_list import RowList

_COLUMNS_FROM = 84


@dataclass(frozen=True, slots=True)
class _CardLine:
    key: str
    finding: Finding | None
    evidence: bool


class PileList(RowList[_CardLine]):
    """One pile."""

    DEFAULT_CSS = """
    PileList { height: 1fr; width: 1fr; }
    """

    def key_of(self, row: _CardLine) -> str:
        """Its place and what it is."""
        return row.key

    def stops_at(self, row: _CardLine) -> bool:
        """On the first line of a card."""
        return row.finding is not None and not row.evidence

    def draw_row(self, row: _CardLine, width: int, *, chosen: bool) -> Content:
        """What and verdict, or the evidence."""
        del chosen
        return _card(row, width, self.glyphs)

    def take(self, findings: tuple[Finding, ...]) -> None:
        """Show findings."""
        lines: list[_CardLine] = []
        for at, finding in enumerate(findings):
            key = f"{finding.kind} {finding.what} {finding.steps}"
            lines.append(_CardLine(f"{key} {at}", finding, evidence=False))
            lines.append(_CardLine(f"{key} {at} why", finding, evidence=True))
        self.set_rows(lines)


def _card(line: _CardLine, width: int, glyphs: Glyphs) -> Content:
    if line.finding is None:
        return Content("")
    if line.evidence:
        return row((Cell((("  ", ""), *finding_evidence(line.finding, glyphs))),), width, glyphs)
    head, verdict = finding_head(line.finding)
    return row((Cell(head), Cell(verdict, 12, "right")), width, glyphs)


class TriagePane(Pane):
    """Three piles beside each other; one at a time where there is no room."""

    DEFAULT_CSS = """
    TriagePane > #pile-names { height: 1; padding: 0 1; }
    TriagePane > #piles { height: 1fr; min-height: 4; }
    TriagePane #piles > PileList { border-right: solid $rule; }
    TriagePane #piles > PileList.-last { border-right: none; }
    TriagePane.-one #piles > PileList { display: none; border-right: none; }
    TriagePane.-one #piles > PileList.-shown { display: block; }
    TriagePane > #beside { height: auto; max-height: 45%; padding: 0 1; border-top: solid $rule; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("triage")]

    def __init__(self, glyphs: Glyphs, *, id: str) -> None:
        super().__init__(glyphs, id=id)
        self._triage: Triage | None = None
        self._story: Story | None = None
        self.pile: Pile = "saved"

    def compose(self) -> ComposeResult:
        """The piles and what stands below them."""
        yield self.said
        yield Static(id="pile-names", markup=False)
        with Horizontal(id="piles"):
            for pile in PILES:
                yield PileList(self.glyphs, id=f"pile-{pile}", classes="-last" if pile == "gone" else "")
        yield Static(id="beside", markup=False)

    def pile_list(self, pile: Pile) -> PileList:
        """The list of one pile."""
        return self.query_one(f"#pile-{pile}", PileList)

    def take(self, triage: Triage, story: Story) -> None:
        """Show a triage; begin at what is worst."""
        fresh = self._triage is None or self._triage.session != triage.session
        self._triage, self._story = triage, story
        self.show()
        for pile in PILES:
            self.pile_list(pile).take(pile_of(triage, pile))
        if fresh:
            filled: list[Pile] = [pile for pile in PILES if pile_of(triage, pile)]
            self.pile = filled[-1] if filled else "saved"
        self._draw()

    def _draw(self) -> None:
        if self._triage is None:
            return
        one = self.size.width < _COLUMNS_FROM
        self.set_class(one, "-one")
        for pile in PILES:
            self.pile_list(pile).set_class(pile == self.pile, "-shown")
        self.query_one("#pile-names", Static).update(self._names(self._triage, one=one))
        self.query_one("#beside", Static).update(content(self._beside(self._triage)))

    def _names(self, triage: Triage, *, one: bool) -> Content:
        cells: list[Cell] = []
        for pile in PILES:
            count = len(pile_of(triage, pile))
            on = one and pile == self.pile
            style = f"$pile-{pile} bold" + (" underline" if on else "")
            words: Pieces = ((pile.upper(), style), (f" {count}", "$quiet"))
            if not count and not one:
                words = (*words, (f"  {EMPTY[pile]}", "$quiet"))
            cells.append(Cell(words, max(1, (self.size.width - 4) // 3)))
        if not one:
            return row(cells, self.size.width - 2, self.glyphs)
        empty = EMPTY[self.pile] if not pile_of(triage, self.pile) else ""
        parts = [content(cell.pieces) for cell in cells]
        return Content("   ").join(parts).append_text(f"   {empty}", "$quiet")

    def _beside(self, triage: Triage) -> Pieces:
        lines: list[Pieces] = []
        if triage.do_not_repeat:
            lines.append((("DO NOT REPEAT", "$quiet bold"),))
            for action in triage.do_not_repeat[:5]:
                head, probe = action_line(action, self.glyphs)
                lines += [head, probe] if probe else [head]
        if triage.still_open:
            lines.append((("LEFT OPEN", "$quiet bold"),))
            lines += [still_open_line(work, self.glyphs) for work in triage.still_open[:5]]
        flat: list[tuple[str, str]] = []
        for line in lines or [(("Nothing was done outside the checkout, and nothing runs beside it.", "$quiet"),)]:
            flat += [*line, ("\n", "")]
        return tuple(flat[:-1])

    def take_focus(self) -> None:
        """Give the keys to the pile that is shown."""
        self.pile_list(self.pile).focus()

    def _turn(self, by: int) -> None:
        at = (PILES.index(self.pile) + by) % len(PILES)
        self.pile = PILES[at]
        self._draw()
        self.take_focus()

    def action_triage_left(self) -> None:
        """To the pile at the left."""
        self._turn(-1)

    def action_triage_right(self) -> None:
        """To the pile at the right."""
        self._turn(1)

    def on_resize(self) -> None:
        """Three or one, by the new width."""
        self._draw()

    def on_descendant_focus(self) -> None:
        """Follow the focus."""
        for pile in PILES:
            if self.pile_list(pile).has_focus and pile != self.pile:
                self.pile = pile
                self._draw()

    def on_row_list_entered(self, event: PileList.Entered) -> None:
        """To the step or the words that a finding rests on."""
        event.stop()
        line = self.pile_list(self.pile).cursor_row
        if line is None or line.finding is None or self._story is None:
            return
        finding, item = line.finding, line.finding.message or 0
        if finding.steps and finding.subagent is None:
            item = next((step.item for step in self._story.steps if step.n == finding.steps[-1]), item)
        if item:
            self.post_message(JumpTo(item))
