"""What the first and the last bytes of a session's files tell of it, before anybody reads the whole.

Decides how far to look: into the head until it is known where the session works and what was asked first, into the tail
until the last turn's beginning is in it, further back where a huge last line hides it. How the record ends is judged by
the same parser and assembler as in a whole reading. Refuses to count: what stands between is not known, and a session
that is small enough is read whole instead.
"""

from collections.abc import Iterator, Sequence
from typing import Final, cast

from refloat.catalogue.pack import Packed
from refloat.model.light import replace
from refloat.model.story import Summary
from refloat.readers.contract import Found, FoundSubagent, Line, ReadByEnds, Reader, Segment
from refloat.readers.lines import read_stretch
from refloat.readers.story import Assembler
from refloat.readers.whole import reads_on
from refloat.usecases.reading import Drive, read_summary

HEAD: Final = 64 * 1024
TAIL: Final = 64 * 1024
SMALL: Final = 96 * 1024
"""Bytes of a part that is read whole."""
_TAIL_FIRST: Final = 16 * 1024
"""Bytes of the tail that are looked at first."""
_HEAD_FIRST: Final = 24 * 1024
"""Bytes of the head that are looked at first."""
_FURTHEST: Final = 16 * 1024 * 1024
"""Bytes from the end that are looked through for a row that tells anything."""
_TRIES: Final = 4
_LAST_ROWS: Final = 4
"""Rows at the end of a turn that are read where all of its calls were answered."""
_MANY: Final = 16 * 1024
"""Bytes of rows among which enough are plain for what takes those to spare more than it takes."""
_Piece = tuple[int, bytes]
"""Where it begins, and rows that follow each other, each but the last of a file with its line end."""
_NEAR: Final = 512
"""Bytes of a row in which marks are looked for."""


def glimpse(reader: Reader, found: Found) -> Packed:
    """A session as its ends tell it; `provisional` unless all of it was small enough to be read."""
    # Whose rows are copies is asked when the whole is read.
    bare = replace(found, relatives=()) if found.relatives else found
    summary, whole = _part(reader, bare, None)
    subagents: dict[str, Summary] = {}
    for sub in found.subagents:
        subagents[sub.id], all_of_it = _part(reader, bare, sub)
        whole = whole and all_of_it
    return Packed(summary, subagents, provisional=not whole or bool(found.relatives))


def _part(reader: Reader, found: Found, subagent: FoundSubagent | None) -> tuple[Summary, bool]:
    segments = found.segments if subagent is None else subagent.segments
    size = sum((segment.file.size if segment.end is None else segment.end) - segment.start for segment in segments)
    last = segments[-1] if segments else None
    by_ends = last is not None and reads_on(last.file.path) and segments[0].end is None and not last.superseded
    # A protocol's own test looks at each of its members by inspection, and is asked for each of thousands of files.
    if last is None or not by_ends or size <= SMALL or not hasattr(reader, "turn_marks"):
        return read_summary(reader, found, subagent, resumable=False, quick=True)[0], True
    head = _head(reader, found, subagent, segments[0])
    tail = _tail(cast("ReadByEnds", reader), found, subagent, last)
    return _join(head, tail.summary(), tail.title_told), False


def _head(reader: Reader, found: Found, subagent: FoundSubagent | None, segment: Segment) -> Summary:
    """Rows from the beginning until it is known where the session works and what was asked: few, and hardly one of them
    plain.
    """
    drive = _drive(reader, found, subagent, quick=False)
    path, start, data = segment.file.path, 0, b""
    drive.begin(segment)
    for looked in (_HEAD_FIRST, HEAD):
        data += _bytes(path, segment.start + len(data), looked - len(data))
        while not _begun(drive.assembler) and (end := data.find(b"\n", start)) >= 0:
            drive.rows((data[start:end],), segment.start + start)
            start = end + 1
        if _begun(drive.assembler) or len(data) < looked:
            break
    return drive.assembler.summary()


def _begun(assembler: Assembler) -> bool:
    return bool(assembler.place) and assembler.was_asked


