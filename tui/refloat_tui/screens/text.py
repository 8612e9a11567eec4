"""One long text on the whole screen, to read, scroll and copy."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from refloat.model.transcript import Item
from refloat.text import cut
from refloat_tui.actions import bindings
from refloat_tui.base import RefloatScreen
from refloat_tui.present import Pieces, plain
from refloat_tui.present.markdown import MarkdownLine
from refloat_tui.present.step import item_heading, item_sections
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import content
from refloat_tui.widgets.key_line import KeyLine
from refloat_tui.widgets.text_lines import TextLines


class TextScreen(RefloatScreen[None]):
    """A heading and lines."""

    CSS = """
    TextScreen > #heading { height: auto; padding: 0 1; margin: 0 0 1 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("text")]

    def __init__(self, heading: Pieces, lines: Sequence[MarkdownLine], *, glyphs: Glyphs) -> None:
        super().__init__(glyphs=glyphs)
        self._heading = heading
        self._lines = lines

    def compose(self) -> ComposeResult:
        """Heading, text, keys."""
        yield Static(content(self._heading), id="heading", markup=False)
        yield TextLines(self.glyphs, id="text")
        yield KeyLine(self.glyphs)

    def on_mount(self) -> None:
        """Begin at the top."""
        text = self.query_one(TextLines)
        text.take(self._lines)
        text.focus()

    def action_text_copy(self) -> None:
        """Copy the whole text, as it is shown."""
        self.app.copy_to_clipboard("\n".join(line.lead + plain(line.text) for line in self._lines))
        self.tell("Copied.")

    def action_text_leave(self) -> None:
        """Back."""
        self.dismiss(None)

    def action_text_page_up(self) -> None:
        """One page up."""
        self.query_one(TextLines).action_rows_page_up()

    def action_text_page_down(self) -> None:
        """One page down."""
        self.query_one(TextLines).action_rows_page_down()


_MOST = 65_536
"""Characters of one section that are shown: what a reading keeps of each text."""


def item_screen(item: Item, glyphs: Glyphs) -> TextScreen:
    """The whole of one item of a history."""
    lines: list[MarkdownLine] = []
    for name, text in item_sections(item):
        if name:
            lines.append(MarkdownLine(((name, "$accent bold"),)))
        lead = "  " if name else ""
        lines += [MarkdownLine(((line, ""),), lead=lead) for line in cut(text, _MOST, glyphs.ellipsis).split("\n")]
        lines.append(MarkdownLine(()))
    return TextScreen(item_heading(item), lines, glyphs=glyphs)
