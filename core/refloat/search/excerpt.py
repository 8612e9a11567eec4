"""The place of a hit in its words: one line, with what was sought marked in it.

Decides which stretch of a text is shown. Takes texts that are masked already; makes them inert piece by piece.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from refloat.search.words import word_end, word_start
from refloat.text import inert

WIDTH: Final = 160
"""Characters of an excerpt, about."""
_BEFORE: Final = 48
_REACH: Final = 24
"""Characters within which a stretch begins and ends with a word."""
_SPACE: Final = re.compile(r"\s+")
_MARK: Final = "…"

Pieces = tuple[tuple[str, bool], ...]


def excerpt(text: str, spans: Sequence[tuple[int, int]], width: int = WIDTH) -> Pieces:
    """A stretch of the text with as many different of the spans as one stretch can hold, in pieces: (text, sought)."""
    start = _best(text, spans, width)
    first = max(0, start - _BEFORE)
    begin = word_start(text, first, _REACH)
    end = word_end(text, min(len(text), begin + width), _REACH)
    pieces: list[tuple[str, bool]] = []
    at = begin
    for span_start, span_end in spans:
        if span_start < at or span_end > end:
            continue
        pieces += [(text[at:span_start], False), (text[span_start:span_end], True)]
        at = span_end
    pieces.append((text[at:end], False))
    shown = [(_flat(piece), sought) for piece, sought in pieces if piece]
    if begin:
        shown.insert(0, (_MARK, False))
    if end < len(text):
        shown.append((_MARK, False))
    return tuple(_trimmed(shown))


def _best(text: str, spans: Sequence[tuple[int, int]], width: int) -> int:
    """Where the stretch begins that holds most different words."""
    best, most = 0, -1
    for at, (start, _) in enumerate(spans):
        held: set[str] = set()
        for start_of, end_of in spans[at:]:
            if end_of > start + width - _BEFORE:
                break
            held.add(text[start_of:end_of].casefold())
        if len(held) > most:
            best, most = start, len(held)
    return best


def _flat(text: str) -> str:
    return inert(_SPACE.sub(" ", text))


def _trimmed(pieces: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    if pieces:
        pieces[0] = (pieces[0][0].lstrip(), pieces[0][1])
        pieces[-1] = (pieces[-1][0].rstrip(), pieces[-1][1])
    return [piece for piece in pieces if piece[0]]
