"""The doors to the outside: what Refloat asks of the machine, as protocols, so that a test can hold it still.

The real ones live in `refloat.machine`, fakes in `refloat.testing`.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from refloat.model.checkout import Warned
from refloat.model.light import light
from refloat.model.liveness import ProcessInfo
from refloat.model.stamp import Stamp
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
        """Git's version, or None where there is no git."""
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
    places: Places
