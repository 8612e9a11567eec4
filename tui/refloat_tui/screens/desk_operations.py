"""What the desk has done to the chosen session: one question for each, one sentence of what came of it.

Decides nothing of what is possible: every key opens the question, which says why not and what instead.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

from refloat.model.repair import REPAIRED_AGENTS
from refloat.text import one_line
from refloat_tui.screens.desk_search import DeskSearch
from refloat_tui.widgets.session_list import SessionList

if TYPE_CHECKING:
    from collections.abc import Mapping

    from refloat.model.attempts import InChain
    from refloat.model.session import Session, SessionName
    from refloat_tui.library import Library
    from refloat_tui.operations import Operation
    from refloat_tui.screens.doors import Doors
    from refloat_tui.screens.operation import Done
    from refloat_tui.theme import Glyphs

_ASKS: Final = frozenset({"desk_attach", "desk_peek", "desk_continue", "desk_new", "desk_stop", "desk_repair"})
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
    def _session(self) -> Session | None:
        return self._sessions.get(self._chosen) if self._chosen else None

    def why_not(self, action: str) -> str | None:
        """Without a session there is nothing to ask about."""
        if action not in _ASKS:
            return None
        session, operations = self._session, self._doors.operations
        if operations is None:
            return "Nothing can be done to sessions in this start of Refloat; NEXT says the command."
        if session is None:
            return "Choose a session first: there is none under the cursor."
        if action == "desk_repair" and session.agent not in REPAIRED_AGENTS:
            return f"Refloat cannot repair transcripts of {session.agent}: start a new session from it instead (+)."
        return None

    # ── asking ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def ask_about(self, operation: Operation) -> None:
        """Open the question about the chosen session."""
        from refloat_tui.operations import Asked
        from refloat_tui.screens.operation import OperationScreen  # not before it is asked for: the first paint waits

        if self._doors.operations is not None and self._chosen is not None:
            asked = Asked(operation, self._chosen)
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

    def _read_soon(self) -> None:
        """Read the chosen session once the cursor rests."""
        raise NotImplementedError

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
