"""Saved or gone: what the record did, held against what stands now (design §5).

Pure. One finding for each edited file, check command (its last run), commit, external action and dangling step. Refuses
to listen: what an agent merely said is the work of `triage.claims`.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final

from refloat.commands import check_of, commit_subject, commits_in, is_commit
from refloat.model.checkout import (
    SAVED_PLACES,
    TAKEN_BACK,
    Checkout,
    CheckRun,
    EditedFile,
    Fate,
    FileState,
    FoundIn,
    Freshness,
    PlaceKind,
)
from refloat.model.fate_words import FATE_WORDS, PLACE_WORDS, TAKEN_BY
from refloat.model.repaired import is_made_output
from refloat.model.transcript import NO_WORK, Outcome, Step
from refloat.model.triage import RUN_FAILED, ActionOutcome, Finding, FindingVerdict, RecoverableFrom, StandsIn
from refloat.triage.actions import Action, Attempt

_STANDS: Final = frozenset({FileState.PRESENT, FileState.CHANGED_SINCE, FileState.MOVED})
_SETTLED: Final = frozenset({Fate.UNCOMMITTED, Fate.COMMITTED, Fate.REPLACED})
NOWHERE: Final = "no branch and no reflog holds a commit of that subject"
_StepKey = tuple[int, str | None]
"""Number of a step, and the sub-agent that counts it."""


@dataclass(frozen=True, slots=True)
class CommitSeen:
    """A commit that the record speaks of, as the repository knows it now."""

    sha: str | None
    """Whole id; None where it is no longer there."""
    place: PlaceKind | None
    """Where it stands: a branch, the reflog, or nowhere that has a name."""
    ref: str | None = None
    rewritten: str | None = None
    """A commit of the same subject on a branch, where this one is on none."""


@dataclass(slots=True)
class Piles:
    """Findings as they are made."""

    saved: list[Finding] = field(default_factory=list[Finding])
    gone: list[Finding] = field(default_factory=list[Finding])


def sort_findings(
    steps: Sequence[Step], checkout: Checkout, commits: Mapping[str, CommitSeen], actions: Iterable[Action]
) -> Piles:
    """Put everything that the record shows as work on one of the two piles.

    `commits` tells, by the shortened id that git printed or by the subject that a command carried, what became of a
    commit.
    """
    piles = Piles()
    told: set[_StepKey] = set()
    taken_back = {(step.n, step.subagent) for step in steps if step.superseded}
    dangling = {(step.n, step.subagent) for step in steps if _dangles(step)}
    commands = {f"step {step.n}": f"step {step.n} (`{step.command}`)" for step in steps if step.command is not None}
    for file in checkout.files:
        _sort_file(file, piles, told, taken_back, dangling, commands)
    _sort_checks(steps, checkout, piles, told)
    for step in steps:
        if step.command is not None and is_commit(step.command):
            _sort_commit(step, commits, piles, told)
    for action in actions:
        _sort_action(action, piles, told)
    for step in steps:
        if _dangles(step) and (step.n, step.subagent) not in told:
            piles.gone.append(_dangling(step))
    return piles


def _dangles(step: Step) -> bool:
    if step.kind in NO_WORK or step.superseded or step.pending is not None:
        return False
    return step.outcome in (Outcome.DANGLING, Outcome.INTERRUPTED) and not step.never_ran


def _dangling(step: Step, left: str | None = None) -> Finding:
    """`left`: why nothing tells the end of a step that has a result."""
    ended = "was interrupted" if step.outcome is Outcome.INTERRUPTED else "has no recorded result"
    if is_made_output(step.output):
        ended = "was interrupted and closed by a repair"
    what = step.command or step.summary or step.tool
    why = f"step {step.n}{f': {left}' if left else f' {ended}'}: nobody knows how far it came"
    return Finding(
        what, "dangling", step.files, (step.n,), None, FindingVerdict.LOST, None, (), None, why, subagent=step.subagent
    )


# ── files ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _sort_file(
    file: EditedFile,
    piles: Piles,
    told: set[_StepKey],
    taken_back: AbstractSet[_StepKey],
    dangling: AbstractSet[_StepKey],
    commands: Mapping[str, str],
) -> None:
    made = {(edit.step, edit.subagent): edit.fate for edit in file.edits if edit.fate is not Fate.NEVER_APPLIED}
    if not made:
        return
    saved = [place for place in file.found_in if place.where in SAVED_PLACES]
    lost = [place for place in file.found_in if place.where not in SAVED_PLACES]
    if not is_gone(file) and (saved or file.state is not FileState.UNVERIFIABLE):
        told.update(key for key, fate in made.items() if file.state in _STANDS or fate in _SETTLED)
        where = where_it_stands(file, saved)
        verdict = FindingVerdict.CONFIRMED if where is not None else FindingVerdict.RECORDED
        piles.saved.append(_edit(file, verdict, _saved_why(file, saved, commands), where=where))
        return
    if file.state is FileState.UNVERIFIABLE and not is_gone(file):
        # The disk may hold it, and nobody can say. A call without a result is told as that.
        told.update(made.keys() - dangling)
        if not made.keys() <= taken_back | dangling:
            why = f"the record says so, and it could not be verified: {file.why}"
            piles.saved.append(_edit(file, FindingVerdict.RECORDED, why))
        return
    told.update(made)
    if made.keys() <= taken_back:
        return
    recoverable = tuple(RecoverableFrom(place.where, _name_of(place), place.commit) for place in lost)
    if file.unseen:
        # The folder may only have been moved: that the work is lost is not known, nor that it stands anywhere.
        piles.gone.append(_edit(file, FindingVerdict.RECORDED, _why_unseen(file, recoverable), recoverable=recoverable))
        return
    piles.gone.append(_edit(file, FindingVerdict.LOST, _gone_why(file, commands), recoverable=recoverable))


def _name_of(place: FoundIn) -> str | None:
    """What leads to a lost place: a name that the repository gives it, or the file that a backup is."""
    return place.ref or (place.path if place.where is PlaceKind.AGENT_BACKUP else None)


def _why_unseen(file: EditedFile, recoverable: Sequence[RecoverableFrom]) -> str:
    why = "the record says so" if file.confirmed else "its result was never recorded"
    why = f"{why}, and it could not be verified: {file.why}"
    return why if recoverable else f"{why}; the record does not hold its whole content"


def file_stands(file: EditedFile) -> bool:
    """Whether the recorded content is on disk, here or at another path."""
    return file.state in _STANDS


def is_gone(file: EditedFile) -> bool:
    """Whether an edit that was made stands in no worktree, branch or stash."""
    if all(edit.fate is Fate.NEVER_APPLIED for edit in file.edits) or file_stands(file) or put_back_by(file):
        return False
    if any(place.where in SAVED_PLACES for place in file.found_in):
        return False
    if file.state is FileState.UNVERIFIABLE:
        return False
    return file.state is not FileState.PARTLY or loses(file)


def can_salvage(file: EditedFile) -> bool:
    """Whether work that is gone still stands in a place that `salvage` takes it from."""
    return is_gone(file) and any(place.where not in SAVED_PLACES for place in file.found_in)


def put_back_by(file: EditedFile) -> str | None:
    """The step by which the session put a file that it had deleted back itself: then nothing of it is missing."""
    made = [edit for edit in file.edits if edit.fate is not Fate.NEVER_APPLIED]
    if file.recorded != "deleted" or not made or made[-1].fate is not Fate.REVERTED:
        return None
    return made[-1].by if (made[-1].by or "").startswith("step ") else None


def _edit(
    file: EditedFile,
    verdict: FindingVerdict,
    why: str,
    *,
    where: StandsIn | None = None,
    recoverable: tuple[RecoverableFrom, ...] = (),
) -> Finding:
    made = [edit for edit in file.edits if edit.fate is not Fate.NEVER_APPLIED]
    subagents = {edit.subagent for edit in made}
    return Finding(
        f"{file.path} {_done_to(file)}",
        "edit",
        (file.path,),
        tuple(dict.fromkeys(edit.step for edit in made)),
        None,
        verdict,
        where,
        recoverable,
        None,
        why,
        confirmed=file.confirmed or (None if verdict is FindingVerdict.LOST and loses(file) else False),
        subagent=subagents.pop() if len(subagents) == 1 else None,
    )


def _done_to(file: EditedFile) -> str:
    if file.recorded != "deleted":
        return "edited"
    return "deleted" if put_back_by(file) is None else "deleted and put back"


def loses(file: EditedFile) -> bool:
    """Whether any edit of a file was lost or reverted, or a part of one."""
    fates = {edit.fate for edit in file.edits}
    if file.halved and Fate.UNCONFIRMED not in fates:  # else what is missing may never have been made
        return True
    return not fates.isdisjoint((Fate.LOST, Fate.REVERTED))


def where_it_stands(file: EditedFile, saved: Sequence[FoundIn]) -> StandsIn | None:
    """The firmest place: a commit on a branch before the worktree, the worktree before the rest."""
    if not saved:
        return StandsIn(PlaceKind.WORKTREE, None, None) if file.state is FileState.PARTLY else None
    branch = next((place for place in saved if place.where is PlaceKind.BRANCH), None)
    place = branch or saved[0]
    ref = place.ref if place.ref is not None or place.where is PlaceKind.WORKTREE else place.path
    return StandsIn(place.where, ref, place.commit)


def _saved_why(file: EditedFile, saved: Sequence[FoundIn], commands: Mapping[str, str]) -> str:
    parts = [file.why]
    if (back := put_back_by(file)) is not None:
        return f"{file.why}: put back by the session itself, by {commands.get(back, back)}"
    if not file.confirmed:
        parts.append("its result was never recorded")
    if file.state not in _STANDS:
        parts += [f"it stands in {_place_words(place)}" for place in saved]
    undone = _done_by(file, commands, Fate.REVERTED, Fate.LOST)
    if undone:
        parts.append(f"{TAKEN_BY} {', '.join(undone)}")
    return "; ".join(parts)


def _place_words(place: FoundIn) -> str:
    words = PLACE_WORDS[place.where]
    name = place.ref if place.ref is not None else place.path
    return f"{words} {name}" + (f" ({place.commit[:12]})" if place.commit else "") if name else words


def _done_by(file: EditedFile, commands: Mapping[str, str], *fates: Fate) -> list[str]:
    """Who or what is behind such fates of a file's edits: steps with their command, other sessions by name."""
    named = [edit.by for edit in file.edits if edit.by and edit.by != TAKEN_BACK and edit.fate in fates]
    return sorted({commands.get(by, by) for by in named})


