"""Search: words over every session, the places that hold them as they come, and the way to each.

Decides when a search runs: a moment after the last key, and again while more is read. The searching is a worker's,
which a next key cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.getters import query_one
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static
from textual.worker import get_current_worker

from refloat.errors import RefloatError
from refloat.model.search import Asked, Found
from refloat.model.session import Session, SessionName, State
from refloat.model.stamp import later
from refloat.text import inert
from refloat_tui.actions import bindings
from refloat_tui.base import RefloatScreen
from refloat_tui.library import Library
from refloat_tui.messages import message
from refloat_tui.present.search import HitRow, counted, filter_pieces, lesson, nothing_found, rows_of, searched
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import content
from refloat_tui.widgets.hit_list import HitList
from refloat_tui.widgets.key_line import KeyLine
from refloat_tui.widgets.row_list import RowList

_SETTLE: Final = 0.12
"""Seconds without a key before a search runs."""
_AGAIN: Final = 2.0
"""Seconds between two searches while sessions are still read."""
_LIMIT: Final = 60
_DAYS: Final[dict[str, int | None]] = {"any time": None, "one day": 1, "one week": 7, "one month": 30}
_UNSET: Final = {"where": "all", "agent": "any", "state": "any", "when": "any time"}


@dataclass(frozen=True, slots=True)
class Left:
    """A search as it was left for a place, to come back to."""

    words: str
    filters: Mapping[str, str]
    hit: str
    """The row of the place."""
    found: Found | None = None
    """What was found, to stand there at once."""


@dataclass(frozen=True, slots=True)
class Goal:
    """Where a person wants to go: a session, and an item of its history; and the search that led there."""

    session: SessionName
    item: int | None
    line: int | None
    left: Left | None = None


class SearchScreen(RefloatScreen[Goal]):
    """A field, filters, and hits. Comes back with where to go, or with nothing."""

    @message
    class Answered(Message, bubble=False):
        """A search has an answer (or, `why`, has none)."""

        asked: Asked
        found: Found | None
        why: str = ""

    CSS = """
    SearchScreen > #search-head { height: 1; padding: 0 1; }
    SearchScreen > Input { height: 1; border: none; padding: 0 1; margin: 1 0 0 0; background: $cursor-ground; }
    SearchScreen > #search-filters { height: 1; padding: 0 1; margin: 0 0 1 0; }
    SearchScreen > #search-none { height: auto; padding: 0 2; display: none; }
    SearchScreen > Vertical { height: 1fr; }
    SearchScreen.-none > #search-none { display: block; }
    SearchScreen.-none > Vertical { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("search")]

    field = query_one(Input)
    hits = query_one(HitList)

    def __init__(
        self,
        library: Library,
        sessions: Callable[[], Collection[Session]],
        here: frozenset[SessionName],
        *,
        glyphs: Glyphs,
        words: str = "",
        left: Left | None = None,
    ) -> None:
        super().__init__(glyphs=glyphs)
        self._library = library
        self._sessions = sessions
        self._here = here
        self._words = words if left is None else left.words
        self._filters = dict(_UNSET if left is None else left.filters)
        self._goes_to = None if left is None else left.hit
        """The hit that the cursor returns to with the first answer."""
        self._found: Found | None = None
        self._why = ""
        self._settle: Timer | None = None
        self._asking: Asked | None = None
        """What is searched now, as long as nothing else was typed or chosen."""
        self._is_sought = False
        """Whether what was typed or chosen has no answer yet."""
        self._then: list[Callable[[], None]] = []
        """What keys asked for meanwhile: they mean the hits that come."""
        self._begins_with = None if left is None else left.found

    def compose(self) -> ComposeResult:
        """Heading, field, filters, hits, keys."""
        yield Static(id="search-head", markup=False)
        yield Input(self._words, placeholder="words in any session", compact=True)
        yield Static(id="search-filters", markup=False)
        yield Static(id="search-none", markup=False)
        with Vertical():
            yield HitList(self.glyphs, self._library.now(), id="hits")
        yield KeyLine(self.glyphs)

    def on_mount(self) -> None:
        """Begin with the words; what the desk reads meanwhile is found as it comes."""
        self.field.focus()
        if self._begins_with is not None:
            self._take(self._begins_with)
        self._is_sought = self._found is None
        self._draw()
        self._search()
        self.set_interval(_AGAIN, self._search_again)

    # ── asking ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _scope(self) -> list[Session]:
        everywhere = self._filters["where"] == "all"
        return [session for session in self._sessions() if everywhere or session.name in self._here]

    def _asked(self) -> Asked:
        chosen = {name: None if value == _UNSET[name] else value for name, value in self._filters.items()}
        days = _DAYS[self._filters["when"]]
        return Asked(
            self.field.value.strip(),
            agent=chosen["agent"],
            state=State(chosen["state"]) if chosen["state"] else None,
            since=None if days is None else later(self._library.now(), -86_400 * days),
            limit=_LIMIT,
        )

    def on_input_changed(self) -> None:
        """Search a moment after the last key."""
        self._asking = None
        self._is_sought = self.field.value.strip() != (self._found.query if self._found is not None else "")
        self._then.clear()
        self._draw()
        if self._settle is not None:
            self._settle.stop()
        self._settle = self.set_timer(_SETTLE, self._search)

    def _search(self) -> None:
        asked = self._asked()
        self._asking = asked if asked.words else None
        if asked.words:
            self.search(asked, self._scope())
        else:
            self.workers.cancel_group(self, "search")
            self._take(None)

    @work(thread=True, exclusive=True, group="search", exit_on_error=False, description="Searching")
    def search(self, asked: Asked, scope: list[Session]) -> None:
        """Search some sessions; a next search ends this one."""
        worker = get_current_worker()
        try:
            found = self._library.search(asked, scope, lambda: worker.is_cancelled)
        except RefloatError as fault:
            self.post_message(self.Answered(asked, None, str(fault)))
            return
        if not worker.is_cancelled:
            self.post_message(self.Answered(asked, found))

    def _search_again(self) -> None:
        """What was not searchable may be by now."""
        if self._found is not None and self._found.unread and self._asking is None:
            self._search()

    # ── answers ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def on_search_screen_answered(self, message: Answered) -> None:
        """Show what was found, unless something else is asked by now."""
        if message.asked is self._asking:
            self._asking = None
            self._take(message.found, message.why)

    def _take(self, found: Found | None, why: str = "") -> None:
        self._found, self._why, self._is_sought = found, why, False
        self.hits.set_rows(rows_of(found) if found is not None else ())
        if found is not None and self._goes_to is not None:
            self.hits.go_to(self._goes_to, middle=True)
            self._goes_to = None
        self._draw()
        self.refresh_bindings()
        then, self._then = self._then, []
        for do in then:
            do()

    def _after(self, do: Callable[[], None]) -> None:
        """Do it with the hits of what stands in the field, which may be on their way."""
        if self._is_sought and self.field.value.strip():
            self._then.append(do)
        else:
            do()

    def _draw(self) -> None:
        found, none = self._found, self.query_one("#search-none", Static)
        state = searched(len(self._scope()), found)
        count = f"   {counted(found)}" if found is not None and found.hits else ""
        self.query_one("#search-head", Static).update(content((("Search", "bold"), (f"   {state}{count}", "$quiet"))))
        self.query_one("#search-filters", Static).update(content(filter_pieces(self._filters, _UNSET, self.glyphs)))
        self.set_class(found is None or not found.hits, "-none")
        if self._why:
            none.update(inert(self._why))
        elif found is None and self.field.value.strip():
            none.update(content(((f"Searching{self.glyphs.ellipsis}", "$quiet"),)))
        elif found is None:
            none.update(content(lesson(self.glyphs)))
        elif not found.hits:
            none.update(content(nothing_found(self.field.value, found, narrowed=self._is_narrowed)))

    # ── actions ──────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def _is_narrowed(self) -> bool:
        return self._filters != _UNSET

    def is_idle(self, action: str) -> bool:
        """Where there is one agent, or no place, there is nothing to choose from."""
        match action:
            case "search_where":
                return not self._here
            case "search_agent" | "search_state" | "search_when" | "search_leave":
                return False
            case _:
                waits = self._is_sought and bool(self.field.value.strip())
                return not waits and (self._found is None or not self._found.hits)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go where the cursor stands."""
        event.stop()
        self.action_search_open()

    def on_row_list_entered(self, event: RowList.Entered) -> None:
        """Go there."""
        event.stop()
        self.action_search_open()

    def action_search_open(self) -> None:
        """To the place under the cursor."""
        self._after(self._open)

    def _open(self) -> None:
        row = self.hits.cursor_row
        if isinstance(row, HitRow):
            left = Left(self.field.value, dict(self._filters), row.key, self._found)
            self.dismiss(Goal(row.hit.session.name, row.hit.item, row.hit.line, left))

    def action_search_up(self) -> None:
        """One hit up."""
        self._after(self.hits.action_rows_up)

    def action_search_down(self) -> None:
        """One hit down."""
        self._after(self.hits.action_rows_down)

    def action_search_page_up(self) -> None:
        """One page up."""
        self._after(self.hits.action_rows_page_up)

    def action_search_page_down(self) -> None:
        """One page down."""
        self._after(self.hits.action_rows_page_down)

    def action_search_first(self) -> None:
        """To the first hit."""
        self._after(self.hits.action_rows_first)

    def action_search_last(self) -> None:
        """To the last hit."""
        self._after(self.hits.action_rows_last)

    def _turn(self, name: str, values: list[str]) -> None:
        choices = [_UNSET[name], *values]
        at = choices.index(self._filters[name]) if self._filters[name] in choices else 0
        self._filters[name] = choices[(at + 1) % len(choices)]
        self._is_sought = True
        self._draw()
        self._search()

    def action_search_where(self) -> None:
        """Everywhere, or here."""
        self._turn("where", ["here"])

    def action_search_agent(self) -> None:
        """The next agent."""
        self._turn("agent", sorted({session.agent for session in self._sessions()}))

    def action_search_state(self) -> None:
        """The next state."""
        self._turn("state", [state.value for state in State])

    def action_search_when(self) -> None:
        """The next stretch of time."""
        self._turn("when", [value for value in _DAYS if value != _UNSET["when"]])

    def action_search_leave(self) -> None:
        """Take the filters back; where there are none, leave."""
        if self._is_narrowed:
            self._filters = dict(_UNSET)
            self._is_sought = True
            self._draw()
            self._search()
        else:
            self.dismiss(None)
