"""What the panes of the desk ask for: a text on the whole screen, a copy, a file, an answer kept, a reason told.

Decides how each is asked back and done. Refuses to know what is chosen or read: the desk does.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from textual import work

from refloat.errors import RefloatError
from refloat_tui.library import HUGE
from refloat_tui.messages import JobsFound, LongBegun, LongTold, StretchFound
from refloat_tui.screens.desk_work import DeskWork
from refloat_tui.screens.record_asks import RecordAsks
from refloat_tui.widgets.detail import Detail

if TYPE_CHECKING:
    from textual.worker import Worker

    from refloat.model.recovery import MovedTo, Said
    from refloat.model.session import Session, SessionName
    from refloat.model.stamp import Stamp
    from refloat_tui.library import Opened, SavedRecord
    from refloat_tui.messages import (
        AnswerKept,
        BriefSaved,
        BriefWritten,
        CheckoutCompared,
        PartFailed,
        SessionOpened,
        StatusTold,
        TriageMade,
    )
    from refloat_tui.screens.wrap import Fields
    from refloat_tui.screens.wrap_asks import WrapWanted
    from refloat_tui.widgets.brief_pane import BriefPane
    from refloat_tui.widgets.history_pane import HistoryPane
    from refloat_tui.widgets.panes import Unreachable
    from refloat_tui.widgets.triage_pane import TriagePane


class DeskAsks(DeskWork, RecordAsks[None]):
    """A screen with a `Detail` that answers what its panes ask for."""

    _chosen: SessionName | None = None
    _keeping: Worker[None] | None = None
    """What keeps the last answer to a triage."""

    @property
    def _detail(self) -> Detail:
        return self.query_one(Detail)

    def arrive(self) -> None:
        """Something of the chosen session can be shown now: go to what waits for it."""

    # ── what was read of the chosen session ──────────────────────────────────────────────────────────────────────────

    def on_session_opened(self, message: SessionOpened) -> None:
        """The chosen session was read."""
        if message.name == self._chosen:
            self._detail.take_opened(message.opened, self._library.now())
            self.arrive()
            self.refresh_bindings()

    def on_checkout_compared(self, message: CheckoutCompared) -> None:
        """Its checkout was compared."""
        if message.name == self._chosen:
            self._detail.take_checkout(message.checkout)

    def on_status_told(self, message: StatusTold) -> None:
        """Where it stands is another thing now."""
        if message.opened is self._detail.opened:
            self._detail.head.learn(message.opened.status)
            self.refresh_bindings()

    def on_triage_made(self, message: TriageMade) -> None:
        """It was sorted."""
        if message.name == self._chosen:
            self._detail.take_triage(message.triage, message.given)

    def on_answer_kept(self, message: AnswerKept) -> None:
        """Show what was said."""
        if self.opening is self._keeping:
            self.opening = None
        if message.name == self._chosen:
            self._detail.take_given(message.given)

    def on_brief_written(self, message: BriefWritten) -> None:
        """Its brief stands ready."""
        if message.name == self._chosen:
            self._detail.take_brief(message.written)

    def on_part_failed(self, message: PartFailed) -> None:
        """One part could not be had."""
        if message.name == self._chosen:
            self._detail.take_failure(message.part, message.why)

    def on_brief_saved(self, message: BriefSaved) -> None:
        """The brief is on disk."""
        self.tell(f"Written to {message.path}, readable for you alone.")

    # ── what is asked ────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def record(self) -> SavedRecord:
        """The record."""
        return self._library.saved

    def record_now(self) -> Stamp:
        """The time."""
        return self._library.now()

    def wrap_wanted(self, job: str | None) -> WrapWanted | None:
        """A wrap of this session, filled in from its brief, or with what was typed before."""
        from refloat.model.recovery import SaidWrap
        from refloat.usecases.draft_wrap import FIELDS, draft_wrap
        from refloat_tui.screens.wrap_asks import WrapWanted

        name, opened, session = self._chosen, self._detail.opened, self._detail.session
        if name is None or session is None:
            return None
        written, typed, trail = self._detail.written, self._detail.given.wrap, self.record_pane.trail

        def draft(known: str | None) -> Fields:
            goal = (trail.goal or "") if trail is not None else ""
            fields = dict(draft_wrap(session, written.brief if written else None, goal, known))
            return {**fields, **{field: typed[field] for field in FIELDS if field in typed}}

        def keep(fields: Fields | None) -> None:
            if opened is not None:
                # At once, too: who comes back sooner than the disk answers finds every word.
                self._detail.given = replace(self._detail.given, wrap=dict((fields or {}).items()))
                self.keep_answer(name, opened, SaidWrap(tuple((fields or {}).items())))

        return WrapWanted(session, draft, keep, job)

    def on_triage_pane_said(self, event: TriagePane.Said) -> None:
        """Keep an answer."""
        event.stop()
        if self._chosen is not None and self._detail.opened is not None:
            self._keep(self._chosen, self._detail.opened, event.said)

    def _keep(self, name: SessionName, opened: Opened, said: Said) -> None:
        """Keep it; the next key means what stands there then."""
        self._keeping = self.keep_answer(name, opened, said)
        self.open_soon(self._keeping)

    def on_triage_pane_asked_to_move(self, event: TriagePane.AskedToMove) -> None:
        """Ask where to, and why."""
        event.stop()
        from refloat_tui.screens.move import MoveFinding

        name, opened = self._chosen, self._detail.opened

        def answered(said: MovedTo | None) -> None:
            if said is not None and name is not None and opened is not None:
                self._keep(name, opened, said)

        self.app.push_screen(MoveFinding(event.card, glyphs=self.glyphs), answered)

    @work(thread=True, exclusive=True, group="jobs", exit_on_error=False, description="Reading the jobs")
    def find_jobs(self, session: Session | None) -> None:
        """Every job, for the list."""
        try:
            self.post_message(JobsFound(self.record.jobs(session)))
        except RefloatError as error:
            self.post_message(JobsFound((), str(error)))

    def on_jobs_found(self, event: JobsFound) -> None:
        """Show them; one may be opened."""
        self.opening = None
        from refloat_tui.screens.job import JobScreen
        from refloat_tui.screens.jobs import JobsScreen

        def answered(job: str | None) -> None:
            if job is not None:
                self.app.push_screen(JobScreen(self._library, job, glyphs=self.glyphs))

        self.app.push_screen(JobsScreen(event.jobs, event.why, self._library.now(), glyphs=self.glyphs), answered)

    def on_unreachable(self, event: Unreachable) -> None:
        """Say why."""
        event.stop()
        self.tell(event.why)

    def on_history_pane_asked(self, event: HistoryPane.Asked) -> None:
        """Show an item whole."""
        from refloat_tui.screens.text import item_screen

        self.app.push_screen(item_screen(event.item, self.glyphs))

    def on_history_pane_wanted(self, event: HistoryPane.Wanted) -> None:
        """Read a stretch of a long history."""
        event.stop()
        if self._chosen is not None:
            self.find_stretch(self._chosen, event.ask)

    def on_stretch_found(self, message: StretchFound) -> None:
        """Show it."""
        if message.name == self._chosen:
            self._detail.history.take_stretch(message.ask, message.stretch)

    def on_long_begun(self, message: LongBegun) -> None:
        """The chosen session is long: its history is there before the rest."""
        if message.name != self._chosen or self._detail.opened is not None:
            self._history_stands.set()  # nothing is asked for
        if message.name == self._chosen:
            self._detail.take_long(message.size)
            self.arrive()
            session = self._detail.session
            if not self.is_at("number"):
                self.number_long(message.name, items=session is not None and session.transcript.bytes >= HUGE)

    def on_long_told(self, message: LongTold) -> None:
        """Say how far it is."""
        if message.name == self._chosen:
            self._detail.tell_long(message.doing, message.done, message.size)

    def on_brief_pane_copy(self, event: BriefPane.Copy) -> None:
        """Copy it."""
        self.app.copy_to_clipboard(event.written.markdown)
        self.tell("The brief is copied.")

    def on_brief_pane_write(self, event: BriefPane.Write) -> None:
        """Write it; ask where a file is in the way. Of what may not be replaced nothing is asked: writing says why."""
        session = self._detail.session
        if session is None:
            return
        from refloat.usecases.put_brief import brief_of_another, usual_path
        from refloat_tui.present.recovered import replacing
        from refloat_tui.screens.confirm import Confirm

        path = usual_path(session, Path.cwd())
        if not (os.path.lexists(path) and self._library.may_be_written(path)):
            self.write_brief(event.written, path)
            return
        question = Confirm(*replacing(path, brief_of_another(path, session.name)), glyphs=self.glyphs)

        def answered(yes: bool | None) -> None:
            if yes:
                self.write_brief(event.written, path)

        self.app.push_screen(question, answered)
