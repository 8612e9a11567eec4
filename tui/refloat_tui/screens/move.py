"""Where a finding belongs, and why: asked before it is moved."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.getters import query_one
from textual.widgets import Input, Static

from refloat.model.recovery import PILES, MovedTo, Pile
from refloat.usecases.recover import Card
from refloat_tui.actions import bindings
from refloat_tui.base import RefloatScreen
from refloat_tui.present.triage import card_words
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import content
from refloat_tui.widgets.key_line import KeyLine


class MoveFinding(RefloatScreen[MovedTo]):
    """Three piles and a field. A move wants its reason: it goes into the brief."""

    CSS = """
    MoveFinding { align: center middle; }
    MoveFinding > Vertical { width: 72; max-width: 92%; height: auto; padding: 1 2; border-left: outer $accent; }
    MoveFinding Static { width: 100%; height: auto; }
    MoveFinding #move-piles { margin: 1 0; }
    MoveFinding Input { height: 1; border: none; padding: 0; background: $cursor-ground; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("move")]

    reason = query_one(Input)

    def __init__(self, card: Card, *, glyphs: Glyphs) -> None:
        super().__init__(glyphs=glyphs)
        self._card = card
        others: list[Pile] = [pile for pile in PILES if pile != card.pile]
        self._choices = tuple(others)
        self._to: Pile = self._choices[0]

    def compose(self) -> ComposeResult:
        """The finding, the piles, the reason."""
        with Vertical():
            yield Static(content(card_words(self._card, self.glyphs)), markup=False)
            yield Static(id="move-piles", markup=False)
            yield Input(self._card.reason, placeholder="Why does it belong there?", compact=True)
        yield KeyLine(self.glyphs)

    def on_mount(self) -> None:
        """Begin with the reason: the pile is a key away."""
        self._draw()
        self.reason.focus()

    def _draw(self) -> None:
        pieces: list[tuple[str, str]] = [(f"from {self._card.pile} to   ", "$quiet")]
        for pile in self._choices:
            on = pile == self._to
            pieces += [(f"{self.glyphs.chosen if on else self.glyphs.free} ", "$accent" if on else "$quiet")]
            pieces += [(pile, f"$pile-{pile} bold" if on else "$quiet"), ("   ", "")]
        self.query_one("#move-piles", Static).update(content(tuple(pieces)))

    def why_not(self, action: str) -> str | None:
        """A move wants its reason."""
        if action == "move_keep" and self.is_mounted and not self.reason.value.strip():
            return "Say why first: the reason goes into the brief."
        return None

    def on_input_changed(self) -> None:
        """A reason makes it possible."""
        self.refresh_bindings()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter came through to the field: it cannot be moved yet."""
        event.stop()
        if (why := self.why_not("move_keep")) is not None:
            self.tell(why)

    def action_move_next(self) -> None:
        """The other pile."""
        self._to = self._choices[(self._choices.index(self._to) + 1) % len(self._choices)]
        self._draw()

    def action_move_keep(self) -> None:
        """Move it; back where it was found, the move is none."""
        back = self._to == self._card.found
        self.dismiss(MovedTo(self._card.key, None if back else self._to, self.reason.value.strip()))

    def action_move_leave(self) -> None:
        """Leave it."""
        self.dismiss(None)
