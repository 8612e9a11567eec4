"""Which multiplexers show which terminals: the process table says which to ask, and each is asked itself.

Decides which servers are asked: those that started something in one of the terminals in question, and those that look
at these from further out; where nothing tells, every tmux of this user. Refuses to speak with another user's server.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Final

from refloat.model.liveness import ProcessInfo
from refloat.model.terminals import Client, Server
from refloat.ports import GitAnswer, Machine
from refloat.terminals import screen, tmux, zellij
from refloat.terminals.lineage import Table, roots, server_kind, servers

ANSWER_SECONDS: Final = 5.0
"""A server that is stopped takes a question and never answers."""
_ROOT: Final = Path("/")


@dataclass(slots=True)
class Hosts:
    """What was found out."""

    by_terminal: dict[str, Server] = field(default_factory=dict[str, Server])
    """Terminal → the server that it is a pane (or a popup) of."""
    silent: dict[str, str] = field(default_factory=dict[str, str])
    """Terminal → why the server that it is a pane of could not be asked."""


def find_hosts(machine: Machine, rows: Table, uid: int, terminals: Sequence[str], search: Sequence[str] = ()) -> Hosts:
    """Ask who shows the terminals, and then who shows whoever looks at those.

    `uid` is whose servers are asked; `search` those among the terminals that must be found even where no process tells
    which server has them.
    """
    return _Asking(machine, rows, uid).find(terminals, search)


class _Asking:
    """One round of questions; each server is asked once."""

    def __init__(self, machine: Machine, rows: Table, uid: int) -> None:
        self._machine = machine
        self._rows = rows
        self._uid = uid
        self._started = servers(rows)
        self._asked: dict[int, Server | str] = {}
        self._found = Hosts()

    def find(self, terminals: Sequence[str], search: Sequence[str]) -> Hosts:
        due = list(terminals)
        while due:
            terminal = due.pop(0)
            if terminal in self._found.by_terminal or terminal in self._found.silent:
                continue
            process = self._started.get(terminal)
            if process is not None:
                server = self._ask(process)
                if isinstance(server, str):
                    self._found.silent[terminal] = server
                    continue
            elif (server := self._search(terminal) if terminal in search else None) is None:
                continue
            self._found.by_terminal[terminal] = server
            due += [client.terminal for client in server.clients]
        return self._found

    def _ask(self, process: ProcessInfo) -> Server | str:
        if process.pid not in self._asked:
            self._asked[process.pid] = self._meet(process)
        return self._asked[process.pid]

    def _meet(self, process: ProcessInfo) -> Server | str:
        kind = server_kind(process)
        if process.uid != self._uid:
            whose = self._machine.terminals.user(process.uid) if process.uid is not None else "somebody else"
            return f"the {kind} that shows it belongs to {whose}"
        match kind:
            case "tmux":
                return self._meet_tmux(process)
            case "screen":
                return self._meet_screen(process)
            case _:
                return self._meet_zellij(process)

    # ── tmux ──

    def _meet_tmux(self, process: ProcessInfo) -> Server | str:
        program = "tmate" if "tmate" in process.name else "tmux"
        if self._machine.launcher.which(program) is None:
            return f"{program} is not on the path, so its server (process {process.pid}) cannot be asked"
        own = list(dict.fromkeys(self._sockets(process)))
        said = ""
        for path in filter(self._machine.terminals.is_own, dict.fromkeys((*own, *self._usual()))):
            for words in (program, f"/proc/{process.pid}/exe"):
                answer, server = self._tmux(words, path)
                if server is not None and server.pid in {process.pid, 0}:
                    return replace(server, pid=process.pid)
                if path in own:
                    said = "it does not answer" if answer.timed_out else answer.err.strip() or said
                if "protocol version mismatch" not in answer.err:
                    break  # else the server is of another version: its own program speaks with it
            if said:
                break  # it was met, and cannot be spoken with
        if not said:
            said = f"its socket is gone; `kill -USR1 {process.pid}` has it make a new one"
        return f"the {program} server that shows it (process {process.pid}) cannot be asked: {said}"

    def _sockets(self, process: ProcessInfo) -> Iterator[str]:
        """Where a tmux server says that it may be met: its open sockets, and what it told its children."""
        yield from self._machine.terminals.sockets_of(process.pid)
        for child in roots(process, self._rows):
            told = (self._machine.processes.environment(child.pid) or {}).get("TMUX", "").rsplit(",", 2)
            if len(told) == 3 and told[1] == str(process.pid):
                yield told[0]

    def _usual(self) -> Iterator[str]:
        """Sockets of every tmux of this user that keeps to the usual places."""
        environment = self._machine.places.environment
        if own := environment.get("TMUX", "").rsplit(",", 2)[0]:
            yield own
        tops = [environment.get("TMUX_TMPDIR", ""), environment.get("TMPDIR", ""), "/tmp", "/private/tmp"]  # noqa: S108
        for top in dict.fromkeys(filter(None, tops)):
            for name in ("tmux", "tmate"):
                yield from self._machine.terminals.sockets_in(f"{top}/{name}-{self._uid}")

    def _tmux(self, program: str, path: str) -> tuple[GitAnswer, Server | None]:
        answer = self._run(tmux.ask_panes(program, path))
        if answer.code != 0:
            return answer, None
        told = tmux.read_panes(_text(answer))
        clients = tmux.read_clients(_text(self._run(tmux.ask_clients(program, path))))
        return answer, Server("tmux", program, path, told.pid, told.panes, clients)

    def _search(self, terminal: str) -> Server | None:
        """Of all tmux servers of this user, the one with a pane of that terminal."""
        met = {server.address for server in self._asked.values() if isinstance(server, Server)}
        for path in dict.fromkeys(self._usual()):
            if path in met or not self._machine.terminals.is_own(path):
                continue
            program = "tmate" if PurePath(path).parent.name.startswith("tmate") else "tmux"
            _, server = self._tmux(program, path)
            if server is not None and server.at(terminal):
                return server
        return None

    # ── screen and zellij ──

    def _meet_screen(self, process: ProcessInfo) -> Server | str:
        children = roots(process, self._rows)
        told = [(child, self._machine.processes.environment(child.pid)) for child in children]
        program = "screen"
        if self._machine.launcher.which(program) is None:
            return f"screen is not on the path, so its session (process {process.pid}) cannot be gone to"
        for directory in self._screen_directories(environment for _, environment in told):
            name = screen.session_of(process.pid, self._machine.terminals.sockets_in(directory))
            if name:
                usual = directory.startswith(("/run/screen/", "/var/run/screen/"))
                own = "SCREENDIR" in self._machine.places.environment
                server = Server(
                    "screen", program, name, process.pid, directory="" if usual and not own else directory
                )  # fmt: skip
                panes = tuple(
                    screen.pane(child.terminal or "", screen.window_of(environment)) for child, environment in told
                )
                return replace(server, panes=panes, clients=self._displays(process))
        return f"the screen session that shows it (process {process.pid}) has no socket of this user's"

    def _screen_directories(self, environments: Iterable[Mapping[str, str] | None]) -> Sequence[str]:
        places = self._machine.places
        user = self._machine.terminals.user(self._uid)
        told = [one.get("SCREENDIR", "") for one in (*environments, places.environment) if one is not None]
        usual = [place.format(user=user, home=places.home) for place in screen.USUAL]
        return list(dict.fromkeys(filter(None, [*told, *usual])))

    def _displays(self, process: ProcessInfo) -> tuple[Client, ...]:
        """Terminals that look at a screen session: it holds them open; of its own windows it holds the other end."""
        opened = self._machine.processes.open_files(process.pid) or frozenset[str]()
        return tuple(Client(path.removeprefix("/dev/"), "") for path in sorted(opened) if path.startswith("/dev/pts/"))

    def _meet_zellij(self, process: ProcessInfo) -> Server | str:
        name = zellij.session_of(process.argv)
        if not name or self._machine.launcher.which("zellij") is None:
            return (
                f"the zellij session that shows it (process {process.pid}) cannot be gone to: zellij is not on the path"
            )
        panes = tuple(
            zellij.pane(child.terminal or "", self._machine.processes.environment(child.pid))
            for child in roots(process, self._rows)
        )
        return Server("zellij", "zellij", name, process.pid, panes)

    def _run(self, argv: Sequence[str]) -> GitAnswer:
        return self._machine.launcher.run(argv, _ROOT, ANSWER_SECONDS)


def knows_window(machine: Machine, server: Server, window: str) -> bool:
    """Whether a screen session has a window of that number now: windows can be renumbered."""
    if not window:
        return False
    answer = machine.launcher.run(screen.ask_window(server, screen.pane("", window)), _ROOT, ANSWER_SECONDS)
    return answer.code == 0 or "-Q" in answer.err or "nknown option" in answer.err  # screen before 4.1 cannot be asked


def _text(answer: GitAnswer) -> str:
    return answer.out.decode("utf-8", "replace")
