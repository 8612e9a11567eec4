"""What is painted before there is a desk, and what was typed then."""

import gc
from dataclasses import replace

import pytest
from tests.tui.conftest import FakeLibrary, make_app, many_sessions, some_sessions
from tests.tui.waiting import until
from textual import events
from textual.app import App
from textual.widgets import Input

from refloat.model.attempts import InChain
from refloat.usecases.batch import Batch
from refloat.usecases.first_rows import FirstRows
from refloat_tui.app import RefloatApp
from refloat_tui.screens.desk import DeskScreen
from refloat_tui.theme import DARK
from refloat_tui.widgets.detail import Detail
from refloat_tui.widgets.first_look import FirstLook
from refloat_tui.widgets.session_list import SessionList


def lines_of(app: App[str]) -> list[str]:
    """All that is on the screen."""
    strips = app.screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip) for strip in strips]


def rest(screen: object) -> None:
    """Nothing follows."""
    del screen


def with_first_rows(monkeypatch: pytest.MonkeyPatch, sessions: int, environment: dict[str, str]) -> RefloatApp:
    """An app whose desk waits until `_open` is called, over that many sessions of one repository."""
    monkeypatch.setattr(RefloatApp, "_open", rest)
    rows = tuple(replace(one, repo="/home/ana/shop", workspace="/home/ana/shop") for one, _ in some_sessions())
    rows = (*rows, *(replace(one, repo="/home/ana/old") for one, _ in many_sessions(sessions)))
    library = FakeLibrary(some_sessions())
    first, second = rows[0].name, rows[1].name  # the first one went on in the second: it stands further down
    chains = {
        first: InChain(1, 2, None, second, second, None, second),
        second: InChain(2, 2, first, None, second, first, None),
    }
    library.first = FirstRows(Batch(rows, provisional=True, total=2000, chains=chains), "/home/ana/shop")
    return make_app(library, environment=environment)


@pytest.mark.parametrize("size", [(80, 24), (99, 30), (100, 30), (106, 12), (120, 40), (179, 50), (240, 60)])
@pytest.mark.parametrize("environment", [{"LANG": "en_US.UTF-8", "COLORTERM": "truecolor"}, {"REFLOAT_ASCII": "1"}])
async def test_the_desk_has_the_same_rows_in_the_same_places(
    monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], environment: dict[str, str]
):
    opens = RefloatApp._open
    app = with_first_rows(monkeypatch, 60, environment)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: app.screen.query(FirstLook))
        first = lines_of(app)
        monkeypatch.setattr(DeskScreen, "_begin", rest)  # nothing is looked at: the same is known
        opens(app)
        await until(pilot, lambda: isinstance(app.screen, DeskScreen) and app._early is None)
        rows = app.screen.query_one(SessionList)
        await until(pilot, lambda: rows.has_focus and rows.size.height)
        after = lines_of(app)
        assert first[0] == after[0]
        top, width = rows.region.y, rows.scrollable_content_region.width
        seen = rows.size.height
        assert [line[:width] for line in first[top : top + seen]] == [line[:width] for line in after[top : top + seen]]
        assert any("/2 " in line for line in first)
        assert not any("OLD" in line for line in (*first, *after)), "rows of other places would go again"


async def test_where_this_place_has_no_sessions_all_are_there_from_the_start(monkeypatch: pytest.MonkeyPatch):
    app = with_first_rows(monkeypatch, 60, {"LANG": "en_US.UTF-8", "COLORTERM": "truecolor"})
    assert app._library.first is not None  # pyright: ignore[reportAttributeAccessIssue] - the fake's own
    app._library.first = replace(app._library.first, group="/home/ana/none")  # pyright: ignore[reportAttributeAccessIssue]
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.screen.query(FirstLook))
        assert any("OLD" in line for line in lines_of(app))


