"""An escape and the key close behind it are two keys, whatever a terminal makes of them."""

import pytest
from tests.tui.conftest import FakeLibrary, make_app, some_sessions
from tests.tui.waiting import has_read, until
from textual import events
from textual.drivers import linux_driver
from textual.widgets import Input

from refloat_tui.escapes import Parser
from refloat_tui.screens.desk import DeskScreen
from refloat_tui.screens.help import HelpScreen
from refloat_tui.widgets.session_list import SessionList


@pytest.mark.parametrize(
    ("typed", "keys"),
    [
        ("\x1bj", ["alt+j"]),
        ("\x1bG", ["alt+G"]),
        ("\x1b3", ["alt+3"]),
        ("\x1b/", ["alt+slash"]),
        ("\x1b\r", ["alt+enter"]),
        ("\x1b ", ["alt+space"]),
        ("\x1b\t", ["alt+tab"]),
        ("\x1b[A", ["up"]),
        ("\x1bOB", ["down"]),
        ("\x1b[1;3A", ["alt+up"]),
        ("j\r", ["j", "enter"]),
    ],
)
def test_a_key_behind_an_escape_is_told_with_it(typed: str, keys: list[str]):
    assert [event.key for event in Parser(False).feed(typed) if isinstance(event, events.Key)] == keys


def test_the_terminal_is_read_so():
    app = make_app(FakeLibrary(some_sessions()))
    if app.driver_class.__module__ == linux_driver.__name__:
        assert vars(linux_driver)["XTermParser"] is Parser


@pytest.mark.parametrize(("key", "character"), [("alt+j", "j"), ("alt+G", "G"), ("alt+shift+g", "G")])
async def test_both_do_what_they_do_alone(key: str, character: str):
    app = make_app(FakeLibrary(some_sessions()))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: has_read(app))
        stood = app.screen.query_one(SessionList).cursor_key
        await pilot.press("question_mark")
        assert isinstance(app.screen, HelpScreen)
        app.post_message(events.Key(key, character).set_sender(app))
        await until(pilot, lambda: isinstance(app.screen, DeskScreen))
        await until(pilot, lambda: app.screen.query_one(SessionList).cursor_key != stood)


async def test_enter_behind_an_escape_does_not_say_yes_and_in_a_field_it_is_enter():
    app = make_app(FakeLibrary(some_sessions()))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: has_read(app))
        await pilot.press("slash", "x")
        app.post_message(events.Key("alt+enter", "\r").set_sender(app))
        await until(pilot, lambda: app.screen.query_one(SessionList).has_focus)
        assert app.screen.query_one(Input).value == "x", "escape would have taken it back"
