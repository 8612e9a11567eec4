"""`status`, `recap` and `history` for a person."""

from collections.abc import Iterable, Iterator
from shlex import quote
from typing import Final

from refloat.model.attempts import Standing
from refloat.model.fate_words import salvage_line
from refloat.model.repaired import is_made_output
from refloat.model.session import Session, State
from refloat.model.status import NextOperation, Operation, Recap, Status
from refloat.model.transcript import Item, Outcome, Step, StepKind
from refloat.text import UNTITLED, inert, one_line
from refloat_tui.cli.show.table import columns, counted, labelled, seconds, section, shorten
from refloat_tui.present.recovered import recovered_words, unfinished_words

_SIGN = {
    Outcome.OK: "ok",
    Outcome.ERROR: "failed",
    Outcome.DENIED: "denied",
    Outcome.INTERRUPTED: "interrupted",
    Outcome.DANGLING: "no result",
}


def step_line(step: Step, root: str | None = None) -> str:
    """`step 31  check  pytest -q → failed, exit 1`; a path below `root` without it."""
    exit_code = f", exit {step.exit_code}" if step.exit_code is not None else ""
    unknown = ", effects unknown" if step.effects_unknown else ""
    if is_made_output(step.output):
        unknown = ", interrupted and closed by a repair"
    who = f" ({step.subagent})" if step.subagent else ""
    what = one_line(step.summary.removeprefix(f"{root}/") if root and step.command is None else step.summary)
    return f"step {step.n}{who}  {step.kind}  {what} → {_SIGN[step.outcome]}{exit_code}{unknown}"


_OPERATIONS: Final[dict[Operation, str]] = {
    "attach": "go to where it runs",
    "resolve_liveness": "find out whether it still runs",
    "continue": "continue it",
    "new_linked": "start a new session with the brief",
    "prompt": "ask it something",
}

_AGAINST: Final = 3
"""So many claims that the record contradicts a recap tells, the last ones."""


def _words(name: str) -> str:
    return name.replace("_", " ")


def status_lines(status: Status, width: int) -> Iterator[str]:
    """State, next step, evidence, open steps."""
    session, then = status.session, status.next
    root = session.worktree or session.workspace
    yield from labelled(session.state.upper(), session.title or UNTITLED, width, 12)
    yield from labelled("session", f"{session.name}  {_counts(session)}", width, 12)
    yield from labelled("workspace", f"{session.workspace or 'not recorded'}{_where(session)}", width, 12)
    if session.last_activity_at:
        yield from labelled("last seen", seconds(session.last_activity_at), width, 12)
    if session.failure:
        yield from labelled("failure", seconds(f"{_words(session.failure.kind)}: {session.failure.detail}"), width, 12)
    if session.activity:
        yield from labelled("activity", _words(session.activity), width, 12)
    if session.kept:
        gone = "the agent's own files are gone, this is read from Refloat's copy" if session.kept.original_gone else ""
        yield from labelled("kept", f"{seconds(session.kept.at)}{f'; {gone}' if gone else ''}", width, 12)
    if session.superseded_by:
        yield from labelled("goes on in", session.superseded_by, width, 12)
    if status.standing is not None:
        yield from labelled("attempt", _attempt_words(status.standing, repaired=session.repaired), width, 12)
    if status.unfinished is not None:
        told = f"its recovery, {unfinished_words(status.unfinished, seconds)}"
        yield from labelled("open", told, width, 12)
    if status.recovered is not None:
        yield from labelled("recovered", recovered_words(status.recovered, seconds), width, 12)
    yield from labelled("next", _next_words(status), width, 12)
    yield from _command_lines(then, width)
    yield from labelled("", then.why, width, 12)
    if (guarded := then.guarded(session.name)) is not None:
        yield from labelled("", f"`{_joined(guarded)}` does it, and lets no second writer in", width, 12)
    evidence = [
        (fact.kind, seconds(f"{fact.detail}{f' [{fact.at}]' if fact.at else ''}")) for fact in session.liveness.evidence
    ]
    rows = [line for kind, detail in evidence for line in labelled(f"  {_words(kind)}", detail, width, 18)]
    yield from section(f"EVIDENCE (process: {session.liveness.verdict})", rows)
    if status.pending_request:
        waits = status.pending_request
        yield from section("WAITS FOR", labelled(f"  {waits.kind}", f"step {waits.step}: {waits.text}", width, 12))
    yield from section("OPEN STEPS", list(_open_lines(status, root, width)))
    if status.last_completed_step:
        yield from section("LAST COMPLETED", ["  " + shorten(step_line(status.last_completed_step, root), width - 2)])
    agents = [(agent.id, agent.state, counted(agent.dangling, "open call")) for agent in session.subagents]
    yield from section("SUB-AGENTS", columns(agents, width))
    yield from section("COULD NOT BE READ", list(_problem_lines(session, width)))


