"""What the first reading remembers of calls and outputs of Codex: ids and places, never contents."""

from refloat.model.light import field, light, slotted
from refloat.repair.pieces import Piece


@light
class Insert:
    """An output row that the copy has behind a call's: made, or one that stood before its call."""

    call: str
    kind: str
    source: Piece | None = None


@slotted
class Answer:
    """An output of a call."""

    piece: Piece
    real: bool
    early: bool = False


@slotted
class Called:
    """A call."""

    id: str
    kind: str
    tool: str
    piece: Piece
    digest: bytes
    answers: list[Answer] = field(default_factory=list[Answer])
