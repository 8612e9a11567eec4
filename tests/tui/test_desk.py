"""Stories at the desk: what a person presses and what they see then."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.tui.conftest import NOW, UTF8, FakeLibrary, make_app, some_sessions
from tests.tui.waiting import has_read, until
from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, Static

from refloat.model.fate_words import FATE_WORDS, OWNER_WORDS, STATE_WORDS
from refloat.model.recovered import Handed, Recovered, Unfinished
from refloat.model.session import Failure, FailureKind, SessionName, State
from refloat.model.stamp import later
from refloat.model.transcript import Item
from refloat.text import UNTITLED
from refloat_tui.cli import rows
from refloat_tui.screens.confirm import Confirm
from refloat_tui.screens.desk import DeskScreen
from refloat_tui.screens.doors import Doors
from refloat_tui.screens.help import HelpScreen, help_lines
from refloat_tui.screens.wizard.farewell import Farewell
from refloat_tui.theme import ASCII, UNICODE, Glyphs
from refloat_tui.widgets.detail import Detail
from refloat_tui.widgets.head import Head
from refloat_tui.widgets.history_pane import HistoryPane
from refloat_tui.widgets.session_list import SessionList
from refloat_tui.widgets.tab_line import TabLine

WIDE, SMALL = (120, 40), (80, 24)


async def settle(pilot: Pilot[str]) -> None:
    """Wait until the desk has read what it stands on."""
    await until(pilot, lambda: has_read(pilot.app))


def words_of(app: App[str]) -> str:
    """All that is on the screen."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)


def standing_on(pilot: Pilot[str]) -> Item:
    """The item under the cursor of the history."""
    item = pilot.app.screen.query_one(HistoryPane).list.cursor_item
    assert item is not None
    return item


def step_under(pilot: Pilot[str]) -> int:
    """The number of the step under the cursor of the history."""
    step = standing_on(pilot).step
    assert step is not None
    return step.n


