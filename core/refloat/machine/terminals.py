"""What the system knows of terminals: streams, sockets, logins; and how this process gives its own one to another.

Decides what is this user's own. Refuses to know a multiplexer: what is asked of one, and how, is said by others.
"""

import os
import stat
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from refloat.machine.programs import find_program
from refloat.machine.wtmp import read_logins
from refloat.model.terminals import Login

_LISTENS: Final = 0x10000
"""`__SO_ACCEPTCON` in the flags of `/proc/net/unix`."""
_WAIT: Final = 3.0
"""Seconds for a program to write what it was asked to."""
_LOOK: Final = 0.02
_MOST: Final = 4 * 1024 * 1024
"""Bytes that are read of it."""


class SystemTerminals:
    """This machine's."""

    def __init__(self, environment: Mapping[str, str], proc: str = "/proc") -> None:
        self._environment = environment
        self._proc = proc

    def streams(self, pid: int) -> Sequence[str]:
        """Where standard input, output and errors lead, each once; none where that may not be read."""
        links = (_link(f"{self._proc}/{pid}/fd/{number}") for number in range(3))
        return tuple(dict.fromkeys(link for link in links if link))

    def sockets_of(self, pid: int) -> Sequence[str]:
        """Paths of the Unix sockets on which a process waits, from `/proc/net/unix`; relative ones made whole."""
        if sys.platform != "linux":
            return self._sockets_elsewhere(pid)
        directory = f"{self._proc}/{pid}/fd"
        try:
            links = [_link(f"{directory}/{entry}") for entry in os.listdir(directory)]  # noqa: PTH208 - soon gone
            table = Path(self._proc, str(pid), "net", "unix").read_bytes()
        except OSError:
            return ()
        inodes = {link[8:-1] for link in links if link.startswith("socket:[")}
        cwd = _link(f"{self._proc}/{pid}/cwd")
        return tuple(os.path.join(cwd, path) for path in read_unix(table, inodes))  # noqa: PTH118 - text stays text

    def _sockets_elsewhere(self, pid: int) -> Sequence[str]:
        import psutil

        try:
            found = psutil.Process(pid).net_connections(kind="unix")
        except (psutil.Error, OSError):
            return ()
        return tuple(dict.fromkeys(str(row.laddr) for row in found if row.laddr))

    def sockets_in(self, directory: str) -> Sequence[str]:
        """This user's sockets in a directory, by name."""
        try:
            names = sorted(os.listdir(directory))  # noqa: PTH208 - text stays text
        except (OSError, ValueError):
            return ()
        paths = (os.path.join(directory, name) for name in names)  # noqa: PTH118 - as above
        return tuple(path for path in paths if self.is_own(path))

    def is_own(self, path: str) -> bool:
        """Whether a path is a socket or a pipe (old screens use pipes) that belongs to this user."""
        try:
            seen = os.lstat(path)
        except (OSError, ValueError):
            return False
        return seen.st_uid == os.getuid() and (stat.S_ISSOCK(seen.st_mode) or stat.S_ISFIFO(seen.st_mode))

    def logins(self) -> Sequence[Login]:
        """From `/run/utmp`, where the system keeps one."""
        return read_logins()

    def user(self, uid: int) -> str:
        """A user's name; the number where it has none."""
        import pwd

        try:
            return pwd.getpwuid(uid).pw_name
        except KeyError:
            return str(uid)

    def has_terminal(self) -> bool:
        """Whether both standard input and output are a terminal."""
        try:
            return os.isatty(0) and os.isatty(1)
        except OSError:
            return False

    def replace(self, argv: Sequence[str]) -> str:
        """Become another program; the words of the system where that fails."""
        program = find_program(argv[0], self._environment)
        if program is None:
            return "no such program on the path"
        import signal

        sys.stdout.flush()
        sys.stderr.flush()
        for number in (signal.SIGPIPE, signal.SIGXFSZ):  # what Python ignores for itself
            signal.signal(number, signal.SIG_DFL)
        try:
            os.execve(program, list(argv), dict(self._environment))  # noqa: S606 - what the person asked for
        except OSError as fault:
            return fault.strerror or str(fault)

    def converse(self, argv: Sequence[str]) -> int:
        """Run another program in this terminal; 127 where it cannot be started. Call it from the main thread.

        What a person types there to interrupt is meant for that program: the terminal tells this process, too.
        """
        import signal
        import subprocess

        program = find_program(argv[0], self._environment)
        if program is None:
            return 127
        # A handler, and not SIG_IGN, which the program would inherit.
        before = {number: signal.signal(number, _leave_it_to_them) for number in (signal.SIGINT, signal.SIGQUIT)}
        try:
            return subprocess.run(list(argv), executable=program, env=dict(self._environment), check=False).returncode
        except OSError:
            return 127
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def written(self, write: Callable[[str], None]) -> bytes | None:
        """What comes into a private file, once it has stopped growing."""
        from tempfile import TemporaryDirectory  # it loads every compressor there is

        with TemporaryDirectory(prefix="refloat-") as place:
            path = Path(place) / "screen"
            write(str(path))
            until = time.monotonic() + _WAIT
            before = -1
            while time.monotonic() < until:
                size = path.stat().st_size if path.exists() else -1
                if size == before and size > 0:
                    break
                before = size
                time.sleep(_LOOK)
            try:
                with path.open("rb") as file:
                    return file.read(_MOST)
            except OSError:
                return None


def _leave_it_to_them(number: int, frame: object) -> None:
    del number, frame


def read_unix(table: bytes, inodes: frozenset[str] | set[str]) -> tuple[str, ...]:
    """Paths of a `/proc/net/unix` (proc_pid_net(5)) that wait for others by one of the sockets; no abstract ones."""
    found: list[str] = []
    for line in table.splitlines()[1:]:
        row = line.split(None, 7)
        if len(row) < 8 or row[6].decode("ascii", "replace") not in inodes or row[7].startswith(b"@"):
            continue
        if int(row[3], 16) & _LISTENS:
            found.append(os.fsdecode(row[7]))
    return tuple(dict.fromkeys(found))


def _link(path: str) -> str:
    try:
        return os.readlink(path)  # noqa: PTH115 - text stays text
    except OSError:
        return ""
