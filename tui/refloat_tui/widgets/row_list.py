"""A list of one-line rows that draws only what is seen, with a cursor that stays on its row when rows come and go.

Decides movement, cursor and scrolling. Refuses to know what a row is: subclasses draw it. Measured: with 100,000 rows
a key is answered as fast as with ten, because a row is drawn when it is looked at.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from refloat_tui.actions import bindings
from refloat_tui.messages import message
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import under_cursor

R = TypeVar("R")


class RowList(ScrollView, Generic[R], can_focus=True, inherit_bindings=False):
    """A virtual list. Subclasses say `key_of`, `draw_row` and, where some rows are headings, `stops_at`."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    RowList {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;
        background: $background;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("rows")]

    @message
    class Moved(Message):
        """The cursor stands on another row."""

        rows: "RowList[object]"
        key: str | None

        @property
        def control(self) -> "RowList[object]":
            """The list."""
            return self.rows

    @message
    class Entered(Message):
        """A row was opened."""

        rows: "RowList[object]"
        key: str

        @property
        def control(self) -> "RowList[object]":
            """The list."""
            return self.rows

    def __init__(self, glyphs: Glyphs, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.glyphs = glyphs
        self.rows: Sequence[R] = ()
        self.cursor: int | None = None
        """The row that the cursor is on; None where no row can hold it."""
        self.has_mark = True
        """Whether a column at the left shows the cursor."""
        self._places: dict[str, int] = {}
        self._drawn: dict[tuple[int, int, bool, bool], tuple[object, Strip]] = {}

    if TYPE_CHECKING:  # each kind of list has both

        def key_of(self, row: R) -> str:
            """What tells a row apart, for as long as it lives."""
            ...

        def draw_row(self, row: R, width: int, *, chosen: bool) -> Content:
            """One row as content of at most `width` columns."""
            ...

    def stops_at(self, row: R) -> bool:
        """Whether the cursor may stand on a row."""
        del row
        return True

    def shown_in(self, row: R) -> object:
        """All that a row is drawn from, as a value that is equal where it is drawn alike; None where that is not known:
        then every row is drawn anew when rows are set.
        """
        del row

    # ── rows ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    def set_rows(self, rows: Sequence[R], *, follow: bool = False) -> None:
        """Take new rows. The cursor stays on its row and the row on its line of the screen; where the row is gone, on
        the next one. `follow`: a cursor on the last row goes on to the new last row.
        """
        before, key = self.cursor, self.cursor_key
        at_end = before is not None and before == self._last_stop()
        offset = (before or 0) - round(self.scroll_y)
        self.rows = rows
        self._places = {self.key_of(row): at for at, row in enumerate(rows)}
        if not rows or self.shown_in(rows[0]) is None:
            self._drawn.clear()
        wanted = self._places.get(key) if key is not None else None
        if follow and at_end and rows:
            wanted = len(rows) - 1
        elif wanted is None:
            wanted = min(before or 0, len(rows) - 1)
        self.cursor = self._nearest_stop(wanted)
        self.virtual_size = Size(0, len(rows))
        if before is not None and self.cursor is not None:
            self.scroll_to(y=max(0, self.cursor - offset), animate=False, force=True, immediate=True)
        self.refresh()
        if self.cursor_key != key:
            self._tell_moved()

    def redraw(self) -> None:
        """Draw what is seen anew: rows are the same, what they say is not."""
        self._drawn.clear()
        self.refresh()

    def draw_again(self, key: str) -> None:
        """Draw what a row shows now."""
        if (at := self._places.get(key)) is not None:
            self.refresh_line(at)

    @property
    def cursor_key(self) -> str | None:
        """The key of the row under the cursor."""
        return None if self.cursor is None else self.key_of(self.rows[self.cursor])

    @property
    def cursor_row(self) -> R | None:
        """The row under the cursor."""
        return None if self.cursor is None else self.rows[self.cursor]

    def go_to(self, key: str, *, middle: bool = False) -> bool:
        """Put the cursor on a row; False where there is none of that key."""
        at = self._places.get(key)
        if at is None:
            return False
        self._move_to(at)
        if middle and self.size.height:
            self.scroll_to(y=max(0, at - self.size.height // 2), animate=False, force=True, immediate=True)
        return True

    def _nearest_stop(self, at: int) -> int | None:
        if not self.rows:
            return None
        for step in (*range(at, len(self.rows)), *range(at - 1, -1, -1)):
            if 0 <= step < len(self.rows) and self.stops_at(self.rows[step]):
                return step
        return None

    def _last_stop(self) -> int | None:
        return next((at for at in range(len(self.rows) - 1, -1, -1) if self.stops_at(self.rows[at])), None)

    def _tell_moved(self) -> None:
        self.post_message(self.Moved(self, self.cursor_key))  # pyright: ignore[reportArgumentType] - invariant in R

    def _move_to(self, at: int) -> None:
        if self.cursor == at or not 0 <= at < len(self.rows):
            self._show_cursor()
            return
        self.cursor = at
        self.refresh()
        self._show_cursor()
        self._tell_moved()

    def _show_cursor(self) -> None:
        if self.cursor is None or not self.size.height:
            return
        top, height = round(self.scroll_y), self.scrollable_content_region.height or self.size.height
        # Headings right above the first row are shown with it.
        first = self.cursor
        while first and not self.stops_at(self.rows[first - 1]):
            first -= 1
        if first < top:
            self.scroll_to(y=first, animate=False, force=True, immediate=True)
        elif self.cursor >= top + height:
            self.scroll_to(y=self.cursor - height + 1, animate=False, force=True, immediate=True)

    def _step(self, by: int) -> None:
        if self.cursor is None:
            return
        at = self.cursor + (1 if by > 0 else -1)
        left = abs(by)
        reached = self.cursor
        while 0 <= at < len(self.rows) and left > 0:
            if self.stops_at(self.rows[at]):
                reached = at
                left -= 1
            at += 1 if by > 0 else -1
        self._move_to(reached)

    # ── drawing ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def render_line(self, y: int) -> Strip:
        """Draw one line of what is seen."""
        width = self.scrollable_content_region.width or self.size.width
        at = y + round(self.scroll_y)
        if not 0 <= at < len(self.rows):
            return Strip.blank(self.size.width, self.rich_style)
        chosen = at == self.cursor
        focused = chosen and self.has_focus  # no other row shows where the keys go
        key = (at, width, chosen, focused)
        shown = self.shown_in(self.rows[at])
        kept = self._drawn.get(key)
        if kept is not None and kept[0] == shown:
            return kept[1]
        if len(self._drawn) > 1000:
            self._drawn.clear()
        strip = self._draw(at, width, chosen=chosen, focused=focused)
        self._drawn[key] = shown, strip
        return strip

    def _draw(self, at: int, width: int, *, chosen: bool, focused: bool) -> Strip:
        row = self.rows[at]
        room = width - 1 if self.has_mark else width
        drawn = self.draw_row(row, room, chosen=chosen).truncate(room)
        drawn = drawn.pad_right(max(0, room - drawn.cell_length))
        if chosen:
            drawn = under_cursor(drawn, focused=focused, ansi=self.app.native_ansi_color)
        if self.has_mark:
            mark = (self.glyphs.cursor if focused else self.glyphs.rests, "$accent") if chosen else (" ", "")
            drawn = Content.assemble(mark) + drawn
        return Visual.to_strips(self, drawn, width, 1, self.visual_style)[0]

    def notify_style_update(self) -> None:
        """Another look: nothing drawn holds."""
        self._drawn.clear()
        super().notify_style_update()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Where no row can hold the cursor, there is nothing to open."""
        del parameters
        return not (action == "rows_open" and self.cursor is None)

    def on_resize(self) -> None:
        """Another width."""
        self._drawn.clear()
        self._show_cursor()

    def on_focus(self) -> None:
        """The cursor shows that keys come here."""
        self.refresh()

    def on_blur(self) -> None:
        """The cursor shows that keys go elsewhere."""
        self.refresh()

    # ── mouse and keys ───────────────────────────────────────────────────────────────────────────────────────────────

    def on_click(self, event: events.Click) -> None:
        """Go to the row; open it when it was there already."""
        at = event.y + round(self.scroll_y)
        if not 0 <= at < len(self.rows) or not self.stops_at(self.rows[at]):
            return
        if at == self.cursor and event.chain > 1:
            self.action_rows_open()
        self._move_to(at)

    def action_rows_up(self) -> None:
        """One row up."""
        self._step(-1)

    def action_rows_down(self) -> None:
        """One row down."""
        self._step(1)

    def action_rows_page_up(self) -> None:
        """One page up."""
        self._step(-max(1, self.size.height - 1))

    def action_rows_page_down(self) -> None:
        """One page down."""
        self._step(max(1, self.size.height - 1))

    def action_rows_first(self) -> None:
        """To the first row."""
        if (at := self._nearest_stop(0)) is not None:
            self._move_to(at)

    def action_rows_last(self) -> None:
        """To the last row."""
        if (at := self._last_stop()) is not None:
            self._move_to(at)

    def action_rows_open(self) -> None:
        """Open what the cursor is on."""
        if (key := self.cursor_key) is not None:
            self.post_message(self.Entered(self, key))  # pyright: ignore[reportArgumentType] - invariant in R
