"""Both sides of a change, line by line: what was recorded, and what is dirty on disk.

Decides how they are laid: beside each other where no line is cut by it, in one column with a sign for each side
otherwise. A long place is folded until it is asked for, and a line is made fit to show when it is looked at.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from textual.content import Content

from refloat.model.fate_words import fate_words
from refloat.text import inert_line
from refloat_tui.present import QUIET, STRONG, Pieces
from refloat_tui.present.hunk import hunks_changed, owner_words, sign_style
from refloat_tui.present.spots import Pair, Spot, lay_out
from refloat_tui.present.step import changed_words
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import Cell, row
from refloat_tui.widgets.row_list import RowList

_FOLD_FROM: Final = 60
"""Lines of a place from which it is folded."""
_FOLDED: Final = 40
_MOST_SPOTS: Final = 40
"""Places of one file that are shown under each other; the list of the file's places leads to each."""
BESIDE_FROM: Final = 56
"""Columns below which two sides never stand beside each other."""
_BESIDE_ALWAYS: Final = 140
_LOOKED_AT: Final = 200
"""Lines of a side by which the layout is chosen."""


@dataclass(frozen=True, slots=True)
class DiffRow:
    """One line of what is shown."""

    key: str
    kind: Literal["title", "pair", "words", "fold"]
    spot: Spot | None = None
    pair: Pair | None = None
    left: Pieces = ()
    right: Pieces = ()
    beside: bool = False


def is_best_beside(sides: Sequence[Sequence[Pair]], width: int) -> bool:
    """Whether two columns cut no line, or are wide enough for any."""
    if width < BESIDE_FROM:
        return False
    room = (width - 4) // 2
    lines = (line for pairs in sides for pair in pairs[:_LOOKED_AT] for line in (pair.left, pair.right) if line)
    return width >= _BESIDE_ALWAYS or all(len(line.expandtabs(4)) <= room for line in lines)


def _left_title(spot: Spot, glyphs: Glyphs) -> Pieces:
    last = spot.last
    if last is None:
        return (("not in this session's record", QUIET),)
    steps = list(dict.fromkeys(_step(one.step, one.subagent) for one in spot.recorded))
    shown = steps if len(steps) <= 4 else [steps[0], glyphs.ellipsis, *steps[-2:]]
    words = f"step{'s' if len(steps) > 1 else ''} {', '.join(shown)}"
    return (("recorded by ", QUIET), (words, STRONG), (f"  {last.outcome}" if last.outcome else "", QUIET))


def _step(number: int, subagent: str | None) -> str:
    return str(number) if subagent is None else f"{number} of {inert_line(subagent)}"


def _right_title(spot: Spot, glyphs: Glyphs) -> Pieces:
    if spot.dirty is None:
        words = fate_words(spot.fate) if spot.fate else "nothing is dirty here"
        return (("on disk ", QUIET), (words, STRONG))
    changed = changed_words(*hunks_changed((spot.dirty,)), glyphs)
    owner = owner_words(spot.dirty.owner, spot.dirty.session, glyphs)
    return (("on disk ", QUIET), (f"line {spot.dirty.new_start}  ", STRONG), *changed, (f"  {owner}", ""))


def _rows_of(spot: Spot, sides: Sequence[Pair], *, beside: bool, whole: bool, glyphs: Glyphs) -> Iterator[DiffRow]:
    left, right = _left_title(spot, glyphs), _right_title(spot, glyphs)
    yield DiffRow(f"{spot.key}\ntitle", "title", spot, None, left, right, beside)
    if any(one.binary for one in spot.recorded):
        yield DiffRow(f"{spot.key}\nbinary", "words", spot, None, (("binary content", QUIET),))
    pairs = tuple(sides) if beside else tuple(_in_one_column(sides))
    shown = pairs if whole or len(pairs) <= _FOLD_FROM else pairs[:_FOLDED]
    one_sided = not spot.recorded or spot.dirty is None
    if not beside and not one_sided:
        yield DiffRow(f"{spot.key}\nlegend", "words", spot, None, _legend(sides, glyphs))
    for at, pair in enumerate(shown):
        yield DiffRow(f"{spot.key}\n{at}", "pair", spot, pair, beside=beside)
    if len(shown) < len(pairs):
        words = f"{glyphs.ellipsis} {len(pairs) - len(shown):,} more lines  "
        yield DiffRow(f"{spot.key}\nfold", "fold", spot, None, ((words, QUIET), ("enter shows them", "$key")))


def _in_one_column(pairs: Sequence[Pair]) -> Iterator[Pair]:
    """What differs, the recorded lines before those on disk."""
    right: list[Pair] = []
    for pair in pairs:
        if pair.same:
            yield from right
            right.clear()
            yield pair
            continue
        if pair.left is not None:
            yield Pair(pair.left, None)
        if pair.right is not None:
            right.append(Pair(None, pair.right))
    yield from right


