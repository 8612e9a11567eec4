"""zellij: which session and pane a terminal is, and how one gets there.

Decides by what it wrote into the environment of what it started (`ZELLIJ_PANE_ID`) and by the socket that its server
was given, whose name is the session's. Facts: zellij's documentation of its command line (0.44 for actions on a pane
that is named; older versions refuse those, and the session is gone to all the same).
"""

from collections.abc import Mapping, Sequence
from pathlib import PurePath

from refloat.model.terminals import Argv, Pane, Server


def session_of(argv: Sequence[str]) -> str:
    """The name of the session that a server holds; "" where its command line does not tell."""
    words = list(argv)
    at = words.index("--server") + 1 if "--server" in words else len(words)
    return PurePath(words[at]).name if at < len(words) else ""


def pane(terminal: str, environment: Mapping[str, str] | None) -> Pane:
    """A pane of a session; its number is 0 or more."""
    number = (environment or {}).get("ZELLIJ_PANE_ID", "")
    known = number.isascii() and number.isdigit()
    return Pane(
        terminal, "", "", f"terminal_{number}" if known else "", words=f"pane {number}" if known else "an unknown pane"
    )


def focus(server: Server, pane: Pane) -> tuple[Argv, ...]:
    """Have everybody who looks at the session look at the pane."""
    if not pane.pane:
        return ()
    return ((server.program, "--session", server.address, "action", "focus-pane-id", pane.pane),)


def switch(server: Server, own: str) -> Argv:
    """Have the session that this runs in change to another one."""
    return (server.program, "--session", own, "action", "switch-session", "--", server.address)


def enter(server: Server) -> Argv:
    """Look at the session in this terminal."""
    return (server.program, "attach", "--", server.address)


def ask_screen(server: Server, pane: Pane) -> Argv:
    """What a pane shows."""
    return (server.program, "--session", server.address, "action", "dump-screen", "--pane-id", pane.pane)
