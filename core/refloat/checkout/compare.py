"""What became of a file that a session edited: the record's result held against a content.

Pure: the content may be the one on disk, or that of a commit, a stash, a backup. Decides by the table of design §4.
Refuses to say more than the record holds: then the file is unverifiable, with the reason.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from refloat.checkout.files import Content
from refloat.checkout.fold import Folded
from refloat.checkout.lines import (
    align,
    bare_all,
    bare_lines,
    find_block,
    find_differences,
    longest_rising,
    same_but_line_ends,
    tells,
)
from refloat.checkout.pieces import FOREIGN, Piece
from refloat.model.checkout import FileState
from refloat.model.light import field, light, slotted


@light
class Comparison:
    """The answer, and which edit each line of the content comes from."""

    state: FileState
    why: str
    origins: tuple[int | None, ...] = ()
    """For each line of the content: index of the edit, FOREIGN for a line that was there before, None for unknown."""
    lines: tuple[str, ...] = ()
    """The content's lines, without carriage returns."""
    laid_out_by: int | None = None
    """The step whose formatter gave the recorded lines another layout; they stand in no other sense."""
    back: Folded | None = None
    """The record up to one of its edits, where the content is what that one left and the later ones are undone."""
    halved: bool = False
    """A part of it was undone or cut off, and nothing of anybody's stands in its place."""


STANDS: Final = frozenset({FileState.PRESENT, FileState.CHANGED_SINCE})
"""States of a file in which the recorded result is on disk."""


@slotted
class _Tally:
    """How many recorded hunks stand in a content, and how many of their befores do."""

    hunks: int = 0
    there: int = 0
    undone: int = 0
    broken: int = 0
    """Hunks of which some lines stand and some do not."""
    origins: list[int | None] = field(default_factory=list[int | None])


def judge(folded: Folded, content: Content) -> Comparison:
    """Hold the record's result against a content (design §4, the table)."""
    if not folded.made:
        return Comparison(FileState.UNVERIFIABLE, "every edit of it was refused: nothing was changed by the session")
    if folded.deleted:
        if content.kind == "missing":
            return Comparison(FileState.PRESENT, "gone, as the session left it")
        return Comparison(FileState.DIVERGED, "the session deleted it, and it is back", _unknown(content))
    match content.kind:
        case "missing":
            return Comparison(FileState.DELETED, _why_missing(folded))
        case "text":
            lines = bare_lines(content.text)
            made = _judge_text(folded, content.text, lines)
            halved = made.state is FileState.PARTLY and (made.halved or _breaks_off(folded.text, lines))
            return replace(made, lines=tuple(lines), halved=halved)
        case "binary":
            return _judge_binary(folded, content.text)
        case "link":
            return Comparison(FileState.UNVERIFIABLE, "a symbolic link that leads out of the checkout: not followed")
        case "directory":
            return Comparison(FileState.DIVERGED, "a directory stands there now")
        case "large":
            return Comparison(FileState.UNVERIFIABLE, "larger than what is compared")
        case "unreadable":
            return Comparison(FileState.UNVERIFIABLE, "it cannot be read")


def _breaks_off(recorded: str | None, lines: Sequence[str]) -> bool:
    """Whether a content is the beginning of the recorded one, and nothing else."""
    return recorded is not None and "\n".join(bare_lines(recorded)).startswith("\n".join(lines))


def _judge_binary(folded: Folded, text: str) -> Comparison:
    """A file with a zero byte, which a record can hold as text and whole."""
    lines = tuple(bare_lines(text))
    if text and folded.text == text:
        origins = tuple(folded.pieces[0].origins)
        return Comparison(FileState.PRESENT, "the content is the recorded one", origins, lines)
    if text and folded.first_text == text:
        why = "the content is the one from before the session's edits"
        return Comparison(FileState.REVERTED, why, (FOREIGN,) * len(lines), lines)
    if text and folded.text is not None:
        return Comparison(FileState.DIVERGED, "neither the recorded content nor the one before it", (), lines)
    return Comparison(FileState.UNVERIFIABLE, "binary: the record holds no bytes to compare")


def _why_missing(folded: Folded) -> str:
    if not folded.confirmed and folded.existed is not True:
        return "not there, and that it was ever written is not confirmed by the record"
    return "the file is gone, and no recorded edit of the session deleted it"


def _unknown(content: Content) -> tuple[int | None, ...]:
    return (None,) * (content.text.count("\n") + 1) if content.kind == "text" else ()


