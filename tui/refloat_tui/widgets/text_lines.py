"""A long text, wrapped to the width and drawn line by line."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content

from refloat_tui.present.markdown import MarkdownLine
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import content
from refloat_tui.widgets.row_list import RowList


@dataclass(frozen=True, slots=True)
class _Wrapped:
    key: str
    text: Content


class TextLines(RowList[_Wrapped]):
    """Lines; a lead hangs before the first line of each, the rest is indented by as much."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(glyphs, id=id)
        self._lines: Sequence[MarkdownLine] = ()
        self._laid_for = 0

    def key_of(self, row: _Wrapped) -> str:
        """Its line."""
        return row.key

    def stops_at(self, row: _Wrapped) -> bool:
        """Nowhere: a text scrolls, it has no cursor."""
        del row
        return False

    def draw_row(self, row: _Wrapped, width: int, *, chosen: bool) -> Content:
        """One line."""
        del chosen, width
        return row.text

    def take(self, lines: Sequence[MarkdownLine]) -> None:
        """Show other lines."""
        self._lines, self._laid_for = lines, 0
        self._lay_out()

    def _lay_out(self) -> None:
        width = self.size.width - 3
        if width < 1 or width == self._laid_for:
            return
        self._laid_for = width
        rows: list[_Wrapped] = []
        for at, line in enumerate(self._lines):
            lead = Content.assemble((line.lead, line.style)) if line.lead else Content("")
            for n, text in enumerate(content(line.text).wrap(max(1, width - len(line.lead))) or [Content("")]):
                rows.append(_Wrapped(f"{at}.{n}", (Content(" " * len(line.lead)) if n else lead) + text.rstrip()))
        self.set_rows(rows)

    def _scroll_by(self, lines: float) -> None:
        self.scroll_to(y=self.scroll_y + lines, animate=False)

    def action_rows_up(self) -> None:
        """One line up."""
        self._scroll_by(-1)

    def action_rows_down(self) -> None:
        """One line down."""
        self._scroll_by(1)

    def action_rows_page_up(self) -> None:
        """One page up."""
        self._scroll_by(-max(1, self.size.height - 1))

    def action_rows_page_down(self) -> None:
        """One page down."""
        self._scroll_by(max(1, self.size.height - 1))

    def action_rows_first(self) -> None:
        """To the top."""
        self.scroll_to(y=0, animate=False)

    def action_rows_last(self) -> None:
        """To the end."""
        self.scroll_to(y=self.max_scroll_y, animate=False)

    def on_resize(self) -> None:
        """Wrap to the new width."""
        super().on_resize()
        self._lay_out()
