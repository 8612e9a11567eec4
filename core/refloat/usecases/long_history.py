"""The history of a transcript that is too long to be held whole: windows of it, the way to any place, and numbers.

Decides which windows answer a question. The first screen costs one window, wherever it stands. Numbers of items need
the whole reading, which `number` does beside; until then lines have numbers once they were counted, at the disk's
speed. Refuses to hold more than a few windows' items. Every question looks at the files anew: one that grew goes on,
one that was replaced or cut is begun anew.
"""

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from refloat.model.long import Ask, Fits, Spot, Stretch, Window
from refloat.readers.contract import Found, Reader
from refloat.readers.places import Places
from refloat.readers.story import Assembler
from refloat.readers.tape import Tape, can_be_wound
from refloat.usecases.find_crash import find_crash
from refloat.usecases.reading import Drive
from refloat.usecases.windows import Extent, WindowReader

_WINDOW: Final = 512 * 1024
_LEAST: Final = 64
"""Items that a window should have."""
_MOST: Final = 8 * 1024 * 1024
"""Bytes after which it may have fewer."""
_STEP: Final = 4 * 1024 * 1024
"""Bytes of the numbering between two words of how far it is."""
_WINDOWS: Final = 3
"""Windows that are shown at a time."""

Stop = Callable[[], bool]
Tell = Callable[[int, int], None]
"""Hears how many bytes of how many are done."""


def has_windows(found: Found) -> bool:
    """Whether a session's history can be read in windows."""
    return can_be_wound(found.segments)


def _as_it_is(window: Window) -> Window:
    return window


class _StoppedError(Exception):
    """The numbering was given up."""


