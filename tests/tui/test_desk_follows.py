"""The desk while sessions change, are read, go and cannot be read."""

import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.tui.conftest import FakeLibrary, make_app, some_sessions
from tests.tui.test_desk import WIDE, settle, words_of
from tests.tui.waiting import until

from refloat.errors import Unreadable
from refloat.model.session import SessionName, State
from refloat.model.stamp import later
from refloat.usecases.batch import Batch
from refloat.usecases.first_rows import FirstRows
from refloat_tui.library import Opened, Stop, Tell
from refloat_tui.present.sessions import SessionRow
from refloat_tui.screens.desk import DeskScreen
from refloat_tui.screens.help import HelpScreen
from refloat_tui.widgets.detail import Detail
from refloat_tui.widgets.session_list import SessionList
from refloat_tui.widgets.tab_line import TabLine


async def test_a_growing_session_keeps_cursor_and_line(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("down", "down", "down")
        rows = pilot.app.screen.query_one(SessionList)
        before = rows.cursor_key
        name = next(name for name, session in library.all.items() if session.title.startswith("Split"))
        library.all[name] = replace(library.all[name], state=State.FAILED, last_activity_at=later(library.time, -5))
        library.tell()
        await until(
            pilot,
            lambda: any(isinstance(row, SessionRow) and row.session.state is State.FAILED for row in rows.rows[2:]),
        )
        assert rows.cursor_key == before
        assert rows.key_of(rows.rows[1]) == name


async def test_the_chosen_session_is_read_again_when_it_moved_on_and_only_then(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        name = library.opened[0]
        desk = pilot.app.screen
        assert isinstance(desk, DeskScreen)
        looks = library.looks
        library.tell()
        await until(pilot, lambda: library.looks > looks and not desk.is_at("look"))
        assert desk._settle is not None
        fired = desk._settle
        await pilot.pause(0.3)
        assert library.opened == [name]
        assert desk._settle is fired  # nothing is about to be read either
        known = library.all[name]
        library.all[name] = replace(known, transcript=replace(known.transcript, bytes=known.transcript.bytes + 100))
        library.tell()
        await until(pilot, lambda: len(library.opened) == 2)
        assert library.opened == [name, name]


async def test_a_look_is_told_which_files_changed_and_looks_at_everything_where_some_were_missed(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        desk = pilot.app.screen
        assert isinstance(desk, DeskScreen)

        async def looked(*told: frozenset[str] | None) -> frozenset[str] | None:
            looks = library.looks
            for paths in told:
                library.tell(paths)
            await until(pilot, lambda: library.looks > looks and not desk.is_at("look"))
            return library.asked_about[looks]

        assert await looked(frozenset({"/a"}), frozenset({"/b"})) == {"/a", "/b"}
        assert await looked(frozenset({"/c"})) == {"/c"}
        assert await looked(frozenset({"/d"}), None, frozenset({"/e"})) is None
        assert await looked(frozenset({"/f"})) == {"/f"}
        await pilot.press("ctrl+r")
        await until(pilot, lambda: library.asked_about[-1] is None)


async def test_a_removed_session_hands_the_cursor_to_the_next(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        rows = pilot.app.screen.query_one(SessionList)
        del library.all[SessionName(rows.cursor_key or "")]
        library.tell(None)
        await until(pilot, lambda: len(rows.rows) == 5)
        assert isinstance(rows.cursor_row, SessionRow)
        assert rows.cursor_row.session.title.startswith("Split")
        assert library.looks


async def test_keys_answer_while_a_session_is_being_read(library: FakeLibrary):
    library.gate = threading.Event()
    async with make_app(library).run_test(size=WIDE) as pilot:
        await until(pilot, lambda: library.asked)
        rows = pilot.app.screen.query_one(SessionList)
        first = rows.cursor_key
        await pilot.press("down", "2", "shift+tab")
        assert rows.cursor_key != first
        await until(pilot, lambda: "Reading 48,213 bytes" in words_of(pilot.app))
        library.gate.set()
        await settle(pilot)
        assert library.opened[-1] == rows.cursor_key


async def test_moving_on_drops_what_was_being_read(library: FakeLibrary):
    library.gate = threading.Event()
    async with make_app(library).run_test(size=WIDE) as pilot:
        await until(pilot, lambda: library.asked)
        await pilot.press("down", "down")
        library.gate.set()
        await settle(pilot)
        detail = pilot.app.screen.query_one(Detail)
        assert detail.session is not None
        assert detail.session.title.startswith("Rebuild")
        assert "Rebuild" in words_of(pilot.app)


async def test_a_session_that_cannot_be_read_says_so_and_the_rest_stands(library: FakeLibrary):
    library.part_fault = Unreadable("nothing of it could be read: permission denied")
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        words = words_of(pilot.app)
        assert "permission denied" in words
        assert "The list and the other sessions are not touched" in words
        library.part_fault = None
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "ASKED" in words_of(pilot.app))
        assert "ASKED" in words_of(pilot.app)


async def test_a_failed_scan_is_a_notice_and_the_app_stands(library: FakeLibrary):
    library.fault = OSError("disk on fire [bold]")
    async with make_app(library).run_test(size=WIDE, notifications=True) as pilot:
        await until(pilot, lambda: any("disk on fire [bold]" in note.message for note in pilot.app._notifications))
        await pilot.press("question_mark")
        assert isinstance(pilot.app.screen, HelpScreen)


async def test_what_the_first_sessions_bring_moves_no_key_of_the_footer(monkeypatch: pytest.MonkeyPatch):
    library = FakeLibrary(some_sessions())
    hold, begin = threading.Event(), library.find_sessions

    def wait(stop: Stop) -> Iterator[Batch]:
        hold.wait(60)
        yield from begin(stop)

    monkeypatch.setattr(library, "find_sessions", wait)
    async with make_app(library).run_test(size=WIDE) as pilot:
        try:
            await until(pilot, lambda: "enter open" in words_of(pilot.app).splitlines()[-1])
            before = words_of(pilot.app).splitlines()[-1]
        finally:
            hold.set()
        await settle(pilot)
        after = words_of(pilot.app).splitlines()[-1]
        assert "+ new" in before, "it keeps its place before there is a session to start from"
        assert "attach" not in before
        assert before == after


async def test_what_stands_below_the_head_stays_where_it_is_when_a_session_was_read(monkeypatch: pytest.MonkeyPatch):
    library = FakeLibrary(some_sessions())
    hold, read = threading.Event(), library.open

    def wait(name: SessionName, stop: Stop | None = None, tell: Tell | None = None) -> Opened:
        hold.wait(60)
        return read(name, stop, tell)

    monkeypatch.setattr(library, "open", wait)
    async with make_app(library).run_test(size=WIDE) as pilot:
        try:
            await until(pilot, lambda: "Reading" in words_of(pilot.app))
            tabs = pilot.app.screen.query_one(TabLine)
            before = tabs.region.y
        finally:
            hold.set()
        await settle(pilot)
        assert tabs.region.y == before


async def test_an_idle_desk_asks_what_is_cheap_and_neither_looks_nor_draws(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        desk = pilot.app.screen
        assert isinstance(desk, DeskScreen)
        rows, looks = desk.query_one(SessionList), library.looks
        drawn = rows._drawn.copy()
        desk._tick()
        await until(pilot, lambda: library.glances and not desk.is_at("look"))
        assert (library.looks, rows._drawn) == (looks, drawn)
        gone = SessionName(rows.cursor_key or "")
        del library.all[gone]
        desk._tick()
        await until(pilot, lambda: library.looks > looks and rows.cursor_key != gone)
        assert library.looks == looks + 1
        assert rows.cursor_key != gone


async def test_the_rows_that_fit_are_painted_before_anything_is_looked_at(library: FakeLibrary):
    rows = tuple(session for session in library.all.values() if session.workspace == "/home/ana/shop")[:3]
    library.first = FirstRows(Batch(rows, provisional=True, total=2000), "/home/ana/shop")
    look = threading.Event()
    find = library.find_sessions

    def slow(stop: Stop) -> Iterator[Batch]:
        look.wait(80)
        yield from find(stop)

    library.find_sessions = slow
    async with make_app(library).run_test(size=WIDE) as pilot:
        await until(pilot, lambda: isinstance(pilot.app.screen, DeskScreen))
        desk = pilot.app.screen
        assert len(desk.query_one(SessionList).rows) == 1 + len(rows)
        assert rows[0].title in words_of(pilot.app)
        assert "reading 0 of 2,000" in words_of(pilot.app)
        look.set()
        await settle(pilot)
        assert len(desk.query_one(SessionList).rows) > 1 + len(rows)


async def test_a_pane_that_is_asked_for_before_there_are_any_is_shown_when_they_come(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        detail = pilot.app.screen.query_one(Detail)
        detail.show_tab("history", focus=True)
        assert detail.shown == "history"
        await settle(pilot)
        assert detail.shown == "history"
        await until(pilot, lambda: pilot.app.focused is detail.history.list)
