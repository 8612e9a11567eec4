"""A program that ends at its first paint: `paint.py bare` for an empty Textual app, `paint.py app` for Refloat's, and
`paint.py list` for Refloat's with its sessions on the screen. Draws headless, so that the terminal costs nothing.
"""

import os
import sys
from pathlib import Path

from textual.app import App


def stop() -> None:
    """Nothing of the way out counts."""
    os._exit(0)


class Bare(App[None]):
    """Nothing."""

    def on_ready(self) -> None:
        """Painted once."""
        self.call_after_refresh(stop)


def refloat(*, with_list: bool) -> App[str]:
    """Refloat's own app, as the command makes it."""
    from refloat.machine.real import real_machine
    from refloat.usecases.open_bench import open_bench
    from refloat_tui.app import RefloatApp, make_app
    from refloat_tui.widgets.session_list import SessionList

    def on_ready(self: RefloatApp) -> None:
        if not with_list:
            self.call_after_refresh(stop)
            return
        rows = self.screen.query_one(SessionList)
        self.set_interval(0.005, lambda: self.call_after_refresh(stop) if rows.rows else None)

    RefloatApp.on_ready = on_ready  # pyright: ignore[reportAttributeAccessIssue] - Textual calls it by its name
    return make_app(open_bench(real_machine()), Path.cwd())


if __name__ == "__main__":
    what = sys.argv[1]
    app = Bare() if what == "bare" else refloat(with_list=what == "list")
    app.run(headless=True, size=(120, 40))
