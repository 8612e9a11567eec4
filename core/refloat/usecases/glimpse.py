"""What the first and the last bytes of a session's files tell of it, before anybody reads the whole.

Decides how far to look: into the head until it is known where the session works and what was asked first, into the tail
until the last turn's beginning is in it, further back where a huge last line hides it. How the record ends is judged by
the same parser and assembler as in a whole reading. Refuses to count: what stands between is not known, and a session
that is small enough is read whole instead.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Final, Self, cast

from refloat.catalogue.pack import Packed
from refloat.model.story import Summary
from refloat.readers.contract import Found, FoundSubagent, Line, ReadByEnds, Reader, Segment
from refloat.readers.lines import read_stretch
from refloat.readers.story import Assembler
from refloat.readers.whole import reads_on
from refloat.uncollected import Uncollected
from refloat.usecases.reading import Drive, read_summary
from refloat.usecases.sharing import Shared

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
Row = tuple[int, bytes]
"""Where it stands, and its bytes."""
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


class Glimpses:
    """The same of many, begun at once in a second process, where one can be had. Use it in a `with`."""

    def __init__(self, sessions: Sequence[tuple[Reader, Found]]) -> None:
        # Those of one agent together: what reads them is loaded where they are read.
        self._order = sorted(range(len(sessions)), key=lambda at: sessions[at][1].agent)
        self._shared = Shared(_glimpse_all, [sessions[at] for at in self._order])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *fault: object) -> None:
        """Give up what is not done."""
        self._shared.__exit__(*fault)

    def result(self) -> Sequence[Packed]:
        """Look at those that are left; then all of them, in the order given."""
        told = dict(zip(self._order, self._shared.result(), strict=True))
        return [told[at] for at in range(len(told))]


def _glimpse_all(sessions: Sequence[tuple[Reader, Found]]) -> list[Packed]:
    with Uncollected():
        return [glimpse(reader, found) for reader, found in sessions]


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
    """Rows from the beginning until it is known where the session works and what was asked."""
    drive = _drive(reader, found, subagent)
    path, start, data = segment.file.path, 0, b""
    drive.begin(segment)
    for looked in (_HEAD_FIRST, HEAD):
        data += _bytes(path, segment.start + len(data), looked - len(data))
        while not _begun(drive.assembler) and (end := data.find(b"\n", start)) >= 0:
            drive.row(data[start:end], segment.start + start)
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
        rows = _rows(data, start, whole=start == segment.start)
        for at in _rows_with(rows, reader.turn_marks, _TRIES):
            drive = _drive(reader, found, subagent)
            late = [rows[row] for row in _rows_with(rows[:at], reader.late_marks, len(reader.late_marks))]
            turn = rows[at:]
            drive.stretch(segment, [*reversed(late), *_turn(turn, reader, _end_of(turn, reader))])
            if drive.assembler.was_asked:
                return drive.assembler
        end = _end_of(rows, reader)
        if looked >= TAIL or start == segment.start or end is not None:
            drive = _drive(reader, found, subagent)
            for row in reader.turn_before(data[rows[0][0] - start :] if rows else b""):
                drive.feed(Line(segment.file.path, 0, start, dict(row)))
            drive.stretch(segment, _turn(rows, reader, end))
            if drive.assembler.is_alive or start == segment.start or looked >= _FURTHEST:
                return drive.assembler
        looked *= 4


def _rows(data: bytes, offset: int, *, whole: bool) -> list[Row]:
    """Rows with their offsets, the last one as far as it goes. `whole`: the first one is no rest of another."""
    rows = data.split(b"\n")
    found = list(zip(accumulate([len(raw) + 1 for raw in rows], initial=offset), rows, strict=False))
    return found if whole else found[1:]


def _turn(rows: Sequence[Row], ends: ReadByEnds, end: int | None) -> Sequence[Row]:
    """What of a turn's rows says how it ended: of one that ended by itself, its beginning and its `end`."""
    if end is None:
        return rows
    calls = ends.pairs[0]
    first = next((at for at in range(end) if calls in rows[at][1]), end)
    return [*rows[:first], *rows[end:]]


def _end_of(rows: Sequence[Row], ends: ReadByEnds) -> int | None:
    """Where the last rows of a turn begin that ended by itself, all of its calls answered."""
    if not rows or rows[-1][1]:
        return None
    talk = [at for at, (_, raw) in enumerate(rows) if raw and not raw.startswith(ends.aside)]
    last = talk[max(0, len(talk) - _LAST_ROWS)] if talk else 0
    if not any(ends.ended in raw for _, raw in rows[last:]):
        return None
    calls, answers = ends.pairs
    waits = 0
    seen = False  # answers before the first call are of calls that are not at hand
    for _, raw in rows:
        if seen or calls in raw:
            seen = True
            waits += raw.count(calls) - raw.count(answers)
    return None if waits else last


def _rows_with(rows: Sequence[Row], marks: Sequence[bytes], most: int) -> Iterator[int]:
    """The last rows that hold one of the marks near their beginning, the very last first."""
    for at in range(len(rows) - 1, -1, -1):
        row = rows[at][1]
        for mark in marks:
            if row.find(mark, 0, _NEAR) >= 0:
                yield at
                most -= 1
                break
        if not most:
            return


def _drive(reader: Reader, found: Found, subagent: FoundSubagent | None) -> Drive:
    own = None if subagent is None else subagent.id
    assembler = Assembler(found.agent, found.session_id, keep_items=False, subagent=own)
    return Drive(reader.parser(found, subagent, skim=True), assembler, reader.torn_heads, quick=True)


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
