"""The way to a pane: what has to be switched, from the inside out, so that whoever asks sees it. Pure.

Decides by looking from the pane outwards: where one of the multiplexers that the asking person looks through shows it,
that one is switched; where a terminal inside of one of those looks at it, that terminal is shown; else the pane is
entered anew. Refuses to show a multiplexer inside itself.
"""

from collections.abc import Collection, Mapping, Sequence

from refloat.model.terminals import Argv, Client, Level, Pane, Server, Way
from refloat.terminals import screen, tmux, zellij

Hosts = Mapping[str, Server]
"""Terminal → the server that it is a pane of."""


def find_levels(terminals: Sequence[str], hosts: Hosts) -> tuple[Level, ...]:
    """The multiplexers that somebody looks through, innermost first. `terminals`: theirs, nearest first."""
    levels: list[Level] = []
    due = list(terminals)
    while due:
        terminal = due.pop(0)
        server = hosts.get(terminal)
        if server is None or any(level.server.pid == server.pid for level in levels):
            continue
        client = next(iter(_clients(server, server.at(terminal))), None)
        levels.append(Level(server, client))
        due = [client.terminal] if client is not None else []
    return tuple(levels)


def find_way(terminal: str, hosts: Hosts, levels: Sequence[Level], *, in_tmux: bool) -> Way | None:
    """The commands that lead to a terminal; None where none does.

    `in_tmux`: the environment of this process says that it runs in a tmux, which then refuses to be entered.
    """
    server = hosts[terminal]
    inner = _switch(terminal, hosts, levels, frozenset())
    if inner is not None:
        return Way(tuple(inner), takes_terminal=False)
    if any(level.server.pid == server.pid for level in levels):
        return None  # nobody looks at it: it would be shown inside itself
    return _enter(server, server.at(terminal), levels, in_tmux=in_tmux)


def _switch(terminal: str, hosts: Hosts, levels: Sequence[Level], seen: Collection[str]) -> list[Argv] | None:
    """Commands that show a terminal in what is being looked through; None where they do not reach it."""
    server = hosts.get(terminal)
    if server is None or not (panes := server.at(terminal)):
        return None
    level = next((level for level in levels if level.server.pid == server.pid), None)
    if level is not None:
        return _show(server, level.client, panes)
    for client in _clients(server, panes):
        if client.terminal not in seen:
            outer = _switch(client.terminal, hosts, levels, {*seen, terminal, client.terminal})
            inner = _show(server, client, panes) if outer is not None else None
            if outer is not None and inner is not None:
                return [*inner, *outer]
    return None


def _clients(server: Server, panes: Sequence[Pane]) -> Sequence[Client]:
    if server.kind == "tmux":
        found = tmux.best_clients(server, panes)
        # A popup is a terminal of the server and no pane of it: whoever typed last is looking at it.
        return found if panes else sorted(server.clients, key=lambda client: -client.activity)
    return server.clients


def _show(server: Server, client: Client | None, panes: Sequence[Pane]) -> list[Argv] | None:
    """Commands that show a pane in what looks at the server; None where nothing is known to look, or which pane it is.

    Of what looks at a zellij nothing is known; screen and zellij switch it without being told.
    """
    match server.kind:
        case "tmux":
            return [tmux.show(server, client, panes)] if client is not None else None
        case "screen":
            return [screen.show(server, panes[0])] if panes[0].window else None
        case "zellij":
            return list(zellij.focus(server, panes[0])) or None


def _enter(server: Server, panes: Sequence[Pane], levels: Sequence[Level], *, in_tmux: bool) -> Way | None:
    match server.kind:
        case "tmux":
            way = tmux.enter(server, panes)
            if levels and levels[0].server.kind == "tmux":
                own = levels[0]
                if own.client is None:
                    return None
                left = tmux.leave_for(own.server, own.client, way.commands[0])
                return Way(left.commands, left.takes_terminal, (*way.notes, *left.notes))
            if in_tmux:
                return Way((("env", "-u", "TMUX", *way.commands[0]),), takes_terminal=True, notes=way.notes)
            return way
        case "screen":
            return Way((screen.enter(server, panes[0]),), takes_terminal=True)
        case "zellij":
            own = next((level.server for level in levels[:1] if level.server.kind == "zellij"), None)
            last = zellij.enter(server) if own is None else zellij.switch(server, own.address)
            return Way((*zellij.focus(server, panes[0]), last), takes_terminal=own is None)
