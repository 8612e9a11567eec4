"""The door to the demo."""

import threading

import pytest
from tests.tui.conftest import FakeLibrary, make_app, some_sessions
from tests.tui.test_desk import SMALL, WIDE, settle, words_of
from tests.tui.waiting import PATIENCE, has_read, until

from refloat_tui.library import Library
from refloat_tui.screens.doors import Doors


async def test_no_session_at_all_teaches_and_offers_the_demo():
    def build() -> tuple[Library, Doors]:
        return FakeLibrary(some_sessions()), Doors(is_demo=True)

    async with make_app(FakeLibrary([]), Doors(demo=build)).run_test(size=SMALL, notifications=True) as pilot:
        await until(pilot, lambda: "opens a demo" in words_of(pilot.app))
        words = words_of(pilot.app)
        assert "No coding agent has left a session" in words
        assert not words.lstrip().startswith("refloat demo")
        await pilot.press("d")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 3 and "Round prices" in words_of(pilot.app))
        assert words_of(pilot.app).lstrip().startswith("refloat demo")
        await pilot.press("q")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 2 and "opens a demo" in words_of(pilot.app))
        assert pilot.app.is_running
        await pilot.press("q")
        await until(pilot, lambda: not pilot.app.is_running)


async def test_the_demo_opens_beside_sessions_too_and_is_offered_by_the_palette_alone(library: FakeLibrary):
    def build() -> tuple[Library, Doors]:
        return FakeLibrary(some_sessions()), Doors(is_demo=True)

    async with make_app(library, Doors(demo=build)).run_test(size=(200, 60), notifications=True) as pilot:
        await settle(pilot)
        assert " d demo" not in words_of(pilot.app)
        await pilot.press("d")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 3)
        await until(pilot, lambda: words_of(pilot.app).lstrip().startswith("refloat demo"))


async def test_the_demo_is_built_once_however_often_its_key_is_pressed(library: FakeLibrary):
    built: list[object] = []
    gate = threading.Event()

    def build() -> tuple[Library, Doors]:
        built.append(None)
        gate.wait(PATIENCE)
        return FakeLibrary(some_sessions()), Doors(is_demo=True)

    async with make_app(library, Doors(demo=build)).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("d", "d", "d")
        await until(pilot, lambda: built)
        await pilot.press("d")
        gate.set()
        await until(pilot, lambda: len(pilot.app.screen_stack) == 3)
        await pilot.press("d")
        await until(pilot, lambda: not any(worker.group == "demo" for worker in pilot.app.workers if worker.is_running))
        assert (len(built), len(pilot.app.screen_stack)) == (1, 3)


@pytest.mark.parametrize("size", [SMALL, WIDE, (200, 60)])
async def test_the_way_out_of_a_demo_stands_in_the_footer(size: tuple[int, int]):
    def build() -> tuple[Library, Doors]:
        return FakeLibrary(some_sessions()), Doors(is_demo=True)

    async with make_app(FakeLibrary([]), Doors(demo=build)).run_test(size=size) as pilot:
        await until(pilot, lambda: "opens a demo" in words_of(pilot.app))
        await until(pilot, lambda: "d demo" in words_of(pilot.app).splitlines()[-1])
        empty = words_of(pilot.app).splitlines()[-1]
        await pilot.press("d")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 3 and has_read(pilot.app))
        await until(pilot, lambda: "q leave demo" in words_of(pilot.app).splitlines()[-1])
        await pilot.press("q")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 2 and "opens a demo" in words_of(pilot.app))
        await until(pilot, lambda: words_of(pilot.app).splitlines()[-1] == empty)