async def test_without_colours_no_look_is_black_on_black(monkeypatch: pytest.MonkeyPatch):
    """Textual settles once how it takes colours away: by the look that it begins with."""
    monkeypatch.setenv("NO_COLOR", "1")
    app = with_first_rows(monkeypatch, 0, {"LANG": "en_US.UTF-8", "COLORTERM": "truecolor"})
    async with app.run_test():
        for _ in range(4):
            app.action_anywhere_look()
            assert not app.current_theme.ansi


async def test_the_look_is_the_chosen_one_from_the_start(monkeypatch: pytest.MonkeyPatch):
    app = with_first_rows(monkeypatch, 0, {"LANG": "en_US.UTF-8", "COLORTERM": "truecolor"})
    assert app.theme == DARK
    assert app.get_css_variables()["state-failed"] == "#f0736a"
    async with app.run_test():
        assert app.theme == DARK
        app.action_anywhere_look()
        assert app.theme == "refloat-light"


async def test_keys_that_come_before_the_desk_go_to_it(monkeypatch: pytest.MonkeyPatch):
    opens = RefloatApp._open
    monkeypatch.setattr(DeskScreen, "_begin", rest)  # nothing is looked at: rows that move would take the cursor along
    app = with_first_rows(monkeypatch, 0, {"LANG": "en_US.UTF-8", "COLORTERM": "truecolor"})
    async with app.run_test(size=(120, 40)) as pilot:
        for key in ("down", "down"):
            app.post_message(events.Key(key, None))
        await pilot.pause()
        await until(pilot, lambda: not app.is_typing)
        opens(app)
        await until(pilot, lambda: isinstance(app.screen, DeskScreen))
        rows = app.screen.query_one(SessionList)
        await until(pilot, lambda: rows.cursor == 3)
        assert not app.screen_stack[0].query(FirstLook)


async def test_what_was_typed_before_the_start_does_what_it_does_later(monkeypatch: pytest.MonkeyPatch):
    """The terminal made a new line of each enter then, which is told as ctrl+j."""
    opens = RefloatApp._open
    app = with_first_rows(monkeypatch, 0, {"LANG": "en_US.UTF-8", "COLORTERM": "truecolor"})
    async with app.run_test(size=(120, 40)) as pilot:
        for key in ("slash", *"round", "ctrl+j", "ctrl+j", "2"):
            app.post_message(events.Key(key, key if len(key) == 1 else None).set_sender(app))
        await pilot.pause()
        opens(app)
        await until(pilot, lambda: isinstance(app.screen, DeskScreen))
        await until(pilot, lambda: app.screen.query_one(Input).value == "round")
        await until(pilot, lambda: app.screen.query_one(Detail).has_focus_within)


async def test_a_desk_whose_parts_are_not_there_does_nothing_on_any_key():
    app = make_app(FakeLibrary(some_sessions()))
    async with app.run_test():
        desk = app._make_desk()
        actions = {binding.action for bindings in desk._bindings.key_to_bindings.values() for binding in bindings}
        assert "desk_side" in actions
        for action in actions:
            assert desk.check_action(action, ()) is False
            await app.run_action(action, desk)


async def test_cycles_are_looked_for_again_once_the_desk_stands():
    gc.disable()
    try:
        app = make_app(FakeLibrary(some_sessions()))
        async with app.run_test() as pilot:
            await until(pilot, lambda: isinstance(app.screen, DeskScreen) and gc.isenabled())
    finally:
        gc.enable()
        gc.unfreeze()


async def test_the_filter_never_has_the_keys_before_a_person_asks_for_it(monkeypatch: pytest.MonkeyPatch):
    focused: list[bool] = []

    def note(self: Input, has_focus: bool) -> None:
        del self
        focused.append(has_focus)

    monkeypatch.setattr(Input, "watch_has_focus", note)
    app = make_app(FakeLibrary(some_sessions()))
    async with app.run_test() as pilot:
        await until(pilot, lambda: app.screen.focused is not None and app.screen.focused.id == "sessions")
        assert not any(focused)
        await pilot.press("slash")
        await until(pilot, lambda: any(focused))
