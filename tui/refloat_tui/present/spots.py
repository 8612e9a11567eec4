"""The places of a file's change: what the record says of each beside what is dirty there now.

Decides which recorded hunk and which dirty one speak of the same place: the ones that share the most lines. Refuses to
judge: owners, states and fates come judged. Pure, and linear in the lines, whatever a session wrote.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from refloat.model.checkout import DirtyHunk, EditedFile, EditFate, OtherChange
from refloat.model.story import Story
from refloat.model.transcript import FileEdit, Step
from refloat_tui.present.step import outcome_words

_SLIGHT: Final = 0.01
"""What a line without a letter or digit weighs: a lone brace proves no kinship."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One hunk as one step recorded it."""

    step: int
    subagent: str | None
    item: int
    """Its step's place in the history; 0 where it has none (a sub-agent's)."""
    op: str
    """create, update, delete"""
    outcome: str
    """How the step ended, in words; empty for a plain success."""
    lines: tuple[str, ...]
    """Each with its sign; nothing for binary content."""
    binary: bool = False


@dataclass(frozen=True, slots=True)
class Spot:
    """One place of a file."""

    key: str
    recorded: tuple[Recorded, ...] = ()
    """What was recorded of it, in step order; nothing where this session's record does not know it."""
    dirty: DirtyHunk | None = None
    """None where nothing is dirty."""
    fate: EditFate | None = None
    """What became of the last recorded one."""

    @property
    def last(self) -> Recorded | None:
        """The newest recorded hunk."""
        return self.recorded[-1] if self.recorded else None


Record = Mapping[str, tuple[Recorded, ...]]
"""Path as recorded → its recorded hunks, in step order."""


def record_of(story: Story) -> Record:
    """Every recorded hunk of a session and its sub-agents, by path. Made once for a session: it reads every step."""
    found: defaultdict[str, list[Recorded]] = defaultdict(list)
    for step in story.every_step:
        for edit in step.edits:
            made = tuple(_hunks_of(step, edit))
            for path in dict.fromkeys((edit.path, edit.moved_to)):
                if path:
                    found[path] += made
    return {path: tuple(made) for path, made in found.items()}


def _hunks_of(step: Step, edit: FileEdit) -> Iterator[Recorded]:
    def made(lines: tuple[str, ...], *, binary: bool = False) -> Recorded:
        item = step.item if step.subagent is None else 0
        return Recorded(step.n, step.subagent, item, edit.op, outcome_words(step), lines, binary)

    if edit.binary:
        yield made((), binary=True)
    elif edit.hunks:
        for hunk in edit.hunks:
            yield made(hunk.lines)
    elif edit.op == "delete":
        yield made(tuple(f"-{line}" for line in (edit.before or "").splitlines()))
    else:
        yield made(tuple(f"+{line}" for line in (edit.after or "").splitlines()))


def find_spots(change: EditedFile | OtherChange, record: Record, repo: str | None) -> tuple[Spot, ...]:
    """The places of one file: the dirty ones from top to bottom, then what was recorded and is dirty nowhere."""
    whole = f"{repo.rstrip('/')}/{change.path}" if repo else change.path
    recorded = record.get(whole) or record.get(change.path) or ()
    fates = {(row.step, row.subagent): row for row in change.edits} if isinstance(change, EditedFile) else {}
    homes, alone = _pair(recorded, change.hunks)
    spots: list[Spot] = []
    for at, hunk in enumerate(change.hunks):
        own = tuple(homes.get(at, ()))
        spots.append(Spot(f"{change.path}\n{at}", own, hunk, _fate(own, fates)))
    for at, one in enumerate(alone):
        spots.append(Spot(f"{change.path}\nr{at}", (one,), None, _fate((one,), fates)))
    return tuple(spots)


def _fate(own: tuple[Recorded, ...], fates: Mapping[tuple[int, str | None], EditFate]) -> EditFate | None:
    return fates.get((own[-1].step, own[-1].subagent)) if own else None


