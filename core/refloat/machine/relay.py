"""Output on its way: from what a command writes to into what the caller gave, and to whoever keeps it.

Decides nothing about the bytes. A reader that went away closes the command's side too, so that the command is told as
it would have been (SIGPIPE).
"""

import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from select import select
from typing import Final

PIECE: Final = 1 << 17

Keep = Callable[[bytes], None]


class Source:
    """One place that the command writes to, and where that goes."""

    def __init__(self, fd: int, target: int) -> None:
        self.fd = fd
        self.target = target
        self.open = True

    def fileno(self) -> int:
        """For `select`."""
        return self.fd

    def close(self) -> None:
        """Take nothing more from it."""
        if self.open:
            self.open = False
            os.close(self.fd)

    def pass_on(self, keep: Keep) -> None:
        """Take what is there, give it on, keep it."""
        try:
            data = os.read(self.fd, PIECE)
        except BlockingIOError:
            return
        except OSError:  # the last one closed the terminal's other side
            data = b""
        if not data:
            self.close()
            return
        keep(data)
        try:
            write_all(self.target, data)
        except OSError:
            self.close()


def write_all(fd: int, data: bytes) -> None:
    """Write everything, also where the caller made the descriptor non-blocking.

    Raises:
        OSError: nobody reads it any more, or the disk behind it is full.

    """
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(fd, view) :]
        except BlockingIOError:
            select([], [fd], [])


def hand_on(sources: Sequence[Source]) -> None:
    """Let a process of its own pass on what background processes of an ended command still print.

    They keep what they write to open, as they would have kept the caller's; the caller is not kept waiting for them.
    """
    left: list[Source] = [source for source in sources if source.open]
    if not left or not _is_copy():
        for source in left:
            source.close()
        return
    with suppress(Exception):
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        while left:
            for source in _ready(left):
                source.pass_on(lambda _: None)
            left = [source for source in left if source.open]
    os._exit(0)


def _is_copy() -> bool:
    try:
        return os.fork() == 0
    except OSError:  # no process to be had: what they still print goes nowhere
        return False


def _ready(sources: Sequence[Source]) -> Sequence[Source]:
    found: Sequence[Source] = select(sources, [], [])[0]
    return found
