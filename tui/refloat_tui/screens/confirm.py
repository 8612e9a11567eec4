"""A question before something is replaced or ended."""

import math
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from refloat.text import inert
from refloat_tui.actions import bindings
from refloat_tui.base import RefloatScreen
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import content
from refloat_tui.widgets.key_line import KeyLine


class Confirm(RefloatScreen[bool]):
    """Yes or no. Escape and enter are no: a key that goes on everywhere else must not agree to a loss."""

    CSS = """
    Confirm { align: center middle; }
    Confirm > Vertical { width: auto; max-width: 90%; height: auto; padding: 1 2; border-left: outer $accent; }
    Confirm Static { width: auto; max-width: 100%; height: auto; }
    """
    YES = frozenset({"confirm_yes"})
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("confirm")]

    def __init__(self, question: str, consequence: str, *, glyphs: Glyphs) -> None:
        super().__init__(glyphs=glyphs)
        self._question = question
        self._consequence = consequence
        self.asked_at = math.inf

    def compose(self) -> ComposeResult:
        """The question, and what comes of a yes."""
        with Vertical():
            yield Static(content(((inert(self._question), "bold"),)), markup=False)
            yield Static(content(((inert(self._consequence), "$quiet"),)), markup=False)
        yield KeyLine(self.glyphs)

    def on_mount(self) -> None:
        """Listen once it can be read."""
        self.call_after_refresh(self._listen)

    def action_confirm_yes(self) -> None:
        """Do it."""
        self.dismiss(True)

    def action_confirm_no(self) -> None:
        """Leave it."""
        self.dismiss(False)
