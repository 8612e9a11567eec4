"""How far a reading of everything is."""

from refloat.model.light import light
from refloat.model.problem import Problem


@light
class Refreshed:
    """How far the reading is."""

    done: int = 0
    total: int = 0
    """Sessions read, and to be read."""
    read: int = 0
    size: int = 0
    """Bytes of them."""
    sessions: int = 0
    """All that there are; known at the end."""
    problems: tuple[Problem, ...] = ()
    waits: bool = False
    """Another Refloat is reading; this one goes on when it is done."""
    complete: bool = False
    kept: bool = True
    """What was read is there for the next time; False where nothing can be written."""
