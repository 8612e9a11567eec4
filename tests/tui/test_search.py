"""The search screen: hits while typing, filters, and the way to a place and back."""

import pytest
from tests.tui.conftest import FakeLibrary, make_app, some_sessions
from tests.tui.test_snapshots import Compare
from tests.tui.waiting import has_read, until
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input, Static

from refloat_tui.present.search import HitRow
from refloat_tui.screens.desk import DeskScreen
from refloat_tui.screens.search import SearchScreen
from refloat_tui.widgets.detail import Detail
from refloat_tui.widgets.history_pane import HistoryPane
from refloat_tui.widgets.hit_list import HitList
from refloat_tui.widgets.panes import JumpTo


def screen_of(app: App[str]) -> SearchScreen:
    shown = app.screen
    assert isinstance(shown, SearchScreen)
    return shown


def hits_of(app: App[str]) -> list[HitRow]:
    return [row for row in screen_of(app).query_one(HitList).rows if isinstance(row, HitRow)]


def says(app: App[str], part: str) -> str:
    return str(screen_of(app).query_one(f"#search-{part}", Static).visual)


async def open_search(pilot: Pilot[str], words: str = "") -> None:
    await until(pilot, lambda: has_read(pilot.app))
    await pilot.press("S")
    await until(pilot, lambda: isinstance(pilot.app.screen, SearchScreen))
    field = pilot.app.screen.query_one(Input)
    field.cursor_blink = False
    await pilot.press(*words.replace(" ", "~").replace("~", " "))
    await until(pilot, lambda: not words or screen_of(pilot.app)._found is not None or screen_of(pilot.app)._why)
    await until(pilot, lambda: not words or screen_of(pilot.app)._asked().words == words)


async def settled(pilot: Pilot[str], library: FakeLibrary, words: str) -> None:
    """Wait until the answer to just these words stands there."""
    await until(pilot, lambda: any(asked.words == words for asked in library.searched))
    await until(pilot, lambda: (found := screen_of(pilot.app)._found) is not None and found.query == words)


async def test_hits_come_while_typing_grouped_by_session_and_lead_to_their_item():
    library = FakeLibrary(some_sessions())
    app = make_app(library)
    async with app.run_test(size=(120, 40)) as pilot:
        await open_search(pilot, "pytest")
        await settled(pilot, library, "pytest")
        rows = hits_of(app)
        assert rows
        assert all("pytest" in "".join(text for text, _ in row.hit.excerpt).lower() for row in rows)
        await pilot.press("down", "down")
        row = screen_of(app).query_one(HitList).cursor_row
        assert isinstance(row, HitRow)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, DeskScreen))
        await until(pilot, lambda: app.screen.query_one(HistoryPane).list.cursor_key == str(row.hit.item))
        assert app.screen.query_one(Detail).shown == "history"
        assert isinstance(app.screen, DeskScreen)
        assert app.screen._chosen == row.hit.session.name


async def test_the_search_is_come_back_to_as_it_was_left_for_a_place():
    library = FakeLibrary(some_sessions())
    app = make_app(library)
    async with app.run_test(size=(120, 40)) as pilot:
        await open_search(pilot, "pytest")
        await settled(pilot, library, "pytest")
        await pilot.press("f4")
        await until(pilot, lambda: screen_of(app)._asked().agent is not None)
        agent = screen_of(app)._asked().agent
        await until(pilot, lambda: all(row.hit.session.agent == agent for row in hits_of(app)))
        await pilot.press("ctrl+end")
        last = screen_of(app).query_one(HitList).cursor_key
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, DeskScreen))
        await until(pilot, lambda: app.screen.query_one(Detail).shown == "history")
        await pilot.press("S")
        await until(pilot, lambda: isinstance(app.screen, SearchScreen))
        await settled(pilot, library, "pytest")
        assert screen_of(app)._asked().agent == agent
        assert f"agent {agent}" in says(app, "filters")
        assert screen_of(app).query_one(HitList).cursor_key == last
        await pilot.press("escape", "escape")
        await until(pilot, lambda: isinstance(app.screen, DeskScreen))
        await pilot.press("S")
        await until(pilot, lambda: isinstance(app.screen, SearchScreen))
        assert screen_of(app).query_one(Input).value == "", "whoever left it by escape is done with it"


async def test_back_leads_from_a_place_to_its_search_and_from_jumps_made_there_first():
    library = FakeLibrary(some_sessions())
    app = make_app(library)
    async with app.run_test(size=(120, 40)) as pilot:
        await open_search(pilot, "pytest")
        await settled(pilot, library, "pytest")
        await pilot.press("down", "down")
        at = screen_of(app).query_one(HitList).cursor_key
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, DeskScreen))
        await until(pilot, lambda: app.screen.query_one(Detail).shown == "history")
        assert isinstance(app.screen, DeskScreen)
        assert not app.screen.is_idle("desk_return")
        detail, key = app.screen.query_one(Detail), app.screen.query_one(HistoryPane).list.cursor_key
        detail.post_message(JumpTo(1))
        await until(pilot, lambda: detail.can_return and detail.history.list.cursor_key == "1")
        await pilot.press("backspace")
        await until(pilot, lambda: detail.history.list.cursor_key == key)
        assert isinstance(app.screen, DeskScreen)
        await pilot.press("backspace")
        await until(pilot, lambda: isinstance(app.screen, SearchScreen))
        await settled(pilot, library, "pytest")
        assert screen_of(app).query_one(Input).value == "pytest"
        assert screen_of(app).query_one(HitList).cursor_key == at
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, DeskScreen))
        assert isinstance(app.screen, DeskScreen)
        assert app.screen.is_idle("desk_return"), "whoever left it by escape is done with it"


