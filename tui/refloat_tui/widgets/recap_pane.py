"""Recap: the table of what matters, and the strip of the session's time below it."""

from dataclasses import dataclass

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from refloat.model.session import State
from refloat.model.story import Story
from refloat_tui.present.recap import RecapRow
from refloat_tui.present.strip import time_strip
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import Cell, content, row, wrapped
from refloat_tui.widgets.panes import JumpTo, Pane
from refloat_tui.widgets.row_list import RowList

_LABEL, _RIGHT, _MOST_LINES = 8, 9, 4


@dataclass(frozen=True, slots=True)
class _Line:
    key: str
    label: str
    text: Content
    right: RecapRow | None
    item: int | None


class RecapTable(RowList[_Line]):
    """The rows, wrapped to the width."""

    DEFAULT_CSS = """
    RecapTable { height: auto; max-height: 1fr; }
    """

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs, id="recap-rows")
        self._table: tuple[RecapRow, ...] = ()
        self._laid_for = 0

    def key_of(self, row: _Line) -> str:
        """Its place in the table: rows of a table keep theirs."""
        return row.key

    def stops_at(self, row: _Line) -> bool:
        """On the first line of whatever leads somewhere."""
        return row.item is not None

    def draw_row(self, row: _Line, width: int, *, chosen: bool) -> Content:
        """Label, text, reference."""
        del chosen
        return _drawn(row, width, self.glyphs)

    def take(self, table: tuple[RecapRow, ...]) -> None:
        """Show another table."""
        self._table, self._laid_for = table, 0
        self._lay_out()

    def _lay_out(self) -> None:
        width = self.scrollable_content_region.width
        if width == self._laid_for or not width:
            return
        self._laid_for = width
        room = max(10, width - 2 - _LABEL - 1 - _RIGHT - 1)
        lines: list[_Line] = []
        for at, entry in enumerate(self._table):
            if entry.label and lines:
                lines.append(_Line(f"{at}.gap", "", Content(""), None, None))
            for n, text in enumerate(_cut(wrapped(entry.text, room), self.glyphs)):
                first = n == 0
                lines.append(
                    _Line(
                        f"{at}.{n}",
                        entry.label if first else "",
                        text,
                        entry if first else None,
                        entry.item if first else None,
                    )
                )
        self.set_rows(lines)

    def on_resize(self) -> None:
        """Wrap to the new width."""
        super().on_resize()
        self._lay_out()


def _cut(lines: list[Content], glyphs: Glyphs) -> list[Content]:
    if len(lines) <= _MOST_LINES:
        return lines
    return [*lines[: _MOST_LINES - 1], lines[_MOST_LINES - 1].append_text(f" {glyphs.ellipsis}", "$quiet")]


def _drawn(line: _Line, width: int, glyphs: Glyphs) -> Content:
    room = max(10, width - 1 - _LABEL - 1 - _RIGHT - 1)
    label = row((Cell(((line.label, "$quiet bold"),), _LABEL),), _LABEL, glyphs)
    text = line.text.truncate(room, ellipsis=False)
    right = row((Cell(line.right.right if line.right else (), _RIGHT, "right"),), _RIGHT, glyphs)
    return Content(" ").join((label, text.pad_right(max(0, room - text.cell_length)), right))


class RecapPane(Pane):
    """The answer above the fold."""

    DEFAULT_CSS = """
    RecapPane > #strip { height: auto; padding: 1 1 0 1; }
    """

    def __init__(self, glyphs: Glyphs, *, id: str) -> None:
        super().__init__(glyphs, id=id)
        self._strip_of: tuple[Story, State] | None = None

    def compose(self) -> ComposeResult:
        """The table and the strip."""
        yield self.said
        yield RecapTable(self.glyphs)
        yield Static(id="strip", markup=False)

    def take(self, rows: tuple[RecapRow, ...], story: Story, state: State) -> None:
        """Show a session."""
        self.show()
        self._strip_of = (story, state)
        self.query_one(RecapTable).take(rows)
        self._draw_strip()

    def _draw_strip(self) -> None:
        width = self.size.width - 2
        if self._strip_of is None or width < 1:
            return
        story, state = self._strip_of
        strip, legend = time_strip(story.items, state, min(width, 140), self.glyphs)
        self.query_one("#strip", Static).update(content((*strip, ("\n", ""), *legend)))

    def on_resize(self) -> None:
        """Draw the strip to the new width."""
        self._draw_strip()

    def place(self) -> str | None:
        """The row."""
        return self.query_one(RecapTable).cursor_key

    def return_to(self, place: object) -> None:
        """Stand there again."""
        if isinstance(place, str):
            self.query_one(RecapTable).go_to(place)
        self.take_focus()

    def on_row_list_entered(self, event: RecapTable.Entered) -> None:
        """Go to the item that a row rests on."""
        event.stop()
        line = self.query_one(RecapTable).cursor_row
        if line is not None and line.item is not None:
            self.post_message(JumpTo(line.item))
