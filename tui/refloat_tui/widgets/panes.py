"""What the panes share: how they say what is not there yet, and how they ask to be taken to another pane.

A way between panes is a message that `Detail` follows; where a person stands in a pane is a value that the pane alone
reads, so that one key leads back.
"""

from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Static

from refloat_tui.messages import message
from refloat_tui.present import Pieces
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import content


@message
class JumpTo(Message):
    """Show this item of the history."""

    item: int


@message
class JumpToChange(Message):
    """Show what this step changed, or checked, in the checkout."""

    step: int
    subagent: str | None = None
    path: str | None = None
    """The file that is meant, of several."""


@message
class Unreachable(Message):
    """There is nothing to jump to; say why."""

    why: str


class Pane(Vertical):
    """One side of a session. Shows a sentence in place of its content until there is content."""

    DEFAULT_CSS = """
    Pane { height: 1fr; }
    Pane > .said { display: none; padding: 1 1; height: auto; color: $quiet; }
    Pane.-said > * { display: none; }
    Pane.-said > .said { display: block; }
    """

    def __init__(self, glyphs: Glyphs, *, id: str) -> None:
        super().__init__(id=id)
        self.glyphs = glyphs
        self.said = Static(classes="said", markup=False)
        """Goes first into what a subclass composes."""

    def say(self, *lines: Pieces) -> None:
        """Show sentences, one a line, in place of the content."""
        self.said.update(content(tuple(piece for line in lines for piece in (*line, ("\n", "")))))
        self.add_class("-said")

    def show(self) -> None:
        """Show the content."""
        self.remove_class("-said")

    def take_focus(self) -> None:
        """Give the keys to what moves in here."""
        for widget in self.query("RowList"):
            if widget.focusable and widget.display:
                widget.focus()
                return

    def place(self) -> object:
        """Where the person stands in here; `return_to` takes it."""
        return None

    def return_to(self, place: object) -> None:
        """Stand there again, as far as it is still there, and take the keys."""
        del place
        self.take_focus()
