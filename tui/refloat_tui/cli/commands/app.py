"""The terminal app: the desk, the wizard straight away, the demo."""

import os
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from refloat.errors import UsageError
from refloat.machine.real import real_machine
from refloat.model.session import SessionName
from refloat.usecases.open_bench import open_bench
from refloat.usecases.workbench import Workbench
from refloat_tui.cli import err, out
from refloat_tui.cli.commands.bench import bench, here, located, session_argument

if TYPE_CHECKING:
    from refloat.demo.build import Demo

_AGENTS_OWN = ("CLAUDE", "CODEX", "XDG_", "REFLOAT_CACHE", "REFLOAT_DATA", "REFLOAT_CONFIG")
"""Variables that would lead out of the demo's home."""


def open_desk() -> int:
    """The app on this machine's sessions. Returns the exit code.

    Raises:
        UsageError: there is no terminal.
    """
    _need_terminal()
    return _run(bench(), here())


@click.command(short_help="The recovery wizard; goes on where it stood.")
@session_argument
def recover(session: str) -> int:
    """The recovery wizard, straight away; it goes on where an earlier one stood."""
    chosen = located(session).session.name
    _need_terminal()
    return _run(bench(), here(), chosen)


@click.command(short_help="A small repository with sessions in every state.")
@click.option("--home", type=click.Path(path_type=Path, file_okay=False), help="Build it here and leave it there.")
@click.option("--build-only", is_flag=True, help="Build it, say where, and do not open the app; needs --home.")
def demo(home: Path | None, build_only: bool) -> int:
    """A small repository and sessions in every state, to try it on."""
    if build_only and home is None:
        raise click.UsageError("--build-only needs `--home DIR`, or nobody could find what was built")
    if build_only and home is not None:
        built, _ = _build(home.absolute(), processes=False)
        out.write(f"{built.home}\n")
        err.say(f"look at it: cd {built.workspace} && HOME={built.home} refloat")
        return 0
    _need_terminal()
    with ExitStack() as stack:
        workbench, workspace = _enter_demo(stack, home)
        code = _run(workbench, workspace, starts=False)
    if home is not None:
        err.say(f"the demo stays: cd {workspace} && HOME={home.absolute()} refloat")
    return code


def _enter_demo(stack: ExitStack, home: Path | None = None) -> tuple[Workbench, Path]:
    """Build a demo whose processes, and whose home unless it was named, end with `stack`."""
    import tempfile  # the app's first paint waits for neither it nor the demo

    if home is None:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="refloat-demo-"))) / "home"
    built, workbench = _build(home.absolute(), processes=True)
    for pid in built.pids:
        stack.callback(workbench.machine.launcher.end, pid)
    return workbench, built.workspace


def _build(home: Path, *, processes: bool) -> "tuple[Demo, Workbench]":
    """A demo, and a workbench whose home it is: nothing of the person's own is read or written."""
    from refloat.demo.build import build_demo

    environment = {name: value for name, value in os.environ.items() if not name.startswith(_AGENTS_OWN)}
    environment["HOME"] = str(home)
    machine = real_machine(environment)
    return build_demo(machine, home, processes=processes), open_bench(machine)


def _need_terminal() -> None:
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):  # it draws on standard error
        raise UsageError("the app needs a terminal; `refloat list` and `refloat brief last` work without one")


def _run(workbench: Workbench, cwd: Path, chosen: SessionName | None = None, *, starts: bool = True) -> int:
    from refloat_tui.app import make_app, run_app
    from refloat_tui.cli.own_program import own_program

    with ExitStack() as stack:
        demo = partial(_enter_demo, stack)
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
