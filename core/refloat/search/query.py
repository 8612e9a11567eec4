"""What a person typed, as data: every word of it is sought, none is syntax of an engine.

Decides what quotes and a leading minus mean. `"a phrase"` stands in a row, `-word` must not stand there, everything
else must; the last word may be the beginning of a longer one. A word that holds signs (`src/a.py`) is a phrase.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from refloat.model.light import light
from refloat.search.words import index_terms, split, word_spans

_PART: Final = re.compile(r'(-?)"([^"]*)"?|(\S+)')
_BEGINNING: Final = 2
"""Characters from which a last word may stand for longer ones."""


@light
class Term:
    """Words that must stand in a row."""

    words: tuple[str, ...]
    begins: bool = False
    """The last of them may go on."""


Span = tuple[int, int]
"""Words of a text in a row: the number of the first and of the last one."""


class Words:
    """The words of a `words.composed` text. Where they stand in it is found out only for what is shown."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.values = split(text)

    def places(self, rows: Collection[Span]) -> list[tuple[int, int]]:
        """Stretches of the text, in its order."""
        if not rows:
            return []
        spans = word_spans(self._text)
        return sorted({(spans[first][0], spans[last][1]) for first, last in rows})


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
        words = Words(text)
        rows = self.find_in(words)
        return None if rows is None else words.places(rows)

    def find_in(self, words: Words) -> Collection[Span] | None:
        """The same of a text's words, for `Words.places`."""
        if any(_rows(term, words.values) for term in self.without):
            return None
        found: set[Span] = set()
        for term in self.terms:
            rows = _rows(term, words.values)
            if not rows:
                return None
            found.update(rows)
        return found


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


def _rows(term: Term, values: Sequence[str]) -> list[Span]:
    """Every row of words that is a term."""
    first, size = term.words[0], len(term.words)
    if size == 1 and term.begins and len(first) >= _BEGINNING:
        return [(at, at) for at, word in enumerate(values) if word.startswith(first)]
    found: list[Span] = []
    at = -1
    while True:
        try:
            at = values.index(first, at + 1)
        except ValueError:
            return found
        row = values[at : at + size]
        if len(row) == size and row[:-1] == list(term.words[:-1]) and _is_last(term, row[-1]):
            found.append((at, at + size - 1))


def _is_last(term: Term, word: str) -> bool:
    wanted = term.words[-1]
    return word == wanted or (term.begins and len(wanted) >= _BEGINNING and word.startswith(wanted))
