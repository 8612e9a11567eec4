"""Whatever is typed, however fast: the app stands, and still shows what it should."""

import random

import pytest
from tests.tui.conftest import FakeLibrary, make_app, some_sessions
from tests.tui.evidence import evidence
from tests.tui.waiting import has_read, until
from textual import events
from textual.app import App
from textual.command import CommandList
from textual.screen import Screen

from refloat_tui.screens.desk import DeskScreen
from refloat_tui.screens.doors import Doors
from refloat_tui.screens.help import HelpScreen
from refloat_tui.screens.wizard.farewell import Farewell

KEYS = [
    *"123456abcdefghijklmnoprstuvwxyzGy/?.",
    *("up", "down", "left", "right", "pageup", "pagedown", "home", "end", "enter", "escape", "tab", "shift+tab"),
    *("ctrl+p", "ctrl+p", "f1", "f2", "ctrl+r", "space", "backspace", "slash", "question_mark"),
]


class Elsewhere(Screen[Farewell]):
    """Stands for the wizard; any way back will do."""

    BINDINGS = [("escape", "dismiss", "back"), ("q", "dismiss", "back")]  # noqa: RUF012 - as Textual wants it


@pytest.mark.parametrize(("seed", "size"), [(0, (80, 24)), (1, (120, 40))])
async def test_random_keys(seed: int, size: tuple[int, int]):
    chance = random.Random(seed)  # noqa: S311 - no secret
    app = make_app(FakeLibrary(some_sessions()), Doors(lambda _: Elsewhere()))
    async with app.run_test(size=size, notifications=True) as pilot:
        await until(pilot, lambda: has_read(pilot.app))
        for _ in range(16):
            await pilot.press(*chance.choices(KEYS, k=6))
        assert app.is_running
        for _ in range(12):
            if isinstance(app.screen, DeskScreen):
                break
            await pilot.press("escape")
            await pilot.pause()
        assert isinstance(app.screen, DeskScreen)
        assert app.screen.query_one("#sessions") is not None


async def test_a_page_of_a_palette_without_lines_is_none():
    app = make_app(FakeLibrary(some_sessions()))
    async with app.run_test(size=(20, 5)) as pilot:
        await until(pilot, lambda: has_read(pilot.app))
        app.action_anywhere_palette()
        palette = app.screen
        await until(pilot, lambda: palette.query(CommandList))
        rows = palette.query_one(CommandList)
        rows.display = False
        rows.clear_options().add_options(["one", "two"])
        await until(pilot, lambda: not rows.scrollable_content_region)
        rows.highlighted = 0
        for action in ("page_down", "page_up", "cursor_down", "first", "last"):
            await app.run_action(f"command_list({action!r})", palette)
    assert app._exception is None


JUMPS = [
    "2",
    "3",
    "4",
    "v",
    "v",
    "enter",
    "enter",
    "backspace",
    "up",
    "down",
    "left",
    "right",
    "tab",
    "u",
    "m",
    "space",
]


@pytest.mark.parametrize(("seed", "size"), [(2, (80, 24)), (3, (120, 40))])
async def test_random_jumps_between_the_panes(seed: int, size: tuple[int, int]):
    chance = random.Random(seed)  # noqa: S311 - no secret
    library = FakeLibrary(some_sessions())
    library.samples[next(iter(library.samples))] = evidence()
    async with make_app(library).run_test(size=size, notifications=True) as pilot:
        await until(pilot, lambda: has_read(pilot.app))
        await pilot.press("enter")
        for _ in range(24):
            await pilot.press(*chance.choices(JUMPS, k=6), "escape")
            if isinstance(pilot.app.screen, DeskScreen) and size[0] < 100:
                await pilot.press("enter")
        while not isinstance(pilot.app.screen, DeskScreen):
            await pilot.press("escape")
            await pilot.pause()
        await pilot.press("4")
        await until(pilot, lambda: pilot.app.screen.query_one("#triage").display)


async def test_the_palette_under_a_hail_of_keys():
    chance = random.Random(7)  # noqa: S311 - no secret
    app = make_app(FakeLibrary(some_sessions()))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: has_read(pilot.app))
        for _ in range(12):
            await pilot.press("ctrl+p", *chance.choices(["r", "e", "down", "up", "pagedown", "end", "backspace"], k=7))
            await pilot.press("escape")
        assert app.is_running


def _best_hit(app: App[str]) -> str:
    """What enter would do in the palette now; nothing while it still searches."""
    lists = app.screen.query(CommandList)
    option = lists.first().highlighted_option if lists else None
    return str(option.prompt) if option is not None else ""


async def test_the_palette_does_what_it_says():
    app = make_app(FakeLibrary(some_sessions()))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: has_read(pilot.app))
        await pilot.press("ctrl+p", *"checkout")
        await until(pilot, lambda: _best_hit(app).startswith("Checkout"))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, DeskScreen) and app.screen.query_one("#checkout").display)


async def test_a_screen_that_is_left_twice_takes_no_other_with_it():
    app = make_app(FakeLibrary(some_sessions()))
    async with app.run_test(size=(20, 5)) as pilot:
        await until(pilot, lambda: has_read(pilot.app))
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))
        top = app.screen
        for _ in range(3):
            top.dismiss()
        await until(pilot, lambda: app.screen is not top)
        await pilot.pause()
        assert isinstance(app.screen, DeskScreen)
        await pilot.press("tab", "shift+tab")
        assert app.is_running


async def test_the_palette_is_left_once_however_often_enter_is_pressed():
    app = make_app(FakeLibrary(some_sessions()))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: has_read(pilot.app))
        await pilot.press("ctrl+p", *"recap")
        await until(pilot, lambda: _best_hit(app).startswith("Recap"))
        palette = app.screen
        for _ in range(6):
            app.post_message(events.Key("enter", None))  # at once, as a terminal hands over what was typed fast
        await until(pilot, lambda: app.screen is not palette)
        await pilot.pause()
        # Only the first was the palette's. The others go to the desk, one after the other.
        assert palette not in app.screen_stack
        assert isinstance(app.screen_stack[1], DeskScreen)
        assert app.is_running
