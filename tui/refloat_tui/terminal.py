"""The terminal under the app: when it goes away, so does the app, within two seconds and without spinning.

Textual 8.2.8 reads an end of input over and over, and a hung-up terminal keeps nobody from waiting on a thread. Hence
a watchman of our own: signals and a closed terminal ask the app to leave, and a deadline ends what does not.
"""

import contextlib
import os
import select
import signal
import sys
import threading
from collections.abc import Callable
from typing import Final

_LOOK_EVERY: Final = 0.25
_DEADLINE: Final = 1.5
"""Seconds between the request to leave and the end by force."""


def has_terminal() -> bool:
    """Whether somebody sits at both ends."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        return os.isatty(sys.__stdin__.fileno()) and os.isatty(sys.__stderr__.fileno())  # type: ignore[union-attr]
    return False


def _is_gone(descriptor: int) -> bool:
    watch = select.poll()
    watch.register(descriptor, 0)
    try:
        return any(state & (select.POLLHUP | select.POLLERR | select.POLLNVAL) for _, state in watch.poll(0))
    except OSError:
        return True


class Watchman:
    """Watches one terminal for one app."""

    def __init__(self, leave: Callable[[], None]) -> None:
        self._leave = leave
        """Asks the app to end; called from any thread, at most once."""
        self._done = threading.Event()
        self._asked = threading.Lock()

    def start(self) -> None:
        """Begin. Call from the main thread."""
        for number in (signal.SIGHUP, signal.SIGTERM):
            signal.signal(number, self._on_signal)
        threading.Thread(target=self._watch, name="refloat-terminal", daemon=True).start()

    def rest(self) -> None:
        """The app has ended: what still runs beside it gets as long as after a hang-up, not longer."""
        self._done.set()
        self._end_later(0)

    def _on_signal(self, number: int, frame: object) -> None:
        del frame
        self._ask(128 + number)

    def _watch(self) -> None:
        descriptor = sys.__stdin__.fileno() if sys.__stdin__ is not None else 0
        while not self._done.wait(_LOOK_EVERY):
            if _is_gone(descriptor):
                self._ask(128 + signal.SIGHUP)
                return

    def _ask(self, code: int) -> None:
        if not self._asked.acquire(blocking=False):
            return
        self._end_later(code)
        with contextlib.suppress(RuntimeError):
            self._leave()

    @staticmethod
    def _end_later(code: int) -> None:
        timer = threading.Timer(_DEADLINE, os._exit, (code,))
        timer.daemon = True
        timer.start()
