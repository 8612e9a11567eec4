"""Replacements within lines made whole lines, by a content of the file in which they stand or are to be made.

A record without positions holds parts of lines, and everything else here counts in lines. Pure. Decides which text the
edits began with: HEAD's, where they lead from it to the content, else the content with each of them taken back. Refuses
an occurrence that is not the only one which fits: then the parts stay parts.
"""

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from refloat.checkout.fold import Folded, RecordedEdit, Standing
from refloat.checkout.lines import bare_all, bare_lines, find_block, find_differences
from refloat.checkout.pieces import FOREIGN, Piece, Traces, apply_edit, new_side, old_side, whole_piece
from refloat.model.transcript import Hunk

_Rows = Sequence[tuple[int, RecordedEdit]]


def widen(
    folded: Folded, text: str, head: Callable[[], str | None], without: AbstractSet[Standing] = frozenset()
) -> None:
    """Make the parts of lines among the pieces of a file whole lines of its content `text`, where that tells them.

    `head` gives the text that the dirty file has in HEAD; edits of a standing in `without` were not folded in.
    """
    lines = bare_lines(text)
    if folded.blind or folded.deleted or not any(_is_part(piece, lines) for piece in folded.pieces):
        return
    left_out = {Standing.REFUSED, *without}
    rows = [(at, row) for at, row in enumerate(folded.edits) if row.standing not in left_out]
    if not all(_is_mere(folded, row) for _, row in rows):
        return
    made = _made_from(rows, lines, head())
    if made is None:
        return
    piece, traces = made
    first = piece.before or []
    standing = [one for one in folded.pieces if not _is_part(one, lines)]
    held = [(at, at + len(one.lines)) for one in standing if (at := find_block(one.lines, piece.lines)) is not None]
    folded.pieces = [*standing, *_changed(piece, first, held)]
    folded.traces = traces


def _is_part(piece: Piece, lines: Sequence[str]) -> bool:
    """Whether neither what a piece holds nor what it replaced stands there in whole lines."""
    if not piece.loose or piece.before is None:
        return False
    return find_block(bare_all(piece.lines), lines) is None and find_block(bare_all(piece.before), lines) is None


def _is_mere(folded: Folded, row: RecordedEdit) -> bool:
    """Whether an edit changed the file by hunks, in its place."""
    edit = row.edit
    return edit.op == "update" and bool(edit.hunks) and edit.path == folded.path and edit.moved_to in (None, edit.path)


def _made_from(rows: _Rows, lines: Sequence[str], head: str | None) -> tuple[Piece, Traces] | None:
    """The whole text after the edits, with their traces, made from what was there before the first one."""
    text = "\n".join(lines)
    heads = None if head is None else bare_lines(head)
    made = None if heads is None else _apply("\n".join(heads), rows)
    if made is not None and made[0].text == text:
        return made
    start, exact = text, True
    for _, row in reversed(rows):
        for hunk in reversed(row.edit.hunks):
            taken = _taken_back(start, hunk, heads, every=row.edit.replace_all)
            if taken is None and "\n".join(old_side(hunk)) not in start:
                return None
            start, exact = (start, False) if taken is None else (taken, exact)
    made = _apply(start, rows)
    return made if made is not None and (not exact or made[0].text == text) else None


def _apply(start: str, rows: _Rows) -> tuple[Piece, Traces] | None:
    piece, traces = whole_piece(start, FOREIGN, before=True), Traces()
    for at, row in rows:
        olds = ["\n".join(old_side(hunk)) for hunk in row.edit.hunks]
        once = row.edit.replace_all or all(piece.text.count(old) == 1 for old in olds[:1])
        if not (once or len(_whole_lines(olds[0], piece.text)) == 1) or not apply_edit(piece, row.edit, at, traces):
            return None
    return piece, traces


def _taken_back(text: str, hunk: Hunk, heads: Sequence[str] | None, *, every: bool) -> str | None:
    """The text without what a hunk made of it; None where that does not stand there, or nobody knows which it is."""
    old, new = "\n".join(old_side(hunk)), "\n".join(new_side(hunk))
    places = _whole_lines(new, text) or list(_occurrences(new, text))
    if len(places) > 1 and heads is not None:
        places = [at for at in places if find_block(_around(text, at, new, old), heads) is not None]
    if not places or (len(places) > 1 and not every):
        return None
    for at in reversed(places):
        text = text[:at] + old + text[at + len(new) :]
    return text


def _occurrences(part: str, text: str) -> Iterator[int]:
    at = text.find(part) if part else -1
    while at >= 0:
        yield at
        at = text.find(part, at + max(1, len(part) - 1))  # two equal lines share the line feed between them


def _whole_lines(part: str, text: str) -> list[int]:
    """Where a part stands as whole lines."""
    return list(_occurrences(f"\n{part}\n", f"\n{text}\n")) if part else []


def _around(text: str, at: int, part: str, other: str) -> list[str]:
    """The lines that an occurrence lies in, with something else in its place."""
    begin, end = text.rfind("\n", 0, at) + 1, text.find("\n", at + len(part))
    return (text[begin:at] + other + text[at + len(part) : end if end >= 0 else len(text)]).split("\n")


def _changed(piece: Piece, first: Sequence[str], held: Sequence[tuple[int, int]]) -> Iterator[Piece]:
    """The changed places of a whole text, but for those within stretches that are `held` already."""
    for place in find_differences(first, piece.lines):
        inner = int(place.new_from == place.new_to)  # what was merely taken away lies between two lines of a stretch
        if any(start + inner <= place.new_from and place.new_to <= end - inner for start, end in held):
            continue
        new = slice(place.new_from, place.new_to)
        yield Piece(list(first[place.old_from : place.old_to]), piece.lines[new], piece.origins[new], whole=False)