async def test_long_answers_are_gone_through_by_pages():
    library = FakeLibrary(some_sessions())
    app = make_app(library)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_search(pilot, "src")
        await settled(pilot, library, "src")
        hits = screen_of(app).query_one(HitList)
        stops = [row.key for row in hits_of(app)]
        assert len(stops) > hits.size.height
        await pilot.press("pagedown")
        assert hits.cursor_key == stops[hits.size.height - 1]
        await pilot.press("pageup")
        assert hits.cursor_key == stops[0]
        await pilot.press("ctrl+end")
        assert hits.cursor_key == stops[-1]
        await pilot.press("ctrl+home")
        assert hits.cursor_key == stops[0]
        assert screen_of(app).query_one(Input).value == "src"


async def test_what_the_list_is_narrowed_to_does_not_hide_a_place():
    library = FakeLibrary(some_sessions())
    app = make_app(library)
    async with app.run_test(size=(120, 40)) as pilot:
        await open_search(pilot, "pytest")
        await settled(pilot, library, "pytest")
        wanted = hits_of(app)[-1].hit
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, DeskScreen))
        await pilot.press("slash", *"zzz")
        await pilot.press("ctrl+f")
        await until(pilot, lambda: isinstance(app.screen, SearchScreen))
        screen_of(app).query_one(Input).value = "pytest"
        await settled(pilot, library, "pytest")
        screen_of(app).query_one(HitList).action_rows_last()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, DeskScreen))
        await until(pilot, lambda: app.screen.query_one(HistoryPane).list.cursor_key == str(wanted.item))


async def test_filters_are_shown_and_narrow_and_escape_takes_them_back_before_it_leaves():
    library = FakeLibrary(some_sessions())
    app = make_app(library)
    async with app.run_test(size=(120, 40)) as pilot:
        await open_search(pilot, "pytest")
        await settled(pilot, library, "pytest")
        every = len(hits_of(app))
        await pilot.press("f4")
        await until(pilot, lambda: screen_of(app)._asked().agent is not None)
        agent = screen_of(app)._asked().agent
        await until(pilot, lambda: all(row.hit.session.agent == agent for row in hits_of(app)))
        assert f"agent {agent}" in says(app, "filters")
        await pilot.press("f3", "f5", "f6")
        await until(
            pilot, lambda: screen_of(app)._asked().state is not None and screen_of(app)._asked().since is not None
        )
        await pilot.press("escape")
        await until(pilot, lambda: screen_of(app)._asked().state is None)
        await until(pilot, lambda: len(hits_of(app)) == every)
        assert isinstance(app.screen, SearchScreen)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, DeskScreen))


async def test_an_answer_to_other_filters_that_comes_late_is_not_shown():
    library = FakeLibrary(some_sessions())
    app = make_app(library)
    async with app.run_test(size=(120, 40)) as pilot:
        await open_search(pilot, "pytest")
        await settled(pilot, library, "pytest")
        before, found = library.searched[-1], screen_of(app)._found
        await pilot.press("f4")
        await until(pilot, lambda: screen_of(app)._asked().agent is not None)
        agent = screen_of(app)._asked().agent
        await until(pilot, lambda: all(row.hit.session.agent == agent for row in hits_of(app)))
        shown = hits_of(app)
        screen_of(app).post_message(SearchScreen.Answered(before, found))
        await pilot.pause()
        assert hits_of(app) == shown


async def test_an_empty_search_teaches_and_nothing_found_says_what_to_try():
    library = FakeLibrary(some_sessions())
    app = make_app(library)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_search(pilot)
        assert "in a row" in says(app, "none")
        assert not library.searched
        await pilot.press(*"qqqq")
        await settled(pilot, library, "qqqq")
        assert "Nothing holds all of these words" in says(app, "none")
        screen_of(app).query_one(Input).value = "..."
        await until(pilot, lambda: "name at least one word" in says(app, "none"))
        screen_of(app).query_one(Input).value = ""
        await until(pilot, lambda: "in a row" in says(app, "none"))


async def test_what_is_not_searchable_yet_is_read_and_then_found():
    library = FakeLibrary(some_sessions())
    library.unread = 3
    app = make_app(library)
    async with app.run_test(size=(120, 40)) as pilot:
        await open_search(pilot, "pytest")
        await until(pilot, lambda: "3 of 8 sessions not read yet" in says(app, "head") or not library.unread)
        await until(pilot, lambda: (found := screen_of(app)._found) is not None and found.complete)
        assert "searched" in says(app, "head")


@pytest.mark.parametrize("story", ["hits", "lesson", "none"])
@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_pictures(snap_compare: Compare, story: str, size: tuple[int, int]):
    library = FakeLibrary(some_sessions())
    words = {"hits": "push", "lesson": "", "none": "qqqq"}[story]

    async def before(pilot: Pilot[str]) -> None:
        await open_search(pilot, words)
        if words:
            await settled(pilot, library, words)
        await pilot.pause()

    assert snap_compare(make_app(library), terminal_size=size, run_before=before)


def test_picture_in_ascii(snap_compare: Compare):
    library = FakeLibrary(some_sessions())

    async def before(pilot: Pilot[str]) -> None:
        await open_search(pilot, "push")
        await settled(pilot, library, "push")
        await pilot.press("f4")
        await until(pilot, lambda: screen_of(pilot.app)._asked().agent is not None)
        agent = screen_of(pilot.app)._asked().agent
        await until(pilot, lambda: all(row.hit.session.agent == agent for row in hits_of(pilot.app)))
        await pilot.pause()

    assert snap_compare(
        make_app(library, environment={"REFLOAT_ASCII": "1"}), terminal_size=(80, 24), run_before=before
    )
