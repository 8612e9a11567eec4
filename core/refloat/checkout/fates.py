"""What became of each single edit (design §4).

Pure. Decides from the lines that an edit left: whether they stand on disk, whether they are dirty there, which commit
took them up, which later edit replaced them. Refuses to call an edit lost that its own session replaced.
"""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import islice
from typing import Final

from refloat.checkout.compare import Comparison
from refloat.checkout.fold import Folded, RecordedEdit, Standing
from refloat.checkout.lines import bare, tells
from refloat.checkout.uptake import Uptake
from refloat.model.checkout import TAKEN_BACK, EditFate, Fate, FileState
from refloat.model.light import light
from refloat.model.session import SessionName

_THERE: Final = frozenset({FileState.PRESENT, FileState.CHANGED_SINCE})


_NO_COMMITS: Final = Uptake()


def _nobody(_lines: AbstractSet[str]) -> SessionName | None:
    return None


@light
class Surroundings:
    """What the fates of a file's edits depend on, apart from the file itself."""

    dirty: bool
    """The path differs from HEAD, or there is no HEAD."""
    dirty_lines: AbstractSet[int] = frozenset()
    """Indexes of the file's lines that differ from HEAD."""
    commits: Uptake = _NO_COMMITS
    """Since the session's start, oldest first."""
    replaced_by: Callable[[AbstractSet[str]], SessionName | None] = _nobody
    """The other session that took all of these lines away from this file."""
    put_back_by: str | None = None
    """The recorded command of the session behind its deletion that can have put the file back."""
    undone_by: str | None = None
    """The last recorded command behind the edits that can have undone them."""
    moved: bool = False
    """The whole file was found at another path: `commits` and `dirty` speak of that one."""
    kept: bool = False
    """The result stands in a stash or in another worktree: it was taken away from here, and is not lost."""
    under_way: bool = False
    """A rebase or the like is under way: what is dirty here may well be committed."""
    head: str | None = None
    """HEAD, where the path is as that has it."""


def judge_fates(folded: Folded, comparison: Comparison, around: Surroundings) -> tuple[EditFate, ...]:
    """The fate of every recorded edit of a file, in step order."""
    if comparison.back is not None:
        there = replace(comparison, state=FileState.PRESENT, back=None)
        undone = judge_fates(folded, replace(comparison, back=None), around)
        return (*judge_fates(comparison.back, there, around), *undone[len(comparison.back.edits) :])
    left = _left(folded)
    places: dict[int | None, list[int]] = {}
    for place, origin in enumerate(comparison.origins):
        places.setdefault(origin, []).append(place)
    return tuple(
        _fate(folded, index, left.get(index, ()), places.get(index, ()), comparison, around)
        for index in range(len(folded.edits))
    )


def _left(folded: Folded) -> dict[int, list[str]]:
    """For each edit the lines that it leaves in the recorded result."""
    left: dict[int, list[str]] = {}
    for piece in folded.pieces:
        for line, origin in zip(piece.lines, piece.origins, strict=True):
            if origin >= 0:
                left.setdefault(origin, []).append(line.removesuffix("\r"))
    return {origin: kept for origin, lines in left.items() if (kept := _telling(folded, origin, lines))}


def _telling(folded: Folded, origin: int, lines: Sequence[str]) -> list[str]:
    """Blank lines and brackets that outlive a replaced edit do not make it stand."""
    told = [line for line in lines if tells(line)]
    return told if told or origin in folded.traces.replaced_by else list(lines)


def _fate(
    folded: Folded,
    index: int,
    left: Sequence[str],
    places: Sequence[int],
    comparison: Comparison,
    around: Surroundings,
) -> EditFate:
    """`left`: the lines that the edit leaves in the recorded result; `places`: where lines of it stand on disk."""
    row = folded.edits[index]

    def made(fate: Fate, commit: str | None = None, by: str | None = None) -> EditFate:
        return EditFate(row.step, fate, commit, by, row.subagent)

    if row.standing is Standing.REFUSED:
        return made(Fate.NEVER_APPLIED)
    if not left and _written_over(folded, index) and not folded.deleted:
        return made(Fate.REVERTED, by=TAKEN_BACK if row.standing is Standing.SUPERSEDED else None)
    if not left and (again := _written_again(folded, index, comparison)) is not None:
        return made(Fate.REPLACED, by=f"step {again.step}")
    if _stands(folded, index, left, places, comparison):
        if _is_dirty(places, around):
            taken = _commit_of(folded, row, left, around) if around.under_way else None
            return made(Fate.UNCOMMITTED if taken is None else Fate.COMMITTED, taken)
        if (commit := _commit_of(folded, row, left, around)) is not None:
            return made(Fate.COMMITTED, commit)
        return made(
            *_missing(row, left, comparison, around) if comparison.state not in _THERE else _as_head(folded, around)
        )
    if not left and index in folded.traces.replaced_by:
        return made(Fate.REPLACED, by=f"step {folded.edits[folded.traces.replaced_by[index]].step}")
    if not left and folded.deleted and index < len(folded.edits) - 1:
        return made(Fate.REPLACED, by=f"step {folded.edits[-1].step}")
    commit = _commit_of(folded, row, left, around)
    if commit is not None:
        return made(Fate.COMMITTED, commit)
    if comparison.state in _THERE and comparison.laid_out_by is None and row.standing is not Standing.SUPERSEDED:
        # Every hunk is there, and none of its lines tells which one is its: a part of a line that stands twice.
        return made(*(Fate.UNCOMMITTED, None, None) if around.dirty else _as_head(folded, around))
    return made(*_missing(row, left, comparison, around))


