"""What the footer leaves out is what the guard would refuse; the key still asks, and the question says why."""

from dataclasses import replace
from typing import get_args

import pytest
from tests.core.model.test_guard import CRASH, ELSEWHERE, GONE, LIMIT, LIVE, MANY, UNRESOLVED, lease
from tests.tui.conftest import FakeLibrary, some_sessions
from tests.tui.operated import refused
from tests.tui.test_desk import WIDE, settle, words_of
from tests.tui.test_operations import FakeOperations, app_with
from tests.tui.waiting import until

from refloat.model.advice import advise
from refloat.model.guard import judge
from refloat.model.liveness import Liveness
from refloat.model.session import Failure, FailureKind, State
from refloat.model.situation import Guarded, Situation
from refloat.model.status import NextOperation, Status
from refloat.testing.samples import at, crashed
from refloat_tui.present.in_vain import in_vain
from refloat_tui.screens.desk import DeskScreen
from refloat_tui.screens.operation import OperationScreen
from refloat_tui.widgets.head import Head

KEYS: dict[str, Guarded] = {
    "desk_attach": "attach",
    "desk_stop": "stop",
    "desk_continue": "continue",
    "desk_new": "new",
}
ENDED = [(state, GONE) for state in (State.FAILED, State.STOPPED, State.UNBOUND)]


@pytest.mark.parametrize("place", ["/src", None])
@pytest.mark.parametrize("repaired", [False, True])
@pytest.mark.parametrize("dangling", [0, 1])
@pytest.mark.parametrize("failure", [LIMIT, CRASH, None])
@pytest.mark.parametrize(("state", "liveness"), [LIVE, MANY, UNRESOLVED, ELSEWHERE, *ENDED])
def test_what_is_left_out_is_what_the_guard_refuses(
    state: State, liveness: Liveness, failure: Failure | None, dangling: int, repaired: bool, place: str | None
):
    session = replace(
        crashed().session,
        state=state,
        liveness=liveness,
        failure=failure if state is State.FAILED else None,
        dangling=dangling,
        repaired=repaired,
        workspace=place,
    )
    situation = Situation(
        "continue",
        session.name,
        state,
        liveness,
        at(0),
        "",
        failure=session.failure,
        dangling=dangling,
        repaired=repaired,
        workspace=place,
        workspace_there=place is not None,
    )
    status = Status(session, None, (), None, NextOperation(advise(situation).operation, None, place, ""))
    vain = in_vain(session, status, None, no_way=False)
    for action, operation in KEYS.items():
        ruling = judge(replace(situation, operation=operation))
        can_be_named = ruling.branch == "name_the_process" and liveness != ELSEWHERE[1]
        assert (action in vain) == (not ruling.allowed and not can_be_named), (action, ruling.branch)


def test_who_holds_it_and_what_leads_nowhere_count():
    session = crashed().session
    assert {"desk_continue", "desk_new"} <= in_vain(session, None, lease(session.name), no_way=False)
    assert "desk_new" not in in_vain(session, None, None, no_way=False)
    live = replace(session, state=State.LIVE, liveness=LIVE[1])
    assert "desk_attach" not in in_vain(live, None, None, no_way=False)
    assert "desk_attach" in in_vain(live, None, None, no_way=True)
    assert "desk_peek" not in in_vain(live, None, None, no_way=True)


async def test_a_dead_session_offers_what_can_be_done_and_every_key_still_says_why():
    async with app_with(FakeOperations()).run_test(size=WIDE) as pilot:
        await settle(pilot)
        footer = words_of(pilot.app).splitlines()[-1]
        assert [word for word in ("e evidence", "+ new", "q quit") if word not in footer] == []
        assert [word for word in ("a attach", "s stop", "c continue", "p peek") if word in footer] == []
        await pilot.press("a")
        await until(pilot, lambda: isinstance(pilot.app.screen, OperationScreen))


@pytest.mark.parametrize("size", [WIDE, (200, 60)])
@pytest.mark.parametrize("seen", [True, False])
async def test_the_footer_offers_nothing_that_would_be_refused_whatever_room_there_is(
    size: tuple[int, int], seen: bool
):
    operations = FakeOperations(refused("it lives without a terminal"), screen=("$",) if seen else None)
    library = FakeLibrary(some_sessions())
    asks = {"a attach": "desk_attach", "p peek": "desk_peek", "c continue": "desk_continue"}
    asks |= {"s stop": "desk_stop", "+ new": "desk_new"}
    async with app_with(operations, library).run_test(size=size) as pilot:
        await settle(pilot)
        desk = pilot.app.screen
        assert isinstance(desk, DeskScreen)
        for name, session in library.all.items():
            desk.show_session(name)
            await settle(pilot)
            head = desk.query_one(Head)
            if session.state is State.LIVE:
                await until(pilot, lambda head=head: head.no_way)
                assert desk.is_vain("desk_peek") is not seen
            for words, action in asks.items():
                footer = words_of(pilot.app).splitlines()[-1]
                assert not (desk.is_vain(action) and words in footer), (session.state, words)


async def test_salvage_and_repair_are_offered_where_there_is_something_for_them(library: FakeLibrary):
    name, session = next(iter(library.all.items()))
    damaged = Failure(FailureKind.TRANSCRIPT_DAMAGED, "line 3 is cut off", at(0))
    async with app_with(FakeOperations(), library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        footer = words_of(pilot.app).splitlines()[-1]
        assert [word for word in ("Y salvage", "M repair") if word in footer] == []
        head = pilot.app.screen.query_one(Head)
        status = head._status  # pyright: ignore[reportPrivateUsage] - as it was read
        assert status is not None
        head.learn(replace(status, next=replace(status.next, salvage=f"refloat salvage {name} --out lost.patch")))
        pilot.app.screen.refresh_bindings()
        await until(pilot, lambda: "Y salvage" in words_of(pilot.app).splitlines()[-1])
        library.all[name] = replace(session, failure=damaged)
        library.tell()
        await until(pilot, lambda: "M repair" in words_of(pilot.app).splitlines()[-1])


def test_every_operation_that_asks_the_guard_is_thought_of():
    assert set(KEYS.values()) == set(get_args(Guarded)) - {"install", "recover"}
