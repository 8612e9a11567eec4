"""The list of sessions: one line each, grouped by workspace, what is broken on top."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refloat_tui.present.age import minute_of
from refloat_tui.present.sessions import Entry, Heading, SessionRow, renewed
from refloat_tui.widgets.row_list import RowList
from refloat_tui.widgets.session_rows import age_cell, heading_line, session_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.content import Content

    from refloat.model.record import Lease
    from refloat.model.session import Session, SessionName
    from refloat.model.stamp import Stamp
    from refloat_tui.present import Pieces
    from refloat_tui.theme import Glyphs


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
        is_same_minute, ended = minute_of(now) == minute_of(self.now), self.breathing
        self.now, self.breathing = now, frozenset()
        if not is_same_minute:
            self.redraw()
            return
        for name in ended:
            self.draw_again(name)

    def breathe(self, grew: frozenset[SessionName]) -> None:
        """These grew just now, and others no more."""
        before, self.breathing = self.breathing, grew
        for name in before ^ grew:
            self.draw_again(name)

    def renew(self, sessions: Sequence[Session], now: Stamp) -> bool:
        """Show sessions as they are now, in the rows where they stand; False, and nothing is changed, where a row would
        have to come, go or move.
        """
        places = {place: each for each in sessions if (place := self.place_of(each.name)) is not None}
        rows = renewed(self.rows, places) if len(places) == len(sessions) else None
        if rows is None:
            return False
        self.renew_rows(rows, places)
        if minute_of(now) != minute_of(self.now):
            self.refresh()
        self.now = now
        return True

    def shown_in(self, row: Entry) -> object:
        """The row, the minute, and what is known of the session besides."""
        if isinstance(row, Heading):
            return row
        name = row.session.name
        return row, minute_of(self.now), self.beat if name in self.breathing else None, self.holders.get(name)

    def key_of(self, row: Entry) -> str:
        """The session's name, or the heading's key."""
        return row.session.name if isinstance(row, SessionRow) else row.key

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What is off before the first sessions come is dimmed, so that no other key stands in its place until then."""
        return super().check_action(action, parameters) or None

    def stops_at(self, row: Entry) -> bool:
        """On sessions only."""
        return isinstance(row, SessionRow)

    def draw_row(self, row: Entry, width: int, *, chosen: bool) -> Content:
        """A heading, or a session in cells that go one by one as the width shrinks."""
        del chosen
        if isinstance(row, Heading):
            return heading_line(row, width, self.glyphs)
        return session_line(row, width, self.glyphs, self._age(row.session), self.holders.get(row.session.name))

    def _age(self, session: Session) -> Pieces:
        if session.name in self.breathing:
            spinner = self.glyphs.spinner
            return ((spinner[self.beat % len(spinner)] + " ", "$state-live"), ("now", "$quiet"))
        return age_cell(session, self.now)
