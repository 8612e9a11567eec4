"""Where a session stands, and the one next operation, with its exact command and why."""

from typing import Final, assert_never

from refloat.model.session import FailureKind, Session, State
from refloat.model.status import NextOperation, PendingRequest, Status
from refloat.model.story import Story
from refloat.model.transcript import Outcome, Step
from refloat.readers.contract import Reader

BRIEF_FILE: Final = "HANDOFF.md"
"""Where a brief is written unless another place is named."""

_CAN_GO_ON: Final = frozenset(
    {FailureKind.RATE_LIMIT, FailureKind.OUT_OF_CREDIT, FailureKind.AUTH, FailureKind.API_ERROR}
)
"""Failures of the provider: the conversation itself is whole, so the agent's own resume goes on with it."""


def show_status(reader: Reader, session: Session, story: Story) -> Status:
    """State, last completed step, open steps, what it waits for, and what to do next."""
    steps = [step for step in story.steps if not step.superseded]
    turn = story.summary.turns
    open_steps = tuple(
        step for step in steps if step.outcome is Outcome.DANGLING or (step.shutdown and step.turn == turn)
    )
    done = next((step for step in reversed(steps) if step.outcome is Outcome.OK), None)
    return Status(session, done, open_steps, _pending(open_steps, turn), find_next(reader, session))


def _pending(open_steps: tuple[Step, ...], turn: int) -> PendingRequest | None:
    waiting = [step for step in open_steps if step.pending and step.turn == turn]
    if not waiting:
        return None
    step = waiting[-1]
    return PendingRequest(step.pending or "input", step.n, step.summary, step.at)


def find_next(reader: Reader, session: Session) -> NextOperation:
    """The next operation that a session's state calls for (design, section 3)."""
    found = _by_state(reader, session)
    if session.kept is None or not session.kept.original_gone or found.operation not in {"continue", "prompt"}:
        return found
    why = (
        "its agent's own transcript is gone and only Refloat's copy is left, which the agent cannot continue: write "
        f"the brief with `refloat brief {session.name} --out {BRIEF_FILE}`, then start a new session with it"
    )
    return NextOperation("new_linked", tuple(reader.new_command(BRIEF_FILE)), found.workspace, why)


def _by_state(reader: Reader, session: Session) -> NextOperation:
    name, workspace = session.name, session.worktree or session.workspace
    match session.state:
        case State.LIVE:
            pids = ", ".join(map(str, session.liveness.owners))
            owner = f"process {pids} owns it" if pids else "a process owns it"
            return NextOperation(
                "attach", None, workspace, f"{owner}: go to its terminal; do not start a second one on it"
            )
        case State.UNRESOLVED:
            why = "a process may own it, or its absence cannot be proved: find out before anything else is started"
            return NextOperation("resolve_liveness", ("refloat", "status", name), workspace, why)
        case State.STOPPED:
            command = tuple(reader.continue_command(session.session_id, None))
            return NextOperation("continue", command, workspace, "its process is gone and its last turn ended")
        case State.FAILED:
            return _after_failure(reader, session, workspace)
        case State.UNBOUND:
            command = tuple(reader.continue_command(session.session_id, None))
            return NextOperation("prompt", command, workspace, "it exists, and nothing was ever asked of it")
        case _:
            assert_never(session.state)


def _after_failure(reader: Reader, session: Session, workspace: str | None) -> NextOperation:
    failure = session.failure
    if failure and failure.kind in _CAN_GO_ON and not session.dangling:
        command = tuple(reader.continue_command(session.session_id, None))
        why = f"the provider ended the turn ({failure.kind}), nothing is left open: once that is mended it can go on"
        return NextOperation("continue", command, workspace, why)
    what = failure.kind.replace("_", " ") if failure else "nothing says why"
    why = (
        f"its process is gone and its record ends badly ({what}): write the brief with `refloat brief "
        f"{session.name} --out {BRIEF_FILE}`, look at what it says is uncertain, then start a new session with it"
    )
    return NextOperation("new_linked", tuple(reader.new_command(BRIEF_FILE)), workspace, why)
