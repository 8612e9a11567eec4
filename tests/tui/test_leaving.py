"""What comes in while the app leaves is no fault to show; what ended it is, also to a script."""

from pathlib import Path
from typing import Any

import pytest
from tests.tui.conftest import FakeLibrary, make_app, some_sessions
from tests.tui.waiting import until
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from refloat_tui import app as apps
from refloat_tui.cli import opening


async def test_a_late_message_that_misses_its_parts():
    app = make_app(FakeLibrary(some_sessions()))
    async with app.run_test():
        app.exit()
        app._handle_exception(LookupError("late"))  # pyright: ignore[reportPrivateUsage] - where Textual brings it
    assert app.return_code == 0


async def test_a_desk_that_is_left_while_its_panes_are_made_is_no_fault(monkeypatch: pytest.MonkeyPatch):
    mount = ContentSwitcher.mount
    left: list[object] = []

    async def mount_and_leave(switcher: ContentSwitcher, *panes: Widget) -> None:
        await mount(switcher, *panes)
        left.append(await switcher.remove_children())

    monkeypatch.setattr(ContentSwitcher, "mount", mount_and_leave)
    app = make_app(FakeLibrary(some_sessions()))
    async with app.run_test() as pilot:
        await until(pilot, lambda: left)
        assert app.is_running


@pytest.mark.parametrize(("fault", "code"), [(LookupError("x"), 1), (None, 0)])
def test_a_fault_that_ended_the_app_shows_in_the_exit_code(
    monkeypatch: pytest.MonkeyPatch, fault: Exception | None, code: int
):
    app = make_app(FakeLibrary(some_sessions()))

    def run(own: apps.RefloatApp) -> None:
        try:
            if fault is not None:
                raise fault
            own.exit()
        except LookupError as error:
            own._handle_exception(error)  # pyright: ignore[reportPrivateUsage] - where Textual brings it

    def make(*_: object, **__: object) -> apps.RefloatApp:
        return app

    bench: Any = None
    monkeypatch.setattr(apps, "make_app", make)
    monkeypatch.setattr(apps, "run_app", run)
    monkeypatch.setattr(opening, "hasten", lambda: None)  # this process goes on
    assert opening.run(bench, Path("/")) == code
