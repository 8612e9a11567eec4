"""The rail: seven steps, which one it is, which are answered, and what each has so far."""

from textual import events
from textual.app import RenderResult
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from refloat.model.recovery import PAGES, Page
from refloat.text import one_line
from refloat_tui.messages import message
from refloat_tui.screens.wizard.pages import VIEWS
from refloat_tui.screens.wizard.pages.view import Look
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import Cell, row


def draw_rail(look: Look | None, width: int, height: int, glyphs: Glyphs) -> Content:
    """Two lines a step, and a blank one between them where there is room."""
    lines: list[Content] = []
    roomy = _is_roomy(height)
    for number, page in enumerate(PAGES, start=1):
        lines += _step(look, page, number, width, glyphs)
        if roomy:
            lines.append(Content(""))
    return Content("\n").join(lines)


def _is_roomy(height: int) -> bool:
    return height >= 3 * len(PAGES)


def _step(look: Look | None, page: Page, number: int, width: int, glyphs: Glyphs) -> list[Content]:
    here = look is not None and look.recovery.given.page is page
    passed = look is not None and page in look.recovery.given.passed
    sign = (glyphs.closed, "$accent bold") if here else (glyphs.ok if passed else " ", "$pile-saved")
    title = "$accent bold" if here else "" if passed else "$quiet"
    view = VIEWS[page]
    head = (
        Cell(((str(number), "$accent bold" if here else "$quiet"),), 1),
        Cell((sign,), 1),
        Cell(((view.title, title),)),
    )
    so_far = "" if look is None or not (here or passed) else one_line(view.so_far(look))
    below = (Cell((("", ""),), 3), Cell(((so_far, "$quiet"),)))
    return [row(head, width, glyphs), row(below, width, glyphs)]


class Rail(Widget):
    """At the left. Shows, never asks; a click goes to a page that was come to before."""

    DEFAULT_CSS = """
    Rail { width: 25; height: 1fr; padding: 0 1; border-right: solid $rule; }
    """

    @message
    class Chosen(Message):
        """A page was clicked."""

        page: Page

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self.glyphs = glyphs
        self._look: Look | None = None

    def show(self, look: Look) -> None:
        """Draw this one."""
        self._look = look
        self.refresh()

    def render(self) -> RenderResult:
        """The steps."""
        size = self.content_size
        return draw_rail(self._look, max(8, size.width), size.height, self.glyphs)

    def on_click(self, event: events.Click) -> None:
        """Say which page."""
        event.stop()
        offset = event.get_content_offset(self)
        at = offset.y // (3 if _is_roomy(self.content_size.height) else 2) if offset is not None else len(PAGES)
        if at < len(PAGES):
            self.post_message(self.Chosen(PAGES[at]))
