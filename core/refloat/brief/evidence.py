"""The sections "What is established" and "What remains uncertain"."""

import shlex
from collections.abc import Iterator
from typing import Final, assert_never

from refloat.brief.facts import Facts, LastRun, counted, line, own_steps, said, short, step_words, summary_of
from refloat.commands import what_failed
from refloat.model.brief import Confidence, Line
from refloat.model.checkout import (
    SAVED_PLACES,
    TAKEN_BACK,
    EditedFile,
    Fate,
    FileState,
    FoundIn,
    Freshness,
    PlaceKind,
)
from refloat.model.fate_words import FATE_WORDS, PLACE_WORDS, TAKEN_BY, fate_words, salvage_line
from refloat.model.repaired import is_made_output
from refloat.model.transcript import NO_WORK, Outcome, Step, StepKind
from refloat.model.triage import ActionOutcome, DoNotRepeat, Finding, FindingVerdict, StillOpen

VERIFIED, RECORDED, UNKNOWN = Confidence.VERIFIED, Confidence.RECORDED, Confidence.UNKNOWN
STANDING: Final = frozenset({FileState.PRESENT, FileState.CHANGED_SINCE, FileState.MOVED})
_PROBLEMS_SHOWN: Final = 5
_ENDED: Final = frozenset({Outcome.OK, Outcome.ERROR})


def established(facts: Facts) -> Iterator[Line]:
    """Edits held against the disk, commits, checks that still speak of this tree, actions that were done."""
    for file in facts.checkout.files:
        if _is_settled(file) and not _is_moved(facts, "edit", path=file.path):
            yield from _edited(facts, file)
    for finding in facts.triage.saved:
        if finding.kind == "commit" and finding.key not in facts.answers.moved:
            yield _commit(facts, finding)
    for last in facts.last_checks:
        if _is_moved(facts, "check", step=last.run.step, subagent=last.subagent):
            continue
        if last.run.proved and last.run.freshness is Freshness.CURRENT and last.run.outcome in _ENDED:
            text = f"{_run_words(facts, last)}, and no file changed after it"
            yield line(text, RECORDED, 84, own_steps([last.run.step], last.subagent))
    for action in facts.triage.do_not_repeat:
        if action.outcome is ActionOutcome.DONE and not is_moved_action(facts, action):
            yield _done(facts, action)
    yield from _moved_findings(facts, "saved")


def _is_settled(file: EditedFile) -> bool:
    """Whether what is told of a file is established: its edit stands, or none was ever applied."""
    return file.state in STANDING or all(edit.fate is Fate.NEVER_APPLIED for edit in file.edits)


def _is_moved(
    facts: Facts,
    kind: str,
    *,
    path: str | None = None,
    step: int | None = None,
    subagent: str | None = None,
    part: int = 0,
) -> bool:
    """Whether a person put the finding of a file or a step on another pile: then their word stands in its place."""
    moved = facts.answers.moved
    return bool(moved) and any(
        row.kind == kind
        and row.key in moved
        and (
            path in row.files
            if path is not None
            else step in row.steps and row.subagent == subagent and row.part == part
        )
        for row in (*facts.triage.saved, *facts.triage.gone)
    )


def is_moved_action(facts: Facts, action: DoNotRepeat) -> bool:
    """Whether a person put the finding of an action outside on another pile."""
    return _is_moved(facts, "external", step=action.step, subagent=action.subagent, part=action.part)


def _edited(facts: Facts, file: EditedFile) -> Iterator[Line]:
    steps = tuple(dict.fromkeys(edit.step for edit in file.edits if edit.subagent is None))
    helpers = sorted({edit.subagent for edit in file.edits if edit.subagent is not None})
    path = facts.quote.code(file.path)
    by = f", edited by sub-agent {facts.quote.codes(helpers)}" if helpers else ""
    if all(edit.fate is Fate.NEVER_APPLIED for edit in file.edits) and file.edits:
        yield line(f"{path}: {FATE_WORDS[Fate.NEVER_APPLIED]} ({facts.quote.words(file.why)})", RECORDED, 45, steps)
        return
    if file.state is FileState.UNVERIFIABLE:
        return
    text = f"{path}: {_state_words(facts, file)}{_where(facts, file)}{by}"
    keep = 86 if file.state in STANDING else 88
    yield line(text, VERIFIED, keep, steps)


