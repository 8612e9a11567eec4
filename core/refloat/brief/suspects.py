"""Which of many texts may hold a secret, and for which finder: one look at all of them joined.

Decides how the cues are searched for. Of a few texts each word is looked for by itself, which begins at once; a process
that has looked through more compiles all of them for Hyperscan, which goes through a gigabyte in a second. What is
judged where a cue is met is the same. Refuses to say what a secret is: it says yes too often, and never no to one.
"""

import re
from _thread import allocate_lock  # `threading` gives the very same, and the quickest commands do without it
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from refloat.brief.cues import CUES, SILENT, TOKENS
from refloat.brief.unseen import SIGNS, is_silent

if TYPE_CHECKING:
    from hyperscan import Database

_Meet = Callable[[int, int, int, int, object], None]
"""Takes a number of `CUES`, what it needs not, and where it was met: the end of what a search by expressions finds. As
Hyperscan calls it.
"""


def find_suspects(texts: Sequence[str]) -> list[tuple[int, int]]:
    """(number, finders, as bits of `cues`) of each text in which one of them may find something, in order."""
    parts = [text.encode("utf-8", "surrogatepass") for text in texts]
    data = b"\n".join(parts)
    ends = list(accumulate(len(part) + 1 for part in parts))
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

    if not _ENGINE.scan(data, meet):
        _look_for_each(data, meet)
        if is_silent("\n".join(texts)):
            for at, text in enumerate(texts):
                if is_silent(text):
                    marks[at] = marks.get(at, 0) | SILENT
    return sorted(marks.items())


_JUDGES: Final = (
    *((cue.finder, cue.judge, len(cue.sign), cue.beyond) for cue in CUES),
    *((SILENT, None, 1, 0) for _ in SIGNS),
)


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
        meet(number, at, at + len(word) + CUES[number].beyond, 0, None)
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

_SMALL: Final = 1024
"""Bytes that are not worth the way to the engine and back."""
_WORTH: Final = 96 * 1024
"""Bytes that take as long word by word as making the engine does, some five milliseconds."""


class _Engine:
    """Hyperscan with all cues compiled, from the time on that a process has looked through enough to be worth it."""

    def __init__(self) -> None:
        self._looked = 0
        self._database: Database | None = None
        self._refused = False
        # What it works with serves one at a time: whoever comes meanwhile looks word by word.
        self._busy = allocate_lock()

    def scan(self, data: bytes, meet: _Meet) -> bool:
        """Tell `meet` of every place of a cue; False, and nothing told, if this is to be done word by word."""
        if len(data) < _SMALL or self._refused or not self._busy.acquire(blocking=False):
            return False
        try:
            self._looked += len(data)
            if self._database is None and self._looked >= _WORTH:
                self._database = _compile()
                self._refused = self._database is None
            if self._database is None:
                return False
            self._database.scan(data, meet)
            return True
        finally:
            self._busy.release()


_ENGINE: Final = _Engine()


def _compile() -> "Database | None":
    """The cues and the signs of what is not seen, by their numbers; None where there is no Hyperscan for a machine."""
    try:
        import hyperscan
    except ImportError:
        return None
    sources = [
        *((cue.expression or re.escape(cue.sign), cue.caseless) for cue in CUES),
        *((sign, False) for sign in SIGNS),
    ]
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    flags = [hyperscan.HS_FLAG_CASELESS if caseless else 0 for _, caseless in sources]
    try:
        database.compile(expressions=[source for source, _ in sources], ids=range(len(sources)), flags=flags)
    except hyperscan.error:
        return None  # a processor that it does not know
    return database
