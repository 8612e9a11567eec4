"""The next operation names what is lost or not done: a command to go on with hides neither."""

from dataclasses import replace
from pathlib import Path

import pytest

from refloat.model.attempts import InChain, Standing
from refloat.model.checkout import Checkout, EditFate, Fate, FileState, FoundIn, PlaceKind
from refloat.model.liveness import Evidence, Liveness, Verdict
from refloat.model.record import Lease
from refloat.model.recovered import Recovered
from refloat.model.saving import Runner
from refloat.model.session import Activity, Failure, FailureKind, Kept, Session, SessionName, State
from refloat.model.stamp import Stamp
from refloat.model.status import NextOperation, PendingRequest
from refloat.model.transcript import Outcome, Plan
from refloat.readers.claude_code import ClaudeCode
from refloat.testing.samples import crashed, stopped
from refloat.triage.findings import sort_findings
from refloat.usecases.put_brief import usual_path
from refloat.usecases.recovered import brief_of_recovery
from refloat.usecases.show_status import show_status
from refloat.usecases.situations import place_of, plain_situation, would_continue

NOW = Stamp("2026-09-14T15:00:00.000Z")
HERE = str(Path(__file__).parent)
"""A workspace that is there: nothing goes on in one that is not."""
LOST = crashed()
"""Its `src/vat.py` is reverted by nobody that is known."""


def with_file(state: FileState, fate: EditFate, *places: FoundIn) -> Checkout:
    files = tuple(
        replace(file, state=state, edits=(fate,), found_in=places) if file.path == "src/vat.py" else file
        for file in LOST.checkout.files
    )
    return replace(LOST.checkout, files=files)


def limited() -> Session:
    failure = Failure(FailureKind.RATE_LIMIT, "limit reached", Stamp("2026-09-14T14:22:00.000Z"))
    return replace(LOST.session, state=State.FAILED, failure=failure, dangling=0, workspace=HERE)


@pytest.mark.parametrize("state", State)
@pytest.mark.parametrize("kind", [None, *FailureKind])
@pytest.mark.parametrize("dangling", [0, 1])
@pytest.mark.parametrize("gone", [True, False])
@pytest.mark.parametrize("repaired", [True, False])
def test_what_is_said_to_be_next_is_what_the_guard_lets_through(
    tmp_path: Path, state: State, kind: FailureKind | None, dangling: int, gone: bool, repaired: bool
) -> None:
    failure = None if kind is None else Failure(kind, "", NOW)
    session = replace(
        LOST.session,
        state=state,
        failure=failure,
        dangling=dangling,
        workspace=str(tmp_path),
        worktree=None,
        repaired=repaired,
        kept=Kept(NOW, 1, original_gone=gone),
    )
    operation = show_status(ClaudeCode(), session, LOST.story).next.operation
    assert (operation in {"continue", "prompt"}) == would_continue(ClaudeCode(), session)


def test_a_session_that_somebody_went_on_from_leads_to_the_newer_one() -> None:
    newest = SessionName("codex:2")
    chain = InChain(1, 2, None, newest, newest, None, newest)

    def then(state: State, own: Session = LOST.session) -> NextOperation:
        return show_status(ClaudeCode(), own, LOST.story, LOST.checkout, Standing(chain, newest, state)).next

    assert then(State.LIVE).command == ("refloat", "attach", newest)
    assert then(State.UNRESOLVED).operation == "resolve_liveness"
    assert then(State.STOPPED).operation == "new_linked"
    assert then(State.STOPPED).why.startswith("codex:2 went on from it (attempt 2 of 2) and is stopped")
    owned = replace(LOST.session, state=State.LIVE)
    assert then(State.STOPPED, owned).operation == "attach"
    assert newest not in (then(State.STOPPED, owned).command or ()), "it runs itself"


@pytest.mark.parametrize("pid", [430, None])
def test_an_unproved_owner_leads_to_no_circle(pid: int | None) -> None:
    facts = (Evidence("cwd", "it works there", pid, NOW),) if pid else ()
    session = replace(LOST.session, state=State.UNRESOLVED, liveness=Liveness(Verdict.CANDIDATE, facts))
    then = show_status(ClaudeCode(), session, LOST.story).next
    assert then.operation == "resolve_liveness"
    assert then.command == (("refloat", "stop", session.name, "--pid", "430") if pid else None)


