"""Masks what the catalogue keeps, at the price of what is new: of thousands of sessions most strings stand in many.

Decides only which strings need no second look. What is a secret is decided by `brief.masks`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

from refloat.brief.masks import Masker, find_in_all, mask_tree, strings_of

T = TypeVar("T")

_MOST: Final = 8192
_LONGEST: Final = 512
"""Characters of a string that is remembered: a longer one stands in no other session."""
_clean: set[str] = set()
"""Strings of late without a secret; a set alone, which threads may share."""


def hold_secret(strings: Sequence[str]) -> bool:
    """Whether one of some strings that stand nowhere else holds one. None of them is remembered."""
    return next(find_in_all(strings), None) is not None


def mask(value: T) -> T:
    """A copy of the same type with every secret in its strings masked; a secret found once is masked everywhere."""
    new = [text for text in dict.fromkeys(strings_of(value)) if text not in _clean]
    if not new:
        return value
    if next(find_in_all(new), None) is not None:
        return mask_tree(value, Masker())
    short = [text for text in new if len(text) <= _LONGEST]
    if len(_clean) + len(short) > _MOST:
        _clean.clear()
    _clean.update(short[:_MOST])
    return value
