"""One line that is too long to be held, as a shorter one: of its long texts the beginnings and the ends.

Decides where a text may be parted (never inside an escape, a character or its two halves) and how much of it stays.
Where a line would still take too much memory as values, its heaviest lists and objects end early, and where no decoder
goes so deep, the deepest hold nothing: what stands around them is read all the same. What is left out of texts is
looked through as the decoder would, and counted. Refuses to say what a secret is: whoever shows a shortened text parts
it again where none is (`refloat.usecases.parting`), for which each side holds more than is shown.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from io import BytesIO
from itertools import accumulate
from typing import BinaryIO, Final, cast

from refloat.model.light import light
from refloat.patterns import late
from refloat.readers.lines import ESCAPE, decode

_CHUNK: Final = 1024 * 1024
ROOM: Final = 8 * 1024 * 1024
"""Bytes that a line may have in the end."""
_HEAVIEST: Final = 64 * 1024 * 1024
"""Bytes that its values may take, about. Of the line's own members none takes more than three eighths of that, and what
stands in one so much less that all around it have room too.
"""
_MEMBER: Final = 2
"""How deep in a line the members of its record begin that are lists or objects."""
_DEEPEST: Final = 128
"""Lists and objects within each other, of which what lies deeper is left out where it has to be: no agent puts anything
there that a reader asks for, and who goes down into a value has the room for so many.
"""
LEVELS: Final = ((ROOM, 192 * 1024, 64 * 1024), (512 * 1024, 192 * 1024, 64 * 1024), (16 * 1024, 8 * 1024, 3 * 1024))
"""(bytes from which a text is cut, bytes of its beginning and of its end that stay), the first one that is enough. All
that is kept of a text anywhere (`story.KEPT`) stands in the beginning and the end of the first two, the worst escapes
apart.
"""
LAST: Final = (1024, 512, 256)
"""The same where nothing else is enough, once half of the room is taken."""
MARK: Final = "\ufdd0"
"""Stands around the number of bytes left out of a text: no character, so nobody writes it."""
_MARKED: Final = b"\\ufdd0%d\\ufdd0"

_ESCAPE: Final = late(ESCAPE.encode(), re.DOTALL)
_NULS: Final = late(rb"\x00{2,}")
_PAIR: Final = 12
"""Bytes of the longest escape: one character in two halves."""
_LIST, _DICT, _VALUE, _TEXT = 80, 240, 40, 64
"""Bytes that each takes in memory, at most."""
_BONES: Final = 64 * 1024
_NEXT: Final = 256
"""Bytes in which the end of what is left out is looked for first: a line may hold thousands of such places."""
_BACKSLASH: Final = 0x5C
_BRACE, _COMMA, _LISTS, _OPENS = b"{"[0], b","[0], b"["[0], b"[{"
_SIGN: Final = late(rb"[\[\]{},]")
_OTHERS: Final = bytes(byte for byte in range(256) if byte not in b"[]{}")
_ALIKE: Final = bytes.maketrans(b"{}", b"[]")


@light
class Shortened:
    """A line, as far as it could be held."""

    size: int
    """Bytes of it, without its end."""
    data: bytes | None
    """What is left of it; None: it was given up."""
    whole: bool
    """Nothing was left out."""
    ended: bool
    """It has an end."""


def shorten(
    file: BinaryIO, start: int, left: int | None = None, room: int | None = None, *, thin: bool = True
) -> Shortened:
    """The line that begins at `start`, of which no more than `left` bytes count, in so much `room` (else `ROOM`). The
    file is left anywhere. `thin`: its lists and objects may end early, with a mark behind their last value.

    Raises:
        OSError: it cannot be read.
    """
    room = room or ROOM
    for at, (limit, head, tail) in enumerate(LEVELS):
        file.seek(start)
        one = _Line(room, (limit if at else room, head, tail), last=at == len(LEVELS) - 1)
        if one.read(file, left):
            return Shortened(one.size, bytes(one.out), one.whole, one.ended)
        if one.is_heavy:
            break
    file.seek(start)
    thinned: _Line = _Thin(room)
    if thin and thinned.read(file, left):
        return Shortened(thinned.size, bytes(thinned.out), thinned.whole, thinned.ended)
    return pass_over(file, start, left)


def pass_over(file: BinaryIO, start: int, left: int | None = None) -> Shortened:
    """The same line, given up.

    Raises:
        OSError: it cannot be read.
    """
    file.seek(start)
    size = 0
    while chunk := file.read(_CHUNK if left is None else min(_CHUNK, left - size)):
        end = chunk.find(b"\n")
        if end >= 0:
            return Shortened(size + end, None, whole=False, ended=True)
        size += len(chunk)
    return Shortened(size, None, whole=False, ended=False)


def flatten(raw: bytes) -> tuple[bytes, int]:
    """A line whose lists and objects hold nothing where they lie too deep for a decoder, and how many bytes that is."""
    flat = _Flat(len(raw))
    flat.read(BytesIO(raw), None)
    return bytes(flat.out), flat.left_out


class _Line:
    """One reading of a line."""

    def __init__(self, room: int, level: tuple[int, int, int], *, last: bool) -> None:
        self._room = room
        self._limit, self._head, self._tail = level
        self._last = last
        self.out: bytearray = bytearray()
        self.size = 0
        self.whole = True
        self.ended = False
        self._bones = bytearray()
        """What stands outside of texts, not weighed yet."""
        self._weight = 0
        self._inside = False
        self._searched = 0
        """Bytes of the text that is being read in which its end was looked for."""
        self._left_out: int | None = None
        """Bytes left out of that text, where it is a long one."""
        self._fault = b""
        """What stands in it for what is wrong with them."""

    @property
    def is_heavy(self) -> bool:
        """Whether its values would take too much, long texts apart."""
        return self._weight > _HEAVIEST

    def read(self, file: BinaryIO, left: int | None) -> bool:
        """Read it; False where too much is left of it."""
        rest = b""
        while not self.ended and (chunk := file.read(_CHUNK if left is None else min(_CHUNK, left - self.size))):
            end = chunk.find(b"\n")
            self.ended = end >= 0
            chunk = chunk[:end] if self.ended else chunk
            self.size += len(chunk)
            rest = self._take(rest + chunk)
            if len(self.out) > self._room or self.is_heavy:
                return False
        if self._inside:  # it is cut, or no record at all
            self._close(rest)
        self._weigh()
        return len(self.out) <= self._room and not self.is_heavy

    def _take(self, data: bytes) -> bytes:
        """Take what is whole of it; of a text that goes on, what is still wanted is given back."""
        at = 0
        while at >= 0:
            if self._inside:
                end = self._end_of(data, at)
                if end < 0:
                    return self._hold(data[at:])
                self._close(data[at:end])
                self.out += b'"'
                self._inside = False
                at = end + 1
            at = self._go_on(data, at)
            if self._last and len(self.out) > self._room // 2:
                self._limit, self._head, self._tail = LAST
        return b""

    def _go_on(self, data: bytes, at: int) -> int:
        """Take what stands outside of texts; where the next text begins, or -1."""
        quote = data.find(b'"', at)
        self._stand(data[at:] if quote < 0 else data[at : quote + 1])
        self._inside = quote >= 0
        return quote + 1 or -1

    def _end_of(self, data: bytes, at: int) -> int:
        """Where the text ends that goes on at `at`; -1 where it goes on behind the data."""
        begin = at + self._searched
        quote = data.find(b'"', begin)
        while quote >= 0:
            if not _is_escaped(data, begin, quote):
                self._searched = 0
                return quote
            quote = data.find(b'"', quote + 1)
        self._searched = len(data) - at - _is_escaped(data, begin, len(data))
        return -1

    def _hold(self, text: bytes) -> bytes:
        """What is still wanted of a text of which there is more."""
        if self._left_out is None:
            if len(text) <= self._limit:
                return text
            text = self._begin(text)
        kept = self._leave_out(text, len(text) - self._tail - _CHUNK)
        self._searched -= len(text) - len(kept)
        return kept

    def _close(self, text: bytes) -> None:
        """The rest of a text."""
        self._searched = 0
        if self._left_out is None and len(text) <= self._limit:
            self.out += text
            self._weigh_text(len(text))
            return
        if self._left_out is None:
            text = self._begin(text)
        text = self._leave_out(text, len(text) - self._tail)
        self.out += _MARKED % (self._left_out or 0) + self._fault + text
        self._weigh_text(self._head + self._tail)
        self._left_out, self._fault = None, b""

    def _begin(self, text: bytes) -> bytes:
        """Keep the beginning of a long text; what stands behind it."""
        head = part_at(text, self._head)
        self.out += text[:head]
        self._searched -= min(self._searched, head)
        self._left_out, self.whole = 0, False
        return text[head:]

    def _leave_out(self, text: bytes, upto: int) -> bytes:
        """Look through a text up to about there; what stands behind that."""
        at = 0
        while at < upto:
            piece = text[at : min(at + _CHUNK, upto) + _PAIR]
            piece = piece[: part_at(piece, min(_CHUNK, upto - at))]
            if not piece:
                break
            self._left_out = (self._left_out or 0) + self._bytes_of(piece)
            at += len(piece)
        return text[at:]

    def _bytes_of(self, piece: bytes) -> int:
        """Bytes of a piece of a text, as UTF-8 without escapes."""
        try:
            text = cast("str", decode(b'"%b"' % piece))
        except ValueError:
            self._fault = b"\xff" if _is_broken(piece) else b"\x01"  # what the decoder then stumbles over
            return len(piece)
        return len(text) if text.isascii() else len(text.encode())

    def _stand(self, piece: bytes) -> None:
        """What stands outside of texts."""
        if b"\x00\x00" in piece:
            piece = _NULS.sub(b"\x00", piece)
        self.out += piece
        self._bones += piece
        if len(self._bones) >= _BONES:
            self._weigh()

    def _weigh_text(self, size: int) -> None:
        self._weight += _TEXT + size

    def _weigh(self) -> None:
        count = self._bones.count
        self._weight += count(b"[") * _LIST + count(b"{") * _DICT + count(b",") * _VALUE
        self._bones.clear()


class _Thin(_Line):
    """One reading of a line in which lists and objects end early."""

    def __init__(self, room: int) -> None:
        super().__init__(room, LEVELS[-1], last=True)
        self._open: list[int] = [0]
        """What is open, by what it weighs so far."""
        self._kinds = bytearray(b"[")
        self._limits = [_HEAVIEST * 65 // 64]
        self._skipped = 0
        """Bytes left out of what ends early now."""
        self._deeper = -1
        """How much is open in that; -1: nothing ends early now."""
        self._quoted = False
        """Whether a text goes on in what is left out."""
        self._odd = False
        """Whether a backslash before that wants a character more."""
        self._byte = max(1, _HEAVIEST // room)
        """What a byte weighs, so that all that has its weight has room."""

    def _go_on(self, data: bytes, at: int) -> int:
        if self._deeper >= 0:
            at = self._skip(data, at)
            if at < 0:
                return at
        quote = data.find(b'"', at)
        end = quote + 1 or len(data)
        upto = self._follow(data, at, end)
        self.out += data[at:end] if upto < 0 else data[at:upto]
        if upto >= 0:
            self._deeper = 0
            return upto
        self._inside = quote >= 0
        return quote + 1 or -1

    def _follow(self, data: bytes, at: int, end: int) -> int:
        """Weigh what stands there; where the rest of what is open is too much, the place of its comma, and where what
        begins there is too deep, the place behind its bracket. Else -1.
        """
        weights, kinds, begun = self._open, self._kinds, at
        for found in _SIGN.finditer(data, at, end):
            sign, place = data[found.start()], found.start()
            if sign in _OPENS:
                weights[-1] += _DICT if sign == _BRACE else _LIST
                self._limits.append(self._limit_within())
                weights.append(0)
                kinds.append(sign)
                if len(weights) > _DEEPEST:
                    return place + 1
            elif sign != _COMMA:
                if len(weights) > 1:
                    kinds.pop()
                    self._limits.pop()
                    weight = weights.pop()
                    weights[-1] += weight
            else:
                weights[-1] += _VALUE + (place - begun) * self._byte
                begun = place
                if weights[-1] > self._limits[-1]:
                    return place
        return -1

    def _limit_within(self) -> int:
        """What may stand in something that begins now: never all that is left, for what comes behind it."""
        depth, left = len(self._open), self._limits[-1] - self._open[-1] - _HEAVIEST // 64
        most = _HEAVIEST * 3 // 8 if depth == _MEMBER else left
        return max(min(most, left), _HEAVIEST // 256)

    def _weigh_text(self, size: int) -> None:
        self._open[-1] += _TEXT + size * self._byte

    def _weigh(self) -> None:
        """It is weighed as it is read."""

    def _skip(self, data: bytes, at: int) -> int:
        """Pass over what is left out; the place of what closes it, or -1."""
        begin, size = at, _NEXT
        while begin < len(data):
            block = data[begin : begin + size]
            closed, deeper, quoted = self._passed(block)
            if not closed:
                self._skipped += len(block)
                self._deeper, self._quoted = deeper, quoted
                self._odd = _is_escaped(b"\\" * self._odd + block, 0, self._odd + len(block))
                begin, size = begin + len(block), min(2 * size, _BONES)
                continue
            place = bisect_left(range(len(block)), 1, key=lambda upto: self._passed(block[: upto + 1])[0])
            if self._skipped + place:
                self._tell_skipped(self._skipped + place)
            self._skipped, self._deeper, self._quoted, self._odd = 0, -1, False, False
            return begin + place
        return -1

    def _tell_skipped(self, size: int) -> None:
        comma = b"" if self.out.endswith((b"[", b"{")) else b","
        self.out += (b'%b"%b":null' if self._kinds[-1] == _BRACE else b'%b"%b"') % (comma, _MARKED % size)
        self.whole = False

    def _passed(self, block: bytes) -> tuple[int, int, bool]:
        """Whether what ends early is closed in a block, else how much is open at its end, and whether a text is."""
        pieces = (b"\\" * self._odd + block).replace(b"\\\\", b"").replace(b'\\"', b"").split(b'"')
        bare = b"".join(pieces[self._quoted :: 2]).translate(_ALIKE, _OTHERS)
        for _ in range(_DEEPEST):
            less = bare.replace(b"[]", b"")
            if len(less) == len(bare):
                break
            bare = less
        closes = bare.count(b"]")
        if b"[]" in bare:  # there are more within each other
            closes = max(0, -min(accumulate(1 if sign == _LISTS else -1 for sign in bare)))
        quoted = self._quoted ^ (len(pieces) % 2 == 0)
        return int(closes > self._deeper), self._deeper + 2 * bare.count(b"[") - len(bare), quoted


class _Flat(_Thin):
    """One reading of a line in which only what lies too deep is left out, of so many bytes in all."""

    def __init__(self, size: int) -> None:
        super().__init__(2 * size + 1)
        self._limit = size
        self._limits = [sys.maxsize]
        self.left_out = 0

    def _limit_within(self) -> int:
        return self._limits[-1]

    def _weigh_text(self, size: int) -> None:
        """Nothing is weighed."""

    def _tell_skipped(self, size: int) -> None:
        self.left_out += size


def part_at(text: bytes, at: int) -> int:
    """The last place up to `at` where the inside of a JSON text, which begins whole, may be parted."""
    for _ in range(3):  # a character has four bytes at most; what has more of these is none
        if 0 < at < len(text) and text[at] & 0xC0 == 0x80:
            at -= 1
    for begin in range(max(0, at - _PAIR + 1), at):
        if text[begin] == _BACKSLASH and not _is_escaped(text, 0, begin):
            found = _ESCAPE.match(text, begin)
            if found is None or found.end() > at:
                return begin
    return at


def _is_escaped(data: bytes, begin: int, at: int) -> bool:
    """Whether a backslash that is none of an escape of its own stands before a place, from `begin` on."""
    for start in (max(begin, at - 32), begin):
        near = data[start:at]
        run = len(near) - len(near.rstrip(b"\\"))
        if run < len(near):
            break
    return run % 2 == 1


def _is_broken(piece: bytes) -> bool:
    """Whether bytes are no UTF-8."""
    try:
        piece.decode()
    except UnicodeDecodeError:
        return True
    return False
