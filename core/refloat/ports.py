"""The doors to the outside: what Refloat asks of the machine, as protocols, so that a test can hold it still.

The real ones live in `refloat.machine`, fakes in `refloat.testing`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

from refloat.model.light import light

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from refloat.model.checkout import Warned
    from refloat.model.liveness import ProcessInfo
    from refloat.model.stamp import Stamp
    from refloat.model.terminals import Login
    from refloat.model.traces import CrashFile, LogLine, PowerChange


class Clock(Protocol):
    """The time."""

    def now(self) -> Stamp:
        """The present moment."""
        ...


class Processes(Protocol):
    """The process table, read once for each `all()`."""

    def all(self) -> Sequence[ProcessInfo]:
        """Every process that can be seen, in no order."""
        ...

    def get(self, pid: int) -> ProcessInfo | None:
        """One process, or None when no such number runs."""
        ...

    def glance(self) -> frozenset[tuple[int, str]]:
        """Every process number with what tells the process from another one of that number, and from itself before it
        ran another program or ended. Cheap: asked every few seconds.
        """
        ...

    def open_files(self, pid: int) -> frozenset[str] | None:
        """Real paths of the files that it holds open; None where that may not be read."""
        ...

    def environment(self, pid: int) -> Mapping[str, str] | None:
        """Its environment; None where that may not be read."""
        ...

    def listening_ports(self, pids: Collection[int]) -> frozenset[int]:
        """TCP ports on which any of these processes waits for connections; what may not be read is left out."""
        ...

    def lock_holders(self, path: Path) -> frozenset[int] | None:
        """Process numbers that hold a lock on the file, from the system's lock table (0: a process that cannot be
        seen from here). None where the system has no such table. Never tries the lock.
        """
        ...

    def lock_bearers(self, path: Path) -> frozenset[int]:
        """Process numbers that have the descriptor through which a lock on the file is held, as far as they may be
        looked into. The lock table names who took it; whoever got the descriptor from that one holds it on.
        """
        ...

    def boot_time(self) -> Stamp | None:
        """When this machine booted."""
        ...

    def this_domain(self) -> str:
        """`linux:<machine id>:pid:[<namespace inode>]`, or the like; what a register's domain is compared with."""
        ...

    def host(self) -> str:
        """The machine's name."""
        ...


@light
class GitAnswer:
    """What git said."""

    code: int
    out: bytes
    err: str
    timed_out: bool = False


class Git(Protocol):
    """git, hardened: nothing of a repository's configuration is executed, no lock taken, nothing fetched or written."""

    def run(
        self,
        directory: Path,
        *words: str,
        stdin: bytes | None = None,
        index: bytes | None = None,
        seconds: float = 30,
    ) -> GitAnswer:
        """Run `git -C directory words…` and wait at most so long. Never raises for what git says.

        With `index` git takes these bytes for the index, in place of the repository's; there is no `stdin` then.
        """
        ...

    def version(self) -> str | None:
        """Git's version, or None where there is no git, or none that starts."""
        ...

    def why_not(self) -> str | None:
        """Why git cannot be asked at all, in words; None where it can."""
        ...

    def not_obeyed(self, directory: Path) -> Sequence[Warned]:
        """Settings of the repository that would have git run something for mere questions; they were switched off."""
        ...


@light
class Change:
    """Paths that changed below a watched root; `overflow` says that some were missed and a whole look is due."""

    paths: frozenset[str]
    overflow: bool = False


class Watch(Protocol):
    """Tells when files below some directories change."""

    def changes(self, roots: Sequence[Path], stop: Callable[[], bool]) -> Iterator[Change]:
        """Block and yield until `stop()`; falls back to polling where the system cannot tell."""
        ...

    def how(self) -> str:
        """How it watches now, in words: `inotify`, `polling every 2 s (out of inotify watches)`."""
        ...


class Launcher(Protocol):
    """Starts other programs for a person (an agent's resume command, a clipboard tool)."""

    def which(self, program: str) -> str | None:
        """The full path of a program, or None."""
        ...

    def run(self, argv: Sequence[str], cwd: Path, seconds: float) -> GitAnswer:
        """Run a read-only probe that a person has confirmed, and wait at most so long."""
        ...

    def start(self, argv: Sequence[str], cwd: Path, *, executable: str) -> int | None:
        """Start a program of our own in the background under the name `argv[0]`; its process number, or None."""
        ...

    def end(self, pid: int) -> None:
        """End a program that `start` started."""
        ...


