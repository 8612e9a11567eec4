"""The rows of the checkout: files with their places below them, the rest of what is dirty, checks, warnings.

Decides which rows there are and how each is drawn. Refuses to decide what is open: the pane does.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from textual.content import Content

from refloat.model.checkout import Checkout, CheckRun, EditedFile, OtherChange, Owner, Warned
from refloat.model.fate_words import fate_words
from refloat.model.transcript import Step
from refloat.text import one_line
from refloat_tui.present import QUIET, STRONG, Pieces
from refloat_tui.present.age import timed_line
from refloat_tui.present.hunk import (
    check_facts,
    fate_style,
    file_fate,
    file_glyph,
    fresh_words,
    hunks_changed,
    owner_words,
    place_words,
)
from refloat_tui.present.path import short_path
from refloat_tui.present.spots import Spot
from refloat_tui.present.step import changed_words, ended_words, outcome_glyph, outcome_style, step_words
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import Cell, row
from refloat_tui.widgets.row_list import RowList

_OWNER_FROM, _PLACE_FROM = 72, 96


@dataclass(frozen=True, slots=True)
class Row:
    """One row."""

    key: str
    kind: Literal["heading", "file", "spot", "check", "warning"]
    words: Pieces = ()
    change: EditedFile | OtherChange | None = None
    is_open: bool = False
    spot: Spot | None = None
    check: CheckRun | None = None
    step: Step | None = None
    """The step of a check."""
    warned: Warned | None = None


def file_key(path: str) -> str:
    """The key of a file's row."""
    return f"file\n{path}"


def check_key(step: int, subagent: str | None) -> str:
    """The key of a check's row."""
    return f"check\n{subagent or ''}\n{step}"


def checkout_rows(
    checkout: Checkout,
    opened: Mapping[str, Sequence[Spot]],
    steps: Mapping[tuple[int, str | None], Step],
    conflicts: Collection[str],
) -> Iterator[Row]:
    """All rows; `opened`: the places of the files that are open, by path."""
    for change in checkout.files:
        yield from _file_rows(change, opened)
    if not checkout.files:
        yield Row("none", "heading", (("This session edited no file.", QUIET),))
    if checkout.other_changes:
        count = len(checkout.other_changes)
        words = f"  {count} {'file' if count == 1 else 'files'} that this session did not edit"
        yield Row("others", "heading", (("OTHER CHANGES", f"{QUIET} bold"), (words, QUIET)))
        for change in checkout.other_changes:
            yield from _file_rows(change, opened)
    if checkout.checks:
        yield Row("checks", "heading", (("CHECKS", f"{QUIET} bold"), ("  does each still speak of this tree?", QUIET)))
    for check in checkout.checks:
        step = steps.get((check.step, check.subagent))
        yield Row(check_key(check.step, check.subagent), "check", check=check, step=step)
    if len(checkout.warnings) > 1:
        yield Row("warnings", "heading", (("MET AND NOT OBEYED", f"{QUIET} bold"),))
        for at, warned in enumerate(checkout.warnings):
            yield Row(f"warning\n{at}", "warning", warned=warned)
    for path in conflicts:
        if not any(change.path == path for change in (*checkout.files, *checkout.other_changes)):
            yield Row(f"conflict\n{path}", "warning", warned=Warned("in conflict", path))


def _file_rows(change: EditedFile | OtherChange, opened: Mapping[str, Sequence[Spot]]) -> Iterator[Row]:
    spots = opened.get(change.path)
    yield Row(file_key(change.path), "file", change=change, is_open=spots is not None)
    for spot in spots or ():
        yield Row(spot.key, "spot", change=change, spot=spot)


class FileList(RowList[Row]):
    """The rows."""

    DEFAULT_CSS = """
    FileList { height: auto; max-height: 50%; min-height: 3; }
    """

    root: str | None = None
    """The directory that paths in commands are told from."""

    def key_of(self, row: Row) -> str:
        """Its own."""
        return row.key

    def stops_at(self, row: Row) -> bool:
        """Not on headings."""
        return row.kind != "heading"

    def draw_row(self, row: Row, width: int, *, chosen: bool) -> Content:
        """As its kind wants it."""
        del chosen
        return _drawn(row, width, self.glyphs, self.root)


_NAMES: Final = ("file", "file state/edit fate", "owner", "lines", "found in")


def names_row(width: int, glyphs: Glyphs) -> Content:
    """The names of the columns."""
    cells = [((word, QUIET),) for word in _NAMES]
    return row((Cell((), 3), *_cells(cells, width)), width, glyphs)


