"""What a session's record says of each file: its edits, in step order, folded into the text that they leave behind.

Pure. Decides which edits can have reached the disk, and what stands after the last of them: the whole text where the
record allows, else the pieces that it holds. Refuses to look at any disk.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from enum import StrEnum
from typing import Literal

from refloat.checkout.lines import align, bare, bare_all, find_block
from refloat.checkout.pieces import (
    FOREIGN,
    Piece,
    Traces,
    apply_edit,
    before_of,
    loose_pieces,
    may_begin,
    old_side,
    whole_piece,
)
from refloat.model.light import field, light, slotted
from refloat.model.stamp import Stamp
from refloat.model.transcript import FileEdit, Outcome, Step, StepKind


class Standing(StrEnum):
    """What the record says of whether an edit was made."""

    APPLIED = "applied"
    UNCONFIRMED = "unconfirmed"
    """No result was ever recorded, or one that leaves it open."""
    SUPERSEDED = "superseded"
    """It was made, and its part of the talk was taken back later."""
    REFUSED = "refused"
    """The tool or the person refused it: nothing was changed."""


@light
class RecordedEdit:
    """One edit of one file, as recorded."""

    step: int
    subagent: str | None
    at: Stamp | None
    ended_at: Stamp | None
    edit: FileEdit
    standing: Standing
    transcript: str


@light
class Known:
    """The whole content of a file at one moment, as the record or an agent's backup holds it."""

    at: Stamp | None
    text: str


@slotted
class Folded:
    """All that the record says of one file."""

    path: str
    edits: list[RecordedEdit] = field(default_factory=list[RecordedEdit])
    """Refused ones included; origins in the pieces are indexes of this list."""
    pieces: list[Piece] = field(default_factory=list[Piece])
    """After the last edit. One whole piece where the text is known, none where nothing is, or the file was deleted."""
    traces: Traces = field(default_factory=Traces)
    deleted: bool = False
    """The last edit deleted the file, or moved it away."""
    written_whole: bool = False
    """Created or written whole, with nothing known of what stood there."""
    existed: bool | None = None
    """Whether the file was there before the first edit."""
    blind: bool = False
    """Some edit is not in the pieces: the record holds too little of it."""
    binary: bool = False
    stirred: bool = False
    """The record shows it changed by somebody else between two of its edits, or not in whole between them."""

    @property
    def made(self) -> list[RecordedEdit]:
        """The edits that can have reached the disk."""
        return [row for row in self.edits if row.standing is not Standing.REFUSED]

    @property
    def text(self) -> str | None:
        """The whole text after the last edit, where it is known."""
        if len(self.pieces) == 1 and self.pieces[0].whole and not self.blind:
            return self.pieces[0].text
        return None

    @property
    def first_lines(self) -> list[str] | None:
        """The lines of the whole text before the first edit, where it is known."""
        return next((piece.before for piece in self.pieces if piece.whole and piece.before is not None), None)

    @property
    def first_text(self) -> str | None:
        """The whole text before the first edit, where it is known."""
        lines = self.first_lines
        return None if lines is None else "\n".join(lines)

    @property
    def confirmed(self) -> bool:
        """Whether the last edit's result is recorded."""
        made = self.made
        return not made or made[-1].standing is not Standing.UNCONFIRMED


def standing_of(step: Step) -> Standing:
    """What the record says of whether a step's edits were made.

    A shell command may have written its file and failed behind it, so an error of one refuses nothing.
    """
    if step.superseded:
        return Standing.REFUSED if _refused(step) else Standing.SUPERSEDED
    if _refused(step):
        return Standing.REFUSED
    return Standing.APPLIED if step.outcome is Outcome.OK and not step.effects_unknown else Standing.UNCONFIRMED


def _refused(step: Step) -> bool:
    if step.effects_unknown:
        return False
    if step.outcome is Outcome.DENIED:
        return True
    return step.outcome is Outcome.ERROR and (step.command is None or not step.edits)


