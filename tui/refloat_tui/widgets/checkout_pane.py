"""Checkout: what became of each file, whose each place of it is, and both sides of the change below.

Decides what is open and what is shown below it; rows are `checkout_list`, both sides are `diff_list`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.getters import query_one
from textual.widgets import Static

from refloat.model.checkout import Checkout, EditedFile, OtherChange
from refloat.model.story import Story
from refloat.model.transcript import Step
from refloat.text import inert_line, one_line
from refloat_tui.actions import bindings
from refloat_tui.present import Pieces
from refloat_tui.present.recap import root_of
from refloat_tui.present.spots import Record, Spot, find_spots, record_of, recorded_of
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import content
from refloat_tui.widgets.checkout_list import FileList, Row, check_key, checkout_rows, file_key, names_row, row_words
from refloat_tui.widgets.diff_list import BESIDE_FROM, DiffList
from refloat_tui.widgets.panes import JumpTo, Pane, Unreachable

_SHORT_BELOW: Final = 20
"""Lines."""
_OTHERS: Final = "Another session made it: its own History holds the step."


def _summary(checkout: Checkout, glyphs: Glyphs) -> Pieces:
    if checkout.repo is None:
        return (("No repository: the files are compared with what was recorded before each edit.", "$quiet"),)
    dirty = dirty_count(checkout)
    words = [(f"{dirty} dirty {'file' if dirty == 1 else 'files'}", "bold")]
    head, base = checkout.head, checkout.base.head
    words.append((f"  {glyphs.dot}  HEAD {head[:7] if head else 'has no commit'}", ""))
    if base and base != head:
        words.append((f" (was {base[:7]} when it began)", "$quiet"))
    elif base:
        words.append((" (as when it began)", "$quiet"))
    if checkout.branch:
        words.append((f"  {glyphs.dot}  {inert_line(checkout.branch)}", "$quiet"))
    return tuple(words)


def _alarms(checkout: Checkout) -> list[Pieces]:
    lines: list[Pieces] = []
    operation = checkout.operation
    if operation is not None:
        of = f" of {inert_line(operation.branch)}" if operation.branch else ""
        onto = f" onto {inert_line(operation.onto)}" if operation.onto else ""
        conflicts = f", {len(operation.conflicts)} in conflict" if operation.conflicts else ""
        lock = ", an index.lock is left over" if operation.index_lock else ""
        kind = operation.kind.replace("_", " ")
        lines.append(
            ((f"A {kind}{of}{onto} is under way{conflicts}{lock}: finish or abort it first.", "$pile-gone bold"),)
        )
    if checkout.warnings:
        first, more = checkout.warnings[0], len(checkout.warnings) - 1
        words = f"{more + 1} warnings, at the end of the list: " if more else ""
        lines.append(((f"{words}{one_line(first.what)}", "$pile-claimed"),))
    return lines


def dirty_count(checkout: Checkout) -> int:
    """How many files are dirty."""
    return sum(bool(file.hunks) for file in checkout.files) + len(checkout.other_changes)


@dataclass(frozen=True, slots=True)
class _Place:
    opened: frozenset[str]
    row: str | None
    line: str | None
    """The line of the change, where that is being read."""


class CheckoutPane(Pane):
    """Files and their places above, the change under the cursor below."""

    DEFAULT_CSS = """
    CheckoutPane > #checkout-head { height: auto; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }
    CheckoutPane.-short > FileList { max-height: 5; }
    CheckoutPane.-reading > FileList { max-height: 3; }
    CheckoutPane > #checkout-names { height: 1; padding: 0 1; color: $quiet; }
    CheckoutPane > #why { height: auto; max-height: 3; padding: 0 1; border-top: solid $rule; color: $quiet; }
    CheckoutPane.-short > #why { max-height: 2; text-wrap: nowrap; text-overflow: ellipsis; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("checkout")]

    files = query_one(FileList)
    diff = query_one(DiffList)

    def __init__(self, glyphs: Glyphs, *, id: str) -> None:
        super().__init__(glyphs, id=id)
        self._checkout: Checkout | None = None
        self._record: Record = {}
        self._steps: dict[tuple[int, str | None], Step] = {}
        self._spots: dict[str, tuple[Spot, ...]] = {}
        """The places of the files that were looked at."""
        self._opened: set[str] = set()
        self._shown: str | None = None

    def compose(self) -> ComposeResult:
        """Summary, names of the columns, rows, the reason, the change."""
        yield self.said
        yield Static(id="checkout-head", markup=False)
        yield Static(id="checkout-names", markup=False)
        yield FileList(self.glyphs, id="files")
        yield Static(id="why", markup=False)
        yield DiffList(self.glyphs, id="diff")

    # ── what is shown ────────────────────────────────────────────────────────────────────────────────────────────────

    def take(self, checkout: Checkout, story: Story) -> None:
        """Show a comparison. What was open stays open, where it is of the same session."""
        fresh = self._checkout is None or self._checkout.session != checkout.session
        if fresh:
            self._opened.clear()
        self._checkout = checkout
        self._steps = {(step.n, step.subagent): step for step in story.every_step}
        self._record, self._spots, self._shown = record_of(self._steps.values()), {}, None
        self.files.root = root_of(story)
        if not (checkout.files or checkout.other_changes or checkout.checks):
            self.say(
                (("This session edited no file, and nothing is dirty.", ""),),
                (("Here would stand each edited file: what became of it, whose it is, and both sides.", "$quiet"),),
            )
            return
        self.show()
        flat: list[tuple[str, str]] = []
        for line in (*_alarms(checkout), _summary(checkout, self.glyphs)):
            flat += [*line, ("\n", "")]
        self.query_one("#checkout-head", Static).update(content(tuple(flat[:-1])))
        self._draw_names()
        self._draw_rows()
        if fresh:  # a file of the same name is another session's work
            self.files.action_rows_first()
        self._show_change()

    def _changes(self) -> Sequence[EditedFile | OtherChange]:
        return () if self._checkout is None else (*self._checkout.files, *self._checkout.other_changes)

    def _spots_of(self, change: EditedFile | OtherChange) -> tuple[Spot, ...]:
        if change.path not in self._spots:
            repo = self._checkout.repo if self._checkout is not None else None
            self._spots[change.path] = find_spots(change, recorded_of(self._record, change.path, repo))
        return self._spots[change.path]

    def _draw_rows(self) -> None:
        if self._checkout is None:
            return
        opened = {change.path: self._spots_of(change) for change in self._changes() if change.path in self._opened}
        conflicts = self._checkout.operation.conflicts if self._checkout.operation else ()
        self.files.set_rows(tuple(checkout_rows(self._checkout, opened, self._steps, conflicts)))

    def _draw_names(self) -> None:
        width = max(1, (self.files.scrollable_content_region.width or self.size.width - 1) - 1)
        self.query_one("#checkout-names", Static).update(names_row(width, self.glyphs))

    def _show_change(self) -> None:
        line = self.files.cursor_row
        if line is None or line.key == self._shown:
            return
        self._shown = line.key
        if line.spot is not None:
            self.diff.take((line.spot,))
        else:
            self.diff.take(self._spots_of(line.change) if line.change is not None else ())
        self.diff.display = line.change is not None
        self.query_one("#why", Static).update(content(row_words(line, self.glyphs)))
        self.refresh_bindings()

    def on_resize(self) -> None:
        """Names to the new width; where there are few lines, the change needs them most."""
        self.set_class(self.size.height < _SHORT_BELOW, "-short")
        self.call_after_refresh(self._draw_names)  # by then the rows know their room

    def on_descendant_focus(self) -> None:
        """The change gets the room while it is read."""
        self.set_class(self.diff.has_focus, "-reading")

    # ── keys ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    def on_row_list_moved(self, event: FileList.Moved) -> None:
        """Another row: show its change."""
        event.stop()
        if event.rows.id == "files":
            self._show_change()

    def on_row_list_entered(self, event: FileList.Entered) -> None:
        """A file opens or closes; a place, a check and a line of a change lead to the step that made them."""
        event.stop()
        if event.rows.id == "diff":
            line = self.diff.cursor_row
            if not self.diff.unfold() and line is not None and line.spot is not None:
                self._to_step_of(line.spot)
            return
        row = self.files.cursor_row
        if row is None:
            return
        if row.spot is not None:
            self._to_step_of(row.spot)
        elif row.check is not None:
            self._to_step((row.check.step, row.check.subagent))
        elif row.change is not None:
            self._turn(row)

    def _turn(self, row: Row) -> None:
        if row.change is None:
            return
        spots = self._spots_of(row.change)
        if not spots:
            self.post_message(Unreachable("Nothing of it is recorded line by line, and nothing of it is dirty."))
            return
        self._opened ^= {row.change.path}
        self._draw_rows()
        if row.change.path in self._opened:
            self.files.go_to(spots[0].key)

    def _to_step_of(self, spot: Spot) -> None:
        last = spot.last
        if last is not None:
            self._to_step((last.step, last.subagent))
        elif spot.dirty is not None and spot.dirty.session is not None:
            self.post_message(Unreachable(_OTHERS))
        else:
            self.post_message(Unreachable("No step of this session holds these lines."))

    def _to_step(self, key: tuple[int, str | None]) -> None:
        step = self._steps.get(key)
        if step is not None and step.subagent is None:
            self.post_message(JumpTo(step.item))
        else:
            who = f"sub-agent {inert_line(key[1] or '')}"
            self.post_message(Unreachable(f"Step {key[0]} of {who} made it: its history is not shown here."))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Where there is no change, or room for one column only, there is no other layout."""
        del parameters
        if action == "checkout_sides":
            return bool(self.diff.display and self.diff.rows) and self.size.width >= BESIDE_FROM
        return True

    def action_checkout_sides(self) -> None:
        """Beside each other, or in one column."""
        self.diff.toggle()

    # ── ways here and back ───────────────────────────────────────────────────────────────────────────────────────────

    def show_step(self, step: int, subagent: str | None, path: str | None) -> bool:
        """Stand on what a step changed or checked; False where nothing of it is here."""
        repo = self._checkout.repo if self._checkout is not None else None
        path = path.removeprefix(f"{repo.rstrip('/')}/") if path is not None and repo else path
        for change in sorted(self._changes(), key=lambda change: change.path != path):
            for spot in self._spots_of(change) if self._is_of(change, step, subagent) else ():
                if any((one.step, one.subagent) == (step, subagent) for one in spot.recorded):
                    self._opened.add(change.path)
                    self._draw_rows()
                    return self.files.go_to(spot.key, middle=True)
        return self.files.go_to(check_key(step, subagent), middle=True) or (
            path is not None and self.files.go_to(file_key(path), middle=True)
        )

    @staticmethod
    def _is_of(change: EditedFile | OtherChange, step: int, subagent: str | None) -> bool:
        """A file lists the steps that edited it, so that no other is looked into."""
        return isinstance(change, EditedFile) and any(
            (edit.step, edit.subagent) == (step, subagent) for edit in change.edits
        )

    def take_focus(self) -> None:
        """Give the keys to the rows."""
        self.files.focus()

    def place(self) -> _Place:
        """The open files, the row, and the line that is being read."""
        line = self.diff.cursor_key if self.diff.has_focus else None
        return _Place(frozenset(self._opened), self.files.cursor_key, line)

    def return_to(self, place: object) -> None:
        """Stand there again."""
        if not isinstance(place, _Place):
            self.take_focus()
            return
        self._opened |= place.opened
        self._draw_rows()
        if place.row is not None:
            self.files.go_to(place.row, middle=True)
        if place.line is None:
            self.files.focus()
            return
        self._show_change()
        self.diff.go_to(place.line)
        self.diff.focus()
