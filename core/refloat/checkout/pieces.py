"""Known pieces of a file's text, line by line with the edit that each line comes from.

A piece is the whole text or a stretch of it. Decides where a recorded hunk belongs in a piece and what it changes
there. Refuses to guess: a hunk whose old lines do not stand there is not applied.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from refloat.checkout.lines import bare_all, find_block, find_differences
from refloat.model.light import field, slotted
from refloat.model.transcript import FileEdit, Hunk

FOREIGN: Final = -1
"""Origin of a line that no edit of the session made."""
_OLD: Final = frozenset({" ", "-"})
"""Signs of the lines that a hunk expects to find."""
_TURNED: Final = str.maketrans("-+", "+-")


@slotted
class Traces:
    """What the edits of one file added and removed, over its whole history in one session."""

    added: set[str] = field(default_factory=set[str])
    removed: set[str] = field(default_factory=set[str])
    replaced_by: dict[int, int] = field(default_factory=dict[int, int])
    """Edit → the last later edit that removed a line of it."""


@slotted
class Piece:
    """A known stretch of text after some edits, with the same stretch before the first of them."""

    before: list[str] | None
    """None where nothing is known of it (or no file was there)."""
    lines: list[str]
    origins: list[int]
    whole: bool
    loose: bool = False
    """Its first and last line may be parts of lines."""
    joined: str | None = field(default=None, compare=False)
    """Its text, where that was asked for since it last changed."""

    @property
    def text(self) -> str:
        """Its lines as one text."""
        if self.joined is None:
            self.joined = "\n".join(self.lines)
        return self.joined

    def splice(self, at: int, gone: int, lines: Sequence[str], origin: int, traces: Traces) -> None:
        """Replace `gone` lines at `at`; lines that stay the same keep their origin."""
        self.joined = None
        old = self.lines[at : at + gone]
        if not old or not lines or len(old) == len(lines) == 1:  # as most are: there is no line between to look for
            if old != list(lines):
                self._put(at, at + gone, list(lines), origin, traces)
            return
        for place in reversed(find_differences(old, lines)):
            new = list(lines[place.new_from : place.new_to])
            self._put(at + place.old_from, at + place.old_to, new, origin, traces)

    def _put(self, start: int, end: int, new: list[str], origin: int, traces: Traces) -> None:
        if origin != FOREIGN:
            traces.removed.update(bare_all(self.lines[start:end]))
            traces.added.update(bare_all(new))
            for earlier in self.origins[start:end]:
                if earlier not in (FOREIGN, origin):
                    traces.replaced_by[earlier] = origin
        self.lines[start:end] = new
        self.origins[start:end] = [origin] * len(new)

    def own_stretches(self) -> Iterator[slice]:
        """The stretches of it that edits of the session wrote."""
        start = 0
        for index in range(1, len(self.lines) + 1):
            if index == len(self.lines) or (self.origins[index] == FOREIGN) != (self.origins[start] == FOREIGN):
                if self.origins[start] != FOREIGN:
                    yield slice(start, index)
                start = index

    def take(self, trial: "Piece") -> None:
        """Become what a copy of it became."""
        self.lines, self.origins, self.joined = trial.lines, trial.origins, trial.joined

    def copy(self) -> "Piece":
        """A piece of its own with the same content."""
        return Piece(self.before, list(self.lines), list(self.origins), self.whole, self.loose, self.joined)


def whole_piece(text: str, origin: int, *, before: bool) -> Piece:
    """A whole text; `before` says that it is what stood there before the first edit."""
    lines = text.split("\n")
    return Piece(list(lines) if before else None, lines, [origin] * len(lines), whole=True, joined=text)


def apply_edit(piece: Piece, edit: FileEdit, origin: int, traces: Traces) -> bool:
    """Apply an edit's hunks to a piece, all or none."""
    if next(may_hold((piece,), edit), None) is None:
        return False
    trial, gained = piece.copy(), Traces(replaced_by=dict(traces.replaced_by))
    shift = 0
    cursor = 0
    for hunk in edit.hunks:
        if hunk.old_start is not None:
            moved = _apply_positioned(trial, hunk, shift, origin, gained)
            if moved is None:
                return False
            shift += moved
        else:
            reached = _apply_loose(trial, hunk, cursor, origin, gained, every=edit.replace_all)
            if reached is None:
                return False
            cursor = reached
    piece.take(trial)
    traces.added |= gained.added
    traces.removed |= gained.removed
    traces.replaced_by.update(gained.replaced_by)
    return True


