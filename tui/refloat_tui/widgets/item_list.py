"""The items of a history, one line each: all of them, or those of a stretch of a long one."""

from textual.content import Content
from textual.message import Message

from refloat.model.long import Spot
from refloat.model.transcript import Item
from refloat_tui.messages import message
from refloat_tui.present import QUIET
from refloat_tui.present.age import clock_time
from refloat_tui.present.step import ItemLine, item_line
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import Cell, row
from refloat_tui.widgets.row_list import RowList

_SECONDS_FROM = 70
"""Columns of width from which times carry their seconds."""


class ItemList(RowList[Item | Spot]):
    """The items."""

    @message
    class Edge(Message):
        """Rows near an end of what is there are seen, or the very end is asked for."""

        older: bool
        far: bool = False

    root: str | None = None
    """The directory that paths are told from."""
    bytes: int = 0
    """Bytes of the transcript, where rows are spots; 0 where they are all items."""

    def key_of(self, row: Item | Spot) -> str:
        """Its number, which never changes; of a spot, its place."""
        return row.key if isinstance(row, Spot) else str(row.n)

    @property
    def cursor_item(self) -> Item | None:
        """The item under the cursor."""
        row = self.cursor_row
        return row.item if isinstance(row, Spot) else row

    def draw_row(self, row: Item | Spot, width: int, *, chosen: bool) -> Content:
        """Number, time, sign, kind, words, and what came of it."""
        del chosen
        item, label = (row.item, self._label(row)) if isinstance(row, Spot) else (row, str(row.n))
        line = item_line(item, self.glyphs, self.root)
        if isinstance(row, Spot) and not row.settled:
            line = ItemLine(((" ", ""),), line.kind, line.text, (("further on", QUIET),))
        last = self.rows[-1]
        digits = len(self._label(last)) if isinstance(last, Spot) else len(str(last.n))
        return _drawn(item, line, width, self.glyphs, (label, digits))

    def _label(self, spot: Spot) -> str:
        """Its number, else its line's, else how far in the transcript it stands."""
        if spot.item.n:
            return str(spot.item.n)
        return f"L{spot.line}" if spot.line is not None else f"{100 * spot.position / max(1, self.bytes):.2f}%"

    # ── the ends of a stretch ────────────────────────────────────────────────────────────────────────────────────────

    @property
    def is_stretch(self) -> bool:
        """Whether there may be more rows than are here."""
        return self.bytes > 0

    def look_for_edges(self) -> None:
        """Tell where what is seen comes near an end."""
        top, height = round(self.scroll_y), self.size.height
        if not self.is_stretch or not height:  # while it is hidden nothing is near anything
            return
        if top < height or (self.cursor is not None and self.cursor < height):
            self.post_message(self.Edge(older=True))
        if top + 2 * height >= len(self.rows) or (self.cursor is not None and self.cursor + height >= len(self.rows)):
            self.post_message(self.Edge(older=False))

    def keep_in_sight(self) -> None:
        """Where the cursor was left behind by the wheel, put it on the first row that is seen."""
        top, height = round(self.scroll_y), max(1, self.size.height)
        if self.size.height and self.cursor is not None and self.rows and not top <= self.cursor < top + height:
            self.cursor = min(top, len(self.rows) - 1)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """The wheel and the bar reach ends too."""
        super().watch_scroll_y(old_value, new_value)
        if round(old_value) != round(new_value):
            self.look_for_edges()

    def action_rows_first(self) -> None:
        """To the first row of all."""
        if self.is_stretch:
            self.post_message(self.Edge(older=True, far=True))
        else:
            super().action_rows_first()

    def action_rows_last(self) -> None:
        """To the last row of all."""
        if self.is_stretch:
            self.post_message(self.Edge(older=False, far=True))
        else:
            super().action_rows_last()


def _drawn(item: Item, line: ItemLine, width: int, glyphs: Glyphs, number: tuple[str, int]) -> Content:
    seconds = width >= _SECONDS_FROM
    superseded = item.superseded or (item.step is not None and item.step.superseded)
    text = (("taken back  ", "$pile-claimed"), *line.text) if superseded else line.text
    label, digits = number
    step = f"#{item.step.n}" if item.step is not None and item.step.n else ""
    cells = [
        Cell(((label, "$faint"),), digits, "right"),
        Cell(((step, "$quiet"),), digits + 1),
        Cell(((clock_time(item.at, seconds=seconds), "$quiet"),), 8 if seconds else 5),
        Cell(line.glyph, 1),
        Cell(line.kind, 10),
        Cell(text),
        Cell(line.right, 11, "right"),
    ]
    return row(cells, width, glyphs)
