"""Titles that are like what was typed: every word stands there, begins a word there, or is mistyped by a letter or two.

Decides how far apart two words may be: not at all up to three letters, one change up to seven, two from eight on, where
a change is a letter too many, one missing, another one, or two that changed places. Where two are, the first letter
is right.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from refloat.search.query import Query
from refloat.search.words import find_words, split

_EXACT: Final = 3
_ONE: Final = 7
_FORGIVEN: Final = 32
"""Terms of a query in which mistakes are looked for; one of more is no search but a paste, and stands as it is."""


class Titles:
    """One search in many titles: their words are compared once, not once a title."""

    def __init__(self, query: Query, titles: Iterable[str]) -> None:
        self._without = [Query("", (term,)) for term in query.without]
        words = set(split("\n".join(titles)))
        like = _find_like if len(query.terms) <= _FORGIVEN else _find_same
        self._terms = [
            [
                like(wanted, words, begins=term.begins and last)
                for wanted, last in zip(term.words, [False] * (len(term.words) - 1) + [True], strict=True)
            ]
            for term in query.terms
        ]

    def find(self, title: str) -> list[tuple[int, int]] | None:
        """Where a title (`words.composed`) holds words like those of the query; None where one is missing."""
        if title.isascii():
            low = title.lower()
            if not all(any(word in low for word in like) for likes in self._terms for like in likes):
                return None
        if any(query.find(title) for query in self._without):
            return None
        words = find_words(title)
        found: set[tuple[int, int]] = set()
        for likes in self._terms:
            places = [
                (words[at].start, words[at + len(likes) - 1].end)
                for at in range(len(words) - len(likes) + 1)
                if all(words[at + place].text in like for place, like in enumerate(likes))
            ]
            if not places:
                return None
            found.update(places)
        return sorted(found)


def _find_like(wanted: str, words: Collection[str], *, begins: bool) -> frozenset[str]:
    return frozenset(word for word in words if _like(wanted, word, begins=begins))


def _find_same(wanted: str, words: Collection[str], *, begins: bool) -> frozenset[str]:
    del begins
    return frozenset({wanted} if wanted in words else ())


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
