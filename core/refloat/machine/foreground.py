"""Runs an agent as a child in the terminal that this process sits in, and watches over it.

Decides that the agent has everything as it is: descriptors, terminal, process group, environment. Signals of the
terminal reach it by themselves, those meant for this process go on to it; when it stops, this process stops with it.
It does not begin before `stands` has written down that it is about to: a process that nobody knows of can never become
the agent, however this one dies. Refuses to interpret anything.
"""

import os
import signal
import termios
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from select import select
from time import monotonic
from typing import Any, Final

from refloat.machine.here import runner_of
from refloat.machine.signals import Signals
from refloat.machine.transparent import answer_signals, execute, fork, is_terminal, read_failure
from refloat.model.saving import Ended, Runner

_NOT_BEGUN: Final = 126


def run_agent(
    argv: Sequence[str], cwd: Path, stands: Callable[[Runner], None], beat: Callable[[], None], every: float
) -> Ended:
    """Run a program to its end in `cwd`; call `beat` every so many seconds meanwhile. `argv[0]` is its full path: a
    name would be looked up in `cwd` by a PATH that has `.` in it.

    `stands` gets the process that waits to become the program; what it raises keeps it from that, and is raised again.
    Call it while this process has one thread.
    """
    before, mode = signal.getsignal(signal.SIGINT), _mode()
    try:
        with Signals() as signals:
            return _run(argv, cwd, stands, beat, every, signals)
    finally:
        signal.signal(signal.SIGINT, before)
        _restore(mode)


def _run(
    argv: Sequence[str],
    cwd: Path,
    stands: Callable[[Runner], None],
    beat: Callable[[], None],
    every: float,
    signals: Signals,
) -> Ended:
    failed, failure = os.pipe()
    gate, opening = os.pipe()
    child = fork()
    if not child:
        os.close(opening)
        _become(argv, cwd, gate, failure, signals.before)
    os.close(gate)
    os.close(failure)
    try:
        stands(runner_of(child))
        os.write(opening, b".")
    except BaseException:
        os.close(opening)
        os.close(failed)
        os.waitpid(child, 0)
        raise
    os.close(opening)
    not_started = read_failure(failed)
    signals.start()
    ended: Ended | None = None
    due = monotonic() + every
    while ended is None:
        if select([signals.fd], [], [], max(0.0, due - monotonic()))[0]:
            ended = answer_signals(signals, child, ())
        elif not_started is None:
            beat()
            due = monotonic() + every
    return not_started or ended


def _become(argv: Sequence[str], cwd: Path, gate: int, failure: int, mask: object) -> None:
    """Wait to be let through, then become the program, in a child. Never returns."""
    try:
        if not os.read(gate, 1):
            os._exit(_NOT_BEGUN)  # whoever would have let it through gave up, or is dead
        os.close(gate)
        os.chdir(cwd)
    except OSError as error:
        os.write(failure, f"{error.errno or 0} {error.strerror}".encode())
        os._exit(_NOT_BEGUN)
    execute(argv, failure, mask, search=False)


def _mode() -> "list[Any] | None":
    with suppress(termios.error, OSError):
        if is_terminal(0):
            return termios.tcgetattr(0)
    return None


def _restore(mode: "list[Any] | None") -> None:
    """A program that was killed leaves the terminal as it had it."""
    if mode is not None:
        with suppress(termios.error, OSError):
            if os.tcgetpgrp(0) == os.getpgrp():
                termios.tcsetattr(0, termios.TCSADRAIN, mode)
