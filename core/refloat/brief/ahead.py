"""The sections "Next step" and "Done when"."""

import re
import shlex
from collections.abc import Iterator
from typing import Final

from refloat.brief.evidence import STANDING, failure_words, is_moved_action, lost_commit_words, open_steps
from refloat.brief.facts import Facts, line, own_steps, said, step_words
from refloat.brief.previous import operation_words
from refloat.model.brief import Confidence, Line
from refloat.model.checkout import (
    SAVED_PLACES,
    EditedFile,
    EditFate,
    Fate,
    FileState,
    Freshness,
    Operation,
    PlaceKind,
)
from refloat.model.session import State
from refloat.model.transcript import Outcome, StepKind

VERIFIED, RECORDED, UNKNOWN = Confidence.VERIFIED, Confidence.RECORDED, Confidence.UNKNOWN
_TOP: Final = 1_000
"""The next step is never left out."""


def next_step(facts: Facts) -> Line:
    """The one thing to do first: a person's word, else the first doubt that must be cleared, else the work itself."""
    if facts.answers.next_step:
        return said(facts, "next_step", facts.quote.words(facts.answers.next_step, 600), _TOP)
    for find in (_liveness, _operation, _outside, _unconfirmed, _lost, _lost_commit, _stashed, _check, _open, _plan):
        if (found := find(facts)) is not None:
            return found
    return _ask(facts)


def _liveness(facts: Facts) -> Line | None:
    session = facts.session
    pids = sorted({fact.pid for fact in session.liveness.evidence if fact.pid})
    which = f" (process {', '.join(map(str, pids))})" if pids else ""
    if session.state is State.LIVE:
        return line(f"Go to the running session{which} and work there: it must not get a second writer", VERIFIED, _TOP)
    if session.state is State.UNRESOLVED:
        return line(
            f"Find out whether a process{which} still owns the session, and end it or go to it: "
            f"{facts.quote.code('refloat status ' + shlex.quote(session.ref))} lists the evidence",
            UNKNOWN, _TOP,
        )  # fmt: skip
    return None


_FINISH: Final = {
    "rebase": "`git rebase --continue`, or take it back with `git rebase --abort`",
    "merge": "`git merge --continue`, or take it back with `git merge --abort`",
    "cherry_pick": "`git cherry-pick --continue`, or take it back with `git cherry-pick --abort`",
    "revert": "`git revert --continue`, or take it back with `git revert --abort`",
    "am": "`git am --continue`, or take it back with `git am --abort`",
    "bisect": "`git bisect reset` once its answer is written down",
    "conflicts": "`git status` names each place",
    "index_lock": "make sure that no git process runs here, then remove the lock",
}


def _operation(facts: Facts) -> Line | None:
    operation: Operation | None = facts.checkout.operation
    if operation is None:
        return None
    words = operation_words(facts, operation)
    return line(f"Finish what is under way in the checkout first: {words}. {_FINISH[operation.kind]}", VERIFIED, _TOP)


def _outside(facts: Facts) -> Line | None:
    for action in facts.triage.inspect:
        if is_moved_action(facts, action):
            continue
        if facts.answers.inspected.get(action.key, ("unknown", ""))[0] != "unknown":
            continue
        how = f": {facts.quote.code(shlex.join(action.probe))}" if action.probe else ""
        how = f" ({facts.quote.words(action.no_look)})" if action.no_look else how
        where = step_words(action.step, action.subagent)
        text = f"Look whether {facts.quote.code(action.action)} ({where}) happened, before anything repeats it{how}"
        if rest := list(_after_look(facts)):
            text += f". Then: {'; '.join(rest)}"
        return line(text, UNKNOWN, _TOP, own_steps([action.step], action.subagent))
    return None


def _after_look(facts: Facts) -> Iterator[str]:
    """What waits behind the look at an effect outside: lost edits and failed checks, named in short."""
    lost = [file.path for file in facts.checkout.files if _lost_edits(facts, file)]
    if lost:
        yield f"decide about the lost edit of {facts.quote.codes(lost, 3)}"
    failed = [last for last in facts.last_checks if last.run.outcome is Outcome.ERROR and last.run.proved]
    if failed:
        again = "mend what" if failed[-1].run.freshness is Freshness.CURRENT else "run again"
        what = facts.quote.code(failed[-1].command)
        yield f"{again} {what} found" if again == "mend what" else f"{again} {what}, which failed"


def _unconfirmed(facts: Facts) -> Line | None:
    files = [file for file in facts.checkout.files if not file.confirmed]
    if not files:
        return None
    steps = tuple(
        dict.fromkeys(e.step for file in files for e in file.edits if e.fate is Fate.UNCONFIRMED and not e.subagent)
    )
    there = [file for file in files if file.state in STANDING]
    paths = facts.quote.codes([file.path for file in there or files], 3)
    if there:
        text = f"Read {paths} on disk: the last edit stands there, though never recorded. Keep it if it is whole"
    else:
        text = f"Read {paths} on disk: the last edit has no recorded result and does not stand there whole"
    return line(text, VERIFIED, _TOP, steps)


