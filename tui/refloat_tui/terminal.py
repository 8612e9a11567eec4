"""The terminal under the app: when it goes away, so does the app, within two seconds and without spinning.

Textual 8.2.8 reads an end of input over and over, and leaving waits for every thread, however long its question to git
may take. Hence a watchman of our own: signals and a closed terminal ask the app to leave, and a deadline ends what does
not. A person who leaves is not kept waiting either.
"""

import contextlib
import os
import select
import signal
import sys
import termios
import threading
from collections.abc import Callable
from typing import Final

_LOOK_EVERY: Final = 0.25
_DEADLINE: Final = 1.5
"""Seconds between the request to leave and the end by force."""
_RESTORE: Final = b"\x1b[?1000l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l\x1b[<u\x1b[?7h\x1b[?25h\x1b[?1049l"
"""Mouse, focus, paste and key reports off; wrapping and the cursor on; back to the first screen."""


def _is_gone(descriptor: int) -> bool:
    watch = select.poll()
    watch.register(descriptor, 0)
    try:
        return any(state & (select.POLLHUP | select.POLLERR | select.POLLNVAL) for _, state in watch.poll(0))
    except OSError:
        return True


class Watchman:
    """Watches one terminal for one app. `start` and `rest` belong to the main thread."""

    def __init__(self, leave: Callable[[], None]) -> None:
        self._leave = leave
        """Asks the app to end; called from another thread, at most once."""
        self._done = threading.Event()
        self._asked = threading.Lock()
        self._deadline: threading.Timer | None = None
        self._input = sys.__stdin__.fileno() if sys.__stdin__ is not None else 0
        self._before: list[int | list[bytes | int]] | None = None

    def start(self) -> None:
        """Begin, before the app draws."""
        with contextlib.suppress(termios.error):
            self._before = termios.tcgetattr(self._input)
        for number in (signal.SIGHUP, signal.SIGTERM):
            signal.signal(number, self._on_signal)
        threading.Thread(target=self._watch, name="refloat-terminal", daemon=True).start()

    def end_soon(self, code: int = 0) -> None:
        """The app is leaving: from now on it has so long."""
        if self._deadline is None:
            self._deadline = threading.Timer(_DEADLINE, self._end, (code,))
            self._deadline.daemon = True
            self._deadline.start()

    def rest(self) -> None:
        """The app has ended. What comes after it has all the time it needs, unless the terminal is gone."""
        self._done.set()
        if self._deadline is not None and self._asked.acquire(blocking=False):
            self._deadline.cancel()

    def _on_signal(self, number: int, frame: object) -> None:
        del frame
        self._ask(128 + number)

    def _watch(self) -> None:
        while not self._done.wait(_LOOK_EVERY):
            if _is_gone(self._input):
                self._ask(128 + signal.SIGHUP)
                return

    def _ask(self, code: int) -> None:
        if self._asked.acquire(blocking=False):
            self.end_soon(code)
            # Not from here: a signal interrupts the very loop that must do it.
            threading.Thread(target=self._leave_quietly, daemon=True).start()

    def _leave_quietly(self) -> None:
        with contextlib.suppress(RuntimeError):
            self._leave()

    def _end(self, code: int) -> None:
        with contextlib.suppress(OSError, termios.error):
            os.write(sys.__stderr__.fileno() if sys.__stderr__ is not None else 2, _RESTORE)
            if self._before is not None:
                termios.tcsetattr(self._input, termios.TCSANOW, self._before)
        os._exit(code)
