"""This moment and the boot, at the price of two calls: for the quick road, which may not import a calendar.

Refuses to be exact: the boot is good to a second or two, enough to see a restart.
"""

import time


def now() -> str:
    """This moment as a Stamp."""
    seconds = time.time()
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{int(seconds * 1000) % 1000:03d}Z"


def ago(seconds: float) -> str:
    """The moment so many seconds ago, as a Stamp."""
    return time.strftime("%Y-%m-%dT%H:%M:%S.999Z", time.gmtime(time.time() - seconds))


def boot_seconds() -> float | None:
    """When the machine booted, in seconds since 1970; None where that takes more than a glance."""
    try:
        with open("/proc/uptime", encoding="ascii") as file:  # noqa: PTH123 - pathlib is dear at start-up
            return time.time() - float(file.read().split()[0])
    except (OSError, ValueError, IndexError):
        return _by_clock()


def _by_clock() -> float | None:
    """On macOS the monotonic clock counts from the boot, sleep included (clock_gettime(3) there)."""
    import sys

    return time.time() - time.clock_gettime(time.CLOCK_MONOTONIC) if sys.platform == "darwin" else None