def _legend(sides: Sequence[Pair], glyphs: Glyphs) -> Pieces:
    if all(pair.same for pair in sides):
        return ((f"{glyphs.present} recorded and on disk alike", QUIET),)
    words = f"{glyphs.present} both   {glyphs.left_only} recorded only   {glyphs.right_only} on disk only"
    return ((words, QUIET),)


class DiffList(RowList[DiffRow]):
    """The change under the cursor of the checkout."""

    def __init__(self, glyphs: Glyphs, *, id: str) -> None:
        super().__init__(glyphs, id=id)
        self._spots: tuple[Spot, ...] = ()
        self._sides: tuple[tuple[Pair, ...], ...] = ()
        self._whole: set[str] = set()
        self._more = 0
        """Places that are not shown."""
        self._laid: tuple[bool, int] | None = None
        self.wanted: bool | None = None
        """Beside each other or not, as a person said; None: as it fits best."""

    def key_of(self, row: DiffRow) -> str:
        """Its place and line."""
        return row.key

    def draw_row(self, row: DiffRow, width: int, *, chosen: bool) -> Content:
        """One line of one or both sides."""
        del chosen
        return _drawn(row, width, self.glyphs)

    def take(self, spots: Sequence[Spot]) -> None:
        """Show these places, from the first."""
        self._spots = tuple(spots[:_MOST_SPOTS])
        self._sides = tuple(lay_out(spot) for spot in self._spots)
        self._more = len(spots) - len(self._spots)
        self._whole, self._laid = set(), None
        self._lay()
        self.action_rows_first()

    @property
    def is_beside(self) -> bool:
        """Whether the two sides stand beside each other."""
        best = is_best_beside(self._sides, self.size.width)
        return best if self.wanted is None or self.size.width < BESIDE_FROM else self.wanted

    def toggle(self) -> None:
        """The other layout, from here on."""
        self.wanted = not self.is_beside
        self._lay()

    def _lay(self) -> None:
        beside = self.is_beside
        if self._laid == (beside, len(self._whole)):
            return
        self._laid = (beside, len(self._whole))
        rows: list[DiffRow] = []
        for spot, sides in zip(self._spots, self._sides, strict=True):
            if rows:
                rows.append(DiffRow(f"{spot.key}\ngap", "words"))
            rows += _rows_of(spot, sides, beside=beside, whole=spot.key in self._whole, glyphs=self.glyphs)
        if self._more > 0:
            rows.append(
                DiffRow("more", "words", None, None, ((f"{self._more:,} more places stand in the list", QUIET),))
            )
        self.set_rows(rows)

    def on_resize(self) -> None:
        """Beside or not, by the new width."""
        super().on_resize()
        self._lay()

    def unfold(self) -> bool:
        """Show the whole of a folded place; False where the cursor is on no fold."""
        line = self.cursor_row
        if line is None or line.kind != "fold" or line.spot is None:
            return False
        self._whole.add(line.spot.key)
        self._lay()
        return True


def _drawn(line: DiffRow, width: int, glyphs: Glyphs) -> Content:
    left_room = (width - 3) // 2
    right_room = width - 3 - left_room
    if line.kind == "title":
        if not line.beside:
            return row((Cell((*line.right, ("   ", ""), *line.left)),), width, glyphs)
        bar = Content.assemble((f" {glyphs.bar} ", "$rule"))
        return row((Cell(line.left),), left_room, glyphs) + bar + row((Cell(line.right),), right_room, glyphs)
    if line.pair is None:
        return row((Cell(line.left),), width, glyphs)
    sign, style = _between(line.pair, glyphs)
    if not line.beside:
        return Content.assemble((f"{sign} ", style)) + _unified(line.pair, max(1, width - 2), glyphs)
    bar = Content.assemble((f" {glyphs.bar if line.pair.same else sign} ", "$rule" if line.pair.same else style))
    return _side(line.pair.left, left_room, glyphs) + bar + _side(line.pair.right, right_room, glyphs)


def _between(pair: Pair, glyphs: Glyphs) -> tuple[str, str]:
    if pair.same:
        return glyphs.present, "$faint"
    if pair.right is None:
        return glyphs.left_only, "$accent"
    if pair.left is None:
        return glyphs.right_only, "$accent"
    return glyphs.changed, "$accent"


def _unified(pair: Pair, width: int, glyphs: Glyphs) -> Content:
    return _side(pair.left if pair.left is not None else pair.right, width, glyphs)


def _side(line: str | None, width: int, glyphs: Glyphs) -> Content:
    if line is None:
        return Content(" " * width)
    # Cut before it is made fit to show: of a line of a megabyte, as much as there is room for.
    text = inert_line(line[1 : 2 + 4 * width].expandtabs(4))
    style = sign_style(line)
    made = row((Cell(((line[:1] or " ", style), (" ", ""), (text, style))),), width, glyphs)
    ground = {"+": "on $added-ground", "-": "on $removed-ground"}.get(line[:1])
    return made.stylize_before(ground) if ground else made
