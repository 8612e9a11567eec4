"""Begin a search before anything but the index is loaded.

Decides nothing. SQLite works beside Python: what it finds first is there when the rest of the program is.
"""

from __future__ import annotations

from pathlib import Path

from refloat.search.answers import FirstFound, find_first
from refloat.search.query import parse
from refloat.together import Running


def begin_search(cache: Path, words: str) -> Running[FirstFound]:
    """Ask the index of a cache directory what may hold some words, for `answer_search.answer_at_once`."""
    query = parse(words)
    return Running(lambda: find_first(cache, query))
