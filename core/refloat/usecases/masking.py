"""Masks what the catalogue keeps, at the price of what is new: of thousands of sessions most strings stand in many.

Decides only which strings need no second look. What is a secret is decided by `brief.masks`.
"""

from functools import lru_cache
from typing import TypeVar

from refloat.brief.masks import Masker, find_secrets, mask_tree, strings_of

T = TypeVar("T")


def mask(value: T) -> T:
    """A copy of the same type with every secret in its strings masked; a secret found once is masked everywhere."""
    return value if all(map(_is_clean, strings_of(value))) else mask_tree(value, Masker())


@lru_cache(maxsize=8192)
def _is_clean(text: str) -> bool:
    return not find_secrets(text)
