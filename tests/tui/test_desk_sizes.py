"""The desk in small terminals and wide ones, in ASCII, with hostile titles and thousands of rows."""

from dataclasses import replace

import pytest
from tests.tui.conftest import FakeLibrary, make_app, many_sessions, some_sessions
from tests.tui.test_desk import SMALL, WIDE, settle, words_of
from textual.content import Content

from refloat_tui.present.sessions import Entry
from refloat_tui.widgets.head import Head
from refloat_tui.widgets.session_list import SessionList


async def test_small_terminal_has_two_screens(library: FakeLibrary):
    async with make_app(library).run_test(size=SMALL) as pilot:
        await settle(pilot)
        assert "NEXT" not in words_of(pilot.app)
        await pilot.press("enter")
        await settle(pilot)
        words = words_of(pilot.app)
        assert "FAILED in step 8" in words
        assert "NEXT" in words
        assert "SHOP" not in words
        await pilot.press("escape")
        await pilot.pause()
        assert "SHOP" in words_of(pilot.app)


async def test_six_keys_in_the_footer_of_a_small_terminal(library: FakeLibrary):
    async with make_app(library).run_test(size=SMALL) as pilot:
        await settle(pilot)
        for keys in ((), ("enter",), ("2",), ("3",), ("4",), ("5",)):
            await pilot.press(*keys)
            await pilot.pause()
            footer = words_of(pilot.app).splitlines()[-1]
            assert len([part for part in footer.split("  ") if part.strip()]) == 6
            assert "? help" in footer


async def test_evidence_of_a_small_terminal_leaves_the_next_pane_its_room(library: FakeLibrary):
    async with make_app(library).run_test(size=SMALL) as pilot:
        await settle(pilot)
        head = pilot.app.screen.query_one(Head)
        await pilot.press("enter", "e")
        assert head.has_class("-unfolded")
        await pilot.press("3")
        assert not head.has_class("-unfolded")
        await pilot.press("e", "escape")
        await pilot.pause()
        assert not head.has_class("-unfolded")
        assert "NEXT" in words_of(pilot.app), "the first esc folds the evidence alone"
        await pilot.press("escape")
        await pilot.pause()
        assert "SHOP" in words_of(pilot.app)


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 40), (60, 20), (200, 60)])
async def test_nothing_scrolls_sideways(library: FakeLibrary, size: tuple[int, int]):
    async with make_app(library).run_test(size=size) as pilot:
        await settle(pilot)
        for key in "12345":
            await pilot.press(key)
            await pilot.pause()
            for widget in pilot.app.screen.query("*"):
                assert not widget.allow_horizontal_scroll, widget


async def test_three_thousand_sessions_answer_at_once(monkeypatch: pytest.MonkeyPatch):
    library = FakeLibrary(many_sessions(3000), here="/home/ana/place0")
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("h")
        rows = pilot.app.screen.query_one(SessionList)
        assert len(rows.rows) == 3050
        drawn: list[str] = []
        draw = rows.draw_row

        def counted(row: Entry, width: int, *, chosen: bool) -> Content:
            drawn.append(rows.key_of(row))
            return draw(row, width, chosen=chosen)

        monkeypatch.setattr(rows, "draw_row", counted)
        for key in ("G", "g", "pagedown", "down", "down", "pagedown"):
            await pilot.press(key)
        assert len(drawn) < 400


async def test_hostile_titles_are_text():
    library = FakeLibrary(some_sessions())
    name = next(iter(library.all))
    library.all[name] = replace(library.all[name], title="[red]x[/red] \x1b[2J\u202e[@click=app.quit]y")
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        words = words_of(pilot.app)
        assert "[red]x[/red]" in words
        assert "\x1b" not in words
        assert "\\u202e" in words


async def test_ascii_draws_ascii_only(library: FakeLibrary):
    environment = {"LANG": "C", "TERM": "xterm", "REFLOAT_ASCII": "1"}
    async with make_app(library, environment=environment).run_test(size=SMALL) as pilot:
        await settle(pilot)
        for keys in ((), ("1",), ("e",), ("2",), ("3",), ("4",), ("5",), ("question_mark",)):
            await pilot.press(*keys)
            await pilot.pause()
            odd = {
                character for character in words_of(pilot.app) if ord(character) > 126 or ord(character) in range(10)
            }
            assert not odd, (keys, odd)
