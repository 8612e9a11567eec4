"""Two people at one session: the second is told who is there, may take over, and the first one notices."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from tests.tui.waiting import until
from textual.pilot import Pilot
from textual.widgets import Static, TextArea

from refloat.model.recovery import Page
from refloat.model.saving import Runner
from refloat.ports import Machine
from refloat.record.drafts import get_draft, save_draft
from refloat.record.leases import find_leases
from refloat.record.store import Record, open_record
from refloat.record.trails import load_trail
from refloat.testing.rescues import still_machine
from refloat.testing.samples import SAMPLES, crashed
from refloat.usecases.hold_session import Holder, Holding
from refloat.usecases.keep_draft import open_drafts
from refloat_tui.bench_record import BenchRecord
from refloat_tui.screens.confirm import Confirm
from refloat_tui.screens.wizard.farewell import Farewell
from refloat_tui.screens.wizard.screen import WizardScreen
from refloat_tui.screens.wrap import WrapScreen

from .harness import WizardApp

ADA = Holder("ada@here", "human:ada", Runner("here", 10, "a"), lambda _: None)
BOB = Holder("bob@there", "human:bob", Runner("there", 20, "b"), lambda _: None)


def open_it(machine: Machine) -> Record:
    return open_record(machine.places.data, machine.clock.now())


def holding(machine: Machine, own: Holder) -> Holding:
    return Holding(lambda: open_it(machine), machine.clock.now, own, crashed().session.name, "is recovering this")


@asynccontextmanager
async def wizard(machine: Machine, own: Holder) -> AsyncGenerator[tuple[WizardApp, Pilot[Farewell]]]:
    with open_drafts(machine) as drafts:
        record = BenchRecord(machine, lambda _: SAMPLES["crashed"]().story)
        app = WizardApp(crashed(), machine, drafts, record=record, holding=holding(machine, own))
        async with app.run_test(size=(120, 40)) as pilot:
            yield app, pilot


def held_by(machine: Machine) -> list[str]:
    with open_it(machine) as record:
        return [lease.holder for lease in find_leases(record)]


async def test_the_wizard_holds_its_session_and_gives_it_back(tmp_path: Path):
    machine = still_machine(tmp_path)
    async with wizard(machine, ADA) as (app, pilot):
        await until(pilot, lambda: app.wizard._recovery)
        assert held_by(machine) == ["ada@here"]
        await pilot.press("ctrl+c")
        await until(pilot, lambda: held_by(machine) == [])


@pytest.mark.parametrize("key", ["n", "enter", "escape"])
async def test_the_second_is_told_who_is_there_and_leaves_it(tmp_path: Path, key: str):
    machine = still_machine(tmp_path)
    holding(machine, ADA).take()
    async with wizard(machine, BOB) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        words = " ".join(str(said.visual) for said in app.screen.query(Static))
        assert "ada@here is recovering this since" in words
        await pilot.press(key)
        await until(pilot, lambda: app.return_value)
        assert app.return_value is not None
        assert app.return_value.sentence.startswith("Left to them: ada@here is recovering this since")
    assert held_by(machine) == ["ada@here"]


async def test_it_is_taken_over_by_a_yes_and_the_first_one_notices(tmp_path: Path):
    machine = still_machine(tmp_path)
    async with wizard(machine, ADA) as (app, pilot):
        await until(pilot, lambda: app.wizard._recovery)
        async with wizard(machine, BOB) as (second, other):
            await until(other, lambda: isinstance(second.screen, Confirm))
            await other.press("y")
            await until(other, lambda: second.wizard._recovery)
            assert held_by(machine) == ["bob@there"]
            await until(pilot, lambda: "taken over by bob" in said(app, "head-saved"))
            before = app.wizard._saved
            await pilot.press("enter")
            await pilot.pause()
            assert app.wizard._saved is before, "two never write one recovery"


def looks_away(_: WizardScreen) -> None:
    return


def said(app: WizardApp, where: str) -> str:
    return str(app.wizard.query_one(f"#{where}", Static).visual)


async def test_what_is_typed_when_it_was_taken_over_is_refused_and_told_for_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The look of each second is away here: the answer itself finds out."""
    monkeypatch.setattr(WizardScreen, "_look_who", looks_away)
    machine = still_machine(tmp_path)
    async with wizard(machine, ADA) as (app, pilot):
        await until(pilot, lambda: app.wizard._recovery)
        for _ in range(5):
            await pilot.press("enter")
            await until(pilot, lambda: not app.wizard._saving)
        assert app.wizard._view.page is Page.GOAL
        async with wizard(machine, BOB) as (second, other):
            await until(other, lambda: isinstance(second.screen, Confirm))
            await other.press("y")
            await until(other, lambda: second.wizard._recovery)
            await pilot.press("e", *"TWO", "enter")
            await until(pilot, lambda: app.wizard._lost)
            await pilot.pause()
            assert "taken over by bob" in said(app, "head-saved")
            assert "bob@there is recovering this since" in said(app, "page-changed")
            assert "TWO. T takes it back" in said(app, "page-changed")
            assert app.wizard._recovery is app.wizard._stands, "nothing stands there as an answer that is none"
            with open_it(machine) as record:
                draft = get_draft(record, crashed().session.name)
                steps = load_trail(record, f"recovery:{crashed().session.name}").steps
            assert draft is not None
            assert "TWO" not in repr(draft.given)
            assert [step.opening.tool for step in steps] == ["take over"]
            await other.press("e", *"BOBS", "enter")
            await until(other, lambda: not second.wizard._saving and second.wizard._stands is second.wizard._recovery)
            assert second.wizard._unsaved_why is None, "who took it over goes on"
            await pilot.press("T")
            await until(pilot, lambda: isinstance(app.screen, Confirm))
            await pilot.press("n")
            await until(pilot, lambda: app.screen is app.wizard)
            await pilot.press("ctrl+c")
            await until(pilot, lambda: app.return_value)
        assert app.return_value is not None
        assert app.return_value.on_desk.endswith("nothing you said since is kept.")
        assert app.return_value.sentence.startswith("bob@there is recovering this since")