def _lost(facts: Facts) -> Line | None:
    lost = [(file, edits) for file in facts.checkout.files if (edits := _lost_edits(facts, file))]
    if not lost:
        return None
    file, edits = lost[0]
    step = facts.step(edits[-1].step, edits[-1].subagent)
    ref = facts.session.ref if edits[-1].subagent is None else f"{facts.session.ref}/{edits[-1].subagent}"
    look = ""
    if step and step.item:
        command = f"refloat history {shlex.quote(ref)} --from {step.item} --to {step.item} --full"
        look = f": {facts.quote.code(command)} shows what it was"
    more = f" (and {len(lost) - 1} more)" if len(lost) > 1 else ""
    was = "is back to what it was" if file.state is FileState.REVERTED else "no longer holds the edit"
    text = f"Decide about the lost edit of {facts.quote.code(file.path)}{more}: the file {was}{look}"
    return line(text, VERIFIED, _TOP, own_steps((edit.step for edit in edits), edits[-1].subagent))


def _lost_edits(facts: Facts, file: EditedFile) -> list[EditFate]:
    """The edits of a file that nobody meant to lose: lost ones, and reverted ones that triage calls gone.

    A session that ended well and took its own edit back meant it.
    """
    gone = any(found.kind == "edit" and file.path in found.files for found in facts.triage.gone)
    ended = facts.session.state is State.STOPPED
    return [
        edit
        for edit in file.edits
        if edit.fate is Fate.LOST
        or (edit.fate is Fate.REVERTED and gone and not (ended and edit.by and edit.by.startswith("step ")))
    ]


def _lost_commit(facts: Facts) -> Line | None:
    found = next((row for row in facts.triage.gone if row.kind == "commit"), None)
    if found is None:
        return None
    step = step_words(found.steps[0], found.subagent)
    text = f"Decide about the commit {facts.quote.code(found.what)} ({step}), {lost_commit_words(facts, found)}"
    return line(text, VERIFIED, _TOP, own_steps(found.steps, found.subagent))


def _stashed(facts: Facts) -> Line | None:
    for file in facts.checkout.files:
        saved = [place for place in file.found_in if place.where in SAVED_PLACES]
        if file.state in STANDING or not saved or any(place.where is not PlaceKind.STASH for place in saved):
            continue
        place = saved[0]
        paths = [
            other.path
            for other in facts.checkout.files
            if other.state not in STANDING and any(p.commit == place.commit for p in other.found_in)
        ]
        look = facts.quote.code(f"git stash show -p --include-untracked {(place.commit or '')[:12]}".rstrip())
        where = facts.quote.code(place.ref or "a stash")
        text = f"Decide about the work on {facts.quote.codes(paths, 3)} that stands in {where} only: {look} shows it"
        return line(text, VERIFIED, _TOP)
    return None


def _check(facts: Facts) -> Line | None:
    runs = facts.last_checks
    for wanted in (Outcome.DANGLING, Outcome.INTERRUPTED):
        for last in runs:
            if last.run.outcome is wanted:
                text = f"Run {facts.quote.code(last.command)}: its last run has no result"
                return line(text, RECORDED, _TOP, own_steps([last.run.step], last.subagent))
    for last in reversed(runs):
        if last.run.outcome is Outcome.ERROR and last.run.freshness is Freshness.CURRENT:
            code = f" with exit code {last.run.exit_code}" if last.run.exit_code is not None else ""
            what = failure_words(facts, last)
            text = f"Mend what {facts.quote.code(last.command)} found: it failed{code} on this very tree{what}"
            return line(text, RECORDED, _TOP, own_steps([last.run.step], last.subagent))
    for last in reversed(runs):
        if not last.run.proved:
            text = f"Run {facts.quote.code(last.command)} again: nothing says whether it passed"
            return line(text, RECORDED, _TOP, own_steps([last.run.step], last.subagent))
        if last.run.freshness is not Freshness.CURRENT and last.run.outcome in {Outcome.OK, Outcome.ERROR}:
            because = facts.quote.words(last.run.stale_because or "it is unknown which tree it saw")
            text = f"Run {facts.quote.code(last.command)} again: its last run does not speak of this tree ({because})"
            return line(text, RECORDED, _TOP, own_steps([last.run.step], last.subagent))
    return None


def _open(facts: Facts) -> Line | None:
    turn = facts.story.summary.turns
    steps = [
        step for step in open_steps(facts) if step.kind is not StepKind.EDIT and (step.turn == turn or step.subagent)
    ]
    if not steps:
        return None
    step = steps[-1]
    where = step_words(step.n, step.subagent)
    text = f"Look how far {facts.quote.code(step.summary)} ({where}) came: it has no recorded end"
    return line(text, UNKNOWN, _TOP, own_steps([step.n], step.subagent))


