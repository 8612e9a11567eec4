"""Page 3: whose changes are in the checkout? File by file, and place by place where several had a hand in one."""

from collections.abc import Iterator, Sequence

from refloat.model.checkout import DirtyHunk, EditedFile, FileState, Owner
from refloat.model.fate_words import OWNER_WORDS, STATE_WORDS, fate_words
from refloat.model.recovery import Page, Said, SaidHunk, SaidOwner
from refloat.text import inert_line, one_line
from refloat.usecases.recover import OwnerRow, PlaceRow, next_owner, owner_rows
from refloat_tui.present import QUIET, STRONG, Pieces
from refloat_tui.present.age import local_times
from refloat_tui.present.hunk import file_glyph, hunks_changed, place_words, sign_style
from refloat_tui.present.path import short_path
from refloat_tui.present.step import changed_words
from refloat_tui.screens.wizard.pages.view import (
    PERSON,
    WARN,
    Field,
    Look,
    PageView,
    Row,
    heading,
    several,
    text_lines,
)
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import Cell


def owner_words(owner: str | None) -> str:
    """An owner for people."""
    if owner is None:
        return ""
    return OWNER_WORDS[Owner(owner)] if owner in set(Owner) else one_line(owner)


def _state_sign(state: str, glyphs: Glyphs) -> str:
    return file_glyph(FileState(state), glyphs) if state in set(FileState) else glyphs.dot


def _state_words(state: str) -> str:
    return STATE_WORDS[FileState(state)] if state in set(FileState) else "not by it"


class CheckoutPage(PageView):
    """Every file that it edited, and every dirty one, with an owner."""

    page = Page.CHECKOUT
    title = "Checkout"
    ask = "Whose changes are these?"
    section = "current_artifact"
    offers = frozenset({"choose", "edit", "undo"})
    rounds = frozenset({"choose"})

    def so_far(self, look: Look) -> str:
        """`6 files, 1 unknown owner`."""
        rows = owner_rows(look.recovery)
        open_ = sum(1 for row in rows if row.open)
        return several(len(rows), "file") + (f", {open_} unowned" if open_ else "") if rows else "nothing dirty"

    def reason(self, look: Look) -> Pieces:
        """Where the checkout stands, what is under way, and what is asked."""
        checkout, rows = look.recovery.checkout, owner_rows(look.recovery)
        pieces: Pieces = ()
        if (operation := checkout.operation) is not None:
            pieces = ((f"A {operation.kind.replace('_', ' ')} is under way! ", WARN),)
        if checkout.repo is None:
            where = "There is no repository; files are held against what was recorded before."
        else:
            branch = inert_line(checkout.branch) if checkout.branch else "no branch"
            where = f"{branch} at {(checkout.head or 'no commit')[:7]}, its diff held against the records."
        pieces = (*pieces, (where, QUIET))
        open_ = sum(1 for row in rows if row.open)
        # Each on a row of its own: the list stays where it is once the last answer is given.
        if open_:
            has = "has" if open_ == 1 else "have"
            return (*pieces, (f"\n{several(open_, 'file')} {has} no known owner: say it, if you know.", WARN))
        return (*pieces, ("\nEvery change has an owner; u takes your word back.", QUIET))

    def rows(self, look: Look) -> Sequence[Row]:
        """A line a file, those without an owner first; below it one for each place, where they differ."""
        found = owner_rows(look.recovery)
        if not found:
            return [heading("none", (("No file was edited and nothing is dirty: nothing to ask here.", QUIET),))]
        rows: list[Row] = []
        for row in found:
            rows.append(Row(row.path, _file_cells(row, look)))
            rows += [Row(place.key, _place_cells(place, look)) for place in row.places]
        return rows

    def detail(self, look: Look, key: str) -> Sequence[Pieces]:
        """Where the evidence is, why it says so, and the dirty places."""
        row = _row(look, key)
        if row is None:
            return ()
        lines: list[Pieces] = [((inert_line(row.path), STRONG), (f"  {_state_words(row.state)}", QUIET))]
        place = _place(row, key)
        if place is None:
            lines += text_lines(local_times(row.why), QUIET)
            lines += _evidence(look, row)
        said = place or row
        if said.by_person:
            found = owner_words(said.found)
            lines.append((("your word: ", QUIET), (owner_words(said.owner), PERSON), (f"  found: {found}", QUIET)))
        elif place is not None:
            lines.append((("found by its lines: ", QUIET), (_hunk_owner(place.hunk), STRONG)))
        for hunk in (place.hunk,) if place is not None else row.hunks[:20]:
            lines += [(), *_hunk_lines(hunk, look.glyphs)]
        if place is None and len(row.hunks) > 20:
            lines.append(((f"{len(row.hunks) - 20} more places: refloat checkout shows them", QUIET),))
        return lines

    def choose(self, look: Look, key: str) -> Said | None:
        """The next owner."""
        row = _row(look, key)
        if row is None or row.owner is None:
            return None
        place = _place(row, key)
        owner = next_owner(place or row)
        if place is not None:
            return SaidHunk(key, None if owner == place.found else owner)
        return SaidOwner(row.path, None if owner == row.found else owner)

    def field(self, look: Look, key: str) -> Field | None:
        """A name, or any words."""
        row = _row(look, key)
        if row is None or row.owner is None:
            return None
        said = _place(row, key) or row
        label = "Who made this place?" if said is not row else "Who made this change?"
        return Field(label, (said.owner or "") if said.by_person else "")

    def typed(self, look: Look, key: str, text: str) -> Said | None:
        """Keep it; nothing typed takes it back."""
        row = _row(look, key)
        if row is not None and _place(row, key) is not None:
            return SaidHunk(key, text.strip() or None)
        return SaidOwner(key, text.strip() or None)

    def undo(self, look: Look, key: str) -> Said | None:
        """Back to the evidence."""
        given = look.recovery.given
        if key in given.hunks:
            return SaidHunk(key, None)
        return SaidOwner(key, None) if key in given.owners else None


