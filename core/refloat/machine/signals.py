"""Signals of this process as something to read: held back, and told with who sent them.

Decides whether the kernel sent a signal (a key at the terminal, which reaches the whole foreground group) or a process
did (which meant this one). Where the system cannot tell (macOS has no sigwaitinfo), a key is assumed while this
process's group has the terminal.
"""

import os
import signal
import threading
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Self, cast

HELD: Final = frozenset(
    (
        signal.SIGHUP,
        signal.SIGINT,
        signal.SIGQUIT,
        signal.SIGTERM,
        signal.SIGUSR1,
        signal.SIGUSR2,
        signal.SIGTSTP,
        signal.SIGCONT,
        signal.SIGCHLD,
        signal.SIGWINCH,
    )
)
_KEYS: Final = frozenset((signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP))


class Told(NamedTuple):
    """One signal that came."""

    number: int
    by_terminal: bool
    """The kernel sent it: the command has got it as well."""


class Signals:
    """Use it in a `with`: signals are held from `__init__` on, and readable at `fd` from `start`."""

    def __init__(self) -> None:
        self.before = signal.pthread_sigmask(signal.SIG_BLOCK, HELD)
        """The mask to give back to a command."""
        self.fd, self._into = os.pipe()
        self._thread: threading.Thread | None = None
        self._over = False
        self._handlers: dict[int, Any] = {}
        """Of those that are heard without a thread: what was there before."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread is not None:
            self._over = True
            # To that thread: what is told to the process another may take, and this one would never end.
            signal.pthread_kill(cast("int", self._thread.ident), signal.SIGCHLD)
            self._thread.join()
        signal.pthread_sigmask(signal.SIG_BLOCK, HELD)
        for number, before in self._handlers.items():
            signal.signal(number, before)
        os.close(self.fd)
        os.close(self._into)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command is over; a late key must not stop its saving
        signal.pthread_sigmask(signal.SIG_SETMASK, self.before)

    def start(self) -> None:
        """Begin to listen. Not before the command was forked: a fork takes no threads along."""
        thread = threading.Thread(target=self._listen, daemon=True)
        try:
            thread.start()
        except RuntimeError:  # none can be had: Python's own handlers, which do not say who sent one
            for number in HELD:
                self._handlers[number] = signal.signal(number, self._hear)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, HELD)
        else:
            self._thread = thread

    def read(self) -> Sequence[Told]:
        """Those that came; call it when `fd` is readable."""
        raw = os.read(self.fd, 512)
        return [Told(number, bool(by)) for number, by in zip(raw[0::2], raw[1::2], strict=False)]

    def _hear(self, number: int, frame: object) -> None:
        del frame
        os.write(self._into, bytes((number, number in _KEYS and has_terminal())))

    def _listen(self) -> None:
        while not self._over:
            number, by_terminal = _wait()
            os.write(self._into, bytes((number, by_terminal)))


def _wait() -> tuple[int, bool]:
    if hasattr(signal, "sigwaitinfo"):
        told = signal.sigwaitinfo(HELD)
        return told.si_signo, told.si_code > 0
    number = signal.sigwait(HELD)
    return number, number in _KEYS and has_terminal()


def has_terminal() -> bool:
    """Whether this process's group is in the foreground of its terminal."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
