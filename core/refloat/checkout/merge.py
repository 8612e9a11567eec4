"""Recorded changes brought onto a text that went its own way: a three-way merge of lines, and hunks put where they fit.

Pure. Decides when two changes get into each other's way: where they touch, unless they are the same. Refuses to choose
between them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from refloat.checkout.lines import Difference, bare_all, find_block, find_differences
from refloat.checkout.pieces import Traces, apply_edit, new_side, old_side, whole_piece
from refloat.model.transcript import FileEdit

Taken = tuple[bool, int]
"""A line of a merge: whether it is one of theirs, and its index there (else in ours)."""


def merge(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[Taken] | None:
    """Both changes of `base` together; None where they get into each other's way."""
    mine, other = find_differences(base, ours), find_differences(base, theirs)
    taken: list[Taken] = []
    at = shift = 0
    """Where in base, and how far behind it the same line stands in ours."""
    left = list(mine)
    for place in other:
        while left and left[0].old_to < place.old_from:
            shift = left[0].new_to - left[0].old_to
            left.pop(0)
        rival = left[0] if left and left[0].old_from <= place.old_to else None
        if rival is not None:
            if not _same(rival, place, ours, theirs):
                return None
            left.pop(0)
            if left and left[0].old_from <= place.old_to:
                return None
            shift = rival.new_to - rival.old_to
            continue
        taken += ((False, index) for index in range(at, place.old_from + shift))
        taken += ((True, index) for index in range(place.new_from, place.new_to))
        at = place.old_to + shift
    taken += ((False, index) for index in range(at, len(ours)))
    return taken


def _same(one: Difference, other: Difference, ours: Sequence[str], theirs: Sequence[str]) -> bool:
    if (one.old_from, one.old_to) != (other.old_from, other.old_to):
        return False
    return list(ours[one.new_from : one.new_to]) == list(theirs[other.new_from : other.new_to])


def put_onto(edits: Sequence[FileEdit], text: str) -> str | None:
    """Make recorded edits once more, hunk by hunk, on a text; None where one neither fits nor stands there already."""
    piece = whole_piece(text, 0, before=False)
    for edit in _single(edits):
        if edit.after is not None:
            piece = whole_piece(edit.after, 0, before=False)
        elif not apply_edit(piece, edit, 0, Traces()) and not _stands(edit, piece.lines):
            return None
    return "\n".join(piece.lines)


def _single(edits: Sequence[FileEdit]) -> Iterator[FileEdit]:
    """Edits of one hunk each, an edit's last hunk first: so that the recorded line numbers of the others hold."""
    for edit in edits:
        if edit.after is not None or len(edit.hunks) < 2:
            yield edit
        elif any(hunk.old_start is None for hunk in edit.hunks):
            yield from (replace(edit, hunks=(hunk,)) for hunk in edit.hunks)
        else:
            yield from (replace(edit, hunks=(hunk,)) for hunk in reversed(edit.hunks))


def _stands(edit: FileEdit, lines: Sequence[str]) -> bool:
    if not edit.hunks:
        return False
    bares = bare_all(lines)
    return all(
        find_block(new_side(hunk), bares) is not None and find_block(old_side(hunk), bares) is None
        for hunk in edit.hunks
    )
