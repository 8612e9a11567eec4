"""The state of a session from the end of its record and the verdict on its process."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refloat.liveness.verdict import judge_state, judge_subagent
from refloat.model.liveness import Evidence, Liveness, Verdict
from refloat.model.session import Activity, Failure, FailureKind, State
from refloat.model.stamp import Stamp
from refloat.model.transcript import Ending

AT = Stamp("2026-09-14T09:00:00.000Z")
DONE = Ending(
    turn="completed",
    dangling=0,
    failure=None,
    cut=False,
    prompts=1,
    pending=None,
    open_since=None,
    user_interrupted=False,
)
OPEN = replace(DONE, turn="open", open_since=AT)
LIMIT = Failure(FailureKind.RATE_LIMIT, "You've hit your usage limit", AT)


def verdict(which: Verdict, *kinds: str) -> Liveness:
    return Liveness(which, tuple(Evidence(kind, f"saw {kind}", None, AT) for kind in kinds))


def gone(*kinds: str) -> Liveness:
    return verdict(Verdict.GONE, *(kinds or ("no_process",)))


@pytest.mark.parametrize("which", [Verdict.CANDIDATE, Verdict.UNKNOWABLE])
@pytest.mark.parametrize("ending", [DONE, OPEN, replace(DONE, prompts=0, turn="none")])
def test_without_proof_nothing_is_rounded(which: Verdict, ending: Ending) -> None:
    assert judge_state(ending, verdict(which)) == (State.UNRESOLVED, None, None)


@pytest.mark.parametrize(
    ("ending", "status", "activity"),
    [
        (OPEN, ("", ""), Activity.WORKING),
        (OPEN, ("busy", ""), Activity.WORKING),
        (OPEN, ("waiting", "permission prompt"), Activity.AWAITING_APPROVAL),
        (OPEN, ("waiting", "an answer"), Activity.AWAITING_INPUT),
        (replace(OPEN, pending="approval"), ("", ""), Activity.AWAITING_APPROVAL),
        (replace(OPEN, pending="input"), ("", ""), Activity.AWAITING_INPUT),
        (replace(DONE, dangling=1), ("", ""), Activity.WORKING),
        (DONE, ("idle", ""), Activity.IDLE),
        (replace(DONE, turn="failed", failure=LIMIT), ("", ""), Activity.IDLE),
        (replace(DONE, turn="none", prompts=0), ("", ""), Activity.IDLE),
    ],
)
def test_what_a_live_session_does(ending: Ending, status: tuple[str, str], activity: Activity) -> None:
    assert judge_state(ending, verdict(Verdict.RUNNING), status=status) == (State.LIVE, activity, None)


@pytest.mark.parametrize(
    "ending",
    [
        DONE,
        replace(DONE, damaged=True),
        replace(DONE, turn="interrupted", user_interrupted=True),
        replace(DONE, turn="interrupted"),
        replace(DONE, turn="none"),
    ],
)
def test_stopped(ending: Ending) -> None:
    assert judge_state(ending, gone("boot", "register")) == (State.STOPPED, None, None)


def test_unbound() -> None:
    assert judge_state(replace(DONE, turn="none", prompts=0), gone())[0] is State.UNBOUND


@pytest.mark.parametrize(
    ("ending", "kinds", "kind"),
    [
        (OPEN, (), FailureKind.PROCESS_EXIT),
        (replace(OPEN, dangling=2), ("register",), FailureKind.PROCESS_EXIT),
        (replace(OPEN, cut=True), (), FailureKind.PROCESS_EXIT),
        (OPEN, ("boot",), FailureKind.HOST_RESTART),
        (OPEN, ("boot", "register"), FailureKind.HOST_RESTART),
        (OPEN, ("boot", "zombie"), FailureKind.PROCESS_EXIT),
        (replace(DONE, cut=True), (), FailureKind.TRANSCRIPT_DAMAGED),
        (replace(DONE, turn="none", prompts=0, cut=True), (), FailureKind.TRANSCRIPT_DAMAGED),
        (replace(DONE, cut=True), ("lock",), FailureKind.PROCESS_EXIT),
        (replace(DONE, dangling=1), (), FailureKind.UNKNOWN),
        (replace(DONE, dangling=1), ("zombie",), FailureKind.PROCESS_EXIT),
        (replace(DONE, shutdown=True, turn="interrupted"), (), FailureKind.PROCESS_EXIT),
        (replace(DONE, shutdown=True, turn="interrupted", user_interrupted=True), (), FailureKind.PROCESS_EXIT),
        (
            replace(DONE, turn="interrupted", user_interrupted=True, dangling=1),
            ("boot",),
            FailureKind.INTERRUPTED_BY_USER,
        ),
        (replace(DONE, turn="failed", failure=LIMIT), ("boot", "register"), FailureKind.RATE_LIMIT),
        (replace(OPEN, failure=LIMIT), (), FailureKind.RATE_LIMIT),
        (replace(DONE, turn="failed"), (), FailureKind.UNKNOWN),
    ],
)
def test_failed(ending: Ending, kinds: tuple[str, ...], kind: FailureKind) -> None:
    state, activity, failure = judge_state(ending, gone(*kinds), last_activity=AT)
    assert state is State.FAILED
    assert activity is None
    assert failure is not None
    assert failure.kind is kind
    assert failure.detail
    assert failure.at == AT


def test_the_detail_names_what_was_seen() -> None:
    _, _, failure = judge_state(replace(OPEN, dangling=1), gone("register"), last_activity=AT)
    assert failure is not None
    assert failure.detail == ("the process is gone; the last turn is open; 1 call has no recorded result; saw register")


@given(
    st.builds(
        Ending,
        turn=st.sampled_from(["none", "open", "completed", "interrupted", "failed"]),
        dangling=st.integers(0, 2),
        failure=st.sampled_from([None, LIMIT]),
        cut=st.booleans(),
        prompts=st.integers(0, 2),
        pending=st.sampled_from([None, "approval", "input"]),
        open_since=st.sampled_from([None, AT]),
        user_interrupted=st.just(False),
        shutdown=st.booleans(),
    ).map(lambda ending: replace(ending, user_interrupted=ending.turn == "interrupted")),
    st.sampled_from(list(Verdict)),
    st.sets(st.sampled_from(["boot", "register", "lock", "zombie", "child", "hint", "no_process"])),
)
def test_laws(ending: Ending, which: Verdict, kinds: set[str]) -> None:
    state, activity, failure = judge_state(ending, verdict(which, *sorted(kinds)), last_activity=AT)
    assert (state is State.LIVE) == (which is Verdict.RUNNING)
    assert (state is State.UNRESOLVED) == (which in {Verdict.CANDIDATE, Verdict.UNKNOWABLE})
    assert (activity is not None) == (state is State.LIVE)
    assert (failure is not None) == (state is State.FAILED)
    if which is Verdict.GONE and (ending.turn in {"open", "failed"} or ending.dangling or ending.cut):
        assert state is State.FAILED


@pytest.mark.parametrize(
    ("ending", "which", "state"),
    [
        (DONE, Verdict.RUNNING, State.STOPPED),
        (DONE, Verdict.CANDIDATE, State.STOPPED),
        (OPEN, Verdict.RUNNING, State.LIVE),
        (OPEN, Verdict.CANDIDATE, State.UNRESOLVED),
        (OPEN, Verdict.GONE, State.FAILED),
        (replace(DONE, turn="failed", failure=LIMIT), Verdict.RUNNING, State.FAILED),
    ],
)
def test_subagents_live_in_their_parent(ending: Ending, which: Verdict, state: State) -> None:
    assert judge_subagent(ending, verdict(which)) is state