@pytest.mark.parametrize("there", [True, False])
def test_the_next_operation_names_the_place_where_it_would_be_done(tmp_path: Path, *, there: bool) -> None:
    worktree = tmp_path / "worktree"
    if there:
        worktree.mkdir()
    session = replace(limited(), worktree=str(worktree))
    place = str(worktree) if there else HERE
    assert show_status(ClaudeCode(), session, LOST.story).next.workspace == place_of(session) == place
    assert usual_path(session, tmp_path) == Path(place, "HANDOFF.md")


def test_a_stopped_session_without_its_workspace_is_gone_on_with_in_one_that_is_made_again(tmp_path: Path) -> None:
    session = replace(stopped().session, workspace=str(tmp_path / "gone"), worktree=None)
    then = show_status(ClaudeCode(), session, stopped().story).next
    assert (then.operation, then.command, then.workspace) == ("continue", None, None)
    assert f"{tmp_path / 'gone'} is not there any more (a checkout put there again would do)" in then.why
    assert f"have that first, then run `claude --resume {session.session_id}` there" in then.why
    assert f"`refloat brief {session.name} --out HANDOFF.md`" in then.why


OPEN = [step for step in LOST.story.steps if step.outcome is Outcome.DANGLING]


@pytest.mark.parametrize(
    ("activity", "kind"),
    [(Activity.AWAITING_APPROVAL, "approval"), (Activity.AWAITING_INPUT, "input"), (Activity.WORKING, None)],
)
def test_an_open_dialog_is_about_the_first_open_call(activity: Activity, kind: str | None) -> None:
    session = replace(LOST.session, state=State.LIVE, activity=activity, failure=None)
    asked = show_status(ClaudeCode(), session, LOST.story).pending_request
    if kind is None:
        assert asked is None
        return
    first = next(step for step in OPEN if step.turn == LOST.story.summary.turns)
    assert asked == PendingRequest(kind, first.n, first.summary, first.at)  # pyright: ignore[reportArgumentType]


def test_a_dialog_of_which_no_call_is_open_names_none() -> None:
    session = replace(stopped().session, state=State.LIVE, activity=Activity.AWAITING_APPROVAL)
    assert show_status(ClaudeCode(), session, stopped().story).pending_request is None


def test_a_resume_command_comes_with_what_is_lost() -> None:
    then = show_status(ClaudeCode(), limited(), LOST.story, LOST.checkout).next
    assert then.operation == "continue"
    assert "the edit of src/vat.py is lost from the checkout" in then.why
    assert "nothing is left open" not in then.why


@pytest.mark.parametrize("state", [FileState.REVERTED, FileState.DELETED, FileState.DIVERGED, FileState.PARTLY])
def test_no_patch_is_promised_of_what_git_may_not_take(state: FileState) -> None:
    """Whether it takes one is known when `salvage` looks; what stands in its place now can be in the way."""
    record = FoundIn(PlaceKind.RECORD, None, "step 6", None)
    checkout = with_file(state, EditFate(6, Fate.LOST, None, None), record)
    then = show_status(ClaudeCode(), limited(), LOST.story, checkout).next
    assert then.salvage == f"refloat salvage {LOST.session.name} --out lost.patch"
    gives = "writes lost work out: what git can take as a patch, the rest beside it, in lost.patch.files"
    assert then.why.endswith(f"; `{then.salvage}` {gives}")


def test_an_edit_without_a_result_is_unconfirmed_and_never_lost() -> None:
    """Nobody knows that it was ever made: status and triage say of it what the checkout does."""
    [gone] = [file for file in LOST.checkout.files if file.path == "src/vat.py"]
    doubtful = replace(gone, confirmed=False, edits=(replace(gone.edits[-1], fate=Fate.UNCONFIRMED, by=None),))
    checkout = replace(LOST.checkout, files=(doubtful,))
    why = show_status(ClaudeCode(), limited(), LOST.story, checkout).next.why
    assert "the edit of src/vat.py is unconfirmed, and the checkout does not hold it" in why
    assert "is lost" not in why
    found = sort_findings((), checkout, {}, ()).gone
    assert [(row.known_as, row.unconfirmed) for row in found] == [("unconfirmed", True)]


def test_a_stopped_session_tells_its_open_plan() -> None:
    sample = stopped()
    plan = Plan((("Write it", "completed"), ("Document it", "in_progress"), ("Add a test", "pending")), 1)
    session = replace(sample.session, state=State.STOPPED, failure=None, workspace=HERE)
    then = show_status(ClaudeCode(), session, replace(sample.story, plan=plan), sample.checkout).next
    assert then.operation == "continue"
    assert "2 entries of its plan are not done (Document it, Add a test)" in then.why


