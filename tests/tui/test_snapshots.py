"""What only eyes can judge: one picture for each kind of screen, each a short story."""

from typing import Protocol

import pytest
from tests.tui.conftest import UTF8, FakeLibrary, make_app, some_sessions
from tests.tui.evidence import evidence
from tests.tui.operated import FakeOperations, refused
from tests.tui.waiting import has_read, until
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input

from refloat_tui.screens.desk import DeskScreen, Doors
from refloat_tui.screens.operation import OperationScreen
from refloat_tui.screens.peek import PeekScreen


class Compare(Protocol):
    """The fixture of pytest-textual-snapshot."""

    def __call__(self, app: App[str], *, terminal_size: tuple[int, int], run_before: object) -> bool: ...


async def read(pilot: Pilot[str], *keys: str) -> None:
    """Wait until everything of the chosen session stands there, then press."""
    await until(pilot, lambda: has_read(pilot.app))
    for key in keys:
        await pilot.press(key)
        await pilot.pause()
    for field in pilot.app.screen.query(Input):
        field.cursor_blink = False  # a picture holds one moment
    desk = pilot.app.screen
    if isinstance(desk, DeskScreen):
        await until(pilot, lambda: not desk.is_at("find", "look", "place", "read", "answer"))


async def stands(pilot: Pilot[str]) -> None:
    """Wait until a question, or somebody's screen, was looked at."""
    screen = pilot.app.screen
    if isinstance(screen, OperationScreen):
        await until(pilot, lambda: screen.phase == "asking")
    else:
        assert isinstance(screen, PeekScreen)
        await until(pilot, lambda: screen.text.rows)


STORIES = {
    "list": (),
    "recap": ("enter",),
    "history at the crash": ("2", "x"),
    "checkout": ("3", "down", "down", "down"),
    "triage": ("4",),
}


OPERATIONS = {
    "continuing": ("down", "down", "down", "c"),
    "a new one": ("plus",),
    "stopping": ("down", "down", "s"),
    "repairing": ("M",),
    "peeking": ("down", "down", "p"),
}
REFUSED = refused("eve@lab is continuing this (process 88), for 2 minutes", instead="attach", force_helps=True)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)], ids=["small", "wide", "huge"])
@pytest.mark.parametrize("story", list(OPERATIONS))
def test_operations(snap_compare: Compare, story: str, size: tuple[int, int]):
    async def tell(pilot: Pilot[str]) -> None:
        await read(pilot, *OPERATIONS[story])
        await stands(pilot)

    app = make_app(FakeLibrary(some_sessions()), Doors(operations=FakeOperations()))
    assert snap_compare(app, terminal_size=size, run_before=tell)


LOOKS = {"colours": UTF8, "ascii": {"TERM": "xterm", "LANG": "C"}, "no colour": {**UTF8, "NO_COLOR": "1"}}


@pytest.mark.parametrize("look", list(LOOKS))
def test_a_refusal(snap_compare: Compare, look: str):
    async def tell(pilot: Pilot[str]) -> None:
        await read(pilot, "c")
        await stands(pilot)

    doors = Doors(operations=FakeOperations(REFUSED))
    app = make_app(FakeLibrary(some_sessions()), doors, environment=LOOKS[look])
    assert snap_compare(app, terminal_size=(80, 24), run_before=tell)


EVIDENCE = {
    "both sides": ("enter", "3", "enter", "down"),
    "claims": ("enter", "4", "left", "space"),
    "moving": ("enter", "4", "m"),
}


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["small", "wide"])
@pytest.mark.parametrize("story", list(EVIDENCE))
def test_evidence(snap_compare: Compare, story: str, size: tuple[int, int]):
    async def tell(pilot: Pilot[str]) -> None:
        await read(pilot, *EVIDENCE[story])

    library = FakeLibrary(some_sessions())
    library.samples[next(iter(library.samples))] = evidence()
    assert snap_compare(make_app(library), terminal_size=size, run_before=tell)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["small", "wide"])
@pytest.mark.parametrize("story", list(STORIES))
def test_desk(snap_compare: Compare, story: str, size: tuple[int, int]):
    async def tell(pilot: Pilot[str]) -> None:
        await read(pilot, *STORIES[story])

    assert snap_compare(make_app(FakeLibrary(some_sessions())), terminal_size=size, run_before=tell)


def test_nothing_there(snap_compare: Compare):
    assert snap_compare(make_app(FakeLibrary([])), terminal_size=(80, 24), run_before=read)


def test_ascii_and_sixteen_colours(snap_compare: Compare):
    async def tell(pilot: Pilot[str]) -> None:
        await read(pilot, "e")

    app = make_app(FakeLibrary(some_sessions()), environment={"TERM": "xterm", "LANG": "C"})
    assert snap_compare(app, terminal_size=(120, 40), run_before=tell)
