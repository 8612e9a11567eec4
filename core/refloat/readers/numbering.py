"""Which items a session has, and where each begins, without keeping any: four bytes and a bit an item.

Decides nothing of its own: what becomes an item is decided as `history.History` does, which a test compares. Refuses to
know what an item says.
"""

from array import array
from bisect import bisect_left
from typing import Final

from refloat.model.transcript import BackgroundSeen, Call, Marker, Message, Queued, Result, Touched
from refloat.readers.pairing import short

_FAR: Final = 4096
"""Messages for which parts that are still to come are joined; no agent parts one over more."""


class Places:
    """Takes the events of one session in place of a `History`."""

    def __init__(self) -> None:
        self.at = 0
        """Position of the line that is being read; set by who reads."""
        self.positions = array("Q")
        """Of the line at which each item came up, in order."""
        self.steps = array("L")
        """Index of each step's item."""
        self._rows: set[int] = set()
        self._parts: dict[int, None] = {}

    def _add(self) -> None:
        self.positions.append(self.at)

    def message(self, message: Message, turn: int) -> None:
        """Take words."""
        del turn
        if message.row:
            row = short(f"{message.type}:{message.row}")
            if row in self._rows:
                return
            self._rows.add(row)
        if message.id:
            key = short(f"{message.type}\0{message.id}")
            if key in self._parts and message.type != "prompt":
                return
            self._parts[key] = None
            if len(self._parts) > _FAR:
                del self._parts[next(iter(self._parts))]
        self._add()

    def call(self, call: Call, n: int, turn: int, subagent: str | None) -> None:
        """Take a call."""
        del call, n, turn, subagent
        self.steps.append(len(self.positions))
        self._add()

    def result(self, result: Result) -> None:
        """An answer is no item."""

    def marker(self, marker: Marker) -> None:
        """Take a marker."""
        if marker.kind != "plan":
            self._add()

    def side(self, event: Queued | BackgroundSeen | Touched) -> None:
        """What is no item of the talk."""

    def take_back(self, rows: frozenset[str], turns: set[int]) -> None:
        """Items that were taken back are items."""

    # ── what came of it ──────────────────────────────────────────────────────────────────────────────────────────────

    def items_at(self, position: int) -> range:
        """Indexes of the items that came up at a line."""
        return range(bisect_left(self.positions, position), bisect_left(self.positions, position + 1))

    def step_of(self, item: int) -> int | None:
        """Number, from 1, of the step that an item (by its index) is."""
        at = bisect_left(self.steps, item)
        return at + 1 if at < len(self.steps) and self.steps[at] == item else None
