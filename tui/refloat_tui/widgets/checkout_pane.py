"""Checkout: what became of each file, whose it is, and both sides of its change below."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from refloat.model.checkout import Checkout, EditedFile, OtherChange
from refloat.model.story import Story
from refloat.text import inert_line, one_line
from refloat_tui.present import Pieces
from refloat_tui.present.hunk import (
    DiffLine,
    disk_lines,
    file_fate,
    file_glyph,
    hunks_changed,
    owner_words,
    place_words,
    recorded_lines,
)
from refloat_tui.present.path import short_path
from refloat_tui.present.step import changed_words
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import Cell, content, row
from refloat_tui.widgets.panes import JumpTo, Pane
from refloat_tui.widgets.row_list import RowList

_SIDE_BY_SIDE_FROM = 90
_OWNER_FROM, _PLACE_FROM = 58, 84


@dataclass(frozen=True, slots=True)
class _File:
    key: str
    change: EditedFile | OtherChange


class FileList(RowList[_File]):
    """The session's files, then the rest of what is dirty."""

    DEFAULT_CSS = """
    FileList { height: auto; max-height: 45%; min-height: 3; }
    """

    def key_of(self, row: _File) -> str:
        """Its path."""
        return row.key

    def draw_row(self, row: _File, width: int, *, chosen: bool) -> Content:
        """Sign, path, fate, owner, lines, where else it stands."""
        del chosen
        return _file_cells(row.change, width, self.glyphs)


