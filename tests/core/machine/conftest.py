"""Real processes of a test's own, ended with it."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

Starter = Callable[..., "subprocess.Popen[bytes]"]


def until(condition: Callable[[], bool], what: str, seconds: float = 20) -> None:
    """Wait for a real condition, asking often; fails with `what` when it does not come."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"never came: {what}"
        os.sched_yield()
        time.sleep(0.005)


@pytest.fixture
def claude(tmp_path: Path) -> Iterator[Starter]:
    """Starts a program called `claude` that does nothing for an hour."""
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    shutil.copy2(shutil.which("sleep") or "/bin/sleep", program)
    started: list[subprocess.Popen[bytes]] = []

    def start(*words: str, **how: object) -> "subprocess.Popen[bytes]":
        child = subprocess.Popen([str(program), "3600", *words], **how)  # pyright: ignore[reportArgumentType, reportCallIssue, reportUnknownVariableType] - as Popen has it
        started.append(child)
        return child

    yield start
    for child in started:
        child.send_signal(signal.SIGKILL)
        child.wait()
