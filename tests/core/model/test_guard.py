"""Every row of the guard's table, each named by its branch (design, sections 3 and 9)."""

from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refloat.model.attempts import InChain, Standing
from refloat.model.guard import judge, judge_again, judge_taken
from refloat.model.liveness import Evidence, Liveness, Verdict
from refloat.model.record import Lease
from refloat.model.saving import Runner
from refloat.model.session import Failure, FailureKind, SessionName, State
from refloat.model.situation import Branch, Bystander, Situation
from refloat.model.stamp import Stamp, later

NOW = Stamp("2026-09-14T12:00:00.000Z")
NAME = SessionName("codex:1")
GONE = Liveness(Verdict.GONE, ())
OWNED = Liveness(Verdict.RUNNING, (Evidence("register", "a register names process 7", 7, NOW),))
BY_MANY = Liveness(Verdict.RUNNING, (*OWNED.evidence, Evidence("open_file", "process 8 holds it open", 8, NOW)))
MAYBE = Liveness(
    Verdict.CANDIDATE,
    (Evidence("cwd", "process 9 works there", 9, NOW), Evidence("child", "background work runs", 10, NOW)),
)
UNSEEN = Liveness(Verdict.UNKNOWABLE, (Evidence("other_host", "it was written on \x1b[31manother host", None, NOW),))
LIMIT = Failure(FailureKind.RATE_LIMIT, "too many requests", NOW)
CRASH = Failure(FailureKind.PROCESS_EXIT, "the process is gone", NOW)


def lease(subject: str = NAME, holder: str = "ana@devbox", doing: str | None = "is recovering this") -> Lease:
    return Lease(subject, "t", holder, Runner("devbox", 12, "5"), later(NOW, -14 * 60), NOW, later(NOW, 60), doing)


MY_OWN = lease(holder="ben@devbox")
THERE = lease("workspace:devbox:/src", doing="is continuing this")


def newer(state: State, newest: SessionName = SessionName("codex:2")) -> Standing:  # noqa: B008 - text
    return Standing(InChain(1, 2, None, newest, newest, None, newest), newest, state)


def seen(operation: Any, state: State = State.STOPPED, liveness: Liveness = GONE, **more: Any) -> Situation:
    return replace(Situation(operation, NAME, state, liveness, NOW, "ben@devbox", workspace="/src"), **more)


LIVE = (State.LIVE, OWNED)
MANY = (State.LIVE, BY_MANY)
HIDDEN = (State.LIVE, Liveness(Verdict.RUNNING, ()))
UNRESOLVED = (State.UNRESOLVED, MAYBE)
ELSEWHERE = (State.UNRESOLVED, UNSEEN)

