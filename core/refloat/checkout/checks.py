"""What each check is worth: its real outcome, the tree that it saw, and whether that tree still stands.

Pure. A check is current when nothing changed after it, stale when something did, and of an unknown tree where nobody
can say. Refuses to take the exit code of a pipe's last command for the check's own.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from refloat.checkout.fold import RecordedEdit, Standing, find_edits
from refloat.commands import check_of, hidden_by, outcome_in
from refloat.model.checkout import CheckRun, Freshness
from refloat.model.light import light
from refloat.model.stamp import Stamp, stamp_of_seconds
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


def find_checks(steps: Iterable[Step], tree: Tree, name: Callable[[str], str]) -> tuple[CheckRun, ...]:
    """Every check among the steps, in their order; `name` turns a recorded path into the one that is shown."""
    ordered = list(steps)
    if not any(map(_is_check, ordered)):
        return ()
    edits = [(index, edit) for index, step in enumerate(ordered) for edit in find_edits([step])]
    return tuple(_check(index, step, edits, tree, name) for index, step in enumerate(ordered) if _is_check(step))


def _is_check(step: Step) -> bool:
    return step.kind is StepKind.CHECK or (step.command is not None and check_of(step.command) is not None)


def outcome_of(step: Step) -> tuple[Outcome, int | None]:
    """A check's real outcome and exit code: where a pipe hides the code, the output's own summary speaks."""
    hidden = hidden_by(step.command) if step.command else None
    if hidden is None or step.outcome not in (Outcome.OK, Outcome.ERROR):
        return step.outcome, step.exit_code
    return outcome_in(step.output) or step.outcome, None


def _check(
    index: int, step: Step, edits: Sequence[tuple[int, RecordedEdit]], tree: Tree, name: Callable[[str], str]
) -> CheckRun:
    outcome, exit_code = outcome_of(step)
    head = tree.head_at(step.at)
    hidden = hidden_by(step.command) if step.command else None
    note = f"its exit code is that of `{hidden}`, not of the check" if hidden else None
    freshness, because = _freshness(index, step, edits, tree, name)
    return CheckRun(step.n, outcome, exit_code, head, freshness, because, note, step.subagent)


def _freshness(
    index: int, step: Step, edits: Sequence[tuple[int, RecordedEdit]], tree: Tree, name: Callable[[str], str]
) -> tuple[Freshness, str | None]:
    if step.outcome is Outcome.DENIED and not step.effects_unknown:
        return Freshness.UNKNOWN_TREE, "it never ran"
    behind = next((edit for at, edit in edits if at > index and edit.standing is not Standing.REFUSED), None)
    if behind is not None:
        return Freshness.STALE, f"step {behind.step} edited {name(behind.edit.path)}"
    ended = step.ended_at
    if ended is None:
        return Freshness.UNKNOWN_TREE, "no result of it was ever recorded"
    for path, mtime in sorted(tree.mtimes.items()):
        if _after(mtime, ended):
            return Freshness.STALE, f"{path} was written at {stamp_of_seconds(mtime or 0)}"
    if not tree.repository:
        return Freshness.UNKNOWN_TREE, "there is no repository to tell what else changed"
    return _by_commits(step, ended, tree)


def _after(mtime: float | None, ended: Stamp) -> bool:
    written = stamp_of_seconds(mtime) if mtime is not None else None
    return written is not None and written > ended


def _by_commits(step: Step, ended: Stamp, tree: Tree) -> tuple[Freshness, str | None]:
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
            return Freshness.STALE, f"{path} was written at {stamp_of_seconds(mtime)}"
    return Freshness.CURRENT, None