def _row(look: Look, key: str) -> OwnerRow | None:
    return next((row for row in owner_rows(look.recovery) if row.path == key or _place(row, key) is not None), None)


def _place(row: OwnerRow, key: str) -> PlaceRow | None:
    return next((place for place in row.places if place.key == key), None)


def _file_cells(row: OwnerRow, look: Look) -> tuple[Cell, ...]:
    narrow = look.width < 60
    style = PERSON if row.by_person else WARN if row.open else ""
    room = look.width - (20 if narrow else 34) - 1
    sign = _state_sign(row.state, look.glyphs)
    cells = [Cell(((sign, QUIET),), 1), Cell(((short_path(row.path, room, look.glyphs.ellipsis), STRONG),))]
    if not narrow:
        cells.append(Cell(((_state_words(row.state), QUIET),), 13))
    return (*cells, Cell(((owner_words(row.owner) or "clean", style or (QUIET if row.owner is None else "")),), 16))


def _place_cells(place: PlaceRow, look: Look) -> tuple[Cell, ...]:
    style = PERSON if place.by_person else WARN if place.open else ""
    changed = changed_words(*hunks_changed((place.hunk,)), look.glyphs)
    cells = [Cell((), 1), Cell(((f"  line {place.hunk.new_start}  ", QUIET), *changed))]
    return (*cells, Cell(((owner_words(place.owner), style),), 16))


def _evidence(look: Look, row: OwnerRow) -> Iterator[Pieces]:
    """Which steps edited it, what became of each edit, and where its content stands."""
    change = next((file for file in look.recovery.checkout.files if file.path == row.path), None)
    if not isinstance(change, EditedFile):
        yield (("evidence: ", QUIET), ("git's diff alone; no edit of this session names it", ""))
        return
    fates = [
        f"step {edit.step}{f' of {inert_line(edit.subagent)}' if edit.subagent else ''} {fate_words(edit)}"
        for edit in change.edits[-6:]
    ]
    left_out = f"{len(change.edits) - 6} earlier edits; " if len(change.edits) > 6 else ""
    if fates:
        yield (("fate of each edit: ", QUIET), (left_out + "; ".join(fates), ""))
    if where := place_words(change.found_in):
        yield (("found in: ", QUIET), (where, ""))


def _hunk_owner(hunk: DirtyHunk) -> str:
    return owner_words(hunk.owner) + (f", {inert_line(hunk.session)}" if hunk.session else "")


def _hunk_lines(hunk: DirtyHunk, glyphs: Glyphs) -> Iterator[Pieces]:
    changed = changed_words(*hunks_changed((hunk,)), glyphs)
    yield ((f"line {hunk.new_start}  ", QUIET), *changed, (f"  {_hunk_owner(hunk)}", QUIET))
    for line in hunk.lines[:40]:
        yield from text_lines(line, sign_style(line))
    if len(hunk.lines) > 40:
        yield ((f"{len(hunk.lines) - 40:,} more lines", QUIET),)
