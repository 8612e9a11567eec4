"""What each check is worth: its real outcome, the tree that it saw, and whether that tree still stands.

Pure. A check is current when nothing changed after it, stale when something did, and of an unknown tree where nobody
can say. Refuses to take the exit code of a pipe's last command for the check's own, and the state of one worktree for
that of another.
"""

import posixpath
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import accumulate

from refloat.checkout.fold import edited_paths
from refloat.checkout.runs import Run, find_runs
from refloat.commands import (
    LEFT_RUNNING,
    Ended,
    changes_behind,
    check_cwd,
    check_of,
    how_it_ended,
    may_undo,
    may_write,
    mends,
)
from refloat.model.checkout import CheckRun, Freshness
from refloat.model.light import light
from refloat.model.stamp import Stamp, later, stamp_of_seconds
from refloat.model.transcript import Outcome, Step, StepKind


@light
class Tree:
    """What is known of the tree that checks ran on."""

    head: str | None
    head_at: Callable[[Stamp | None], str | None]
    """HEAD at a moment, from the reflog."""
    changed_between: Callable[[str, str], Sequence[str] | None]
    """Paths that differ between two commits; None where that cannot be told."""
    mtimes: Mapping[str, float | None]
    """Dirty paths → seconds since 1970, None for one that is gone."""
    mtime: Callable[[str], float | None]
    repository: bool
    untracked: AbstractSet[str] = frozenset()
    """Those of the dirty paths that git does not track."""
    root: str | None = None
    """The worktree's top; None where there is no repository."""


@light
class _Edit:
    """An edit, with the step that made it."""

    index: int
    """The step's place among all."""
    step: int
    ended: Stamp | None
    real: str
    taken: bool
    """It deleted the file, or moved it away."""


class _Removals:
    """The commands of a session that take files away: looked for once something is gone, and once for each file."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = steps
        self._all: list[tuple[int, Run]] | None = None
        self._of: dict[str, list[int]] = {}

    def any_of(self, real: str, after: int, before: int) -> bool:
        """Whether one that names a file, or a folder that it lies in, ran between two steps."""
        if self._all is None:
            undoing = [(at, step) for at, step in enumerate(self._steps) if step.command and may_undo(step.command)]
            self._all = [(at, run) for at, step in undoing for run in find_runs((step,))]
        if real not in self._of:
            self._of[real] = [at for at, run in self._all if run.names_above(real)]
        return any(after < at < before for at in self._of[real])


class _Edits:
    """The edits that concern one worktree, in their order. Each of many checks asks for the one behind it."""

    def __init__(self, edits: Sequence[_Edit], removals: _Removals) -> None:
        self.all = edits
        self.removals = removals
        self._indexes = [edit.index for edit in edits]
        self._latest = list(accumulate((edit.ended or "" for edit in edits), max))
        """When the last of all edits up to each one ended."""

    def behind(self, index: int, step: Step) -> _Edit | None:
        """The first edit that was made after a step began to run, or while it ran."""
        later_on = bisect_right(self._indexes, index)
        before = bisect_left(self._indexes, index)
        if before and step.at is not None and self._latest[before - 1] > step.at:
            # One of a sub-agent's, or one beside it, ended only while the check ran.
            return next(edit for edit in self.all if edit.ended is not None and edit.ended > step.at)
        return self.all[later_on] if later_on < len(self.all) else None


def find_checks(
    steps: Iterable[Step], tree_at: Callable[[str | None], Tree], real: Callable[[str], str], name: Callable[[str], str]
) -> tuple[CheckRun, ...]:
    """Every check among the steps, in their order.

    `tree_at` gives the tree that a directory lies in; `real` makes a recorded path absolute, with links resolved;
    `name` turns that into the one that is shown.
    """
    ordered = list(steps)
    checks = [(index, step) for index, step in enumerate(ordered) if _is_check(step)]
    if not checks:
        return ()
    edits = [
        _Edit(index, step.n, step.ended_at, real(path), taken=path in _taken(step))
        for index, step in enumerate(ordered)
        if step.edits or step.kind is StepKind.EDIT
        for path in edited_paths(step)
    ]
    removals = _Removals(ordered)
    seen: dict[str | None, _Edits] = {}
    found: list[CheckRun] = []
    for index, step in checks:
        tree = tree_at(_directory(step))
        if tree.root not in seen:
            seen[tree.root] = _Edits([edit for edit in edits if _concerns(edit, tree)], removals)
        found.append(_check(index, step, ordered, seen[tree.root], tree, name))
    return tuple(found)


def _taken(step: Step) -> set[str]:
    """Paths at which a step left no file."""
    return {edit.path for edit in step.edits if edit.op == "delete" or edit.moved_to is not None}


def _is_check(step: Step) -> bool:
    return step.kind is StepKind.CHECK or (step.command is not None and check_of(step.command) is not None)


def _directory(step: Step) -> str | None:
    """Where a check ran: the step's directory, and where its line went from there."""
    inner = check_cwd(step.command) if step.command is not None else ""
    if not inner:
        return step.cwd
    return posixpath.normpath(posixpath.join(step.cwd or "", inner))


def _concerns(edit: _Edit, tree: Tree) -> bool:
    """Whether an edit can change what a check sees: one outside the check's worktree does not."""
    return tree.root is None or (edit.real + "/").startswith(tree.root.rstrip("/") + "/") or edit.real[:1] != "/"


