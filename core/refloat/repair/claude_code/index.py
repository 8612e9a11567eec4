"""What the first reading remembers of each conversation row of Claude Code: ids and places, never contents."""

from hashlib import blake2b
from typing import Final

from refloat.model.light import field, slotted
from refloat.repair.pieces import Piece, encode

Id = str | int
"""The id of a row: as it was recorded, or the number of a fresh one."""
TALK: Final = frozenset({"user", "assistant", "system", "attachment", "progress"})
"""Types of conversation rows."""
NONE: Final = -1
"""No parent."""
UNKNOWN: Final = -2
"""A parent that had not been met when its child was read."""


@slotted
class Entry:
    """One conversation row."""

    number: int
    line: int
    kind: str
    side: str
    """"" for the main talk, else the sub-agent that it belongs to (1.0 wrote them between the main rows)."""
    id: Id
    parent: int
    """Index of an entry, `NONE` or `UNKNOWN`."""
    wanted: str = ""
    """The id of an unknown parent."""
    message: str = ""
    """Id of the agent's message: its rows hang on each other."""
    blocks: int = 0
    out: int = 0
    """How many of its blocks are left out of the copy."""
    same: int = 0
    """What tells it from another row of its id."""
    may_be_root: bool = True
    answers: bool = False
    """It holds results of calls."""
    dropped: bool = False
    instead: int = NONE
    """Of a dropped row: the entry that its children hang on then."""
    moved: bool = False
    back: str = ""
    """Of a compaction boundary: the row that it points back to."""


@slotted
class Answer:
    """A result of a call."""

    entry: int
    block: int
    placeholder: bool
    piece: Piece | None = None
    """Where it stands, without its value, where it stands before its call."""


@slotted
class Called:
    """A call."""

    id: str
    entry: int
    tool: str
    digest: int
    line: int
    answers: list[Answer] = field(default_factory=list[Answer])


@slotted
class Insert:
    """A row that the copy has behind a call's: a result that was made, or one that stood before its call."""

    call: str
    id: Id
    parent: Id
    source: Piece | None = None
    """Where a moved result stands."""
    block: int = 0
    alone: bool = True
    """A moved row holds nothing else, and keeps its own id."""


def digest(*values: object) -> int:
    """A short hash of what makes two rows or two calls the same."""
    return int.from_bytes(blake2b(encode(values), digest_size=8).digest(), "big")
