"""Triage: saved, claimed, gone, beside each other or one at a time; below them what must not be repeated and what runs.

Decides what is chosen and what a key says of it. Refuses to keep what was said: the desk does, with the recovery of the
session, so that the wizard finds it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.getters import query_one
from textual.message import Message
from textual.widgets import Static

from refloat.model.recovery import PILES, Given, LookedAt, MovedTo, Pile
from refloat.model.recovery import Said as Answer
from refloat.model.story import Story
from refloat.model.triage import Triage
from refloat.text import inert_line
from refloat.usecases.recover import Card, cards_of
from refloat_tui.actions import bindings
from refloat_tui.messages import message
from refloat_tui.present import Pieces
from refloat_tui.present.triage import EMPTY, card_words, pile_words
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import Cell, content, row
from refloat_tui.widgets.panes import JumpTo, JumpToChange, Pane, Unreachable
from refloat_tui.widgets.pile_list import BesideLine, BesideList, PileList, beside_lines

_COLUMNS_FROM = 66
_SHORT_BELOW = 20
"""Lines below which the cards need the room that the whole of the chosen one would take."""
_SCREEN_FROM = 100
"""Columns of the whole screen below which one pile is shown at a time."""


@dataclass(frozen=True, slots=True)
class _Place:
    pile: Pile
    row: str | None
    beside: str | None
    """The row below the piles, where the person stands there."""


class TriagePane(Pane):
    """Three piles beside each other; one at a time where there is no room."""

    DEFAULT_CSS = """
    TriagePane > #pile-names { height: 1; padding: 0 1; }
    TriagePane > #piles { height: 1fr; min-height: 4; }
    TriagePane #piles > PileList { border-right: solid $rule; }
    TriagePane #piles > PileList.-last { border-right: none; }
    TriagePane.-one #piles > PileList { display: none; border-right: none; }
    TriagePane.-one #piles > PileList.-shown { display: block; }
    TriagePane > #card { height: auto; max-height: 4; padding: 0 1; border-top: solid $rule; }
    TriagePane.-one.-short > #card { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("triage")]

    @message
    class Said(Message):
        """A person said something to a finding."""

        said: Answer

    @message
    class AskedToMove(Message):
        """A person wants to move a finding: ask where to, and why."""

        card: Card

    beside = query_one(BesideList)

    def __init__(self, glyphs: Glyphs, *, id: str) -> None:
        super().__init__(glyphs, id=id)
        self._triage: Triage | None = None
        self._story: Story | None = None
        self._cards: Sequence[Card] = ()
        self.pile: Pile = "saved"
        self._moved = ""
        """The finding that was moved last."""

    def compose(self) -> ComposeResult:
        """The piles, the whole of the chosen card, and what stands below."""
        yield self.said
        yield Static(id="pile-names", markup=False)
        with Horizontal(id="piles"):
            for pile in PILES:
                yield PileList(self.glyphs, id=f"pile-{pile}", classes="-last" if pile == "gone" else "")
        yield Static(id="card", markup=False)
        yield BesideList(self.glyphs, id="beside")

    def pile_list(self, pile: Pile) -> PileList:
        """The list of one pile."""
        return self.query_one(f"#pile-{pile}", PileList)

    def _of(self, pile: Pile) -> tuple[Card, ...]:
        return tuple(card for card in self._cards if card.pile == pile)

    def take(self, triage: Triage, given: Given, story: Story) -> None:
        """Show a triage with what was said to it; begin at what is worst."""
        fresh = self._triage is None or self._triage.session != triage.session
        before: dict[str, Pile] = {}
        if triage is self._triage:
            before = {card.key: card.pile for card in self._cards}
        waits = any(self.pile_list(pile).has_focus for pile in PILES)
        self._triage, self._story, self._cards = triage, story, cards_of(triage, given)
        self._tell_moved(before)
        self.show()
        for pile in PILES:
            self.pile_list(pile).take(self._of(pile))
        self.beside.set_rows(tuple(beside_lines(triage)))
        if fresh:
            filled: list[Pile] = [pile for pile in PILES if self._of(pile)]
            self.pile = filled[-1] if filled else "saved"
        self._draw()
        if fresh and waits:  # whoever came before anything was read stands in a pile that is not the one shown
            self.take_focus()

    def _tell_moved(self, before: Mapping[str, Pile]) -> None:
        """Say where a finding went: the cursor stays, and what is taken back first is that one."""
        for card in self._cards:
            if before.get(card.key, card.pile) != card.pile:
                self._moved = card.key
                back = "; u takes it back" if card.pile != card.found else ""
                self.post_message(Unreachable(f"It is in {card.pile.upper()} now{back}."))

    # ── drawing ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _draw(self) -> None:
        if self._triage is None:
            return
        one = self.size.width < _COLUMNS_FROM or self.app.size.width < _SCREEN_FROM
        self.set_class(one, "-one")
        self.set_class(self.size.height < _SHORT_BELOW, "-short")
        for pile in PILES:
            self.pile_list(pile).set_class(pile == self.pile, "-shown")
        self.query_one("#pile-names", Static).update(self._names(one=one))
        self._draw_card()

    def _draw_card(self) -> None:
        card = self._card
        words = card_words(card, self.glyphs) if card is not None else ((EMPTY[self.pile], "$quiet"),)
        self.query_one("#card", Static).update(content(words))
        self.refresh_bindings()

    def _names(self, *, one: bool) -> Content:
        names, third = list[Pieces](), (self.size.width - 2) // 3
        whole = sum(len(pile) + len(self._size_of(pile, None)) + 3 for pile in PILES) <= self.size.width
        for pile in PILES:
            on = pile == self.pile
            mark = f"[{pile.upper()}]" if on and self.glyphs.ascii else pile.upper()
            room = (None if whole or on else 0) if one else third - 1 - len(mark)
            size = (self._size_of(pile, room), "$quiet")
            names.append(((mark, f"$pile-{pile} bold" + (" underline" if on else "")), size))
        if not one:
            return row([Cell(words, third) for words in names], self.size.width - 2, self.glyphs)
        empty = "" if self._of(self.pile) else EMPTY[self.pile]
        return Content("   ").join(content(words) for words in names).append_text(f"   {empty}", "$quiet")

    def _size_of(self, pile: Pile, room: int | None) -> str:
        """How many, and what that alone would hide; of that what misleads most, where there is room for no more."""
        size, words = f" {len(self._of(pile))}", pile_words(self._cards, pile)
        if room is not None and len(size) + len(words) > room:
            words = f"{words.partition(',')[0]})" if "," in words else words
        return size + (words if room != 0 else "")

    def on_resize(self) -> None:
        """Three or one, by the new width."""
        self._draw()

    # ── where the person stands ──────────────────────────────────────────────────────────────────────────────────────

    @property
    def _card(self) -> Card | None:
        return self.pile_list(self.pile).card

    def take_focus(self) -> None:
        """Give the keys to the pile that is shown."""
        self.pile_list(self.pile).focus()

    def _turn(self, by: int) -> None:
        self._choose(PILES[(PILES.index(self.pile) + by) % len(PILES)])
        self.take_focus()

    def _choose(self, pile: Pile) -> None:
        self.pile = pile
        self._draw()

    def on_descendant_focus(self) -> None:
        """Follow the focus."""
        for pile in PILES:
            if self.pile_list(pile).has_focus and pile != self.pile:
                self._choose(pile)

    def on_row_list_moved(self, event: PileList.Moved) -> None:
        """Another card: show the whole of it."""
        event.stop()
        if event.rows.id == f"pile-{self.pile}":
            self._draw_card()

    def place(self) -> _Place:
        """The pile and the card, or the row below."""
        beside = self.beside.cursor_key if self.beside.has_focus else None
        return _Place(self.pile, self.pile_list(self.pile).cursor_key, beside)

    def return_to(self, place: object) -> None:
        """Stand there again."""
        if not isinstance(place, _Place):
            self.take_focus()
            return
        self._choose(place.pile)
        if place.row is not None:
            self.pile_list(place.pile).go_to(place.row)
        if place.beside is not None and self.beside.go_to(place.beside):
            self.beside.focus()
        else:
            self.take_focus()

    # ── keys ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What is said of a card needs one under the cursor."""
        del parameters
        card = None if self.beside.has_focus else self._card
        match action:
            case "triage_looked" | "triage_move" | "triage_behind":
                return card is not None
            case "triage_undo":
                return self._to_undo is not None
            case _:
                return True

    @property
    def _to_undo(self) -> Card | None:
        """The finding under the cursor, where it was moved; else the one that was moved last."""
        card = None if self.beside.has_focus else self._card
        if card is not None and card.pile != card.found:
            return card
        return next((each for each in self._cards if each.key == self._moved and each.pile != each.found), None)

    def action_triage_left(self) -> None:
        """To the pile at the left."""
        self._turn(-1)

    def action_triage_right(self) -> None:
        """To the pile at the right."""
        self._turn(1)

    def action_triage_looked(self) -> None:
        """Looked at, or not after all."""
        if (card := self._card) is not None:
            self.post_message(self.Said(LookedAt(card.key, looked=not card.looked)))

    def action_triage_move(self) -> None:
        """To another pile, for a reason."""
        if (card := self._card) is not None:
            self.post_message(self.AskedToMove(card))

    def action_triage_undo(self) -> None:
        """Back to where the evidence put it."""
        if (card := self._to_undo) is not None:
            self.post_message(self.Said(MovedTo(card.key, None)))

    def action_triage_behind(self) -> None:
        """To what a finding rests on, beyond its step: its change or check; for a claim, the step."""
        card = self._card
        if card is None:
            return
        finding = card.finding
        if finding.claim is not None:
            self._to_step(finding.steps[-1:], finding.subagent, None, "No step stands behind it: that is the finding.")
        elif finding.steps:
            path = finding.files[0] if finding.files else None
            self.post_message(JumpToChange(finding.steps[-1], finding.subagent, path))
        else:
            self.post_message(Unreachable("No step stands behind it."))

    def on_row_list_entered(self, event: PileList.Entered) -> None:
        """To the words of a claim, to the step of anything else."""
        event.stop()
        if event.rows.id == "beside":
            self._enter_beside(self.beside.cursor_row)
        elif (card := self._card) is not None:
            finding = card.finding
            if finding.claim is not None and finding.message:
                self.post_message(JumpTo(finding.message))
            else:
                self._to_step(finding.steps[-1:], finding.subagent, finding.message, "The record names no step for it.")

    def _enter_beside(self, line: BesideLine | None) -> None:
        if line is not None and line.action is not None:
            self._to_step((line.action.step,), line.action.subagent, None, "")
        elif line is not None and line.work is not None:
            steps = () if line.work.step is None else (line.work.step,)
            self._to_step(steps, None, None, "The record names no step for it.")

    def _to_step(self, steps: tuple[int, ...], subagent: str | None, message: int | None, without: str) -> None:
        if subagent is not None:
            self.post_message(
                Unreachable(f"Sub-agent {inert_line(subagent)} did it: History holds this session's own steps.")
            )
            return
        items = (step.item for step in self._story.steps if step.n in steps) if self._story is not None else iter(())
        item = next(items, message)
        self.post_message(JumpTo(item) if item else Unreachable(without))
