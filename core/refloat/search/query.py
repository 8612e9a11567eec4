"""What a person typed, as data: every word of it is sought, none is syntax of an engine.

Decides what quotes and a leading minus mean. `"a phrase"` stands in a row, `-word` must not stand there, everything
else must; the last word may be the beginning of a longer one. A word that holds signs (`src/a.py`) is a phrase.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from refloat.model.light import light
from refloat.search.words import Word, find_words, index_terms, split

_PART: Final = re.compile(r'(-?)"([^"]*)"?|(\S+)')
_BEGINNING: Final = 2
"""Characters from which a last word may stand for longer ones."""


@light
class Term:
    """Words that must stand in a row."""

    words: tuple[str, ...]
    begins: bool = False
    """The last of them may go on."""


@light
class Query:
    """A search."""

    text: str
    """As typed."""
    terms: tuple[Term, ...]
    without: tuple[Term, ...] = ()

    def index_query(self, joint: str = " AND ") -> str:
        """What to ask of FTS5: quoted words, joined. Joined by AND it holds wherever the query does, and elsewhere."""
        asked: dict[str, None] = {}
        for term in self.terms:
            found = index_terms(list(term.words))
            for at, (word, open_) in enumerate(found):
                goes_on = open_ or (term.begins and at == len(found) - 1 and len(word) >= _BEGINNING)
                asked[f'"{word}" *' if goes_on else f'"{word}"'] = None
        return joint.join(asked)

    def find(self, text: str) -> list[tuple[int, int]] | None:
        """Where its words stand in a `words.composed` text; None where it does not hold there."""
        return self.find_in(find_words(text))

    def find_in(self, words: Sequence[Word]) -> list[tuple[int, int]] | None:
        """The same of a text's words."""
        values = [word.text for word in words]
        if any(_places(term, words, values) for term in self.without):
            return None
        found: list[tuple[int, int]] = []
        for term in self.terms:
            places = _places(term, words, values)
            if not places:
                return None
            found += places
        return sorted(set(found))


def parse(text: str) -> Query:
    """The query that a text means. Terms without any letter, digit or emoji are left out; `terms` may be empty."""
    terms: list[Term] = []
    without: list[Term] = []
    for found in _PART.finditer(text):
        quoted = found.group(3) is None
        minus = found.group(1) if quoted else ("-" if found.group(3).startswith("-") else "")
        words = tuple(split(found.group(2) if quoted else found.group(3)))
        if words:
            last = not quoted and not minus and not text[found.end() :].strip()
            (without if minus else terms).append(Term(words, last))
    return Query(text, tuple(terms), tuple(without))


def _places(term: Term, words: Sequence[Word], values: Sequence[str]) -> list[tuple[int, int]]:
    """Every stretch of the text where a term stands."""
    first, size = term.words[0], len(term.words)
    found: list[tuple[int, int]] = []
    if size == 1 and term.begins and len(first) >= _BEGINNING:
        return [(word.start, word.end) for word in words if word.text.startswith(first)]
    at = -1
    while True:
        try:
            at = values.index(first, at + 1)
        except ValueError:
            return found
        row = values[at : at + size]
        if len(row) == size and row[:-1] == list(term.words[:-1]) and _is_last(term, row[-1]):
            found.append((words[at].start, words[at + size - 1].end))


def _is_last(term: Term, word: str) -> bool:
    wanted = term.words[-1]
    return word == wanted or (term.begins and len(wanted) >= _BEGINNING and word.startswith(wanted))