def _pair(
    recorded: Iterable[Recorded], dirty: tuple[DirtyHunk, ...]
) -> tuple[Mapping[int, list[Recorded]], list[Recorded]]:
    """Each recorded hunk to the dirty one that shares the most of its lines, and those that share nothing with any."""
    where: defaultdict[str, list[int]] = defaultdict(list)
    for at, hunk in enumerate(dirty):
        for line in dict.fromkeys(hunk.lines):
            if line[:1] in {"+", "-"}:
                where[line].append(at)
    homes: defaultdict[int, list[Recorded]] = defaultdict(list)
    alone: list[Recorded] = []
    for one in recorded:
        weights: defaultdict[int, float] = defaultdict(float)
        for line in dict.fromkeys(one.lines):
            # A line that stands everywhere tells nothing, and would be looked at everywhere.
            for at in where.get(line, ())[:64]:
                weights[at] += 1 if any(map(str.isalnum, line)) else _SLIGHT
        if weights:
            homes[max(weights, key=lambda at: weights[at])].append(one)
        else:
            alone.append(one)
    return homes, alone


# ── both sides, line by line ─────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Pair:
    """One line of the two sides, signs included; None where a side has no such line."""

    left: str | None
    right: str | None

    @property
    def same(self) -> bool:
        """Both sides say the same."""
        return self.left == self.right


@dataclass(frozen=True, slots=True)
class Sides:
    """A spot laid out: earlier recorded hunks are named and not shown, for the last ones say what was wanted."""

    pairs: tuple[Pair, ...]
    earlier: tuple[int, ...] = ()
    """Steps that changed the same place before those that are shown."""
    shown: tuple[Recorded, ...] = field(default=())


def lay_out(spot: Spot) -> Sides:
    """What was recorded last beside what is dirty."""
    right = spot.dirty.lines if spot.dirty else ()
    shown = _still_said(spot.recorded, frozenset(right))
    left = tuple(line for one in shown for line in one.lines)
    earlier = tuple(dict.fromkeys(one.step for one in spot.recorded if one not in shown))
    return Sides(tuple(align(left, right)), earlier, shown)


def _still_said(recorded: tuple[Recorded, ...], right: frozenset[str]) -> tuple[Recorded, ...]:
    """The last recorded hunk, and those before it whose added lines are there still: together they made the place."""
    kept = [
        one
        for one in recorded[:-1]
        if any(line in right for line in one.lines if line.startswith("+") and any(map(str.isalnum, line)))
    ]
    return (*kept, *recorded[-1:])


_ALIGN_UP_TO: Final = 300
"""Lines of a side up to which lines are matched one by one; beyond, only the like begin and end are."""


def align(left: tuple[str, ...], right: tuple[str, ...]) -> Iterator[Pair]:
    """Two lists of lines beside each other, like beside like."""
    begin = 0
    while begin < min(len(left), len(right)) and left[begin] == right[begin]:
        yield Pair(left[begin], right[begin])
        begin += 1
    end = 0
    while end < min(len(left), len(right)) - begin and left[-1 - end] == right[-1 - end]:
        end += 1
    yield from _align_middle(left[begin : len(left) - end], right[begin : len(right) - end])
    yield from (Pair(line, line) for line in (left[len(left) - end :] if end else ()))


def _align_middle(left: tuple[str, ...], right: tuple[str, ...]) -> Iterator[Pair]:
    if max(len(left), len(right)) > _ALIGN_UP_TO:
        yield from _beside(left, right)
        return
    import difflib

    for tag, a, b, c, d in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from (Pair(line, line) for line in left[a:b])
        else:
            yield from _beside(left[a:b], right[c:d])


def _beside(left: tuple[str, ...], right: tuple[str, ...]) -> Iterator[Pair]:
    most = max(len(left), len(right))
    for at in range(most):
        yield Pair(left[at] if at < len(left) else None, right[at] if at < len(right) else None)
