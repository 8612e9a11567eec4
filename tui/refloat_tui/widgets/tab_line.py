"""The names of the panes in a line, each with what it counts; the one that is shown stands out."""

from textual import events
from textual.app import RenderResult
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from refloat.model.light import light
from refloat_tui.messages import message
from refloat_tui.theme import Glyphs


@light
class Tab:
    """One tab."""

    name: str
    """The id of its pane."""
    title: str
    count: str = ""


class TabLine(Widget):
    """A line of tabs. Keys belong to the screen; the mouse works here."""

    DEFAULT_CSS = """
    TabLine { height: 1; }
    """

    @message
    class Picked(Message):
        """A tab was clicked."""

        name: str

    tabs: reactive[tuple[Tab, ...]] = reactive(())
    chosen: reactive[str] = reactive("")

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.glyphs = glyphs

    def _words(self, tab: Tab, *, counts: bool) -> str:
        return f"{tab.title} {tab.count}" if tab.count and counts else tab.title

    def _has_room(self) -> bool:
        return sum(len(self._words(tab, counts=True)) + 4 for tab in self.tabs) <= self.size.width + 2

    def render(self) -> RenderResult:
        """The shown one between brackets of its own, in the accent."""
        counts, parts = self._has_room(), list[Content]()
        for tab in self.tabs:
            on = tab.name == self.chosen
            words = [(tab.title, "$accent bold underline" if on else "$quiet")]
            if tab.count and counts:
                words.append((f" {tab.count}", "$accent" if on else "$faint"))
            open_, close = ("[", "]") if on and self.glyphs.ascii else (" ", " ")
            parts.append(Content.assemble((open_, "$accent"), *words, (close, "$accent")))
        return Content("  ").join(parts)

    def on_click(self, event: events.Click) -> None:
        """Find the tab under the mouse."""
        counts, x = self._has_room(), 0
        for tab in self.tabs:
            x += len(self._words(tab, counts=counts)) + 4
            if event.x < x:
                self.post_message(self.Picked(tab.name))
                return