def _tail(reader: ReadByEnds, found: Found, subagent: FoundSubagent | None, segment: Segment) -> Assembler:
    """Rows from where the last turn begins; where its beginning is too far away, what stands for it, and the rest. Of a
    turn whose calls all have their answers, its beginning and its end say how it ended, and the end alone where the
    beginning is not in the last few rows.
    """
    size, looked = segment.file.size, _TAIL_FIRST
    while True:
        start = max(segment.start, size - looked)
        data = _bytes(segment.file.path, start, size - start)
        first = 0 if start == segment.start else data.find(b"\n") + 1 or len(data)  # no rest of another row
        for at in _rows_with(data, first, len(data), reader.turn_marks, _TRIES):
            late = [*_rows_with(data, first, at, reader.late_marks, len(reader.late_marks))]
            rows = [(start + row, data[row : data.index(b"\n", row) + 1]) for row in reversed(late)]
            pieces = rows + _turn(data[at:], start + at, reader)
            drive = _drive(reader, found, subagent, quick=_are_many(pieces))
            drive.stretch(segment, pieces)
            if drive.assembler.was_asked:
                return drive.assembler
        if looked >= TAIL or start == segment.start or _end_of(data[first:], reader) is not None:
            pieces = _turn(data[first:], start + first, reader)
            drive = _drive(reader, found, subagent, quick=_are_many(pieces))
            for row in reader.turn_before(data[first:]):
                drive.feed(Line(segment.file.path, 0, start, dict(row)))
            drive.stretch(segment, pieces)
            if drive.assembler.is_alive or start == segment.start or looked >= _FURTHEST:
                return drive.assembler
        looked *= 4


def _are_many(pieces: Sequence[_Piece]) -> bool:
    return sum(len(data) for _, data in pieces) >= _MANY


def _turn(data: bytes, offset: int, ends: ReadByEnds) -> list[_Piece]:
    """What of a turn's rows says how it ended: of one that ended by itself, its beginning and its end."""
    end = _end_of(data, ends)
    if end is None:
        return [(offset, data)]
    call = data.find(ends.pairs[0], 0, end)
    first = data.rfind(b"\n", 0, call) + 1 if call >= 0 else end
    return [(offset, data[:first]), (offset + end, data[end:])]


def _end_of(data: bytes, ends: ReadByEnds) -> int | None:
    """Where the last rows of a turn begin that ended by itself, all of its calls answered."""
    if not data.endswith(b"\n"):
        return None
    last = _last_talk(data, ends.aside)
    if data.find(ends.ended, last) < 0:
        return None
    calls, answers = ends.pairs
    call = data.find(calls)
    if call < 0:
        return last
    first = data.rfind(b"\n", 0, call) + 1  # answers before it are of calls that are not at hand
    return last if data.count(calls, first) == data.count(answers, first) else None


def _last_talk(data: bytes, aside: bytes) -> int:
    """Where the last few rows of the talk begin, or all of them; 0 where there are none."""
    found, left = 0, _LAST_ROWS
    end = len(data) - 1
    while end > 0 and left:
        start = data.rfind(b"\n", 0, end) + 1
        if start < end and not data.startswith(aside, start):
            found = start
            left -= 1
        end = start - 1
    return found


def _rows_with(data: bytes, first: int, end: int, marks: Sequence[bytes], most: int) -> Iterator[int]:
    """Where the last rows begin that hold one of the marks near their beginning, the very last first. Nothing is looked
    for twice in the same stretch, however many rows there are.
    """
    met = dict.fromkeys(marks, end)
    while most:
        for mark, at in met.items():
            if at + len(mark) > end:
                met[mark] = data.rfind(mark, first, end)
        at, length = max((at, len(mark)) for mark, at in met.items())
        if at < 0:
            return
        start = data.rfind(b"\n", 0, at) + 1
        if at + length <= start + _NEAR:
            yield start
            most -= 1
            end = start
        else:
            end = start + _NEAR


def _drive(reader: Reader, found: Found, subagent: FoundSubagent | None, *, quick: bool) -> Drive:
    own = None if subagent is None else subagent.id
    assembler = Assembler(found.agent, found.session_id, keep_items=False, subagent=own)
    return Drive(reader.parser(found, subagent, skim=True), assembler, reader.torn_heads, quick=quick)


def _join(head: Summary, tail: Summary, title: str) -> Summary:
    """What the head says of the beginning, the tail of the end, and whichever knows of the rest."""
    return replace(
        tail,
        title=title or head.title or tail.title,
        workspace=head.workspace or tail.workspace,
        cwd=tail.cwd or head.cwd,
        worktree=tail.worktree or head.worktree,
        branch=tail.branch or head.branch,
        commit=head.commit,
        model=tail.model or head.model,
        version=tail.version or head.version,
        entrypoint=head.entrypoint or tail.entrypoint,
        started_at=head.started_at or tail.started_at,
        last_activity_at=tail.last_activity_at or head.last_activity_at,
        parent=head.parent or tail.parent,
        repaired=tail.repaired or head.repaired,
        lineage=head.lineage,
        problems=(*head.problems, *tail.problems),
        ending=replace(tail.ending, prompts=tail.ending.prompts or head.ending.prompts),
    )


def _bytes(path: str, start: int, many: int) -> bytes:
    """A stretch of a file; nothing where it cannot be read (the whole reading will tell why)."""
    try:
        return read_stretch(path, start, many)
    except OSError:
        return b""