TABLE: dict[str, tuple[Branch, Situation, str]] = {
    # operation and why → branch, what was seen, what the sentence must name
    "attach-live": ("attach_to_the_owner", seen("attach", *LIVE), "process 7 owns it"),
    "attach-live-mine": ("attach_to_the_owner", seen("attach", *LIVE, lease=MY_OWN), "process 7"),
    "attach-live-held": ("session_is_held", seen("attach", *LIVE, lease=lease()), "ana@devbox is recovering this"),
    "attach-unresolved": ("resolve_before_attaching", seen("attach", *UNRESOLVED), "process 9 may"),
    "attach-stopped": ("nothing_runs", seen("attach"), "`refloat continue codex:1`"),
    "attach-unbound": ("nothing_runs", seen("attach", State.UNBOUND), '`refloat continue codex:1 "PROMPT"`'),
    "attach-failed": ("nothing_runs", seen("attach", State.FAILED, failure=CRASH), "`refloat new --parent codex:1`"),
    "attach-failed-held": (
        "nothing_runs",
        seen("attach", State.FAILED, failure=CRASH, lease=lease()),
        "no terminal to go to; ana@devbox is recovering this (process 12)",
    ),
    "stop-live": ("stop_the_owner", seen("stop", *LIVE), "process 7"),
    "stop-live-named": ("stop_the_owner", seen("stop", *MANY, pid=8), "process 8"),
    "stop-live-another": ("process_is_not_tied", seen("stop", *LIVE, pid=9), "process 9 does not own"),
    "stop-live-hidden": ("owner_unseen", seen("stop", *HIDDEN), "cannot be seen"),
    "stop-live-mine": ("stop_the_owner", seen("stop", *LIVE, lease=MY_OWN), "process 7"),
    "stop-live-held": ("session_is_held", seen("stop", *LIVE, lease=lease()), "ana@devbox"),
    "stop-unresolved": ("name_the_process", seen("stop", *UNRESOLVED), "--pid 9"),
    "stop-unresolved-named": ("stop_the_named_process", seen("stop", *UNRESOLVED, pid=9), "process 9"),
    "stop-unresolved-child": ("process_is_not_tied", seen("stop", *UNRESOLVED, pid=10), "process 10"),
    "stop-elsewhere": ("name_the_process", seen("stop", *ELSEWHERE), "another host"),
    "stop-stopped": ("nothing_to_stop", seen("stop"), "nothing to stop"),
    "stop-failed": ("nothing_to_stop", seen("stop", State.FAILED, pid=9), "nothing to stop"),
    "stop-failed-held": (
        "nothing_to_stop",
        seen("stop", State.FAILED, lease=lease()),
        "to stop; ana@devbox is recovering",
    ),
    "stop-unbound": ("nothing_to_stop", seen("stop", State.UNBOUND), "nothing to stop"),
    "continue-stopped": ("go_on_where_it_stopped", seen("continue"), "last turn ended"),
    "continue-unbound": ("ask_for_the_first_time", seen("continue", State.UNBOUND), "nothing was ever asked"),
    "continue-provider": (
        "go_on_after_the_provider_failed",
        seen("continue", State.FAILED, failure=LIMIT),
        "rate limit",
    ),
    "continue-dangling": (
        "ended_badly",
        seen("continue", State.FAILED, failure=LIMIT, dangling=2),
        "2 calls without a result",
    ),
    "continue-failed": (
        "ended_badly",
        seen("continue", State.FAILED, failure=CRASH, dangling=1),
        "process exit, 1 call",
    ),
    "continue-untold": ("ended_badly", seen("continue", State.FAILED), "nothing says why"),
    "continue-live": ("owner_is_running", seen("continue", *LIVE), "process 7 owns codex:1"),
    "continue-many": ("owner_is_running", seen("continue", *MANY), "one of the processes 7, 8"),
    "continue-hidden": ("owner_is_running", seen("continue", *HIDDEN), "a process owns"),
    "continue-unresolved": ("owner_may_be_running", seen("continue", *UNRESOLVED), "process 9 may"),
    "continue-elsewhere": ("owner_may_be_running", seen("continue", *ELSEWHERE), "\\x1b[31manother host"),
    "continue-held": ("session_is_held", seen("continue", lease=lease()), "(process 12), for 14 minutes"),
    "continue-mine": ("session_is_held", seen("continue", lease=MY_OWN), "that is you, in another terminal"),
    "continue-place": ("workspace_is_held", seen("continue", workspace_leases=(THERE,)), "somebody else works in /src"),
    "continue-place-mine": (
        "workspace_is_held",
        seen("continue", workspace_leases=(replace(THERE, holder="ben@devbox"),)),
        "another session of yours",
    ),
    "continue-stranger": (
        "another_person_works_there",
        seen("continue", bystanders=(Bystander(5, "codex", mine=False),)),
        "process 5",
    ),
    "continue-neighbour": (
        "go_on_where_it_stopped",
        seen("continue", bystanders=(Bystander(5, "codex", mine=True),)),
        "last turn ended",
    ),
    "continue-newer": ("newer_attempt_is_running", seen("continue", newer=newer(State.LIVE)), "codex:2 went on"),
    "new-newer": ("newer_attempt_is_running", seen("new", newer=newer(State.UNRESOLVED)), "may still run"),
    "new-newer-gone": ("start_anew", seen("new", newer=newer(State.FAILED)), "linked session"),
    "new-newest": ("start_anew", seen("new", newer=newer(State.LIVE, NAME)), "linked session"),
    "continue-copy": ("only_a_copy_is_left", seen("continue", copy_only=True), "Refloat's copy"),
    "continue-repaired": (
        "go_on_with_the_repaired_copy",
        seen("continue", State.FAILED, failure=CRASH, dangling=2, repaired=True),
        "the outcome of 2 calls is unknown",
    ),
    "continue-repaired-too-long": (
        "ended_badly",
        seen("continue", State.FAILED, failure=Failure(FailureKind.CONTEXT_LIMIT, "", NOW), repaired=True),
        "context limit",
    ),
    "continue-repaired-live": ("owner_is_running", seen("continue", *LIVE, repaired=True), "process 7"),
    "continue-no-id": ("no_id_of_the_agent", seen("continue", takes_id=False), "`refloat new --parent codex:1`"),
    "continue-no-id-forced": ("no_id_of_the_agent", seen("continue", takes_id=False, force="now"), "no id"),
    "new-no-id": ("start_anew", seen("new", takes_id=False), "linked session"),
    "attach-relative": ("nothing_runs", seen("attach", workspace="sub"), "`refloat brief codex:1` hands it over"),
    "attach-no-id": ("nothing_runs", seen("attach", takes_id=False), "`refloat new --parent codex:1`"),
    "continue-relative": ("no_workspace", seen("continue", workspace="sub"), "'sub', which is no absolute path"),
    "new-no-path": ("no_workspace", seen("new", workspace="/a\0b"), "no absolute path"),
    "continue-no-place": ("no_workspace", seen("continue", workspace=None), "names no workspace"),
    "continue-place-gone": ("no_workspace", seen("continue", workspace_there=False), "/src is not there"),
    "new-stopped": ("start_anew", seen("new"), "linked session"),
    "new-unbound": ("start_anew", seen("new", State.UNBOUND), "linked session"),
    "new-failed": ("start_anew", seen("new", State.FAILED, failure=CRASH, dangling=1), "linked session"),
    "new-copy": ("start_anew", seen("new", copy_only=True), "linked session"),
    "new-live": ("owner_is_running", seen("new", *LIVE), "`refloat attach codex:1`"),
    "new-unresolved": ("owner_may_be_running", seen("new", *UNRESOLVED), "`refloat status codex:1`"),
    "new-held": ("session_is_held", seen("new", lease=lease()), "ana@devbox"),
    "new-place": (
        "workspace_is_held",
        seen("new", workspace_leases=(THERE,)),
        "ana@devbox is continuing another session (process 12)",
    ),
    "new-no-place": ("no_workspace", seen("new", workspace_there=False), "/src"),
    "install-stopped": ("install_the_copy", seen("install"), "session of its own"),
    "install-failed": ("install_the_copy", seen("install", State.FAILED), "session of its own"),
    "install-live": ("owner_is_running", seen("install", *LIVE), "process 7"),
    "install-unresolved": ("owner_may_be_running", seen("install", *UNRESOLVED), "process 9"),
    "install-held": ("session_is_held", seen("install", lease=lease()), "ana@devbox"),
    "recover-failed": ("recover", seen("recover", State.FAILED), "gone"),
    "recover-live": ("recover_beside_a_process", seen("recover", *LIVE), "starts no writer"),
    "recover-unresolved": ("recover_beside_a_process", seen("recover", *UNRESOLVED), "starts no writer"),
    "recover-held": ("session_is_held", seen("recover", lease=lease()), "ana@devbox"),
    "force-live": ("forced", seen("continue", *LIVE, force="I watch it"), "forced: I watch it"),
    "force-held": ("forced", seen("new", lease=lease(), force="Ana said so"), "forced: Ana said so"),
    "force-failed": (
        "forced",
        seen("continue", State.FAILED, failure=CRASH, force="nothing ran"),
        "forced: nothing ran",
    ),
    "force-blank": ("owner_is_running", seen("continue", *LIVE, force=" "), "process 7"),
    "force-no-place": ("no_workspace", seen("new", workspace=None, force="now"), "no workspace"),
    "force-copy": ("only_a_copy_is_left", seen("continue", copy_only=True, force="now"), "copy"),
    "force-unresolved-stop": ("name_the_process", seen("stop", *UNRESOLVED, force="now"), "--pid 9"),
    "force-nothing-to-overrule": ("go_on_where_it_stopped", seen("continue", force="now"), "last turn ended"),
}
ALLOWED = {
    "attach_to_the_owner",
    "stop_the_owner",
    "stop_the_named_process",
    "go_on_where_it_stopped",
    "go_on_after_the_provider_failed",
    "go_on_with_the_repaired_copy",
    "ask_for_the_first_time",
    "start_anew",
    "install_the_copy",
    "recover",
    "recover_beside_a_process",
    "forced",
}