def _check(
    index: int, step: Step, steps: Sequence[Step], edits: _Edits, tree: Tree, name: Callable[[str], str]
) -> CheckRun:
    ended = _ended(step)
    freshness, because = _freshness(index, step, steps, edits, tree, name)
    if ended is LEFT_RUNNING and freshness is Freshness.CURRENT:
        freshness, because = Freshness.UNKNOWN_TREE, "no end of it was ever recorded"
    return CheckRun(
        step.n,
        ended.outcome,
        ended.exit_code,
        tree.head_at(step.at),
        freshness,
        because,
        ended.note,
        step.subagent,
        proved=ended.proved,
        command=step.command or step.summary,
    )


def _ended(step: Step) -> Ended:
    """How a check ended; a step that left it running tells only that it began."""
    if step.background is not None and step.background.running and step.outcome is Outcome.OK:
        return LEFT_RUNNING
    return how_it_ended(step.command, step.outcome, step.exit_code, step.output)


def _freshness(
    index: int, step: Step, steps: Sequence[Step], edits: _Edits, tree: Tree, name: Callable[[str], str]
) -> tuple[Freshness, str | None]:
    if step.never_ran or (step.outcome is Outcome.DENIED and not step.effects_unknown):
        return Freshness.UNKNOWN_TREE, "it never ran"
    behind = edits.behind(index, step)
    if behind is not None:
        return Freshness.STALE, f"step {behind.step} edited {name(behind.real)}"
    ended = step.ended_at
    if ended is None:
        return Freshness.UNKNOWN_TREE, "no result of it was ever recorded"
    for path, mtime in sorted(tree.mtimes.items()):
        if _after(mtime, ended):
            return Freshness.STALE, _written(path, mtime, steps)
    if (moved := _while_it_ran(step, ended, edits, tree, name)) is not None:
        return Freshness.UNKNOWN_TREE, moved
    if not tree.repository:
        return Freshness.UNKNOWN_TREE, "there is no repository to tell what else changed"
    return (
        _taken_back(edits, ended, steps, tree, name)
        or _gone(index, edits, tree, name)
        or _by_commits(step, ended, steps, tree)
    )


def _while_it_ran(step: Step, ended: Stamp, edits: _Edits, tree: Tree, name: Callable[[str], str]) -> str | None:
    """What changed the tree before a check's line had ended, and nobody can say whether the check saw it."""
    if step.command is not None and (change := changes_behind(step.command)) is not None:
        return f"`{change}` changes the tree behind it in the same line"
    if step.at is None or (step.command is not None and mends(step.command)):
        return None
    own = {name(edit.real) for edit in edits.all}  # what is neither tracked nor edited is what checks leave behind
    for path, mtime in sorted(tree.mtimes.items()):
        if _after(mtime, step.at) and not _after(mtime, ended) and (path in own or path not in tree.untracked):
            return f"{path} was written at {stamp_of_seconds(mtime or 0)}, while it ran"
    return None


def _after(mtime: float | None, ended: Stamp) -> bool:
    written = stamp_of_seconds(mtime) if mtime is not None else None
    return written is not None and written > ended


def _written(path: str, mtime: float | None, steps: Sequence[Step]) -> str:
    """When a file was written, and by which command of the session where one ran just then."""
    at = stamp_of_seconds(mtime or 0)
    step = next((step for step in steps if at is not None and _ran_at(step, at)), None)
    return f"{path} was written at {at}" + (f", while step {step.n} ran: {step.command}" if step is not None else "")


def _ran_at(step: Step, at: Stamp) -> bool:
    if step.command is None or step.at is None or step.ended_at is None or not may_write(step.command):
        return False
    return step.at <= at <= later(step.ended_at, 0.001)


def _taken_back(
    edits: _Edits, ended: Stamp, steps: Sequence[Step], tree: Tree, name: Callable[[str], str]
) -> tuple[Freshness, str] | None:
    """A file that the session had edited and that is clean now, written since: stashed or checked out again."""
    for path in sorted({name(edit.real) for edit in edits.all} - tree.mtimes.keys()):
        mtime = tree.mtime(path)
        if _after(mtime, ended):
            return Freshness.STALE, _written(path, mtime, steps)
    return None


def _gone(index: int, edits: _Edits, tree: Tree, name: Callable[[str], str]) -> tuple[Freshness, str] | None:
    """A file that the session had edited and that is not there any more; the check saw it, unless a command of the
    session took it away between the two.
    """
    last = {name(edit.real): edit for edit in edits.all if edit.index < index}
    for path, edit in sorted(last.items()):
        if edit.taken or tree.mtime(path) is not None or edits.removals.any_of(edit.real, edit.index, index):
            continue
        return Freshness.UNKNOWN_TREE, f"{path} is gone, and nothing tells when"
    return None


def _by_commits(step: Step, ended: Stamp, steps: Sequence[Step], tree: Tree) -> tuple[Freshness, str | None]:
    head = tree.head_at(ended)
    if head == tree.head and head is not None:
        gone = next((path for path, mtime in sorted(tree.mtimes.items()) if mtime is None), None)
        if gone is None:
            return Freshness.CURRENT, None
        return Freshness.UNKNOWN_TREE, f"{gone} is deleted, and nothing tells when"
    if head is None or tree.head is None:
        if head is tree.head and step.at is not None:
            return Freshness.UNKNOWN_TREE, "there is no commit to compare with"
        return Freshness.UNKNOWN_TREE, "the reflog does not say what HEAD was"
    changed = tree.changed_between(head, tree.head)
    if changed is None:
        return Freshness.UNKNOWN_TREE, f"the commit of that time, {head[:12]}, is no longer there"
    for path in changed:
        mtime = tree.mtime(path)
        if mtime is None:
            return Freshness.STALE, f"{path} is gone since {head[:12]}"
        if _after(mtime, ended):
            return Freshness.STALE, _written(path, mtime, steps)
    return Freshness.CURRENT, None