SignalName = Literal["SIGINT", "SIGTERM", "SIGKILL", "SIGCONT"]
"""Signals that Refloat sends."""


class Grip(Protocol):
    """A hold on one process: what is sent through it reaches that process or nobody, however numbers are used again."""

    pid: int

    def send(self, signal: SignalName) -> Literal["sent", "ended", "forbidden"]:
        """Send a signal, having made sure that this is still the process."""
        ...

    def has_ended(self) -> bool:
        """Whether it has ended; a zombie has."""
        ...

    def release(self) -> None:
        """Let go of it."""
        ...


class Signals(Protocol):
    """Sends signals to processes that were looked at."""

    def grip(self, process: ProcessInfo) -> Grip | None:
        """Take hold of the process of that number and that start; None where it has ended."""
        ...

    def wait(self, grips: Sequence[Grip], seconds: float) -> None:
        """Wait until all of them have ended, and at most so long. Without any: so long."""
        ...


class Traces(Protocol):
    """What the system wrote down of bad ends. Asked of one session at a time; each question has a time limit."""

    def kernel_log(self, since: Stamp, until: Stamp) -> Sequence[LogLine] | None:
        """Lines of the kernel's log between two moments; None where it may not be read, or is another machine's."""
        ...

    def crash_files(self, directories: Sequence[str], since: Stamp, until: Stamp) -> Sequence[CrashFile]:
        """Crash files of that time, in the system's places and in some directories."""
        ...

    def power_changes(self) -> Sequence[PowerChange] | None:
        """Boots and orderly shutdowns, oldest first; None where none are kept or they may not be read."""
        ...

    def free_bytes(self, path: str) -> int | None:
        """How much this user may still write where a path lies; None where that cannot be told."""
        ...

    def readable(self, now: Stamp) -> Sequence[str]:
        """What of all this may be read here, in words."""
        ...


class Terminals(Protocol):
    """What lies between a process and whoever looks at it. Asking a multiplexer itself goes through the launcher."""

    def streams(self, pid: int) -> Sequence[str]:
        """Where its standard streams lead: `/dev/pts/3`, with ` (deleted)` behind one that is gone; none unreadable."""
        ...

    def sockets_of(self, pid: int) -> Sequence[str]:
        """Paths of the Unix sockets on which a process waits for others."""
        ...

    def sockets_in(self, directory: str) -> Sequence[str]:
        """Paths of this user's own sockets in a directory, by name; none where it cannot be read."""
        ...

    def is_own(self, path: str) -> bool:
        """Whether a path is a socket, or a pipe, of this user: whoever answers on it is no stranger."""
        ...

    def logins(self) -> Sequence[Login]:
        """Who is logged in at which terminal."""
        ...

    def user(self, uid: int) -> str:
        """A user's name; the number where it has none."""
        ...

    def has_terminal(self) -> bool:
        """Whether a person types into this process and sees what it prints."""
        ...

    def replace(self, argv: Sequence[str]) -> str:
        """Become another program, in this terminal. Returns only where that failed, and says why."""
        ...

    def converse(self, argv: Sequence[str]) -> int:
        """Run another program in this terminal to its end; its exit code, 127 where it cannot be started."""
        ...

    def written(self, write: Callable[[str], None]) -> bytes | None:
        """What another program writes into a private file whose path `write` tells it; None where it writes nothing.

        The program may write a moment after it was asked: it is waited for, a few seconds at most.
        """
        ...


@light
class Places:
    """Where things lie: the person's home, Refloat's own three places, and the environment."""

    home: Path
    cache: Path
    data: Path
    config: Path
    environment: Mapping[str, str]


@light
class Machine:
    """All doors in one bundle."""

    clock: Clock
    processes: Processes
    git: Git
    watch: Watch
    launcher: Launcher
    traces: Traces
    terminals: Terminals
    places: Places
    signals: Signals
