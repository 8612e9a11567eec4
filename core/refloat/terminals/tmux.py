"""tmux (and tmate, which takes the same words): what it is asked, what it answers, and how one gets to a pane.

Decides by ids alone (`$1`, `@2`, `%3`): names may hold anything. What a server is asked starts none and changes
nothing; a format that an old version does not know stays empty. Facts: tmux(1), tried with 3.3a.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Final

from refloat.model.light import light
from refloat.model.terminals import Argv, Client, Pane, Server, Way

_ID: Final = re.compile(r"\$\d+")
_PANES: Final = (
    "pane_tty", "session_id", "window_id", "pane_id", "session_attached", "session_activity", "window_active",
    "pane_active", "pane_dead", "window_index", "pane_index", "pid", "session_name",
)  # fmt: skip
_CLIENTS: Final = ("client_tty", "session_id", "client_activity")
# `|`: without UTF-8 tmux prints a control character, a tab too, as `_`.
_BAR: Final = "|"


@light
class Told:
    """What a server says of itself."""

    pid: int
    """0 where it does not say."""
    panes: tuple[Pane, ...]


def ask_panes(program: str, socket: str) -> Argv:
    """Every pane of every session of one server."""
    return (program, "-S", socket, "list-panes", "-a", "-F", _format(_PANES))


def ask_clients(program: str, socket: str) -> Argv:
    """Every terminal that looks at one server."""
    return (program, "-S", socket, "list-clients", "-F", _format(_CLIENTS))


def ask_screen(program: str, socket: str, pane: Pane) -> Argv:
    """What a pane shows; lines that tmux wrapped come whole."""
    return (program, "-u", "-S", socket, "capture-pane", "-p", "-J", "-t", pane.pane)


def read_panes(answer: str) -> Told:
    """The answer to `ask_panes`; lines of another form, and dead panes, are left out."""
    pid, panes = 0, list[Pane]()
    for row in _rows(answer, len(_PANES)):
        tty, session, window, pane, attached, activity, current, active, dead, index, place, server, name = row
        if not (_ID.fullmatch(session) and window[:1] == "@" and pane[:1] == "%") or dead == "1":
            continue
        pid = _number(server) or pid
        panes.append(
            Pane(
                _short(tty), session, window, pane, _number(attached), _number(activity), current == active == "1",
                f"session {name}, window {index}, pane {place}",
            )
        )  # fmt: skip
    return Told(pid, tuple(panes))


def read_clients(answer: str) -> tuple[Client, ...]:
    """The answer to `ask_clients`; one without a terminal (a control mode over a pipe) is left out."""
    rows = _rows(answer, len(_CLIENTS))
    return tuple(
        Client(_short(tty), session, _number(activity))
        for tty, session, activity in rows
        if tty.startswith("/dev/") and _ID.fullmatch(session)
    )


def best_clients(server: Server, panes: Sequence[Pane]) -> Sequence[Client]:
    """Terminals that look at a session with the pane: those that show it first, then where somebody typed last."""
    sessions = {pane.session for pane in panes}
    shown = {pane.session for pane in panes if pane.shown}
    found = [client for client in server.clients if client.session in sessions]
    return sorted(found, key=lambda client: (client.session not in shown, -client.activity, client.terminal))


def show(server: Server, client: Client, panes: Sequence[Pane]) -> Argv:
    """Have a terminal that looks at the server show the pane; a session that holds it is not left."""
    own = [pane for pane in panes if pane.session == client.session]
    pane = own[0] if own else _choose(panes)
    switch = () if own else ("switch-client", "-c", f"/dev/{client.terminal}", "-t", pane.session, ";")
    return (server.program, "-S", server.address, *switch, *_select(pane))


def enter(server: Server, panes: Sequence[Pane]) -> Way:
    """Look at the pane in a terminal that does not yet look at the server."""
    pane = _choose(panes)
    others = pane.attached
    looks = "1 other terminal looks" if others == 1 else f"{others} other terminals look"
    notes = (f"{looks} at that session, and will show the same",) if others else ()
    command = (server.program, "-S", server.address, *_select(pane), ";", "attach-session", "-t", pane.session)
    return Way((command,), takes_terminal=True, notes=notes)


def leave_for(own: Server, client: Client, there: Argv) -> Way:
    """Leave a tmux for another one, which refuses to be shown inside it; whoever detaches there comes back.

    `detach-client -E` (tmux 2.4) has the terminal itself run the command, outside of this tmux.
    """
    back = ("env", "-u", "TMUX", own.program, "-S", own.address, "attach-session", "-t", client.session)
    line = f"{shlex.join(('env', '-u', 'TMUX', *there))}; exec {shlex.join(back)}"
    command = (own.program, "-S", own.address, "detach-client", "-t", f"/dev/{client.terminal}", "-E", line)
    notes = ("this terminal leaves the tmux that it is in for the other one; detach there, and it comes back",)
    return Way((command,), takes_terminal=False, notes=notes)


def _select(pane: Pane) -> Argv:
    return ("select-window", "-t", f"{pane.session}:{pane.window}", ";", "select-pane", "-t", pane.pane)


def _choose(panes: Sequence[Pane]) -> Pane:
    """Of several sessions with the window: one that nobody looks at, so that nobody's view moves; then the newest."""
    return min(panes, key=lambda pane: (pane.attached > 0, -pane.activity, int(pane.session[1:])))


def _format(names: Sequence[str]) -> str:
    return _BAR.join(f"#{{{name}}}" for name in names)


def _rows(answer: str, fields: int) -> Iterator[list[str]]:
    for line in answer.splitlines():
        row = line.split(_BAR, fields - 1)
        if len(row) == fields:
            yield row


def _short(terminal: str) -> str:
    return terminal.removeprefix("/dev/")


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else 0
