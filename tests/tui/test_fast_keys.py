"""Keys that come faster than they are dealt with do what the same keys do when each is waited for."""

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.tui.conftest import FakeLibrary, make_app, some_sessions
from tests.tui.operated import FakeOperations
from tests.tui.records import empty_record, some_record
from tests.tui.waiting import PATIENCE, has_read, meanwhile, until
from textual import events
from textual.widgets import Input, TextArea

from refloat.usecases.batch import Batch
from refloat.usecases.first_rows import FirstRows
from refloat_tui.app import RefloatApp
from refloat_tui.library import Library
from refloat_tui.screens.desk import DeskScreen
from refloat_tui.screens.doors import Doors
from refloat_tui.screens.search import SearchScreen
from refloat_tui.widgets.chain_list import ChainList
from refloat_tui.widgets.detail import Detail
from refloat_tui.widgets.pile_list import PileList
from refloat_tui.widgets.row_list import RowList
from refloat_tui.widgets.session_list import SessionList

STORIES = {
    "a filter, and a row down": ["slash", *"ound", "enter", "down"],
    "a filter with letters that are keys of the desk": ["slash", *"stop", "enter", "j"],
    "a filter that is left again": ["slash", *"vat", "escape", "2", "end"],
    "a filter, entered": ["slash", *"round", "enter", "enter", "down", "down"],
    "a place in the history": ["2", "i", *"3", "enter", "down"],
    "a step in the history, and its kinds": ["2", "i", *"s2", "enter", "f", "2"],
    "a search that is left": ["S", *"round", "escape", "down"],
    "a search from the desk, with its filter": ["ctrl+f", *"pytest", "f3", "escape", "escape", "2"],
    "panes": ["enter", "3", "down", "4", "down", "escape", "down", "5", "1"],
    "help and back": ["question_mark", "down", "escape", "down", "question_mark", "escape", "slash", "x"],
    "a reason for a move": ["4", "m", *"seen by me", "escape", "down"],
    "a question that is left": ["s", "escape", "down", "plus", "escape", "down"],
    "the palette, left": ["ctrl+p", *"hist", "escape", "down"],
    "an item whole, and back": ["2", "home", "enter", "down", "escape", "down", "down"],
    "looked at, twice": ["4", "space", "space"],
    "looked at, three times": ["4", "space", "space", "space"],
    "a search that is gone into": ["S", *"pytest", "enter"],
    "a search, and a hit further down": ["S", *"pytest", "down", "down", "enter"],
    "the jobs, left": ["J", "escape", "down"],
}


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys wait for what is on its way for as long as a machine of any speed takes."""
    for limit in ("turns._PATIENCE", "base.OPENS_WITHIN", "screens.desk.OPENS_WITHIN", "screens.desk._DEMO_WITHIN"):
        monkeypatch.setattr(f"refloat_tui.{limit}", PATIENCE / 3)


def made(place: Path) -> RefloatApp:
    library = FakeLibrary(some_sessions())
    library.saved = empty_record(place)
    return make_app(library, Doors(operations=FakeOperations()))


def came_to(app: RefloatApp) -> dict[str, object]:
    """Where a person stands, and what stands in the fields."""
    found: dict[str, object] = {"screens": [type(screen).__name__ for screen in app.screen_stack]}
    focused = app.focused
    found["focus"] = (type(focused).__name__, focused.id) if focused is not None else None
    for screen in app.screen_stack:
        for field in screen.query(Input):
            found[f"{type(screen).__name__} {field.id}"] = field.value
        for area in screen.query(TextArea):
            found[f"{type(screen).__name__} {area.id}"] = area.text
        for rows in screen.query(RowList):
            if isinstance(rows, ChainList) and screen.query_one(Detail).shown != "record":
                continue  # it comes beside all that is done here, whenever it was read
            found[f"{type(screen).__name__} {type(rows).__name__} {rows.id}"] = rows.cursor_key
        for detail in screen.query(Detail):
            found["shown"] = detail.shown
        for pile in screen.query(PileList):
            found[f"looked {pile.id}"] = {row.card.key for row in pile.rows if row.card.looked}
    return found


def has_found(app: RefloatApp) -> bool:
    """Whether a search stands answered."""
    screen = app.screen
    if not isinstance(screen, SearchScreen):
        return True
    return not screen.query_one(Input).value or (not screen._is_sought and not screen._then)


def burst(app: RefloatApp, keys: Sequence[str]) -> None:
    """Keys as the terminal tells of them, all at once."""
    for key in keys:
        app.post_message(events.Key(key, key if len(key) == 1 else None).set_sender(app))


async def comes_to(place: Path, keys: Sequence[str], *, fast: bool) -> dict[str, object]:
    app = made(place)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: has_read(app))
        if fast:
            burst(app, keys)
            await until(pilot, lambda: not app.message_queue_size and not app.is_typing)
        else:
            for key in keys:
                await pilot.press(key)
                await until(pilot, lambda: not app.is_typing)
                await until(pilot, lambda: has_found(app))
        await until(pilot, lambda: has_found(app))
        await until(pilot, lambda: has_read(app))
        return came_to(app)


@pytest.mark.parametrize("story", STORIES)
async def test_a_burst_does_what_each_key_alone_does(story: str, tmp_path: Path) -> None:
    some_record(tmp_path, some_sessions()[0][0])
    slow = await comes_to(tmp_path, STORIES[story], fast=False)
    assert await comes_to(tmp_path, STORIES[story], fast=True) == slow


async def test_keys_behind_that_of_the_demo_are_for_the_demo() -> None:
    is_built = threading.Event()

    def build() -> tuple[Library, Doors]:
        is_built.wait(PATIENCE)
        return FakeLibrary(some_sessions()), Doors(is_demo=True)

    app = make_app(FakeLibrary([]), Doors(demo=build))
    async with app.run_test(size=(120, 40)) as pilot:
        desk = app.screen
        assert isinstance(desk, DeskScreen)
        await until(pilot, lambda: desk.has_class("-empty"))
        burst(app, ["d", "j", "j", "4"])
        await meanwhile(lambda: desk.is_opening)
        is_built.set()
        await until(pilot, lambda: app.screen.query(Detail) and app.screen.query_one(Detail).shown == "triage")
        names = [session.name for session, _ in some_sessions()]
        assert app.screen.query_one(SessionList).cursor_key == names[2]
        await until(pilot, lambda: not app.is_typing)
        await pilot.press("q")
        await until(pilot, lambda: app.screen is desk)
        assert not desk.is_opening, "it waits for nothing any more"


@pytest.mark.parametrize("first", [False, True])
async def test_keys_before_the_first_look_go_where_each_of_them_leads(first: bool) -> None:
    """The second enter is for what the first one led to: rows, panes and the session's own words have to be there."""
    library = FakeLibrary(some_sessions())
    if first:
        library.first = FirstRows(Batch(tuple(library.all.values()), provisional=True, total=8), library.here)
    library.gate = threading.Event()
    app = make_app(library)
    async with app.run_test(size=(120, 40)) as pilot:
        burst(app, ["enter", "enter"])
        await meanwhile(lambda: library.asked)
        library.gate.set()
        await until(pilot, lambda: app.screen.query_one(Detail).shown == "history")
        await until(pilot, lambda: app.screen.query_one(Detail).history.has_focus_within)