def _judge_text(folded: Folded, text: str, lines: list[str]) -> Comparison:
    recorded = folded.text
    if recorded == text:
        return Comparison(FileState.PRESENT, "the content is the recorded one", tuple(folded.pieces[0].origins))
    if not folded.pieces:
        why = "binary" if folded.binary else "the record does not hold what was written"
        return Comparison(FileState.UNVERIFIABLE, why, (None,) * len(lines))
    tally = _count(folded.pieces, lines, text)
    origins = tuple(tally.origins)
    if folded.first_text == text:
        # A line of it may read like one of the session's (it moved it, or put it back later): it is not.
        untouched = (FOREIGN,) * len(lines)
        return Comparison(FileState.REVERTED, "the content is the one from before the session's edits", untouched)
    if recorded is not None and same_but_line_ends(recorded, text):
        return Comparison(FileState.CHANGED_SINCE, "only line ends or the final newline differ", origins)
    if folded.written_whole and recorded is not None:
        return _judge_whole(bare_lines(recorded), lines, origins)
    return _judge_hunks(folded, tally, lines, exact=recorded is not None)


def _judge_whole(recorded: Sequence[str], lines: Sequence[str], origins: tuple[int | None, ...]) -> Comparison:
    """A file that the session wrote whole: its lines are the hunks."""
    places = find_differences(recorded, lines)
    gone = [line for place in places for line in recorded[place.old_from : place.old_to]]
    if not any(map(tells, gone)) and all(not line for line in gone):
        return Comparison(FileState.CHANGED_SINCE, "every recorded line is there, and others were added", origins)
    told = sum(map(tells, recorded))
    left = told - sum(map(tells, gone))
    if left <= 0:
        return Comparison(FileState.DIVERGED, "none of the recorded lines is there", origins)
    return Comparison(FileState.PARTLY, f"{left} of {told} recorded lines are there", origins)


def _judge_hunks(folded: Folded, tally: _Tally, lines: Sequence[str], *, exact: bool) -> Comparison:
    origins = tuple(tally.origins)
    if tally.hunks == 0:
        if folded.blind:
            return Comparison(FileState.UNVERIFIABLE, "the record does not hold what was written", origins)
        if not exact and all(find_block(bare_all(piece.lines), lines) is not None for piece in folded.pieces):
            return Comparison(FileState.PRESENT, "the session's edits cancel out, and nothing of them is left", origins)
        return Comparison(FileState.CHANGED_SINCE, "the session's edits cancel out; something else changed", origins)
    if folded.blind and tally.there < tally.hunks:
        return Comparison(FileState.UNVERIFIABLE, "an edit was made whose content the record does not hold", origins)
    if tally.there == tally.hunks:
        if exact:
            return Comparison(
                FileState.CHANGED_SINCE, "every recorded hunk is there, and something else changed", origins
            )
        return Comparison(FileState.PRESENT, "every recorded hunk is there", origins)
    if tally.there or tally.broken:
        why = f"{tally.there} of {tally.hunks} recorded hunks are there"
        why += f", and parts of {tally.broken}" if tally.broken else ""
        return Comparison(FileState.PARTLY, why, origins, halved=tally.undone > 0)
    if tally.undone == tally.hunks:
        return Comparison(FileState.REVERTED, "no recorded hunk is there, and what they replaced is", origins)
    return Comparison(FileState.DIVERGED, "neither the recorded hunks are there nor what they replaced", origins)


def _count(pieces: Sequence[Piece], lines: Sequence[str], text: str) -> _Tally:
    tally = _Tally(origins=[None] * len(lines))
    single = _Single(lines)
    for piece in pieces:
        _count_piece(piece, lines, text, tally, single)
    return tally


class _Single:
    """Where the lines stand that a content holds only once; found out when first asked."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._places: dict[str, int] | None = None

    def of(self, run: Sequence[str]) -> list[tuple[int, int]]:
        """Which lines of a run stand somewhere, in the run's order, and where."""
        if self._places is None:
            counted = Counter(self._lines)
            self._places = {line: n for n, line in enumerate(self._lines) if counted[line] == 1 and tells(line)}
        return longest_rising([(n, self._places[line]) for n, line in enumerate(run) if line in self._places])


