"""A terminal that goes away takes the app with it, at once and without a spin; a person's q does so too."""

import contextlib
import fcntl
import os
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path

import pytest

SEAT = Path(__file__).with_name("sit_in_terminal.py")
_PATIENCE = 100.0
"""Seconds; a deadline for a busy machine. What does not end by itself never ends: it waits for ever, or spins."""


@dataclass
class Seat:
    """An app in a terminal of its own."""

    process: subprocess.Popen[bytes]
    master: int

    def wait_for(self, words: bytes) -> bytes:
        """Read until it drew some words."""
        seen, until = b"", time.monotonic() + _PATIENCE
        while words not in seen and time.monotonic() < until:
            if select.select([self.master], [], [], 0.1)[0]:
                with contextlib.suppress(OSError):
                    seen += os.read(self.master, 65536)
        assert words in seen, seen[-500:]
        return seen

    def wait_until(self, holds: Callable[[], bool]) -> None:
        """Until something beside the screen is so; read meanwhile."""
        until = time.monotonic() + _PATIENCE
        while not holds():
            assert time.monotonic() < until, "it never came to that"
            if select.select([self.master], [], [], 0.05)[0]:
                os.read(self.master, 65536)

    def wait_for_end(self) -> int:
        """Until it is gone; its exit code. What it still draws is read: a terminal that nobody reads from holds it."""
        until = time.monotonic() + _PATIENCE
        while (code := self.process.poll()) is None:
            assert time.monotonic() < until, "it did not end"
            if self.master < 0:
                select.select([], [], [], 0.05)
            elif select.select([self.master], [], [], 0.05)[0]:
                with contextlib.suppress(OSError):  # nobody holds the other side any more
                    os.read(self.master, 65536)
        return code

    def hang_up(self) -> None:
        """Take the terminal away."""
        os.close(self.master)
        self.master = -1


def _own_terminal(slave: int) -> None:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)


@contextlib.contextmanager
def seat(*words: str, owns: bool = True) -> Generator[Seat]:
    """`owns`: it is the terminal's session leader, so the system sends it a hang-up; otherwise nobody tells it."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8", "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, str(SEAT), *words],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=environment,
        preexec_fn=(lambda: _own_terminal(0)) if owns else os.setsid,  # noqa: PLW1509 - the child runs no thread yet
    )
    os.close(slave)
    made = Seat(process, master)
    try:
        made.wait_for(b"Round prices")
        yield made
    finally:
        if made.master >= 0:
            os.close(made.master)
        if process.poll() is None:
            process.kill()
            process.wait()


@pytest.mark.parametrize("owns", [True, False])
def test_a_terminal_that_goes_away(owns: bool):
    with seat(owns=owns) as app:
        app.hang_up()
        app.wait_for_end()


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_asked_to_end(number: int):
    with seat(owns=True) as app:
        app.process.send_signal(number)
        app.wait_for_end()


def test_q_leaves_with_a_clean_terminal():
    with seat(owns=True) as app:
        os.write(app.master, b"q")
        seen = app.wait_for(b"\x1b[?1049l")
        assert b"Traceback" not in seen
        assert app.wait_for_end() == 0


@pytest.mark.parametrize("way", ["q", "hang up"])
def test_a_thread_that_is_stuck_keeps_nobody(way: str, tmp_path: Path):
    stuck = tmp_path / "stuck"  # nothing on the screen tells that the session under the cursor is being read
    with seat("stuck", str(stuck)) as app:
        app.wait_until(stuck.exists)
        if way == "q":
            os.write(app.master, b"q")
            app.wait_for(b"\x1b[?1049l")
        else:
            app.hang_up()
        app.wait_for_end()
