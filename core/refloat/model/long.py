"""A stretch of a session that is too long to be held whole: some of its items, with where they stand."""

from collections.abc import Callable
from typing import Literal

from refloat.model.light import light
from refloat.model.transcript import Item

Fits = Callable[[Item], bool]


@light
class Spot:
    """An item where it stands. `item.n` and `item.step.n` are 0 until the whole was read and numbered."""

    item: Item
    position: int
    """Of its line, in bytes of the whole transcript."""
    at: int
    """Of those that came up at that line, which one, from 0."""
    line: int | None
    """Number of that line, where lines were counted so far."""
    settled: bool = True
    """False: the step's result was not found near, and may stand further on."""

    @property
    def key(self) -> str:
        """What tells it apart for as long as the transcript only grows."""
        return f"{self.position}.{self.at}"


@light
class Window:
    """The items between two line starts."""

    begin: int
    end: int
    spots: tuple[Spot, ...]


@light
class Stretch:
    """Windows that lie side by side, as many as are shown at a time."""

    windows: tuple[Window, ...]
    size: int
    """Bytes of the whole transcript when it was read."""
    cursor: str | None = None
    """Key of the spot to stand on; None: where one stood."""
    why: str = ""
    """Why what was asked for is not here; a sentence for the person."""
    numbered: bool = False
    """Whether items carry their numbers."""

    @property
    def begin(self) -> int:
        """Position where it begins."""
        return self.windows[0].begin if self.windows else 0

    @property
    def end(self) -> int:
        """Position where it ends."""
        return self.windows[-1].end if self.windows else 0

    @property
    def spots(self) -> tuple[Spot, ...]:
        """Its items in order."""
        return tuple(spot for window in self.windows for spot in window.spots)


@light
class Ask:
    """What to show."""

    what: Literal[
        "begin", "end", "older", "newer", "again", "item", "step", "line", "position", "crash", "next", "before"
    ]
    """`next`, `before`: the next spot behind (before) position `n` that fits `wanted`."""
    n: int = 0
    shown: Stretch | None = None
    """What is shown now; for `older`, `newer` and `again`."""
    fits: Fits | None = None
    """Items to show; None: all."""
    wanted: Fits | None = None
    """For `next` and `before`: items to stop at."""
