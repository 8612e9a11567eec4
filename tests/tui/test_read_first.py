"""A question that does something, and a page that is gone on from, are not answered by a key that was held or in haste.

When a key was pressed is written into it: nothing here waits.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.tui.conftest import FakeLibrary, make_app, some_sessions
from tests.tui.operated import FakeOperations
from tests.tui.waiting import has_read, until
from textual import events
from textual.pilot import Pilot
from textual.widgets import Static

from refloat.model.recovery import Page
from refloat.testing.rescues import rescue_of, still_machine
from refloat.testing.samples import crashed
from refloat.usecases.keep_draft import open_drafts
from refloat_tui.app import RefloatApp
from refloat_tui.base import TOO_SOON, RefloatScreen
from refloat_tui.screens.confirm import Confirm
from refloat_tui.screens.doors import Doors
from refloat_tui.screens.operation import OperationScreen
from refloat_tui.screens.wizard.screen import WizardScreen
from refloat_tui.theme import UNICODE
from refloat_tui.turns import TurnApp


@pytest.fixture(autouse=True)
def _in_earnest(at_once: None, monkeypatch: pytest.MonkeyPatch) -> None:
    del at_once
    monkeypatch.setattr(RefloatScreen, "pace", 1.0)


async def press(pilot: Pilot[str], key: str, times: Sequence[float]) -> None:
    """Keys as the terminal tells of them, pressed when it is said."""
    for time in times:
        event = events.Key(key, key if len(key) == 1 else None).set_sender(pilot.app)
        event.time = time
        pilot.app.post_message(event)
    app = pilot.app
    assert isinstance(app, TurnApp)
    await until(pilot, lambda: not app.message_queue_size and not app.is_typing)


async def stands(pilot: Pilot[str]) -> float:
    """When what is asked could be seen."""
    screen = pilot.app.screen
    assert isinstance(screen, RefloatScreen)
    screen.call_after_refresh(setattr, screen, "test_drawn", True)
    await until(pilot, lambda: hasattr(screen, "test_drawn"))
    delattr(screen, "test_drawn")
    assert screen.asked_at is not None
    return screen.asked_at


async def ask(pilot: Pilot[str], key: str) -> OperationScreen:
    await until(pilot, lambda: has_read(pilot.app))
    await pilot.press(key)
    screen = pilot.app.screen
    assert isinstance(screen, OperationScreen)
    await until(pilot, lambda: screen.phase == "asking")
    return screen


def held(since: float, count: int = 25) -> list[float]:
    return [since + 0.033 * n for n in range(count)]


@pytest.mark.parametrize("key", ["s", "M", "Y"])
async def test_a_question_is_answered_once_it_has_stood(key: str):
    operations = FakeOperations()
    async with make_app(FakeLibrary(some_sessions()), Doors(operations=operations)).run_test() as pilot:
        screen = await ask(pilot, key)
        asked = await stands(pilot)
        await press(pilot, "enter", [asked + 0.03])
        assert screen.phase == "asking"
        assert TOO_SOON in str(screen.query_one("#question", Static).visual)
        await press(pilot, "enter", held(asked + 0.1, 60))
        assert screen.phase == "asking"
        assert not operations.done
        await press(pilot, "enter", [asked + 10])
        await until(pilot, lambda: operations.done)


async def test_a_key_held_since_before_the_question_does_not_answer_it_when_it_repeats():
    operations = FakeOperations()
    async with make_app(FakeLibrary(some_sessions()), Doors(operations=operations)).run_test() as pilot:
        screen = await ask(pilot, "s")
        asked = await stands(pilot)
        assert not screen.is_no_answer(at("enter", asked + 0.5), at("enter", asked + 0.0 - 10))
        assert screen.is_no_answer(at("enter", asked + 0.5), at("enter", asked - 0.1))
        assert not screen.is_no_answer(at("enter", asked + 0.5), at("s", asked - 0.1))


def at(key: str, time: float) -> events.Key:
    event = events.Key(key, None)
    event.time = time
    return event


async def test_what_was_done_is_not_closed_by_the_key_that_did_it():
    operations = FakeOperations()
    async with make_app(FakeLibrary(some_sessions()), Doors(operations=operations)).run_test() as pilot:
        screen = await ask(pilot, "Y")
        asked = await stands(pilot)
        await press(pilot, "enter", [asked + 5])
        await until(pilot, lambda: screen.phase == "done")
        ended = await stands(pilot)
        await press(pilot, "enter", held(ended - 0.1))
        assert pilot.app.screen is screen
        await press(pilot, "enter", [ended + 10])
        assert pilot.app.screen is not screen


async def test_yes_to_a_loss_counts_once_it_has_stood():
    async with make_app(FakeLibrary(some_sessions())).run_test() as pilot:
        await until(pilot, lambda: has_read(pilot.app))
        said: list[bool | None] = []
        pilot.app.push_screen(Confirm("Replace it?", "It is gone then.", glyphs=UNICODE), said.append)
        await until(pilot, lambda: isinstance(pilot.app.screen, Confirm))
        asked = await stands(pilot)
        await press(pilot, "y", [asked - 1, asked + 0.2])
        assert isinstance(pilot.app.screen, Confirm)
        assert not said
        await press(pilot, "y", [asked + 3])
        assert said == [True]


@pytest.mark.parametrize("key", ["ctrl+c", "ctrl+z"])
async def test_what_ends_a_program_in_a_shell_says_what_leaves(key: str):
    app = make_app(FakeLibrary(some_sessions()))
    async with app.run_test(notifications=True) as pilot:
        await until(pilot, lambda: has_read(app))
        await pilot.press(key)
        await until(pilot, lambda: any("q leaves" in note.message for note in app._notifications))


def wizard_in(app: RefloatApp) -> WizardScreen:
    screen = app.screen
    assert isinstance(screen, WizardScreen)
    return screen


def page_of(app: RefloatApp) -> Page:
    recovery = wizard_in(app)._recovery
    assert recovery is not None
    return recovery.given.page


async def test_pages_are_gone_through_one_at_a_time(tmp_path: Path):
    machine, sample = still_machine(tmp_path), crashed()
    with open_drafts(machine) as drafts:
        doors = Doors(wizard=lambda _: WizardScreen(lambda: rescue_of(sample, machine, drafts=drafts), glyphs=UNICODE))
        app = make_app(FakeLibrary(some_sessions()), doors, chosen=sample.session.name, recover=True)
        async with app.run_test(size=(120, 40)) as pilot:
            await until(pilot, lambda: isinstance(app.screen, WizardScreen) and wizard_in(app)._recovery)
            first = await stands(pilot)
            await press(pilot, "enter", [first + 1] * 10)
            assert page_of(app) is Page.HAPPENED
            assert TOO_SOON in str(wizard_in(app).query_one("#head-saved", Static).visual)
            second = await stands(pilot)
            await press(pilot, "enter", [second - 0.1])
            assert page_of(app) is Page.HAPPENED, "pressed before the page was there"
            await press(pilot, "enter", held(second + 1))
            assert page_of(app) is Page.CHECKOUT
            third = await stands(pilot)
            last = max(third, second + 2)
            await press(pilot, "enter", [last + 0.5])
            assert page_of(app) is Page.TRIAGE, "whoever presses every half second is not slowed"
            await until(pilot, lambda: not wizard_in(app)._saving)