def _plan(facts: Facts) -> Line | None:
    plan = facts.story.plan
    rows = open_entries(facts)
    if plan is None or not rows:
        return None
    text, status = next((row for row in rows if row[1] == "in_progress"), rows[0])
    begun = "was in progress" if status == "in_progress" else "was not begun"
    return line(
        f"Go on with the agent's plan; this entry {begun}:{facts.quote.quote(text, 300)}", RECORDED, _TOP, [plan.step]
    )


def _ask(facts: Facts) -> Line:
    asks = facts.asks
    if not asks:
        return line("Ask for what is wanted: nothing was ever asked of this session", RECORDED, _TOP)
    quoted = f"(history item {asks[-1].n}):{facts.quote.quote(asks[-1].text or '', 400)}"
    if facts.session.state is State.STOPPED and facts.story.summary.ending.turn == "completed":
        return line(
            f"Nothing is left open in the record: check the outcome against the last ask {quoted}", RECORDED, _TOP
        )
    return line(f"Go on with the last ask {quoted}", RECORDED, _TOP)


def open_entries(facts: Facts) -> list[tuple[str, str]]:
    """Entries of the agent's last plan that it does not call completed."""
    plan = facts.story.plan
    return [row for row in plan.entries if row[1] != "completed"] if plan else []


# ── done when ────────────────────────────────────────────────────────────────────────────────────────────────────────

NOT_STATED: Final = "[to be filled in: no ask says when the work is done]"
"""The placeholder; nothing is inferred to fill it."""

_CRITERION: Final = re.compile(
    r"""\b(?:done|finished|complete)\s+(?:when|once|if|as\ soon\ as)\b
    |\bacceptance\ (?:criteria|criterion|tests?)\b|\bdefinition\ of\ done\b|\bDoD\b
    |\bsuccess\ (?:criteria|criterion|means)\b|\bexit\ criteria\b
    |\bmake\ sure\ .*\b(?:pass|passes|green|works)\b
    |\b(?:tests?|lint|types?|build|ci)\b.{0,40}\bmust\ (?:be\ green|pass|succeed|stay\ green)\b
    |\bfertig,?\ (?:wenn|sobald)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_HINTS: Final = (
    "done", "finished", "complete", "acceptance", "dod", "success", "exit criteria", "make sure", "must", "fertig",
)  # fmt: skip
"""One of these stands in whatever it matches, where all letters are of ASCII."""
_SENTENCE_END: Final = re.compile(r"[.!?]\s+(?=[A-Z])")
_BULLET: Final = re.compile(r"\s*(?:[-*+•]|\d+[.)]|\[[ x]\])\s+")


def done_when(facts: Facts) -> Iterator[Line]:
    """The criteria that a person stated, word for word, and what the agent's plan leaves open."""
    if facts.answers.done_when is not None:
        for text in facts.answers.done_when:
            yield said(facts, "done_when", facts.quote.words(text, 600), 94)
        return
    stated = False
    for item in facts.asks:
        if criteria := find_criteria(item.text or ""):
            stated = True
            yield line(f"As asked (history item {item.n}):{facts.quote.quote(criteria)}", RECORDED, 93)
    if not stated:
        yield line(NOT_STATED, UNKNOWN, 92)
    plan = facts.story.plan
    if plan and (rows := open_entries(facts)):
        texts = [f"{text} ({status.replace('_', ' ')})" for text, status in rows]
        yield line(f"Open in the agent's own plan: {facts.quote.codes(texts)}", RECORDED, 58, [plan.step])


def find_criteria(ask: str) -> str:
    """The lines of an ask that say when the work is done, with the list that follows such a line; "" for none."""
    low = ask.lower()
    if ask.isascii() and not any(hint in low for hint in _HINTS):
        return ""
    kept: list[str] = []
    in_list = False
    for row in ask.splitlines():
        if _CRITERION.search(row):
            kept.append(_from_criterion(row))
            in_list = row.rstrip().endswith(":") or row.lstrip().startswith("#") or len(row.split()) <= 4
        elif in_list and (_BULLET.match(row) or not row.strip()):
            kept.append(row)
        else:
            in_list = False
    return "\n".join(row for row in kept if row.strip())


def _from_criterion(row: str) -> str:
    """A line from the first sentence on that says when the work is done; whole where no single sentence says it."""
    begins = [0, *(match.end() for match in _SENTENCE_END.finditer(row))]
    ends = [*begins[1:], len(row)]
    first = next((a for a, b in zip(begins, ends, strict=True) if _CRITERION.search(row[a:b])), 0)
    return row[first:]
