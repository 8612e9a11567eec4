"""The log of hooks that failed: an agent hears nothing of it, `doctor` tells.

Decides that the log is private (0600) and bounded: at 64 KiB it becomes the older half, and the one before goes.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from refloat.model.stamp import Stamp
from refloat.text import cut, one_line

FILE_NAME: Final = "hooks.log"
_OLDER: Final = "hooks.log.1"
_LARGEST: Final = 64 * 1024
_LONGEST: Final = 500


class Logged(NamedTuple):
    """What the log holds."""

    path: Path
    failures: int
    last: str
    """The newest line."""


def log_failure(data: Path, now: Stamp, agent: str, sentence: str) -> None:
    """Add one line. Where nothing can be written, nothing is: a hook has nobody to tell."""
    line = f"{now} {agent}: {cut(one_line(sentence), _LONGEST)}\n".encode("utf-8", "replace")
    path = data / FILE_NAME
    with suppress(OSError):
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            if os.fstat(handle).st_size + len(line) > _LARGEST:
                path.replace(data / _OLDER)
                os.close(handle)
                handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            os.write(handle, line)
        finally:
            os.close(handle)


def read_log(data: Path) -> Logged | None:
    """What hooks could not do; None where nothing failed.

    Raises:
        OSError: the log is there and cannot be read.

    """
    lines: list[str] = []
    for path in (data / _OLDER, data / FILE_NAME):
        with suppress(FileNotFoundError):
            lines += path.read_text(encoding="utf-8", errors="replace").splitlines()
    return Logged(data / FILE_NAME, len(lines), lines[-1]) if lines else None