def _state_words(facts: Facts, file: EditedFile) -> str:
    what = "the recorded deletion" if file.recorded == "deleted" else "the recorded edit"
    why = f" ({facts.quote.words(file.why, 120)})" if file.why else ""
    doubt = "" if file.confirmed else ", though its result was never recorded"
    match file.state:
        case FileState.PRESENT:
            return f"{what} stands on disk{doubt}"
        case FileState.CHANGED_SINCE:
            return f"{what} stands, and something else changed in the file too{why}{doubt}"
        case FileState.PARTLY:
            return f"{what} stands in part only{why}{doubt}"
        case FileState.REVERTED:
            return f"{what} does not stand: the file is as it was before{doubt}"
        case FileState.DIVERGED:
            because = f": {facts.quote.words(file.why, 120)}" if file.why else ", and neither is what was before it"
            lost = any(edit.fate is Fate.LOST for edit in file.edits)
            return f"{what} is {FATE_WORDS[Fate.LOST] if lost else 'not on disk'}{because}{doubt}"
        case FileState.DELETED:
            return f"the file is gone from disk, and the session did not delete it{doubt}"
        case FileState.MOVED:
            return f"{what} stands at another path{doubt}"
        case FileState.UNVERIFIABLE:
            return f"cannot be compared{why}"
        case _:
            assert_never(file.state)


_FROM: Final = "its content can still be had from"


def _where(facts: Facts, file: EditedFile) -> str:
    commits = dict.fromkeys(short(edit.commit) for edit in file.edits if edit.fate is Fate.COMMITTED and edit.commit)
    parts = [f"{FATE_WORDS[Fate.COMMITTED]} in {', '.join(commits)}"] if commits else []
    if any(edit.fate is Fate.UNCOMMITTED for edit in file.edits):
        parts.append("uncommitted")
    parts += (
        f"{step_words(edit.step, edit.subagent)} was {facts.quote.words(fate_words(edit))}"
        for edit in file.edits
        if edit.fate is Fate.REPLACED and edit.by and not edit.by.startswith("step ")
    )
    takers = dict.fromkeys(
        edit.by for edit in file.edits if edit.fate in {Fate.REVERTED, Fate.LOST} and edit.by and edit.by != TAKEN_BACK
    )
    parts += [f"{TAKEN_BY} {', '.join(facts.quote.words(name) for name in takers)}"] if takers else []
    elsewhere = [place for place in file.found_in if not _is_obvious(file, place)]
    if elsewhere:
        safe = any(place.where in SAVED_PLACES for place in elsewhere)
        verb = "its content stands in" if safe else _FROM
        verb = "also found in" if file.state in STANDING else verb
        way = f" (`{salvage_line(facts.session.ref)}`)" if verb == _FROM else ""
        parts.append(f"{verb} {', '.join(_place_words(facts, place) for place in elsewhere[:3])}{way}")
    return "".join(f"; {part}" for part in parts)


def _is_obvious(file: EditedFile, place: FoundIn) -> bool:
    """The file itself, or the commit that was told already."""
    return file.state in STANDING and place.path in {file.path, None} and place.where in SAVED_PLACES


def _place_words(facts: Facts, place: FoundIn) -> str:
    if place.where is PlaceKind.RECORD:
        at = f", {facts.quote.words(place.ref, 40)}" if place.ref else ""
        return f"the record{at}{f' of {facts.quote.code(place.path)}' if place.path else ''}"
    words = [PLACE_WORDS[place.where]]
    words += [facts.quote.code(part) for part in (place.ref, place.path) if part]
    if place.commit:
        words.append(f"at {short(place.commit)}")
    return " ".join(words)


def _commit(facts: Facts, finding: Finding) -> Line:
    where = finding.where
    on = f" on {facts.quote.code(where.ref)}" if where and where.ref else ""
    which = f"Commit {short(where.commit)}" if where and where.commit else "A commit"
    sure = VERIFIED if finding.verdict is FindingVerdict.CONFIRMED else RECORDED
    steps = own_steps(finding.steps, finding.subagent)
    return line(f"{which}{on}: {facts.quote.code(finding.what)}", sure, 78, steps)


