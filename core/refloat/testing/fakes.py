"""Fakes of every port: a machine that holds still. For Refloat's own tests and for those of outside readers.

Each fake is plain data that a test sets and reads; none patches anything.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from refloat.model.checkout import Warned
from refloat.model.liveness import ProcessInfo
from refloat.model.stamp import Stamp
from refloat.model.terminals import Login
from refloat.model.traces import CrashFile, LogLine, PowerChange
from refloat.ports import (
    Change,
    Clock,
    Git,
    GitAnswer,
    Grip,
    Launcher,
    Machine,
    Places,
    Processes,
    SignalName,
    Signals,
    Terminals,
    Traces,
    Watch,
)

NOW = Stamp("2026-09-14T12:00:00.000Z")
"""The moment at which a `FakeClock` stands unless told otherwise."""
BOOT = Stamp("2026-01-01T00:00:00.000Z")
DOMAIN = "linux:00000000000000000000000000000001:pid:[4026531836]"


@dataclass(slots=True)
class FakeClock:
    """Time that stands still until it is moved."""

    moment: Stamp = NOW

    def now(self) -> Stamp:
        """The moment at which it stands."""
        return self.moment


def process(
    pid: int,
    name: str = "claude",
    argv: Sequence[str] | None = None,
    *,
    cwd: str | None = "/",
    ppid: int = 1,
    started: float = 1_000_000.0,
    start_token: str = "100",  # noqa: S107 - a start time, no password
    uid: int | None = 1000,
    zombie: bool = False,
    stopped: bool = False,
    terminal: str | None = "pts/1",
    inspectable: bool = True,
    group: int | None = None,
    session: int | None = None,
) -> ProcessInfo:
    """A row of the process table with sensible values for what a test does not care about."""
    return ProcessInfo(
        pid=pid,
        ppid=ppid,
        name=name,
        argv=(name,) if argv is None else tuple(argv),
        cwd=cwd,
        started=started,
        start_token=start_token,
        uid=uid,
        zombie=zombie,
        stopped=stopped,
        terminal=terminal,
        inspectable=inspectable,
        group=group,
        session=session,
    )


@dataclass(slots=True)
class FakeProcesses:
    """A process table of given rows."""

    rows: Sequence[ProcessInfo] = ()
    files: Mapping[int, frozenset[str]] = field(default_factory=dict[int, frozenset[str]])
    """By pid, real paths; a pid that is missing may not be read."""
    environments: Mapping[int, Mapping[str, str]] = field(default_factory=dict[int, Mapping[str, str]])
    locks: Mapping[str, frozenset[int] | None] = field(default_factory=dict[str, frozenset[int] | None])
    """By path; a path that is missing is held by nobody."""
    bearers: Mapping[str, frozenset[int]] = field(default_factory=dict[str, frozenset[int]])
    """By path: who has a descriptor that a lock goes on with."""
    ports: Mapping[int, frozenset[int]] = field(default_factory=dict[int, frozenset[int]])
    """TCP ports that a pid listens on."""
    boot: Stamp | None = BOOT
    domain: str = DOMAIN
    name: str = "testhost"
    looks: int = 0
    """How often the whole table was read."""

    def all(self) -> Sequence[ProcessInfo]:
        """Every row."""
        self.looks += 1
        return tuple(self.rows)

    def get(self, pid: int) -> ProcessInfo | None:
        """One row."""
        return next((row for row in self.rows if row.pid == pid), None)

    def glance(self) -> frozenset[tuple[int, str]]:
        """What tells each row from another of its number."""
        return frozenset((row.pid, f"{row.name} {row.start_token} {row.zombie} {row.stopped}") for row in self.rows)

    def open_files(self, pid: int) -> frozenset[str] | None:
        """As given."""
        return self.files.get(pid)

    def environment(self, pid: int) -> Mapping[str, str] | None:
        """As given."""
        return self.environments.get(pid)

    def listening_ports(self, pids: Collection[int]) -> frozenset[int]:
        """As given."""
        return frozenset(port for pid in pids for port in self.ports.get(pid, ()))

    def lock_holders(self, path: Path) -> frozenset[int] | None:
        """As given."""
        return self.locks.get(str(path), frozenset())

    def lock_bearers(self, path: Path) -> frozenset[int]:
        """As given."""
        return self.bearers.get(str(path), frozenset())

    def boot_time(self) -> Stamp | None:
        """As given."""
        return self.boot

    def this_domain(self) -> str:
        """As given."""
        return self.domain

    def host(self) -> str:
        """As given."""
        return self.name


@dataclass(slots=True)
class ScriptedGit:
    """A git that says what a script has it say, and that notes what it was asked.

    A key of the script is the first words of a question, the longest that fits wins; a value is standard output, or a
    whole answer. What fits no key is answered as outside of any repository.
    """

    script: Mapping[tuple[str, ...], str | bytes | GitAnswer] = field(
        default_factory=dict[tuple[str, ...], str | bytes | GitAnswer]
    )
    warnings: Sequence[Warned] = ()
    number: str | None = "2.50.0"
    asked: list[tuple[Path, tuple[str, ...]]] = field(default_factory=list[tuple[Path, tuple[str, ...]]])

    def run(
        self,
        directory: Path,
        *words: str,
        stdin: bytes | None = None,
        index: bytes | None = None,
        seconds: float = 30,
    ) -> GitAnswer:
        """The scripted answer."""
        del stdin, index, seconds
        self.asked.append((directory, words))
        fitting = [key for key in self.script if words[: len(key)] == key]
        if not fitting:
            return GitAnswer(128, b"", "fatal: not a git repository (or any of the parent directories): .git")
        answer = self.script[max(fitting, key=len)]
        if isinstance(answer, GitAnswer):
            return answer
        return GitAnswer(0, answer.encode() if isinstance(answer, str) else answer, "")

    def version(self) -> str | None:
        """As given."""
        return self.number

    def why_not(self) -> str | None:
        """There is no git where it has no version."""
        return "there is no git on the path" if self.number is None else None

    def not_obeyed(self, directory: Path) -> Sequence[Warned]:
        """As given, whatever the directory."""
        del directory
        return self.warnings


@dataclass(slots=True)
class FakeWatch:
    """Yields given changes at once, then ends as a watch ends that was told to stop."""

    batches: Iterable[Change] = ()
    words: str = "scripted"
    roots: Sequence[Path] = ()
    """What it was last asked to watch."""

    def changes(self, roots: Sequence[Path], stop: Callable[[], bool]) -> Iterator[Change]:
        """The given changes."""
        self.roots = tuple(roots)
        for batch in self.batches:
            if stop():
                return
            yield batch

    def how(self) -> str:
        """As given."""
        return self.words


@dataclass(slots=True)
class FakeLauncher:
    """Knows some programs and answers for them."""

    programs: Mapping[str, str] = field(default_factory=dict[str, str])
    """Name to full path."""
    answers: Mapping[str, GitAnswer] = field(default_factory=dict[str, GitAnswer])
    """By name; a program without one answers 0 and nothing."""
    started: list[tuple[tuple[str, ...], Path]] = field(default_factory=list[tuple[tuple[str, ...], Path]])
    """What was run or started, and where."""
    running: set[int] = field(default_factory=set[int])
    """What was started and not ended."""

    def which(self, program: str) -> str | None:
        """As given."""
        return self.programs.get(program)

    def run(self, argv: Sequence[str], cwd: Path, seconds: float) -> GitAnswer:
        """The given answer; 127 for a program that is not known."""
        del seconds
        self.started.append((tuple(argv), cwd))
        if self.which(argv[0]) is None:
            return GitAnswer(127, b"", f"{argv[0]}: no such program on the path")
        return self.answers.get(argv[0], GitAnswer(0, b"", ""))

    def start(self, argv: Sequence[str], cwd: Path, *, executable: str) -> int | None:
        """A process number from 1001 on, where the executable is known; nothing runs."""
        if self.which(executable) is None:
            return None
        self.started.append((tuple(argv), cwd))
        pid = 1000 + len(self.started)
        self.running.add(pid)
        return pid

    def end(self, pid: int) -> None:
        """Forget it."""
        self.running.discard(pid)


@dataclass(slots=True)
class FakeTraces:
    """What a system wrote down, as given."""

    log: Sequence[LogLine] | None = None
    """None: it may not be read."""
    crashes: Sequence[CrashFile] = ()
    power: Sequence[PowerChange] | None = None
    free: Mapping[str, int] = field(default_factory=dict[str, int])
    """By path; a path that is missing cannot be told."""
    asked: int = 0
    """How often the log was asked for."""

    def kernel_log(self, since: Stamp, until: Stamp) -> Sequence[LogLine] | None:
        """The lines of that time."""
        self.asked += 1
        return None if self.log is None else [line for line in self.log if since <= line.at <= until]

    def crash_files(self, directories: Sequence[str], since: Stamp, until: Stamp) -> Sequence[CrashFile]:
        """Those of that time, wherever they lie."""
        del directories
        return [crash for crash in self.crashes if crash.at is not None and since <= crash.at <= until]

    def power_changes(self) -> Sequence[PowerChange] | None:
        """As given."""
        return self.power

    def free_bytes(self, path: str) -> int | None:
        """As given."""
        return self.free.get(path)

    def readable(self, now: Stamp) -> Sequence[str]:
        """The kernel's log, where there is one."""
        del now
        return () if self.log is None else ("kernel log",)