def _cells(five: Sequence[Pieces], width: int) -> list[Cell]:
    name, fate, owner, lines, place = five
    cells = [Cell(name), Cell(fate, 26 if width >= _OWNER_FROM else 20)]
    if width >= _OWNER_FROM:
        cells.append(Cell(owner, 16))
    cells.append(Cell(lines, 7 if width < _PLACE_FROM else 9, "right"))
    if width >= _PLACE_FROM:
        cells.append(Cell(place, max(14, width // 6)))
    return cells


def _drawn(line: Row, width: int, glyphs: Glyphs, root: str | None) -> Content:
    if line.spot is not None:
        return _spot(line.spot, width, glyphs)
    if line.change is not None:
        return _file(line.change, width, glyphs, is_open=line.is_open)
    if line.check is not None:
        return _check(line.check, line.step, width, glyphs, root)
    if line.warned is not None:
        where = f"  {one_line(line.warned.path)}" if line.warned.path else ""
        words: Pieces = ((one_line(line.warned.what), "$pile-claimed"), (where, QUIET))
        return row((Cell((), 1), Cell(words)), width, glyphs)
    return row((Cell(line.words),), width, glyphs)


def _owner(owner: Owner | None, session: str | None, glyphs: Glyphs) -> Pieces:
    style = {None: "$faint", Owner.UNKNOWN: "$pile-claimed", Owner.MIXED: "$pile-claimed"}.get(owner, "")
    return ((owner_words(owner, session, glyphs), style),)  # pyright: ignore[reportArgumentType] - a name as text


def _file(change: EditedFile | OtherChange, width: int, glyphs: Glyphs, *, is_open: bool) -> Content:
    lines = changed_words(*hunks_changed(change.hunks), glyphs)
    owner = _owner(change.owner, change.session, glyphs)
    if isinstance(change, EditedFile):
        words, style = file_fate(change)
        glyph, fate = file_glyph(change.state, glyphs), (words, style)
        place: Pieces = ((place_words(change.found_in), QUIET),)
    else:
        status = {"??": "untracked", "!!": "ignored"}.get(change.status, "dirty")
        if "U" in change.status or change.status in {"AA", "DD"}:
            status = "in conflict"
        glyph, fate, style = glyphs.dot, (status, QUIET), QUIET
        place = ((timed_line(change.why), QUIET),)
    five = _cells((((change.path, ""),), (fate,), owner, lines, place), width)
    room = width - 4 - sum((cell.width or 0) + 1 for cell in five[1:])
    five[0] = Cell(((short_path(change.path, max(8, room), glyphs.ellipsis), ""),))
    fold = (glyphs.open if is_open else glyphs.closed, "$faint")
    return row((Cell((fold,), 1), Cell(((glyph, style),), 1), *five), width, glyphs)


def _spot(spot: Spot, width: int, glyphs: Glyphs) -> Content:
    last, dirty, place = spot.last, spot.dirty, list[str]()
    if dirty is not None:
        place.append(f"line {dirty.new_start}")
    if last is not None:
        place.append(f"step {last.step}" + (f" of {one_line(last.subagent)}" if last.subagent else ""))
    words: Pieces = ((f"  {f' {glyphs.dot} '.join(place)}", ""),)
    if spot.fate is not None:
        fate: Pieces = ((fate_words(spot.fate), fate_style(spot.fate.fate)),)
    else:
        fate = (("not in its record" if last is None else last.outcome, QUIET),)
    lines = changed_words(*hunks_changed((dirty,)), glyphs) if dirty is not None else ()
    owner = _owner(dirty.owner, dirty.session, glyphs) if dirty is not None else ((glyphs.dash, "$faint"),)
    return row((Cell((), 1), Cell((), 1), *_cells((words, fate, owner, lines, ()), width)), width, glyphs)


def _check(check: CheckRun, step: Step | None, width: int, glyphs: Glyphs, root: str | None) -> Content:
    fresh, style = fresh_words(check)
    glyph = (outcome_glyph(check.outcome, glyphs), outcome_style(check.outcome))
    number = f"step {check.step}" + (f" of {one_line(check.subagent)}" if check.subagent else "")
    what = step_words(step, root) if step is not None else number
    outcome = ended_words(check.outcome, check.exit_code) or check.outcome.value
    cells = [
        Cell((), 1),
        Cell((glyph,), 1),
        Cell(((what, ""),)),
        Cell(((fresh, style),), 12),
        Cell(((outcome, outcome_style(check.outcome)),), 9),
    ]
    if width >= _OWNER_FROM:
        cells.append(Cell(((number, QUIET),), 9, "right"))
    if width >= _PLACE_FROM:
        cells.append(Cell(((check_facts(check), QUIET),), max(14, width // 4)))
    return row(cells, width, glyphs)


def row_words(line: Row, glyphs: Glyphs) -> Pieces:
    """The reason behind a row, in a sentence or two, for the line below the list."""
    if line.check is not None:
        facts = check_facts(line.check)
        return ((fresh_words(line.check)[0], STRONG), (f"  {facts}" if facts else "", QUIET))
    if line.warned is not None:
        return ((one_line(line.warned.what), STRONG), (f"  {one_line(line.warned.path or '')}", QUIET))
    if line.change is None:
        return ()
    where = place_words(line.change.found_in) if isinstance(line.change, EditedFile) else ""
    pieces: list[tuple[str, str]] = [
        (one_line(line.change.path), STRONG),
        (f"  {timed_line(line.change.why)}", QUIET),
    ]
    if where:
        pieces.append((f" {glyphs.dot} found in {where}", QUIET))
    return tuple(pieces)
