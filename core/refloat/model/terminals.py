"""Where a process's terminal is shown: panes of multiplexers, logins, and the way of one who wants to go there."""

from typing import Final, Literal

from refloat.model.light import light
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp

Multiplexer = Literal["tmux", "screen", "zellij"]

Argv = tuple[str, ...]


@light
class Login:
    """Who sits at a terminal, as the system's login records have it (utmp(5))."""

    terminal: str
    """Without `/dev/`: `pts/3`."""
    user: str
    host: str
    """Where the login came from; "" for one at the machine itself."""
    since: Stamp | None


@light
class Pane:
    """A terminal inside a multiplexer, in one of the sessions that show it."""

    terminal: str
    """Without `/dev/`."""
    session: str
    """tmux: `$1`. screen and zellij know none beside their server."""
    window: str
    """tmux: `@2`. screen: the number of the window. zellij: ""."""
    pane: str
    """tmux: `%3`. zellij: `terminal_4`. screen: ""."""
    attached: int = 0
    """Terminals that look at that session."""
    activity: int = 0
    """When something last happened in that session, seconds since 1970; 0 where it is not told."""
    shown: bool = False
    """It is what a terminal that looks at the session sees."""
    words: str = ""
    """For a person, names included: `session work, window 2, pane 1`."""


@light
class Client:
    """A terminal that looks at a session of a multiplexer."""

    terminal: str
    """Without `/dev/`."""
    session: str
    """tmux: `$1`; else ""."""
    activity: int = 0


@light
class Server:
    """A running multiplexer, and what it shows where."""

    kind: Multiplexer
    program: str
    """What its commands are called by."""
    address: str
    """tmux: the path of its socket. screen: `PID.name`. zellij: the name of its session."""
    pid: int
    panes: tuple[Pane, ...] = ()
    clients: tuple[Client, ...] = ()
    directory: str = ""
    """screen: where its sockets lie, where that is not the usual place."""

    def at(self, terminal: str) -> tuple[Pane, ...]:
        """The panes whose terminal this is: one for each session that shows it."""
        return tuple(pane for pane in self.panes if pane.terminal == terminal)


@light
class Level:
    """One multiplexer that somebody looks through, and the terminal that it is looked at from."""

    server: Server
    client: Client | None
    """None where nobody looks at it."""


PlaceKind = Literal["tmux", "screen", "zellij", "agent", "here", "elsewhere", "hung_up", "no_terminal", "other_user"]
ENDED_INSTEAD: Final[frozenset[PlaceKind]] = frozenset({"elsewhere", "hung_up", "no_terminal"})
"""Places that nothing from here leads to: the process there can be ended. Another user's cannot, and an agent's own
process may hold other sessions, too.
"""


@light
class Whereabouts:
    """Where a process lives, as far as it can be told."""

    kind: PlaceKind
    """`agent`: its own program goes there. `here`: this very terminal. `elsewhere`: a terminal that nothing from here
    can switch to. `hung_up`: a terminal that is gone."""
    pid: int
    words: str
    """A sentence part for a person: `in tmux session work, window 2, pane 1`."""
    terminal: str | None = None
    """Without `/dev/`."""
    server: str | None = None
    pane: str | None = None
    user: str | None = None
    since: Stamp | None = None
    host: str | None = None
    """Where the login at that terminal came from."""
    program: str | None = None
    """What shows the terminal: an emulator, sshd."""
    notes: tuple[str, ...] = ()
    """What whoever goes there must know."""


@light
class Way:
    """The commands that lead to a place, in their order; the last one goes there."""

    commands: tuple[Argv, ...]
    takes_terminal: bool
    """The last command needs this terminal for itself: it shows the place in it."""
    notes: tuple[str, ...] = ()


@light
class NoWay:
    """Why nothing is done."""

    why: str
    holder: str | None = None
    """Whoever forbids it, where somebody does."""


@light
class Attachment:
    """What `refloat attach` would do."""

    session: SessionName
    workspace: str | None
    place: Whereabouts | None
    way: Way | None
    refused: NoWay | None
    screen: tuple[str, ...] | None = None
    """What the pane shows, where that was asked for; neither masked nor inert."""

    @property
    def command(self) -> Argv | None:
        """The command that goes there."""
        return self.way.commands[-1] if self.way is not None and self.refused is None else None