def _gone_why(file: EditedFile, commands: Mapping[str, str]) -> str:
    parts = [file.why]
    if replaced := [who for who in _done_by(file, {}, Fate.REPLACED) if not who.startswith("step ")]:
        parts.append(f"{FATE_WORDS[Fate.REPLACED]} by another session: {', '.join(replaced)}")
    undone = _done_by(file, commands, Fate.REVERTED, Fate.LOST)
    if undone:
        parts.append(f"it can have been {TAKEN_BY} {', '.join(undone)}")
    if not file.confirmed:
        parts.append("that it was ever made is not confirmed by the record")
    return "; ".join(parts)


# ── checks ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def _sort_checks(steps: Sequence[Step], checkout: Checkout, piles: Piles, told: set[_StepKey]) -> None:
    by_step = {(step.n, step.subagent): step for step in steps}
    last: dict[str, CheckRun] = {}
    for run in checkout.checks:
        step = by_step.get((run.step, run.subagent))
        if step is not None and not step.never_ran and (step.outcome is not Outcome.DENIED or step.effects_unknown):
            name = (check_of(step.command) if step.command else None) or step.summary
            last.pop(name, None)
            last[name] = run
    for name, run in last.items():
        step = by_step[run.step, run.subagent]
        told.add((run.step, run.subagent))
        if run.outcome in (Outcome.DANGLING, Outcome.INTERRUPTED):
            piles.gone.append(_dangling(step, run.note if step.outcome is Outcome.OK else None))
        else:
            piles.saved.append(_check(name, run))


