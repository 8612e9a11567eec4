"""Which lines of a text the expressions of a table are found in.

Gives what searching each line for each expression gives. An expression is tried only where its hint says that it may be
found (`needles`), and compiled only then: of hundreds a text meets a few.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from refloat.commands.needles import find_hint, find_parts
from refloat.patterns import late


class _Row(NamedTuple):
    """One expression."""

    section: str
    pattern: re.Pattern[str]


class Rows:
    """The expressions of a table, each of some section of it."""

    def __init__(self, rows: Iterable[tuple[str, str]]) -> None:
        """`rows`: section and source of each; all of them can be compiled."""
        self._starts: dict[str, list[tuple[tuple[str, ...], _Row]]] = {}
        """First character of a line → what it may begin with."""
        self._needles: dict[str, list[_Row]] = {}
        self._behind_digits: dict[str, list[_Row]] = {}
        self._always: list[_Row] = []
        for section, source in rows:
            row, hint = _Row(section, late(source)), find_hint(source)
            for first in {start[0] for start in hint.starts}:
                self._starts.setdefault(first, []).append((tuple(s for s in hint.starts if s[0] == first), row))
            for needle in hint.needles:
                held = self._behind_digits if needle.behind_digit else self._needles
                held.setdefault(needle.text, []).append(row)
            if not hint.starts and not hint.needles:
                self._always.append(row)
        longest_first = sorted(self._behind_digits, key=len, reverse=True)
        first, words = (map(re.escape, {text[0] for text in longest_first}), map(re.escape, longest_first))
        self._counts = late(rf"\d(?=[{''.join(first)}])(?=({'|'.join(words)}))") if longest_first else None
        # Of several texts that stand in one place only the longest is told; the others are its beginnings.
        self._counted = {
            text: [row for other in longest_first if text.startswith(other) for row in self._behind_digits[other]]
            for text in longest_first
        }

    def may_find(self, text: str) -> bool:
        """Whether an expression may be found in a line of a text, or in what is left of one whose end is cut off."""
        if self._always or (self._counts is not None and self._counts.search(text)):
            return True
        begins, behind, parts = self._marks
        return text.startswith(begins) or behind.search(text) is not None or any(map(text.__contains__, parts))

    @cached_property
    def _marks(self) -> tuple[tuple[str, ...], re.Pattern[str], list[str]]:
        """What a line may begin with, the same behind another line, and of what else one must stand in it."""
        begins = tuple({start for told in self._starts.values() for starts, _ in told for start in starts})
        behind = re.compile(f"\n(?:{'|'.join(map(re.escape, begins)) or '(?!)'})")
        return begins, behind, find_parts(self._needles)

    def find(self, lines: Sequence[str]) -> dict[str, int]:
        """Section → index of the last line in which one of its expressions is found, of those sections that are found.

        An empty line is no line.
        """
        found: dict[str, int] = {}
        starts, always = self._starts, self._always
        for index, line in enumerate(lines):
            if line:
                for told, row in starts.get(line[0], ()):
                    if line.startswith(told):
                        _try(row, line, index, found)
                for row in always:
                    _try(row, line, index, found)
        self._find_needles(lines, found)
        return found

    def _find_needles(self, lines: Sequence[str], found: dict[str, int]) -> None:
        text = "\n".join(lines)
        held = [needle for needle in self._needles if needle in text]
        counted = [] if self._counts is None else list(self._counts.finditer(text))
        if not held and not counted:
            return
        ends = _ends_of(lines)
        for needle in held:
            for index in reversed(list(_lines_with(needle, text, ends))):
                for row in self._needles[needle]:
                    _try(row, lines[index], index, found)
        for match in counted:
            index = bisect_right(ends, match.start())
            for row in self._counted[match[1]]:
                _try(row, lines[index], index, found)


def lines_with(words: Iterable[str], lines: Sequence[str]) -> list[str]:
    """The lines that hold one of some words, in their order."""
    text = "\n".join(lines)
    held = [word for word in words if word in text]
    if not held:
        return []
    ends = _ends_of(lines)
    return [lines[index] for index in sorted({index for word in held for index in _lines_with(word, text, ends)})]


def _ends_of(lines: Sequence[str]) -> Sequence[int]:
    """Where each line's successor begins, in the text that the lines make."""
    return list(accumulate(len(line) + 1 for line in lines))


def _lines_with(needle: str, text: str, ends: Sequence[int]) -> Iterator[int]:
    """Indexes of the lines that hold a needle; `ends` is what `_ends_of` tells."""
    at = text.find(needle)
    while at >= 0:
        index = bisect_right(ends, at)
        yield index
        at = text.find(needle, ends[index])


def _try(row: _Row, line: str, index: int, found: dict[str, int]) -> None:
    if index > found.get(row.section, -1) and row.pattern.search(line):
        found[row.section] = index
