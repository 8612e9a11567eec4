"""What can be proved about the process behind a session (design, section 3)."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal

from refloat.model.light import light
from refloat.model.stamp import Stamp


class Verdict(StrEnum):
    """What the evidence adds up to."""

    RUNNING = "running"
    CANDIDATE = "candidate"
    GONE = "gone"
    UNKNOWABLE = "unknowable"


LIKELY: Final = "this is the newest and the likely one"
"""Said in the evidence of the newest of several sessions that one process may own."""
OF_THE_END: Final = frozenset(("out_of_memory", "kernel_fault", "crash_file", "shutdown", "disk_full"))
"""Kinds of evidence that tell how a session's process ended, not whether one runs."""


@light
class Evidence:
    """One observed fact, with where it was observed and when."""

    kind: str
    """register, lock, open_file, command_line, cwd, child, boot, no_process, zombie, other_host, not_inspectable,
    growing, recent, by_path, hint, or one of `OF_THE_END`"""
    detail: str
    pid: int | None
    at: Stamp | None


@light
class Liveness:
    """The verdict, and every fact that it rests on."""

    verdict: Verdict
    evidence: tuple[Evidence, ...]

    @property
    def of_the_end(self) -> tuple[Evidence, ...]:
        """How the process ended, as the system wrote it down."""
        return tuple(fact for fact in self.evidence if fact.kind in OF_THE_END)

    @property
    def owners(self) -> tuple[int, ...]:
        """Process numbers of the verified owners, strongest evidence first; none unless it runs."""
        if self.verdict is not Verdict.RUNNING:
            return ()
        owning = (fact.pid for fact in self.evidence if fact.kind in {"register", "lock", "open_file", "command_line"})
        return tuple(dict.fromkeys(pid for pid in owning if pid is not None))


@light
class ProcessInfo:
    """One row of the process table."""

    pid: int
    ppid: int
    name: str
    argv: tuple[str, ...]
    cwd: str | None
    """None where it may not be read."""
    started: float
    """Seconds since 1970."""
    start_token: str
    """The start as the system itself writes it: field 22 of `/proc/PID/stat`, or `ps -o lstart=` under UTC."""
    uid: int | None
    zombie: bool
    stopped: bool
    terminal: str | None
    inspectable: bool
    """False where its command line or directory may not be read (somebody else's)."""
    group: int | None = None
    """The process group that it is in, by the number of its leader."""
    session: int | None = None
    """The session of processes that it is in, by the number of its leader (setsid(2))."""


@light
class Holder:
    """A register or lock file of an agent that names a session."""

    agent: str
    session_id: str
    how: Literal["register", "lock"]
    path: str
    pid: int | None = None
    start_token: str | None = None
    """The start of that process as the register has it, to be compared with `ProcessInfo.start_token`."""
    started_ms: int | None = None
    """Where there is no token: when the agent says that it started, milliseconds since 1970."""
    held: bool | None = None
    """For locks: True when the system's lock table has it, None when that cannot be told."""
    status: str = ""
    """The agent's own word: busy, idle, waiting, …"""
    waiting_for: str = ""
    workspace: str | None = None
    version: str = ""
    domain: str = ""
    """Host and process namespace, where the agent writes them."""
    foreign: bool = False
    """It was written on another host or in another namespace."""
    terminal: str = ""
    """tmux pane, where the agent writes it."""
    background: bool = False
    """A daemon resumes it by itself."""
    job: str = ""
    """What the agent calls it in the background."""
    daemon_pid: int | None = None
