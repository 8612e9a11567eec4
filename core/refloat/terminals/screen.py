"""GNU screen: which session and window a terminal is, and how one gets there.

screen tells nobody the terminals of its windows. Decides by what it wrote into the environment of what it started there
(`STY`, `WINDOW`), where the process table shows that it did; a window that was renumbered since has another number, so
it is asked whether that number exists. Facts: screen(1), tried with 4.09.
"""

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Final

from refloat.model.terminals import Argv, Pane, Server

USUAL: Final = (
    "/run/screen/S-{user}",
    "/var/run/screen/S-{user}",
    "/tmp/screens/S-{user}",  # noqa: S108 - where builds of screen put them
    "/tmp/uscreens/S-{user}",  # noqa: S108 - as above
    "{home}/.screen",
)
"""Directories of sockets that builds of screen use without being told."""


def window_of(environment: Mapping[str, str] | None) -> str:
    """The number that a window had when it was opened; "" where it is not told."""
    number = (environment or {}).get("WINDOW", "")
    return number if number.isascii() and number.isdigit() else ""


def session_of(pid: int, sockets: Sequence[str]) -> str:
    """`PID.name` of a server, from the names of sockets; "" where none is its own."""
    names = (PurePath(path).name for path in sockets)
    return next((name for name in names if name.startswith(f"{pid}.")), "")


def pane(terminal: str, window: str) -> Pane:
    """A window of a session."""
    return Pane(terminal, "", window, "", words=f"window {window}" if window else "a window of unknown number")


def ask_window(server: Server, pane: Pane) -> Argv:
    """Whether the window is there under its number: exit code 1 where it is not."""
    return (*_screen(server), "-S", server.address, "-p", pane.window, "-Q", "number")


def ask_screen(server: Server, pane: Pane, path: str) -> Argv:
    """Have the server write what a window shows into a file."""
    return (*_screen(server), "-S", server.address, "-p", pane.window, "-X", "hardcopy", path)


def show(server: Server, pane: Pane) -> Argv:
    """Have the terminal that looks at the session show the window."""
    return (*_screen(server), "-S", server.address, "-X", "select", pane.window)


def enter(server: Server, pane: Pane) -> Argv:
    """Look at the window in this terminal, beside whoever else does."""
    return (*_screen(server), "-x", server.address, *(("-p", pane.window) if pane.window else ()))


def _screen(server: Server) -> Argv:
    place = ("env", f"SCREENDIR={server.directory}") if server.directory else ()
    return (*place, server.program)
