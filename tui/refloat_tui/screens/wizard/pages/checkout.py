"""Page 3: whose changes are in the checkout?"""

from collections.abc import Sequence
from typing import Final

from refloat.model.checkout import FileState, Owner
from refloat.model.recovery import Page, Said, SaidOwner
from refloat.text import inert_line, one_line
from refloat.usecases.recover import OwnerRow, Recovery, next_owner, owner_rows
from refloat_tui.present import QUIET, STRONG, Pieces
from refloat_tui.present.path import short_path
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

OWNER_WORDS: Final[dict[str, str]] = {
    Owner.THIS_SESSION: "this session",
    Owner.OTHER_SESSION: "other session",
    Owner.COMMAND: "a command",
    Owner.PREDATES: "before it",
    Owner.MIXED: "several",
    Owner.UNKNOWN: "nobody knows",
}


def owner_words(owner: str | None) -> str:
    """An owner for people."""
    return "" if owner is None else OWNER_WORDS.get(owner, one_line(owner))


def _state_sign(state: str, glyphs: Glyphs) -> str:
    match state:
        case FileState.PRESENT:
            return glyphs.present
        case FileState.CHANGED_SINCE | FileState.DIVERGED:
            return glyphs.changed
        case FileState.PARTLY:
            return glyphs.partly
        case FileState.REVERTED:
            return glyphs.reverted
        case FileState.DELETED:
            return glyphs.deleted
        case FileState.MOVED:
            return glyphs.moved
        case FileState.UNVERIFIABLE:
            return glyphs.unknown
        case _:
            return glyphs.dot


def _state_words(state: str) -> str:
    return "not by it" if len(state) == 2 else state.replace("_", " ")


class CheckoutPage(PageView):
    """Every file that it edited, and every dirty one, with an owner."""

    page = Page.CHECKOUT
    title = "Checkout"
    ask = "Whose changes are these?"
    section = "current_artifact"
    offers = frozenset({"choose", "edit", "undo"})

    def so_far(self, recovery: Recovery) -> str:
        """`6 files, 1 unknown owner`."""
        rows = owner_rows(recovery)
        open_ = sum(1 for row in rows if row.open)
        return several(len(rows), "file") + (f", {open_} unowned" if open_ else "") if rows else "nothing dirty"

    def reason(self, look: Look) -> Pieces:
        """Where the checkout stands, what is under way, and what is asked."""
        checkout, rows = look.recovery.checkout, owner_rows(look.recovery)
        if checkout.repo is None:
            where = "There is no repository; files are held against what was recorded before."
        else:
            branch = inert_line(checkout.branch) if checkout.branch else "no branch"
            where = f"{branch} at {(checkout.head or 'no commit')[:7]}."
        pieces: Pieces = ((where, QUIET),)
        if (operation := checkout.operation) is not None:
            pieces = (*pieces, (f" A {operation.kind.replace('_', ' ')} is under way!", WARN))
        open_ = sum(1 for row in rows if row.open)
        if open_:
            return (*pieces, (f" Nobody can be named for {several(open_, 'file')}: say it, if you know.", WARN))
        return (*pieces, (" Every change has an owner.", QUIET))

    def rows(self, look: Look) -> Sequence[Row]:
        """A line a file; those without an owner first."""
        found = owner_rows(look.recovery)
        if not found:
            return [heading("none", (("No file was edited and nothing is dirty: nothing to ask here.", QUIET),))]
        return [Row(row.path, self._cells(row, look)) for row in found]

    def _cells(self, row: OwnerRow, look: Look) -> tuple[Cell, ...]:
        narrow = look.width < 60
        style = PERSON if row.by_person else WARN if row.open else ""
        room = look.width - (18 if narrow else 32) - 1
        sign = _state_sign(row.state, look.glyphs)
        cells = [Cell(((sign, QUIET),), 1), Cell(((short_path(row.path, room, look.glyphs.ellipsis), STRONG),))]
        if not narrow:
            cells.append(Cell(((_state_words(row.state), QUIET),), 13))
        return (*cells, Cell(((owner_words(row.owner) or "clean", style or (QUIET if row.owner is None else "")),), 14))

    def detail(self, look: Look, key: str) -> Sequence[Pieces]:
        """Why, and the dirty places."""
        row = self._row(look, key)
        if row is None:
            return ()
        lines: list[Pieces] = [((inert_line(row.path), STRONG), (f"  {_state_words(row.state)}", QUIET))]
        lines += text_lines(row.why, QUIET)
        if row.by_person:
            lines.append((("your word: ", QUIET), (owner_words(row.owner), PERSON)))
        for hunk in row.hunks[:20]:
            lines += [(), ((f"line {hunk.new_start}  ", QUIET), (owner_words(hunk.owner), QUIET))]
            for line in hunk.lines[:60]:
                lines += text_lines(line, {"+": "$added", "-": "$removed"}.get(line[:1], ""))
        return lines

    def _row(self, look: Look, key: str) -> OwnerRow | None:
        return next((row for row in owner_rows(look.recovery) if row.path == key), None)

    def choose(self, look: Look, key: str) -> Said | None:
        """The next owner."""
        row = self._row(look, key)
        if row is None or row.owner is None:
            return None
        owner = next_owner(row)
        return SaidOwner(row.path, None if owner == row.found else owner)

    def field(self, look: Look, key: str) -> Field | None:
        """A name, or any words."""
        row = self._row(look, key)
        if row is None or row.owner is None:
            return None
        return Field("Who made this change?", (row.owner or "") if row.by_person else "")

    def typed(self, look: Look, key: str, text: str) -> Said | None:
        """Keep it; nothing typed takes it back."""
        del look
        return SaidOwner(key, text.strip() or None)

    def undo(self, look: Look, key: str) -> Said | None:
        """Back to the evidence."""
        return SaidOwner(key, None) if key in look.recovery.given.owners else None
