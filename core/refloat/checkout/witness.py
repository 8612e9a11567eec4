"""What one session's record says of one file, held against the file as it is.

Decides which lines of the file it wrote, and what it took away and put in the place of what. Refuses to weigh itself
against other records.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from refloat.checkout.compare import Comparison
from refloat.checkout.fold import Folded, RecordedEdit
from refloat.checkout.lines import bare, bare_all, bare_lines, find_differences, tells
from refloat.checkout.pieces import FOREIGN
from refloat.model.checkout import FileState
from refloat.model.light import field, slotted
from refloat.model.session import SessionName

_NOT_OWN: Final = frozenset({None, FOREIGN})
_EVERY: Final = 1 << 30
"""Times that a replacement of every occurrence may have changed a line."""


@slotted
class Ledger:
    """How often the edits of a record add and remove each line, as the record itself tells them."""

    added: Counter[str] = field(default_factory=Counter[str])
    removed: Counter[str] = field(default_factory=Counter[str])
    put: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """Removed line → the lines that came in its place."""

    def enter(self, gone: Sequence[str], new: Sequence[str], times: int) -> None:
        """Add one changed place."""
        added, removed, put = self.added, self.removed, self.put
        for line in gone:  # by `get`, for a Counter makes up what it lacks in Python
            removed[line] = removed.get(line, 0) + times
            if line in put:
                put[line].update(new)
            else:
                put[line] = set(new)
        for line in new:
            added[line] = added.get(line, 0) + times


@slotted
class Witness:
    """One session's record of one file."""

    session: SessionName
    own: bool
    folded: Folded
    comparison: Comparison
    earlier: AbstractSet[str] = frozenset()
    """Those of `earliest` that HEAD does not have: the dirt that the session found."""
    earliest: AbstractSet[str] = frozenset()
    """Every line of the whole file before its first edit, where the record shows it."""
    _ledger: Ledger | None = None
    _lost: Counter[str] | None = None

    @property
    def removed(self) -> set[str]:
        """Lines that its edits took away."""
        return self.folded.traces.removed

    def wrote(self, index: int) -> bool:
        """Whether it wrote the line of the file at `index`."""
        return self.edit_at(index) is not None

    def wrote_each(self, spot: range) -> bool:
        """Whether it wrote each line of a stretch of the file, which is not empty."""
        origins = self.comparison.origins
        return spot.start >= 0 and spot.stop <= len(origins) and _NOT_OWN.isdisjoint(origins[spot.start : spot.stop])

    def edit_at(self, index: int) -> RecordedEdit | None:
        """The edit by which it wrote the line of the file at `index`; None where it did not."""
        origins = self.comparison.origins
        origin = origins[index] if index < len(origins) else None
        return None if origin is None or origin == FOREIGN else self.folded.edits[origin]

    def found(self, index: int) -> bool:
        """Whether its record shows that line from before its first edit of the file.

        A line that somebody put in between two edits of the session is none from before it.
        """
        return self._foreign(index) and self.comparison.lines[index] in self.earlier

    def came_between(self, index: int) -> bool:
        """Whether its record shows that line as somebody else's, and not as one from before its first edit."""
        return self._foreign(index) and bool(self.earliest) and self.comparison.lines[index] not in self.earliest

    def _foreign(self, index: int) -> bool:
        origins = self.comparison.origins
        return index < len(origins) and origins[index] == FOREIGN

    def written(self) -> Iterator[str]:
        """The lines that its edits leave behind."""
        for piece in self.folded.pieces:
            yield from (line for line, origin in zip(piece.lines, piece.origins, strict=True) if origin != FOREIGN)

    def removal_of(self, gone: Iterable[str]) -> RecordedEdit | None:
        """The last edit that took one of these lines away; its last edit where none says so in so many words."""
        told = {"-" + line for line in gone if tells(line)}
        made = self.folded.made
        for row in reversed(made):
            if any(bare(line) in told for hunk in row.edit.hunks for line in hunk.lines):
                return row
        return made[-1] if made else None

    def lost_after(self, line: str) -> int:
        """How many of the equal lines that its record leaves in the file are gone: somebody else took those."""
        if self._lost is None:
            if self.folded.text is None:
                self._lost = Counter()
            else:
                kept = zip(self.comparison.lines, self.comparison.origins, strict=False)
                left = Counter(bare_all(self.folded.pieces[0].lines))
                self._lost = left - Counter(one for one, origin in kept if origin is not None)
        return self._lost[line]

    def wrote_over(self, line: str) -> bool:
        """Whether it wrote the whole file without that line over a content that its record does not hold."""
        return self.replaced_everything and line not in self.folded.traces.added

    @property
    def wrote_all(self) -> bool:
        """The file is to the last byte what its record leaves behind."""
        return self.folded.text is not None and self.comparison.state is FileState.PRESENT

    @property
    def replaced_everything(self) -> bool:
        """It wrote the whole file over a content that its record does not hold."""
        return self.folded.written_whole and self.folded.first_text is None and self.folded.existed is not False

    def ledger(self) -> Ledger:
        """What its edits add and remove, each time counted."""
        if self._ledger is None:
            self._ledger = Ledger()
            for row in self.folded.made:
                _enter(self._ledger, row)
        return self._ledger


def _enter(ledger: Ledger, row: RecordedEdit) -> None:
    edit = row.edit
    if edit.after is not None and not edit.hunks:
        old, new = bare_lines(edit.before or ""), bare_lines(edit.after)
        for place in find_differences(old, new):
            ledger.enter(old[place.old_from : place.old_to], new[place.new_from : place.new_to], 1)
    for hunk in edit.hunks:
        gone: list[str] = []
        new: list[str] = []
        for line in (*hunk.lines, " "):
            match line[:1]:
                case "-":
                    gone.append(bare(line[1:]))
                case "+":
                    new.append(bare(line[1:]))
                case " ":
                    ledger.enter(gone, new, _EVERY if edit.replace_all else 1)
                    gone, new = [], []
                case _:
                    pass
