"""What a Record pane asks for: to be read anew, verified, wrapped, picked up, shown whole.

Decides when the record is read: where something may have been written to it, or what is shown depends on a process.
Every reading, hashing and sealing is a worker's; what comes of it arrives as a message.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from textual import work
from textual.message import Message
from textual.worker import get_current_worker

from refloat.errors import RefloatError
from refloat.text import inert
from refloat_tui.base import Returned
from refloat_tui.messages import message
from refloat_tui.screens.wrap_asks import WrapAsks

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from refloat.model.record import Lease, TiedJob, Trail, Verified, Wrap
    from refloat.model.session import Session, SessionName
    from refloat.model.stamp import Stamp
    from refloat.usecases.hand_over import PickedUp
    from refloat_tui.present.markdown import MarkdownLine
    from refloat_tui.screens.wrap_asks import WrapWanted
    from refloat_tui.widgets.record_pane import RecordPane

_TELL_EVERY: Final = 0.1
"""Seconds between two words of how far a check has come."""


class _StoppedError(Exception):
    """A person said that it is enough."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a reading is for."""

    session: SessionName | None
    wanted: str | None
    limit: int


class RecordAsks(WrapAsks[Returned]):
    """A screen with a `RecordPane`."""

    @message
    class RecordRead(Message, bubble=False):
        """The record was read."""

        asked: object
        jobs: tuple[TiedJob, ...]
        trail: Trail | None
        why: str | None
        holders: Mapping[str, Lease]

    @message
    class Checking(Message, bubble=False):
        """A check goes on."""

        job: str
        done: int
        of: int

        def can_replace(self, message: Message) -> bool:
            """Only the newest counts."""
            return isinstance(message, type(self))

    @message
    class Checked(Message, bubble=False):
        """A check ended; without an answer where it was stopped or (`why`) could not be made."""

        job: str
        verified: Verified | None
        why: str | None = None

    @message
    class PickedUpNow(Message, bubble=False):
        """A job is in this person's hands (or, `why`, is not)."""

        picked: PickedUp | None
        why: str | None = None

    _restless = False
    """What is shown depends on processes: it may change though nothing is written."""
    _mark: object = None
    """Of the record as this screen read it last."""

    @property
    def record_pane(self) -> RecordPane:
        """The pane."""
        from refloat_tui.widgets.record_pane import RecordPane

        return self.query_one(RecordPane)

    if TYPE_CHECKING:  # the screen has both

        def record_now(self) -> Stamp:
            """The time."""
            ...

        def wrap_wanted(self, job: str | None) -> WrapWanted | None:
            """A wrap of what is shown; None where there is nothing to hand over."""
            ...

    def take_holders(self, holders: Mapping[str, Lease]) -> None:
        """Who else is at which session."""
        del holders

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _asked(self) -> _Asked:
        pane = self.record_pane
        return _Asked(pane.session.name if pane.session else None, pane.wanted, pane.limit)

    def look_at_record(self, *, anew: bool) -> None:
        """Read it in a worker. Not `anew`: only where there may be news, and only where no reading goes on."""
        if anew or not any(worker.group == "record" and worker.is_running for worker in self.workers):
            self._read_record(self._asked(), self.record_pane.session, anew=anew)

    @work(thread=True, exclusive=True, group="record", exit_on_error=False, description="Reading the record")
    def _read_record(self, asked: _Asked, session: Session | None, *, anew: bool) -> None:
        record = self.record
        if record is None:
            return
        mark = record.mark()
        if not (anew or self._restless or mark is None or mark != self._mark):
            return
        self._mark = mark
        jobs: tuple[TiedJob, ...] = ()
        trail, why = None, None
        try:
            jobs = record.jobs(session)
            ties = [tied for tied in jobs if tied.tie is not None]
            job = asked.wanted or (ties[0].job.name if ties else None)
            trail = record.trail(job, asked.limit) if job is not None else None
        except RefloatError as error:
            why = str(error)
        self.post_message(self.RecordRead(asked, jobs, trail, why, record.holders()))

    def on_record_asks_record_read(self, event: RecordRead) -> None:
        """Show it, where it is still what is wanted."""
        self.take_holders(event.holders)
        if event.asked != self._asked():
            return
        flying = event.trail is not None and any(
            step.running is not False and not step.link for step in event.trail.steps
        )
        self._restless = bool(event.holders) or flying
        self.record_pane.take(event.jobs, event.trail, event.why)

    def on_record_pane_wanted(self, event: RecordPane.Wanted) -> None:
        """Read another job, or more of it."""
        event.stop()
        self.look_at_record(anew=True)

    # ── verifying ────────────────────────────────────────────────────────────────────────────────────────────────────

    def on_record_pane_verify(self, event: RecordPane.Verify) -> None:
        """Verify a job."""
        event.stop()
        self._verify_now(event.job)

    @work(thread=True, exclusive=True, group="verify", exit_on_error=False, description="Verifying the job")
    def _verify_now(self, job: str) -> None:
        worker, told = get_current_worker(), 0.0

        def tell(done: int, of: int) -> None:
            nonlocal told
            if worker.is_cancelled:
                raise _StoppedError
            if time.monotonic() - told >= _TELL_EVERY:
                told = time.monotonic()
                self.post_message(self.Checking(job, done, of))

        if self.record is None:
            return
        try:
            self.post_message(self.Checked(job, self.record.verify(job, tell)))
        except _StoppedError:
            return
        except RefloatError as error:
            self.post_message(self.Checked(job, None, str(error)))

    def on_record_asks_checking(self, event: Checking) -> None:
        """Show how far it is."""
        if self.record_pane.progress is not None:
            self.record_pane.take_progress(event.job, event.done, event.of)

    def on_record_asks_checked(self, event: Checked) -> None:
        """Show what was found."""
        if event.why is not None:
            self.tell(inert(event.why), bad=True)
        self.record_pane.take_verified(event.job, event.verified, self.record_now())

    def on_record_pane_stop_verifying(self, event: RecordPane.StopVerifying) -> None:
        """It is enough."""
        event.stop()
        self.workers.cancel_group(self, "verify")
        pane = self.record_pane
        if pane.trail is not None:
            pane.take_verified(pane.trail.job, None, self.record_now())
        self.tell("Stopped; nothing is said about what was not looked at.")

    # ── handing over ─────────────────────────────────────────────────────────────────────────────────────────────────

    def on_record_pane_wrap_up(self, event: RecordPane.WrapUp) -> None:
        """Begin a wrap."""
        event.stop()
        wanted = self.wrap_wanted(event.job)
        if wanted is not None:
            self.open_soon(self.ask_to_wrap(wanted))

    def after_wrap(self, wrap: Wrap) -> None:
        """Show the job that it is on."""
        self.record_pane.wanted = wrap.job
        self.look_at_record(anew=True)

    def on_record_pane_pick_up(self, event: RecordPane.PickUp) -> None:
        """Ask whether to pick the job up."""
        event.stop()
        from refloat_tui.screens.pickup import PickupScreen

        def answered(yes: bool | None) -> None:
            if yes:
                self.tell(f"Verifying what most rests on{self.glyphs.ellipsis}")
                self._pick_up_now(event.trail.job)

        remarks = self.record.remarks(event.trail) if self.record is not None else ()
        self.app.push_screen(PickupScreen(event.trail, remarks, glyphs=self.glyphs), answered)

    @work(thread=True, group="pickup", exit_on_error=False, description="Picking the job up")
    def _pick_up_now(self, job: str) -> None:
        if self.record is None:
            return
        try:
            self.post_message(self.PickedUpNow(self.record.pick_up(job)))
        except RefloatError as error:
            self.post_message(self.PickedUpNow(None, str(error)))

    def on_record_asks_picked_up_now(self, event: PickedUpNow) -> None:
        """Say where to go on."""
        if event.picked is None:
            self.tell(inert(event.why or "It is not picked up."), bad=True)
            return
        from refloat_tui.present.record import picked_facts
        from refloat_tui.screens.text import TextScreen

        self.look_at_record(anew=True)
        heading = (("Picked up: ", "$quiet"), (inert(event.picked.trail.job), "bold"))
        self.app.push_screen(TextScreen(heading, fact_lines(picked_facts(event.picked)), glyphs=self.glyphs))

    def on_record_pane_show(self, event: RecordPane.Show) -> None:
        """Show a link whole."""
        event.stop()
        from refloat_tui.present.record import link_facts
        from refloat_tui.screens.text import TextScreen

        lines = fact_lines(link_facts(event.link, event.verdict))
        self.app.push_screen(TextScreen((("As it is saved", "bold"),), lines, glyphs=self.glyphs))


def fact_lines(facts: Iterable[tuple[str, str]]) -> list[MarkdownLine]:
    """Labels with what they say, each over as many lines as it has."""
    from refloat_tui.present.markdown import MarkdownLine

    lines: list[MarkdownLine] = []
    for label, words in facts:
        rows = inert(words).expandtabs(4).split("\n")
        lines.append(MarkdownLine(((rows[0], ""),), lead=f"{label:<10}", style="$quiet"))
        lines += [MarkdownLine(((row, ""),), lead=" " * 10) for row in rows[1:]]
    return lines
