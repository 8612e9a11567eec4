"""Whether the search index is as it was written, for whoever asks it beside a search.

Decides nothing. It loads next to nothing: a copy of the process asks, which has no more than the quick road of a list.
"""

from refloat.search.seal import is_broken


def is_index_sound(cache: str) -> bool:
    """Whether nothing in a cache directory's index is known to be damaged."""
    return not is_broken(cache)
