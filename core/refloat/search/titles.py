"""Titles that are like what was typed: every word stands there, begins a word there, or is mistyped by a letter or two.

Decides how far apart two words may be: not at all up to three letters, one change up to seven, two from eight on, where
a change is a letter too many, one missing, another one, or two that changed places. Where two are, the first letter
is right.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from refloat.search.query import Query
from refloat.search.words import find_words

_EXACT: Final = 3
_ONE: Final = 7


def find_in_title(query: Query, title: str, cache: dict[str, dict[str, bool]]) -> list[tuple[int, int]] | None:
    """Where a `composed` title holds words like those of the query; None where one is missing. `cache` remembers what
    words of titles are like: give the same for all titles of a search.
    """
    if not _may_hold(query, title):
        return None
    words = find_words(title)
    if any(Query("", (term,)).find(title) for term in query.without):
        return None
    found: set[tuple[int, int]] = set()
    for term in query.terms:
        likes = [_known(cache, wanted, begins=term.begins and wanted is term.words[-1]) for wanted in term.words]
        places = [
            (words[at].start, words[at + len(likes) - 1].end)
            for at in range(len(words) - len(likes) + 1)
            if all(like(words[at + next_].text) for next_, like in enumerate(likes))
        ]
        if not places:
            return None
        found.update(places)
    return sorted(found)


def _known(cache: dict[str, dict[str, bool]], wanted: str, *, begins: bool) -> Callable[[str], bool]:
    """Whether a word is like the wanted one, remembered."""
    known = cache.setdefault(f"{wanted}{'*' * begins}", {})

    def like(word: str) -> bool:
        if word not in known:
            known[word] = _like(wanted, word, begins=begins)
        return known[word]

    return like


def _may_hold(query: Query, title: str) -> bool:
    """A cheap look: of a word with few changes some part stands as it is, since a change touches two parts at most."""
    if not title.isascii():
        return True
    low = title.lower()
    return all(any(part in low for part in _parts(word)) for term in query.terms for word in term.words)


@lru_cache(maxsize=256)
def _parts(word: str) -> tuple[str, ...]:
    count = min(len(word), 2 * _allowed(word) + 1)
    ends = [len(word) * at // count for at in range(count + 1)]
    return tuple(word[start:end] for start, end in pairwise(ends))


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