def _lost_commit(facts: Facts, finding: Finding) -> Line:
    text = f"Commit {facts.quote.code(finding.what)}: {lost_commit_words(facts, finding)}"
    return line(text, VERIFIED, 87, own_steps(finding.steps, finding.subagent))


def lost_commit_words(facts: Facts, finding: Finding) -> str:
    """Why a commit counts as lost, and what shows its content where something does."""
    sha = next((place.commit for place in finding.recoverable_from if place.commit), None)
    look = f": {facts.quote.code(f'git show {sha[:12]}')} shows it" if sha else ""
    return f"{facts.quote.words(finding.why or 'it stands on no branch')}{look}"


def _done(facts: Facts, action: DoNotRepeat) -> Line:
    times = f", {counted(action.times, 'time')}" if action.times > 1 else ""
    inside = "" if action.subagent is None else f" ({step_words(action.step, action.subagent)})"
    text = f"Done outside the checkout{times}, do not repeat: {facts.quote.code(action.action)}{inside}"
    return line(text, RECORDED, 82, own_steps([action.step], action.subagent))


def _moved_findings(facts: Facts, pile: str) -> Iterator[Line]:
    """Findings that a person put on another pile."""
    if not facts.answers.moved:
        return
    found = {row.key: (name, row) for name, rows in _piles(facts) for row in rows}
    for key, (where, reason) in facts.answers.moved.items():
        if (where == "saved") == (pile == "saved"):
            told = f": {facts.quote.words(reason)}" if reason else ""
            if key not in found:
                yield said(facts, f"moved {key}", f"{facts.quote.code(key)} is {where}{told}", 85)
                continue
            name, row = found[key]
            steps = f" ({', '.join(step_words(step, row.subagent) for step in row.steps[:6])})" if row.steps else ""
            why = f" ({facts.quote.words(row.why, 160)})" if row.why else ""
            text = f"{facts.quote.code(row.what)}{steps} is {where}{told}; the evidence alone says {name}{why}"
            yield said(facts, f"moved {key}", text, 85, own_steps(row.steps, row.subagent))


def _piles(facts: Facts) -> tuple[tuple[str, tuple[Finding, ...]], ...]:
    return (("saved", facts.triage.saved), ("claimed", facts.triage.claimed), ("gone", facts.triage.gone))


# ── checks ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def _run_words(facts: Facts, last: LastRun) -> str:
    run = last.run
    code = f" (exit code {run.exit_code})" if run.exit_code is not None else ""
    head = f" at HEAD {short(run.head)}" if run.head else ""
    inside = f" in sub-agent {last.subagent}" if last.subagent else ""
    ended = _OUTCOME_WORDS[run.outcome] if run.proved or run.outcome is Outcome.DANGLING else "ended"
    note = f" ({facts.quote.words(run.note)})" if run.note else ""
    return f"{facts.quote.code(last.command)} {ended}{code}{head}{inside}{note}{failure_words(facts, last)}"


def failure_words(facts: Facts, last: LastRun) -> str:
    """What failed, by the check's own summary; "" where it passed or its output names nothing."""
    if last.run.outcome is not Outcome.ERROR:
        return ""
    step = facts.step(last.run.step, last.subagent)
    told = what_failed(step.output) if step is not None else ""
    return f"; its output says {facts.quote.code(told)}" if told else ""


_OUTCOME_WORDS: Final = {
    Outcome.OK: "passed",
    Outcome.ERROR: "failed",
    Outcome.DENIED: "was refused and never ran",
    Outcome.INTERRUPTED: "was interrupted",
    Outcome.DANGLING: "has no recorded result",
}


# ── uncertain ────────────────────────────────────────────────────────────────────────────────────────────────────────