async def test_broken_ones_stand_on_top_and_the_first_is_chosen(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        words = words_of(pilot.app)
        assert "FAILED in step 8" in words
        assert "NEXT  Look at what step 8 did" in words
        assert words.index("✖ failed") < words.index("◐ unres.") < words.index("● live") < words.index("■ stopped")
        assert "BILLING" not in words


@pytest.mark.parametrize(("size", "glyphs"), [(WIDE, UNICODE), (SMALL, ASCII)])
async def test_a_recovery_that_was_finished_is_told_where_the_session_stands(
    library: FakeLibrary, size: tuple[int, int], glyphs: Glyphs
):
    name = next(iter(library.all))
    brief, before = "/home/ana/shop/HANDOFF.md", later(NOW, -86_400 * 3)
    wrap = Handed("1a2b3c4d5e6f7a8b", before, f"recovery:{name}", "ben")
    library.recovered = {name: Recovered("ana@devbox", before, brief, before, brief_there=True, wrap=wrap)}
    async with make_app(library, environment={} if glyphs is ASCII else UTF8).run_test(size=size) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        await pilot.pause()
        (line,) = [line for line in words_of(pilot.app).splitlines() if "RECOVERED" in line]
        assert f"{glyphs.ok} RECOVERED  ana@devbox, 2026-09-11 " in line
        assert "; brief in ~/shop/HANDOFF.md" in line
        await pilot.press("escape", "down")
        await settle(pilot)
        assert "RECOVERED" not in words_of(pilot.app)


async def test_that_the_brief_is_gone_stands_before_what_a_narrow_line_cuts(library: FakeLibrary):
    name, brief = next(iter(library.all)), "/home/ana/shop/HANDOFF.md"
    instead = "the brief of codex:01a2283b"
    library.recovered = {name: Recovered("ana@devbox", NOW, brief, NOW, False, None, instead)}
    async with make_app(library).run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        await pilot.pause()
        (line,) = [line for line in words_of(pilot.app).splitlines() if "RECOVERED" in line]
        assert "its brief is gone: the brief of codex:" in line


@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_a_recovery_that_is_open_is_told_with_its_page_and_the_key_that_goes_on(
    library: FakeLibrary, size: tuple[int, int]
):
    name = next(iter(library.all))
    library.unfinished = {name: Unfinished("ana@devbox", NOW, 4, 7)}
    library.recovered = {name: Recovered("ana@devbox", NOW, None, None, False, None)}
    async with make_app(library).run_test(size=size) as pilot:
        await settle(pilot)
        if size == SMALL:
            await pilot.press("enter")
            await pilot.pause()
        (line,) = [line for line in words_of(pilot.app).splitlines() if "RECOVERY OPEN" in line]
        assert "RECOVERY OPEN  page 4 of 7, ana@devbox, last answer " in line
        assert "; r goes on" in line
        words = words_of(pilot.app)
        assert "NEXT  Finish its recovery, then start a linked session" in words
        assert " r recover  + new" in words


async def test_every_pane_by_its_key(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        for key, seen in (
            ("2", "trouble"),
            ("3", "recorded by step 2"),
            ("4", "DO NOT REPEAT"),
            ("5", "2 secrets masked"),
            ("1", "ASKED"),
            ("b", "2 secrets masked"),
        ):
            await pilot.press(key)
            await pilot.pause()
            assert seen in words_of(pilot.app), key


async def test_all_shows_the_other_places_and_here_goes_back(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("h")
        assert "BILLING" in words_of(pilot.app)
        await pilot.press("h")
        assert "BILLING" not in words_of(pilot.app)


async def test_filter_by_words_then_escape(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"codex", "enter")
        await settle(pilot)
        rows = pilot.app.screen.query_one(SessionList)
        assert rows.has_focus
        assert [rows.key_of(row) for row in rows.rows if rows.stops_at(row)] == [rows.cursor_key]
        assert "Split the CSV" in words_of(pilot.app)
        await pilot.press("escape")
        await pilot.pause()
        assert len(rows.rows) == 6


async def test_nothing_fits_says_what_to_press(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"zzz")
        await pilot.pause()
        assert "No session here has all of these words." in words_of(pilot.app)
        assert "esc clears the filter" in words_of(pilot.app)
        assert "S searches what they hold" in words_of(pilot.app)
        assert "RECAP" not in words_of(pilot.app).upper(), "nothing stands of the session that was chosen before"
        await pilot.press("enter")
        await pilot.pause()
        footer = words_of(pilot.app).splitlines()[-1]
        assert "recover" not in footer
        assert "continue" not in footer


@pytest.mark.parametrize("key", ["enter", "2", "tab", "shift+tab"])
async def test_escape_gives_the_keyboard_back_to_the_list_at_every_width(library: FakeLibrary, key: str):
    for size in (WIDE, SMALL):
        async with make_app(library).run_test(size=size) as pilot:
            await settle(pilot)
            desk = pilot.app.screen
            await pilot.press(key)
            await until(pilot, lambda desk=desk: desk.query_one(Detail).has_focus_within)
            await pilot.press("escape")
            await until(pilot, lambda desk=desk: desk.query_one(SessionList).has_focus)


async def test_tab_goes_round_the_lists_and_never_to_the_filter(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        desk = pilot.app.screen
        await pilot.press("3")
        await until(pilot, lambda: desk.query_one(Detail).has_focus_within)
        seen: list[str | None] = []
        for key in ("tab", "tab", "tab", "shift+tab", "shift+tab", "shift+tab"):
            await pilot.press(key)
            seen.append(desk.focused.id if desk.focused is not None else None)
        assert "sessions" in seen[:3]
        assert "sessions" in seen[3:]
        assert "filter" not in seen
        await pilot.press("slash", "tab")
        assert desk.focused is desk.query_one(SessionList)


async def test_one_mark_alone_shows_where_the_keyboard_is(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        assert words_of(pilot.app).count("▌") == 1
        await pilot.press("2")
        await until(pilot, lambda: pilot.app.screen.query_one(HistoryPane).has_focus_within)
        await until(pilot, lambda: words_of(pilot.app).count("▏") == 1)
        assert words_of(pilot.app).count("▌") == 1


async def test_the_next_step_is_whole_behind_whatever_is_to_be_known_first(library: FakeLibrary):
    async with make_app(library).run_test(size=SMALL) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        head = pilot.app.screen.query_one(Head)
        assert head._status is not None
        lost = tuple(f"the edit of src/a/long/way/down/file{n}.py is lost from the checkout" for n in range(9))
        head._status = replace(head._status, next=replace(head._status.next, open=lost))
        head._draw()
        await until(pilot, lambda: "First know: the edit of src/a" in words_of(pilot.app))
        step = "Look at what step 8 did, then start a linked session with the brief."
        assert step in " ".join(words_of(pilot.app).split())
        assert 2 <= head.query_one("#next").size.height <= 3
        assert f"is lost from the checkout{UNICODE.ellipsis} {step}" in " ".join(words_of(pilot.app).split())


async def test_a_row_of_the_history_names_its_step(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("2")
        await settle(pilot)
        step = max(item.step.n for item in pilot.app.screen.query_one(HistoryPane).items if item.step is not None)
        await until(pilot, lambda: f"#{step} " in words_of(pilot.app))


async def test_a_toast_stays_on_the_screen_that_told_it(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE, notifications=True) as pilot:
        await settle(pilot)
        await pilot.press("y")
        assert len(pilot.app._notifications) == 1
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(pilot.app.screen, HelpScreen))
        await until(pilot, lambda: not len(pilot.app._notifications))


async def test_q_stands_in_the_footer_where_there_is_room(library: FakeLibrary):
    async with make_app(library).run_test(size=(200, 50)) as pilot:
        await settle(pilot)
        assert "q quit" in words_of(pilot.app).splitlines()[-1]


async def test_letters_belong_to_the_filter_while_it_has_the_focus(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"qhrd1")
        assert pilot.app.screen.query_one(Input).value == "qhrd1"
        assert isinstance(pilot.app.screen, DeskScreen)


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_help_tells_every_state_fate_and_sign(glyphs: Glyphs):
    lines = help_lines(["desk"], {}, glyphs)
    told = "\n".join(f"{line.lead} {''.join(text for text, _ in line.text)}" for line in lines)
    for table in (STATE_WORDS, FATE_WORDS, OWNER_WORDS):
        assert all(word in told for word in table.values())
    for sign in (
        glyphs.present, glyphs.changed, glyphs.partly, glyphs.dot, glyphs.dangling, glyphs.prompt, glyphs.left_only,
        glyphs.right_only,
    ):  # fmt: skip
        assert any(sign in line.lead.split() for line in lines), sign


def test_a_session_without_a_title_has_one_word_for_that():
    assert rows.UNTITLED == UNTITLED


async def test_copy_the_command_and_the_brief(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("y")
        failed = pilot.app.screen.query_one(SessionList).cursor_key
        assert pilot.app.clipboard == f"refloat new --parent {failed}", "the brief is not there: this writes it first"
        assert "refloat new --parent" in words_of(pilot.app)
        await pilot.press("5")
        await pilot.pause()
        await pilot.press("y")
        assert pilot.app.clipboard.startswith("# Round prices")


async def test_writing_over_a_file_asks_first(tmp_path: Path):
    library = FakeLibrary(some_sessions(), here=str(tmp_path))
    for name, session in library.all.items():
        library.all[name] = replace(session, workspace=str(tmp_path), repo=str(tmp_path))
    (tmp_path / "HANDOFF.md").write_text("older")
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("5")
        await pilot.pause()
        await pilot.press("w")
        await pilot.pause()
        assert isinstance(pilot.app.screen, Confirm)
        assert "n enter no" in words_of(pilot.app), "the footer says which answer enter is"
        for no in ("escape", "enter", "n"):
            await pilot.press(no, "w")
            await pilot.pause()
            assert not library.written
            assert isinstance(pilot.app.screen, Confirm)
        await pilot.press("y")
        await until(pilot, lambda: library.written)
        assert library.written == [tmp_path / "HANDOFF.md"]


async def test_what_may_not_be_written_over_is_refused_before_anything_is_asked(tmp_path: Path):
    library = FakeLibrary(some_sessions(), here=str(tmp_path))
    for name, session in library.all.items():
        library.all[name] = replace(session, workspace=str(tmp_path), repo=str(tmp_path))
    (tmp_path / "HANDOFF.md").mkdir()
    async with make_app(library).run_test(size=WIDE, notifications=True) as pilot:
        await settle(pilot)
        await pilot.press("5")
        await pilot.pause()
        await pilot.press("w")
        await until(pilot, lambda: any("is no plain file" in note.message for note in pilot.app._notifications))
        assert not isinstance(pilot.app.screen, Confirm)
        assert not library.written


async def test_a_dimmed_key_says_why(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE, notifications=True) as pilot:
        await settle(pilot)
        await pilot.press("r")
        await pilot.pause()
        assert any("wizard" in note.message for note in pilot.app._notifications)


async def test_recover_opens_the_wizard(library: FakeLibrary):
    asked: list[SessionName] = []

    def wizard(name: SessionName) -> Screen[Farewell]:
        asked.append(name)
        return Screen()

    async with make_app(library, Doors(wizard)).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("r")
        await pilot.pause()
        assert asked == [library.opened[0]]


async def test_recover_straight_away_and_leave(library: FakeLibrary):
    asked: list[SessionName] = []

    def wizard(name: SessionName) -> Screen[Farewell]:
        asked.append(name)
        return Screen()

    name = next(iter(library.all))
    app = make_app(library, Doors(wizard), chosen=name, recover=True)
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        assert asked == [name]
        pilot.app.screen.dismiss(None)
        await pilot.pause()
    assert app.return_code == 0


async def test_the_look_changes(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        seen = [pilot.app.theme]
        for _ in range(3):
            await pilot.press("f2")
            await pilot.pause()
            seen.append(pilot.app.theme)
        assert seen == ["refloat-dark", "refloat-light", "refloat-16", "refloat-dark"]


async def test_a_remapped_key(library: FakeLibrary, tmp_path: Path):
    (tmp_path / "keys.toml").write_text('"desk.history" = "f6"\n"desk.nope" = "x"\n')
    async with make_app(library, config=tmp_path).run_test(size=WIDE, notifications=True) as pilot:
        await settle(pilot)
        await pilot.press("f6")
        await pilot.pause()
        assert pilot.app.screen.query_one(Detail).shown == "history"
        assert any("desk.nope" in note.message for note in pilot.app._notifications)
        await pilot.press("question_mark")
        await pilot.pause()
        assert "f6" in words_of(pilot.app)


async def test_the_scope_is_painted_once_it_is_decided_and_the_head_keeps_its_rows(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        desk, head = pilot.app.screen, pilot.app.screen.query_one(Head)
        assert isinstance(desk, DeskScreen)
        desk._everywhere = None
        desk.query_one("#scope", Static).update("")
        desk._draw_scope()
        await pilot.pause()
        assert not str(desk.query_one("#scope", Static).render())
        head.take(head._session, None, library.now())
        await pilot.pause()
        assert head.query_one("#keys").size.height == 1
        assert "NEXT" in str(head.query_one("#next", Static).render())


async def test_what_one_looks_at_stays_though_it_has_the_words_of_the_filter_no_more(library: FakeLibrary):
    name = next(name for name, session in library.all.items() if session.state is State.LIVE)
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        await pilot.press("slash", *"live", "enter")
        rows = pilot.app.screen.query_one(SessionList)
        await until(pilot, lambda: rows.cursor_key == name)
        for more in ("", "later "):  # once more, as it was kept: it is drawn anew
            stopped = replace(library.all[name], state=State.STOPPED, activity=None, title=f"{more}Stopped")
            library.all[name] = stopped
            library.tell()
            await until(pilot, lambda more=more: f"{more}Stopped" in str(words_of(pilot.app)))
            assert rows.cursor_key == name
        await pilot.press("slash", *"zzz")  # other words narrow anew
        await until(pilot, lambda: "has all of these words" in words_of(pilot.app))


async def test_here_and_all_keep_their_places(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        for _ in range(2):
            await pilot.press("h")
            await pilot.pause()
            assert "here \u00b7 all  h" in words_of(pilot.app)


@pytest.mark.parametrize("size", [WIDE, SMALL])
async def test_what_stands_below_the_verdict_stays_when_that_grows_and_shrinks(
    library: FakeLibrary, size: tuple[int, int]
):
    async with make_app(library).run_test(size=size) as pilot:
        await settle(pilot)
        await pilot.press("enter")
        detail = pilot.app.screen.query_one(Detail)
        head, session = detail.head, detail.session
        assert session is not None
        verdict = head.query_one("#verdict")

        def below() -> tuple[int, ...]:
            """The next step and the tabs; where all is close, only the tabs have a blank row above them."""
            places = head.query_one("#next").region.y, detail.query_one(TabLine).region.y
            return places if size == WIDE else places[1:]

        await until(pilot, lambda: verdict.size.height == 1)
        before = below()
        long = Failure(FailureKind.INTERRUPTED_BY_USER, "", session.last_activity_at)
        detail.tell(replace(session, failure=long), NOW)
        await until(pilot, lambda: verdict.size.height == 2)
        await pilot.pause()
        assert below() == before, "the row comes from the blank one"
        detail.tell(session, NOW)
        await until(pilot, lambda: "interrupted" not in words_of(pilot.app))
        await pilot.pause()
        assert (verdict.size.height, below()) == (2, before), "it takes no fewer again"
        await pilot.press("escape", "down")
        await settle(pilot)
        await pilot.press("up", "enter")
        await until(pilot, lambda: verdict.size.height == 1)
        await until(pilot, lambda: below() == before)


async def test_what_stands_below_stays_when_a_recovery_is_told_and_is_no_more(library: FakeLibrary):
    async with make_app(library).run_test(size=WIDE) as pilot:
        await settle(pilot)
        detail = pilot.app.screen.query_one(Detail)
        assert detail.opened is not None
        head, status = detail.head, detail.opened.status
        before = detail.query_one(TabLine).region.y
        for unfinished in (Unfinished("ana@devbox", NOW, 4, 7), None):
            head.learn(replace(status, unfinished=unfinished))
            await until(pilot, lambda now=unfinished: ("RECOVERY OPEN" in words_of(pilot.app)) == bool(now))
            await pilot.pause()
            assert detail.query_one(TabLine).region.y == before
