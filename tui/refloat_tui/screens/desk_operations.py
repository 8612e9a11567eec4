"""What the desk has done to the chosen session: one question for each, one sentence of what came of it.

Decides nothing of what is possible: every key opens the question, which says why not and what instead.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

from textual import work

from refloat.errors import RefloatError
from refloat.model.session import FailureKind
from refloat.text import one_line
from refloat_tui.messages import WayLooked
from refloat_tui.present.next_keys import leads_there
from refloat_tui.screens.desk_search import DeskSearch
from refloat_tui.widgets.detail import TABS
from refloat_tui.widgets.session_list import SessionList

if TYPE_CHECKING:
    from collections.abc import Mapping

    from refloat.model.attempts import InChain
    from refloat.model.session import Session, SessionName
    from refloat_tui.library import Library
    from refloat_tui.messages import SessionOpened
    from refloat_tui.operations import Operation, Operations
    from refloat_tui.screens.doors import Doors
    from refloat_tui.screens.operation_work import Done
    from refloat_tui.screens.wizard.farewell import Farewell
    from refloat_tui.theme import Glyphs

ASKS: Final = frozenset(
    {"desk_attach", "desk_peek", "desk_continue", "desk_new", "desk_stop", "desk_repair", "desk_salvage"}
)
_TABS: Final = frozenset(f"desk_{tab}" for tab in TABS)
OF_A_SESSION: Final = ASKS | _TABS | {"desk_recover", "desk_evidence", "desk_copy", "desk_side", "desk_side_before"}
"""Actions that need a session under the cursor."""
_REPAIRED: Final = frozenset({FailureKind.TRANSCRIPT_DAMAGED})
_TOLD: Final = 20.0
"""Seconds that it is told what came of an operation."""


class DeskOperations(DeskSearch):
    """A desk that asks before it has something done."""

    def __init__(self, library: Library, doors: Doors, *, glyphs: Glyphs, home: str) -> None:
        super().__init__(library, glyphs=glyphs)
        self._doors = doors
        self._home = home
        self._sessions: dict[SessionName, Session] = {}
        self._chains: Mapping[SessionName, InChain] = {}
        self._wanted: SessionName | None = None
        """A session to stand on as soon as it is found."""
        self._everywhere: bool | None = None
        """None until a person or the first complete look decides."""

    @property
    def _list(self) -> SessionList:
        return self.query_one(SessionList)

    @property
    def _is_narrow(self) -> bool:
        return self.has_class("-narrow")

    @property
    def _session(self) -> Session | None:
        return self._sessions.get(self._chosen) if self._chosen else None

    def why_not(self, action: str) -> str | None:
        """Without a session there is nothing to ask about."""
        if action not in ASKS:
            return None
        session, operations = self._session, self._doors.operations
        if operations is None:
            return "Nothing can be done to sessions in this start of Refloat; NEXT says the command."
        if session is None:
            return "Choose a session first: there is none under the cursor."
        if action == "desk_repair" and not _can_be_repaired(session):
            return f"Refloat cannot repair transcripts of {session.agent}: start a new session from it instead (+)."
        return None

    def is_vain(self, action: str) -> bool:
        """What the guard would refuse: the question behind its key says why, and what instead."""
        return action in ASKS and self._detail.head.is_vain(action)

    def word_of(self, action: str) -> str | None:
        """What few sessions have is offered of these alone; its key asks anywhere."""
        session = self._session
        damaged = session is not None and session.failure is not None and session.failure.kind in _REPAIRED
        if (action == "desk_salvage" and not self._detail.head.can_salvage) or (
            action == "desk_repair" and not damaged
        ):
            return ""
        return super().word_of(action)

    # ── the way to a live one ────────────────────────────────────────────────────────────────────────────────────────

    def on_session_opened(self, message: SessionOpened) -> None:
        """Where NEXT would lead to where it runs, look whether anything does (beside what the panes do with it)."""
        if self._doors.operations is not None and leads_there(message.opened.status):
            self._look_for_way(message.name, self._doors.operations)

    @work(thread=True, exclusive=True, group="way", exit_on_error=False, description="Looking for where it runs")
    def _look_for_way(self, name: SessionName, operations: Operations) -> None:
        from refloat_tui.operations import Asked

        try:
            offer = operations.plan(Asked("attach", name)).offer
        except RefloatError:
            return  # asked for it, the question says why
        unseen = offer.refused and _is_unseen(name, operations)
        self.post_message(WayLooked(name, offer.guard if offer.refused else "", unseen))

    def on_way_looked(self, message: WayLooked) -> None:
        """NEXT says so."""
        if message.name == self._chosen:
            self._detail.head.take_no_way(message.name, message.no_way, no_view=message.no_view)
            self.refresh_bindings()

    # ── asking ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def ask_about(self, operation: Operation) -> None:
        """Open the question about the chosen session."""
        from refloat_tui.operations import Asked
        from refloat_tui.screens.operation import OperationScreen  # not before it is asked for: the first paint waits

        if self._doors.operations is not None and self._chosen is not None:
            brief = self._detail.head.brief if operation == "new" else None
            asked = Asked(operation, self._chosen, brief=brief)
            question = OperationScreen(self._doors.operations, asked, glyphs=self.glyphs, home=self._home)
            self.app.push_screen(question, self._heard)

    def _heard(self, done: Done | None) -> None:
        """Say what came of it, and look: a process went, a session came."""
        if done is None:
            return
        self.tell(done.words, bad=done.bad, seconds=_TOLD)  # who comes back from an agent looks up late
        self._wanted = done.show
        self.look()
        self._read_soon()

    if TYPE_CHECKING:  # the desk has it

        def _read_soon(self) -> None:
            """Read the chosen session once the cursor rests."""

    def _go_to_wanted(self) -> None:
        """Stand on a session that was waited for, wherever the list has it."""
        if self._wanted is not None and self._wanted in self._sessions:
            wanted, self._wanted = self._wanted, None
            self.show_session(wanted)

    def chain_here(self) -> InChain | None:
        """Where the chosen session stands among the attempts, with those neighbours that can be gone to."""
        chain = self._chains.get(self._chosen) if self._chosen else None
        if chain is None:
            return None
        before, after = (name if name in self._sessions else None for name in (chain.previous, chain.following))
        return replace(chain, previous=before, following=after)

    def neighbour(self, action: str) -> SessionName | None:
        """The attempt that `desk_newer` or `desk_older` leads to."""
        chain = self.chain_here()
        if chain is None:
            return None
        return chain.following if action == "desk_newer" else chain.previous

    # ── actions ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def action_desk_recover(self) -> None:
        """Open the wizard."""
        if self._doors.wizard is not None and self._chosen is not None:
            self.app.push_screen(self._doors.wizard(self._chosen), self._back_from_wizard)

    def _back_from_wizard(self, farewell: Farewell | None) -> None:
        """Say where the brief is, or how to come back."""
        if farewell is not None:
            self.tell(farewell.on_desk or farewell.sentence)
        self._read_soon()

    def action_desk_copy(self) -> None:
        """Copy the next command."""
        command = self._detail.head.command
        if command is not None:
            self.app.copy_to_clipboard(command)
            self.tell(f"Copied: {command}")

    def action_desk_salvage(self) -> None:
        """Write lost work into a patch."""
        self.ask_about("salvage")

    def action_desk_attach(self) -> None:
        """Go to where it runs."""
        self.ask_about("attach")

    def action_desk_continue(self) -> None:
        """Continue it."""
        self.ask_about("continue")

    def action_desk_new(self) -> None:
        """Start a new one from it."""
        self.ask_about("new")

    def action_desk_stop(self) -> None:
        """Stop it."""
        self.ask_about("stop")

    def action_desk_repair(self) -> None:
        """Repair it into a copy."""
        self.ask_about("repair")

    def action_desk_peek(self) -> None:
        """Look at its screen."""
        from refloat_tui.screens.peek import PeekScreen

        session, operations = self._session, self._doors.operations
        if session is None or operations is None:
            return
        title = one_line(session.title) or session.name

        def answered(then: Literal["attach"] | None) -> None:
            if then is not None:
                self.ask_about(then)

        self.app.push_screen(PeekScreen(operations, session.name, title, glyphs=self.glyphs), answered)

    def action_desk_newer(self) -> None:
        """The attempt after this one."""
        self._walk("desk_newer")

    def action_desk_older(self) -> None:
        """The attempt before this one."""
        self._walk("desk_older")

    def _walk(self, action: str) -> None:
        if (name := self.neighbour(action)) is not None:
            self.show_session(name)

    def _show(self, tab: str) -> None:
        if self._is_narrow and tab != self._detail.shown:
            self._detail.head.fold()  # it would leave the next pane a few rows
        self.add_class("-detail")
        self._detail.show_tab(tab, focus=True)
        self.refresh_bindings()

    def action_desk_recap(self) -> None:
        """Show the recap."""
        self._show("recap")

    def action_desk_history(self) -> None:
        """Show the history."""
        self._show("history")

    def action_desk_checkout(self) -> None:
        """Show the checkout."""
        self._show("checkout")

    def action_desk_triage(self) -> None:
        """Show the triage."""
        self._show("triage")

    def action_desk_brief(self) -> None:
        """Show the brief."""
        self._show("brief")

    def action_desk_record(self) -> None:
        """Show the record."""
        self._show("record")


def _is_unseen(name: SessionName, operations: Operations) -> bool:
    try:
        return operations.peek(name).screen is None
    except RefloatError:
        return True


def _can_be_repaired(session: Session) -> bool:
    from refloat.model.repair import REPAIRED_AGENTS

    return session.agent in REPAIRED_AGENTS
