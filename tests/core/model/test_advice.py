"""Advice and guard say the same, over every row of the guard's table."""

from dataclasses import replace

import pytest
from tests.core.model.test_guard import ELSEWHERE, GONE, LIVE, MY_OWN, TABLE, THERE, UNRESOLVED, lease, newer, seen

from refloat.model.advice import advise
from refloat.model.guard import judge, tied_to
from refloat.model.session import State
from refloat.model.situation import Guarded, Situation
from refloat.model.status import Operation

ASKS: dict[Operation, Guarded | None] = {
    "attach": "attach",
    "continue": "continue",
    "prompt": "continue",
    "new_linked": "new",
    "resolve_liveness": None,
}
"""What the guard is asked where somebody does what was advised."""
ROWS = {name: replace(row[1], force=None, pid=None) for name, row in TABLE.items()}
STATES = [(state, GONE) for state in (State.FAILED, State.STOPPED, State.UNBOUND)] + [LIVE, UNRESOLVED, ELSEWHERE]
FORBIDDING = [
    {},
    {"lease": lease()},
    {"lease": MY_OWN},
    {"workspace_leases": (THERE,)},
    {"workspace": None},
    {"workspace": "sub"},
    {"workspace_there": False},
    {"copy_only": True},
    {"takes_id": False},
    {"newer": newer(State.LIVE)},
    {"lease": lease(), "workspace_there": False},
]


@pytest.mark.parametrize("row", ROWS)
def test_what_is_advised_is_what_the_guard_lets_through(row: str) -> None:
    agree(ROWS[row])


@pytest.mark.parametrize(("state", "liveness"), STATES)
@pytest.mark.parametrize("more", FORBIDDING)
def test_they_agree_whatever_forbids(state: State, liveness: object, more: dict[str, object]) -> None:
    agree(replace(seen("continue", state), **{"liveness": liveness, **more}))


def agree(situation: Situation) -> None:
    advice = advise(situation)
    asked = ASKS[advice.operation]
    if asked is not None:
        ruling = judge(replace(situation, operation=asked))
        assert ruling.allowed == (not advice.forbids), (advice, ruling)
    for operation in ("continue", "new"):
        may = judge(replace(situation, operation=operation)).allowed
        assert not may or advice.operation != "resolve_liveness", (operation, advice)
        assert not may or not advice.forbids, (operation, advice)
    if judge(replace(situation, operation="continue")).allowed:
        assert advice.operation in {"continue", "prompt"}
    assert advice.why


@pytest.mark.parametrize("row", ROWS)
def test_what_may_be_done_instead_may_be_done(row: str) -> None:
    """By the same guard, and in the words of the refusal."""
    situation = ROWS[row]
    ruling = judge(situation)
    assert ruling.instead is None or not ruling.allowed
    if ruling.instead in {None, "brief"}:
        return
    then = judge(replace(situation, operation=ruling.instead))
    assert then.allowed or (then.branch == "name_the_process" and tied_to(situation))
    assert ruling.instead == "stop" or f"`refloat {ruling.instead} " in ruling.why


@pytest.mark.parametrize(
    ("situation", "instead"),
    [
        (seen("attach"), "continue"),
        (seen("attach", lease=lease()), None),
        (seen("stop", State.FAILED), "new"),
        (seen("new", *LIVE), "attach"),
        (seen("new", *LIVE, lease=lease()), None),
        (seen("continue", *UNRESOLVED), "stop"),
        (seen("continue", *ELSEWHERE), None),
        (seen("continue", State.FAILED), "new"),
        (seen("continue", copy_only=True, workspace_there=False), "brief"),
        (seen("continue", workspace=None), "brief"),
        (seen("new", lease=lease()), None),
        (seen("continue"), None),
    ],
)
def test_what_instead(situation: Situation, instead: str | None) -> None:
    assert judge(situation).instead == instead


def test_where_nobody_can_prove_who_owns_it_the_way_out_is_named() -> None:
    """The same `status` again would be a circle."""
    assert advise(seen("continue", *UNRESOLVED)).why.endswith(
        "the evidence names process 9; if that is its own, ending it by its number settles it"
    )
    assert advise(seen("continue", *ELSEWHERE)).why.endswith("names no process that could be ended here")


def test_who_is_held_off_is_told_by_whom_and_gets_no_command() -> None:
    advice = advise(seen("continue", lease=lease()))
    assert (advice.operation, bool(advice.forbids)) == ("resolve_liveness", True)
    assert "ana@devbox is recovering this" in advice.why
    assert advice.why.endswith(": agree with them first, who finishes it or takes it over")
    mine = advise(seen("continue", lease=MY_OWN))
    assert (mine.operation, bool(mine.forbids)) == ("resolve_liveness", True)
    assert mine.why.endswith("in another terminal; leave it there, or finish it; nothing that was said is lost")
    held = advise(seen("continue", *LIVE, lease=lease()))
    assert held.operation == "attach"
    assert held.forbids
    assert "ana@devbox" in held.why


def test_a_brief_can_be_taken_along_where_no_workspace_is() -> None:
    advice = advise(seen("continue", State.FAILED, workspace_there=False))
    assert (advice.operation, advice.by_hand) == ("new_linked", True)


@pytest.mark.parametrize(("state", "operation"), [(State.STOPPED, "continue"), (State.UNBOUND, "prompt")])
@pytest.mark.parametrize("more", [{"workspace_there": False}, {"workspace": None}])
def test_a_talk_that_ended_well_waits_for_its_place(
    state: State, operation: Operation, more: dict[str, object]
) -> None:
    advice = advise(replace(seen("continue", state), **more))
    assert (advice.operation, advice.first_the_place, advice.by_hand) == (operation, True, False)
    assert advise(replace(seen("continue", state, copy_only=True), **more)).operation == "new_linked"