async def test_it_is_taken_back_with_what_the_other_said_meanwhile(tmp_path: Path):
    machine = still_machine(tmp_path)
    async with wizard(machine, ADA) as (app, pilot):
        await until(pilot, lambda: app.wizard._recovery)
        other = holding(machine, BOB)
        other.take(force=True)
        await until(pilot, lambda: app.wizard._lost)
        await pilot.press("T")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("y")
        await until(pilot, lambda: app.wizard._lost is None)
        assert held_by(machine) == ["ada@here"]
        assert said(app, "page-changed") == ""


async def test_an_answer_given_elsewhere_is_read_and_one_can_go_on(tmp_path: Path):
    machine = still_machine(tmp_path)
    async with wizard(machine, ADA) as (app, pilot):
        await until(pilot, lambda: app.wizard._recovery)
        with open_it(machine) as record:
            draft = get_draft(record, crashed().session.name)
            assert draft is not None
            save_draft(record, replace(draft, given=replace(draft.given, goal="said on the desk")), draft.updated_at)
        await pilot.press("enter")
        await until(pilot, lambda: app.wizard._recovery and app.wizard._recovery.given.goal == "said on the desk")
        await pilot.press("enter")
        await until(pilot, lambda: app.wizard._stands and app.wizard._stands.given.page is Page.HAPPENED)
        assert app.wizard._unsaved_why is None


async def test_a_record_that_cannot_be_had_keeps_nobody_out(tmp_path: Path):
    machine = still_machine(tmp_path)
    machine.places.data.mkdir(parents=True)
    (machine.places.data / "record.db").write_bytes(b"no database at all, and long enough to be looked at" * 40)
    async with wizard(machine, ADA) as (app, pilot):
        await until(pilot, lambda: app.wizard._recovery)


@pytest.mark.parametrize("typed", ["half done"])
async def test_the_last_page_wraps_what_the_brief_says(tmp_path: Path, typed: str):
    machine = still_machine(tmp_path)
    async with wizard(machine, ADA) as (app, pilot):
        await until(pilot, lambda: app.wizard._recovery)
        for _ in range(6):
            await pilot.press("enter")
            await pilot.pause()
        await until(pilot, lambda: app.wizard._view.page is Page.BRIEF and app.wizard._written)
        await pilot.press("W")
        await until(pilot, lambda: isinstance(app.screen, WrapScreen))
        form = app.screen
        job = form.query_one("#wrap-job", TextArea).text
        assert form.query_one("#wrap-next_steps", TextArea).text == "Look what step 8 did, then go on."
        form.query_one("#wrap-summary", TextArea).text = typed
        await pilot.press("ctrl+s")
        await until(pilot, lambda: any("Sealed on" in notice.message for notice in app._notifications))
    with open_it(machine) as record:
        trail = load_trail(record, job)
    assert [wrap.summary for wrap in trail.wraps] == [typed]
    assert trail.wraps[0].next_steps == ("Look what step 8 did, then go on.",)


async def test_words_typed_into_a_wrap_outlive_the_terminal(tmp_path: Path):
    machine = still_machine(tmp_path)
    async with wizard(machine, ADA) as (app, pilot):
        await until(pilot, lambda: app.wizard._recovery)
        app.wizard.action_wizard_wrap()
        await until(pilot, lambda: isinstance(app.screen, WrapScreen))
        app.screen.query_one("#wrap-summary", TextArea).text = "typed, and killed"
        await until(pilot, lambda: app.wizard._recovery and app.wizard._recovery.given.wrap and not app.wizard._saving)
    async with wizard(machine, ADA) as (app, pilot):
        await until(pilot, lambda: app.wizard._recovery)
        assert app.wizard._recovery is not None
        assert app.wizard._recovery.given.wrap["summary"] == "typed, and killed"
