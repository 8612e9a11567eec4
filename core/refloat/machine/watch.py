"""Hears when files change, through watchfiles (inotify, FSEvents), else by looking every two seconds.

Decides how to watch, never what a change means. Refuses to be busy: it wakes a few times a second to ask whether to
stop, and bursts become one Change.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from refloat.machine.mounts import mount_of, read_mounts
from refloat.model.light import light
from refloat.ports import Change

POLL_MS: Final = 2_000
"""Between two looks where the system cannot tell."""
_BURST_MS: Final = 1_000
"""A burst is told after at most so long."""
STEP_MS: Final = 50
"""A burst is over when nothing came for so long. It is looked at in steps of that length, so the first change of one is
told after one step to two: the longer, the later a person sees that an agent works.
"""
_WAKE_MS: Final = 200
"""So often it is asked whether to stop while nothing comes."""
_RECHECK_MS: Final = 5_000
"""So often roots that are missing, or may have been replaced, are looked at."""


@light
class _Stop:
    """The question in the form that watchfiles asks it."""

    asked: Callable[[], bool]

    def is_set(self) -> bool:
        return self.asked()


class FileWatch:
    """Watches directories of this machine."""

    def __init__(self, *, poll_ms: int = POLL_MS, recheck_ms: int = _RECHECK_MS) -> None:
        self._poll_ms = poll_ms
        self._recheck_ms = recheck_ms
        self._why_polling: str | None = None
        self._some_closed = False
        """A directory may not be read: it is left out from then on."""
        self._blind: str | None = None
        """Why not even polling works: then a whole look is asked for every so often."""
        self._how = "not watching"

    def how(self) -> str:
        """How it watches now, in words: `inotify`, `polling every 2 s (out of inotify watches)`, `not watching`."""
        return self._how

    def changes(self, roots: Sequence[Path], stop: Callable[[], bool]) -> Iterator[Change]:
        """Block and yield until `stop()`. Roots that are missing are waited for.

        The first Change says `overflow`: watching has begun, and a whole look from now on misses nothing. Whenever
        watching begins anew (a root came or was replaced, the system ran out of watches) such a Change comes again.

        """
        self._why_polling = _remote(roots)
        try:
            while not stop():
                there = _identities(roots)
                if self._blind is not None:
                    yield from self._ask_for_looks(stop)
                    continue
                if not there:
                    self._how = "waiting for the first directory to watch"
                    self._wait_for(roots, stop)
                    continue
                yield from self._watch(roots, there, stop)
        finally:
            self._how = "not watching"

    def _wait_for(self, roots: Sequence[Path], stop: Callable[[], bool]) -> None:
        while not stop() and not _identities(roots):
            time.sleep(_WAKE_MS / 1000)

    def _watch(
        self, roots: Sequence[Path], there: Mapping[Path, tuple[int, int]], stop: Callable[[], bool]
    ) -> Iterator[Change]:
        """Watch those roots that are there, until that changes or the system refuses."""
        from watchfiles import watch

        polling = self._why_polling
        batches = watch(
            *there,
            watch_filter=None,
            debounce=_BURST_MS,
            step=STEP_MS,
            stop_event=_Stop(stop),
            rust_timeout=_WAKE_MS,
            yield_on_timeout=True,
            force_polling=polling is not None,
            poll_delay_ms=self._poll_ms,
            # Ignoring hides (watchfiles 1.3) that the system is out of watches: nothing would ever be heard. So it is
            # asked for only once a directory is known that may not be read.
            ignore_permission_denied=self._some_closed,
            raise_interrupt=True,
        )
        began = False
        rechecked = time.monotonic()
        try:
            for batch in batches:
                paths = frozenset(path for _, path in batch)
                if paths or not began:
                    self._how = (
                        _native() if polling is None else f"polling every {self._poll_ms / 1000:g} s ({polling})"
                    )
                    yield Change(paths, overflow=not began)
                    began = True
                if time.monotonic() - rechecked >= self._recheck_ms / 1000:
                    rechecked = time.monotonic()
                    if _identities(roots) != there:
                        return
        except FileNotFoundError:  # a root went away in between
            return
        except (OSError, RuntimeError) as refused:  # RuntimeError: its own class for what the system refuses
            if polling is not None:
                self._blind = _reason(str(refused))
            elif isinstance(refused, PermissionError) and not self._some_closed:
                self._some_closed = True
            else:
                self._why_polling = _reason(str(refused))

    def _ask_for_looks(self, stop: Callable[[], bool]) -> Iterator[Change]:
        """Nothing can be heard: a whole look is due every time."""
        self._how = f"looking every {self._poll_ms / 1000:g} s ({self._blind})"
        while not stop():
            yield Change(frozenset(), overflow=True)
            looked = time.monotonic()
            while not stop() and time.monotonic() - looked < self._poll_ms / 1000:
                time.sleep(min(_WAKE_MS, self._poll_ms) / 1000)


def _native() -> str:
    import sys

    return "inotify" if sys.platform == "linux" else "FSEvents" if sys.platform == "darwin" else "system notifications"


def _reason(words: str) -> str:
    if "watch limit" in words or "No space left" in words:
        return "out of inotify watches"
    if "Permission denied" in words:  # watchfiles' polling gives up on the first directory that may not be read
        return "a directory may not be read"
    if "Too many open files" in words:
        return "out of inotify instances"
    return words


def _remote(roots: Sequence[Path]) -> str | None:
    mounts = read_mounts()
    for root in roots:
        mount = mount_of(root, mounts)
        if mount is not None and mount.remote:
            return f"{mount.point} is {mount.kind}"
    return None


def _identities(roots: Sequence[Path]) -> dict[Path, tuple[int, int]]:
    found: dict[Path, tuple[int, int]] = {}
    for root in roots:
        try:
            stat = root.stat()
        except OSError:
            continue
        found[root] = (stat.st_dev, stat.st_ino)
    return found
