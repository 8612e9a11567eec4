"""History: every message, step and marker, one line each; only what is seen is drawn.

Of a transcript that is too long to be held whole it shows a stretch at a time and asks for what is next to it, or
somewhere else, by message (`Wanted`); the answer comes by `take_stretch`.
"""

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import Key
from textual.message import Message
from textual.widgets import Input, Static

from refloat.model.long import Ask, Fits, Spot, Stretch
from refloat.model.transcript import Item, StepKind
from refloat.usecases.find_crash import find_crash
from refloat_tui.actions import bindings
from refloat_tui.messages import message
from refloat_tui.present.step import KINDS, passes
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import content
from refloat_tui.widgets.item_list import ItemList
from refloat_tui.widgets.panes import JumpToChange, Pane, Unreachable


class PlaceInput(Input):
    """Where to go. It goes when it is left."""

    def on_blur(self) -> None:
        """Nobody types."""
        self.remove()

    def on_key(self, event: Key) -> None:
        """Escape leaves it, not the pane."""
        if event.key == "escape":
            event.stop()
            self.screen.query_one(ItemList).focus()


@dataclass(frozen=True, slots=True)
class _Place:
    kind: str
    item: str | None


class HistoryPane(Pane):
    """The items, a filter by kind, and the way to where it ended."""

    DEFAULT_CSS = """
    HistoryPane > #kinds { height: 1; padding: 0 1; }
    HistoryPane > PlaceInput { height: 1; border: none; padding: 0 1; background: $cursor-ground; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("history")]

    @message
    class Asked(Message):
        """Show the whole of an item."""

        item: Item

    @message
    class Wanted(Message):
        """A stretch of a long history."""

        ask: Ask

    def __init__(self, glyphs: Glyphs, *, id: str) -> None:
        super().__init__(glyphs, id=id)
        self.items: tuple[Item, ...] = ()
        self.kind = "all"
        self.stretch: Stretch | None = None
        """What is shown of a long history."""
        self._progress = ""
        self._pending: Ask | None = None
        self._stale = False
        """More is known by now than when what is pending was asked."""

    def compose(self) -> ComposeResult:
        """The filter and the list."""
        yield self.said
        yield Static(id="kinds", markup=False)
        yield ItemList(self.glyphs, id="items")

    @property
    def list(self) -> ItemList:
        """The list."""
        return self.query_one(ItemList)

    @property
    def is_long(self) -> bool:
        """Whether a stretch is shown, not all."""
        return self.list.is_stretch

    # ── all of it ────────────────────────────────────────────────────────────────────────────────────────────────────

    def take(self, items: tuple[Item, ...], *, root: str | None, fresh: bool) -> None:
        """Show items; `root`: told without it, paths are short; `fresh`: of another session, so begin at its end."""
        stood = self.list.cursor_row if self.is_long and not fresh else None
        self.items = items
        self.stretch = self._pending = None
        self.list.root, self.list.bytes = root, 0
        if fresh:
            self.kind = "all"
        self._filter(follow=not fresh)
        if fresh:
            self.list.action_rows_last()
        elif isinstance(stood, Spot):
            self._stand_like(stood.item)
        if not items:
            self.say((("Nothing was said or done in this session.", "$quiet"),))
        else:
            self.show()

    def _stand_like(self, item: Item) -> None:
        """On the item that was shown as a spot: it says the same at the same time."""
        same = (own for own in self.items if own.at == item.at and own.type == item.type and _name(own) == _name(item))
        found = next(same, self.items[-1] if self.items else None)
        if found is not None:
            self.go_to(found.n)

    def _filter(self, *, follow: bool) -> None:
        rows = self.items if self.kind == "all" else tuple(item for item in self.items if passes(item, self.kind))
        self.list.set_rows(rows, follow=follow)
        self._draw_kinds(f"{len(rows)} of {len(self.items)}" if self.kind != "all" else "")

    def _draw_kinds(self, counted: str) -> None:
        words: list[tuple[str, str]] = []
        for kind in KINDS:
            on = kind == self.kind
            words += [
                (f"[{kind}]" if on and self.glyphs.ascii else kind, "$accent bold underline" if on else "$quiet"),
                ("  ", ""),
            ]
        if counted:
            words.append((counted, "$quiet"))
        self.query_one("#kinds", Static).update(content(tuple(words)))

    # ── a stretch of a long one ──────────────────────────────────────────────────────────────────────────────────────

    def begin_long(self, size: int) -> None:
        """A history of so many bytes, which is not held: begin at its end."""
        if self.is_long and self.stretch is not None:
            self.list.bytes = size
            self._want(Ask("again", shown=self.stretch, fits=self._fits))
            return
        self.kind = "all"
        self.items = ()
        self.stretch = None
        self.list.bytes = max(1, size)
        self.list.set_rows(())
        self.say(((f"Reading the end of {size:,} bytes{self.glyphs.ellipsis}", "$quiet"),))
        self._want(Ask("end"))

    def forget(self) -> None:
        """Another session is chosen: nothing that was asked for is wanted."""
        self.stretch = self._pending = None
        self.list.bytes = 0
        self._progress = ""

    def take_stretch(self, ask: Ask, stretch: Stretch) -> None:
        """What was asked for, or the nearest there is."""
        if ask is not self._pending or not self.is_long:
            return
        self._pending = None
        at_end = ask.what == "again" and self.stretch is not None and self.stretch.end >= self.list.bytes
        self.stretch = stretch
        self.list.bytes = max(1, stretch.size)
        if stretch.why:
            self.post_message(Unreachable(stretch.why))
        if not stretch.cursor:
            self.list.keep_in_sight()
        self.list.set_rows(stretch.spots, follow=at_end)
        if stretch.cursor and not self.list.go_to(stretch.cursor, middle=True):
            self.list.look_for_edges()
        self.show()
        self._draw_place()
        if self._stale:
            self.know_more()

    def tell_progress(self, words: str) -> None:
        """What goes on beside: counting, numbering, reading."""
        self._progress = words
        if self.is_long:
            self._draw_place()

    def know_more(self) -> None:
        """Lines or items have their numbers by now: show them."""
        self._stale = self._pending is not None
        if self.stretch is not None and not self._stale:
            self._want(Ask("again", shown=self.stretch, fits=self._fits))

    @property
    def _fits(self) -> Fits | None:
        kind = self.kind
        return None if kind == "all" else lambda item: passes(item, kind)

    def _want(self, ask: Ask) -> None:
        self._pending = ask
        self.post_message(self.Wanted(ask))

    def _draw_place(self) -> None:
        row = self.list.cursor_row
        if isinstance(row, Spot):
            part = 100 * row.position / max(1, self.list.bytes)
            self._draw_kinds(f"{part:.1f}%  {self._progress}")
        else:
            self._draw_kinds("nothing of that kind is near" if self.stretch is not None else self._progress)

    @on(ItemList.Edge)
    def _come_to_an_edge(self, event: ItemList.Edge) -> None:
        event.stop()
        stretch = self.stretch
        if stretch is None:
            return
        if event.far:
            self._want(Ask("begin" if event.older else "end", fits=self._fits))
        elif self._pending is None and (stretch.begin > 0 if event.older else stretch.end < stretch.size):
            self._want(Ask("older" if event.older else "newer", shown=stretch, fits=self._fits))

    @on(ItemList.Moved)
    def _see_where_it_is(self, event: ItemList.Moved) -> None:
        event.stop()
        if self.is_long:
            self._draw_place()
            self.list.look_for_edges()

    def _position(self) -> int:
        row = self.list.cursor_row
        return row.position if isinstance(row, Spot) else 0

    # ── ways ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    def go_to(self, number: int) -> None:
        """Put the cursor on an item, whatever the filter."""
        if self.is_long:
            self._go_far(Ask("item", number, self.stretch))
        elif not self.list.go_to(str(number), middle=True):
            self.kind = "all"
            self._filter(follow=False)
            self.list.go_to(str(number), middle=True)

    def show_item(self, number: int, line: int | None = None) -> None:
        """As `go_to`; `line`: of its transcript, for a long history whose items have no numbers so far."""
        if self.is_long and line is not None and not (self.stretch is not None and self.stretch.numbered):
            self._go_far(Ask("line", line, self.stretch))
        else:
            self.go_to(number)

    def go_to_place(self, words: str) -> None:
        """To `12` (an item), `s31` (a step), `l1200` (a line of the transcript) or `40%`."""
        letter, digits = words[:1].lower(), words.strip("slSL%").replace(",", "")
        if not digits.isdecimal():
            self.post_message(Unreachable("Type a number: 12 is an item, s31 a step, l1200 a line, 40% a part."))
        elif self.is_long:
            number = int(digits)
            if words.endswith("%"):
                self._go_far(Ask("position", min(number, 100) * self.list.bytes // 100, self.stretch))
            else:
                kind = "step" if letter == "s" else "line" if letter == "l" else "item"
                self._go_far(Ask(kind, number, self.stretch))
        else:
            self._go_near(letter, int(digits), part=words.endswith("%"))

    def _go_near(self, letter: str, number: int, *, part: bool) -> None:
        if part:
            number = max(1, min(number, 100) * len(self.items) // 100)
        elif letter in {"s", "l"}:
            steps = ((item, item.step) for item in self.items if item.step is not None)
            found = (item.n for item, step in steps if (step.n if letter == "s" else step.line) >= number)
            number = next(found, 0)
        if 1 <= number <= len(self.items):
            self.go_to(number)
        else:
            self.post_message(Unreachable("There is no such place in this history."))

    def _go_far(self, ask: Ask) -> None:
        self.kind = "all"
        self._want(ask)

    async def action_history_place(self) -> None:
        """Ask where to."""
        if not self.query(PlaceInput):
            await self.mount(PlaceInput(placeholder="12  s31  l1200  40%", compact=True))
        self.query_one(PlaceInput).focus()

    @on(PlaceInput.Submitted)
    def _place_typed(self, event: PlaceInput.Submitted) -> None:
        event.stop()
        words = event.value.strip()
        self.list.focus()
        if words:
            self.go_to_place(words)

    def action_history_next(self) -> None:
        """To the next thing that went wrong."""
        self._go_to_trouble(1)

    def action_history_before(self) -> None:
        """To the one before."""
        self._go_to_trouble(-1)

    def _go_to_trouble(self, way: int) -> None:
        if self.is_long:
            what = "next" if way > 0 else "before"
            self._want(Ask(what, self._position(), self.stretch, self._fits, lambda item: passes(item, "trouble")))
            self.tell_progress(f"looking{self.glyphs.ellipsis}")
            return
        at = self.list.cursor_item.n if self.list.cursor_item is not None else 0
        ahead = self.items[at:] if way > 0 else self.items[: max(0, at - 1)][::-1]
        found = next((item for item in ahead if passes(item, "trouble")), None)
        if found is None:
            self.post_message(Unreachable("There is no further one in that direction."))
        else:
            self.go_to(found.n)

    def action_history_kinds(self) -> None:
        """The next filter."""
        kinds = list(KINDS)
        self.kind = kinds[(kinds.index(self.kind) + 1) % len(kinds)]
        if self.is_long:
            self._want(Ask("position", self._position(), self.stretch, self._fits))
            self._draw_place()
        else:
            self._filter(follow=False)

    def action_history_crash(self) -> None:
        """To where it ended."""
        if self.is_long:
            self._go_far(Ask("crash", shown=self.stretch))
        elif (at := find_crash(self.items)) is not None:
            self.go_to(self.items[at].n)

    def action_history_change(self) -> None:
        """To what became of the step under the cursor."""
        item = self.list.cursor_item
        step = item.step if item is not None else None
        if step is None or (step.kind not in {StepKind.EDIT, StepKind.CHECK} and not step.edits):
            self.post_message(Unreachable("This changed no file and checked none: there is nothing of it in Checkout."))
        elif self.is_long and not step.n:
            self.post_message(Unreachable("Which step this is, is known once all of the transcript was read."))
        else:
            self.post_message(JumpToChange(step.n, step.subagent, step.edits[0].path if step.edits else None))

    def place(self) -> _Place:
        """The filter and the item."""
        return _Place(self.kind, self.list.cursor_key)

    def return_to(self, place: object) -> None:
        """Stand there again."""
        if isinstance(place, _Place):
            if self.is_long:
                self._return_far(place)
            else:
                if self.kind != place.kind:
                    self.kind = place.kind
                    self._filter(follow=False)
                if place.item is not None:
                    self.list.go_to(place.item, middle=True)
        self.take_focus()

    def _return_far(self, place: _Place) -> None:
        self.kind = place.kind
        if place.item is not None and not self.list.go_to(place.item, middle=True):
            self._want(Ask("position", int(place.item.partition(".")[0]), self.stretch, self._fits))

    def on_row_list_entered(self, event: ItemList.Entered) -> None:
        """The whole of the item under the cursor."""
        event.stop()
        item = self.list.cursor_item
        if item is not None:
            self.post_message(self.Asked(item))


def _name(item: Item) -> str | None:
    """What tells an item from others of its moment."""
    return item.step.id if item.step is not None else item.marker.kind if item.marker is not None else item.text