def test_nothing_is_said_to_be_open_only_after_a_look() -> None:
    unseen = show_status(ClaudeCode(), limited(), LOST.story).next
    assert unseen.open is None
    assert "left open" not in unseen.why
    clean = replace(LOST.checkout, files=())
    seen = show_status(ClaudeCode(), limited(), replace(LOST.story, plan=None), clean).next
    assert seen.open == ()
    assert seen.why.endswith("nothing is left open")


def test_where_somebody_else_is_at_it_nothing_is_said_to_be_closed() -> None:
    session = limited()
    lease = Lease(session.name, "t", "ben@quay", Runner("quay"), NOW, NOW, NOW, "is recovering this")
    seen = replace(plain_situation("continue", session, ClaudeCode()), lease=lease, now=NOW)
    clean = replace(LOST.checkout, files=())
    then = show_status(ClaudeCode(), session, replace(LOST.story, plan=None), clean, seen=seen).next
    assert then.operation == "resolve_liveness"
    assert then.why.endswith("who finishes it or takes it over")


def test_work_in_a_stash_is_named_with_its_stash() -> None:
    stash = FoundIn(PlaceKind.STASH, "src/vat.py", "stash@{0}", "a" * 40)
    checkout = with_file(FileState.REVERTED, EditFate(6, Fate.REVERTED, None, None), stash)
    why = show_status(ClaudeCode(), limited(), LOST.story, checkout).next.why
    assert "the work on src/vat.py stands in stash@{0} only" in why
    assert "is lost" not in why


def test_what_a_session_that_ended_well_took_back_itself_is_not_lost() -> None:
    checkout = with_file(FileState.REVERTED, EditFate(6, Fate.REVERTED, None, "step 9"))
    session = replace(LOST.session, state=State.STOPPED, failure=None)
    assert "src/vat.py" not in show_status(ClaudeCode(), session, LOST.story, checkout).next.why


def brief_of(name: str) -> str:
    row = f'{{"session":"{name}","head":null,"workspace":null,"files":[],"transcript":[]}}'
    return f"# Round prices\n\n<!-- refloat/1 {row} -->\n"


@pytest.mark.parametrize("whose", ["own", "another's", "a person's", "nobody's"])
def test_only_a_brief_of_this_very_session_is_read_by_its_next_command(tmp_path: Path, whose: str) -> None:
    session = replace(LOST.session, workspace=str(tmp_path), worktree=None)
    text = {"own": brief_of(session.name), "another's": brief_of("claude-code:other"), "a person's": "# Mine\n"}
    if whose in text:
        (tmp_path / "HANDOFF.md").write_text(text[whose])
    then = show_status(ClaudeCode(), session, LOST.story).next
    named = ("--brief", str(tmp_path / "HANDOFF.md")) if whose == "own" else ()
    assert then.command == ("refloat", "new", "--parent", session.name, *named)
    assert ("HANDOFF.md" in then.why) == (whose == "own")


def test_a_brief_that_the_recovery_wrote_elsewhere_is_named_as_long_as_it_is_there(tmp_path: Path) -> None:
    session = replace(LOST.session, workspace=str(tmp_path), worktree=None)
    path = tmp_path / "elsewhere.md"

    def told(brief: str | None) -> str | None:
        recovered = Recovered("ada@vm", Stamp("2026-09-14T12:00:00.000Z"), brief, None, path.exists(), None)
        return brief_of_recovery(recovered, session.name)

    assert brief_of_recovery(None, session.name) is None
    assert (told(None), told(str(path))) == (None, None)
    path.write_text(brief_of("claude-code:other"))
    assert told(str(path)) is None
    path.write_text(brief_of(session.name))
    assert told(str(path)) == str(path)
    then = show_status(ClaudeCode(), session, LOST.story, brief=told(str(path))).next
    assert then.command == ("refloat", "new", "--parent", session.name, "--brief", str(path))
    (tmp_path / "HANDOFF.md").write_text(brief_of(session.name))
    then = show_status(ClaudeCode(), session, LOST.story, brief=told(str(path))).next
    assert then.command is not None
    assert then.command[-1] == str(tmp_path / "HANDOFF.md")


def test_where_nothing_can_be_started_the_next_command_writes_the_brief(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    session = replace(LOST.session, workspace="relative", worktree=None)
    then = show_status(ClaudeCode(), session, LOST.story).next
    assert then.command == ("refloat", "brief", session.name, "--out", "HANDOFF.md")
    assert then.why.index("--out HANDOFF.md") < then.why.index("claude 'Read HANDOFF.md and continue from it.'")