def before_of(edit: FileEdit) -> str | None:
    """The whole text before an edit, from the one after it and the hunks that led there; None where the record holds
    not both, or they do not fit each other.
    """
    known = all(hunk.old_start is not None and hunk.new_start is not None for hunk in edit.hunks)
    if edit.after is None or not known or not any(hunk.old_lines for hunk in edit.hunks):
        return None
    piece = whole_piece(edit.after, FOREIGN, before=False)
    back = replace(edit, hunks=tuple(map(_turned, edit.hunks)))
    return piece.text if apply_edit(piece, back, FOREIGN, Traces()) else None


def _turned(hunk: Hunk) -> Hunk:
    """The hunk that takes another one back."""
    lines = tuple(line[:1].translate(_TURNED) + line[1:] for line in hunk.lines)
    return Hunk(hunk.new_start, hunk.new_lines, hunk.old_start, hunk.old_lines, lines)


def may_hold(pieces: Iterable[Piece], edit: FileEdit) -> Iterator[Piece]:
    """Those pieces that can have what the edit's first hunk replaces: most of a file have not, and need no copy."""
    return may_begin(pieces, old_side(edit.hunks[0]) if edit.hunks else ())


def may_begin(pieces: Iterable[Piece], old: Iterable[str]) -> Iterator[Piece]:
    """Those pieces that can have these lines, of an edit's first hunk."""
    sought = "\n".join(old)
    for piece in pieces:
        text = piece.joined if piece.joined is not None else piece.text
        if sought in text or "\r" in text:
            yield piece


def old_side(hunk: Hunk) -> list[str]:
    """The lines that the hunk expects to find."""
    return bare_all([line[1:] for line in hunk.lines if line[:1] in _OLD])


def new_side(hunk: Hunk) -> list[str]:
    """The lines that stand there after the hunk."""
    return bare_all([line[1:] for line in hunk.lines if line[:1] in {" ", "+"}])


def _ends(hunk: Hunk) -> tuple[bool, bool]:
    """Whether the old and the new side end without a line feed (a backslash line says so of the line above it)."""
    old = new = False
    for above, line in zip(hunk.lines, hunk.lines[1:], strict=False):
        if line[:1] == "\\":
            old |= above[:1] in {" ", "-"}
            new |= above[:1] in {" ", "+"}
    return old, new


def _apply_positioned(piece: Piece, hunk: Hunk, shift: int, origin: int, traces: Traces) -> int | None:
    """Apply a hunk at its line or the nearest place that fits; how far what follows moved, None if it fits nowhere."""
    old = old_side(hunk)
    if not old and not piece.whole:
        return None  # its line number counts in the file, and nothing ties it to this stretch
    wanted = max(0, (hunk.old_start or 0) - (1 if old else 0) + shift)
    at: int | None = min(wanted, len(piece.lines) - 1)
    if old and bare_all(piece.lines[wanted : wanted + len(old)]) != old:
        at = find_block(old, bare_all(piece.lines), wanted)
    if at is None:
        return None
    if old and _ends(hunk)[0] and piece.whole and at + len(old) != len(piece.lines):
        return None
    return _write(piece, hunk, at, origin, traces, ends=True)


def _write(piece: Piece, hunk: Hunk, at: int, origin: int, traces: Traces, *, ends: bool = False) -> int:
    """Make a hunk's changes, each run of its changed lines for itself; how far what follows moved."""
    near = piece.lines[at : at + 1] or piece.lines[-1:]
    windows = any(line.endswith("\r") for line in near) and _leaves_returns_out(hunk)
    size, start, gone = len(piece.lines), at, 0
    new: list[str] = []
    for line in hunk.lines:
        match line[:1]:
            case " ":
                if gone or new:
                    piece.splice(start, gone, new, origin, traces)
                    start += len(new)
                    gone, new = 0, []
                start += 1
            case "-":
                gone += 1
            case "+":
                new.append(line[1:] + ("\r" if windows and not line.endswith("\r") else ""))
            case _:
                pass
    old_open, new_open = _ends(hunk) if ends else (False, False)
    if old_open and not new_open:
        new.append("")
    elif new_open and not old_open and piece.lines[start + gone : start + gone + 1] == [""]:
        gone += 1
    piece.splice(start, gone, new, origin, traces)
    return len(piece.lines) - size


