"""The rail: seven steps, which one it is, which are answered, and what each has so far."""

from textual.app import RenderResult
from textual.content import Content
from textual.widget import Widget

from refloat.model.recovery import PAGES, Page
from refloat.text import one_line
from refloat.usecases.recover import Recovery
from refloat_tui.screens.wizard.pages import VIEWS
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import Cell, row


def draw_rail(recovery: Recovery | None, width: int, height: int, glyphs: Glyphs) -> Content:
    """Two lines a step, and a blank one between them where there is room."""
    lines: list[Content] = []
    roomy = height >= 3 * len(PAGES)
    for number, page in enumerate(PAGES, start=1):
        lines += _step(recovery, page, number, width, glyphs)
        if roomy:
            lines.append(Content(""))
    return Content("\n").join(lines)


def _step(recovery: Recovery | None, page: Page, number: int, width: int, glyphs: Glyphs) -> list[Content]:
    here = recovery is not None and recovery.given.page is page
    passed = recovery is not None and page in recovery.given.passed
    sign = (glyphs.closed, "$accent bold") if here else (glyphs.ok if passed else " ", "$pile-saved")
    title = "$accent bold" if here else "" if passed else "$quiet"
    view = VIEWS[page]
    head = (
        Cell(((str(number), "$accent bold" if here else "$quiet"),), 1),
        Cell((sign,), 1),
        Cell(((view.title, title),)),
    )
    so_far = "" if recovery is None or not (here or passed) else one_line(view.so_far(recovery))
    below = (Cell((("", ""),), 3), Cell(((so_far, "$quiet"),)))
    return [row(head, width, glyphs), row(below, width, glyphs)]


class Rail(Widget):
    """At the left. Shows, never asks."""

    DEFAULT_CSS = """
    Rail { width: 25; height: 1fr; padding: 0 1; border-right: solid $rule; }
    """

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self.glyphs = glyphs
        self._recovery: Recovery | None = None

    def show(self, recovery: Recovery) -> None:
        """Draw this one."""
        self._recovery = recovery
        self.refresh()

    def render(self) -> RenderResult:
        """The steps."""
        size = self.content_size
        return draw_rail(self._recovery, max(8, size.width), size.height, self.glyphs)
