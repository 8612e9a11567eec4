"""The road to the terminal app, without a parser: what `refloat` without words takes, and `recover` and `demo` join.

Decides what a start of the app does without until somebody asks for it. Refuses to open where there is no terminal.
"""

import os
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from refloat import uncollected
from refloat.errors import UsageError
from refloat.sparing import load_later, load_less
from refloat_tui.cli import err
from refloat_tui.cli.asking import bench, here

if TYPE_CHECKING:
    from refloat.demo.build import Demo
    from refloat.model.session import SessionName
    from refloat.usecases.workbench import Workbench

_AGENTS_OWN = ("CLAUDE", "CODEX", "XDG_", "REFLOAT_CACHE", "REFLOAT_DATA", "REFLOAT_CONFIG")
"""Variables that would lead out of the demo's home."""


def open_desk() -> int:
    """The app on this machine's sessions. Returns the exit code.

    Raises:
        UsageError: there is no terminal.
    """
    need_terminal()
    return run(bench(), here())


def need_terminal() -> None:
    """Go on where there is one.

    Raises:
        UsageError: there is none.
    """
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):  # it draws on standard error
        raise UsageError("the app needs a terminal; `refloat list` and `refloat brief last` work without one")


def hasten() -> None:
    """Make this process fit for a first paint, before Textual is loaded: no look for cycles until the desk stands, and
    nothing that Textual and the standard library load for what the app never does. A
    tenth of a bare Textual start.
    """
    uncollected.pause()
    load_less()
    load_later("tokenize")  # for `inspect`
    load_later("platformdirs", user_downloads_path=_user_downloads_path)  # for Textual's own pictures of its screen
    if "ssl" not in sys.modules:  # `asyncio` does without, and says so itself where it is asked
        sys.modules["ssl"] = None  # pyright: ignore[reportArgumentType] - how Python is told that there is none
        import asyncio as _  # noqa: F401

        del sys.modules["ssl"]


def _user_downloads_path() -> Path:
    from platformdirs import user_downloads_dir

    return Path(user_downloads_dir())


def enter_demo(stack: ExitStack, home: Path | None = None) -> "tuple[Workbench, Path]":
    """Build a demo whose processes, and whose home unless it was named, end with `stack`."""
    import tempfile  # the app's first paint waits for neither it nor the demo

    if home is None:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="refloat-demo-"))) / "home"
    built, workbench = build(home.absolute(), processes=True)
    for pid in built.pids:
        stack.callback(workbench.machine.launcher.end, pid)
    return workbench, built.workspace


def build(home: Path, *, processes: bool) -> "tuple[Demo, Workbench]":
    """A demo, and a workbench whose home it is: nothing of the person's own is read or written."""
    from refloat.demo.build import build_demo
    from refloat.machine.real import real_machine
    from refloat.usecases.open_bench import open_bench

    environment = {name: value for name, value in os.environ.items() if not name.startswith(_AGENTS_OWN)}
    environment["HOME"] = str(home)
    machine = real_machine(environment)
    return build_demo(machine, home, processes=processes), open_bench(machine)


def run(workbench: "Workbench", cwd: Path, chosen: "SessionName | None" = None, *, starts: bool = True) -> int:
    """The app over a workbench, until the person leaves; returns the exit code."""
    hasten()
    from refloat_tui.app import make_app, run_app
    from refloat_tui.cli.own_program import own_program

    with ExitStack() as stack:
        demo = partial(enter_demo, stack)
        app = make_app(
            workbench,
            cwd,
            chosen=chosen,
            recover=chosen is not None,
            demo=demo,
            program=own_program(),
            starts=starts,
        )
        said = run_app(app)
    if said:
        err.say(said)
    return app.return_code or 0
