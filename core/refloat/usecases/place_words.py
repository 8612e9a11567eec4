"""Where a process lives that nothing from here can switch to, in words: a window elsewhere, a login, no terminal."""

from refloat.model.guard import way_words
from refloat.model.liveness import ProcessInfo
from refloat.model.session import SessionName
from refloat.model.stamp import stamp_of_seconds
from refloat.model.terminals import ENDED_INSTEAD, Login, Whereabouts
from refloat.ports import Machine
from refloat.terminals.lineage import Lineage, Table, ancestors, hints
from refloat.text import inert_line


def elsewhere(machine: Machine, lineage: Lineage, why: str = "") -> Whereabouts:
    """A terminal that something else shows, with who sits at it since when and from where, as far as that is told."""
    owner, terminal = lineage.owner, lineage.terminals[0]
    login = next((row for row in machine.terminals.logins() if row.terminal in lineage.terminals), None)
    environment = machine.processes.environment(owner.pid) or {}
    host = _host(login, lineage, environment.get("SSH_CONNECTION", ""))
    program = f"{lineage.title} (process {lineage.carrier.pid})" if lineage.carrier is not None else None
    user = login.user if login else (machine.terminals.user(owner.uid) if owner.uid is not None else None)
    since = (login.since if login else None) or stamp_of_seconds(lineage.began.started)
    shown = program or "; ".join(hints(environment)) or "nothing tells which program shows it"
    parts = [
        f"on {terminal}",
        why or shown,
        *([f"user {user}"] if user else []),
        *([f"from {host}"] if host else []),
        *([f"since {since}"] if since else []),
    ]
    words = inert_line(", ".join(parts))
    return Whereabouts("elsewhere", owner.pid, words, terminal, user=user, since=since, host=host, program=program)


def _host(login: Login | None, lineage: Lineage, connection: str) -> str | None:
    if login is not None and login.host:
        return login.host
    # What was started in a login long ago keeps the variable: it counts where a login is what shows the terminal.
    return connection.partition(" ")[0] or None if lineage.brings or lineage.carrier is None else None


def under_another_user(machine: Machine, owner: ProcessInfo, uid: int) -> Whereabouts | None:
    """Whose it is, where it is not this user's own: nobody else can go to it."""
    if owner.uid is None or owner.uid == uid:
        return None
    user = machine.terminals.user(owner.uid)
    return Whereabouts("other_user", owner.pid, f"under another user, {user}", owner.terminal, user=user)


def hung_up(owner: ProcessInfo, rows: Table, gone: str) -> Whereabouts:
    """Its terminal was closed, and it lives on."""
    words = (
        f"nowhere any more: its terminal {gone} is gone (a dropped connection or a closed window), and process "
        f"{owner.pid} lives on{_parent(owner, rows)}"
    )
    return Whereabouts("hung_up", owner.pid, inert_line(words), gone)


def no_terminal(owner: ProcessInfo, rows: Table) -> Whereabouts:
    """It has none: started by another program, in the background, or its terminal is gone without a trace."""
    words = f"without a terminal{_parent(owner, rows)}: started by another program, or its terminal is gone"
    return Whereabouts("no_terminal", owner.pid, inert_line(words))


def _parent(owner: ProcessInfo, rows: Table) -> str:
    if owner.ppid <= 1:
        return ", taken over by process 1"
    parent = next(ancestors(owner, rows), None)
    return f", a child of process {owner.ppid}" + (f" ({parent.name})" if parent is not None else "")


def only_told(place: Whereabouts, session: SessionName) -> str:
    """Why nothing is done, and what a person can do instead."""
    where = f"process {place.pid} lives {place.words}"
    match place.kind:
        case "elsewhere":
            told = f"{where}: nothing from here can switch to it; go there, or"
        case "hung_up" | "no_terminal":
            told = f"{where}: there is nothing to go to;"
        case "other_user":
            told = f"process {place.pid} runs {place.words}: only they can go to it"
        case "agent":
            told = f"process {place.pid}: {place.words}"
        case "here":
            told = f"{where}: {'; '.join(place.notes) or 'you are there'}"
        case "tmux":
            why = "nobody looks at the tmux that this command runs in, so nothing can be switched"
            told = f"{where}: {why}; attach from a terminal outside of it"
        case "screen" | "zellij":
            told = f"{where}: you are in it, and which of its panes that is cannot be told; look through them"
    return f"{told} {way_words('stop', session)}" if place.kind in ENDED_INSTEAD else told
