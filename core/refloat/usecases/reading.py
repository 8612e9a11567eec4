"""Drives one reading: opens a session's segments in order, feeds their lines to its parser and the events to an
Assembler, and keeps what must be known to read on when the last segment has grown.

Decides what the bytes behind the last line end are: a whole record is taken provisionally (it is read again once its
line ends), anything else is told as a Problem and makes the record `cut`. Refuses to judge what a session's state is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, cast

import orjson

from refloat.model.light import light, replace
from refloat.model.problem import Problem, unread
from refloat.model.story import Summary
from refloat.readers.contract import Found, FoundSubagent, Line, Parser, Reader, Segment, Sink
from refloat.readers.lines import NO_RECORD, Cursor, Rows, Tail, plain_value, read_long, read_one, skim_lines
from refloat.readers.story import Assembler
from refloat.readers.whole import open_plain, read_any, reads_on

if TYPE_CHECKING:
    from refloat.model.transcript import Event
    from refloat.readers.plain import QuickParser, QuickRows

_BLOCK: Final = 1024 * 1024
WORTH_QUICK: Final = 2 * 1024 * 1024
"""Bytes from which the quick road is worth what its decoder takes to load."""
_UNFORESEEN: Final = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)
"""What wrong types raise where a reader takes foreign JSON apart."""

Placed = Callable[[str], None]
"""Told the directory that a session works in."""
Watch = Callable[[int], None]
"""Hears each megabyte or so how many bytes were read; what it raises ends the reading."""


@light
class Resumable:
    """Where reading stopped, and all that must be known to go on behind it."""

    segment: int
    """Index of the last segment."""
    cursor: Cursor
    """Behind the last whole line of it."""
    parser: bytes
    """`Parser.freeze()` as JSON."""
    assembler: bytes
    """`Assembler.freeze()` as JSON."""


def run(
    reader: Reader,
    found: Found,
    assembler: Assembler,
    subagent: FoundSubagent | None = None,
    start: Resumable | None = None,
    *,
    resumable: bool = True,
    quick: bool = False,
    placed: Placed | None = None,
    watch: Watch | None = None,
) -> Resumable | None:
    """Feed a session, or one of its sub-agents, to `assembler`, from the beginning or from behind `start`.

    Afterwards the assembler holds the present end too: the provisional last record and what `finish()` concludes. The
    `Resumable` was taken before those, so that an assembler thawed from it reads on as if there had been no end; None
    where nothing can be read on, or with `resumable=False`. Files that cannot be read become Problems. `placed` is
    called once, as soon as it is known where the session works; `watch` hears how far the reading is. `quick`: so much
    is read in all that the decoder of the quick road is worth its start, however little there is of this session.
    """
    segments = subagent.segments if subagent is not None else found.segments
    frozen = None if start is None else cast("dict[str, object]", orjson.loads(start.parser))  # we wrote it ourselves
    parser = reader.parser(found, subagent, frozen, skim=not assembler.keeps_items)
    drive = Drive(parser, assembler, reader.torn_heads, placed, watch, quick=quick)
    tail: Tail | None = None
    for index, segment in enumerate(segments[start.segment if start is not None else 0 :]):
        if tail is not None:
            drive.end(tail, last=False)  # a cut inside a session of several files costs that record only
        tail = drive.segment(segment, start.cursor if start is not None and not index else None)
    kept = None
    if resumable and segments and reads_on(segments[-1].file.path):
        kept = Resumable(
            len(segments) - 1, drive.cursor, orjson.dumps(parser.freeze()), orjson.dumps(assembler.freeze())
        )
    if kept is not None:
        assembler.provisional()
    if tail is not None:
        drive.end(tail, last=True)
    drive.finish()
    return kept


def read_summary(
    reader: Reader,
    found: Found,
    subagent: FoundSubagent | None = None,
    start: Resumable | None = None,
    sink: Sink | None = None,
    *,
    resumable: bool = True,
    quick: bool = False,
) -> tuple[Summary, Resumable | None]:
    """Read a session, or one of its sub-agents, for its summary alone; memory stays flat. `sink` gets its texts;
    the rest as in `run`.
    """
    thawed = None if start is None else cast("Mapping[str, object]", orjson.loads(start.assembler))  # our own
    assembler = Assembler(
        found.agent,
        found.session_id,
        keep_items=False,
        subagent=None if subagent is None else subagent.id,
        frozen=thawed,
        sink=sink,
    )
    end = run(reader, found, assembler, subagent, start, resumable=resumable, quick=quick)
    return assembler.summary(), end


class Drive:
    """Feeds lines to one parser and its events to one assembler."""

    def __init__(
        self,
        parser: Parser,
        assembler: Assembler,
        torn_heads: tuple[bytes, ...],
        placed: Placed | None = None,
        watch: Watch | None = None,
        begins: Callable[[int], None] | None = None,
        *,
        quick: bool = False,
    ) -> None:
        """`begins` hears the offset of each line before it is taken; `quick` as in `run`."""
        self._parser = parser
        self.assembler = assembler
        self._is_quick = quick
        self._torn_heads = torn_heads
        self._placed = placed
        self._watch = watch
        self._begins = begins
        self._read = self._told = 0
        self._path = ""
        self._row: QuickRows | None = None
        self._ends: dict[str, Cursor] = {}
        self.cursor = Cursor()

    def open(self, segment: Segment) -> None:
        """What follows is of this segment."""
        self._path = segment.file.path
        self.assembler.take(self._parser.open(segment))

    def segment(self, segment: Segment, cursor: Cursor | None) -> Tail | None:
        """Read a segment, from `cursor` where its beginning was read before; the bytes left over are returned."""
        self._path = segment.file.path
        if cursor is None:
            self.open(segment)
            cursor = self._start(segment)
        self.cursor = cursor
        tail: Tail | None = None
        left = segment.file.size - cursor.offset
        quick = self._quick() if self._is_quick or left >= WORTH_QUICK else None
        for got in _lines(segment, cursor, self._torn_heads, quick):
            if isinstance(got, tuple):
                self.feed(got[0])
                self._reached(got[1])
            elif isinstance(got, Rows):
                self._feed_all(got)
            elif isinstance(got, Cursor):
                self.cursor = got
            elif isinstance(got, Tail):
                tail = got
            else:
                self.assembler.take((got,))
        self._ends[self._path] = self.cursor
        return tail

    def _feed_all(self, rows: Rows) -> None:
        """Feed whole rows of the file, each decoded when its turn comes: of a piece there is one value at a time."""
        path, feed = self._path, self.feed
        line, offset = rows.cursor.line, rows.cursor.offset
        for raw in rows.raw:
            line += 1
            value, size = plain_value(raw), len(raw) + 1
            if value is not NO_RECORD:
                feed(Line(path, line, offset, value, size))
            else:
                for record in read_one(path, line, offset, raw, self._torn_heads):
                    feed(record)
            offset += size
            if self._placed is not None or self._watch is not None:
                self._reached(Cursor(offset, line))
        self.cursor = Cursor(offset, line)

    def _reached(self, after: Cursor) -> None:
        """All before `after` was fed."""
        if self._watch is not None:
            self._tell(self._watch, after)
        self.cursor = after
        if self._placed is not None and (place := self.assembler.place):
            self._placed(place)
            self._placed = None

    def _tell(self, watch: Watch, after: Cursor) -> None:
        self._read += after.offset - self.cursor.offset
        if self._read - self._told >= _BLOCK:
            self._told = self._read
            watch(self._read)

    def _quick(self) -> QuickRows | None:
        # A protocol's own test looks at each of its members by inspection, and is asked for each of thousands of files.
        if self.assembler.keeps_items or not hasattr(self._parser, "quick"):
            return None
        quick = cast("QuickParser", self._parser).quick(self.assembler, self._path)
        return quick if quick is None or self._begins is None else _Noted(quick, self._begins)

    def finish(self) -> None:
        """Nothing follows: take what the parser concludes."""
        self.assembler.take(self._parser.finish())

    def end(self, tail: Tail, *, last: bool) -> None:
        """Take what stands behind the last line end. `last`: nothing follows, and what is no whole record was cut."""
        line, offset = _after(tail.cursor)
        cut = tail.cut
        if cut is None:
            size, data = len(tail.data), tail.data
            got = list(read_one(self._path, line, offset, data, self._torn_heads))
        else:
            size, data = cut.size, cut.data
            got = list(read_long(self._path, line, offset, cut, self._torn_heads))
        whole = any(isinstance(record, Line) for record in got)
        is_blank = data is not None and not data.strip(b"\x00 \t\r")
        if not whole and not is_blank:
            got = [Problem(self._path, line, offset, f"the last record is incomplete: {size:,} bytes")]
        for record in got:
            if isinstance(record, Problem):
                told = record if line else replace(record, line=None)  # rows that were entered in the middle
                (self.assembler.cut if last and not whole else self.feed)(told)
            else:
                self.feed(record)

    def begin(self, segment: Segment) -> None:
        """Rows of this segment follow, from anywhere in it."""
        self.open(segment)
        self._row = self._quick() if self._is_quick else None

    def rows(self, rows: Sequence[bytes], offset: int) -> None:
        """Read whole rows that follow each other, from this offset on. Their line numbers are not known."""
        if self._row is not None and rows:
            self._row.begin(rows, 0, offset)
        at = 0
        while at < len(rows):
            upto = at if self._row is None else self._row.take(at)
            offset += sum(map(len, rows[at:upto])) + upto - at
            if upto == len(rows):
                break
            self._feed_row(rows[upto], offset)
            offset += len(rows[upto]) + 1
            at = upto + 1

    def _feed_row(self, raw: bytes, offset: int) -> None:
        value = plain_value(raw)
        if value is not NO_RECORD:
            self.feed(Line(self._path, 0, offset, value, size=len(raw) + 1))
            return
        for record in read_one(self._path, 0, offset, raw, self._torn_heads):
            self.feed(replace(record, line=None) if isinstance(record, Problem) else record)

    def stretch(self, segment: Segment, pieces: Sequence[tuple[int, bytes]]) -> None:
        """Read pieces of a segment, each with its offset, as far as they are whole rows, then the end of the last one.
        Their line numbers are not known.
        """
        self.begin(segment)
        end, rest = 0, b""
        for offset, data in pieces:
            *rows, rest = data.split(b"\n")
            self.rows(rows, offset)
            end = offset + len(data) - len(rest)
        if rest:
            self.end(Tail(Cursor(end, -1), rest), last=True)
        self.finish()

    def feed(self, record: Line | Problem) -> None:
        """Take a record. One of a shape that no reader foresaw costs itself only, never the session it stands in."""
        if self._begins is not None and record.offset is not None:
            self._begins(record.offset)
        if isinstance(record, Problem):
            self.assembler.take((record,))
            return
        try:
            events = self._parser.feed(record) if record.whole else self._feed_part(record)
            if not isinstance(events, list):  # one that is told as it is read fails here or nowhere
                events = list(events)
        except _UNFORESEEN as fault:
            what = f"a record that could not be understood ({type(fault).__name__})"
            events = [Problem(record.path, record.line, record.offset, what)]
        self.assembler.take(events)

    def _feed_part(self, line: Line) -> Iterable[Event]:
        """What is told by a line of which something was left out."""
        from refloat.usecases.parting import part, soften  # such lines are rare

        return soften(line, list(self._parser.feed(part(line))))

    def _start(self, segment: Segment) -> Cursor:
        """The cursor at a segment's start; an earlier segment of the same file knows its line number."""
        known = self._ends.get(segment.file.path)
        if known is not None and known.offset == segment.start:
            return known
        return Cursor(segment.start, _count_lines(segment.file.path, segment.start))


