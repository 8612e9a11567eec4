"""The segments of a session as one run of bytes, read in blocks from anywhere, with its lines counted.

Decides where a line begins and which number it has. Refuses to decode, and to map files into memory: an agent may cut
its transcript while it is shown, and touching a mapped page behind the new end kills the process (`SIGBUS`). Reading
blocks costs one copy and answers with fewer bytes instead.

A *position* counts the bytes of all segments in reading order, from 0. Memory: eight bytes for each block.
"""

import os
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from refloat.model.light import light
from refloat.readers.contract import Segment
from refloat.readers.lines import Cursor
from refloat.readers.whole import reads_on

BLOCK: Final = 1024 * 1024

Identity = tuple[int, int]


@light
class Part:
    """A segment on the tape."""

    segment: Segment
    begin: int
    """Position of its first byte."""
    end: int

    def offset(self, position: int) -> int:
        """The place in its file."""
        return position - self.begin + self.segment.start

    def position(self, offset: int) -> int:
        """A place in its file as a position."""
        return offset - self.segment.start + self.begin


def can_be_wound(segments: Sequence[Segment]) -> bool:
    """Whether the bytes on disk are the lines: no compressed file, no single document."""
    return bool(segments) and all(reads_on(segment.file.path) for segment in segments)


class Tape:
    """Reads anywhere in a session's files. What cannot be read is as if it were not there. For one thread at a time,
    the counting apart.
    """

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._segments = tuple(segments)
        self.parts: tuple[Part, ...] = ()
        self._identities: tuple[Identity | None, ...] = ()
        self._counts = array("Q", [0])
        """Line ends before each block."""
        self.counted = 0
        """Position up to which lines were counted."""
        self.wind()

    @property
    def size(self) -> int:
        """Bytes at the last look."""
        return self.parts[-1].end if self.parts else 0

    def wind(self) -> bool:
        """Look at the files anew; False where something that was there is not there any more (a file was replaced or
        cut): positions of before mean nothing then.
        """
        before, parts, identities, at = self.parts, list[Part](), list[Identity | None](), 0
        for segment in self._segments:
            identity, size = _look_at(segment.file.path)
            end = size if segment.end is None else min(size, segment.end)
            parts.append(Part(segment, at, at + max(0, end - segment.start)))
            identities.append(identity)
            at = parts[-1].end
        kept = tuple(identities) == self._identities or not before
        kept = kept and all(
            was.begin == now.begin and was.end <= now.end for was, now in zip(before, parts, strict=False)
        )
        self.parts, self._identities = tuple(parts), tuple(identities)
        if not kept:
            self._counts, self.counted = array("Q", [0]), 0
        return kept

    def part_at(self, position: int) -> Part:
        """The part that holds a position; the last one for the end."""
        at = bisect_right(self.parts, position, key=lambda part: part.begin) - 1
        return self.parts[max(0, at)]

    def read(self, position: int, most: int) -> bytes:
        """At most so many bytes from a position on, of one part."""
        part = self.part_at(position)
        most = min(most, part.end - position)
        if most <= 0:
            return b""
        try:
            with open(part.segment.file.path, "rb", buffering=0) as file:  # noqa: PTH123 - blocks of our own
                return os.pread(file.fileno(), most, part.offset(position))
        except OSError:
            return b""

    def line_start(self, position: int) -> int:
        """Where the line begins that holds the byte at a position; not before its part."""
        begin = self.part_at(position).begin
        at = position
        while at > begin:
            upto = max(begin, at - BLOCK)
            found = self.read(upto, at - upto).rfind(b"\n")
            if found >= 0:
                return upto + found + 1
            at = upto
        return begin

    # ── lines by number ──────────────────────────────────────────────────────────────────────────────────────────────

    def count(self, stop: Callable[[], bool]) -> Iterator[int]:
        """Count the lines of what was not counted yet; yields the position after each block."""
        while self.counted + BLOCK <= self.size and not stop():
            counts, at = self._counts, self.counted
            counts.append(counts[-1] + self._ends_in(at, BLOCK))
            if counts is self._counts:
                self.counted = at + BLOCK
            yield self.counted

    @property
    def is_counted(self) -> bool:
        """Whether each line has its number."""
        return self.size - self.counted < BLOCK

    def line_at(self, position: int) -> int | None:
        """Number of the line, from 1, that begins at a position; None where that was not counted yet. Lines count
        through all segments.
        """
        block = position // BLOCK
        if block >= len(self._counts):
            return None
        return self._counts[block] + self._ends_in(block * BLOCK, position - block * BLOCK) + 1

    def find_line(self, number: int) -> int | None:
        """Position of a line by its number; the last line's for greater ones, None where that was not counted yet."""
        block = bisect_left(self._counts, max(1, number) - 1) - 1
        if number <= 1 or block < 0:
            return 0
        if block == len(self._counts) - 1 and not self.is_counted:
            return None
        left = number - 1 - self._counts[block]
        at = block * BLOCK
        while at < self.size and left > 0:
            piece = self._across(at, BLOCK)
            found = -1
            for _ in range(left):
                following = piece.find(b"\n", found + 1)
                if following < 0:
                    break
                found, left = following, left - 1
            if left == 0:
                return at + found + 1
            at += BLOCK
        return self.line_start(max(0, self.size - 1))

    def _across(self, position: int, most: int) -> bytes:
        """As `read`, over the ends of parts."""
        pieces: list[bytes] = []
        upto = min(position + most, self.size)
        while position < upto:
            part = self.part_at(position)
            piece = self.read(position, upto - position)
            pieces.append(piece)
            position = position + len(piece) if piece else part.end
        return b"".join(pieces)

    def _ends_in(self, position: int, most: int) -> int:
        return self._across(position, most).count(b"\n") if most > 0 else 0

    def cursor(self, position: int) -> Cursor:
        """A line's start as readers want it. Its number is 0 where lines were not counted so far."""
        line = self.line_at(position)
        return Cursor(self.part_at(position).offset(position), 0 if line is None else line - 1)


def _look_at(path: str) -> tuple[Identity | None, int]:
    try:
        stat = os.stat(path)  # noqa: PTH116 - asked before every answer, and a Path costs as much again
    except OSError:
        return None, 0
    return (stat.st_dev, stat.st_ino), stat.st_size