def _check(name: str, run: CheckRun) -> Finding:
    passed = run.outcome is Outcome.OK
    verdict = FindingVerdict.STALE if run.freshness is Freshness.STALE else FindingVerdict.RECORDED
    if passed and run.freshness is Freshness.CURRENT and run.note is None:
        verdict = FindingVerdict.CONFIRMED
    parts = ["it passed" if passed else RUN_FAILED] if run.proved else ["it ended"]
    if run.exit_code is not None:
        parts[0] += f" with exit code {run.exit_code}"
    if run.note:
        parts.append(run.note)
    if run.freshness is Freshness.CURRENT:
        parts.append("nothing changed since")
    elif run.stale_because:
        parts.append(run.stale_because)
    return Finding(
        name, "check", (), (run.step,), None, verdict, None, (), None, "; ".join(parts), subagent=run.subagent
    )


# ── commits ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _sort_commit(step: Step, commits: Mapping[str, CommitSeen], piles: Piles, told: set[_StepKey]) -> None:
    made = commits_in(step.output)
    for sha, subject in made:
        told.add((step.n, step.subagent))
        _sort_made(step, sha, subject, commits.get(sha, CommitSeen(None, None)), piles)
    if made or step.outcome not in (Outcome.DANGLING, Outcome.INTERRUPTED, Outcome.OK):
        return
    subject = commit_subject(step.command or "")
    seen = commits.get(subject) if subject else None
    if seen is not None and seen.sha is not None and seen.place is PlaceKind.BRANCH:
        told.add((step.n, step.subagent))
        confirmed = None if step.outcome is Outcome.OK else False
        piles.saved.append(
            _commit(step, subject or "", FindingVerdict.CONFIRMED, seen, "it is on a branch", confirmed=confirmed)
        )
    elif seen is not None and seen.sha is not None:
        told.add((step.n, step.subagent))
        _sort_made(step, seen.sha[:12], subject or "", seen, piles)
    elif seen is not None and step.outcome is Outcome.OK:
        told.add((step.n, step.subagent))
        piles.gone.append(_commit(step, subject or "", FindingVerdict.LOST, None, NOWHERE))
    elif step.outcome is Outcome.OK:
        told.add((step.n, step.subagent))
        piles.saved.append(
            _commit(
                step, subject or step.summary, FindingVerdict.RECORDED, None, "the record names no commit to look for"
            )
        )