def _count_piece(piece: Piece, lines: Sequence[str], text: str, tally: _Tally, single: _Single) -> None:
    bares = bare_all(piece.lines)
    before = None if piece.before is None else bare_all(piece.before)
    at = None if piece.whole else find_block(bares, lines)
    if at is None and _is_undone(piece, before, bares, lines):
        count = len(find_differences(before or (), bares))
        tally.hunks += count
        tally.undone += count
        return
    places: list[int | None] = (
        list(range(at, at + len(bares))) if at is not None else _place(piece, bares, lines, single)
    )
    for index, place in enumerate(places):
        if place is not None and tally.origins[place] in (None, FOREIGN):
            tally.origins[place] = piece.origins[index]
    if before is None:
        return
    for hunk in find_differences(before, bares):
        tally.hunks += 1
        if at is not None and hunk.new_to > hunk.new_from:
            tally.there += 1  # it stands with the whole stretch
            continue
        old, new = before[hunk.old_from : hunk.old_to], bares[hunk.new_from : hunk.new_to]
        spot = places[hunk.new_from : hunk.new_to]
        if _stands(old, new, spot, _neighbours(places, hunk.new_from, len(lines)), lines):
            tally.there += 1
        elif piece.loose and new and "\n".join(new) in text:
            tally.there += 1
            _mark_indented(new, piece.origins[hunk.new_from : hunk.new_to], lines, tally)
        elif old and (find_block(old, lines) is not None or (piece.loose and "\n".join(old) in text)):
            tally.undone += 1
        elif any(place is not None and tells(line) for place, line in zip(spot, new, strict=True)):
            tally.broken += 1
        elif not old:
            tally.undone += 1


def _is_undone(piece: Piece, before: list[str] | None, bares: list[str], lines: Sequence[str]) -> bool:
    """Whether a stretch that does not stand does so as it was before: then no line of it is a recorded one.

    What was put in above or below it leaves it whole, so that says nothing of a line that still stands on that side.
    """
    if piece.whole or before is None or before == bares or not any(map(tells, before)):
        return False
    at = find_block(before, lines)
    if at is None:
        return False
    above, below = _put_around(before, bares)
    left = above.intersection(lines[:at]) | below.intersection(lines[at + len(before) :])
    return not any(map(tells, left - set(before)))


def _put_around(before: list[str], bares: list[str]) -> tuple[set[str], set[str]]:
    """The lines that a stretch gained above its first one and below its last one, where those stayed."""
    places = find_differences(before, bares)
    above = next((place for place in places[:1] if place.old_to == 0), None)
    below = next((place for place in places[-1:] if place.old_from == len(before)), None)
    return (
        set(bares[: above.new_to] if above else ()),
        set(bares[below.new_from :] if below else ()),
    )


def _place(piece: Piece, bares: list[str], lines: Sequence[str], single: _Single) -> list[int | None]:
    """Where each line of a piece that does not stand in one block stands in the content."""
    if piece.whole:
        return align(bares, lines)
    places: list[int | None] = [None] * len(bares)
    start = 0
    for index in range(1, len(bares) + 1):
        if index == len(bares) or piece.origins[index] != piece.origins[start]:
            run = bares[start:index]
            if piece.origins[start] != FOREIGN and any(map(tells, run)):
                found = find_block(run, lines)
                if found is not None:
                    places[start:index] = range(found, found + len(run))
                else:
                    # Somebody changed it within: what is left of it is told by lines that stand nowhere else.
                    for offset, place in single.of(run):
                        places[start + offset] = place
            start = index
    return places


def _neighbours(places: Sequence[int | None], at: int, size: int) -> tuple[int | None, int | None]:
    """Where the lines just before and at a point of the piece stand in the content."""
    above = places[at - 1] if at > 0 else -1
    below = places[at] if at < len(places) else size
    return above, below


def _stands(
    old: Sequence[str],
    new: Sequence[str],
    spot: Sequence[int | None],
    around: tuple[int | None, int | None],
    lines: Sequence[str],
) -> bool:
    if new:
        told = [place for place, line in zip(spot, new, strict=True) if tells(line)] or list(spot)
        return all(place is not None for place in told)
    above, below = around
    if above is None or below is None:
        return find_block(old, lines) is None
    return find_block(old, lines[above + 1 : below]) is None


def _mark_indented(new: Sequence[str], origins: Sequence[int], lines: Sequence[str], tally: _Tally) -> None:
    """Credit lines of a replacement within lines: only those that are whole but for their indentation."""
    wanted = [line.strip() for line in new]
    bares = [line.strip() for line in lines]
    at = find_block(wanted, bares)
    if at is None or not any(map(tells, new)):
        return
    for index, origin in enumerate(origins):
        if tally.origins[at + index] is None:
            tally.origins[at + index] = origin