def find_edits(steps: Iterable[Step], real: Callable[[str], str] = str) -> Iterator[RecordedEdit]:
    """Every edit of some steps, in their order, its paths made `real`. Of a refused one the path is all that counts."""
    for step in steps:
        standing = standing_of(step)
        for edit in step.edits or _unrecorded(step, standing):
            path, target = real(edit.path), edit.moved_to and real(edit.moved_to)
            if (path, target) != (edit.path, edit.moved_to):
                edit = replace(edit, path=path, moved_to=target)  # noqa: PLW2901 - the same edit under its real name
            yield RecordedEdit(step.n, step.subagent, step.at, step.ended_at, edit, standing, step.path)


def _unrecorded(step: Step, standing: Standing) -> Sequence[FileEdit]:
    """Edits of which the record holds no more than the files that they were meant for."""
    if step.kind is not StepKind.EDIT or standing is Standing.APPLIED:
        return ()
    return [FileEdit(path, "update") for path in step.files]


def edited_paths(step: Step) -> Sequence[str]:
    """The recorded paths of the edits that a step can have made; none of one that was refused."""
    standing = standing_of(step)
    if standing is Standing.REFUSED:
        return ()
    return [edit.path for edit in step.edits or _unrecorded(step, standing)]


def fold(
    steps: Iterable[Step],
    known: Mapping[str, Sequence[Known]] | None = None,
    *,
    real: Callable[[str], str] = str,
    without: frozenset[Standing] = frozenset(),
    only: AbstractSet[str] | None = None,
) -> dict[str, Folded]:
    """Fold the edits of some steps, in their order, into what they leave behind of each file.

    `known` gives contents that the record holds apart from the edits (reads, backups), oldest first; `real` names the
    file that a recorded path stands for, and paths in `known` and in the answer are such names. Edits of a standing in
    `without` are listed and not folded in. `only` these files are told, where they are edited.
    """
    files: dict[str, Folded] = {}
    rows = list(find_edits(steps, real))
    needed = None if only is None else _with_sources(only, rows)
    for row in rows:
        if needed is not None and row.edit.path not in needed:
            continue
        folded = files.setdefault(row.edit.path, Folded(row.edit.path))
        folded.edits.append(row)
        if row.standing is Standing.REFUSED or row.standing in without:
            continue
        if folded.existed is None and len(folded.made) == 1:
            folded.existed = _existed(row.edit)
        _take(folded, row, (known or {}).get(row.edit.path, ()))
        if row.edit.moved_to is not None and row.edit.moved_to != row.edit.path:
            _move(files, folded, row)
    return files if only is None else {path: file for path, file in files.items() if path in only}


def fold_until(folded: Folded, count: int, known: Sequence[Known] = ()) -> Folded | None:
    """The first `count` edits of a file alone, folded anew; None where one brought it from another path or away."""
    made = Folded(folded.path)
    for row in folded.edits[:count]:
        if row.edit.path != folded.path or row.edit.moved_to not in (None, row.edit.path):
            return None
        made.edits.append(row)
        if row.standing is Standing.REFUSED:
            continue
        if made.existed is None and len(made.made) == 1:
            made.existed = _existed(row.edit)
        _take(made, row, known)
    return made


def folded_whole(folded: Folded) -> Piece | None:
    """The whole text that the edits of a file leave, or left before the one that deleted it; None where not known."""
    if folded.deleted:
        last = next((at for at, row in enumerate(folded.edits) if row.edit.op == "delete"), 0)
        made = fold_until(folded, last)
        return None if made is None else folded_whole(made)
    return _whole(folded) if not folded.blind else None


def _with_sources(paths: AbstractSet[str], rows: Iterable[RecordedEdit]) -> AbstractSet[str]:
    """Some files, and those that anything was moved from to one of them."""
    moves = [(row.edit.path, row.edit.moved_to) for row in rows if row.edit.moved_to is not None]
    needed = set(paths)
    while more := {source for source, target in moves if target in needed} - needed:
        needed |= more
    return needed


def _existed(edit: FileEdit) -> bool | None:
    if edit.existed is not None or edit.op == "create":
        return edit.existed if edit.before is None else True
    return True


