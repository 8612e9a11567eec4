"""The desk: sessions at the left, the chosen one at the right, both kept up to date.

Decides what is chosen and what is read when. The reading itself is `desk_work`; nothing here waits.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.timer import Timer
from textual.widgets import Input, Static

from refloat.model.session import SessionName
from refloat_tui.actions import bindings
from refloat_tui.base import OPENS_WITHIN
from refloat_tui.library import HUGE
from refloat_tui.present.sessions import has_grown, has_moved_on, here_of, matches
from refloat_tui.screens.desk_list import DeskList
from refloat_tui.screens.desk_operations import OF_A_SESSION
from refloat_tui.screens.doors import Doors
from refloat_tui.widgets.detail import Detail
from refloat_tui.widgets.first_look import NARROW_BELOW
from refloat_tui.widgets.key_line import KeyLine
from refloat_tui.widgets.row_list import RowList
from refloat_tui.widgets.session_list import SessionList

if TYPE_CHECKING:
    from collections.abc import Mapping

    from refloat.model.record import Lease
    from refloat.model.session import Session
    from refloat.usecases.first_rows import FirstRows
    from refloat_tui.library import Library
    from refloat_tui.messages import PlaceKnown, SessionsFound, WatchTold
    from refloat_tui.theme import Glyphs

_SETTLE: Final = 0.12
"""Seconds that the cursor rests before a session is read."""
GATHER: Final = 0.24
"""Seconds that changes are gathered before a look."""
_LOOK_EVERY: Final = 2.5
"""Seconds between two glances at the processes."""
_DEMO_WITHIN: Final = 10.0
"""Seconds that keys wait for a demo: most machines build one in two."""
_AFTER_PAINT: Final = 0.02
"""Seconds that the first paint has for itself before anything else begins."""
_REST: Final = 10
"""A look that took long is rested from for so many times its length."""


class DeskScreen(DeskList):
    """The first screen."""

    AUTO_FOCUS = "#sessions"
    CSS_PATH = "desk.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("desk")]

    def __init__(
        self,
        library: Library,
        doors: Doors,
        *,
        glyphs: Glyphs,
        home: str,
        chosen: SessionName | None = None,
        first: FirstRows | None = None,
        over: bool = False,
    ) -> None:
        super().__init__(library, doors, glyphs=glyphs, home=home, first=first)
        self._over = over  # another desk lies below, to which leaving leads
        self._chosen: SessionName | None = chosen
        self._narrows = chosen is None
        self._settle: Timer | None = None
        self._gather: Timer | None = None
        self._looked = time.monotonic()
        self._begun = math.inf
        """When it was shown, and then when its panes were."""

    def compose(self) -> ComposeResult:
        """Headline, list and detail, keys."""
        yield Static(id="headline", markup=False)
        with Horizontal(id="body"):
            with Vertical(id="left"):
                with Horizontal(id="filter-line"):
                    yield Input(placeholder="/ to filter", id="filter", compact=True)
                    yield Static(id="scope", markup=False)
                yield SessionList(self.glyphs, self._now, id="sessions")
            yield Detail(self.glyphs, self._home, id="detail")
        yield KeyLine(self.glyphs)

    def on_mount(self) -> None:
        """Paint what the catalogue has, then look: nothing here waits for a scan."""
        self._begun = time.monotonic()
        self._fit()
        if self._first is not None:
            self._first_group = self._first.group
            self._here = here_of(self._first.batch.sessions, self._first.group)
            self._take(self._first.batch)
        self._draw()
        self.call_after_refresh(self.set_timer, _AFTER_PAINT, self._begin)

    def _begin(self) -> None:
        """The first paint is there."""
        self.load_panes()
        self.find()
        self.learn_place()
        self.watch_files()

    async def on_panes_loaded(self) -> None:
        """Make the panes; reading a session begins with them."""
        await self._detail.build()
        if not self._detail.is_built:
            return
        self._begun = time.monotonic()
        self._read_soon()
        self.look_at_record(anew=False)
        self.set_interval(_LOOK_EVERY, self._tick)

    # ── parts ────────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def sessions(self) -> Mapping[SessionName, Session]:
        """All that are known."""
        return self._sessions

    @property
    def _is_in_detail(self) -> bool:
        """Whether the keyboard is at the session, not at the list."""
        return self._detail.has_focus_within or (self._is_narrow and self.has_class("-detail"))

    @property
    def is_opening(self) -> bool:
        """Keys that come first of all wait, too: for rows, and for the pane that one of them led to."""
        awaited = self._detail.is_awaited if self._sessions else not self._complete
        return super().is_opening or (awaited and time.monotonic() < self._begun + OPENS_WITHIN)

    def _show_demo(self, library: Library, doors: Doors) -> None:
        self.opening = None
        self.app.push_screen(DeskScreen(library, doors, glyphs=self.glyphs, home=doors.home or self._home, over=True))

    # ── what workers said ────────────────────────────────────────────────────────────────────────────────────────────

    def on_sessions_found(self, message: SessionsFound) -> None:
        """Take a batch: change what is known, then draw what is seen."""
        before, was_complete = self._session, self._complete
        others, moved = self._take(message.found)
        if (
            (seen := self._session) is not None
            and self._list.cursor_key == seen.name
            and not matches(seen, self._words)
        ):
            self._kept |= {seen.name}  # whatever became of it: nobody loses what they look at, or just stopped
        self._now = self._library.now()
        if grew := frozenset(new.name for old, new in others if old is not None and has_grown(old, new)):
            self._list.breathe(grew)
        if self._everywhere is None and self._complete:
            self._everywhere, moved = not self._here, True
        if moved or not was_complete or not self._draw_in_place(others):
            self._draw()
        self._go_to_wanted()
        after = self._session
        if after is not None and before is not None:
            self._detail.tell(after, self._now)
            if has_moved_on(before, after):
                self._read_soon()

    def on_place_known(self, message: PlaceKnown) -> None:
        """The line at the top knows where we are."""
        self._place = message.place
        self._draw()

    def on_watch_told(self, message: WatchTold) -> None:
        """Gather changes for a moment, then look once."""
        self._watching = message.how
        if not message.changed:
            self._draw_headline()
        elif self._gather is None:
            self._gather = self.set_timer(GATHER, self._look_gathered)

    def _look_gathered(self) -> None:
        self._gather = None
        if self.is_at("look"):
            # A look that is cut short again and again by an agent that writes all the time would never end.
            self._gather = self.set_timer(GATHER, self._look_gathered)
        else:
            self.look_at_changes()

    def _tick(self) -> None:
        """Processes come and go without a file that changes; ages grow."""
        self._now = self._library.now()
        self._list.pass_time(self._now)
        if self._session is not None:
            self._detail.tell(self._session, self._now)
        if (
            self._complete
            and not self.is_at("find", "look")
            and time.monotonic() - self._looked >= _REST * self._look_took
        ):
            self._looked = time.monotonic()
            self.look_if_due()
        self.look_at_record(anew=False)
        opened = self._detail.opened if self._detail.written is not None else None
        if opened is not None and opened.status.recovered is not None and not self.is_at("left"):
            self.look_at_brief(opened)

    def take_holders(self, holders: Mapping[str, Lease]) -> None:
        """Who else is at which session: said in the list and in the verdict."""
        before, chosen = self._list.holders, self._chosen or ""
        if holders != before:
            self._list.holders = holders
            self._list.redraw()
        self._detail.head.take_holder(holders.get(chosen))
        if holders != before:
            self.refresh_bindings()
        if self._detail.session is not None and _whose(holders.get(chosen)) != _whose(before.get(chosen)):
            self._read_soon()  # what may be done next is another thing

    # ── drawing ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _fit(self) -> None:
        self.set_class(self.size.width < NARROW_BELOW, "-narrow")
        self.set_class(self.glyphs.ascii, "-ascii")

    def on_resize(self, event: events.Resize) -> None:
        """List and detail beside each other, or one at a time."""
        del event
        self._fit()
        self._draw_headline()
        self.refresh_bindings()

    # ── choosing ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _keep_chosen(self) -> None:
        """The cursor and what is chosen agree; a session that was asked for by name is found when it comes."""
        if self._chosen is not None and self._list.go_to(self._chosen):
            return
        self._choose(self._list.cursor_key)

    def _choose(self, key: str | None) -> None:
        name = SessionName(key) if key is not None else None
        if name == self._chosen and self._detail.session is not None:
            return
        self._chosen = name
        self._detail.begin(self._session, self._now)
        self._detail.head.take_chain(self.chain_here())
        self._detail.head.take_holder(self._list.holders.get(self._chosen or ""))
        self.refresh_bindings()
        self._read_soon()

    def show_session(self, name: SessionName) -> bool:
        """Choose a session, whatever the list is narrowed to."""
        if not self._list.go_to(name):
            self._everywhere = True
            self.query_one("#filter", Input).value = self._words = ""
            self._draw()
        return self._list.go_to(name)

    def _read_soon(self) -> None:
        if self._settle is not None:
            self._settle.stop()
        self._settle = self.set_timer(_SETTLE, self._read_now)

    def _read_now(self) -> None:
        if self._chosen is not None and self._detail.is_built:
            self._read(whole=False)
            self.look_at_record(anew=True)

    def _read(self, *, whole: bool) -> None:
        session = self._session
        if self._chosen is not None:
            self.read(self._chosen, session.transcript.bytes if session is not None else 0, whole=whole)

    @on(RowList.Moved, "#sessions")
    def _cursor_moved(self, event: RowList.Moved) -> None:
        event.stop()
        self._choose(event.key)

    @on(RowList.Entered, "#sessions")
    def _session_entered(self, event: RowList.Entered) -> None:
        event.stop()
        self.add_class("-detail")
        self._detail.show_tab(self._detail.shown, focus=True)
        self.refresh_bindings()

    @on(Input.Changed, "#filter")
    def _filtered(self, event: Input.Changed) -> None:
        self._words, self._kept = event.value, frozenset()
        self._draw()

    @on(Input.Submitted, "#filter")
    def _filter_done(self) -> None:
        self._list.focus()

    # ── actions ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def is_idle(self, action: str) -> bool:
        """What has nothing to do with what is shown: ways back from nowhere, sessions where there are none."""
        empty = self.has_class("-empty")
        match action:
            case "desk_back":
                return not self._is_in_detail and not self.query_one("#filter").has_focus and not self._words
            case "desk_return":
                return not self.can_return
            case "desk_newer" | "desk_older":
                return self.neighbour(action) is None
            case "desk_demo":
                return self._doors.demo is None
            case "desk_quit" | "desk_refresh" | "desk_jobs":
                return False
            case _:
                return empty or (action in OF_A_SESSION and self.has_class("-none-fits"))

    def word_of(self, action: str) -> str | None:
        """Leaving a demo that was opened here ends nothing; to open one is offered only where there is nothing."""
        if action == "desk_demo" and not self.has_class("-empty"):
            return ""
        match action:
            case "desk_back" if self._is_in_detail and self._detail.is_at_a_jump:
                return "back"
            case "desk_return" if self._is_in_detail and self._detail.is_at_a_jump:
                return ""  # esc leads there, too
            case "desk_quit" if self._over:
                return "leave demo"
            case _:
                return super().word_of(action)

    def is_kept(self, action: str) -> bool:
        """The way out of a demo that was opened here, and into one where there is nothing else."""
        return action == ("desk_quit" if self._over else "desk_demo" if self.has_class("-empty") else "")

    def why_not(self, action: str) -> str | None:
        """Why a key is off."""
        match action:
            case "desk_recover" if self._doors.wizard is None:
                return "The recovery wizard is not part of this start of Refloat."
            case "desk_recover" | "desk_evidence" if self._session is None:
                return "Choose a session first: there is none under the cursor."
            case "desk_copy" if self._detail.head.command is None:
                return "There is no command to copy: NEXT says what to do instead."
            case _:
                return super().why_not(action)

    def action_desk_back(self) -> None:
        """To where a jump began, else from the session to the list; there, clear the filter."""
        if self._is_narrow and self._is_in_detail and self._detail.head.fold():
            return
        if self._is_in_detail and self._detail.is_at_a_jump:
            self._detail.go_back()
            self.refresh_bindings()
            return
        if not self._is_in_detail:
            self.query_one("#filter", Input).value = ""
        self.remove_class("-detail")
        self._list.focus()
        self.refresh_bindings()

    def action_desk_side(self) -> None:
        """To the next list."""
        self._go_round(1)

    def action_desk_side_before(self) -> None:
        """To the list before."""
        self._go_round(-1)

    def _go_round(self, by: int) -> None:
        stops = [widget for widget in self.focus_chain if widget.id != "filter"]
        if self._is_narrow and not self.has_class("-detail"):
            self._show(self._detail.shown)
        elif self.focused in stops:
            stops[(stops.index(self.focused) + by) % len(stops)].focus()
        else:
            self._list.focus()

    def action_desk_evidence(self) -> None:
        """Unfold what the state rests on."""
        self.add_class("-detail")
        self._detail.head.unfold()

    def action_desk_filter(self) -> None:
        """Type words."""
        self.remove_class("-detail")
        self.query_one("#filter", Input).focus()

    def action_desk_scope(self) -> None:
        """Here or everywhere."""
        self._everywhere = not self._shows_all
        self._draw()

    def action_desk_refresh(self) -> None:
        """Look at everything now."""
        self.look()
        self.learn_place()
        if self._session is not None and self._session.transcript.bytes >= HUGE:
            self._read(whole=True)
        else:
            self._read_soon()

    def action_desk_jobs(self) -> None:
        """List the jobs."""
        self.open_soon(self.find_jobs(self._session))

    def action_desk_demo(self) -> None:
        """Build the demo and open it."""
        if self._doors.demo is not None and not self.is_at("demo") and self.is_current:
            self.tell(f"Building the demo{self.glyphs.ellipsis}")
            self.open_soon(self.build_demo(self._doors.demo, self._show_demo), _DEMO_WITHIN)

    def action_desk_quit(self) -> None:
        """Leave; from a demo that was opened here, back to the desk below it."""
        if self._over:
            self.dismiss()
        else:
            self.app.exit()


def _whose(lease: Lease | None) -> str:
    return lease.token if lease is not None else ""
