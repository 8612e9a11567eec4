"""A program that ends at its first useful paint: `paint.py bare` for an empty Textual app, `paint.py app` for ours with
the rows that fit, and `paint.py list` once its desk lies over them and takes keys. Draws headless, so that the terminal
costs nothing.
"""

import os
import sys
from pathlib import Path

SIZE = (120, 40)


def stop() -> None:
    """Nothing of the way out counts."""
    os._exit(0)


def stop_at_first_paint() -> None:
    """End the process as soon as a picture is handed to the driver; draws it all before."""
    from textual.app import App

    def display(*of_what: object) -> None:
        if of_what[-1] is not None:
            stop()

    App._display = display  # noqa: SLF001  # pyright: ignore[reportAttributeAccessIssue, reportPrivateUsage]


def bare() -> None:
    """An app with nothing in it."""
    from textual.app import App

    stop_at_first_paint()
    App[None]().run(headless=True, size=SIZE)


def refloat(*, whole: bool) -> None:
    """Refloat's own app, as the command makes it."""
    from refloat_tui.cli import opening

    opening.hasten()
    from refloat.machine.real import real_machine
    from refloat.usecases.open_bench import open_bench
    from refloat_tui.app import RefloatApp, make_app

    app = make_app(open_bench(real_machine()), Path.cwd())

    def look() -> None:
        from refloat_tui.screens.desk import DeskScreen
        from refloat_tui.widgets.session_list import SessionList

        desk = app.screen
        if isinstance(desk, DeskScreen) and any(rows.rows for rows in desk.query(SessionList)):
            app.call_after_refresh(stop)

    def on_ready(self: RefloatApp) -> None:
        self.set_interval(0.005, look)

    if whole:
        RefloatApp.on_ready = on_ready  # pyright: ignore[reportAttributeAccessIssue] - Textual calls it by its name
    else:
        stop_at_first_paint()
    app.run(headless=True, size=SIZE)


if __name__ == "__main__":
    what = sys.argv[1]
    bare() if what == "bare" else refloat(whole=what == "list")
