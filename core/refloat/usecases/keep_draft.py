"""Recoveries that outlive the terminal: found, taken up again, and saved with every answer.

Decides where drafts are kept, and that a record that cannot be had stops nobody: answers then live in memory, and
`Drafts.why_memory` says so in a sentence. Refuses to decide what an answer means.
"""

from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from refloat.errors import NotDone, RefloatError
from refloat.model.recovered import Unfinished
from refloat.model.recovery import Draft
from refloat.model.session import SessionName
from refloat.ports import Machine
from refloat.record.drafts import (
    DraftMoved,
    begin_draft,
    find_drafts,
    finished_draft,
    get_draft,
    newest_draft,
    save_draft,
)
from refloat.record.store import NotWritten, Record, find_url, open_in_memory, open_record
from refloat.usecases.decided import steps_for
from refloat.usecases.hold_session import Holding
from refloat.usecases.recover import Recovery, resume, see
from refloat.usecases.recovered import unfinished_of

__all__ = ["DraftMoved", "Drafts", "Kept", "open_drafts"]


@dataclass(frozen=True, slots=True)
class Kept:
    """A recovery with the draft that holds it."""

    recovery: Recovery
    draft: Draft
    resumed: bool = False
    """Something had been said before."""
    before: Draft | None = None
    """The recovery that was finished last, where this one was just begun after it."""


class Drafts:
    """The drafts of this machine. Use it in a `with`; its methods may be called from any thread."""

    def __init__(self, machine: Machine, record: Record, why_memory: str | None = None) -> None:
        self._machine = machine
        self._record = record
        self.why_memory = why_memory
        """A sentence where nothing outlives this process."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._record.close()

    def find(self) -> tuple[Draft, ...]:
        """Unfinished recoveries, the newest first."""
        return find_drafts(self._record)

    def unfinished(self) -> tuple[tuple[SessionName, Unfinished], ...]:
        """Those of them in which something was left half-way, with their sessions."""
        return tuple(unfinished_of(self._record, self.find()))

    def get(self, session: SessionName) -> Draft | None:
        """The unfinished recovery of a session, or None."""
        return get_draft(self._record, session)

    def newest(self, session: SessionName) -> Draft | None:
        """What was answered last for a session: unfinished, else finished last; or None."""
        return newest_draft(self._record, session)

    def take_up(self, recovery: Recovery) -> Kept:
        """Go on with the unfinished recovery of this session, or begin one.

        Raises:
            NotDone: it could not be written.

        """
        now, name = self._machine.clock.now(), recovery.session.name
        try:
            draft = begin_draft(self._record, name, recovery.session.title, see(recovery), now)
        except NotWritten as error:
            raise _unsaved(error) from error
        resumed = draft.revision > 1 or draft.given.says_anything
        before = finished_draft(self._record, name) if draft.revision == 1 else None
        return Kept(resume(recovery, draft), draft, resumed, before)

    def save(self, kept: Kept, *, done: bool = False, typing: bool = False, holding: Holding | None = None) -> Kept:
        """Save what was said, whole, and a receipted step for each answer that changed, in one transaction.

        With `typing` the steps wait for a save without it: an answer is told when its words stand. With `holding`
        nothing is saved once somebody else holds the session: asked in that transaction, not at the next beat.

        Raises:
            Held: somebody took the session over.
            NotDone: another terminal answered the same recovery meanwhile, or it could not be written.

        """
        recovery = kept.recovery
        draft = replace(kept.draft, given=recovery.given, seen=see(recovery), done=done, by=recovery.by)
        now, host = self._machine.clock.now(), self._machine.processes.host()
        try:
            saved = save_draft(
                self._record,
                draft,
                now,
                lambda before: steps_for(recovery, before, now, host=host),
                typing=typing,
                check=(lambda _: None) if holding is None else holding.check,
            )
        except NotWritten as error:
            raise _unsaved(error) from error
        return replace(kept, draft=saved)


def open_drafts(machine: Machine) -> Drafts:
    """The drafts in the record; in memory where the record cannot be opened, or belongs to a newer Refloat."""
    now, places = machine.clock.now(), machine.places
    try:
        return Drafts(machine, open_record(places.data, now, find_url(places.environment, places.config)))
    except RefloatError as error:
        return Drafts(machine, open_in_memory(now), f"Answers are not saved: {error}.")


def _unsaved(error: NotWritten) -> NotDone:
    return NotDone(f"the answer is not saved ({error}); it stands here until you leave")