def _open_lines(status: Status, root: str | None, width: int) -> Iterator[str]:
    """Steps that may have changed something, one a line; of those that only looked, which triage leaves out, where."""
    work = status.open_work
    yield from ("  " + shorten(step_line(step, root), width - 2) for step in work)
    looks = [step for step in status.open_steps if step not in work]
    if looks:
        where = "step " if len(looks) == 1 else "steps "
        where += ", ".join(str(step.n) for step in looks)
        yield f"  {shorten(f'only looked: {where}; nothing is lost with what has no result', width - 2)}"


def _next_words(status: Status) -> str:
    then = status.next
    if then.operation == "attach" and then.command is None:
        return "leave it to where it runs"
    if then.operation == "resolve_liveness" and then.command is None and status.session.state is not State.UNRESOLVED:
        return "finish what is under way there, or take it over"
    words = _OPERATIONS[then.operation]
    return f"finish its recovery, then {words}" if status.recovery_first else words


def _command_lines(then: NextOperation, width: int) -> Iterator[str]:
    """The exact command."""
    if then.command:
        yield f"{'':12}$ {_joined(then.command)}"  # whole, however wide: it is there to be copied
    if then.command and then.operation == "new_linked" and then.workspace is not None:
        writes = "starts it with that brief" if "--brief" in then.command else "writes the brief, starts it with that"
        yield from labelled("", f"{writes}, and lets no second writer in", width, 12)


def _joined(command: Iterable[str]) -> str:
    return " ".join(_quoted(word) for word in command)


def _attempt_words(standing: Standing, *, repaired: bool) -> str:
    chain = standing.chain
    if repaired and chain.parent:
        words = [f"a repaired copy of {chain.parent}"]
    else:
        words = [f"{chain.n} of {chain.of}"]
        words += [f"started from {chain.parent}"] if chain.parent else []
    words += [f"continued by {chain.continued_by}"] if chain.continued_by else []
    if chain.newest not in {chain.continued_by, chain.parent} and chain.following is not None:
        words.append(f"the newest is {chain.newest}")
    return ", ".join(words)


def _problem_lines(session: Session, width: int) -> Iterator[str]:
    for problem in session.transcript.problems:
        place = f"line {problem.line}" if problem.line else "file"
        yield from labelled(f"  {place}", f"{problem.what}  ({problem.path})", width, 14)


def _counts(session: Session) -> str:
    parts = [
        counted(session.prompts, "prompt"),
        counted(session.steps, "step"),
        counted(session.edits, "edit"),
        *([counted(session.dangling, "open call")] if session.dangling else []),
    ]
    return "· " + ", ".join(parts)


def _where(session: Session) -> str:
    parts = [
        f"branch {session.branch}" if session.branch else "",
        f"worktree {session.worktree}" if session.worktree else "",
    ]
    told = ", ".join(part for part in parts if part)
    return f"  ({told})" if told else ""


def _quoted(word: str) -> str:
    from shlex import quote

    return quote(word)