def _as_head(folded: Folded, around: Surroundings) -> tuple[Fate, str | None, None]:
    """The fate of what is as HEAD has it though no commit behind the edit is known to have brought it there: HEAD is
    named. A file that the session made and deleted was in no commit ever.
    """
    if around.head is None or (folded.deleted and folded.existed is False):
        return Fate.UNCOMMITTED, None, None
    return Fate.COMMITTED, around.head, None


def _written_again(folded: Folded, index: int, comparison: Comparison) -> RecordedEdit | None:
    """The later edit by which the session put a file that it deleted or moved away back to its path."""
    row = folded.edits[index]
    away = row.edit.op == "delete" or row.edit.moved_to not in (None, row.edit.path)
    if folded.deleted or not away or row.edit.path != folded.path:
        return None
    proved = [Standing.APPLIED, row.standing, *([Standing.UNCONFIRMED] if comparison.state in _THERE else [])]
    later_on = (other for other in islice(folded.edits, index + 1, None) if other.standing in proved)
    return next((other for other in later_on if other.edit.op != "delete"), None)


def _written_over(folded: Folded, index: int) -> bool:
    """Whether a later part of the record shows the file without what an edit put there, and no edit took it away."""
    if index in folded.traces.replaced_by or folded.blind or folded.text is None:
        return False
    lines = [line for hunk in folded.edits[index].edit.hunks for line in hunk.lines]
    gone = {bare(line[1:]) for line in lines if line[:1] == "-"}
    return any(tells(bare(line[1:])) and bare(line[1:]) not in gone for line in lines if line[:1] == "+")


def _missing(
    row: RecordedEdit, left: Sequence[str], comparison: Comparison, around: Surroundings
) -> tuple[Fate, str | None, str | None]:
    """The fate of an edit that stands neither on disk nor in a commit."""
    if row.standing is Standing.SUPERSEDED:
        return Fate.REVERTED, None, TAKEN_BACK
    if comparison.laid_out_by is not None:
        return Fate.REPLACED, None, f"step {comparison.laid_out_by}"
    if around.put_back_by is not None:
        return Fate.REVERTED, None, around.put_back_by
    if around.moved:
        return (Fate.UNCOMMITTED if around.head is None else Fate.COMMITTED), around.head, None
    if row.standing is Standing.UNCONFIRMED:
        return Fate.UNCONFIRMED, None, None
    if (session := around.replaced_by(frozenset(left))) is not None:
        return Fate.REPLACED, None, str(session)
    if comparison.state is FileState.REVERTED or around.kept:
        return Fate.REVERTED, None, around.undone_by
    if comparison.state is FileState.UNVERIFIABLE:
        return Fate.UNCONFIRMED, None, None
    return Fate.LOST, None, around.undone_by


def _stands(folded: Folded, index: int, left: Sequence[str], places: Sequence[int], comparison: Comparison) -> bool:
    if folded.deleted:
        return index == len(folded.edits) - 1 and comparison.state is FileState.PRESENT
    if left:
        wanted, lines = set(left), comparison.lines
        return any(place < len(lines) and lines[place] in wanted for place in places)
    return index not in folded.traces.replaced_by and comparison.state in _THERE


def _is_dirty(places: Sequence[int], around: Surroundings) -> bool:
    return around.dirty and (not places or any(place in around.dirty_lines for place in places))


def _commit_of(folded: Folded, row: RecordedEdit, left: Sequence[str], around: Surroundings) -> str | None:
    """The oldest commit behind the edit that holds what it left."""
    if folded.deleted:
        return around.commits.deleting(row.at)
    if left:
        return around.commits.holding(frozenset(left), row.at)
    # Of a mere removal: whether what it took away is missing from a commit.
    gone = {bare(line[1:]) for hunk in row.edit.hunks for line in hunk.lines if line[:1] == "-"}
    told = frozenset(line for line in gone & folded.traces.removed if tells(line))
    return around.commits.lacking(told, row.at) if told else None