def uncertain(facts: Facts) -> Iterator[Line]:
    """What nobody may take for done: open steps, unknown outside actions, lost edits, stale checks, claims."""
    for action in facts.triage.inspect:
        if not is_moved_action(facts, action):
            yield from _unknown_action(facts, action)
    told = {(action.step, action.subagent) for action in facts.triage.inspect}
    for step in open_steps(facts):
        if (step.n, step.subagent) in told and step.kind is StepKind.EXTERNAL:
            continue
        if not _is_moved(facts, "dangling", step=step.n, subagent=step.subagent):
            yield _open_step(facts, step)
    for file in facts.checkout.files:
        if _is_moved(facts, "edit", path=file.path):
            continue
        yield from _doubtful_file(facts, file)
        if not _is_settled(file):
            yield from _edited(facts, file)
    for finding in facts.triage.gone:
        if finding.kind == "commit" and finding.key not in facts.answers.moved:
            yield _lost_commit(facts, finding)
    for last in facts.last_checks:
        kind = "dangling" if last.run.outcome is Outcome.DANGLING else "check"
        if not _is_moved(facts, kind, step=last.run.step, subagent=last.subagent):
            yield from _doubtful_check(facts, last)
    yield from _claims(facts)
    for work in facts.triage.still_open:
        yield _still_open(facts, work)
    yield from _approvals(facts)
    yield from _unread(facts)
    yield from _moved_findings(facts, "not saved")


def open_steps(facts: Facts) -> list[Step]:
    """Steps that may have changed something and whose end nobody recorded, sub-agents' included: what triage sorts."""
    return [
        step
        for step in facts.every_step
        if not step.superseded
        and step.kind not in NO_WORK
        and (
            step.outcome is Outcome.DANGLING
            or step.shutdown
            or (step.effects_unknown and step.outcome is not Outcome.OK)
        )
    ]


def _unknown_action(facts: Facts, action: DoNotRepeat) -> Iterator[Line]:
    where = step_words(action.step, action.subagent)
    steps = own_steps([action.step], action.subagent)
    command = facts.quote.code(action.action)
    if action.key in facts.answers.inspected:
        verdict, note = facts.answers.inspected[action.key]
        told = f" ({facts.quote.words(note)})" if note else ""
        question = f"inspected {action.key}"
        yield said(facts, question, f"{command}: {_INSPECTED.get(verdict, verdict)}{told}", 97, steps)
        return
    times = f" after {counted(action.times, 'attempt')}" if action.times > 1 else ""
    look = f" Look first: {facts.quote.code(shlex.join(action.probe))}" if action.probe else ""
    if action.no_look:
        look = f" No look from here can tell: {facts.quote.words(action.no_look)}"
    yield line(
        f"Outcome unknown{times}, {where}: {command}. Do not repeat it before looking.{look}", UNKNOWN, 97, steps
    )


_INSPECTED: Final = {
    "happened": "it happened: do not repeat it",
    "did_not_happen": "it did not happen",
    "unknown": "still unknown whether it happened",
}


def _open_step(facts: Facts, step: Step) -> Line:
    where = step_words(step.n, step.subagent)
    what = facts.quote.code(summary_of(facts, step))
    how = "was cut off and may have run in part" if step.outcome is not Outcome.DANGLING else "has no recorded result"
    if is_made_output(step.output):
        how = "was interrupted and closed by a repair; its outcome is unknown"
    if step.kind is StepKind.EDIT:
        tail = "whether it was applied is told by the disk alone: look at the file before editing it again"
    elif step.kind is StepKind.CHECK:
        tail = "it neither passed nor failed"
    elif step.kind is StepKind.SUBAGENT:
        tail = "what it found was never reported"
    else:
        tail = "unknown whether and how far it ran"
    return line(f"{what} ({step.kind}, {where}) {how}: {tail}", UNKNOWN, 90, own_steps([step.n], step.subagent))


def _doubtful_file(facts: Facts, file: EditedFile) -> Iterator[Line]:
    steps = tuple(dict.fromkeys(edit.step for edit in file.edits if edit.subagent is None))
    if file.state is FileState.UNVERIFIABLE and not all(e.fate is Fate.NEVER_APPLIED for e in file.edits):
        why = facts.quote.words(file.why) or "the record does not hold enough"
        yield line(f"{facts.quote.code(file.path)} was edited and cannot be compared: {why}", UNKNOWN, 76, steps)


