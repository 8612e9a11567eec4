"""The id of a session as a word: it can stand on a command line, in a file's name and in a sentence, and mean nothing.

Ids come from names of files and from records, so they are other people's text. Whatever is no plain word (an option, a
shell's substitution, a control sequence) gives way to a made one, the same each time and for each text another.
"""

from __future__ import annotations

from typing import Final

from refloat.patterns import late

_PLAIN: Final = late(r"[0-9A-Za-z][0-9A-Za-z._-]{0,127}")
_OTHER: Final = late(r"[^0-9A-Za-z._-]+")


def is_plain(session_id: str) -> bool:
    """Whether an id is a word that no shell and no program takes for anything else."""
    return _PLAIN.fullmatch(session_id) is not None


def make_id(recorded: str) -> str:
    """The id as it was recorded, where that is a plain word or nothing; else a word that is made of it."""
    if not recorded or is_plain(recorded):
        return recorded
    from hashlib import blake2b  # hardly ever asked

    told = blake2b(recorded.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    kept = _OTHER.sub("_", recorded).strip("._-")[:60]
    return f"{kept or 'unnamed'}.{told}"
