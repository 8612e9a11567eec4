"""The list of the desk: what is known of all sessions, and the rows, the headline and the sentences made of it.

Decides what of it is drawn anew. Refuses to decide what is chosen: the desk does.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.containers import VerticalScroll
from textual.widgets import Static

from refloat_tui.present.sessions import is_shown, list_entries, take_sessions
from refloat_tui.present.teach import headline, nothing_fits, teach_empty
from refloat_tui.screens.desk_operations import DeskOperations
from refloat_tui.widgets.cells import content, say, two_ends

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.content import Content

    from refloat.model.problem import Problem
    from refloat.model.session import RecordGone, Session, SessionName
    from refloat.usecases.batch import Batch
    from refloat.usecases.first_rows import FirstRows
    from refloat.usecases.look_around import StartedIn
    from refloat_tui.library import Library
    from refloat_tui.screens.doors import Doors
    from refloat_tui.theme import Glyphs


class DeskList(DeskOperations):
    """A desk that knows its sessions."""

    def __init__(
        self, library: Library, doors: Doors, *, glyphs: Glyphs, home: str, first: FirstRows | None = None
    ) -> None:
        super().__init__(library, doors, glyphs=glyphs, home=home)
        self._first = first  # rows that are painted already, where the catalogue had any
        self._here: frozenset[SessionName] = frozenset()
        self._gone: tuple[RecordGone, ...] = ()
        self._problems: tuple[Problem, ...] = ()
        self._place: StartedIn | None = None
        self._first_group = ""
        """The group of this place, as far as the catalogue knows it."""
        self._narrows = True
        """Where this place has sessions, no others are shown, until somebody says otherwise."""
        self._complete = False
        self._progress = ""
        self._words = ""
        self._kept: frozenset[SessionName] = frozenset()
        """Sessions that stood under the cursor when they ceased to have the words of the filter."""
        self._watching = ""
        self._now = library.now()
        self._alone: dict[str, Static] = {}
        """What stands in place of sessions, by its id."""

    @property
    def is_complete(self) -> bool:
        """Whether everything was looked at once."""
        return self._complete

    @property
    def _shows_all(self) -> bool:
        """Whether sessions of other places are in the list. Undecided, as it will be once everything was looked at, as
        far as that is known: rows that come and go would be aimed at.
        """
        return self._everywhere if self._everywhere is not None else not (self._narrows and self._here)

    if TYPE_CHECKING:  # the desk has it

        def _keep_chosen(self) -> None:
            """The cursor and what is chosen agree."""

    def _take(self, found: Batch) -> tuple[Sequence[tuple[Session | None, Session]], bool]:
        """Sessions that look different now, as they were and as they are, and whether rows come or go besides."""
        others = take_sessions(self._sessions, found)
        moved = bool(found.removed) or (found.here is not None and found.here != self._here)
        self._here = self._here if found.here is None else found.here
        self._gone = self._gone if found.gone is None else found.gone
        self._problems = self._problems if found.problems is None else found.problems
        self._complete |= found.complete
        if (found.complete or found.chains) and found.chains != self._chains:
            self._chains, moved = found.chains, True
        self._progress = f" {found.done:,} of {found.total:,}" if found.total else ""
        return others, moved

    def _draw_in_place(self, others: Sequence[tuple[Session | None, Session]]) -> bool:
        """Draw sessions anew where they stand, and nothing else; False where that is not all."""
        everywhere = self._shows_all
        narrowed = partial(is_shown, here=self._here, words=self._words, everywhere=everywhere, kept=self._kept)
        if any(old is None or old.state is not new.state or narrowed(old) != narrowed(new) for old, new in others):
            return False
        if not self._list.renew([new for _, new in others if narrowed(new)], self._now):
            return False
        if any(new.name == self._chosen for _, new in others):
            self.refresh_bindings()
        return True

    def _draw(self) -> None:
        home_group = (self._place.repo or self._place.path) if self._place else self._first_group
        entries = list_entries(
            self._sessions.values(),
            here=self._here,
            home_group=home_group,
            home=self._home,
            words=self._words,
            everywhere=self._shows_all,
            chains=self._chains,
            kept=self._kept,
        )
        self.set_class(self._complete and not self._sessions, "-empty")
        self._list.can_focus = not self.has_class("-empty")  # who comes back from a demo stands in no hidden list
        self.set_class(bool(self._sessions) and not entries, "-none-fits")
        self._detail.head.take_chain(self.chain_here())
        self.refresh_bindings()
        self._list.now = self._now
        self._list.set_rows(entries)
        if self._chosen is None or self._list.cursor_key != self._chosen:
            self._keep_chosen()
        self._draw_headline()
        self._draw_scope()
        if self.has_class("-empty"):
            looked_in, demo = self._library.looked_in(), self._doors.demo is not None
            lesson = teach_empty(self._problems, self._gone, looked_in, self._home, demo=demo)
            self._say_alone("lesson", content(lesson))
        elif self.has_class("-none-fits"):
            self._say_alone("nothing", content(nothing_fits(self._words, everywhere=self._shows_all)))

    def _say_alone(self, name: str, words: Content) -> None:
        """Say something in place of sessions. Where it stands is made once it is needed: most never see it."""
        if (place := self._alone.get(name)) is not None:
            say(place, words)
            return
        place = self._alone[name] = Static(words, id=name, markup=False)
        if name == "lesson":
            self.mount(VerticalScroll(place, id="teach", can_focus=False), after="#body")
        else:
            self.mount(place, before="#sessions")

    def _draw_headline(self) -> None:
        reading = "" if self._complete else f"reading{self._progress}{self.glyphs.ellipsis}"
        known, demo = self._sessions.values(), self._doors.is_demo
        total = self._first.batch.total if self._first is not None and not self._complete else 0
        words = headline(
            self._place,
            known,
            self._watching,
            self._home,
            self.glyphs,
            reading=reading,
            demo=demo,
            total=total,
            narrow=self._is_narrow,
        )
        say(self.query_one("#headline", Static), two_ends(*words, self.size.width - 2, self.glyphs))

    def _draw_scope(self) -> None:
        if self._everywhere is None:
            return  # nobody decided yet; what is painted stays
        lit, other = ("$accent bold", "$quiet") if self._everywhere is False else ("$quiet", "$accent bold")
        dot = (f" {self.glyphs.dot} ", "$quiet")
        say(self.query_one("#scope", Static), (("here", lit), dot, ("all", other), ("  ", ""), ("h", "$key")))
