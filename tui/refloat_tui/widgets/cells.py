"""Cells in a row: pieces to Textual's content, cut and padded to a width."""

import re
from collections.abc import Sequence
from typing import Final, Literal

from textual.content import Content
from textual.widgets import Static

from refloat.model.light import light
from refloat_tui.present import Pieces
from refloat_tui.theme import Glyphs

_WIDE_PATH: Final = re.compile(r"\S*/\S+")


def content(pieces: Pieces) -> Content:
    """Pieces as content. The text is never parsed as markup."""
    return Content.assemble(*pieces) if pieces else Content("")


@light
class Cell:
    """One cell of a row."""

    pieces: Pieces
    width: int | None = None
    """In columns of the terminal; None takes what the others leave (one cell of a row)."""
    align: Literal["left", "right"] = "left"


def _fit(cell: Cell, width: int, glyphs: Glyphs) -> Content:
    made = content(cell.pieces)
    if made.cell_length > width:
        mark = glyphs.ellipsis if width > len(glyphs.ellipsis) else ""
        made = made.truncate(max(0, width - len(mark))).append_text(mark, "$quiet") if width > 0 else Content("")
    room = width - made.cell_length
    return made.pad_left(room) if cell.align == "right" and room > 0 else made.pad_right(max(0, room))


def row(cells: Sequence[Cell], width: int, glyphs: Glyphs) -> Content:
    """A row of exactly `width` columns, one blank between its cells."""
    fixed = sum(cell.width for cell in cells if cell.width is not None)
    room = max(0, width - fixed - (len(cells) - 1))
    fitted = [_fit(cell, room if cell.width is None else cell.width, glyphs) for cell in cells]
    return Content(" ").join(fitted).truncate(width).pad_right(0)


def two_ends(left: Pieces, right: Pieces, width: int, glyphs: Glyphs) -> Content:
    """A line of `width` columns with something at each end. The left one is cut for the right one."""
    first, last = content(left), content(right)
    room = width - last.cell_length - 2
    if room <= 0:
        return last.truncate(width)
    return first.truncate(room, ellipsis=not glyphs.ascii).pad_right(max(0, room - first.cell_length)) + "  " + last


def under_cursor(line: Content, *, focused: bool, ansi: bool) -> Content:
    """A row with the cursor on it. `ansi`: sixteen colours, which hold no ground on which every other can be read."""
    if focused and ansi:
        return line.stylize("bold $block-cursor-foreground on $block-cursor-background")
    return line.stylize_before("bold on $cursor-ground" if focused else "on $cursor-blurred")


def wrapped(pieces: Pieces, width: int) -> list[Content]:
    """Lines of at most `width` columns. A path that is wider than that is broken behind one of its slashes."""
    made = content(pieces)
    if not made:
        return [made]
    if ends := _breaks(made.plain, width):
        made = Content("\n").join(made.divide(ends))
    return made.wrap(max(1, width))


def _breaks(text: str, width: int) -> list[int]:
    """Where words that are too wide for a line are broken so that their names stay whole."""
    found: list[int] = []
    for word in _WIDE_PATH.finditer(text) if "/" in text else ():
        start, end = word.span()
        while end - start > width and (slash := text.rfind("/", start, start + width)) > start:
            start = slash + 1
            found.append(start)
    return found


def lines_of(pieces: Pieces, width: int, most: int, glyphs: Glyphs) -> list[Content]:
    """At most so many lines of at most `width` columns; what does not fit in ends in an ellipsis."""
    lines = wrapped(pieces, width)
    if len(lines) > most:
        room = max(0, width - len(glyphs.ellipsis))
        lines[most - 1] = lines[most - 1].rstrip().truncate(room).append_text(glyphs.ellipsis, "$quiet")
    return lines[:most]


def say(place: Static, words: Pieces | Content) -> None:
    """Say something, unless it is what is said: whatever is said anew has the whole screen laid out again."""
    made = words if isinstance(words, Content) else content(words)
    said = place.content
    if not (isinstance(said, Content) and said.is_same(made)):
        place.update(made)