@dataclass(slots=True)
class FakeTerminals:
    """Streams, sockets and logins as given; what would take the terminal is noted."""

    leads: Mapping[int, Sequence[str]] = field(default_factory=dict[int, Sequence[str]])
    """By pid: where its streams lead."""
    listening: Mapping[int, Sequence[str]] = field(default_factory=dict[int, Sequence[str]])
    """By pid: its sockets. They are this user's own, like those of `directories`."""
    directories: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    """By directory: paths of sockets."""
    logged_in: Sequence[Login] = ()
    users: Mapping[int, str] = field(default_factory=dict[int, str])
    here: bool = True
    """Somebody sits here."""
    content: bytes | None = None
    """What is written when somebody asks."""
    taken: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])
    """What got the terminal."""

    def streams(self, pid: int) -> Sequence[str]:
        """As given."""
        return self.leads.get(pid, ())

    def sockets_of(self, pid: int) -> Sequence[str]:
        """As given."""
        return self.listening.get(pid, ())

    def sockets_in(self, directory: str) -> Sequence[str]:
        """As given."""
        return self.directories.get(directory, ())

    def is_own(self, path: str) -> bool:
        """Whether it was given."""
        return any(path in paths for paths in (*self.listening.values(), *self.directories.values()))

    def logins(self) -> Sequence[Login]:
        """As given."""
        return self.logged_in

    def user(self, uid: int) -> str:
        """As given, else the number."""
        return self.users.get(uid, str(uid))

    def has_terminal(self) -> bool:
        """As given."""
        return self.here

    def replace(self, argv: Sequence[str]) -> str:
        """Note it; nothing replaces a test."""
        self.taken.append(tuple(argv))
        return "a fake machine becomes nothing"

    def converse(self, argv: Sequence[str]) -> int:
        """Note it; it ends well."""
        self.taken.append(tuple(argv))
        return 0

    def written(self, write: Callable[[str], None]) -> bytes | None:
        """The given content."""
        write("/nowhere/screen")
        return self.content