def _take(folded: Folded, row: RecordedEdit, known: Sequence[Known]) -> None:
    edit, origin = row.edit, len(folded.edits) - 1
    folded.binary |= edit.binary
    if edit.op == "delete":
        _delete(folded, edit, origin)
        return
    before = edit.before if edit.before is not None else before_of(edit)
    if before is not None:
        _settle(folded, before)
    elif not _whole(folded) and not folded.deleted and (edit.hunks or edit.after is not None):
        _use_known(folded, row, known)
    folded.deleted = False
    if edit.after is not None:
        _write(folded, edit.after, origin, created=edit.op == "create" and folded.existed is not True)
    elif edit.hunks:
        _patch(folded, edit, origin)
    elif edit.moved_to is None:
        folded.blind = True


def _whole(folded: Folded) -> Piece | None:
    return folded.pieces[0] if folded.pieces and folded.pieces[0].whole else None


def _settle(folded: Folded, text: str) -> None:
    """The record shows the whole text at this point: take it, and keep the origin of every line that stands in it."""
    whole = _whole(folded)
    if whole is not None and not folded.blind and whole.text == text:
        return
    lines = text.split("\n")
    if whole is not None and not folded.blind:
        folded.stirred = True
        whole.splice(0, len(whole.lines), lines, FOREIGN, folded.traces)
        whole.joined = text
        return
    folded.stirred |= folded.blind or bool(folded.pieces)
    piece = whole_piece(text, FOREIGN, before=True)
    first = list(lines)
    for earlier in folded.pieces:
        _carry(earlier, piece)
        first = _undone(earlier, first)
    piece.before = first
    folded.pieces, folded.blind = [piece], False


def _carry(source: Piece, target: Piece) -> None:
    """Give lines of `target` the origin that the same lines have in `source`."""
    for index, place in enumerate(align(bare_all(source.lines), bare_all(target.lines))):
        if place is not None and target.origins[place] == FOREIGN:
            target.origins[place] = source.origins[index]


def _undone(piece: Piece, lines: list[str]) -> list[str]:
    if piece.whole or piece.before is None:
        return lines
    at = find_block(bare_all(piece.lines), bare_all(lines))
    return lines if at is None else [*lines[:at], *piece.before, *lines[at + len(piece.lines) :]]


def _use_known(folded: Folded, row: RecordedEdit, known: Sequence[Known]) -> None:
    """Start from a content that the record holds apart from the edits, where the edit really fits it."""
    earlier = [one for one in known if one.at is None or row.at is None or one.at <= row.at]
    if not earlier or folded.pieces or folded.edits.index(row) != len(folded.edits) - 1:
        return
    text = earlier[-1].text
    if row.edit.after is None and not apply_edit(whole_piece(text, FOREIGN, before=True), row.edit, 0, Traces()):
        return
    folded.existed = True
    folded.pieces = [whole_piece(text, FOREIGN, before=True)]


def _write(folded: Folded, text: str, origin: int, *, created: bool) -> None:
    whole = _whole(folded)
    lines = text.split("\n")
    if whole is not None:
        whole.splice(0, len(whole.lines), lines, origin, folded.traces)
        whole.joined = text
    else:
        piece = whole_piece("", origin, before=False)
        for earlier in folded.pieces:
            folded.traces.replaced_by.update({old: origin for old in earlier.origins if old != FOREIGN})
        piece.splice(0, 1, lines, origin, folded.traces)
        piece.origins = [origin] * len(piece.lines)
        folded.traces.added.update(bare_all(lines))
        for earlier in folded.pieces:
            _carry_own(earlier, piece, origin)
        folded.pieces = [piece]
        folded.written_whole = True
    folded.written_whole |= created
    folded.blind = False


def _carry_own(source: Piece, target: Piece, origin: int) -> None:
    for index, place in enumerate(align(bare_all(source.lines), bare_all(target.lines))):
        if place is not None and source.origins[index] != FOREIGN and target.origins[place] == origin:
            target.origins[place] = source.origins[index]


