"""History: every message, step and marker, one line each; only what is seen is drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from refloat.model.transcript import Item, Outcome, StepKind
from refloat_tui.actions import bindings
from refloat_tui.present.age import clock_time
from refloat_tui.present.step import KINDS, ItemLine, item_line, passes
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import Cell, content, row
from refloat_tui.widgets.panes import JumpToChange, Pane, Unreachable
from refloat_tui.widgets.row_list import RowList

_SECONDS_FROM = 70
"""Columns of width from which times carry their seconds."""


class ItemList(RowList[Item]):
    """The items."""

    root: str | None = None
    """The directory that paths are told from."""

    def key_of(self, row: Item) -> str:
        """Its number, which never changes."""
        return str(row.n)

    def draw_row(self, row: Item, width: int, *, chosen: bool) -> Content:
        """Number, time, sign, kind, words, and what came of it."""
        del chosen
        return _drawn(row, item_line(row, self.glyphs, self.root), width, self.glyphs, len(str(self.rows[-1].n)))


def _drawn(item: Item, line: ItemLine, width: int, glyphs: Glyphs, digits: int) -> Content:
    seconds = width >= _SECONDS_FROM
    superseded = item.superseded or (item.step is not None and item.step.superseded)
    text = (("taken back  ", "$pile-claimed"), *line.text) if superseded else line.text
    cells = [
        Cell(((str(item.n), "$faint"),), digits, "right"),
        Cell(((clock_time(item.at, seconds=seconds), "$quiet"),), 8 if seconds else 5),
        Cell(line.glyph, 1),
        Cell(line.kind, 10),
        Cell(text),
        Cell(line.right, 11, "right"),
    ]
    return row(cells, width, glyphs)


def find_crash(items: Sequence[Item]) -> Item | None:
    """Where it ended: the first step of the last turn without a result, else the last error, else the last item."""
    steps = [item for item in items if item.step is not None]
    turn = max((item.step.turn for item in steps if item.step), default=0)
    for item in steps:
        if item.step and item.step.turn == turn and item.step.outcome in {Outcome.DANGLING, Outcome.INTERRUPTED}:
            return item
    for item in reversed(items):
        if item.marker is not None and item.marker.kind in {"api_error", "rate_limit", "interruption"}:
            return item
    return items[-1] if items else None


@dataclass(frozen=True, slots=True)
class _Place:
    kind: str
    item: str | None


class HistoryPane(Pane):
    """The items, a filter by kind, and the way to where it ended."""

    DEFAULT_CSS = """
    HistoryPane > #kinds { height: 1; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("history")]

    @dataclass
    class Asked(Message):
        """Show the whole of an item."""

        item: Item

    def __init__(self, glyphs: Glyphs, *, id: str) -> None:
        super().__init__(glyphs, id=id)
        self.items: tuple[Item, ...] = ()
        self.kind = "all"

    def compose(self) -> ComposeResult:
        """The filter and the list."""
        yield self.said
        yield Static(id="kinds", markup=False)
        yield ItemList(self.glyphs, id="items")

    @property
    def list(self) -> ItemList:
        """The list."""
        return self.query_one(ItemList)

    def take(self, items: tuple[Item, ...], *, root: str | None, fresh: bool) -> None:
        """Show items; `root`: told without it, paths are short; `fresh`: of another session, so begin at its end."""
        self.items = items
        self.list.root = root
        if fresh:
            self.kind = "all"
        self._filter(follow=not fresh)
        if fresh:
            self.list.action_rows_last()
        if not items:
            self.say((("Nothing was said or done in this session.", "$quiet"),))
        else:
            self.show()

    def _filter(self, *, follow: bool) -> None:
        rows = self.items if self.kind == "all" else tuple(item for item in self.items if passes(item, self.kind))
        self.list.set_rows(rows, follow=follow)
        words: list[tuple[str, str]] = []
        for kind in KINDS:
            on = kind == self.kind
            words += [
                (f"[{kind}]" if on and self.glyphs.ascii else kind, "$accent bold underline" if on else "$quiet"),
                ("  ", ""),
            ]
        if self.kind != "all":
            words.append((f"{len(rows)} of {len(self.items)}", "$quiet"))
        self.query_one("#kinds", Static).update(content(tuple(words)))

    def go_to(self, number: int) -> None:
        """Put the cursor on an item, whatever the filter."""
        if not self.list.go_to(str(number), middle=True):
            self.kind = "all"
            self._filter(follow=False)
            self.list.go_to(str(number), middle=True)

    def action_history_kinds(self) -> None:
        """The next filter."""
        kinds = list(KINDS)
        self.kind = kinds[(kinds.index(self.kind) + 1) % len(kinds)]
        self._filter(follow=False)

    def action_history_crash(self) -> None:
        """To where it ended."""
        item = find_crash(self.items)
        if item is not None:
            self.go_to(item.n)

    def action_history_change(self) -> None:
        """To what became of the step under the cursor."""
        item = self.list.cursor_row
        step = item.step if item is not None else None
        if step is None or (step.kind not in {StepKind.EDIT, StepKind.CHECK} and not step.edits):
            self.post_message(Unreachable("This changed no file and checked none: there is nothing of it in Checkout."))
        else:
            self.post_message(JumpToChange(step.n, step.subagent, step.edits[0].path if step.edits else None))

    def place(self) -> _Place:
        """The filter and the item."""
        return _Place(self.kind, self.list.cursor_key)

    def return_to(self, place: object) -> None:
        """Stand there again."""
        if isinstance(place, _Place):
            if self.kind != place.kind:
                self.kind = place.kind
                self._filter(follow=False)
            if place.item is not None:
                self.list.go_to(place.item, middle=True)
        self.take_focus()

    def on_row_list_entered(self, event: ItemList.Entered) -> None:
        """The whole of the item under the cursor."""
        event.stop()
        item = self.list.cursor_row
        if item is not None:
            self.post_message(self.Asked(item))
