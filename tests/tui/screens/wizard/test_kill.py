"""The real app in a pseudo-terminal, killed inside the wizard, finds its answers again."""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from refloat.model.recovery import Draft, Page
from refloat.model.stamp import Stamp
from refloat.record.checking import verify_job
from refloat.record.drafts import find_drafts
from refloat.record.store import open_record
from refloat.record.whole import steps_of
from refloat.testing.rescues import still_machine
from refloat.testing.samples import crashed
from refloat.usecases.keep_draft import open_drafts

HARNESS = Path(__file__).with_name("harness.py")
PATIENCE = 150.0
"""Seconds; a deadline for a busy machine, not a pause."""


@dataclass
class Terminal:
    """A program on a pseudo-terminal."""

    pid: int
    handle: int
    seen: bytes = b""

    def wait_for(self, *wanted: str, after: int = 0) -> int:
        """Read until all of it was drawn; where in the output it was complete."""
        end = time.monotonic() + PATIENCE
        while not all(word.encode() in self.seen[after:] for word in wanted):
            left = end - time.monotonic()
            assert left > 0, f"{wanted} did not come; last: {self.seen[-3000:]!r}"
            self._read(left)
        return len(self.seen)

    def wait_until(self, holds: Callable[[], bool]) -> None:
        """Until something beside the screen is so; read meanwhile, for a program whose output nobody takes stands."""
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end, f"it never came to that; last: {self.seen[-3000:]!r}"
            self._read(0.1)

    def _read(self, seconds: float) -> None:
        ready, _, _ = select.select([self.handle], [], [], seconds)
        if ready:
            self.seen += os.read(self.handle, 65536)

    def press(self, keys: str) -> None:
        os.write(self.handle, keys.encode())

    def drain(self) -> None:
        """Read until the other side is closed."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                self._read(end - time.monotonic())
            except OSError:  # how Linux says that nobody holds the other side
                return
        pytest.fail("it did not end")


@contextmanager
def terminal(home: Path) -> Generator[Terminal]:
    pid, handle = pty.fork()
    if pid == 0:
        environment = {**os.environ, "TERM": "xterm-256color", "PYTHONPATH": os.pathsep.join(sys.path)}
        os.execve(sys.executable, [sys.executable, str(HARNESS), str(home)], environment)  # noqa: S606 - no shell wanted
    fcntl.ioctl(handle, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    opened = Terminal(pid, handle)
    try:
        yield opened
    finally:
        try:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        except (ProcessLookupError, ChildProcessError):
            pass
        os.close(handle)


def kept_draft(home: Path) -> Draft | None:
    """The recovery as the record on the disk has it, read beside the program that writes it."""
    with open_drafts(still_machine(home)) as drafts:
        assert drafts.why_memory is None
        return drafts.get(crashed().session.name)


@pytest.mark.timeout(900)
def test_answers_outlive_a_sigkill_inside_the_wizard(tmp_path: Path) -> None:
    with terminal(tmp_path) as first:
        at = first.wait_for("Is the original process gone?", "saved")
        first.press("e")
        at = first.wait_for("What do you know of it?", after=at)
        first.press("lid closed\r")
        at = first.wait_for("Your note", after=at)
        first.press("\r")
        at = first.wait_for("Is this what happened?", after=at)
        first.press("\r")
        at = first.wait_for("Whose changes are these?", after=at)
        first.press(" ")
        at = first.wait_for("your word", after=at)
        first.press("\r")
        first.wait_for("right pile?", after=at)
        # What the screen says of saving may speak of the answer before: only the record knows what is on the disk.
        first.wait_until(lambda: (draft := kept_draft(tmp_path)) is not None and draft.given.page is Page.TRIAGE)
        os.kill(first.pid, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(first.pid, 0)[1]) == -signal.SIGKILL
    with open_record(tmp_path / "data", Stamp("2026-09-14T16:00:00.000Z")) as record:
        (draft,) = find_drafts(record)
        job = f"recovery:{draft.session}"
        with record.reading() as connection:
            receipts = [row["receipt"] for row in steps_of(connection, job)]
        assert sorted(draft.receipts) == ["owner src/settings.py", "process"]
        assert sorted(draft.receipts.values()) == sorted(map(str, receipts))
        assert verify_job(record, job).ok
    with terminal(tmp_path) as second:
        at = second.wait_for("Taken up again", "right pile?")  # stands on the page where it was killed
        second.press("\x1b")
        at = second.wait_for("Whose changes are these?", "your word", "this session", after=at)
        second.press("\x1b")
        at = second.wait_for("Is this what happened?", after=at)
        second.press("\x1b")
        at = second.wait_for("Is the original process gone?", "lid closed", after=at)
        second.press("\x03")
        second.drain()
        assert b"Come back with: refloat recover claude-code:" in second.seen
        assert os.waitstatus_to_exitcode(os.waitpid(second.pid, 0)[1]) == 0
