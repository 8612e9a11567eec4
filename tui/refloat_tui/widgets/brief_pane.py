"""Brief: what the next attempt would be handed, to read, copy and write."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import Static

from refloat.model.brief import WrittenBrief
from refloat_tui.actions import bindings
from refloat_tui.messages import message
from refloat_tui.present import Pieces
from refloat_tui.present.age import local_times
from refloat_tui.present.markdown import markdown_lines
from refloat_tui.present.path import homes_shortened
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import content
from refloat_tui.widgets.panes import Pane
from refloat_tui.widgets.text_lines import TextLines


class BriefPane(Pane):
    """The preview."""

    DEFAULT_CSS = """
    BriefPane > #brief-head { height: auto; padding: 0 1 1 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("brief")]

    @message
    class Copy(Message):
        """Copy the brief."""

        written: WrittenBrief

    @message
    class Write(Message):
        """Write the brief to a file."""

        written: WrittenBrief

    def __init__(self, glyphs: Glyphs, home: str = "", *, id: str) -> None:
        super().__init__(glyphs, id=id)
        self._home = home
        self.written: WrittenBrief | None = None

    def compose(self) -> ComposeResult:
        """What was left out, and the text."""
        yield self.said
        yield Static(id="brief-head", markup=False)
        yield TextLines(self.glyphs, id="brief-text")

    def take(self, written: WrittenBrief) -> None:
        """Show a brief."""
        self.written = written
        self.show()
        self.query_one("#brief-head", Static).update(content(self._head(written)))
        self.query_one(TextLines).take(
            markdown_lines(local_times(homes_shortened(written.markdown, self._home)), self.glyphs)
        )

    def _head(self, written: WrittenBrief) -> Pieces:
        size = len(written.markdown.encode()) // 4
        facts = [f"about {size:,} tokens"]
        if written.masked:
            facts.append(f"{written.masked} {'secret' if written.masked == 1 else 'secrets'} masked")
        if written.omitted:
            facts.append(f"{written.omitted} lines left out to fit")
        facts.append("recover walks you through it")
        return ((f"  {self.glyphs.dot}  ".join(facts), "$quiet"),)

    def action_brief_copy(self) -> None:
        """Copy the whole."""
        if self.written is not None:
            self.post_message(self.Copy(self.written))

    def action_brief_write(self) -> None:
        """Write HANDOFF.md."""
        if self.written is not None:
            self.post_message(self.Write(self.written))
