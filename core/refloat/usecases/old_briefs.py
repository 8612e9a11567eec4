"""Takes away the briefs of sessions that were started from here and ended long ago.

Decides which: files in Refloat's own directory that an attempt of the record names and whose content says that Refloat
wrote them, older than a month, as is the last use of the session that was started with it. Refuses to touch anything
else there, and whatever a process may still read.
"""

import contextlib
import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from refloat.model.attempts import Attempt
from refloat.model.own_files import is_own_text
from refloat.model.saving import Runner
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp, seconds_of
from refloat.usecases.hold_session import Holder

BRIEFS: Final = "briefs"
"""Where briefs of started sessions lie, below the data directory."""
OLD: Final = 30 * 86_400.0
"""Seconds after which nobody reads one again: its session ended, or was taken up last, so long ago."""
_LARGEST: Final = 4_000_000
"""Bytes. A brief is a few thousand, whatever was allowed."""


def remove_old_briefs(directory: Path, attempts: Sequence[Attempt], own: Holder, now: Stamp) -> tuple[Path, ...]:
    """Remove what nobody needs; what was removed. `attempts`: every one that the record knows."""
    used: dict[SessionName, float] = {}
    for attempt in attempts:
        name = attempt.child or attempt.parent
        used[name] = max(seconds_of(_last(attempt)), used.get(name, 0.0))
    removed: list[Path] = []
    for path, named in _by_brief(attempts).items():
        lately = any(seconds_of(now) - used[one.child or one.parent] < OLD for one in named)
        if path.parent != directory or lately or any(_may_run(one, own) for one in named):
            continue
        if _is_old(path, now) and _is_own(path):
            with contextlib.suppress(OSError):
                path.unlink()
                removed.append(path)
    return tuple(removed)


def _by_brief(attempts: Iterable[Attempt]) -> dict[Path, list[Attempt]]:
    found: dict[Path, list[Attempt]] = {}
    for attempt in attempts:
        if attempt.brief is not None and "\0" not in attempt.brief:
            found.setdefault(Path(attempt.brief), []).append(attempt)
    return found


def _last(attempt: Attempt) -> Stamp:
    return attempt.ended or attempt.at


def _may_run(attempt: Attempt, own: Holder) -> bool:
    """An attempt without an end was killed, or goes on; one without a process never came so far."""
    if attempt.ended is not None or attempt.runner == Runner():
        return False
    return own.is_running(attempt.runner) is not False


def _is_old(path: Path, now: Stamp) -> bool:
    try:
        found = path.lstat()
    except OSError:
        return False
    plain = stat.S_ISREG(found.st_mode) and found.st_uid == os.getuid() and found.st_size <= _LARGEST
    return plain and seconds_of(now) - found.st_mtime >= OLD


def _is_own(path: Path) -> bool:
    try:
        return is_own_text(path.read_text("utf-8", "replace"))
    except OSError:
        return False