@pytest.mark.parametrize("row", TABLE)
def test_row(row: str) -> None:
    branch, situation, names = TABLE[row]
    ruling = judge(situation)
    assert ruling.branch == branch
    assert ruling.allowed == (branch in ALLOWED)
    assert names in ruling.why
    assert "\x1b" not in ruling.why


def test_every_branch_has_a_row() -> None:
    assert {branch for branch, _, _ in TABLE.values()} == set(get_args(Branch))


@given(
    st.sampled_from(["continue", "new", "install"]),
    st.sampled_from(State),
    st.sampled_from([GONE, OWNED, MAYBE, UNSEEN]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([None, State.LIVE, State.UNRESOLVED, State.STOPPED]),
)
def test_without_a_force_no_writer_starts_beside_another(
    operation: Any, state: State, liveness: Liveness, held: bool, place: bool, newest: State | None
) -> None:
    situation = seen(
        operation,
        state,
        liveness,
        lease=lease() if held else None,
        workspace_leases=(THERE,) if place else (),
        newer=None if newest is None else newer(newest),
    )
    if judge(situation).allowed:
        assert state not in {State.LIVE, State.UNRESOLVED}
        assert not held
        assert operation == "install" or (not place and newest not in {State.LIVE, State.UNRESOLVED})


def test_a_refusal_names_the_holder() -> None:
    assert judge(TABLE["continue-held"][1]).holder == "ana@devbox"
    assert judge(TABLE["continue-place"][1]).holder == "ana@devbox"
    assert judge(TABLE["continue-live"][1]).holder == "process 7"
    assert judge(TABLE["continue-unresolved"][1]).holder == "process 9"
    assert judge(TABLE["continue-elsewhere"][1]).holder is None


def test_what_a_force_can_overrule_is_said_and_kept() -> None:
    both = replace(TABLE["force-live"][1], lease=lease())
    ruling = judge(both)
    assert [bool(words in why) for why, words in zip(ruling.overruled, ("process 7", "ana@devbox"), strict=True)]
    refused = judge(replace(both, force=None))
    assert (refused.branch, refused.force_helps) == ("owner_is_running", True)
    assert not judge(TABLE["stop-unresolved"][1]).force_helps
    assert judge(TABLE["force-nothing-to-overrule"][1]).overruled == ()


@pytest.mark.parametrize(
    ("operation", "before", "after"),
    [
        ("continue", {"failed": CRASH}, {"failed": CRASH, "live": 7}),
        ("continue", {"live": 7}, {"live": 8}),
        ("new", {"live": 7}, {"live": 7, "held": "later"}),
        ("continue", {"failed": CRASH, "held": "t"}, {"failed": CRASH, "held": "later"}),
        ("new", {"held": "t"}, {"held": "t", "place": "p"}),
        ("new", {"held": "t", "place": "p"}, {"held": "t", "place": "later"}),
        ("new", {"held": "t"}, {"held": "t", "near": 5}),
        ("new", {"held": "t"}, {"held": "t", "attempt": "codex:2"}),
        ("install", {"held": "t"}, {"held": "t", "may": 9}),
        ("stop", {}, {"held": "t"}),
    ],
)
def test_a_force_overrules_nobody_that_came_since(operation: Any, before: Any, after: Any) -> None:
    first = judge(_shown(operation, **before))
    assert judge_again(_shown(operation, **before), first).allowed
    again = judge_again(_shown(operation, **after), first)
    assert (again.allowed, again.force_helps) == (False, True)
    assert "came while this was being prepared" in again.why
    assert judge(_shown(operation, **after)).allowed, "a force that has seen it overrules it"


def test_a_force_holds_when_less_forbids_than_before() -> None:
    first = judge(_shown("continue", live=7, held="t"))
    afters: tuple[dict[str, Any], ...] = ({"live": 7}, {"held": "t"}, {"may": 7}, {"may": None}, {})
    for after in afters:
        assert judge_again(_shown("continue", **after), first).allowed, after
    assert judge_again(_shown("continue", may=None), judge(_shown("continue", may=9))).allowed


def _shown(
    operation: Any,
    *,
    live: int | None = None,
    may: int | None = -1,
    failed: Failure | None = None,
    held: str = "",
    place: str = "",
    near: int = 0,
    attempt: str = "",
) -> Situation:
    """A situation in which each word forbids, and a force that overrules."""
    state = State.LIVE if live or operation == "stop" else State.FAILED if failed else State.STOPPED
    evidence: tuple[Evidence, ...] = ()
    if state is State.LIVE:
        evidence = (Evidence("register", "owns it", live or 7, NOW),)
    elif may != -1:
        state, evidence = State.UNRESOLVED, (Evidence("cwd", "runs there", may, NOW),)
    verdict = Verdict.RUNNING if state is State.LIVE else Verdict.CANDIDATE if evidence else Verdict.GONE
    return replace(
        seen(operation, state),
        liveness=Liveness(verdict, evidence),
        force="I know better",
        failure=failed,
        lease=replace(lease(), token=held) if held else None,
        workspace_leases=(replace(THERE, token=place),) if place else (),
        bystanders=(Bystander(near, "codex", mine=False),) if near else (),
        newer=newer(State.LIVE, SessionName(attempt)) if attempt else None,
    )


def test_only_owners_and_named_processes_are_handed_to_attach_and_stop() -> None:
    assert judge(seen("stop", *MANY)).pids == (7, 8)
    assert judge(seen("stop", *UNRESOLVED, pid=9)).pids == (9,)
    assert judge(seen("attach", *LIVE)).pids == (7,)
    assert judge(seen("continue")).pids == ()


def test_warnings_tell_of_what_does_not_forbid() -> None:
    near = Bystander(5, "codex", mine=True, session="codex:2")
    assert judge(seen("new", bystanders=(near,))).warnings == (
        "process 5 (codex) of yours works in this workspace, too, on codex:2",
    )
    assert "process 7" in judge(seen("recover", *LIVE)).warnings[0]
    assert "another process of yours" in judge(seen("stop", *LIVE, lease=MY_OWN)).warnings[0]
    itself = replace(MY_OWN, runner=Runner("devbox", 7, "5"))
    for operation in ("attach", "stop"):
        assert judge(seen(operation, *LIVE, lease=itself)).warnings == (), "it is the very process that this is about"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-90000, "for 1 day"),
        (-7200, "for 2 hours"),
        (-60, "for 1 minute"),
        (-59, "since a moment ago"),
        (60, "since 2026-09-14T12:01:00.000Z by their clock"),
    ],
)
def test_the_age_of_a_lease(seconds: int, words: str) -> None:
    held = replace(lease(), since=later(NOW, seconds))
    assert words in judge(seen("continue", lease=held)).why