def recap_lines(recap: Recap, width: int) -> Iterator[str]:
    """The table of what matters, then the last items."""
    yield from labelled("RECAP", recap.title or UNTITLED, width)
    yield from labelled("", f"{recap.session}  in {recap.workspace or 'no recorded workspace'}", width)
    yield ""
    for at, item in enumerate(recap.asked[:5]):
        yield from labelled("" if at else "ASKED", shorten(one_line(item.text or ""), width * 3), width)
    if len(recap.asked) > 5:
        yield from labelled("", f"and {counted(len(recap.asked) - 5, 'more prompt')}", width)
    for at, row in enumerate(_done(recap)):
        yield from labelled("" if at else "DONE", row, width)
    if recap.said and recap.said.text:
        yield from labelled("SAID", "“" + shorten(one_line(recap.said.text), width * 3) + "”", width)
        for row in recap.against[-_AGAINST:]:
            told = f"{one_line(row.what)} → {row.known_as}: {one_line(row.why)}"
            yield from labelled("", shorten(told, width * 2), width)
        yield from labelled(
            "", f"its own words; what bears them out: refloat triage {quote(recap.ref or recap.session)}", width
        )
    opened = [step for step in recap.steps if step.outcome is Outcome.DANGLING]
    for at, step in enumerate(opened):
        yield from labelled("" if at else "OPEN", shorten(step_line(step, recap.workspace), width * 2), width)
    yield from ["", f"LAST {counted(recap.shown, 'item')}".upper()]
    for item in recap.items:
        yield shorten(item_line(item, recap.workspace), width)
    if recap.omitted:
        whole = f"refloat history {quote(recap.ref or recap.session)}"
        yield f"… {counted(recap.omitted, 'earlier item')} and thoughts: {whole}"


def _done(recap: Recap) -> Iterator[str]:
    steps, root = recap.steps, recap.workspace
    edits = [step for step in steps if step.kind is StepKind.EDIT and step.outcome is Outcome.OK]
    if edits:
        files = list(dict.fromkeys(edit.path.rsplit("/", 1)[-1] for step in edits for edit in step.edits))
        more = f" and {len(files) - 6} more" if len(files) > 6 else ""
        yield f"{counted(len(edits), 'edit')} recorded: {', '.join(files[:6])}{more}"
        yield f"what became of them since: refloat checkout {quote(recap.ref or recap.session)}"
        yield f"should any of them be lost, this brings back what can be: {salvage_line(recap.ref or recap.session)}"
    checks: dict[str, Step] = {}
    for step in steps:
        if step.kind is StepKind.CHECK:
            checks[step.summary] = step
    for step in list(checks.values())[-4:]:
        yield step_line(step, root)
    for step in steps:
        if step.kind is StepKind.EXTERNAL:
            yield step_line(step, root)


def item_line(item: Item, root: str | None = None) -> str:
    """One line for one item, whatever it is."""
    clock = f"{item.at[11:19]}Z" if item.at else " " * 9
    back = " (taken back)" if item.superseded else ""
    if item.step:
        return f"{item.n:>5}  {clock}  {step_line(item.step, root)}{back}"
    if item.marker:
        return f"{item.n:>5}  {clock}  ── {item.marker.kind}: {one_line(item.marker.text)}"
    return f"{item.n:>5}  {clock}  {item.type}{back}: {one_line(item.text or '')}"


def history_lines(items: Iterable[Item], width: int, root: str | None, *, full: bool) -> Iterator[str]:
    """Every item on a line of its own; with `full` its whole text below."""
    for item in items:
        yield shorten(item_line(item, root), width)
        if full:
            yield from _whole(item)


def _whole(item: Item) -> Iterator[str]:
    texts = (
        [item.step.input, item.step.output] if item.step else [item.text or (item.marker.text if item.marker else "")]
    )
    for text in texts:
        yield from ("       | " + row for row in inert(text).split("\n") if row)