def _cells(six: Sequence[Pieces], width: int) -> list[Cell]:
    glyph, path, fate, owner, lines, place = six
    cells = [Cell(glyph, 1), Cell(path), Cell(fate, 25 if width >= _OWNER_FROM else 20)]
    if width >= _OWNER_FROM:
        cells.append(Cell(owner, 16))
    cells.append(Cell(lines, 9, "right"))
    if width >= _PLACE_FROM:
        cells.append(Cell(place, max(14, width // 6)))
    return cells


def _file_cells(change: EditedFile | OtherChange, width: int, glyphs: Glyphs) -> Content:
    lines = changed_words(*hunks_changed(change.hunks), glyphs)
    owner: Pieces = ((owner_words(change.owner, change.session, glyphs), "" if change.owner else "$faint"),)
    path: Pieces = ((short_path(change.path, 200), ""),)
    if isinstance(change, EditedFile):
        words, style = file_fate(change)
        glyph: Pieces = ((file_glyph(change.state, glyphs), style),)
        place: Pieces = ((place_words(change.found_in), "$quiet"),)
        cells = _cells((glyph, path, ((words, style),), owner, lines, place), width)
    else:
        status = {"??": "untracked"}.get(change.status, "dirty")
        glyph = ((glyphs.unknown if change.owner.value == "unknown" else glyphs.dot, "$quiet"),)
        place = ((one_line(change.why), "$quiet"),)
        cells = _cells((glyph, path, ((status, "$quiet"),), owner, lines, place), width)
    return row(cells, width, glyphs)


@dataclass(frozen=True, slots=True)
class _Diff:
    key: str
    left: DiffLine | None
    right: DiffLine | None = None
    pair: bool = False


class DiffList(RowList[_Diff]):
    """Both sides of a file's change: beside each other where there is room, below each other otherwise."""

    def key_of(self, row: _Diff) -> str:
        """Its line."""
        return row.key

    def draw_row(self, row: _Diff, width: int, *, chosen: bool) -> Content:
        """One line of one or both sides."""
        del chosen
        if not row.pair:
            return _side(row.left or row.right, width, self.glyphs)
        left = (width - 3) // 2
        right = width - 3 - left
        bar = Content.assemble((f" {self.glyphs.bar} ", "$rule"))
        return _side(row.left, left, self.glyphs) + bar + _side(row.right, right, self.glyphs)


def _side(line: DiffLine | None, width: int, glyphs: Glyphs) -> Content:
    if line is None:
        return Content(" " * width)
    if line.sign == "@":
        return row((Cell(line.text),), width, glyphs)
    style = {"+": "$added", "-": "$removed"}.get(line.sign, "$quiet")
    made = row((Cell(((line.sign, style), (" ", ""), *line.text)),), width, glyphs)
    ground = {"+": "on $added-ground", "-": "on $removed-ground"}.get(line.sign)
    return made.stylize_before(ground) if ground else made


def _heading(words: str) -> DiffLine:
    return DiffLine("@", ((words, "$accent bold"),))


def _lay(recorded: Sequence[DiffLine], disk: Sequence[DiffLine], *, beside: bool) -> list[_Diff]:
    left = [_heading("recorded by this session"), *(recorded or [DiffLine(" ", (("nothing", "$quiet"),))])]
    right = [_heading("on disk now, against HEAD"), *(disk or [DiffLine(" ", (("nothing is dirty here", "$quiet"),))])]
    if not beside:
        return [_Diff(str(at), line) for at, line in enumerate((*left, *right))]
    most = max(len(left), len(right))
    pairs = zip([*left, *[None] * (most - len(left))], [*right, *[None] * (most - len(right))], strict=True)
    return [_Diff(str(at), one, other, pair=True) for at, (one, other) in enumerate(pairs)]


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
        first = checkout.warnings[0]
        more = f" (and {len(checkout.warnings) - 1} more)" if len(checkout.warnings) > 1 else ""
        lines.append(((f"{one_line(first.what)}{more}", "$pile-claimed"),))
    return lines


def dirty_count(checkout: Checkout) -> int:
    """How many files are dirty."""
    return sum(bool(file.hunks) for file in checkout.files) + len(checkout.other_changes)


class CheckoutPane(Pane):
    """Files above, the chosen file's change below."""

    DEFAULT_CSS = """
    CheckoutPane > #checkout-head { height: auto; padding: 0 1; }
    CheckoutPane.-reading > FileList { max-height: 5; }
    CheckoutPane > #checkout-names { height: 1; padding: 0 1; color: $quiet; }
    CheckoutPane > #why { height: auto; max-height: 2; padding: 0 1; border-top: solid $rule; color: $quiet; }
    """

    def __init__(self, glyphs: Glyphs, *, id: str) -> None:
        super().__init__(glyphs, id=id)
        self._checkout: Checkout | None = None
        self._story: Story | None = None
        self._shown: tuple[str | None, bool] = (None, False)

    def compose(self) -> ComposeResult:
        """Summary, names of the columns, files, the reason, the change."""
        yield self.said
        yield Static(id="checkout-head", markup=False)
        yield Static(id="checkout-names", markup=False)
        yield FileList(self.glyphs, id="files")
        yield Static(id="why", markup=False)
        yield DiffList(self.glyphs, id="diff")

    def take(self, checkout: Checkout, story: Story) -> None:
        """Show a comparison."""
        self._checkout, self._story = checkout, story
        files: list[EditedFile | OtherChange] = [*checkout.files, *checkout.other_changes]
        if not files:
            self.say(
                (("This session edited no file, and nothing is dirty.", ""),),
                (("Here would stand each edited file: what became of it, whose it is, and both sides.", "$quiet"),),
            )
            return
        self.show()
        lines = [_summary(checkout, self.glyphs), *_alarms(checkout)]
        flat: list[tuple[str, str]] = []
        for line in lines:
            flat += [*line, ("\n", "")]
        self.query_one("#checkout-head", Static).update(content(tuple(flat[:-1])))
        self.query_one(FileList).set_rows([_File(file.path, file) for file in files])
        self._draw_names()
        self._shown = (None, False)
        self._show_file()

    def _draw_names(self) -> None:
        width = max(1, self.size.width - 2)
        names: list[Pieces] = [((word, "$quiet"),) for word in ("", "file", "fate", "owner", "lines", "found in")]
        cells = _cells(names, width)
        self.query_one("#checkout-names", Static).update(row(cells, width, self.glyphs))

    def _show_file(self) -> None:
        chosen = self.query_one(FileList).cursor_row
        beside = self.size.width >= _SIDE_BY_SIDE_FROM
        key = chosen.key if chosen else None
        if chosen is None or self._checkout is None or self._story is None or (key, beside) == self._shown:
            return
        self._shown = (key, beside)
        recorded = recorded_lines(self._story.every_step, chosen.key, self._checkout.repo, self.glyphs)
        rows = _lay(recorded, disk_lines(chosen.change, self.glyphs), beside=beside)
        diff = self.query_one(DiffList)
        diff.set_rows(rows)
        diff.action_rows_first()
        path = inert_line(chosen.change.path)
        self.query_one("#why", Static).update(content(((f"{path}  ", "bold"), (one_line(chosen.change.why), "$quiet"))))

    def on_resize(self) -> None:
        """Beside or below, by the new width."""
        self._draw_names()
        self._show_file()

    def on_descendant_focus(self) -> None:
        """The change gets the room while it is read."""
        self.set_class(self.query_one(DiffList).has_focus, "-reading")

    def on_row_list_moved(self, event: FileList.Moved) -> None:
        """Another file: show its change."""
        if event.rows.id == "files":
            event.stop()
            self._show_file()

    def on_row_list_entered(self, event: FileList.Entered) -> None:
        """From a file to its change, from a recorded change to the step that made it."""
        event.stop()
        diff = self.query_one(DiffList)
        if event.rows.id == "files":
            diff.focus()
            return
        line = diff.cursor_row
        step = line.left.step if line and line.left else None
        if step is None or self._story is None:
            return
        item = next((found.item for found in self._story.steps if found.n == step), 0)
        if item:
            self.post_message(JumpTo(item))
