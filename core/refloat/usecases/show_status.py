"""Where a session stands, and the one next operation, with its exact command and why."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from shlex import join, quote
from typing import Final, assert_never

from refloat.model.advice import advise
from refloat.model.attempts import Standing
from refloat.model.checkout import SAVED_PLACES, Checkout, EditedFile, Fate, PlaceKind
from refloat.model.fate_words import WRITES_OUT, salvage_line
from refloat.model.guard import tied_to
from refloat.model.own_files import BRIEF_FILE
from refloat.model.session import Activity, PendingKind, Session, SessionName, State
from refloat.model.situation import Situation
from refloat.model.status import NextOperation, PendingRequest, Status
from refloat.model.story import Story
from refloat.model.transcript import Outcome, Step, StepKind
from refloat.readers.contract import Reader
from refloat.text import cut, inert_line, one_line
from refloat.triage.findings import can_salvage, file_stands, is_gone, loses
from refloat.usecases.situations import place_of, plain_situation

_UNWRITTEN: Final = "look at what `refloat brief {name}` says is uncertain, then start a new session with it"
_WRITTEN: Final = (
    "its brief stands in {path}: see whether that still holds (`refloat check`), look at what it says is uncertain, "
    "then start a new session with it"
)
_BY_HAND: Final = "write the brief with `{brief}`, look at what it says is uncertain, take it along and run `{start}`"
_PLACE_FIRST: Final = (
    "{why}: have that first, then run `{command}` there; or write the brief with `{brief}` and take it along"
)
_ASKED: Final[Mapping[Activity, PendingKind]] = {
    Activity.AWAITING_APPROVAL: "approval",
    Activity.AWAITING_INPUT: "input",
}
_SELDOM_ASKED: Final = frozenset({StepKind.READ, StepKind.SEARCH, StepKind.PLAN, StepKind.SUBAGENT})
_NAMED: Final = 3
"""Files or plan entries that a sentence names."""


def show_status(
    reader: Reader,
    session: Session,
    story: Story,
    checkout: Checkout | None = None,
    standing: Standing | None = None,
    seen: Situation | None = None,
    brief: str | None = None,
) -> Status:
    """State, last completed step, open steps, what it waits for, and what to do next.

    With a checkout, the next operation also names what was lost from it; where a newer attempt goes on from the
    session, it leads there. `seen` and `brief`: as `find_next` takes them.
    """
    steps = [step for step in story.steps if not step.superseded]
    turn = story.summary.turns
    open_steps = tuple(
        step for step in steps if step.outcome is Outcome.DANGLING or (step.shutdown and step.turn == turn)
    )
    done = next((step for step in reversed(steps) if step.outcome is Outcome.OK), None)
    then = find_next(reader, session, seen, brief)
    if session.state in {State.STOPPED, State.FAILED} and (checkout is not None or not story.summary.edits):
        found = tuple(find_open_work(session, story, checkout))
        lost = checkout is not None and any(can_salvage(file) for file in _lost(session, story, checkout))
        then = _with_open(then, found, salvage_line(session.ref) if lost else None, calls=bool(session.dangling))
    then = then if standing is None else _with_newer(session, then, standing)
    return Status(session, done, open_steps, _pending(open_steps, turn, session.activity), then, standing)


def _with_newer(session: Session, then: NextOperation, standing: Standing) -> NextOperation:
    """A session that somebody went on from is no work to do while the newer one runs, and is not the first to look at
    afterwards.
    """
    newest, chain = standing.newest, standing.chain
    if newest == session.name or session.state in {State.LIVE, State.UNRESOLVED}:
        return then
    where = f"{newest} went on from it (attempt {chain.of} of {chain.of})"
    match standing.state:
        case State.LIVE:
            why = f"{where} and runs: go to that one"
            return NextOperation("attach", ("refloat", "attach", newest), then.workspace, why, then.open)
        case State.UNRESOLVED:
            why = f"{where}, and nobody can prove whether it still runs: find out first"
            return NextOperation("resolve_liveness", ("refloat", "status", newest), then.workspace, why, then.open)
        case State.FAILED | State.STOPPED | State.UNBOUND:
            return replace(
                then, why=f"{where} and is {standing.state}: look at that one first; of this one: {then.why}"
            )
        case _:
            assert_never(standing.state)


def _with_open(then: NextOperation, found: tuple[str, ...], salvage: str | None, *, calls: bool) -> NextOperation:
    """Say with the next operation what nobody finished: a command alone would hide it. `calls`: some are open.

    That nothing is open is said to whoever may go on at once; where somebody else is at it, it would be their end.
    """
    told = f"still open: {'; '.join(found)}" if found else "nothing is left open"
    told += f"; `{salvage}` {WRITES_OUT}" if salvage else ""
    why = f"{then.why}; {told}" if found or (then.operation == "continue" and not calls) else then.why
    return replace(then, why=why, open=found, salvage=salvage)


def find_open_work(session: Session, story: Story, checkout: Checkout | None) -> Iterator[str]:
    """What a session left undone or lost, in words: edits that stand nowhere or in a stash alone, its open plan."""
    gone = _lost(session, story, checkout) if checkout is not None else []
    if lost := [file.path for file in gone if file.confirmed or loses(file)]:
        yield f"the edit of {_some(lost)} is lost from the checkout"
    if doubtful := [file.path for file in gone if file.path not in lost]:
        yield f"the edit of {_some(doubtful)} is unconfirmed, and the checkout does not hold it"
    for ref, paths in _stashed(_standing(story, checkout)).items():
        yield f"the work on {_some(paths)} stands in {ref} only"
    rows = [text for text, status in story.plan.entries if status != "completed"] if story.plan else []
    if rows:
        count = "1 entry of its plan is" if len(rows) == 1 else f"{len(rows)} entries of its plan are"
        yield f"{count} not done ({_some(cut(one_line(row), 60) for row in rows)})"


def _standing(story: Story, checkout: Checkout | None) -> list[EditedFile]:
    """Files that the session edited and did not take back with their turns."""
    back = {(step.n, step.subagent) for step in story.every_step if step.superseded}
    files = checkout.files if checkout is not None else ()
    return [file for file in files if not {(edit.step, edit.subagent) for edit in file.edits} <= back]


def _lost(session: Session, story: Story, checkout: Checkout) -> list[EditedFile]:
    return [file for file in _standing(story, checkout) if is_gone(file) and not _meant(session, file)]


def _meant(session: Session, file: EditedFile) -> bool:
    """Whether a session that ended well took its own edits back itself."""
    undone = [edit for edit in file.edits if edit.fate in {Fate.REVERTED, Fate.LOST}]
    own = all(edit.fate is Fate.REVERTED and edit.by and edit.by.startswith("step ") for edit in undone)
    return session.state is State.STOPPED and bool(undone) and own


def _stashed(files: Iterable[EditedFile]) -> dict[str, list[str]]:
    """Paths whose work stands in a stash and nowhere else that is safe, by stash."""
    found: dict[str, list[str]] = {}
    for file in files:
        saved = [place for place in file.found_in if place.where in SAVED_PLACES]
        if not file_stands(file) and saved and all(place.where is PlaceKind.STASH for place in saved):
            found.setdefault(saved[0].ref or "a stash", []).append(file.path)
    return found


def _some(names: Iterable[str]) -> str:
    named = [inert_line(name) for name in names]
    more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    return ", ".join(named[:_NAMED]) + more


def _pending(open_steps: tuple[Step, ...], turn: int, activity: Activity | None) -> PendingRequest | None:
    """What asks a person by itself; else the call that a live session holds a dialog open for: no record has that."""
    here = [step for step in open_steps if step.turn == turn]
    kind = _ASKED.get(activity) if activity is not None else None
    asking = [step for step in here if step.pending] or (_dialog(here) if kind else [])
    if not asking:
        return None
    step = asking[-1]
    return PendingRequest(step.pending or kind or "input", step.n, step.summary, step.at)


def _dialog(here: list[Step]) -> list[Step]:
    """The first open call that mostly is asked about; the others wait for it."""
    return [step for step in here if step.kind not in _SELDOM_ASKED][:1] or here[:1]


def _own_brief(name: SessionName, workspace: str | None) -> str | None:
    """The brief of this very session where briefs usually stand; one of another session there is none."""
    if workspace is None:
        return None
    from refloat.brief.fingerprint import session_of_brief

    path = Path(workspace) / BRIEF_FILE
    return str(path) if session_of_brief(path) == name else None


def find_next(
    reader: Reader, session: Session, seen: Situation | None = None, brief: str | None = None
) -> NextOperation:
    """The next operation that a session's state calls for (design, section 3), and that the guard lets through.

    `seen`: a look that knows who else is at it; without, only the session itself is judged. `brief`: where its recovery
    wrote one; that in the usual place comes first.
    """
    seen = seen or plain_situation("continue", session, reader)
    advice, ref = advise(seen), session.ref
    workspace = None if advice.by_hand or advice.first_the_place else place_of(session)
    command: tuple[str, ...] | None
    why = advice.why
    match advice.operation:
        case "attach":
            command = ("refloat", "attach", ref)
        case "resolve_liveness":
            tied = tied_to(seen)
            command = ("refloat", "stop", ref, "--pid", str(tied[0])) if tied else None
        case "continue" | "prompt":
            command = tuple(reader.continue_command(session.session_id, None))
            if advice.first_the_place:
                brief_command = ("refloat", "brief", ref, "--out", BRIEF_FILE)
                why = _PLACE_FIRST.format(why=why, command=join(command), brief=join(brief_command))
        case "new_linked" if advice.by_hand:
            command = ("refloat", "brief", ref, "--out", BRIEF_FILE)
            why = f"{why}: {_BY_HAND.format(brief=join(command), start=join(reader.new_command(BRIEF_FILE)))}"
        case "new_linked":
            written = _own_brief(session.name, workspace) or brief
            command = ("refloat", "new", "--parent", ref, *(("--brief", written) if written else ()))
            why = (
                f"{why}: {_WRITTEN.format(path=inert_line(written)) if written else _UNWRITTEN.format(name=quote(ref))}"
            )
        case _:
            assert_never(advice.operation)
    return NextOperation(advice.operation, None if advice.forbids and not advice.by_hand else command, workspace, why)
