"""What of a SQLite write-ahead log cannot be read: SQLite itself ends at the first damaged frame without a word.

Decides by the format that SQLite documents (https://www.sqlite.org/fileformat2.html#walformat): a log is a header of
32 bytes and frames of 24 bytes and a page, each with two salts of its log and a checksum over all before it. What a
killed writer leaves ends in the middle of a transaction; a damaged frame has whole ones behind it.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

_MAGIC: Final = 0x377F0682
"""Its last bit tells that checksums are made of big-endian words."""
_HEADER: Final = struct.Struct(">8I")
_FRAME: Final = struct.Struct(">6I")
_WORD: Final = 0xFFFFFFFF

_Sums = tuple[int, int]


class _Frame(NamedTuple):
    begin: int
    commits: bool
    """A transaction ends with it."""
    salts: _Sums
    sums: _Sums


def find_damage(path: Path) -> str | None:
    """What is damaged in a log, in a sentence; None where nothing is, and where there is no log.

    Another process may write to the log while it is read: who asks twice, and believes what is said twice, is safe.
    """
    try:
        log = path.read_bytes()
    except FileNotFoundError:
        return None
    if len(log) < _HEADER.size + _FRAME.size:
        return None
    magic, _version, page, _seq, salt1, salt2, sum1, sum2 = _HEADER.unpack_from(log)
    order = ">" if magic & 1 else "<"
    sums = _add((0, 0), log[:24], order)
    if magic & ~1 != _MAGIC or sums != (sum1, sum2):
        return "its write-ahead log begins damaged: what it holds is not read, and may be missing"
    broken: int | None = None
    for frame in _frames(log, page):
        if not _alike(frame.salts, (salt1, salt2)):
            break  # the rest is of an earlier log
        if broken is None:
            sums = _add(_add(sums, log[frame.begin : frame.begin + 8], order), _page(log, frame, page), order)
            broken = None if (frame.salts, frame.sums) == ((salt1, salt2), sums) else frame.begin
        if broken is not None and frame.commits:
            return f"its write-ahead log is damaged at byte {broken:,}: what was saved from there on is not read"
    return None


def _frames(log: bytes, page: int) -> Iterator[_Frame]:
    for begin in range(_HEADER.size, len(log) - _FRAME.size - page + 1, _FRAME.size + page):
        _number, size, salt1, salt2, sum1, sum2 = _FRAME.unpack_from(log, begin)
        yield _Frame(begin, size != 0, (salt1, salt2), (sum1, sum2))


def _page(log: bytes, frame: _Frame, page: int) -> bytes:
    begin = frame.begin + _FRAME.size
    return log[begin : begin + page]


def _alike(one: _Sums, other: _Sums) -> bool:
    """The same, or all but one bit: salts of another log differ in many."""
    return sum((a ^ b).bit_count() for a, b in zip(one, other, strict=True)) <= 1


def _add(sums: _Sums, data: bytes, order: str) -> _Sums:
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for a, b in zip(words[::2], words[1::2], strict=True):
        first = (first + a + second) & _WORD
        second = (second + b + first) & _WORD
    return first, second
