"""States in colour and glyph and word; the verdict on a session as a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from refloat.model.liveness import Verdict
from refloat.model.session import Activity, Failure, FailureKind, Session, State
from refloat.text import one_line
from refloat_tui.present import QUIET, STRONG, Pieces
from refloat_tui.present.age import ago, clock_time, timed_line, zone

if TYPE_CHECKING:
    from refloat.model.stamp import Stamp
    from refloat.model.status import Operation, PendingRequest, Status
    from refloat.model.transcript import Step
    from refloat_tui.theme import Glyphs


def state_glyph(state: State, glyphs: Glyphs) -> str:
    """One sign."""
    match state:
        case State.LIVE:
            return glyphs.live
        case State.UNRESOLVED:
            return glyphs.unresolved
        case State.FAILED:
            return glyphs.failed
        case State.STOPPED:
            return glyphs.stopped
        case State.UNBOUND:
            return glyphs.unbound
        case _:
            assert_never(state)


def state_style(state: State) -> str:
    """The name of its colour."""
    return f"$state-{state.value}"


def state_word(state: State) -> str:
    """At most seven characters."""
    return "unres." if state is State.UNRESOLVED else state.value


_ACTIVITY: Final[dict[Activity, str]] = {
    Activity.WORKING: "working",
    Activity.AWAITING_APPROVAL: "waits for your approval",
    Activity.AWAITING_INPUT: "waits for your answer",
    Activity.IDLE: "idle",
}

_FAILURE: Final[dict[FailureKind, str]] = {
    FailureKind.PROCESS_EXIT: "its process ended",
    FailureKind.HOST_RESTART: "this machine was started anew since",
    FailureKind.API_ERROR: "the provider answered with an error",
    FailureKind.RATE_LIMIT: "the provider's rate limit",
    FailureKind.AUTH: "it was not signed in",
    FailureKind.CONTEXT_LIMIT: "its context was full",
    FailureKind.OUT_OF_CREDIT: "out of credit",
    FailureKind.INTERRUPTED_BY_USER: "interrupted by a person, with a step open",
    FailureKind.TRANSCRIPT_DAMAGED: "its transcript is damaged",
    FailureKind.UNKNOWN: "nothing says why",
}


def failure_words(failure: Failure) -> str:
    """Why, in words of ours."""
    return _FAILURE[failure.kind]


def _process_words(session: Session) -> str:
    pids = [str(fact.pid) for fact in session.liveness.evidence if fact.pid]
    match session.liveness.verdict:
        case Verdict.RUNNING:
            return f"process {pids[0]} owns it" if pids else "a running process owns it"
        case Verdict.CANDIDATE:
            return f"process {pids[0]} may own it" if pids else "a process may own it"
        case Verdict.GONE:
            return "its process is gone"
        case Verdict.UNKNOWABLE:
            return "whether its process runs cannot be known here"
        case _:
            assert_never(session.liveness.verdict)


def _when(session: Session, now: Stamp, *, brief: bool) -> str:
    if session.last_activity_at is None:
        return "no time recorded"
    if brief:
        return ago(session.last_activity_at, now)
    return (
        f"{clock_time(session.last_activity_at)}{zone(session.last_activity_at)}, {ago(session.last_activity_at, now)}"
    )


def verdict(session: Session, broken_step: int | None, now: Stamp, glyphs: Glyphs, *, brief: bool = False) -> Pieces:
    """One sentence: the state, the process, the time. `broken_step` is the step that a failed session ended in;
    `brief`: how long ago, without the time of day.
    """
    style = f"{state_style(session.state)} bold"
    word = session.state.value.upper()
    if session.state is State.FAILED and broken_step is not None:
        word += f" in step {broken_step}"
    facts: list[str] = []
    if session.state is State.LIVE and session.activity is not None:
        facts.append(_ACTIVITY[session.activity])
    if session.state is State.FAILED and session.failure is not None:
        facts.append(failure_words(session.failure))
    if session.state is State.UNBOUND:
        facts.append("nothing was ever asked")
    known = session.failure.kind if session.failure else None
    if known not in {FailureKind.PROCESS_EXIT, FailureKind.HOST_RESTART}:
        facts.append(_process_words(session))
    facts.append(_when(session, now, brief=brief))
    joined = f" {glyphs.dot} ".join(facts)
    return ((f"{state_glyph(session.state, glyphs)} {word}", style), (f" {glyphs.dot} {joined}", ""))


def broken_step(status: Status) -> Step | None:
    """The open step that matters most: an effect outside, else the last one that may have changed something."""
    from refloat.model.transcript import StepKind  # loaded with the first session that is read

    outside = [step for step in status.open_steps if step.kind is StepKind.EXTERNAL]
    return (outside or status.open_work or status.open_steps or (None,))[-1]


def _waits(pending: PendingRequest, glyphs: Glyphs) -> Pieces:
    wanted = "waits for your approval" if pending.kind == "approval" else "waits for your answer"
    return ((one_line(pending.text), STRONG), (f" {glyphs.dash} {wanted}, step {pending.step}", QUIET))


def verdict_detail(status: Status, glyphs: Glyphs) -> Pieces:
    """The second line: what hangs, in its own words, and what that means."""
    from refloat.model.transcript import StepKind  # loaded with the first session that is read
    from refloat_tui.present.step import step_words

    if status.pending_request is not None:
        return _waits(status.pending_request, glyphs)
    failure = status.session.failure
    step = broken_step(status)
    if step is not None:
        meaning = "still without a result." if status.session.state is State.LIVE else "no result recorded."
        if step.kind is StepKind.EXTERNAL:
            meaning += " Look before you repeat it."
        others = sum(each is not step for each in status.open_work)
        more = f" {others} more {'is' if others == 1 else 'are'} open." if others else ""
        root = status.session.worktree or status.session.workspace
        return ((step_words(step, root), STRONG), (f" {glyphs.dash} {meaning}{more}", QUIET))
    if failure is not None and failure.detail:
        return ((timed_line(failure.detail), QUIET),)
    last = status.last_completed_step
    if last is None:
        return (("No step was ever completed.", QUIET),)
    return (
        (f"Last completed: step {last.n} ", QUIET),
        (step_words(last, status.session.worktree or status.session.workspace), ""),
    )


_OPERATION: Final[dict[Operation, str]] = {
    "attach": "Go to where it runs; do not start a second one on it.",
    "resolve_liveness": "Find out whether it still runs, before anything else is started.",
    "continue": "Continue it.",
    "new_linked": "Start a linked session with the brief.",
    "prompt": "Ask it something: it never was.",
}


_HELD: Final = "Finish that, or take it over, before anything else is started."


def next_parts(status: Status, no_way: str = "", held: str = "") -> tuple[str, str]:
    """What is to be known first, and the one next step as an order. `no_way`: why nothing leads to where it runs;
    `held`: who is at it, where its process is gone.
    """
    if held:
        return f"{held}.", _HELD
    if status.next.operation == "resolve_liveness" and status.next.command is None:
        unproved = status.session.state is State.UNRESOLVED
        step = _OPERATION["resolve_liveness"] if unproved else _HELD
        return f"{timed_line(status.next.why).rstrip('.')}.", step
    if no_way:
        known = f"It runs, and nothing leads there from here: {no_way.rstrip('.')}."
        return known, "Do not start a second one on it."
    from refloat.model.transcript import StepKind  # loaded with the first session that is read

    words = _OPERATION[status.next.operation]
    left = status.next.open
    outside = [step for step in status.open_steps if step.kind is StepKind.EXTERNAL]
    look = f"Look at what step {outside[-1].n} did" if outside else ""
    if status.recovery_first:  # what its steps did is asked there
        words = f"Finish its recovery, then {words[0].lower()}{words[1:]}"
    elif status.next.operation == "new_linked" and look:
        words = f"{look}, then start a linked session with the brief."
    elif status.next.operation == "continue" and look:
        words = f"{look} before it is repeated, then continue it."
    if left:
        return f"First know: {timed_line('; '.join(left))}.", words
    if status.next.operation == "continue" and left is not None and not look and not status.recovery_first:
        return "", "Continue it: nothing is open."
    return "", words
