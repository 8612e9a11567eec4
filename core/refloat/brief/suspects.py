"""Which of many texts may hold a secret, and for which finder: one look at all of them joined.

Decides how the cues are searched for. Of a few texts each word is looked for by itself, which begins at once; a process
that has looked through more compiles all of them for Hyperscan, which goes through a gigabyte in a second. What is
judged where a cue is met is the same. Refuses to say what a secret is: it says yes too often, and never no to one.
"""

from __future__ import annotations

import re
import sys
from _thread import allocate_lock  # `threading` gives the very same, and the quickest commands do without it
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, count
from operator import add
from typing import TYPE_CHECKING, Final

from refloat.brief.cues import COLOURED, CUES, SILENT, TOKENS
from refloat.brief.unseen import SIGNS, is_silent

if TYPE_CHECKING:
    from hyperscan import Database

_Meet = Callable[[int, int, int, int, object], None]
"""Takes a number of `_JUDGES` and where what stands for it ends, among what it needs not: as Hyperscan calls it."""


_NARROW: Final = tuple(number for number, cue in enumerate(CUES) if cue.expression)
_JUDGES: Final = (
    *((cue.finder, cue.judge, len(cue.sign), 0) for cue in CUES),
    *((SILENT, None, 1, 0) for _ in SIGNS),
    *((CUES[number].finder, CUES[number].judge, len(CUES[number].sign), CUES[number].beyond) for number in _NARROW),
)
"""What stands for a number: that of a cue, then of a sign of what is not seen, then of a cue with what is behind it."""


# ── each by itself ───────────────────────────────────────────────────────────────────────────────────────────────────

_WORDS: Final = tuple((number, cue.sign, cue.caseless) for number, cue in enumerate(CUES) if cue.finder != TOKENS)
_BEGINNINGS: Final = tuple((number, cue.sign) for number, cue in enumerate(CUES) if cue.finder == TOKENS)
# Every token lies in a run of so many characters of these. A run is found several times as fast where all of them are
# the same character.
_RUN: Final = b"a" * 15
_OF_RUNS: Final = bytes(
    0x61 if chr(byte).isascii() and (chr(byte).isalnum() or chr(byte) in "_.-") else 0x20 for byte in range(256)
)


def _look_for_each(data: bytes, meet: _Meet) -> None:
    low = data.lower()
    for number, word, caseless in _WORDS:
        _meet_all(low if caseless else data, word, number, meet)
    if runs := _long_runs(data):
        for number, word in _BEGINNINGS:
            if word in runs:
                _meet_all(data, word, number, meet)


def _meet_all(data: bytes, word: bytes, number: int, meet: _Meet) -> None:
    at = data.find(word)
    while at >= 0:
        meet(number, at, at + len(word), 0, None)
        at = data.find(word, at + 1)  # it may begin within itself


def _long_runs(data: bytes) -> bytes:
    """The runs in which a token may lie, each once, on lines of their own."""
    classes = data.translate(_OF_RUNS)
    runs: set[bytes] = set()
    at = classes.find(_RUN)
    while at >= 0:
        end = classes.find(b" ", at)
        end = len(data) if end < 0 else end
        runs.add(data[at:end])
        at = classes.find(_RUN, end)
    return b"\n".join(runs)


# ── all at once ──────────────────────────────────────────────────────────────────────────────────────────────────────


