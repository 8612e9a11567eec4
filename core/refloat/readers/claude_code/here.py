"""The place at which a row stands, and the events that it yields."""

from __future__ import annotations

from refloat.model.light import field, slotted
from refloat.model.problem import Place
from refloat.model.stamp import Stamp
from refloat.model.transcript import Event


@slotted
class Here:
    """One row while it is being read."""

    at: Stamp | None
    place: Place
    row: str = ""
    parent: str | None = None
    size: int = 0
    subagent: bool = False
    backups: str = ""
    """Directory of the program's own backups for this session."""
    skim: bool = False
    """See `Reader.parser`."""
    inputs: bool = True
    """Inputs of calls are told."""
    placed: bool = False
    """It was taken into the tree already."""
    events: list[Event] = field(default_factory=list[Event])
