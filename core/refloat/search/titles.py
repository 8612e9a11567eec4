"""Titles that are like what was typed: every word stands there, begins a word there, or is mistyped by a letter or two.

Decides how far apart two words may be: not at all up to three letters, one change up to seven, two from eight on, where
a change is a letter too many, one missing, another one, or two that changed places. Where two are, the first letter
is right.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import count, islice
from typing import Final

from refloat.search.query import Query, Span, Words
from refloat.search.words import composed, split

_EXACT: Final = 3
_ONE: Final = 7
_FORGIVEN: Final = 32
"""Terms of a query in which mistakes are looked for; one of more is no search but a paste, and stands as it is."""


_BLOCK: Final = 256
"""Titles whose words are compared at once: who wants only a few does not look at all of them."""


class Titles:
    """One search in many titles: their words are compared once, not once a title."""

    def __init__(self, query: Query) -> None:
        self._without = [Query("", (term,)) for term in query.without]
        forgives = len(query.terms) <= _FORGIVEN
        self._terms = [
            [
                _Likes(wanted, begins=term.begins and last, forgives=forgives)
                for wanted, last in zip(term.words, [False] * (len(term.words) - 1) + [True], strict=True)
            ]
            for term in query.terms
        ]

    def among(self, titles: Iterable[str]) -> Iterator[int]:
        """Which titles hold words like those of the query, one after the other."""
        left = iter(titles)
        for first in count(0, _BLOCK):
            block = list(islice(left, _BLOCK))
            if not block:
                return
            words = set(split("\n".join(block)))
            told = [[word for word in words if like[word]] for likes in self._terms for like in likes]
            if not all(told):
                continue
            for at, title in enumerate(block, first):
                low = title.lower() if title.isascii() else ""
                if low and not all(any(word in low for word in like) for like in told):
                    continue
                if self.find_in(Words(composed(title))) is not None:
                    yield at

    def find_in(self, words: Words) -> Collection[Span] | None:
        """Where a title's words are like those of the query, for `Words.places`; None where one is missing."""
        if any(query.find_in(words) for query in self._without):
            return None
        found: set[Span] = set()
        for likes in self._terms:
            rows = _rows(likes, words.values)
            if not rows:
                return None
            found.update(rows)
        return found


def _rows(likes: Sequence[_Likes], values: Sequence[str]) -> list[Span]:
    """Every row of words that is like a term."""
    if len(likes) == 1:
        like = likes[0]
        return [(at, at) for at, word in enumerate(values) if like[word]]
    last = len(likes) - 1
    starts = range(len(values) - last)
    return [(at, at + last) for at in starts if all(like[values[at + place]] for place, like in enumerate(likes))]


class _Likes(dict[str, bool]):
    """Whether words are like one of the query; found out when it is first asked."""

    def __init__(self, wanted: str, *, begins: bool, forgives: bool) -> None:
        super().__init__()
        self._wanted = wanted
        self._begins = begins
        self._forgives = forgives

    def __missing__(self, word: str) -> bool:
        found = _like(self._wanted, word, begins=self._begins) if self._forgives else word == self._wanted
        self[word] = found
        return found


def _allowed(word: str) -> int:
    return 0 if len(word) <= _EXACT else 1 if len(word) <= _ONE else 2


def _like(wanted: str, word: str, *, begins: bool) -> bool:
    if wanted == word or (begins and word.startswith(wanted)):
        return True
    allowed = min(_allowed(wanted), 1 + (wanted[0] == word[0]))
    return abs(len(wanted) - len(word)) <= allowed and distance(wanted, word, allowed) <= allowed


def distance(first: str, second: str, most: int) -> int:
    """How many changes make one word of the other (optimal string alignment); `most + 1` where that is more."""
    before: Sequence[int] = ()
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        last, before = before, row
        row = [i]
        for j, b in enumerate(second, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == second[j - 2] and first[i - 2] == b:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]
