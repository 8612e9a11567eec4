"""A screen from which a person hands over: opens the form, seals what comes back, and loses no word where that fails.

Decides the order: jobs are read in a worker, the form is filled in, the wrap is sealed in a worker. Refuses to decide
what the form says first: `draft` does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual import work
from textual.message import Message

from refloat.errors import RefloatError
from refloat.text import inert, inert_line
from refloat_tui.base import RefloatScreen, Returned
from refloat_tui.messages import message

if TYPE_CHECKING:
    from collections.abc import Callable

    from refloat.model.record import Wrap
    from refloat.model.session import Session
    from refloat_tui.library import SavedRecord
    from refloat_tui.screens.wrap import Fields


@dataclass(frozen=True)
class WrapWanted:
    """A wrap that somebody begins."""

    session: Session | None
    """None: the job alone is handed over."""
    draft: Callable[[str | None], Fields]
    """What the form says first, given the job."""
    keep: Callable[[Fields | None], None] | None
    """Keeps what is typed, so that a kill does not cost it; None: it is sealed."""
    job: str | None = None
    known: frozenset[str] = frozenset()


class WrapAsks(RefloatScreen[Returned]):
    """A screen that can wrap."""

    @message
    class WrapReady(Message, bubble=False):
        """The jobs are known."""

        wanted: WrapWanted
        why: str | None = None

    @message
    class Wrapped(Message, bubble=False):
        """It is sealed (or, `why`, is not)."""

        wanted: WrapWanted
        fields: Fields
        wrap: Wrap | None
        why: str | None = None

    @property
    def record(self) -> SavedRecord | None:
        """The record."""
        return None

    def after_wrap(self, wrap: Wrap) -> None:
        """A wrap was sealed."""
        del wrap

    @work(thread=True, exclusive=True, group="wrap", exit_on_error=False, description="Looking which jobs there are")
    def ask_to_wrap(self, wanted: WrapWanted) -> None:
        """Open the form, once the jobs are known."""
        if self.record is None:
            return
        try:
            jobs = self.record.jobs(wanted.session)
        except RefloatError as error:
            self.post_message(self.WrapReady(wanted, str(error)))
            return
        first = next((tied.job.name for tied in jobs if tied.tie == "session"), None)
        known = frozenset(tied.job.name for tied in jobs)
        self.post_message(self.WrapReady(replace(wanted, job=wanted.job or first, known=known)))

    def on_wrap_asks_wrap_ready(self, event: WrapReady) -> None:
        """Ask."""
        self.opening = None
        if event.why is not None:
            self.tell(inert(event.why), bad=True)
        else:
            self._ask(event.wanted, event.wanted.draft(event.wanted.job))

    def _ask(self, wanted: WrapWanted, fields: Fields, why: str = "") -> None:
        from refloat_tui.screens.wrap import WrapScreen

        def answered(said: Fields | None) -> None:
            if said is not None:
                self._seal_now(wanted, said)

        is_session = wanted.session is not None
        form = WrapScreen(fields, wanted.known, wanted.keep, is_session=is_session, glyphs=self.glyphs)
        self.app.push_screen(form, answered)
        if why:  # a screen that comes takes away what was told before
            form.call_after_refresh(form.tell, why, bad=True)

    @work(thread=True, group="wrap", exit_on_error=False, description="Sealing the wrap")
    def _seal_now(self, wanted: WrapWanted, fields: Fields) -> None:
        if self.record is None:
            return
        try:
            wrap = self.record.wrap(fields, wanted.session.name if wanted.session else None)
        except RefloatError as error:
            self.post_message(self.Wrapped(wanted, fields, None, str(error)))
        else:
            self.post_message(self.Wrapped(wanted, fields, wrap))

    def on_wrap_asks_wrapped(self, event: Wrapped) -> None:
        """Say how it is picked up; where it is not sealed, show the form again with every word."""
        if event.wrap is None:
            self._ask(event.wanted, event.fields, inert(event.why or "The wrap is not sealed."))
            return
        if event.wanted.keep is not None:
            event.wanted.keep(None)
        job = inert_line(event.wrap.job)
        self.tell(f"Sealed on {job}. Whoever goes on: refloat pickup {event.wrap.id[:12]}")
        self.after_wrap(event.wrap)
