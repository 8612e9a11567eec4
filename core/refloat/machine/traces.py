"""What the system wrote down of bad ends: the kernel's log, crash files, boots and shutdowns, full file systems.

Decides how each is asked, and for how long. Refuses to judge: whose end a line tells is for `liveness.cause`. Nothing
is started but `journalctl`, which only reads; nothing is written.
"""

import os
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from refloat.machine.asking import ask
from refloat.machine.processes import sees_first_namespace
from refloat.model.stamp import Stamp, seconds_of, stamp_of_seconds
from refloat.model.traces import CrashFile, LogLine, PowerChange

_SECONDS: Final = 2.0
_MOST_LINES: Final = 20_000
_KMSG: Final = Path("/dev/kmsg")
_RECORD: Final = 8192
"""No record of `/dev/kmsg` is longer (Documentation/ABI/testing/dev-kmsg); a shorter buffer is refused."""


class SystemTraces:
    """The traces of this system."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def kernel_log(self, since: Stamp, until: Stamp) -> Sequence[LogLine] | None:
        """Lines of the kernel's log between two moments; None where it may not be read, or speaks of another machine.

        From the journal, which keeps earlier boots, else from the kernel's own memory. In a container the log is the
        host's, and its process numbers mean nothing here.
        """
        if sys.platform != "linux" or not sees_first_namespace():
            return None
        found = _from_journal(since, until)
        return found if found is not None else _from_kmsg(since, until)

    def crash_files(self, directories: Sequence[str], since: Stamp, until: Stamp) -> Sequence[CrashFile]:
        """Crash files of that time, in the system's places and in some directories."""
        from refloat.machine.crashes import find_crash_files

        return find_crash_files(self._home, directories, since, until)

    def power_changes(self) -> Sequence[PowerChange] | None:
        """Boots and orderly shutdowns, oldest first; None where none are kept or they may not be read."""
        from refloat.machine.wtmp import read_power_changes

        return read_power_changes() if sys.platform == "linux" else None

    def free_bytes(self, path: str) -> int | None:
        """How much this user may still write where a path lies (a missing one: where it would lie)."""
        place = Path(path)
        while True:
            try:
                found = os.statvfs(place)
            except (OSError, ValueError):  # a record's path may hold anything, a zero byte too
                if place == place.parent:
                    return None
                place = place.parent
                continue
            if found.f_files and not found.f_favail:
                return 0  # no file can be made any more
            return found.f_bavail * found.f_frsize

    def readable(self, now: Stamp) -> Sequence[str]:
        """What of all this may be read here, in words."""
        found = ["kernel log"] if self.kernel_log(now, now) is not None else []
        if self.power_changes() is not None:
            found.append("boots and shutdowns (wtmp)")
        from refloat.machine.crashes import readable_places

        return (*found, *readable_places(self._home))


# ── the kernel's log ─────────────────────────────────────────────────────────────────────────────────────────────────


def _from_journal(since: Stamp, until: Stamp) -> tuple[LogLine, ...] | None:
    """From systemd's journal. Not `-k`: that means the present boot alone."""
    answer = ask(
        "journalctl", "--no-pager", "--output=short-unix", f"--lines={_MOST_LINES}",
        f"--since=@{int(seconds_of(since))}", f"--until=@{int(seconds_of(until)) + 1}", "_TRANSPORT=kernel",
        seconds=_SECONDS,
    )  # fmt: skip
    if answer is None or answer.code not in {0, 1} or re.search("not seeing messages|No journal files", answer.err):
        return None
    return read_journal(answer.out)


def read_journal(text: str) -> tuple[LogLine, ...]:
    """Lines of `journalctl --output=short-unix`: `1789376523.004100 host kernel: words`."""
    found: list[LogLine] = []
    for line in text.splitlines():
        match = re.match(r"(\d{1,12}\.\d+) \S+ kernel: (.*)", line)
        at = stamp_of_seconds(float(match[1])) if match else None
        if match and at:
            found.append(LogLine(at, match[2]))
    return tuple(found)


def _from_kmsg(since: Stamp, until: Stamp) -> tuple[LogLine, ...] | None:
    """From the kernel's memory, without waiting for more."""
    boot = _boot_seconds()
    try:
        handle = os.open(_KMSG, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return None
    found: list[LogLine] = []
    try:
        for _ in range(_MOST_LINES):
            try:
                record = os.read(handle, _RECORD)
            except BrokenPipeError:  # overwritten while it was read: go on with the next
                continue
            except OSError:  # no more for now, or not for us
                break
            if not record:
                break
            line = read_kmsg(record.decode("utf-8", "replace"), boot)
            if line is not None and since <= line.at <= until:
                found.append(line)
    finally:
        os.close(handle)
    return tuple(found)


def read_kmsg(record: str, boot: float) -> LogLine | None:
    """One record: `priority,sequence,microseconds since boot,flags;words`, with further lines for machines behind."""
    head, semicolon, words = record.partition(";")
    fields = head.split(",")
    if not semicolon or len(fields) < 3 or not fields[2].isdecimal():
        return None
    at = stamp_of_seconds(boot + int(fields[2]) / 1_000_000)
    return LogLine(at, words.split("\n", 1)[0]) if at else None


def _boot_seconds() -> float:
    """When the clock of the kernel's lines began: it stands still while the machine sleeps, as the monotonic one does,
    so what was written before a sleep is told too late by its length.
    """
    return time.time() - time.monotonic()
