"""The process table where there is no /proc (macOS), through psutil, `ps` and `lsof`.

Decides how their answers become the same facts as on Linux; refuses to fill in what they leave out.
"""

import os
import socket
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import psutil

from refloat.machine.asking import ask
from refloat.model.liveness import ProcessInfo
from refloat.model.stamp import Stamp, stamp_of_seconds
from refloat.there import is_there

_SECONDS = 10.0
_T = TypeVar("_T")


class PsutilProcesses:
    """The process table as psutil has it, with the start as `ps -o lstart=` writes it."""

    def all(self) -> Sequence[ProcessInfo]:
        """Every process that can be seen, in no order."""
        tokens = read_starts(_ask("ps", "-axo", "pid=,lstart="))
        return tuple(row for process in psutil.process_iter() if (row := _row(process, tokens)) is not None)

    def get(self, pid: int) -> ProcessInfo | None:
        """One process, or None when no such number runs."""
        try:
            process = psutil.Process(pid)
        except (psutil.Error, ValueError):
            return None
        return _row(process, read_starts(_ask("ps", "-o", "pid=,lstart=", "-p", str(pid))))

    def glance(self) -> frozenset[tuple[int, str]]:
        """Each process with its name, its start and its state."""
        found: set[tuple[int, str]] = set()
        for process in psutil.process_iter():
            try:
                with process.oneshot():
                    status = process.status()
                    kept = status if status in {psutil.STATUS_ZOMBIE, psutil.STATUS_STOPPED} else ""
                    found.add((process.pid, f"{process.name()} {process.create_time()} {kept}"))
            except (psutil.Error, OSError):
                continue
        return frozenset(found)

    def open_files(self, pid: int) -> frozenset[str] | None:
        """Real paths of the files that it holds open; None where that may not be read."""
        try:
            return frozenset(file.path for file in psutil.Process(pid).open_files())
        except (psutil.Error, OSError):
            return None

    def environment(self, pid: int) -> Mapping[str, str] | None:
        """Its environment; None where that may not be read."""
        try:
            return psutil.Process(pid).environ()
        except (psutil.Error, OSError):
            return None

    def listening_ports(self, pids: Collection[int]) -> frozenset[int]:
        """TCP ports on which any of these processes waits for connections; what may not be read is left out."""
        ports: set[int] = set()
        for pid in pids:
            try:
                connections = psutil.Process(pid).net_connections(kind="tcp")
            except (psutil.Error, OSError):
                continue
            ports |= {row.laddr.port for row in connections if row.status == psutil.CONN_LISTEN and row.laddr}
        return frozenset(ports)

    def lock_holders(self, path: Path) -> frozenset[int] | None:
        """Who has the lock file open, by `lsof`: this system has no table of locks. None where there is no lsof.

        An agent keeps its lock file open exactly as long as it holds the lock.
        """
        if not is_there(path):
            return frozenset()
        answer = _ask("lsof", "-F", "p", "--", str(path))
        return None if answer is None else read_lsof(answer)

    def lock_bearers(self, path: Path) -> frozenset[int]:
        """Who has the lock file open, which is all that this system tells of who holds it."""
        return self.lock_holders(path) or frozenset()

    def boot_time(self) -> Stamp | None:
        """When this machine booted."""
        return stamp_of_seconds(psutil.boot_time())

    def this_domain(self) -> str:
        """`<system>:<host>`: no agent is known to write one here."""
        return f"{sys.platform}:{self.host()}"

    def host(self) -> str:
        """The machine's name."""
        return socket.gethostname()


def read_starts(table: str | None) -> Mapping[int, str]:
    """Process number to start from the lines of `ps -o pid=,lstart=`."""
    pairs = (line.strip().partition(" ") for line in (table or "").splitlines())
    return {int(pid): start.strip() for pid, _, start in pairs if pid.isdigit()}


def read_lsof(answer: str) -> frozenset[int]:
    """Process numbers from the `p` lines of `lsof -F p` (lsof(8), output for other programs)."""
    return frozenset(int(line[1:]) for line in answer.splitlines() if line[:1] == "p" and line[1:].isdigit())


def _row(process: psutil.Process, tokens: Mapping[int, str]) -> ProcessInfo | None:
    try:
        with process.oneshot():
            status = process.status()
            zombie = status == psutil.STATUS_ZOMBIE
            argv = None if zombie else _allowed(process.cmdline)
            cwd = None if zombie else _allowed(process.cwd)
            return ProcessInfo(
                pid=process.pid,
                ppid=process.ppid(),
                name=process.name(),
                argv=tuple(argv or ()),
                cwd=cwd or None,
                started=process.create_time(),
                start_token=tokens.get(process.pid, ""),
                uid=process.uids().real,
                zombie=zombie,
                stopped=status == psutil.STATUS_STOPPED,
                terminal=(process.terminal() or "").removeprefix("/dev/") or None,
                inspectable=zombie or (argv is not None and cwd is not None),
                group=_number(os.getpgid, process.pid),
                session=_number(os.getsid, process.pid),
            )
    except (psutil.Error, OSError):
        return None


def _number(ask: Callable[[int], int], pid: int) -> int | None:
    try:
        return ask(pid)
    except OSError:
        return None


def _allowed(ask: Callable[[], _T]) -> _T | None:
    try:
        return ask()
    except psutil.AccessDenied:
        return None


def _ask(*argv: str) -> str | None:
    answer = ask(*argv, seconds=_SECONDS)
    return None if answer is None else answer.out
