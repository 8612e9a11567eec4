"""Sessions that were never recorded: one rich example in each state, for tests of everything behind the readers.

Every value is invented. The pieces of one Sample fit together: step numbers, paths and times agree between its
session, story, checkout and triage. Refuses to touch a disk: paths below `/home/ana` exist nowhere.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from refloat.model.checkout import (
    Base,
    Checkout,
    CheckRun,
    DirtyHunk,
    EditedFile,
    EditFate,
    Fate,
    FileState,
    FoundIn,
    Freshness,
    Operation,
    OtherChange,
    Owner,
    PlaceKind,
    Warned,
)
from refloat.model.liveness import Evidence, Liveness, Verdict
from refloat.model.problem import Place, Problem
from refloat.model.session import (
    Activity,
    Failure,
    FailureKind,
    Session,
    SessionName,
    State,
    Subagent,
    TranscriptFiles,
)
from refloat.model.stamp import Stamp
from refloat.model.story import OpenWork, Story, Summary
from refloat.model.transcript import (
    Background,
    Ending,
    FileEdit,
    Hunk,
    Item,
    Marker,
    Outcome,
    Plan,
    Queued,
    Step,
    StepKind,
)
from refloat.model.triage import (
    ActionOutcome,
    DoNotRepeat,
    Finding,
    FindingVerdict,
    RecoverableFrom,
    StandsIn,
    StillOpen,
    Triage,
)

WORKSPACE: Final = "/home/ana/shop"
TRANSCRIPT: Final = "/home/ana/.claude/projects/-home-ana-shop/5d1f6c1e-0b7a-4b60-9a54-2f1f0e7c9a11.jsonl"
SESSION_ID: Final = "5d1f6c1e-0b7a-4b60-9a54-2f1f0e7c9a11"
HEAD: Final = "9c0e2b1f4d5a6978b3c2d1e0f9a8b7c6d5e4f301"
START: Final = "3fa1c7d2e9b84056a7c1d2e3f4059687b1a2c3d4"


def at(minute: int, second: int = 0) -> Stamp:
    """A moment of the invented afternoon, `minute` minutes after 14:00 UTC."""
    return Stamp(f"2026-09-14T{14 + minute // 60:02d}:{minute % 60:02d}:{second:02d}.000Z")


@dataclass(frozen=True, slots=True)
class Sample:
    """One invented session with all that is known about it."""

    name: str
    session: Session
    story: Story
    checkout: Checkout
    triage: Triage


def make_step(
    n: int,
    kind: StepKind,
    summary: str,
    *,
    tool: str = "Bash",
    outcome: Outcome = Outcome.OK,
    exit_code: int | None = None,
    output: str = "",
    files: tuple[str, ...] = (),
    edits: tuple[FileEdit, ...] = (),
    message: str | None = None,
    subagent: str | None = None,
    turn: int = 1,
    minute: int | None = None,
) -> Step:
    """A step of the sample workspace; a shell command unless `tool` says otherwise."""
    began = at(minute if minute is not None else n)
    shell = tool == "Bash"
    return Step(
        n=n,
        id=f"toolu_{n:04d}" + (f"_{subagent}" if subagent else ""),
        kind=kind,
        tool=tool,
        summary=summary,
        at=began,
        ended_at=None if outcome is Outcome.DANGLING else began,
        outcome=outcome,
        exit_code=exit_code,
        files=files,
        message=message,
        line=10 * n,
        path=TRANSCRIPT,
        input=f'{{"command": "{summary}"}}' if shell else f'{{"file_path": "{summary}"}}',
        output=output,
        output_bytes=len(output.encode()),
        command=summary if shell else None,
        cwd=WORKSPACE,
        edits=edits,
        subagent=subagent,
        turn=turn,
    )


def make_session(
    state: State = State.FAILED,
    *,
    title: str = "Round prices half to even",
    verdict: Verdict = Verdict.GONE,
    evidence: tuple[Evidence, ...] | None = None,
    **changes: object,
) -> Session:
    """A session of the sample workspace; `changes` replace fields by name."""
    if evidence is None:
        evidence = (Evidence("no_process", "none of 2 claude processes owns it", None, at(95)),)
    made = Session(
        agent="claude-code",
        session_id=SESSION_ID,
        title=title,
        workspace=WORKSPACE,
        repo=WORKSPACE,
        branch="fix/rounding",
        model="claude-opus-4-5",
        started_at=at(0),
        last_activity_at=at(22),
        state=state,
        activity=None,
        failure=None,
        liveness=Liveness(verdict, evidence),
        turns=2,
        prompts=2,
        steps=10,
        dangling=0,
        edits=4,
        parent=None,
        superseded_by=None,
        subagents=(),
        worktree=None,
        transcript=TranscriptFiles((TRANSCRIPT,), 48_213, ()),
    )
    return replace(made, **changes)  # pyright: ignore[reportArgumentType] - by name, for tests


def _hunk(start: int, gone: str, new: str) -> Hunk:
    return Hunk(start, 1, start, 1, (f"-{gone}", f"+{new}"))


_ROUNDING: Final = FileEdit(
    f"{WORKSPACE}/src/rounding.py",
    "update",
    hunks=(_hunk(12, "    return round(cents)", "    return half_to_even(cents)"),),
)
_TEST: Final = FileEdit(
    f"{WORKSPACE}/tests/test_rounding.py",
    "create",
    after="def test_half_to_even() -> None:\n    assert half_to_even(250) == 2\n",
    existed=False,
)
_VAT: Final = FileEdit(f"{WORKSPACE}/src/vat.py", "update", hunks=(_hunk(4, "RATE = 19", "RATE = Decimal('0.19')"),))
_INVOICE: Final = FileEdit(
    f"{WORKSPACE}/src/invoice.py",
    "update",
    hunks=(_hunk(30, "    total = sum(lines)", "    total = half_to_even(sum(lines))"),),
)


def _steps() -> tuple[Step, ...]:
    return (
        make_step(1, StepKind.READ, "src/rounding.py", tool="Read", files=(_ROUNDING.path,)),
        make_step(
            2,
            StepKind.EDIT,
            "src/rounding.py",
            tool="Edit",
            files=(_ROUNDING.path,),
            edits=(_ROUNDING,),
            message="Rounding belongs in one place.",
        ),
        make_step(3, StepKind.EDIT, "tests/test_rounding.py", tool="Write", files=(_TEST.path,), edits=(_TEST,)),
        make_step(4, StepKind.CHECK, "pytest -q tests/test_rounding.py", exit_code=0, output="2 passed in 0.04s\n"),
        make_step(5, StepKind.COMMAND, "git commit -am 'Round half to even'", output="[fix/rounding 9c0e2b1] Round\n"),
        make_step(6, StepKind.EDIT, "src/vat.py", tool="Edit", files=(_VAT.path,), edits=(_VAT,), turn=2),
        make_step(7, StepKind.CHECK, "pytest -q", outcome=Outcome.ERROR, exit_code=1, output="1 failed, 40 passed\n",
                  turn=2),
        make_step(8, StepKind.EXTERNAL, "git push origin fix/rounding", outcome=Outcome.DANGLING, turn=2,
                  message="Pushing what stands so far."),
        make_step(9, StepKind.EDIT, "src/invoice.py", tool="Edit", files=(_INVOICE.path,), edits=(_INVOICE,),
                  outcome=Outcome.DANGLING, turn=2),
        make_step(10, StepKind.CHECK, "mypy src", outcome=Outcome.DANGLING, turn=2),
    )  # fmt: skip


def _subagent_step() -> Step:
    return make_step(
        1, StepKind.EXTERNAL, "gh issue comment 41 --body 'looking'", subagent="a7c2", exit_code=0, turn=1, minute=18
    )


def make_items(steps: tuple[Step, ...]) -> tuple[Item, ...]:
    """A short talk around the given steps: the asks of two turns, a reply, a marker, then the steps in their turns."""
    place = Place(TRANSCRIPT, 1, 0)
    rows: list[Item] = [
        Item(0, "prompt", at(0), "Round prices half to even.\n\nDone when `pytest -q` and `mypy src` pass.")
    ]
    rows += [Item(0, "step", step.at, step=step) for step in steps if step.turn == 1]
    rows.append(Item(0, "reply", at(5, 30), "Rounding stands and its tests pass; committed."))
    if any(step.turn == 2 for step in steps):
        rows.append(Item(0, "prompt", at(5, 50), "Good. Now VAT and the invoice, then push."))
        rows.append(Item(0, "marker", at(5, 55), marker=Marker("compaction", "The rounding work is done.", at(5, 55),
                                                                place, claim=True)))  # fmt: skip
        rows += [Item(0, "step", step.at, step=step) for step in steps if step.turn == 2]
    return tuple(
        replace(row, n=number, step=replace(row.step, item=number) if row.step else None)
        for number, row in enumerate(rows, start=1)
    )


def make_story(
    session: Session,
    steps: tuple[Step, ...],
    *,
    turn: Literal["none", "open", "completed", "interrupted", "failed"] = "open",
    subagents: Mapping[str, Story] | None = None,
    plan: Plan | None = None,
    open_work: tuple[OpenWork, ...] = (),
    queued: tuple[Queued, ...] = (),
    items: tuple[Item, ...] | None = None,
) -> Story:
    """A story that agrees with `session`; `items` replace the usual talk around `steps`."""
    dangling = sum(1 for step in steps if step.outcome is Outcome.DANGLING)
    summary = Summary(
        agent=session.agent,
        session_id=session.session_id,
        title=session.title,
        workspace=session.workspace,
        cwd=session.workspace,
        worktree=None,
        branch=session.branch,
        commit=START,
        model=session.model,
        version="2.1.40",
        entrypoint="cli",
        started_at=session.started_at,
        last_activity_at=session.last_activity_at,
        turns=session.turns,
        prompts=session.prompts,
        steps=len(steps),
        dangling=dangling,
        edits=sum(1 for step in steps if step.kind is StepKind.EDIT),
        parent="",
        continued_in="",
        lineage="row-1",
        last_row="row-99",
        ending=Ending(turn, dangling, session.failure, cut=False, prompts=session.prompts, pending=None,
                      open_since=at(6) if turn == "open" else None, user_interrupted=False),
        problems=session.transcript.problems,
        edited_paths=tuple(dict.fromkeys(edit.path for step in steps for edit in step.edits)),
    )  # fmt: skip
    talk = make_items(steps) if items is None else items
    return Story(summary, talk, subagents or {}, plan, (), open_work, queued)


def _edited(
    path: str,
    state: FileState,
    why: str,
    fates: tuple[EditFate, ...],
    *,
    confirmed: bool = True,
    owner: Owner | None = None,
    found_in: tuple[FoundIn, ...] = (),
    hunks: tuple[DirtyHunk, ...] = (),
) -> EditedFile:
    return EditedFile(path, state, why, "content", confirmed, owner, None, found_in, fates, hunks)


_WORKTREE: Final = PlaceKind.WORKTREE


def _checkout(session: SessionName, *, operation: Operation | None = None) -> Checkout:
    dirty = DirtyHunk(30, 1, 30, 1, ("-    total = sum(lines)", "+    total = half_to_even(sum(lines))"),
                      Owner.THIS_SESSION, session)  # fmt: skip
    strange = DirtyHunk(3, 0, 3, 1, ("+DEBUG = True",), Owner.UNKNOWN, None)
    return Checkout(
        session=session,
        repo=WORKSPACE,
        head=HEAD,
        branch="fix/rounding",
        base=Base(START, "recorded when the session began"),
        operation=operation,
        warnings=(Warned("core.fsmonitor names a program; it was not run", f"{WORKSPACE}/.git/config"),),
        files=(
            _edited("src/rounding.py", FileState.PRESENT, "every recorded hunk is there",
                    (EditFate(2, Fate.COMMITTED, HEAD, None),),
                    found_in=(FoundIn(PlaceKind.BRANCH, "src/rounding.py", "fix/rounding", HEAD),)),
            _edited("tests/test_rounding.py", FileState.PRESENT, "the whole content is equal",
                    (EditFate(3, Fate.COMMITTED, HEAD, None),),
                    found_in=(FoundIn(PlaceKind.BRANCH, "tests/test_rounding.py", "fix/rounding", HEAD),)),
            _edited("src/vat.py", FileState.REVERTED, "the recorded before is there",
                    (EditFate(6, Fate.LOST, None, None),),
                    found_in=(FoundIn(PlaceKind.RECORD, None, None, None),)),
            _edited("src/invoice.py", FileState.PRESENT, "every hunk that the open call asked for is there",
                    (EditFate(9, Fate.UNCONFIRMED, None, None),), confirmed=False, owner=Owner.THIS_SESSION,
                    found_in=(FoundIn(_WORKTREE, "src/invoice.py", None, None),), hunks=(dirty,)),
        ),
        other_changes=(
            OtherChange("config/local.toml", " M", Owner.PREDATES, None, "dirty before the first record", ()),
            OtherChange("src/settings.py", " M", Owner.UNKNOWN, None, "no record names its lines", (strange,)),
        ),
        checks=(
            CheckRun(4, Outcome.OK, 0, START, Freshness.STALE, "src/vat.py, src/invoice.py changed after it"),
            CheckRun(7, Outcome.ERROR, 1, HEAD, Freshness.STALE, "src/invoice.py changed after it"),
            CheckRun(10, Outcome.DANGLING, None, HEAD, Freshness.UNKNOWN_TREE, None),
        ),
    )  # fmt: skip


def _finding(
    what: str,
    kind: str,
    steps: tuple[int, ...],
    verdict: FindingVerdict,
    why: str,
    *,
    files: tuple[str, ...] = (),
    where: StandsIn | None = None,
    recoverable_from: tuple[RecoverableFrom, ...] = (),
    confirmed: bool | None = None,
    subagent: str | None = None,
) -> Finding:
    return Finding(what, kind, files, steps, None, verdict, where, recoverable_from, None, why, confirmed, subagent)


def _triage(session: SessionName) -> Triage:
    committed = StandsIn(PlaceKind.BRANCH, "fix/rounding", HEAD)
    return Triage(
        session=session,
        saved=(
            _finding("src/rounding.py", "edit", (2,), FindingVerdict.CONFIRMED, "committed in 9c0e2b1",
                     files=("src/rounding.py",), where=committed),
            _finding("tests/test_rounding.py", "edit", (3,), FindingVerdict.CONFIRMED, "committed in 9c0e2b1",
                     files=("tests/test_rounding.py",), where=committed),
            _finding("src/invoice.py", "edit", (9,), FindingVerdict.CONFIRMED, "on disk; its result was never recorded",
                     files=("src/invoice.py",), where=StandsIn(_WORKTREE, None, None), confirmed=False),
            _finding("pytest -q tests/test_rounding.py", "check", (4,), FindingVerdict.STALE, "exit 0, then edits"),
            _finding("pytest -q", "check", (7,), FindingVerdict.STALE, "exit 1, then edits"),
            _finding("Round half to even", "commit", (5,), FindingVerdict.CONFIRMED, "9c0e2b1 is on fix/rounding",
                     where=committed),
            _finding("gh issue comment 41 --body 'looking'", "external", (1,), FindingVerdict.RECORDED, "exit 0",
                     subagent="a7c2"),
        ),
        claimed=(),
        gone=(
            _finding("src/vat.py", "edit", (6,), FindingVerdict.LOST, "the recorded before is on disk",
                     files=("src/vat.py",), recoverable_from=(RecoverableFrom(PlaceKind.RECORD, None, None),)),
            _finding("git push origin fix/rounding", "dangling", (8,), FindingVerdict.LOST, "no result was recorded"),
            _finding("mypy src", "dangling", (10,), FindingVerdict.LOST, "no result was recorded"),
        ),
        still_open=(
            StillOpen("npm run dev", "dev_server", 5, 41_207, running=True),
            StillOpen("also bump the version", "queued_prompt", None, None, running=None),
        ),
        do_not_repeat=(
            DoNotRepeat(8, "git push origin fix/rounding", ActionOutcome.UNKNOWN, 1,
                        ("git", "ls-remote", "origin", "refs/heads/fix/rounding")),
            DoNotRepeat(1, "gh issue comment 41 --body 'looking'", ActionOutcome.DONE, 1, None, "a7c2"),
        ),
    )  # fmt: skip


def crashed() -> Sample:
    """Failed by process exit: dangling push, edit and check; a lost edit; foreign changes; work left running."""
    session = make_session(
        failure=Failure(FailureKind.PROCESS_EXIT, "the process is gone and the turn is open", at(22)),
        dangling=3,
        subagents=(Subagent("a7c2", State.STOPPED, 0),),
        transcript=TranscriptFiles((TRANSCRIPT,), 48_213, (Problem(TRANSCRIPT, 77, 30_110, "a record is cut"),)),
    )
    helper = make_session(State.STOPPED, title="Look at issue 41", steps=1, edits=0, turns=1, prompts=1)
    background = Background("bash_1", "dev_server", "npm run dev", running=True, pid=41_207)
    story = make_story(
        session,
        _steps(),
        subagents={"a7c2": make_story(helper, (_subagent_step(),), turn="completed")},
        plan=Plan(
            (("Round half to even", "completed"), ("VAT as a decimal", "in_progress"), ("Push and ask", "pending")), 6
        ),
        open_work=(OpenWork(background, 5, at(5)),),
        queued=(Queued("also bump the version", "q1", waiting=True, at=at(21)),),
    )
    return Sample("crashed", session, story, _checkout(session.name), _triage(session.name))


def rebasing() -> Sample:
    """As `crashed`, with a rebase under way in the checkout."""
    made = crashed()
    operation = Operation("rebase", "fix/rounding", "main", ("src/invoice.py",), index_lock=True)
    return replace(made, name="rebasing", checkout=replace(made.checkout, operation=operation))


def unresolved() -> Sample:
    """As `crashed`, but a process of the same agent in the workspace may own it."""
    made = crashed()
    evidence = (Evidence("cwd", "claude works in /home/ana/shop since 14:23 and names no session", 40_112, at(95)),)
    session = replace(
        made.session, state=State.UNRESOLVED, failure=None, liveness=Liveness(Verdict.CANDIDATE, evidence)
    )
    return replace(made, name="unresolved", session=session)


def live() -> Sample:
    """Live and waiting for approval: the register names a running process whose start fits."""
    made = crashed()
    evidence = (Evidence("register", "sessions/40112.json names it; number and start agree", 40_112, at(95)),)
    session = replace(
        made.session,
        state=State.LIVE,
        activity=Activity.AWAITING_APPROVAL,
        failure=None,
        liveness=Liveness(Verdict.RUNNING, evidence),
    )
    return replace(made, name="live", session=session)


def stopped() -> Sample:
    """Stopped: its last turn ended, everything is committed, the last check is current."""
    session = make_session(State.STOPPED, turns=1, prompts=1, steps=5, edits=2, last_activity_at=at(5, 30))
    full = crashed()
    checkout = replace(
        full.checkout,
        files=full.checkout.files[:2],
        other_changes=(),
        warnings=(),
        checks=(CheckRun(4, Outcome.OK, 0, START, Freshness.CURRENT, None),),
    )
    saved = tuple(
        replace(row, verdict=FindingVerdict.CONFIRMED) for row in full.triage.saved if row.steps[0] in {2, 3, 4, 5}
    )
    triage = Triage(session.name, saved, (), (), (), ())
    return Sample("stopped", session, make_story(session, _steps()[:5], turn="completed"), checkout, triage)


def unbound() -> Sample:
    """Nothing was ever prompted, and there is no repository."""
    session = make_session(
        State.UNBOUND, title="", repo=None, branch=None, turns=0, prompts=0, steps=0, edits=0, last_activity_at=at(0)
    )
    checkout = Checkout(session.name, None, None, None, Base(None, "no repository"), None, (), (), (), ())
    triage = Triage(session.name, (), (), (), (), ())
    return Sample("unbound", session, make_story(session, (), turn="none", items=()), checkout, triage)


SAMPLES: Final[Mapping[str, Callable[[], Sample]]] = {
    "crashed": crashed,
    "rebasing": rebasing,
    "unresolved": unresolved,
    "live": live,
    "stopped": stopped,
    "unbound": unbound,
}
"""Every sample by name."""
