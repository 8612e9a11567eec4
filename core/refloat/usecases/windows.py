"""One window of a long transcript: the items that came up between two positions, read by themselves.

Decides how much around a window is read with it, so that its items say what they say in the whole: a lead before it
(directories, calls whose results come in it), and lines behind it until its calls are answered. Refuses to decode
lines of many megabytes (images): one such is told as a marker.
"""

from dataclasses import replace
from typing import Final

from refloat.model.light import light
from refloat.model.long import Spot, Window
from refloat.model.problem import Place, Problem
from refloat.model.transcript import Item, Marker, Outcome
from refloat.readers.contract import Found, Line, Reader
from refloat.readers.lines import Tail, read_lines
from refloat.readers.places import Places
from refloat.readers.story import Assembler
from refloat.readers.tape import Part, Tape
from refloat.usecases.reading import Drive

LEAD: Final = 256 * 1024
"""Bytes read before a window."""
AHEAD: Final = 1024 * 1024
"""Bytes read behind one for the results of its calls."""
LONGEST: Final = 4 * 1024 * 1024
"""Bytes of a line that is still decoded."""
NOT_SHOWN: Final = "not shown"
"""Kind of the marker that stands for a longer one."""


@light
class Extent:
    """How far a window goes: to the first line start at or behind `upto`, and on until it holds `least` items, at most
    to `most`.
    """

    upto: int
    least: int = 0
    most: int = 0


class WindowReader:
    """Reads windows of one session."""

    def __init__(self, reader: Reader, found: Found, tape: Tape) -> None:
        self._reader = reader
        # Whose older copies rows are is asked of their files: that is for the whole reading.
        self._found = replace(found, relatives=())
        self._tape = tape

    def read(self, begin: int, extent: Extent, places: Places | None = None) -> Window:
        """The window that begins at the line start `begin`; it ends with its part of the tape at the latest."""
        part = self._tape.part_at(begin)
        run = _Run(self._reader, self._found, part, begin, extent)
        start = self._lead(part, begin)
        path, end = part.segment.file.path, part.offset(part.end)
        cursor = self._tape.cursor(start)
        tail: Tail | None = None
        try:
            for got in read_lines(path, cursor, self._reader.torn_heads, end, longest=LONGEST):
                if isinstance(got, Tail):
                    tail = got
                    continue
                record, start = got[0], part.position(got[1].offset)
                if run.take(part.position(record.offset or 0), record, start):
                    break
            else:
                start = start if tail is None else part.position(tail.cursor.offset)
                run.close(start, tail, part, at_end=part.end == self._tape.size)
        except OSError:
            pass  # it is gone in this moment: the next look at the tape says so
        return self._window(run, places)

    def _lead(self, part: Part, begin: int) -> int:
        if begin - LEAD <= part.begin:
            return part.begin
        start = self._tape.line_start(begin - LEAD)
        return start if begin - start <= LONGEST else begin

    def _window(self, run: "_Run", places: Places | None) -> Window:
        items, spots = run.assembler.items(), list[Spot]()
        open_ = frozenset(run.open_steps())
        before, at = -1, 0
        for position, made in run.made:
            at = at + 1 if position == before else 0
            before = position
            item = items[made] if isinstance(made, int) else made
            step = item.step
            settled = step is None or step.outcome is not Outcome.DANGLING or run.ended or step.n not in open_
            spots.append(_spot(item, position, at, self._tape.line_at(position), settled=settled, places=places))
        return Window(run.begin, run.end, tuple(spots))


def _spot(item: Item, position: int, at: int, line: int | None, *, settled: bool, places: Places | None) -> Spot:
    known = places.items_at(position) if places is not None else range(0)
    index = known[at] if at < len(known) else None
    step = item.step
    if step is not None:
        number = places.step_of(index) if places is not None and index is not None else None
        step = replace(step, n=number or 0, item=0 if index is None else index + 1)
    return Spot(replace(item, n=0 if index is None else index + 1, step=step), position, at, line, settled)


class _Run:
    """Feeds lines around a window and notes which items came up in it."""

    def __init__(self, reader: Reader, found: Found, part: Part, begin: int, extent: Extent) -> None:
        self.assembler = Assembler(found.agent, found.session_id, keep_items=True)
        self._drive = Drive(reader.parser(found), self.assembler, reader.torn_heads)
        self._drive.open(part.segment)
        self._extent = extent
        self.begin = begin
        self.end = begin
        self.made: list[tuple[int, int | Item]] = []
        """Positions, each with the index of its item or with what stands for one."""
        self.ended = False
        """The transcript's end was read."""
        self._steps: tuple[int, int] | None = None
        """Numbers of the window's first step and of the one behind its last."""
        self._first_step = 0
        self._closed = False

    def open_steps(self) -> tuple[int, ...]:
        """Steps of the window whose results were not found."""
        first, behind = self._steps or (self._first_step + 1, self.assembler.tally()[1] + 1)
        return tuple(n for n in self.assembler.open_steps() if first <= n < behind)

    def take(self, position: int, record: Line | Problem, after: int) -> bool:
        """Take a line; True once nothing more is needed."""
        if position < self.begin:
            self._drive.feed(record)
            self._first_step = self.assembler.tally()[1]
            return False
        if not self._closed and self._is_full(position):
            self._closed = True
            self._steps = (self._first_step + 1, self.assembler.tally()[1] + 1)
        if self._closed:
            if position - self.end > AHEAD or not self.open_steps():
                return True
            self._drive.feed(record)
            return False
        self._note(position, record, after)
        self.end = after
        return False

    def close(self, position: int, tail: Tail | None, part: Part, *, at_end: bool) -> None:
        """The part was read to its end."""
        before = self.assembler.tally()[0]
        if tail is not None:
            self._drive.end(tail, last=at_end)
        if at_end:
            self._drive.finish()
        if not self._closed and position >= self.begin:
            self.made += [(position, made) for made in range(before, self.assembler.tally()[0])]
            self.end = part.end
        self.ended = at_end

    def _is_full(self, position: int) -> bool:
        extent = self._extent
        return position >= extent.upto and (len(self.made) >= extent.least or position >= extent.most)

    def _note(self, position: int, record: Line | Problem, after: int) -> None:
        before = self.assembler.tally()[0]
        self._drive.feed(record)
        self.made += [(position, made) for made in range(before, self.assembler.tally()[0])]
        if isinstance(record, Problem) and (after == position or after - position > LONGEST):
            place = Place(record.path, record.line or 0, record.offset or 0)
            self.made.append((position, Item(0, "marker", None, marker=Marker(NOT_SHOWN, record.what, None, place))))
