"""Where each item of a session begins: eight bytes an item, four more a step, and nothing of what they say."""

from array import array
from bisect import bisect_left

from refloat.readers.numbers import Numbers


class Places(Numbers):
    """Numbers that remember at which line each was given. Who reads says `at` which position before every line."""

    def __init__(self) -> None:
        super().__init__()
        self._at = 0
        self.positions = array("Q")
        """Of the line at which each item came up, in order."""
        self.steps = array("L")
        """Index of each step's item."""

    def begin(self, position: int) -> None:
        """A line begins here."""
        self.note()
        self._at = position

    def note(self) -> None:
        """Items that were numbered since the line began stand at it."""
        for _ in range(self.last - len(self.positions)):
            self.positions.append(self._at)

    def add_step(self) -> int:
        """The number of a new item that is a step."""
        self.steps.append(self.last)
        return super().add_step()

    def items_at(self, position: int) -> range:
        """Indexes of the items that came up at a line."""
        return range(bisect_left(self.positions, position), bisect_left(self.positions, position + 1))

    def step_of(self, item: int) -> int | None:
        """Number, from 1, of the step that an item (by its index) is."""
        at = bisect_left(self.steps, item)
        return at + 1 if at < len(self.steps) and self.steps[at] == item else None