@dataclass(slots=True)
class FakeSignals:
    """Signals to the rows of a fake process table."""

    processes: FakeProcesses = field(default_factory=FakeProcesses)
    ends: Mapping[int, SignalName] = field(default_factory=dict[int, SignalName])
    """By pid, the signal that ends it beside SIGKILL."""
    forbids: frozenset[int] = frozenset()
    """Processes that the system lets nobody signal."""
    beyond: frozenset[int] = frozenset()
    """Processes that no hold can be taken on."""
    sent: list[tuple[SignalName, int]] = field(default_factory=list[tuple[SignalName, int]])
    waited: list[float] = field(default_factory=list[float])
    """Seconds that were asked for; none passes."""
    waits: Callable[[Sequence[Grip], float], None] | None = None
    """What happens meanwhile."""

    def grip(self, process: ProcessInfo) -> Grip | None:
        """A hold on a row."""
        row = self.processes.get(process.pid)
        fits = row is not None and not row.zombie and row.start_token == process.start_token
        fits = fits and process.pid > 1 and process.pid not in self.beyond
        return FakeGrip(self, process.pid) if fits else None

    def wait(self, grips: Sequence[Grip], seconds: float) -> None:
        """Nobody ends by waiting, unless a test says so."""
        self.waited.append(seconds)
        if self.waits is not None:
            self.waits(grips, seconds)


@dataclass(slots=True)
class FakeGrip:
    """A hold on a row of a fake process table."""

    signals: FakeSignals
    pid: int

    def send(self, signal: SignalName) -> Literal["sent", "ended", "forbidden"]:
        """Note it, and end the row where this is the signal that does."""
        if self.has_ended():
            return "ended"
        if self.pid in self.signals.forbids:
            return "forbidden"
        self.signals.sent.append((signal, self.pid))
        if signal in {"SIGKILL", self.signals.ends.get(self.pid)}:
            table = self.signals.processes
            table.rows = tuple(row for row in table.rows if row.pid != self.pid)
        return "sent"

    def has_ended(self) -> bool:
        """Whether the row is gone."""
        return self.signals.processes.get(self.pid) is None

    def release(self) -> None:
        """Nothing is held."""


def fake_machine(
    directory: Path,
    *,
    clock: Clock | None = None,
    processes: Processes | None = None,
    git: Git | None = None,
    watch: Watch | None = None,
    launcher: Launcher | None = None,
    traces: Traces | None = None,
    terminals: Terminals | None = None,
    signals: Signals | None = None,
    environment: Mapping[str, str] | None = None,
) -> Machine:
    """A machine whose home is `directory/home` and that has nothing else; any door may be another, a real one too.

    Makes no directory.
    """
    home = directory / "home"
    return Machine(
        clock=clock or FakeClock(),
        processes=processes or FakeProcesses(),
        git=git or ScriptedGit(),
        watch=watch or FakeWatch(),
        launcher=launcher or FakeLauncher(),
        traces=traces or FakeTraces(),
        terminals=terminals or FakeTerminals(),
        places=Places(
            home=home,
            cache=directory / "cache",
            data=directory / "data",
            config=directory / "config",
            environment={"HOME": str(home), "PATH": "/usr/bin:/bin"} | dict(environment or {}),
        ),
        signals=signals or FakeSignals(),
    )
