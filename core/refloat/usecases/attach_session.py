"""Going to where a live session is: which terminal its process is in, who shows that, and the commands that lead there.

Decides by the verified owner alone (the guard says which); says where it lives where nothing leads there. Looking
(`peek`) changes nothing and disturbs nobody, so somebody else's lease does not forbid it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from refloat.brief.masks import Masker
from refloat.errors import NotDone
from refloat.model.liveness import Holder, ProcessInfo
from refloat.model.terminals import Attachment, NoWay, Pane, Server, Way, Whereabouts
from refloat.ports import Machine
from refloat.readers.contract import LivesApart, OwnDoor
from refloat.terminals import route, screen, tmux, zellij
from refloat.terminals.lineage import Lineage, Table, ancestors, trace
from refloat.text import inert_line
from refloat.usecases.act import Actor, Seen, Wish, look
from refloat.usecases.place_words import elsewhere, hung_up, no_terminal, only_told, under_another_user
from refloat.usecases.see_terminals import ANSWER_SECONDS, Hosts, find_hosts, knows_window
from refloat.usecases.workbench import Workbench

_ROOT: Final = Path("/")
_PATIENCE: Final = 10.0
_GONE: Final = " (deleted)"
_FRAME: Final = " \t|│┃║╎┆┊▌▐"
"""What stands at the sides of a box."""


@dataclass(frozen=True, slots=True)
class _Scene:
    """One look: who asks, for which session, and every process."""

    bench: Workbench
    actor: Actor
    seen: Seen
    rows: Table

    @property
    def machine(self) -> Machine:
        return self.bench.machine

    @property
    def own(self) -> ProcessInfo | None:
        """This process."""
        return self.rows.get(self.actor.own.runner.pid or 0)


@dataclass(frozen=True, slots=True)
class _Found:
    """A place, the way to it, and what peeking at it needs."""

    place: Whereabouts
    way: Way | None = None
    server: Server | None = None
    panes: tuple[Pane, ...] = ()


def plan_attach(bench: Workbench, actor: Actor, ref: str, cwd: Path, *, peek: bool = False) -> Attachment:
    """Where a session lives and how one gets there; with `peek` also what is to be seen there. Changes nothing.

    Raises:
        NoSuchSession: none, or more than one, fits.
        Unreadable: the record cannot be opened, so nobody knows who holds what.

    """
    seen = look(bench, actor, Wish("attach", ref, cwd))
    ruling = seen.ruling
    held = ruling.branch == "session_is_held"
    refused = None if ruling.allowed else NoWay(ruling.why, ruling.holder)
    if refused is not None and not (held and peek):
        return Attachment(seen.session.name, seen.place, None, None, refused)
    pids = ruling.pids or seen.session.liveness.owners
    found = _find(_Scene(bench, actor, seen, {row.pid: row for row in bench.machine.processes.all()}), pids)
    if found is None:
        why = f"the process that owned {seen.session.name} has just ended: `refloat status {seen.session.name}`"
        return Attachment(seen.session.name, seen.place, None, None, NoWay(why))
    place = replace(found.place, notes=(*found.place.notes, *ruling.warnings))
    shown = _peek(bench.machine, found) if peek else None
    if found.way is None and (refused is None or (peek and shown is None)):
        refused = NoWay(only_told(place, seen.session.name))  # a lease forbids no look: it is not why nothing is seen
    return Attachment(seen.session.name, seen.place, place, found.way, refused, shown)


def mask_screen(plan: Attachment, masker: Masker) -> Attachment:
    """The plan with its screen masked as a whole: programs wrap a secret over lines of a frame of their own."""
    if plan.screen is None:
        return plan
    masker.learn("".join(line.strip(_FRAME) for line in plan.screen))  # its pieces are known from here on
    return replace(plan, screen=tuple(masker.lines(plan.screen)))


def go(machine: Machine, plan: Attachment, *, stays: bool) -> int:
    """Go there, and give back the exit code of the last command.

    Where that needs this terminal, this process becomes it, or with `stays` waits for its end.

    Raises:
        NotDone: the plan refuses, there is no terminal to show it in, or a command failed; says which.

    """
    if plan.refused is not None or plan.way is None:
        raise NotDone(plan.refused.why if plan.refused is not None else "nothing leads there")
    *before, last = plan.way.commands
    if plan.way.takes_terminal and not machine.terminals.has_terminal():
        raise NotDone(f"there is no terminal here to show it in; in one: {_line(last)}")
    for argv in before:
        answer = machine.launcher.run(argv, _ROOT, _PATIENCE)
        # zellij before 0.44 knows no pane by its number; the session is gone to all the same.
        if answer.code != 0 and "focus-pane-id" not in argv:
            raise NotDone(f"`{_line(argv)}` failed: {inert_line(answer.err.strip())}")
    if not plan.way.takes_terminal:
        answer = machine.launcher.run(last, _ROOT, _PATIENCE)
        if answer.code != 0:
            said = answer.err.strip() or answer.out.decode("utf-8", "replace").strip()
            raise NotDone(f"`{_line(last)}` failed: {inert_line(said)}")
        return 0
    if stays:
        return machine.terminals.converse(last)
    raise NotDone(f"`{_line(last)}` cannot be started: {machine.terminals.replace(last)}")


def _line(argv: Sequence[str]) -> str:
    from shlex import join

    return inert_line(join(argv))


# ── where it lives ───────────────────────────────────────────────────────────────────────────────────────────────────


def _find(scene: _Scene, pids: Sequence[int]) -> _Found | None:
    """Of several owners (a wrapper and the program that it runs) the first that can be gone to."""
    first: _Found | None = None
    for pid in pids:
        owner = scene.rows.get(pid)
        if owner is None or owner.zombie:
            continue
        found = _place(scene, owner)
        if found.way is not None:
            return found
        first = first or found
    return first


def _place(scene: _Scene, owner: ProcessInfo) -> _Found:
    machine, rows, pid = scene.machine, scene.rows, owner.pid
    if (theirs := under_another_user(machine, owner, scene.actor.uid)) is not None:
        return _Found(theirs)
    holders = _holders(scene, pid)
    if (door := _own_door(scene.seen, owner, holders)) is not None:
        way = Way((door.command,), takes_terminal=True) if door.command is not None else None
        title = scene.seen.located.reader.title
        return _Found(Whereabouts("agent", pid, door.why, owner.terminal, program=title), way)
    own = scene.own
    if own is not None and any(row.pid == pid for row in ancestors(own, rows)):
        return _Found(Whereabouts("here", pid, "around this command, which it started itself", owner.terminal))
    streams = machine.terminals.streams(pid)
    stands_at = next((_short(path) for path in streams if _is_terminal(path)), None)
    lineage = trace(owner, rows, stands_at)
    mine = trace(own, rows) if own is not None else None
    if mine is not None and mine.terminals and lineage.terminals[:1] == mine.terminals[:1]:
        return _Found(_beside_us(owner, lineage))
    found = _in_multiplexer(scene, lineage, mine) or _Found(_out_of_reach(scene, lineage, streams))
    notes = (*found.place.notes, *_notes(owner, found, holders))
    return replace(found, place=replace(found.place, notes=notes))


def _out_of_reach(scene: _Scene, lineage: Lineage, streams: Sequence[str]) -> Whereabouts:
    """Where no multiplexer shows it: a terminal of something else, one that is gone, or none."""
    if lineage.terminals:
        return elsewhere(scene.machine, lineage)
    gone = next((path for path in streams if path.endswith(_GONE) and _is_terminal(path.removesuffix(_GONE))), None)
    if gone is not None:
        return hung_up(lineage.owner, scene.rows, _short(gone.removesuffix(_GONE)))
    return no_terminal(lineage.owner, scene.rows)


def _in_multiplexer(scene: _Scene, lineage: Lineage, mine: Lineage | None) -> _Found | None:
    machine = scene.machine
    own = mine.certain if mine is not None else ()  # nobody's tmux is left for a window that was opened from it
    search = lineage.terminals if lineage.carrier is None else ()
    hosts = find_hosts(machine, scene.rows, scene.actor.uid, (*lineage.terminals, *own), search)
    for terminal in lineage.terminals:
        if why := hosts.silent.get(terminal):
            return _Found(elsewhere(machine, lineage, why))
        if (server := hosts.by_terminal.get(terminal)) is None:
            continue
        server = _checked(machine, server, terminal, hosts)
        if not (panes := server.at(terminal)):
            why = f"in a popup of tmux {server.address}, which nothing can switch to"
            return _Found(elsewhere(machine, lineage, why))
        levels = route.find_levels(own, hosts.by_terminal)
        in_tmux = bool(machine.places.environment.get("TMUX"))
        way = route.find_way(terminal, hosts.by_terminal, levels, in_tmux=in_tmux)
        return _Found(_pane_place(lineage, server, panes, terminal), way, server, panes)
    return None


def _checked(machine: Machine, server: Server, terminal: str, hosts: Hosts) -> Server:
    """A screen session whose window has another number by now does not keep the old one."""
    if server.kind != "screen":
        return server
    panes = tuple(
        replace(screen.pane(terminal, ""), words="a window that was renumbered")
        if pane.terminal == terminal and not knows_window(machine, server, pane.window)
        else pane
        for pane in server.panes
    )
    hosts.by_terminal[terminal] = checked = replace(server, panes=panes)
    return checked


def _pane_place(lineage: Lineage, server: Server, panes: Sequence[Pane], terminal: str) -> Whereabouts:
    where = server.address if server.kind == "tmux" else f"session {server.address}"
    more = f" (and in {len(panes) - 1} more)" if len(panes) > 1 else ""
    words = f"in {server.kind} {where}, {panes[0].words}{more}"
    notes = [
        f"{inert_line(name)} stands in between with a terminal of its own: if it opened a window, look in that"
        for name in lineage.through
    ]
    shown = panes[0].pane or panes[0].window or None
    return Whereabouts(
        server.kind, lineage.owner.pid, words, terminal, server.address, shown, notes=tuple(notes)
    )  # fmt: skip


def _beside_us(owner: ProcessInfo, lineage: Lineage) -> Whereabouts:
    words = "in this very terminal"
    how = "it is suspended: `fg` brings it back" if owner.stopped else "it runs in the background: `fg` brings it back"
    return Whereabouts("here", owner.pid, words, lineage.terminals[0], notes=(how,))


def _notes(owner: ProcessInfo, found: _Found, holders: Sequence[Holder]) -> list[str]:
    notes: list[str] = []
    if owner.stopped:
        notes.append(f"process {owner.pid} is suspended: `fg` in its shell, or `kill -CONT {owner.pid}`, lets it go on")
    hint = next((holder.terminal for holder in holders if holder.terminal), "")
    shown = found.place.pane
    if hint and not (found.place.kind == "tmux" and shown and hint.endswith((f".{shown}", shown))):
        notes.append(f"its register names the tmux pane {inert_line(hint)}, and its terminal is not that one")
    return notes


def _holders(scene: _Scene, pid: int) -> list[Holder]:
    """What ties the process to the session: its registers, else its lock."""
    places, session = scene.machine.places, scene.seen.session.session_id
    found = scene.seen.located.reader.find_holders(places.home, places.environment)
    own = [row for row in found if isinstance(row, Holder) and row.session_id == session]
    return [row for row in own if row.pid == pid] or [row for row in own if row.pid is None]


def _own_door(seen: Seen, owner: ProcessInfo, holders: Sequence[Holder]) -> OwnDoor | None:
    reader = seen.located.reader
    if not isinstance(reader, LivesApart):
        return None
    doors = (reader.own_door(seen.session.session_id, owner, holder) for holder in (*holders, None))
    return next((door for door in doors if door is not None), None)


def _short(path: str) -> str:
    return path.removeprefix("/dev/")


def _is_terminal(path: str) -> bool:
    return path.startswith(("/dev/pts/", "/dev/tty")) and path != "/dev/tty" and not path.endswith(_GONE)


# ── what is to be seen there ─────────────────────────────────────────────────────────────────────────────────────────


def _peek(machine: Machine, found: _Found) -> tuple[str, ...] | None:
    """What the pane shows, without empty lines at its end; None where nothing can be read."""
    server = found.server
    if server is None or not found.panes:
        return None
    pane = found.panes[0]
    said: bytes | None = None
    match server.kind:
        case "tmux":
            said = _said(machine, tmux.ask_screen(server.program, server.address, pane))
        case "screen" if pane.window:
            said = _hardcopy(machine, server, pane)
        case "zellij" if pane.pane:
            said = _said(machine, zellij.ask_screen(server, pane))
        case _:
            pass
    if said is None:
        return None
    lines = [line.rstrip() for line in said.decode("utf-8", "replace").split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return tuple(lines)


def _said(machine: Machine, argv: Sequence[str]) -> bytes | None:
    answer = machine.launcher.run(argv, _ROOT, ANSWER_SECONDS)
    return answer.out if answer.code == 0 else None


def _hardcopy(machine: Machine, server: Server, pane: Pane) -> bytes | None:
    def write(path: str) -> None:
        machine.launcher.run(screen.ask_screen(server, pane, path), _ROOT, ANSWER_SECONDS)

    return machine.terminals.written(write)
