"""The places of a file's change: what the record says of each beside what is dirty there now.

Decides which recorded hunk and which dirty one speak of the same place (the ones that share the most lines), and what
several steps at one place come to together. Refuses to judge: owners, states and fates come judged. Pure, and linear in
the lines, whatever a session wrote.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from refloat.model.checkout import DirtyHunk, EditedFile, EditFate, Fate, OtherChange
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
    whole: bool = False
    """The whole content, whatever stood there before."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One place of a file."""

    key: str
    recorded: tuple[Recorded, ...] = ()
    """What was recorded of it, in step order; nothing where this session's record does not know it."""
    left: tuple[str, ...] = ()
    """What those come to together, line by line with signs."""
    dirty: DirtyHunk | None = None
    """None where nothing is dirty."""
    fate: EditFate | None = None
    """What became of the last recorded one."""

    @property
    def last(self) -> Recorded | None:
        """The newest recorded hunk."""
        return self.recorded[-1] if self.recorded else None


Record = Mapping[str, Sequence[tuple[Step, FileEdit]]]
"""Path as recorded → the edits of it, in step order."""


def record_of(steps: Iterable[Step]) -> Record:
    """The edits that steps recorded, by path; the steps of a session and its sub-agents, in the order they began in."""
    found: defaultdict[str, list[tuple[Step, FileEdit]]] = defaultdict(list)
    for step in steps:
        for edit in step.edits:
            for path in dict.fromkeys((edit.path, edit.moved_to)):
                if path:
                    found[path].append((step, edit))
    return found


def recorded_of(record: Record, path: str, repo: str | None) -> tuple[Recorded, ...]:
    """Every recorded hunk of one file; `path` as the checkout tells it."""
    absolute = f"{repo.rstrip('/')}/{path}" if repo else path
    edits = record.get(absolute) or record.get(path) or ()
    return tuple(made for step, edit in edits for made in _hunks_of(step, edit))


def _hunks_of(step: Step, edit: FileEdit) -> Iterator[Recorded]:
    def made(lines: tuple[str, ...], *, binary: bool = False, whole: bool = False) -> Recorded:
        item = step.item if step.subagent is None else 0
        return Recorded(step.n, step.subagent, item, edit.op, outcome_words(step), lines, binary, whole)

    if edit.binary:
        yield made((), binary=True)
    elif edit.hunks:
        for hunk in edit.hunks:
            yield made(hunk.lines)
    elif edit.op == "delete":
        yield made(tuple(f"-{line}" for line in (edit.before or "").splitlines()))
    else:
        yield made(tuple(f"+{line}" for line in (edit.after or "").splitlines()), whole=True)


def find_spots(change: EditedFile | OtherChange, recorded: Sequence[Recorded]) -> tuple[Spot, ...]:
    """The places of one file: the dirty ones from top to bottom, then what was recorded and is dirty nowhere."""
    fates = {(row.step, row.subagent): row for row in change.edits} if isinstance(change, EditedFile) else {}

    def fate_of(one: Recorded) -> EditFate | None:
        return fates.get((one.step, one.subagent))

    refused = {at for at, one in enumerate(recorded) if (fate := fate_of(one)) and fate.fate is Fate.NEVER_APPLIED}
    applied = [one for at, one in enumerate(recorded) if at not in refused]
    wholes = [at for at, one in enumerate(applied) if one.whole]
    last_whole = wholes[-1] if wholes and change.hunks else None
    since = applied if last_whole is None else applied[last_whole + 1 :]
    homes, alone = _pair(since, change.hunks)
    content = None if last_whole is None else fold([*applied[last_whole].lines], applied[last_whole + 1 :])
    spots: list[Spot] = []
    for at, hunk in enumerate(change.hunks):
        own = tuple(homes.get(at, ()))
        if content is None or last_whole is None:
            left = tuple(fold([], own, hunk.lines))
        else:
            own = (applied[last_whole], *own)
            left = _of_whole(content, hunk, only=len(change.hunks) == 1)
        spots.append(Spot(f"{change.path}\n{at}", own, left, hunk, fate_of(own[-1]) if own else None))
    if last_whole is not None:
        alone = applied[:last_whole]  # what was recorded since is part of the whole
    alone += [recorded[at] for at in sorted(refused)]
    for at, one in enumerate(alone):
        spots.append(Spot(f"{change.path}\nr{at}", (one,), one.lines, None, fate_of(one)))
    return tuple(spots)


def _of_whole(content: list[str], hunk: DirtyHunk, *, only: bool) -> tuple[str, ...]:
    """What a recorded whole content says of one dirty place: its lines there, and what it did away with."""
    if only and hunk.old_lines == 0 and hunk.new_start <= 1:
        return tuple(content)
    begin = max(0, hunk.new_start - 1)
    lines = frozenset(content)
    gone = (line for line in hunk.lines if line.startswith("-") and f"+{line[1:]}" not in lines)
    return (*gone, *content[begin : begin + hunk.new_lines])


def fold(net: list[str], later: Iterable[Recorded], order: Sequence[str] = ()) -> list[str]:
    """Signed lines with later hunks put to them: what a later one takes away again was never wanted.

    `order`: lines as they follow each other on disk; they say where a hunk goes that touches none of what is there.
    """
    places = {line: at for at, line in reversed(tuple(enumerate(order)))}
    for one in later:
        at = _where_to(net, one, places)
        for line in one.lines:
            sign, added = line[:1], f"+{line[1:]}"
            if sign == "+":
                net.insert(at, line)
                at += 1
            elif sign in {"-", " "}:
                found = _find(net, added, at)
                if found is not None:
                    at = found + (sign == " ")
                    if sign == "-":
                        del net[found]
                elif sign == "-":
                    net.insert(at, line)
                    at += 1
    return net


def _where_to(net: list[str], one: Recorded, places: Mapping[str, int]) -> int:
    """Before the first line that stands below it on disk."""
    own = next((places[line] for line in one.lines if line in places), None)
    if own is None:
        return len(net)
    return next((at for at, line in enumerate(net) if places.get(line, -1) > own), len(net))


_FOLD_WITHIN: Final = 4096
"""Lines that are searched for one that a later hunk speaks of."""


def _find(net: list[str], line: str, at: int) -> int | None:
    """The next such line, else the first."""
    for begin, end in ((at, at + _FOLD_WITHIN), (0, min(at, _FOLD_WITHIN))):
        try:
            return net.index(line, begin, end)
        except ValueError:
            continue
    return None


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
        home = max(weights, key=lambda at: weights[at]) if weights else None
        if home is None:
            alone.append(one)
            continue
        homes[home].append(one)
        # What a later step takes away again of this one stands nowhere on disk: it belongs to the same place.
        for line in one.lines:
            if line.startswith("+") and line not in where and any(map(str.isalnum, line)):
                where[f"-{line[1:]}"].append(home)
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


def lay_out(spot: Spot) -> tuple[Pair, ...]:
    """What was recorded beside what is dirty; what is the same before and after is left out where both are there."""
    right = spot.dirty.lines if spot.dirty else ()
    left = spot.left
    if left and right:
        left, right = _changed(left), _changed(right)
    return tuple(align(left, right))


def _changed(lines: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(line for line in lines if line[:1] in {"+", "-"})


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
