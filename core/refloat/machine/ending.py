"""Signals to processes that were looked at, and waiting for their end.

Decides only that a signal reaches the process that was meant, or nobody: on Linux by a descriptor of the process
(pidfd_open(2), Linux 5.3), which no later process of its number can stand behind; elsewhere by comparing the start
right before each signal. Refuses to choose whom to signal.
"""

import os
import select
import signal as system
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, Literal

from refloat.model.liveness import ProcessInfo
from refloat.ports import Grip, Processes, SignalName

_LOOK: Final = 0.05
"""Seconds between two looks where the system has no descriptors of processes."""


class SystemSignals:
    """Signals of this system."""

    def __init__(self, processes: Processes) -> None:
        self._processes = processes

    def grip(self, process: ProcessInfo) -> Grip | None:
        """Take hold of a process.

        The descriptor is opened before the start is compared: what it stands for then is the process that was looked
        at, because a later one of that number would have another start.
        """
        if process.pid <= 1 or not process.start_token:
            return None
        try:
            descriptor = os.pidfd_open(process.pid)
        except ProcessLookupError:
            return None
        except (AttributeError, OSError):  # another system, an old kernel, a sandbox
            descriptor = None
        grip = SystemGrip(self._processes, process, descriptor)
        if not grip.is_same():
            grip.release()
            return None
        return grip

    def wait(self, grips: Sequence[Grip], seconds: float) -> None:
        """Wait until all of them have ended, and at most so long."""
        until = time.monotonic() + seconds
        if not grips:
            time.sleep(seconds)
        while (left := until - time.monotonic()) > 0 and (alive := [grip for grip in grips if not grip.has_ended()]):
            descriptors = [grip.descriptor for grip in alive if isinstance(grip, SystemGrip)]
            poll = select.poll()
            known = [descriptor for descriptor in descriptors if descriptor is not None]
            for descriptor in known:
                poll.register(descriptor, select.POLLIN)
            poll.poll((left if len(known) == len(alive) else min(left, _LOOK)) * 1000)


class SystemGrip:
    """A hold on one process of this system."""

    def __init__(self, processes: Processes, process: ProcessInfo, descriptor: int | None) -> None:
        self.pid = process.pid
        self.descriptor = descriptor
        self._processes = processes
        self._start = process.start_token

    def is_same(self) -> bool:
        """Whether the process of this number is the one that was looked at, and has not ended."""
        seen = self._processes.get(self.pid)
        return seen is not None and not seen.zombie and seen.start_token == self._start

    def send(self, signal: SignalName) -> Literal["sent", "ended", "forbidden"]:
        """Send a signal, having compared the start once more."""
        if not self.is_same():
            return "ended"
        number = system.Signals[signal]
        try:
            if self.descriptor is not None:
                system.pidfd_send_signal(self.descriptor, number)
            else:
                os.kill(self.pid, number)
        except ProcessLookupError:
            return "ended"
        except PermissionError:
            return "forbidden"
        return "sent"

    def has_ended(self) -> bool:
        """Whether it has ended."""
        if self.descriptor is None:
            return not self.is_same()
        poll = select.poll()
        poll.register(self.descriptor, select.POLLIN)
        return bool(poll.poll(0))

    def release(self) -> None:
        """Close its descriptor."""
        descriptor, self.descriptor = self.descriptor, None
        if descriptor is not None:
            with suppress(OSError):
                os.close(descriptor)
