"""The secrets of texts, by shape and name: where they stand and of what kind they are.

Detection is the kept library bc-detect-secrets joined with shapes and names of our own for what a line scanner cannot
see; the library loads only when a cheap look says that one of its formats may be there. Decides nothing about what
becomes of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from refloat.brief.assignments import assignment_hits, command_hits
from refloat.brief.cues import (
    ADDRESSES,
    ASSIGNMENTS,
    COLOURED,
    COMMANDS,
    EVERY,
    HEADERS,
    KEYS,
    LIBRARY,
    SILENT,
    TOKENS,
    WEBHOOKS,
)
from refloat.brief.hits import Hit, merge
from refloat.brief.shapes import (
    header_hits,
    library_hits,
    private_key_hits,
    provider_hits,
    userinfo_hits,
    webhook_hits,
)
from refloat.brief.suspects import find_suspects
from refloat.brief.unseen import seen_part

_SHORT: Final = 256
"""Characters of a text whose answer is kept."""


def _lower(text: str) -> str:
    """Lower case of the same length: U+0130 is the one character that grows."""
    return text.replace("\u0130", "I").lower()


def find_secrets(text: str) -> tuple[Hit, ...]:
    """Every secret of a text by shape and name, sorted, apart from each other."""
    return _find_short(text) if len(text) <= _SHORT else _find(text)


@lru_cache(maxsize=8192)
def _find_short(text: str) -> tuple[Hit, ...]:
    return _find(text)


def _find(text: str) -> tuple[Hit, ...]:
    for _, finders in find_suspects((text,)):
        return find_by(text, finders)
    return ()


def find_by(text: str, finders: int = EVERY) -> tuple[Hit, ...]:
    """What these finders, as bits of `brief.cues`, find in a text."""
    low = _lower(text)
    hits: list[Hit] = []
    if finders & TOKENS:
        hits += provider_hits(text)
    if finders & WEBHOOKS:
        hits += webhook_hits(text)
    if finders & KEYS:
        hits += private_key_hits(text)
    if finders & HEADERS:
        hits += header_hits(text, low)
    if finders & ADDRESSES:
        hits += userinfo_hits(text)
    if finders & ASSIGNMENTS:
        hits += assignment_hits(text, low)
    if finders & COMMANDS:
        hits += command_hits(text, low)
    if finders & LIBRARY:
        hits += library_hits(text, low)
    return merge(hits) if hits else ()


def find_in_all(
    texts: Sequence[str], suspects: Iterable[tuple[int, int]]
) -> Iterator[tuple[int, str, tuple[Hit, ...]]]:
    """What many texts hold of which `find_suspects` has told this: a text's number, what of it was looked through and
    what was found in that. Texts as they are come first, then what a reader sees of them, where that is less.
    """
    seen: dict[int, str] = {}
    for number, finders in suspects:
        text = texts[number]
        if finders & EVERY and (hits := find_by(text, finders)):
            yield number, text, hits
        unseen = finders & (COLOURED | SILENT)
        if unseen and (part := seen_part(text, silent=unseen != COLOURED)) is not None:
            seen[number] = part
    if seen:
        numbers, parts = list(seen), list(seen.values())
        bare = ((at, finders & EVERY) for at, finders in find_suspects(parts))
        yield from ((numbers[at], part, hits) for at, part, hits in find_in_all(parts, bare))


def holding(texts: Sequence[str]) -> Iterator[str]:
    """Those of many texts that hold a secret, also one that shows only without what is not seen; some of them twice."""
    return (texts[number] for number, _, _ in find_in_all(texts, find_suspects(texts)))
