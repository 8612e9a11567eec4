"""The rows of a job's chain: what is in flight, then every link, the newest first.

Decides which rows there are and how each is drawn. What is not shown has a row that says so.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from textual.content import Content

from refloat.model.record import Fault, Pickup, SavedStep, Trail, Verdict, Verified
from refloat_tui.present import QUIET, Pieces
from refloat_tui.present.age import clock_time
from refloat_tui.present.record import (
    AnyLink,
    handover_words,
    producer_of,
    step_sign,
    step_state,
    step_what,
    time_of,
    verdict_piece,
    worst,
)
from refloat_tui.present.saved_words import ending_words
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import Cell, row
from refloat_tui.widgets.row_list import RowList

MORE: Final = "more"
_PRODUCER_FROM, _TIME_FROM, _LONG_FROM = 88, 112, 62


@dataclass(frozen=True, slots=True)
class ChainRow:
    """One row."""

    key: str
    words: Pieces = ()
    """Of a heading, and of what is not shown."""
    link: AnyLink | None = None
    verdict: Verdict = "not_checked"
    bearing: bool = False
    """Much rests on it."""


def chain_rows(trail: Trail, verified: Verified | None) -> Iterator[ChainRow]:
    """All rows of a trail, with what a check of it found."""
    problems = () if verified is None else verified.problems
    flying = [step for step in trail.steps if step.link is None]
    if flying:
        crashed = any(step.running is False for step in flying)
        words = "  began, and never ended: the crash sits here" if crashed else "  began, and did not end yet"
        yield ChainRow("flying", (("IN FLIGHT", f"{QUIET} bold"), (words, QUIET)))
    for step in flying:
        yield ChainRow(step.id, link=step, verdict=_judged(step, problems))
    links: list[AnyLink] = [*trail.wraps, *trail.pickups, *trail.decisions]
    links += [step for step in trail.steps if step.link is not None]
    links.sort(key=_sealed, reverse=True)
    bearing = set(trail.load_bearing)
    if links:
        much = "  much rests on what is marked *" if bearing else ""
        yield ChainRow("chain", (("CHAIN", f"{QUIET} bold"), (f"  newest first{much}", QUIET)))
    for link in links:
        marked = isinstance(link, SavedStep) and link.seq in bearing
        yield ChainRow(link.id, link=link, verdict=_judged(link, problems), bearing=marked)
    if trail.omitted:
        plural = "step" if trail.omitted == 1 else "steps"
        yield ChainRow(MORE, ((f"{trail.omitted:,} more {plural}: enter shows older ones", "$key"),))


def _sealed(link: AnyLink) -> int:
    return link.link.sealed if link.link is not None else 0


def _judged(link: AnyLink, problems: Sequence[Fault]) -> Verdict:
    if isinstance(link, SavedStep):
        mine = [fault for fault in problems if fault.seq == link.seq and "." not in fault.field]
    else:
        mine = [fault for fault in problems if f" {link.id[:8]})" in fault.what]
    return worst(link.verdict, mine)


class ChainList(RowList[ChainRow]):
    """The chain of one job."""

    def key_of(self, row: ChainRow) -> str:
        """The link's id."""
        return row.key

    def stops_at(self, row: ChainRow) -> bool:
        """On links, and on what is not shown."""
        return row.link is not None or row.key == MORE

    def draw_row(self, row: ChainRow, width: int, *, chosen: bool) -> Content:
        """A heading, or a link in cells."""
        del chosen
        return _drawn(row, width, self.glyphs)


def _drawn(line: ChainRow, width: int, glyphs: Glyphs) -> Content:
    link = line.link
    if link is None:
        return row((Cell(line.words),), width, glyphs)
    sign: tuple[str, str] = (glyphs.arrow, "$accent")
    number, ended, what = "", "", ()
    if isinstance(link, SavedStep):
        sign, number, ended = step_sign(link, glyphs), f"#{link.seq}", ending_words(link)
        what, state = step_what(link), step_state(link, line.verdict)
    else:
        what, state = handover_words(link), verdict_piece(line.verdict)
        if isinstance(link, Pickup) and width < _PRODUCER_FROM:  # who has it is the point of it
            what = (what[0], (f"by {producer_of(link)}  ", ""), *what[1:])
    mark = "*" if line.bearing else " "
    cells = [Cell(((number, QUIET),), 6, "right"), Cell(((mark, "$accent bold"),), 1), Cell((sign,), 1)]
    cells.append(Cell(what))
    if ended and width >= _LONG_FROM:
        cells.append(Cell(((ended, sign[1]),), 13))
    if width >= _PRODUCER_FROM:
        cells.append(Cell(((producer_of(link), QUIET),), 20))
    if width >= _TIME_FROM:
        cells.append(Cell(((clock_time(time_of(link)), QUIET),), 8))
    cells.append(Cell((state,), 21 if width >= _LONG_FROM else 12))
    return row(cells, width, glyphs)
