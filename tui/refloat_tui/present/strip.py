"""The strip of a session's time: how much happened when, and where it went wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from refloat.model.session import State
from refloat.model.stamp import seconds_of
from refloat.model.transcript import Item, Outcome
from refloat_tui.present import QUIET, Pieces
from refloat_tui.present.age import clock_time
from refloat_tui.theme import Glyphs

_ROOM: Final = 24
"""What the two clock times and the crash take of a line."""
_FULL: Final = 4
"""Things in one column that fill it, where no column has more."""


@dataclass(slots=True)
class _Bin:
    items: int = 0
    errors: int = 0
    compaction: bool = False


def _fill(items: Sequence[Item], bins: int) -> tuple[list[_Bin], float]:
    times = [(seconds_of(item.at), item) for item in items if item.at is not None]
    first, last = min(when for when, _ in times), max(when for when, _ in times)
    size = max(1.0, (last - first) / bins)
    found = [_Bin() for _ in range(bins)]
    for when, item in times:
        cell = found[min(bins - 1, int((when - first) / size))]
        cell.items += item.step is not None or item.type in {"prompt", "reply"}
        cell.errors += item.step is not None and item.step.outcome is Outcome.ERROR
        cell.compaction |= item.marker is not None and item.marker.kind == "compaction"
    return found, size


def _cell(cell: _Bin, most: int, glyphs: Glyphs) -> tuple[str, str]:
    if cell.compaction:
        return glyphs.compaction, "$pile-claimed bold"
    if cell.errors and cell.errors == cell.items:
        return glyphs.error, "$pile-gone"
    if not cell.items:
        return " ", ""
    level = 1 + (cell.items * (len(glyphs.spark) - 2)) // max(_FULL, most)
    return glyphs.spark[min(level, len(glyphs.spark) - 1)], "$pile-gone" if cell.errors else "$secondary"


def time_strip(items: Sequence[Item], state: State, width: int, glyphs: Glyphs) -> tuple[Pieces, Pieces]:
    """The strip, and the line that explains its signs. Empty where no item carries a time."""
    dated = [item.at for item in items if item.at is not None]
    bins = width - _ROOM
    if len(dated) < 2 or bins < 8:
        return (), ()
    cells, size = _fill(items, bins)
    most = max(cell.items for cell in cells)
    broken = state is State.FAILED
    end = f" {glyphs.crash} ended" if broken else ""
    strip = (
        (f"{clock_time(min(dated), seconds=False)} ", QUIET),
        *(_cell(cell, most, glyphs) for cell in cells),
        (f" {clock_time(max(dated), seconds=False)}", QUIET),
        (end, "$state-failed bold"),
    )
    return strip, _legend(cells, size, glyphs)


def _legend(cells: Sequence[_Bin], size: float, glyphs: Glyphs) -> Pieces:
    errors = sum(cell.errors for cell in cells)
    folded = sum(cell.compaction for cell in cells)
    per = f"{size:.0f} s" if size < 90 else f"{size / 60:.0f} min"
    words: list[tuple[str, str]] = [(f"      one column is {per}", QUIET)]
    if errors:
        words += [(f"   {glyphs.error}", "$pile-gone"), (f" {errors} {'error' if errors == 1 else 'errors'}", QUIET)]
    if folded:
        words += [(f"   {glyphs.compaction}", "$pile-claimed"), (" memory folded (compaction)", QUIET)]
    return tuple(words)
