"""The way from the desk to the search, and with what was found there to its place.

Decides what a search begins with (as it was left for a place, else with the words that narrow the list), that a place
is shown as soon as its session is read, and that the way back from there leads to the search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import Input

from refloat_tui.screens.desk_asks import DeskAsks

if TYPE_CHECKING:
    from refloat.model.session import Session, SessionName
    from refloat_tui.screens.search import Goal, Left


class DeskSearch(DeskAsks):
    """A desk that can be left for a search."""

    _sessions: dict[SessionName, Session]
    _here: frozenset[SessionName]
    _goes_to: Goal | None = None
    """A place that is shown when its session has been read."""
    _left: Left | None = None
    """The search that led to the last place."""
    _led_to: SessionName | None = None
    """And the session of that place."""

    if TYPE_CHECKING:  # the desk has it

        def show_session(self, name: SessionName) -> bool:
            """Choose a session, whatever the list is narrowed to; False where it is not there."""
            ...

    def action_desk_search(self) -> None:
        """Search all sessions; after a place that was found, go on with its search."""
        from refloat_tui.screens.search import SearchScreen

        words = self.query_one("#filter", Input).value
        screen = SearchScreen(
            self._library, self._sessions.values, self._here, glyphs=self.glyphs, words=words, left=self._left
        )
        self.app.push_screen(screen, self.come_back)

    @property
    def can_return(self) -> bool:
        """Whether a jump led here, or a search."""
        return self._detail.can_return or self._is_at_a_hit

    @property
    def _is_at_a_hit(self) -> bool:
        return self._left is not None and self._led_to == self._chosen

    def action_desk_return(self) -> None:
        """To where the last jump began, or to the search that led to this session."""
        if not self._detail.can_return and self._is_at_a_hit:
            self.action_desk_search()
            return
        self.add_class("-detail")
        self._detail.go_back()
        self.refresh_bindings()

    def come_back(self, goal: Goal | None) -> None:
        """From a search, with the place that was chosen there or with none."""
        self._left = None if goal is None else goal.left
        self._led_to = None if goal is None else goal.session
        self.refresh_bindings()
        if goal is None:
            return
        self._detail.forget_jumps()  # what led to the place is the search
        if not self.show_session(goal.session):
            self.tell("That session is not in the list any more.")
        elif goal.item is not None:
            self._goes_to = goal
            self.arrive()

    def arrive(self) -> None:
        """Show the item that is waited for, if its session is read. Of one that is too long for that, the line."""
        detail, goal = self._detail, self._goes_to
        if goal is None or goal.item is None or goal.session != self._chosen:
            return
        if detail.opened is None and not (detail.is_built and detail.history.is_long):
            return
        self.add_class("-detail")
        detail.show_item(goal.item, goal.line)
        self._goes_to = None
