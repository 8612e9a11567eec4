"""From a process up to what shows its terminal, by the process table alone. Pure.

Decides which terminals lie between a process and a screen: its own, then those of the programs that hold one for it
(`script`, `sudo`). Refuses to pass a program that shows terminals itself: a window that was opened from a pane is not
in that pane.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Final

from refloat.knowledge.tables import table
from refloat.model.light import light
from refloat.model.liveness import ProcessInfo
from refloat.model.terminals import Multiplexer

Table = Mapping[int, ProcessInfo]

_TMUX: Final = frozenset({"tmux", "tmate"})
_KEPT: Final = 15
"""Bytes that Linux keeps of a name (proc(5))."""


@light
class Lineage:
    """A process, and what its terminal is shown by."""

    owner: ProcessInfo
    terminals: tuple[str, ...]
    """Its own first, each once."""
    certain: tuple[str, ...]
    """Those of them that no unknown program stands before: what is seen in the first is seen in the last."""
    carrier: ProcessInfo | None
    """A program of the tables that shows or brings a terminal."""
    title: str
    """What the tables call it."""
    brings: bool
    """It brings the terminal from somewhere else (a login)."""
    through: tuple[str, ...]
    """Programs that hold a terminal of their own on the way, and of which nothing is known."""
    began: ProcessInfo
    """The oldest of its line on its own terminal: since when the terminal is in use."""


def trace(owner: ProcessInfo, rows: Table, stands_at: str | None = None) -> Lineage:
    """Follow a process up. `stands_at`: a terminal that its streams lead to, where it has none of its own."""
    current = owner.terminal or stands_at
    if current is None:  # what its parents stand in does not show it
        return Lineage(owner, (), (), None, "", brings=False, through=(), began=owner)
    terminals, certain = [current], [current]
    through: list[str] = []
    began = owner
    carrier, title, brings = None, "", False
    for row in ancestors(owner, rows):
        if server_kind(row) is not None:
            break
        if row.terminal == owner.terminal and row.terminal is not None:
            began = row
        if row.terminal == current:
            continue
        if title := _named(row, "shows") or _named(row, "logs_in"):
            carrier, brings = row, not _named(row, "shows")
            break
        if not _named(row, "passes_on"):
            through.append(row.name)
        if row.terminal is not None and row.terminal not in terminals:
            current = row.terminal
            terminals.append(current)
            certain += [] if through else [current]
    return Lineage(owner, tuple(terminals), tuple(certain), carrier, title, brings, tuple(through), began)


def ancestors(process: ProcessInfo, rows: Table) -> Iterator[ProcessInfo]:
    """Parents, nearest first, without the first process of the system."""
    seen = {process.pid}
    pid = process.ppid
    while pid > 1 and pid not in seen and (row := rows.get(pid)) is not None:
        seen.add(pid)
        yield row
        pid = row.ppid


def server_kind(row: ProcessInfo) -> Multiplexer | None:
    """Which multiplexer's server a process is; None for every other one, their clients included."""
    program = PurePath(row.argv[0]).name if row.argv else row.name
    if row.terminal is not None or row.zombie:
        return None
    if row.name in {"tmux: server", "tmate: server"} or program in _TMUX:
        return "tmux"
    if program == "SCREEN" or (row.name == "screen" and program == "screen"):
        return "screen"
    if "--server" in row.argv and PurePath(program).name == "zellij":
        return "zellij"
    return None


def servers(rows: Table) -> Mapping[str, ProcessInfo]:
    """Terminal → the server whose child runs in it: what each multiplexer started in its panes."""
    kinds = {row.pid: row for row in rows.values() if server_kind(row) is not None}
    return {row.terminal: kinds[row.ppid] for row in rows.values() if row.terminal and row.ppid in kinds}


def roots(server: ProcessInfo, rows: Table) -> Sequence[ProcessInfo]:
    """What a server started in panes of its own."""
    return [row for row in rows.values() if row.ppid == server.pid and row.terminal]


def _named(row: ProcessInfo, section: str) -> str:
    """What a table calls the program; "" where it does not know it."""
    rows = table("terminals").get(section, {})
    short = row.name.split(":", 1)[0]
    words = [short, *([PurePath(row.argv[0].split(":", 1)[0]).name] if row.argv else [])]
    for word in words:
        if told := rows.get(word):
            return str(told)
    return next((str(told) for name, told in rows.items() if len(short) == _KEPT and name.startswith(short)), "")


def hints(environment: Mapping[str, str]) -> list[str]:
    """What an environment says of the program that shows the terminal; it may be older than that."""
    rows = table("terminals").get("variables", {})
    return [str(words).format(value=environment[name]) for name, words in rows.items() if environment.get(name)]
