"""The list of sessions: one line each, grouped by workspace, what is broken on top."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from refloat.model.session import State
from refloat.text import inert_line, one_line
from refloat_tui.present import Pieces
from refloat_tui.present.age import age, minute_of
from refloat_tui.present.holder import holder_name
from refloat_tui.present.sessions import Entry, Heading, SessionRow, needs_person
from refloat_tui.present.state import state_glyph, state_style, state_word
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import Cell, row
from refloat_tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from collections.abc import Mapping

    from refloat.model.record import Lease
    from refloat.model.session import SessionName
    from refloat.model.stamp import Stamp

_BRANCH_FROM, _AGENT_FROM, _COUNT_FROM, _AGE_FROM = 90, 56, 34, 26
"""Columns of width from which each cell is shown: counts go first, then the agent, then the age."""


_CHAIN = 4
"""Columns for which attempt it is."""
_HOLDER = 9
"""Columns for the name of somebody who is at a session."""


class SessionList(RowList[Entry]):
    """Rows of sessions under headings. Its key is the session's name."""

    def __init__(self, glyphs: Glyphs, now: Stamp, *, id: str | None = None) -> None:
        super().__init__(glyphs, id=id)
        self.now = now
        self.breathing: frozenset[SessionName] = frozenset()
        """Live sessions whose transcript grew just now."""
        self.beat = 0
        self.holders: Mapping[str, Lease] = {}
        """Who else is at which session, by its name."""

    def pass_time(self, now: Stamp) -> None:
        """Draw anew what time alone changes: ages, to the minute, and the breath of those that grew."""
        if not self.breathing and minute_of(now) == minute_of(self.now):
            return
        ended = self.breathing if minute_of(now) == minute_of(self.now) else None
        self.now, self.breathing = now, frozenset()
        if ended is None:
            self.redraw()
        else:
            for name in ended:
                self.draw_again(name)

    def shown_in(self, row: Entry) -> object:
        """The row, the minute, and what is known of the session besides."""
        if isinstance(row, Heading):
            return row
        name = row.session.name
        return row, minute_of(self.now), self.beat if name in self.breathing else None, self.holders.get(name)

    def key_of(self, row: Entry) -> str:
        """The session's name, or the heading's key."""
        return row.session.name if isinstance(row, SessionRow) else row.key

    def stops_at(self, row: Entry) -> bool:
        """On sessions only."""
        return isinstance(row, SessionRow)

    def draw_row(self, row: Entry, width: int, *, chosen: bool) -> Content:
        """A heading, or a session in cells that go one by one as the width shrinks."""
        del chosen
        return self._heading(row, width) if isinstance(row, Heading) else self._session(row, width)

    def _heading(self, heading: Heading, width: int) -> Content:
        name: Pieces = ((heading.name.upper(), "$accent bold" if heading.here else "bold"),)
        if heading.here:
            name = (*name, (f" {self.glyphs.dot} here", "$accent"))
        elif heading.where:
            name = (*name, (f"  {heading.where}", "$faint"))
        return row((Cell(name), Cell(((str(heading.count), "$faint"),), 4, "right")), width, self.glyphs)

    def _session(self, entry: SessionRow, width: int) -> Content:
        session = entry.session
        went_on = entry.went_on and session.state not in {State.LIVE, State.UNRESOLVED}
        style = "$quiet" if went_on else state_style(session.state)
        title = one_line(session.title) or "untitled"
        needs = 0 if went_on else needs_person(session)
        cells = [
            Cell(((state_glyph(session.state, self.glyphs), style), (f" {state_word(session.state)}", style)), 9),
            Cell(((title, "$quiet" if went_on else "" if session.title else "$quiet italic"),)),
        ]
        if entry.chain is not None and width >= _AGE_FROM:
            cells.append(Cell(((f"{entry.chain.n}/{entry.chain.of}", "$person"),), _CHAIN, "right"))
        if (holder := self.holders.get(session.name)) is not None and width >= _AGE_FROM:
            cells.append(Cell(((f"@{holder_name(holder)}", "$person bold"),), _HOLDER, "right"))
        if width >= _AGENT_FROM:
            cells.append(Cell(((inert_line(session.agent), "$quiet"),), 12))
        if width >= _BRANCH_FROM:
            cells.append(Cell(((inert_line(session.branch or ""), "$quiet"),), 20))
        if width >= _AGE_FROM:
            cells.append(Cell(self._age(session.name, session.last_activity_at), 5, "right"))
        if width >= _COUNT_FROM:
            cells.append(Cell(((str(needs) if needs else "", "$pile-claimed bold"),), 2, "right"))
        return row(cells, width, self.glyphs)

    def _age(self, name: SessionName, at: Stamp | None) -> Pieces:
        if name in self.breathing:
            spinner = self.glyphs.spinner
            return ((spinner[self.beat % len(spinner)] + " ", "$state-live"), ("now", "$quiet"))
        return ((age(at, self.now), "$quiet"),)
