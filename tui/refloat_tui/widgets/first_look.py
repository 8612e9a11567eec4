"""What is painted first: the line at the top and the rows that fit, where the desk will have them.

Decides nothing about sessions and takes no key. It is one widget on the screen that Textual makes anyway: the desk with
all its parts takes as long to make as Textual takes to load. A test holds both to the same picture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.content import Content
from textual.widget import Widget

from refloat.model.session import SessionName
from refloat_tui.present.sessions import Heading, here_of, list_entries
from refloat_tui.present.teach import headline
from refloat_tui.widgets.cells import two_ends, under_cursor
from refloat_tui.widgets.session_rows import age_cell, heading_line, session_line

if TYPE_CHECKING:
    from textual.app import RenderResult

    from refloat.model.stamp import Stamp
    from refloat.usecases.first_rows import FirstRows
    from refloat_tui.theme import Glyphs

NARROW_BELOW: Final = 100
"""Columns below which list and session do not stand beside each other."""


class FirstLook(Widget):
    """The desk's rows before there is a desk."""

    DEFAULT_CSS = "FirstLook { height: 100%; width: 100%; }"

    def __init__(
        self,
        first: FirstRows,
        now: Stamp,
        *,
        glyphs: Glyphs,
        home: str,
        demo: bool = False,
        narrows: bool = True,
    ) -> None:
        """`narrows`: where this place has sessions, no others are shown."""
        super().__init__()
        self._narrows = narrows
        self._first = first
        self._now = now
        self._glyphs = glyphs
        self._home = home
        self._demo = demo

    def render(self) -> RenderResult:
        """All of it as one text: each line is as wide as it may be."""
        width, height = self.size
        narrow = width < NARROW_BELOW
        known, total, glyphs = self._first.batch.sessions, self._first.batch.total, self._glyphs
        wait = f"reading 0 of {total:,}{glyphs.ellipsis}"
        words = headline(None, known, "", self._home, glyphs, reading=wait, demo=self._demo, total=total, narrow=narrow)
        above = [Content(" ") + two_ends(*words, width - 2, self._glyphs), *(_NOTHING,) * (2 if narrow else 3)]
        return Content("\n").join([*above, *self._rows(_list_width(width, self._glyphs), height - len(above) - 1)])

    def _rows(self, width: int, most: int) -> list[Content]:
        here = here_of(self._first.batch.sessions, self._first.group) if self._narrows else frozenset[SessionName]()
        entries = list_entries(
            self._first.batch.sessions,
            here=here,
            home_group=self._first.group,
            home=self._home,
            words="",
            everywhere=not here,
            chains=self._first.batch.chains,
        )
        cursor = next((at for at, entry in enumerate(entries) if not isinstance(entry, Heading)), None)
        lines: list[Content] = []
        for at, entry in enumerate(entries[:most]):
            if isinstance(entry, Heading):
                drawn = heading_line(entry, width - 1, self._glyphs)
            else:
                drawn = session_line(entry, width - 1, self._glyphs, age_cell(entry.session, self._now), None)
            if at == cursor:
                drawn = under_cursor(drawn, focused=True, ansi=self.app.native_ansi_color)
            mark = (self._glyphs.cursor, "$accent") if at == cursor else (" ", "")
            lines.append(Content.assemble(mark) + drawn)
        return lines


_NOTHING: Final = Content("")
_SHARE, _LEAST, _MOST = 36, 38, 64
"""Of the width, and columns, that `desk.tcss` gives the list."""


def _list_width(width: int, glyphs: Glyphs) -> int:
    """Columns of a row: less than the list has by its scroll bar, and by the rule between it and the session."""
    bar = 0 if glyphs.ascii else 1
    if width < NARROW_BELOW:
        return width - bar
    return min(_MOST, max(_LEAST, width * _SHARE // 100)) - 1 - bar