def _leaves_returns_out(hunk: Hunk) -> bool:
    """Whether a record may leave carriage returns out: one that shows any tells of all."""
    return not any(line.endswith("\r") for line in hunk.lines) and any(line[:1] != "+" for line in hunk.lines)


def _apply_loose(piece: Piece, hunk: Hunk, cursor: int, origin: int, traces: Traces, *, every: bool) -> int | None:
    """Apply a hunk without a position by its text; the line behind it, None where its old text does not stand."""
    old = old_side(hunk)
    if not old:
        return _append(piece, [line[1:] for line in hunk.lines if line[:1] == "+"], origin, traces)
    if every:
        return _replace_every(piece, hunk, origin, traces)
    bares = bare_all(piece.lines)
    start = _after_anchor(hunk, bares, cursor)
    exact = [line[1:] for line in hunk.lines if line[:1] in {" ", "-"}]
    found = _find_from(start, exact, piece.lines)
    if found is None and not hunk.anchor and "\n".join(exact) in piece.text:
        return _replace_part(piece, hunk, origin, traces)
    found = found if found is not None else _find_from(start, old, bares)
    if found is not None:
        before = len(piece.lines)
        _write(piece, hunk, found, origin, traces)
        return found + len(old) + len(piece.lines) - before
    return _replace_part(piece, hunk, origin, traces)


def _find_from(start: int, block: Sequence[str], lines: Sequence[str]) -> int | None:
    """The first place behind `start` at which a block stands, else the first of all."""
    found = find_block(block, lines[start:])
    return start + found if found is not None else find_block(block, lines)


def _after_anchor(hunk: Hunk, bares: Sequence[str], cursor: int) -> int:
    anchor = hunk.anchor.strip()
    if not anchor:
        return cursor
    for index in range(cursor, len(bares)):
        if bares[index].strip() == anchor:
            return index + 1
    return cursor


def _append(piece: Piece, new: list[str], origin: int, traces: Traces) -> int | None:
    """Added lines without any old ones were put at the end (`>>` of a shell)."""
    if not piece.whole:
        return None
    last = len(piece.lines) - 1
    piece.splice(last, 1, [piece.lines[last] + new[0], *new[1:], ""] if new else [piece.lines[last]], origin, traces)
    return len(piece.lines) - 1


def _fitting(hunk: Hunk, text: str) -> tuple[str, str] | None:
    """The old and the new text of a hunk with the line ends that stand in `text`; None where the old does not."""
    exact = ("\n".join(line[1:] for line in hunk.lines if line[:1] in {" ", sign}) for sign in "-+")
    bares = "\n".join(old_side(hunk)), "\n".join(new_side(hunk))
    windows = bares[0].replace("\n", "\r\n"), bares[1].replace("\n", "\r\n")
    return next(((old, new) for old, new in (tuple(exact), bares, windows) if old in text), None)


def _replace_part(piece: Piece, hunk: Hunk, origin: int, traces: Traces) -> int | None:
    text = piece.text
    fitting = _fitting(hunk, text)
    if fitting is None:
        return None
    old, new = fitting
    found = text.index(old)
    first = text.count("\n", 0, found)
    size = old.count("\n") + 1
    begin = text.rfind("\n", 0, found) + 1
    end = text.find("\n", found + len(old))
    tail = text[found + len(old) :] if end < 0 else text[found + len(old) : end]
    lines = (text[begin:found] + new + tail).split("\n")
    piece.splice(first, size, lines, origin, traces)
    return first + len(lines)


def _replace_every(piece: Piece, hunk: Hunk, origin: int, traces: Traces) -> int | None:
    text = piece.text
    fitting = _fitting(hunk, text)
    if fitting is None:
        return None
    piece.splice(0, len(piece.lines), text.replace(*fitting).split("\n"), origin, traces)
    return len(piece.lines)


def loose_pieces(edit: FileEdit, sides: Iterable[Sequence[str]], origin: int, traces: Traces) -> Iterator[Piece]:
    """The hunks of an edit as pieces of their own, where the text around them is unknown; `sides`: their old ones."""
    for hunk, old in zip(edit.hunks, sides, strict=True):
        piece = Piece(list(old), list(old), [FOREIGN] * len(old), whole=False, loose=hunk.old_start is None)
        _write(piece, hunk, 0, origin, traces)
        yield piece
