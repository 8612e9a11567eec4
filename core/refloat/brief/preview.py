"""What a finished brief keeps to itself, told without telling any of it.

Decides which masked places a text has, of what kind and how long the value was, and which of them hold the same value.
Refuses to give a value, or a part of one, to anybody.
"""

import re
from collections.abc import Iterator
from itertools import count
from typing import Final

from refloat.brief.hits import MASK
from refloat.brief.masks import Masker
from refloat.model.brief import MaskedPlace

_PLACE: Final = re.compile(re.escape(MASK) + r"([^\]\n]*)\]?")
_HEADING: Final = re.compile(r"#{1,6} (.+)")
_KEYS: Final = "private key"
"""Its lines are put together by this very word."""


class Ledger(Masker):
    """Writes in the place of a kind a word of the same length, and notes what it stands for.

    So a text is laid out and cut exactly as with a plain Masker, and each place still says which value it hides.
    """

    def __init__(self) -> None:
        super().__init__()
        self._words: dict[tuple[str, str], str] = {}
        self._noted: dict[str, tuple[int, int]] = {}
        self._counted: dict[int, Iterator[int]] = {}

    def name(self, kind: str, value: str) -> str:
        """The word for a value; the same one for the same value."""
        if kind == _KEYS:
            return kind
        word = self._words.get((kind, value))
        if word is None:
            numbers = self._counted.setdefault(len(kind), count())
            word = next(word for number in numbers if (word := _word(number, len(kind))) != kind)
            if word is None:
                return kind  # more values than words of that length
            self._words[(kind, value)] = word
            self._noted[word] = (len(self._noted) + 1, len(value))
        return word

    def noted(self, word: str) -> tuple[int, int] | None:
        """(number of the value, its length) of a word; None for any other."""
        return self._noted.get(word)


def _word(number: int, length: int) -> str | None:
    """A number in letters alone: digits could make it look like a secret."""
    letters: list[str] = []
    for _ in range(length):
        number, letter = divmod(number, 26)
        letters.append(chr(ord("a") + letter))
    return None if number else "".join(reversed(letters))


def find_masked(plain: str, noted: str, ledger: Ledger) -> tuple[MaskedPlace, ...]:
    """Every masked place of a finished text, in its order. `noted` is the same text as `ledger` masked it; a place
    that a person's own line brought along masked has no length.
    """
    found: list[MaskedPlace] = []
    section = ""
    others = noted.split("\n")
    lines = plain.split("\n")
    same = len(lines) == len(others)
    for number, line in enumerate(lines, start=1):
        if heading := _HEADING.fullmatch(line):
            section = heading[1]
        words = [match[1] for match in _PLACE.finditer(others[number - 1])] if same else []
        for at, match in enumerate(_PLACE.finditer(line)):
            known = ledger.noted(words[at]) if at < len(words) else None
            value, length = known or (None, None)
            found.append(MaskedPlace(match[1], length, value, section, number))
    return tuple(found)
