"""Terminals and multiplexers of a test's own: real ones, in a place of their own, ended with the test.

with Tmux(home) as work, work.look() as window:
    code, said = work.run("attach", session)
    assert window.terminal == work.clients()[0]
"""

import os
import pty
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.standin.agent import PATIENCE, is_gone, need, until

_ROOT = Path(__file__).parents[2]
_TAKE = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execvp(sys.argv[1], sys.argv[1:])"
_FOREIGN = ("TMUX", "STY", "WINDOW", "ZELLIJ", "SCREENDIR", "SSH_", "TERM_PROGRAM")


def surroundings(home: Path, **more: str) -> dict[str, str]:
    """The environment of somebody who sits at a terminal, with a home and Refloat's own places in it."""
    given = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
    ours = {f"REFLOAT_{what}_DIR": str(home / what.lower()) for what in ("CACHE", "DATA", "CONFIG")}
    path = os.pathsep.join((str(_ROOT / "core"), str(_ROOT / "tui")))
    return {
        **given,
        **ours,
        "HOME": str(home),
        "TERM": "xterm-256color",
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": path,
        **more,
    }


def refloat(*words: str) -> list[str]:
    """The command line of this tree."""
    return [sys.executable, "-m", "refloat_tui", *words]


def telling(line: str, place: Path) -> str:
    """A shell line whose output and, last of all, exit code stand in a directory afterwards."""
    return f"{line} >{place}/out 2>&1; echo $? >{place}/new; mv {place}/new {place}/code"


class Window:
    """A terminal with a program in it, read all the time, as a window of an emulator is."""

    def __init__(self, words: Sequence[str], environment: Mapping[str, str]) -> None:
        self._master, slave = pty.openpty()
        self.terminal = os.ttyname(slave)
        streams = dict.fromkeys(("stdin", "stdout", "stderr"), slave)
        takes = [sys.executable, "-c", _TAKE, *words]
        self._child = subprocess.Popen(takes, env=dict(environment), start_new_session=True, **streams)
        os.close(slave)
        self._over, self._close = os.pipe()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        with suppress(OSError):
            while self._master in select.select([self._master, self._over], [], [])[0]:
                os.read(self._master, 65536)

    def wait(self) -> int:
        """Wait for the end of the program; its exit code."""
        return self._child.wait(PATIENCE)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._child.kill()
        self._child.wait()
        os.close(self._close)
        self._reader.join()
        os.close(self._over)
        os.close(self._master)


