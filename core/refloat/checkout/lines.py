r"""Lines of text and how two of them differ: the arithmetic under folding, comparing and owning.

A text is `text.split("\n")`: the last element is what stands behind the last line feed, so that joining gives the very
same text back. Decides what is the same line (a carriage return at its end counts for nothing) and which lines are too
common to prove anything. Refuses to know what a file or a session is.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, count
from operator import ne
from typing import Final

from refloat.model.light import light

_ALNUM: Final = re.compile(r"[^\W_]").search
"""Finds what `str.isalnum` holds for."""
_WIDEST: Final = 4_000_000
"""Product of two stretches' lengths above which they are told as replaced without looking for more in common."""


@light
class Difference:
    """`old[old_from:old_to]` was replaced by `new[new_from:new_to]`; one of the two may be empty."""

    old_from: int
    old_to: int
    new_from: int
    new_to: int


def bare(line: str) -> str:
    """The line without the carriage return that a Windows line end leaves."""
    return line.removesuffix("\r")


def bare_lines(text: str) -> list[str]:
    """The lines of a text, each without a carriage return at its end."""
    lines = text.split("\n")
    return [line.removesuffix("\r") for line in lines] if "\r" in text else lines


def bare_all(lines: Sequence[str]) -> list[str]:
    """As `bare`, of each. Nearly no text has carriage returns, and one look at all of it says so."""
    return [line.removesuffix("\r") for line in lines] if "\r" in "".join(lines) else list(lines)


def tells(line: str) -> bool:
    """Whether a line can prove anything: blank lines and lone brackets stand in every file."""
    return _ALNUM(line) is not None


def same_but_line_ends(one: str, other: str) -> bool:
    """Whether two texts differ in nothing but line ends and the last line feed."""
    return one.replace("\r\n", "\n").rstrip("\n") == other.replace("\r\n", "\n").rstrip("\n")


def find_differences(old: Sequence[str], new: Sequence[str]) -> list[Difference]:
    """How `old` became `new`, in order, each place as small as can be; equal lines lie between."""
    if not old or not new or len(old) == len(new) == 1:
        return [Difference(0, len(old), 0, len(new))] if list(old) != list(new) else []
    return list(_differences(list(old), list(new), 0, 0))


def _differences(old: list[str], new: list[str], old_at: int, new_at: int) -> Iterator[Difference]:
    if old and new and old[0] == new[0]:
        head = _common(old, new, min(len(old), len(new)))
        old, new, old_at, new_at = old[head:], new[head:], old_at + head, new_at + head
    if old and new and old[-1] == new[-1]:
        tail = _common(reversed(old), reversed(new), min(len(old), len(new)))
        old, new = old[: len(old) - tail], new[: len(new) - tail]
    if not old and not new:
        return
    if not old or not new or not set(old).intersection(new):
        yield Difference(old_at, old_at + len(old), new_at, new_at + len(new))
        return
    anchors = _anchors(old, new)
    if not anchors:
        yield from _plain(old, new, old_at, new_at)
        return
    old_from = new_from = 0
    for old_mark, new_mark in [*anchors, (len(old), len(new))]:
        if old_mark > old_from or new_mark > new_from:
            yield from _differences(
                old[old_from:old_mark], new[new_from:new_mark], old_at + old_from, new_at + new_from
            )
        old_from, new_from = old_mark + 1, new_mark + 1


def _common(one: Iterable[str], other: Iterable[str], most: int) -> int:
    """How many lines are equal at the start, `most` where none differs: found at the speed of C."""
    return next(compress(count(), map(ne, one, other)), most)