def _patch(folded: Folded, edit: FileEdit, origin: int) -> None:
    whole = _whole(folded)
    if whole is not None and apply_edit(whole, edit, origin, folded.traces):
        return
    if whole is not None and not folded.blind:
        # The file was changed by somebody else in between: what is known is only where the session's own lines were.
        folded.pieces = list(_own_pieces(whole))
    sides = [old_side(hunk) for hunk in edit.hunks]
    for piece in may_begin(folded.pieces, sides[0]):
        if apply_edit(piece, edit, origin, folded.traces):
            return
    touched = _touched(folded.pieces, sides)
    own = {bare(line) for p in touched for line, by in zip(p.lines, p.origins, strict=True) if by != FOREIGN}
    if touched:
        _forget(folded, touched, edit, origin)
    for piece in loose_pieces(edit, sides, origin, folded.traces):
        # What it takes away of the session's own was not there before the session.
        if own and piece.before:
            piece.before = [line for line in piece.before if line not in own or line in piece.lines]
        folded.pieces.append(piece)


def _own_pieces(whole: Piece) -> Iterable[Piece]:
    """The stretches of a whole text that the session itself wrote."""
    for own in whole.own_stretches():
        yield Piece([], whole.lines[own], whole.origins[own], whole=False)


def _touched(pieces: Iterable[Piece], sides: Iterable[Sequence[str]]) -> list[Piece]:
    """The pieces that hold a line of what an edit replaces: of the many that a long session makes, a few."""
    old = {line for side in sides for line in side}
    old |= {f"{line}\r" for line in old}
    return [piece for piece in pieces if not old.isdisjoint(piece.lines)]


def _forget(folded: Folded, pieces: Iterable[Piece], edit: FileEdit, origin: int) -> None:
    """Take lines that a new hunk removes out of the pieces that hold them as the session's."""
    gone = {bare(line[1:]) for hunk in edit.hunks for line in hunk.lines if line[:1] == "-"}
    for piece in pieces:
        for index in range(len(piece.lines) - 1, -1, -1):
            if piece.origins[index] != FOREIGN and bare(piece.lines[index]) in gone:
                piece.splice(index, 1, [], origin, folded.traces)


def _delete(folded: Folded, edit: FileEdit, origin: int) -> None:
    if edit.before is not None:
        _settle(folded, edit.before)
    for piece in folded.pieces:
        piece.splice(0, len(piece.lines), [], origin, folded.traces)
    folded.deleted = True
    folded.pieces = [Piece(piece.before, [""], [FOREIGN], whole=True) for piece in folded.pieces if piece.whole]
    folded.blind = False


def _move(files: dict[str, Folded], source: Folded, row: RecordedEdit) -> None:
    """What stood at the old path stands at the new one; the old one counts as deleted."""
    path = row.edit.moved_to or source.path
    target = files.get(path)
    rows = [*(target.edits if target else ()), *source.edits]
    shift = len(rows) - len(source.edits)
    pieces = [piece.copy() for piece in source.pieces]
    for piece in pieces:
        piece.origins = [one if one == FOREIGN else one + shift for one in piece.origins]
        if target is not None and piece.whole and target.first_lines is not None:
            piece.before = target.first_lines  # what stood there before is the path's own past
    traces = Traces(
        set(source.traces.added),
        set(source.traces.removed),
        {old + shift: new + shift for old, new in source.traces.replaced_by.items()},
    )
    files[path] = Folded(
        path,
        rows,
        pieces,
        traces,
        written_whole=source.written_whole,
        existed=source.existed if target is None or target.existed is None else target.existed,
        blind=source.blind,
        binary=source.binary,
        stirred=source.stirred,
    )
    for piece in source.pieces:
        source.traces.removed.update(bare_all(piece.lines))
    source.pieces = [Piece(piece.before, [""], [FOREIGN], whole=True) for piece in source.pieces if piece.whole]
    source.deleted = True


Recorded = Literal["content", "deleted"]


def recorded_as(folded: Folded) -> Recorded:
    """Whether the record leaves a content behind, or a deletion."""
    return "deleted" if folded.deleted else "content"