class Engine:
    """Hyperscan with all cues compiled, from the time on that a process has looked through enough to be worth it.

    `small`, `worth` and `worth_more` are bytes: of a text that is not worth the way there and back; that take as long
    word by word as loading and making the engine does, some six milliseconds; that take as long with it as making one
    that passes over short beginnings in ordinary words, some twenty.
    """

    def __init__(self, small: int = 1024, worth: int = 256 * 1024, worth_more: int = 8 * 1024 * 1024) -> None:
        self._small, self._worth_more = small, worth_more
        self._looked = 0
        self._database: Database | None = None
        self._waits_for = worth
        # What it works with serves one at a time: whoever comes meanwhile looks word by word.
        self._busy = allocate_lock()

    def expect(self, size: int) -> None:
        """So many bytes will be looked through: where that is worth it, all is made ready at once."""
        if size >= self._waits_for and self._busy.acquire(blocking=False):
            try:
                self._make()
            finally:
                self._busy.release()

    def _make(self) -> None:
        more = self._looked >= self._worth_more
        self._waits_for = sys.maxsize if more else self._worth_more
        self._database = _compile(expressions=more)

    def scan(self, data: bytes, meet: _Meet) -> bool:
        """Tell `meet` of every place of a cue; False, and nothing told, if this is to be done word by word."""
        if len(data) < self._small or not self._busy.acquire(blocking=False):
            return False
        try:
            self._looked += len(data)
            if self._looked >= self._waits_for:
                self._make()
            if self._database is None:
                return False
            self._database.scan(data, meet)
            return True
        finally:
            self._busy.release()


def _compile(*, expressions: bool) -> Database | None:
    """The cues and the signs of what is not seen, by their numbers; None where there is no Hyperscan for a machine."""
    try:
        import hyperscan
    except ImportError:
        return None
    rows = [(number, re.escape(cue.sign), cue.caseless) for number, cue in enumerate(CUES)]
    rows += [(len(CUES) + at, _spelled(sign), False) for at, sign in enumerate(SIGNS)]
    if expressions:
        for at, number in enumerate(_NARROW):
            rows[number] = (len(CUES) + len(SIGNS) + at, CUES[number].expression or b"", False)
    ids, sources, caseless = zip(*rows, strict=True)
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    flags = [hyperscan.HS_FLAG_CASELESS if either else 0 for either in caseless]
    try:
        database.compile(expressions=sources, ids=ids, flags=flags)
    except hyperscan.error:
        return None  # a processor that it does not know
    return database


def _spelled(sign: bytes) -> bytes:
    """As an expression that has no byte 0, where C ends it."""
    return "".join(f"\\x{byte:02x}" for byte in sign).encode()


# ── the look ─────────────────────────────────────────────────────────────────────────────────────────────────────────

_ENGINE: Final = Engine()
"""Of the process."""


def expect(size: int) -> None:
    """`Engine.expect` of that of the process."""
    _ENGINE.expect(size)


def find_suspects(texts: Sequence[str], engine: Engine = _ENGINE) -> list[tuple[int, int]]:
    """(number, finders, as bits of `cues`) of each text in which one of them may find something, in order."""
    parts = _encoded(texts)
    data = b"\n".join(parts)
    ends = list(map(add, accumulate(map(len, parts)), count(1)))
    marks: dict[int, int] = {}
    begun = ended = number = marked = 0

    def meet(cue: int, _start: int, end: int, _flags: int, _context: object) -> None:
        nonlocal begun, ended, number, marked
        finder, judge, length, beyond = _JUDGES[cue]
        end -= beyond
        if not begun < end < ended:
            number = bisect_right(ends, end - 1)
            begun, ended = (ends[number - 1] if number else 0), ends[number]
            marked = marks.get(number, 0)
        if marked & finder == finder or (judge is not None and not judge(data, end - length, end)):
            return
        marked |= finder
        marks[number] = marked

    if not engine.scan(data, meet):
        _look_for_each(data, meet)
        if is_silent("\n".join(texts)):
            for at, text in enumerate(texts):
                if is_silent(text):
                    marks[at] = marks.get(at, 0) | SILENT
    for number in _holding(b"\x1b", data, ends):
        marks[number] = marks.get(number, 0) | COLOURED
    return sorted(marks.items())


def _encoded(texts: Sequence[str]) -> list[bytes]:
    try:
        return list(map(str.encode, texts))
    except UnicodeEncodeError:
        return [text.encode("utf-8", "surrogatepass") for text in texts]


def _holding(sign: bytes, data: bytes, ends: Sequence[int]) -> Iterator[int]:
    """Numbers of the texts that hold a sign. It stands a hundred times in some: each is left at the first."""
    at = data.find(sign)
    while at >= 0:
        number = bisect_right(ends, at)
        yield number
        at = data.find(sign, ends[number])