class _Noted:
    """Hands rows on one by one, and tells of each before it is taken where it begins."""

    def __init__(self, quick: QuickRows, begins: Callable[[int], None]) -> None:
        self._quick = quick
        self._begins = begins
        self._rows: Sequence[bytes] = ()
        self._line = self._offset = 0

    def begin(self, rows: Sequence[bytes], line: int, offset: int) -> None:
        self._rows, self._line, self._offset = rows, line, offset

    def take(self, at: int) -> int:
        for raw in self._rows[at:]:
            self._begins(self._offset)
            self._quick.begin((raw,), self._line, self._offset)
            self._line += 1
            self._offset += len(raw) + 1
            if not self._quick.take(0):
                return at
            at += 1
        return at


def _lines(
    segment: Segment, cursor: Cursor, torn_heads: tuple[bytes, ...], quick: QuickRows | None
) -> Iterator[tuple[Line | Problem, Cursor] | Rows | Tail | Cursor | Problem]:
    """The lines of a segment, without those that `quick` takes; a file that cannot be read is one Problem."""
    path = segment.file.path
    try:
        if reads_on(path):
            yield from skim_lines(path, cursor, torn_heads, segment.end, quick)
        else:
            yield from read_any(path, cursor, torn_heads, segment.end)
    except OSError as fault:
        yield unread(path, fault.strerror or str(fault))


def _after(cursor: Cursor) -> tuple[int, int]:
    """Line number and offset of the record that begins at the cursor."""
    return cursor.line + 1, cursor.offset


def _count_lines(path: str, end: int) -> int:
    """Line ends before `end`; 0 where the file cannot be read (reading it will tell why)."""
    if not end:
        return 0
    found, left = 0, end
    try:
        with open_plain(path) as file:
            while left > 0 and (block := file.read(min(_BLOCK, left))):
                found += block.count(b"\n")
                left -= len(block)
    except OSError:
        return 0
    return found