def test_who_took_a_lease_between_look_and_taking_is_named_whatever_was_to_be_overruled() -> None:
    forced = seen("continue", *LIVE, force="now")
    assert judge_taken(forced, lease()).holder == "ana@devbox"
    ruling = judge_taken(forced, THERE)
    assert (ruling.branch, ruling.allowed, ruling.force_helps) == ("workspace_is_held", False, True)


@pytest.mark.parametrize("operation", ["attach", "stop"])
def test_nobody_is_told_to_hand_over_what_somebody_is_at(operation: str) -> None:
    ruling = judge(seen(operation, State.FAILED, failure=CRASH, lease=lease()))
    assert (ruling.instead, "hands it over" in ruling.why) == (None, False)
    alone = judge(seen(operation, State.FAILED, failure=CRASH, workspace_there=False))
    assert alone.instead == "brief"


def test_a_lease_on_the_workspace_is_of_another_session_unless_it_is_the_same_persons_own_process() -> None:
    assert "continuing another session" in judge(seen("new", workspace_leases=(THERE,))).why
    both = judge(seen("new", lease=lease(doing="is continuing this"), workspace_leases=(THERE,), force="I know"))
    assert [words.partition(" (")[0] for words in both.overruled] == ["ana@devbox is continuing this"] * 2


def test_where_nobody_knows_the_owner_ending_it_is_offered_instead_of_going_there() -> None:
    assert judge(seen("attach", *UNRESOLVED)).instead == "stop"
    assert judge(seen("attach", *ELSEWHERE)).instead is None


def test_going_to_a_running_one_is_promised_only_where_its_terminal_can_be_reached() -> None:
    assert judge(seen("install", *LIVE)).why.endswith("goes to it where its terminal can be reached")