def _doubtful_check(facts: Facts, last: LastRun) -> Iterator[Line]:
    run = last.run
    if run.proved and (run.outcome is Outcome.DANGLING or run.freshness is Freshness.CURRENT):
        return
    if not run.proved and run.freshness is not Freshness.STALE:
        text = f"Not proved: {_run_words(facts, last)}"
    elif run.freshness is Freshness.STALE:
        because = facts.quote.words(run.stale_because or "a file changed after it")
        text = f"Stale: {_run_words(facts, last)}; since then {because}"
    else:
        text = f"{_run_words(facts, last)}; it is unknown which tree it saw"
    yield line(text, RECORDED, 83, own_steps([run.step], last.subagent))


_CLAIMED: Final = {
    FindingVerdict.UNSUPPORTED: "Claimed without evidence",
    FindingVerdict.CONTRADICTED: "Claimed, and the record contradicts it",
    FindingVerdict.STALE: "Claimed, and stale",
    FindingVerdict.CONFIRMED: "Claimed, and confirmed",
    FindingVerdict.RECORDED: "Claimed, and recorded",
    FindingVerdict.LOST: "Claimed, and lost",
}


def _claims(facts: Facts) -> Iterator[Line]:
    for finding in facts.triage.claimed:
        if finding.key in facts.answers.moved:
            continue
        item = f" (history item {finding.message})" if finding.message else ""
        kind = (finding.claim or finding.kind).replace("_", " ")
        said = f"{_CLAIMED[finding.verdict]} ({kind}): {facts.quote.code(finding.what)}{item}"
        text = f"{said}; {facts.quote.words(finding.why)}"
        yield line(text, RECORDED, 74, own_steps(finding.steps, finding.subagent))
    plan = facts.story.plan
    done = [text for text, status in plan.entries if status == "completed"] if plan else []
    if plan and done:
        yield line(
            f"The agent's own plan calls these completed, which is its word alone: {facts.quote.codes(done)}",
            RECORDED, 55, [plan.step],
        )  # fmt: skip


_RUNNING: Final = {True: "still running", False: "no longer running", None: "unknown whether it still runs"}


def _still_open(facts: Facts, work: StillOpen) -> Line:
    kind = work.kind.replace("_", " ")
    steps = [work.step] if work.step else []
    if work.kind == "queued_prompt":
        return line(f"A queued prompt never reached the agent:{facts.quote.quote(work.what, 300)}", RECORDED, 73, steps)
    pid = f" (process {work.pid})" if work.pid else ""
    sure = UNKNOWN if work.running is None else VERIFIED
    why = f" ({facts.quote.words(work.why)})" if work.why else ""
    output = f"; its output lies in {facts.quote.code(work.output)}" if work.output else ""
    text = f"Left open: {kind} {facts.quote.code(work.what)}{pid}, {_RUNNING[work.running]}{why}{output}"
    return line(text, sure, 72, steps)


def _approvals(facts: Facts) -> Iterator[Line]:
    for step in facts.every_step:
        if step.outcome is Outcome.DENIED and not step.superseded:
            where = step_words(step.n, step.subagent)
            text = f"The user refused {facts.quote.code(step.summary)} ({where}): ask before doing it"
            yield line(text, RECORDED, 66, own_steps([step.n], step.subagent))
    if facts.session.steps:
        yield line("Approvals given in that session do not carry over: ask again", RECORDED, 65)


def _unread(facts: Facts) -> Iterator[Line]:
    problems = facts.session.transcript.problems
    if not problems:
        return
    places = "; ".join(
        (f"line {row.line}: " if row.line else "") + facts.quote.words(row.what, 80)
        for row in problems[:_PROBLEMS_SHOWN]
    )
    left = len(problems) - _PROBLEMS_SHOWN
    more = f"; and {left} more" if left > 0 else ""
    yield line(
        f"{counted(len(problems), 'place')} of the transcript could not be read ({places}{more}): "
        "what stood there is not in this brief",
        VERIFIED, 68,
    )  # fmt: skip
