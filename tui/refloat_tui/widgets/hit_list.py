"""The hits of a search: one line each under their session, what was sought marked in it."""

from textual.content import Content

from refloat.model.stamp import Stamp
from refloat.text import UNTITLED, inert_line, one_line
from refloat_tui.present.age import age
from refloat_tui.present.search import Head, HitRow, Row, excerpt_pieces
from refloat_tui.present.state import state_glyph, state_style, state_word
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import Cell, row
from refloat_tui.widgets.row_list import RowList

_KIND_FROM, _AGENT_FROM = 60, 76
"""Columns of width from which a cell is shown."""


class HitList(RowList[Row]):
    """Sessions with their hits."""

    def __init__(self, glyphs: Glyphs, now: Stamp, *, id: str) -> None:
        super().__init__(glyphs, id=id)
        self.now = now

    def key_of(self, row: Row) -> str:
        """The session's name, with the item's number."""
        return row.key

    def stops_at(self, row: Row) -> bool:
        """On hits only."""
        return isinstance(row, HitRow)

    def draw_row(self, row: Row, width: int, *, chosen: bool) -> Content:
        """A session, or a place in it."""
        del chosen
        return self._head(row, width) if isinstance(row, Head) else self._hit(row, width)

    def _head(self, head: Head, width: int) -> Content:
        session = head.session
        style = state_style(session.state)
        cells = [
            Cell(((state_glyph(session.state, self.glyphs), style), (f" {state_word(session.state)}", style)), 9),
            Cell(((one_line(session.title) or UNTITLED, "bold"),)),
        ]
        if width >= _AGENT_FROM:
            cells.append(Cell(((inert_line(session.agent), "$quiet"),), 12))
        cells.append(Cell(((age(session.last_activity_at, self.now), "$quiet"),), 5, "right"))
        return row(cells, width, self.glyphs)

    def _hit(self, shown: HitRow, width: int) -> Content:
        hit = shown.hit
        number = "" if hit.item is None else str(hit.item)
        if width >= _KIND_FROM:
            cells = [
                Cell(((f"item {number}" if number else "", "$faint"),), 12, "right"),
                Cell(((hit.kind, "$quiet"),), 8),
            ]
        else:
            cells = [Cell(((number, "$faint"),), 7, "right")]
        cells.append(Cell(excerpt_pieces(hit, self.glyphs)))
        return row(cells, width, self.glyphs)