def _sort_made(step: Step, sha: str, subject: str, seen: CommitSeen, piles: Piles) -> None:
    if seen.place is PlaceKind.BRANCH:
        piles.saved.append(
            _commit(step, subject, FindingVerdict.CONFIRMED, seen, f"{sha} is on {seen.ref or 'a branch'}")
        )
    elif seen.rewritten is not None:
        newer = CommitSeen(seen.rewritten, PlaceKind.BRANCH, seen.ref)
        why = f"{sha} was rewritten as {seen.rewritten[:12]}"
        piles.saved.append(_commit(step, subject, FindingVerdict.CONFIRMED, newer, why))
    else:
        where = seen.place or PlaceKind.UNREACHABLE_COMMIT
        recoverable = (RecoverableFrom(where, seen.ref, seen.sha),) if seen.sha else ()
        why = f"{sha} is on no branch" if seen.sha else f"{sha} is no longer in the repository"
        piles.gone.append(_commit(step, subject, FindingVerdict.LOST, None, why, recoverable=recoverable))


def _commit(
    step: Step,
    what: str,
    verdict: FindingVerdict,
    seen: CommitSeen | None,
    why: str,
    *,
    confirmed: bool | None = None,
    recoverable: tuple[RecoverableFrom, ...] = (),
) -> Finding:
    where = StandsIn(PlaceKind.BRANCH, seen.ref, seen.sha) if seen is not None else None
    return Finding(
        what,
        "commit",
        (),
        (step.n,),
        None,
        verdict,
        where,
        recoverable,
        None,
        why,
        confirmed=confirmed,
        subagent=step.subagent,
    )


# ── external actions ─────────────────────────────────────────────────────────────────────────────────────────────────


def _sort_action(action: Action, piles: Piles, told: set[_StepKey]) -> None:
    ran = action.started
    told |= {(attempt.step.n, attempt.step.subagent) for attempt in action.attempts}
    if not ran:
        return
    last = ran[-1].step
    numbers = tuple(attempt.step.n for attempt in ran)
    dangling = last.outcome in (Outcome.DANGLING, Outcome.INTERRUPTED)
    verdict = FindingVerdict.LOST if dangling else FindingVerdict.RECORDED
    finding = Finding(
        action.name,
        "external",
        (),
        numbers,
        None,
        verdict,
        None,
        (),
        None,
        _failed(ran[-1]) or ran[-1].why,
        subagent=last.subagent,
        part=action.telling.part,
    )
    (piles.gone if dangling else piles.saved).append(finding)


def _failed(attempt: Attempt) -> str | None:
    """That an attempt failed, where nothing shows that it happened before that."""
    step = attempt.step
    if step.outcome is not Outcome.ERROR or attempt.outcome is ActionOutcome.DONE:
        return None
    code = f" with exit code {step.exit_code}" if step.exit_code is not None else ""
    return f"{RUN_FAILED}{code}: look before repeating it"