def _anchors(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """Lines that stand once in each, in the longest order that both keep (patience)."""
    old_count, new_count = Counter(old), Counter(new)
    new_index = {line: index for index, line in enumerate(new) if new_count[line] == 1}
    pairs = [(i, new_index[line]) for i, line in enumerate(old) if old_count[line] == 1 and line in new_index]
    return longest_rising(pairs)


def longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The most of some pairs, in their order, whose second numbers rise too."""
    tops: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for index, (_, value) in enumerate(pairs):
        place = bisect_left(tops, value)
        before.append(ends[place - 1] if place else -1)
        if place == len(tops):
            tops.append(value)
            ends.append(index)
        else:
            tops[place] = value
            ends[place] = index
    found: list[tuple[int, int]] = []
    index = ends[-1] if ends else -1
    while index >= 0:
        found.append(pairs[index])
        index = before[index]
    return found[::-1]


def _plain(old: list[str], new: list[str], old_at: int, new_at: int) -> Iterator[Difference]:
    if len(old) * len(new) > _WIDEST:
        yield Difference(old_at, old_at + len(old), new_at, new_at + len(new))
        return
    old_from = new_from = 0
    for old_place, new_place, size in [*sorted(find_blocks(old, new)), (len(old), len(new), 0)]:
        if old_place > old_from or new_place > new_from:
            yield Difference(old_at + old_from, old_at + old_place, new_at + new_from, new_at + new_place)
        old_from, new_from = old_place + size, new_place + size


def find_blocks(old: list[str], new: list[str]) -> Iterator[tuple[int, int, int]]:
    """Blocks of equal lines as (place in the old, in the new, lines): the longest, then in what lies above and below
    it. As `difflib.SequenceMatcher` has them, which looks at every line, also those that only one side has.
    """
    places: dict[str, list[int]] = {}
    both = set(old).intersection(new)
    for index, line in enumerate(new):
        if line in both:
            places.setdefault(line, []).append(index)
    rows = [(index, places[line]) for index, line in enumerate(old) if line in both]
    starts = [index for index, _ in rows]
    left = [(0, len(old), 0, len(new))]
    while left:
        old_from, old_to, new_from, new_to = left.pop()
        own = rows[bisect_left(starts, old_from) : bisect_left(starts, old_to)]
        at, there, size = _longest(own, new_from, new_to)
        if size:
            yield at, there, size
            left.append((old_from, at, new_from, there))
            left.append((at + size, old_to, there + size, new_to))


def _longest(rows: Sequence[tuple[int, list[int]]], new_from: int, new_to: int) -> tuple[int, int, int]:
    """The longest block, of several the first in the old, then in the new. `rows`: of lines of the old that the new has
    too, their place, and where the new has them.
    """
    best, size = (0, 0), 0
    lengths: dict[int, int] = {}
    last = -1
    for index, found in rows:
        before = lengths if index == last + 1 else {}
        lengths, last = {}, index
        for place in found[bisect_left(found, new_from) : bisect_left(found, new_to)]:
            length = lengths[place] = before.get(place - 1, 0) + 1
            if length > size:
                best, size = (index - length + 1, place - length + 1), length
    return *best, size


def align(old: Sequence[str], new: Sequence[str]) -> list[int | None]:
    """For each line of `old` the index at which it stands in `new`, or None."""
    found: list[int | None] = []
    shift = 0
    for place in find_differences(old, new):
        found += range(len(found) + shift, place.new_from)
        found += [None] * (place.old_to - place.old_from)
        shift = place.new_to - place.old_to
    found += range(len(found) + shift, len(new))
    return found


def find_block(block: Sequence[str], lines: Sequence[str], near: int = 0) -> int | None:
    """Where `block` stands in `lines`, nearest to `near`; None where it does not, or is empty."""
    if not block:
        return None
    size, first = len(block), block[0]
    wanted = list(block)
    best: int | None = None
    at = -1
    while True:
        try:
            at = lines.index(first, at + 1)
        except ValueError:
            return best
        if list(lines[at : at + size]) == wanted and (best is None or abs(at - near) < abs(best - near)):
            best = at
        if best is not None and at > near + abs(best - near):
            return best