class Tmux:
    """A tmux server on a socket of its own, with one session that nobody looks at."""

    def __init__(self, home: Path, name: str = "od d.:\u2067 x") -> None:
        need("tmux")
        self.home = home
        self._name = name
        self._place = Path(tempfile.mkdtemp(prefix="tmux-"))
        self.socket = self._place / "s"

    def __enter__(self) -> Self:
        self.do("-f", os.devnull, "new-session", "-d", "-s", self._name, "-x", "120", "-y", "30", "cat")
        self.do("set-option", "-g", "default-size", "120x30")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number in (signal.SIGCONT, signal.SIGTERM):  # it ends on the second as with `kill-server`
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)
        until(lambda: is_gone(self.pid), "the end of tmux")
        shutil.rmtree(self._place, ignore_errors=True)

    def _words(self, *words: str) -> list[str]:
        return ["tmux", "-S", str(self.socket), *words]

    def do(self, *words: str) -> str:
        """Run one of its commands; what it says."""
        done = subprocess.run(
            self._words(*words), capture_output=True, text=True, check=False, env=surroundings(self.home)
        )
        assert done.returncode == 0, done.stderr
        if words[:1] == ("-f",):
            self._pid = self.do("display-message", "-p", "#{pid}")
        return done.stdout.strip()

    @property
    def pid(self) -> int:
        """The server's process."""
        return int(self._pid)

    def new(self, *words: str) -> str:
        """A command such as `new-window` or `split-window`; the id of the pane that it makes."""
        return self.do(*words, "-d", "-P", "-F", "#{pane_id}", "cat")

    def panes(self) -> list[str]:
        """Each pane of each session: `$0 @0 %0`."""
        return self.do("list-panes", "-a", "-F", "#{session_id} #{window_id} #{pane_id}").splitlines()

    def clients(self) -> list[str]:
        """Terminals that look at it."""
        return self.do("list-clients", "-F", "#{client_tty}").splitlines()

    def seen(self, terminal: str) -> str:
        """Session and pane that a terminal sees: `$0 %3`."""
        rows = self.do("list-clients", "-F", "#{client_tty} #{session_id} #{pane_id}").splitlines()
        return next((row.partition(" ")[2] for row in rows if row.split(" ")[0] == terminal), "")

    def look(self, target: str = "$0", **more: str) -> Window:
        """A terminal that looks at a session; it does when this returns."""
        window = Window(self._words("attach-session", "-t", target), surroundings(self.home, **more))
        until(lambda: window.terminal in self.clients(), "the terminal")
        return window

    def wrapper(self, *how: str) -> list[str]:
        """Words before an agent's, so that it starts in a new window: `new-window -t $0`."""
        line = f'exec tmux -S {self.socket} "$@"'
        keep = 'e=; set -- -e STANDIN="$STANDIN" -e HOME="$HOME" "$@"; '
        command = shlex.join([*(how or ("new-window", "-t", "$0")), "-d"])
        return ["sh", "-c", keep + line.replace('"$@"', f'{command} "$@"'), "sh"]

    def run(self, *words: str, target: str = "$0") -> tuple[int, str]:
        """Run refloat in a new window that nobody looks at; its exit code and what it printed."""
        place = Path(tempfile.mkdtemp(prefix="run-", dir=self._place))
        line = telling(shlex.join(refloat(*words)), place)
        given = surroundings(self.home)
        names = ("HOME", "PYTHONPATH", "REFLOAT_CACHE_DIR", "REFLOAT_DATA_DIR", "REFLOAT_CONFIG_DIR")
        variables = [word for name in names for word in ("-e", f"{name}={given[name]}")]
        self.do("new-window", "-d", *variables, "-t", target, f"{line}; exec cat")
        until((place / "code").exists, "the end of refloat")
        return int((place / "code").read_text()), (place / "out").read_text()


class Screen:
    """A screen session in a directory of sockets of its own."""

    def __init__(self, home: Path, name: str = "od d x") -> None:
        need("screen")
        self.home = home
        self._name = name
        self.directory = Path(tempfile.mkdtemp(prefix="screens-"))
        self.environment = surroundings(home, SCREENDIR=str(self.directory))
        self.address = ""

    def __enter__(self) -> Self:
        self.do("-dmS", self._name, "-c", os.devnull, "cat")
        until(lambda: any(self.directory.iterdir()), "the session")
        self.address = next(self.directory.iterdir()).name
        until(lambda: "0" in self.do("-S", self.address, "-Q", "windows"), "its window")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.do("-S", self.address, "-X", "quit")
        until(lambda: not any(self.directory.iterdir()), "the end of the session")
        shutil.rmtree(self.directory, ignore_errors=True)

    def do(self, *words: str) -> str:
        """Run a command; what it says."""
        return subprocess.run(
            ["screen", *words], capture_output=True, text=True, check=False, env=self.environment
        ).stdout

    @property
    def windows(self) -> str:
        """`0* cat  1 sh`: the one with a star is shown."""
        return self.do("-S", self.address, "-Q", "windows")

    def wrapper(self) -> list[str]:
        """Words before an agent's, so that it starts in a new window."""
        line = 'exec screen -S "$0" -X screen env STANDIN="$STANDIN" HOME="$HOME" "$@"'
        return ["env", f"SCREENDIR={self.directory}", "sh", "-c", line, self.address]
