"""Masks what the catalogue keeps, at the price of what is new: of thousands of sessions most strings stand in many.

Decides only which strings need no second look. What is a secret is decided by `brief.masks`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Final, TypeVar

from refloat.brief.find_secrets import holding
from refloat.brief.masks import Masker, mask_tree, strings_of

T = TypeVar("T")

_MOST: Final = 8192
_LONGEST: Final = 512
"""Characters of a string that is remembered: a longer one stands in no other session."""
_clean: set[str] = set()
"""Strings of late without a secret; a set alone, which threads may share."""


def hold_secret(strings: Sequence[str]) -> bool:
    """Whether one of some strings that stand nowhere else holds one. None of them is remembered."""
    return next(holding(strings), None) is not None


def mask(value: T) -> T:
    """A copy of the same type with every secret in its strings masked; a secret found once is masked everywhere."""
    return mask_each((value,))[0]


def mask_each(values: Sequence[T]) -> list[T]:
    """`mask` of each, with one look at what is new in any of them."""
    strings = [strings_of(value) for value in values]
    new = [text for text in dict.fromkeys(chain.from_iterable(strings)) if text not in _clean]
    suspect = set(holding(new)) if new else set[str]()
    short = [text for text in new if len(text) <= _LONGEST and text not in suspect]
    if len(_clean) + len(short) > _MOST:
        _clean.clear()
    _clean.update(short[:_MOST])
    if not suspect:
        return list(values)
    return [
        value if suspect.isdisjoint(own) else mask_tree(value, Masker())
        for value, own in zip(values, strings, strict=True)
    ]
