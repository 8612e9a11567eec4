"""The record for the app, from one machine: joins use cases and masks what comes back.

Decides nothing about jobs. The record is opened for each question and closed again: it may come, be moved to a server,
or be migrated by a newer Refloat while the app stands open. Use cases are imported where they are called, in a worker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from refloat.errors import RefloatError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from refloat.model.record import Lease, TiedJob, Trail, Verified, Wrap
    from refloat.model.session import Session, SessionName
    from refloat.model.story import Story
    from refloat.ports import Machine
    from refloat.record.store import Record
    from refloat.usecases.draft_wrap import WrapField
    from refloat.usecases.hand_over import PickedUp
    from refloat.usecases.hold_session import Holder, Holding

Value = TypeVar("Value")


class BenchRecord:
    """All that the app knows of the record."""

    def __init__(self, machine: Machine, load_story: Callable[[SessionName], Story]) -> None:
        self._machine = machine
        self._load_story = load_story

    def _open(self) -> Record:
        from refloat.usecases.saved_record import open_saved

        places = self._machine.places
        return open_saved(places.data, places.config, places.environment, self._machine.clock.now())

    def _make(self) -> Record:
        """For writing: made where it is not there yet."""
        from refloat.usecases.tie_job import find_record

        places = self._machine.places
        return find_record(places.data, places.config, places.environment, self._machine.clock.now())

    def own(self) -> Holder:
        """Who this process is."""
        from refloat.machine import here
        from refloat.usecases.hold_session import Holder
        from refloat.usecases.rescue import who

        name = here.user(self._machine.places.environment)
        return Holder(who(self._machine), f"human:{name}", here.runner(), here.is_running)

    def holding(self, session: SessionName, doing: str) -> Holding:
        """A claim on a session, not taken yet."""
        from refloat.usecases.hold_session import Holding

        return Holding(self._make, self._machine.clock.now, self.own(), session, doing)

    def mark(self) -> object:
        """Another one once something may have been written."""
        from refloat.usecases.saved_record import mark_of

        places = self._machine.places
        return mark_of(places.data, places.config, places.environment)

    def jobs(self, session: Session | None) -> tuple[TiedJob, ...]:
        """Every job; none where nothing was ever saved."""
        from refloat.usecases.saved_record import NothingSaved
        from refloat.usecases.show_trail import tied_jobs

        try:
            record = self._open()
        except NothingSaved:
            return ()
        with record:
            return _masked(tied_jobs(record, session, self.own().runner.host or ""))

    def trail(self, job: str, limit: int) -> Trail:
        """The trail of a job."""
        from refloat.usecases.show_trail import show_trail

        with self._open() as record:
            return _masked(show_trail(record, job, limit, self.own().is_running))

    def remarks(self, trail: Trail) -> tuple[str, ...]:
        """What to mind before it is picked up."""
        from refloat.usecases.hand_over import remarks_on

        return _masked(remarks_on(trail.wraps[0], trail.pickups, self.own().producer)) if trail.wraps else ()

    def verify(self, job: str, tell: Callable[[int, int], None]) -> Verified:
        """Re-hash a job."""
        from refloat.usecases.verify_saved import verify_whole

        with self._open() as record:
            return _masked(verify_whole(record, job, tell))

    def wrap(self, fields: Mapping[WrapField, str], session: SessionName | None) -> Wrap:
        """Seal a wrap."""
        from refloat.usecases.hand_over import NewWrap, wrap_job, wrap_session

        def lines(field: WrapField) -> list[str]:
            return [line.strip() for line in fields[field].split("\n") if line.strip()]

        wrap = NewWrap(
            fields["job"].strip(),
            self._machine.clock.now(),
            self.own().producer,
            fields["summary"].strip(),
            fields["goal"].strip(),
            fields["recipient"].strip() or None,
            lines("next_steps"),
            lines("not_checked"),
        )
        with self._make() as record:
            if session is None:
                return _masked(wrap_job(record, wrap))
            return _masked(wrap_session(record, wrap, session, lambda: self._load_story(session)))

    def pick_up(self, job: str) -> PickedUp:
        """Pick a job up."""
        from refloat.usecases.hand_over import pick_up

        own = self.own()
        with self._open() as record:
            picked = pick_up(record, job, own.producer, self._machine.clock.now, own.is_running)
        return _masked(picked)

    def holders(self) -> Mapping[str, Lease]:
        """Who else is at which session."""
        from refloat.usecases.hold_session import find_holders

        try:
            with self._open() as record:
                return _masked(dict(find_holders(record, self._machine.clock.now(), self.own())))
        except RefloatError:  # the panes say why; a row of the list has nothing to add
            return {}


def _masked(value: Value) -> Value:
    from refloat.brief.masks import Masker, mask_tree

    return mask_tree(value, Masker())
