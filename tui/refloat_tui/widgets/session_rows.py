"""The lines of a list of sessions: a heading, and a session in cells that go one by one as the width shrinks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refloat.model.session import State
from refloat.text import UNTITLED, inert_line, one_line
from refloat_tui.present.age import age
from refloat_tui.present.holder import holder_name
from refloat_tui.present.sessions import needs_person
from refloat_tui.present.state import state_glyph, state_style, state_word
from refloat_tui.widgets.cells import Cell, row

if TYPE_CHECKING:
    from textual.content import Content

    from refloat.model.record import Lease
    from refloat.model.session import Session
    from refloat.model.stamp import Stamp
    from refloat_tui.present import Pieces
    from refloat_tui.present.sessions import Heading, SessionRow
    from refloat_tui.theme import Glyphs

_BRANCH_FROM, _AGENT_FROM, _COUNT_FROM, _AGE_FROM = 90, 56, 34, 26
"""Columns of width from which each cell is shown: counts go first, then the agent, then the age."""
_CHAIN = 4
"""Columns for which attempt it is."""
_HOLDER = 9
"""Columns for the name of somebody who is at a session."""


def heading_line(heading: Heading, width: int, glyphs: Glyphs) -> Content:
    """The head of a group, with how many it holds."""
    name: Pieces = ((heading.name.upper(), "$accent bold" if heading.here else "bold"),)
    if heading.here:
        name = (*name, (f" {glyphs.dot} here", "$accent"))
    elif heading.where:
        name = (*name, (f"  {heading.where}", "$faint"))
    return row((Cell(name), Cell(((str(heading.count), "$faint"),), 4, "right")), width, glyphs)


def session_line(entry: SessionRow, width: int, glyphs: Glyphs, when: Pieces, holder: Lease | None) -> Content:
    """A session. `when`: its cell of age; `holder`: who else is at it."""
    session = entry.session
    went_on = entry.went_on and session.state not in {State.LIVE, State.UNRESOLVED}
    style = "$quiet" if went_on else state_style(session.state)
    title = one_line(session.title) or UNTITLED
    needs = 0 if went_on else needs_person(session)
    cells = [
        Cell(((state_glyph(session.state, glyphs), style), (f" {state_word(session.state)}", style)), 9),
        Cell(((title, "$quiet" if went_on else "" if session.title else "$quiet italic"),)),
    ]
    if entry.chain is not None and width >= _AGE_FROM:
        place = "copy" if session.repaired else f"{entry.chain.n}/{entry.chain.of}"
        cells.append(Cell(((place, "$person"),), _CHAIN, "right"))
    if holder is not None and width >= _AGE_FROM:
        cells.append(Cell(((f"@{holder_name(holder)}", "$person bold"),), _HOLDER, "right"))
    if width >= _AGENT_FROM:
        cells.append(Cell(((inert_line(session.agent), "$quiet"),), 12))
    if width >= _BRANCH_FROM:
        cells.append(Cell(((inert_line(session.branch or ""), "$quiet"),), 20))
    if width >= _AGE_FROM:
        cells.append(Cell(when, 5, "right"))
    if width >= _COUNT_FROM:
        cells.append(Cell(((str(needs) if needs else "", "$pile-claimed bold"),), 2, "right"))
    return row(cells, width, glyphs)


def age_cell(session: Session, now: Stamp) -> Pieces:
    """How long ago it did something."""
    return ((age(session.last_activity_at, now), "$quiet"),)
