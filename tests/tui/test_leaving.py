"""What comes in while the app leaves is no fault to show."""

from tests.tui.conftest import FakeLibrary, make_app, some_sessions


async def test_a_late_message_that_misses_its_parts():
    app = make_app(FakeLibrary(some_sessions()))
    async with app.run_test():
        app.exit()
        app._handle_exception(LookupError("late"))  # pyright: ignore[reportPrivateUsage] - where Textual brings it
    assert app.return_code == 0