class LongHistory:
    """Answers from any thread, one question at a time; counting and numbering go on beside."""

    def __init__(self, reader: Reader, found: Found, mask: Callable[[Window], Window] = _as_it_is) -> None:
        """`mask` is given every window that leaves; predicates of questions see items as recorded."""
        self._mask = mask
        self._reader = reader
        self._found = found
        self._tape = Tape(found.segments)
        self._windows = WindowReader(reader, found, self._tape)
        self._one = threading.Lock()
        self._generation = 0
        """Grows when the files were replaced or cut: what was numbered before means nothing then."""
        self._places: Places | None = None
        self._crash: int | None = None
        """Position of the crash, where it is known for sure."""

    @property
    def size(self) -> int:
        """Bytes of the transcript."""
        return self._tape.size

    @property
    def is_numbered(self) -> bool:
        """Whether items have their numbers."""
        return self._places is not None

    def ask(self, ask: Ask, stop: Stop) -> Stretch:
        """The stretch that answers; a stopped question may be answered with less."""
        with self._one:
            if not self._tape.wind():
                self._generation += 1
                self._places = self._crash = None
                ask = Ask("end", fits=ask.fits)
            found = self._answer(ask, stop)
            return replace(found, size=self._tape.size, numbered=self._places is not None)

    # ── counting ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def count(self, stop: Stop, tell: Tell) -> None:
        """Count the lines."""
        for done in self._tape.count(stop):
            if done % (64 * 1024 * 1024) == 0:
                tell(done, self._tape.size)

    def number(self, stop: Stop, tell: Tell) -> None:
        """Read all of it for the numbers of its items; memory grows by a few bytes an item."""
        generation, parts = self._generation, self._tape.parts
        places, size = Places(), self._tape.size
        part = parts[0]

        told = 0

        def begins(offset: int) -> None:
            nonlocal told
            position = part.position(offset)
            places.begin(position)
            if position - told >= _STEP:
                told = position
                if stop():
                    raise _StoppedError
                tell(position, size)

        assembler = Assembler(self._found.agent, self._found.session_id, keep_items=False, places=places)
        parser = self._reader.parser(self._found, skim=True)
        drive = Drive(parser, assembler, self._reader.torn_heads, begins=begins)
        try:
            for part in parts:
                tail = drive.segment(replace(part.segment, end=part.offset(part.end)), None)
                if tail is not None:
                    drive.end(tail, last=part is parts[-1])
        except _StoppedError:
            return
        drive.finish()
        places.note()
        with self._one:
            if generation == self._generation:
                self._places = places
                open_ = assembler.open_steps(of_last_turn=True)
                self._crash = places.positions[places.steps[open_[0] - 1]] if open_ else None

    # ── answers ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _answer(self, ask: Ask, stop: Stop) -> Stretch:
        shown = ask.shown.windows if ask.shown is not None else ()
        match ask.what:
            case "older" if shown:
                older = self._before(shown[0].begin, ask.fits, stop)
                return self._stretch((older, *shown)[:_WINDOWS])
            case "newer" if shown and self._tape.line_start(shown[-1].end) == shown[-1].end:
                newer = self._after(shown[-1].end, ask.fits, stop)
                return self._stretch((*shown, newer)[-_WINDOWS:])
            case "again" | "newer" if shown:
                return self._again(shown, ask.fits, stop)
            case "begin":
                first = self._after(0, ask.fits, stop)
                return self._stretch((first,), first.spots[0].key if first.spots else None)
            case "item" | "step":
                return self._numbered(ask, stop)
            case "line":
                position = self._tape.find_line(ask.n)
                return self._missing(ask, stop) if position is None else self._around(position, ask.fits, stop)
            case "position":
                return self._around(ask.n, ask.fits, stop)
            case "crash":
                return self._crashed(stop)
            case "next" | "before":
                return self._search(ask, stop)
            case _:
                return self._stretch((self._before(self._tape.size, ask.fits, stop),), last=True)

    def _stretch(self, windows: tuple[Window, ...], cursor: str | None = None, *, last: bool = False) -> Stretch:
        spots = windows[-1].spots if windows else ()
        return Stretch(windows, self._tape.size, spots[-1].key if last and spots else cursor)

    def _again(self, shown: tuple[Window, ...], fits: Fits | None, stop: Stop) -> Stretch:
        """The same windows as the files are now; where the end was shown, up to the new end."""
        windows = [self._read(window.begin, Extent(window.end), fits) for window in shown]
        end = windows[-1].end
        while end < self._tape.size and not stop() and len(windows) < 2 * _WINDOWS:
            windows.append(self._after(end, fits, stop))
            if windows[-1].end <= end:
                break
            end = windows[-1].end
        return self._stretch(tuple(windows[-_WINDOWS:]))

    def _numbered(self, ask: Ask, stop: Stop) -> Stretch:
        places = self._places
        if places is None:
            why = f"Which is {ask.what} {ask.n:,} is known once all {self._tape.size:,} bytes were read."
            return replace(self._missing(ask, stop), why=why)
        index = places.steps[ask.n - 1] if ask.what == "step" and 0 < ask.n <= len(places.steps) else ask.n - 1
        if not 0 <= index < len(places.positions):
            return replace(self._missing(ask, stop), why=f"There is no {ask.what} {ask.n:,}.")
        position = places.positions[index]
        key = f"{position}.{index - places.items_at(position).start}"
        return replace(self._around(position, None, stop), cursor=key)

    def _missing(self, ask: Ask, stop: Stop) -> Stretch:
        if ask.shown is not None:
            return replace(ask.shown, why="That place is not known so far.")
        return self._answer(Ask("end", fits=ask.fits), stop)

    def _around(self, position: int, fits: Fits | None, stop: Stop) -> Stretch:
        line = self._tape.line_start(min(position, max(0, self._tape.size - 1)))
        after = self._after(line, fits, stop)
        windows = (self._before(line, fits, stop), after) if line > 0 else (after,)
        cursor = next((spot.key for spot in after.spots if spot.position >= line), None)
        return self._stretch(windows, cursor)

    def _crashed(self, stop: Stop) -> Stretch:
        """Where it ended: the first step of the last turn without a result, else what the last windows show."""
        if self._crash is not None:
            return self._around(self._crash, None, stop)
        windows: tuple[Window, ...] = ()
        begin = self._tape.size
        while begin > 0 and not stop() and not any(spot.item.type == "prompt" for w in windows for spot in w.spots):
            windows = (self._before(begin, None, stop), *windows)[:_WINDOWS]
            begin = windows[0].begin
        spots = [spot for window in windows for spot in window.spots]
        found = find_crash([spot.item for spot in spots])
        key = spots[found].key if found is not None else None
        return self._stretch(windows, key)

    def _search(self, ask: Ask, stop: Stop) -> Stretch:
        behind = ask.what == "next"
        at = ask.n
        while not stop() and (at < self._tape.size if behind else at > 0):
            window = self._recorded_after(at, None, stop) if behind else self._recorded_before(at, None, stop)
            spots = window.spots if behind else tuple(reversed(window.spots))
            found = next((spot for spot in spots if self._is_wanted(spot, ask)), None)
            if found is not None:
                return replace(self._around(found.position, ask.fits, stop), cursor=found.key)
            following = window.end if behind else window.begin
            if following == at:
                break
            at = following
        return replace(self._missing(ask, stop), why="There is no further one in that direction.")

    def _is_wanted(self, spot: Spot, ask: Ask) -> bool:
        past = spot.position > ask.n if ask.what == "next" else spot.position < ask.n
        return past and (ask.wanted is None or ask.wanted(spot.item))

    # ── windows ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _read(self, begin: int, extent: Extent, fits: Fits | None) -> Window:
        return self._mask(self._recorded(begin, extent, fits))

    def _after(self, begin: int, fits: Fits | None, stop: Stop) -> Window:
        return self._mask(self._recorded_after(begin, fits, stop))

    def _before(self, end: int, fits: Fits | None, stop: Stop) -> Window:
        return self._mask(self._recorded_before(end, fits, stop))

    # What follows is not masked yet: nothing of it leaves.

    def _recorded(self, begin: int, extent: Extent, fits: Fits | None) -> Window:
        window = self._windows.read(begin, extent, self._places)
        if fits is None:
            return window
        return replace(window, spots=tuple(spot for spot in window.spots if fits(spot.item)))

    def _recorded_after(self, begin: int, fits: Fits | None, stop: Stop) -> Window:
        """The window that begins at a line start; where few items fit, as many as it takes, as one."""
        extent = Extent(begin + _WINDOW, _LEAST, begin + _MOST)
        window = self._recorded(begin, extent, fits)
        while fits is not None and len(window.spots) < _LEAST and window.end < self._tape.size and not stop():
            more = self._recorded(window.end, Extent(window.end + _WINDOW, _LEAST, window.end + _MOST), fits)
            if more.end <= window.end:
                break
            window = Window(window.begin, more.end, (*window.spots, *more.spots))
        return window

    def _recorded_before(self, end: int, fits: Fits | None, stop: Stop) -> Window:
        """The window that ends at a line start, or at the very end."""
        window = Window(end, end, ())
        reach = _WINDOW
        while window.begin > 0 and len(window.spots) < _LEAST and not stop():
            part = self._tape.part_at(window.begin - 1)
            begin = self._tape.line_start(max(part.begin, window.begin - reach))
            more = self._recorded(begin, Extent(window.begin), fits)
            window = Window(begin, end, (*more.spots, *window.spots))
            if fits is None and end - begin >= _MOST:
                break
            reach = min(2 * reach, _MOST)
        return window
