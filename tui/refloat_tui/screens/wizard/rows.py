"""The list of a page. Enter is left to the wizard: it goes on."""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content

from refloat_tui.actions import bindings
from refloat_tui.screens.wizard.pages.view import Row
from refloat_tui.widgets.cells import row as draw_cells
from refloat_tui.widgets.row_list import RowList


class PageRows(RowList[Row], inherit_bindings=False):
    """Rows of a page."""

    BINDINGS: ClassVar[list[BindingType]] = [found for found in bindings("rows") if found.id != "rows.open"]

    def show(self, rows: Sequence[Row]) -> None:
        """Take these rows, where they are others than those that stand there: drawing is what costs."""
        if list(rows) != self.rows:
            self.set_rows(list(rows))

    def key_of(self, row: Row) -> str:
        """Its own."""
        return row.key

    def stops_at(self, row: Row) -> bool:
        """As the page says."""
        return row.stop

    def draw_row(self, row: Row, width: int, *, chosen: bool) -> Content:
        """Cells, or what the page drew."""
        del chosen
        return draw_cells(row.cells, width, self.glyphs) if row.drawn is None else row.drawn
