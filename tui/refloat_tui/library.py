"""What the screens ask of the library, as protocols, so that a test can answer in its place.

Everything that comes back is masked already: masking happens behind this door, in the worker, once. Every call may be
slow and is made from a thread; none touches a widget. What fails raises a `RefloatError` with a sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from refloat.model.brief import WrittenBrief
    from refloat.model.checkout import Checkout
    from refloat.model.long import Ask, Stretch
    from refloat.model.record import Lease, TiedJob, Trail, Verified, Wrap
    from refloat.model.recovery import Given, Said
    from refloat.model.search import Asked, Found
    from refloat.model.session import Session, SessionName
    from refloat.model.stamp import Stamp
    from refloat.model.status import Status
    from refloat.model.story import Story
    from refloat.model.triage import Triage
    from refloat.usecases.batch import Batch
    from refloat.usecases.draft_wrap import WrapField
    from refloat.usecases.first_rows import FirstRows
    from refloat.usecases.hand_over import PickedUp
    from refloat.usecases.look_around import StartedIn

Stop = Callable[[], bool]
"""Asked between two pieces of work; True ends it early."""
Tell = Callable[[int, int], None]
"""Hears how many bytes of how many are done."""

LONG: Final = 64 * 1024 * 1024
"""Bytes of a transcript from which its history is shown in windows, before the whole is read."""
HUGE: Final = 512 * 1024 * 1024
"""Bytes from which the whole is read only when a person says so: it takes as much memory."""


class Opened(Protocol):
    """One session, read. The dear parts are made when they are asked for, and kept."""

    @property
    def story(self) -> Story:
        """Everything that it did."""
        ...

    @property
    def status(self) -> Status:
        """State, evidence, and the one next step; once the checkout was compared, also what was lost from it."""
        ...

    def has_brief_moved(self) -> bool:
        """Whether the brief of its last recovery came, went or was replaced since `status` was told: it is told anew
        then. Looks at one file.
        """
        ...

    def checkout(self) -> Checkout:
        """The checkout, held against it."""
        ...

    def triage(self) -> Triage:
        """Saved, claimed, gone."""
        ...

    def brief(self) -> WrittenBrief:
        """What the next attempt is handed."""
        ...

    def given(self) -> Given:
        """What a person said to it so far, in its unfinished recovery."""
        ...

    def answer(self, said: Said) -> Given:
        """Keep one more answer; everything that was said by now.

        Raises:
            RefloatError: it cannot be kept.

        """
        ...


class LongHistory(Protocol):
    """The history of a session that is too long to be held whole."""

    @property
    def size(self) -> int:
        """Bytes of its transcript."""
        ...

    @property
    def is_numbered(self) -> bool:
        """Whether its items have their numbers."""
        ...

    def ask(self, ask: Ask, stop: Stop) -> Stretch:
        """The stretch that answers."""
        ...

    def count(self, stop: Stop, tell: Tell) -> None:
        """Count the lines: as fast as the disk."""
        ...

    def number(self, stop: Stop, tell: Tell) -> None:
        """Number the items: as long as reading it whole."""
        ...


class SavedRecord(Protocol):
    """All that the app knows of the record. Nothing of it is made only because somebody looks."""

    def mark(self) -> object:
        """A value that is another one once something may have been written; None: that cannot be told. Cheap: asked
        every few seconds, by each screen for itself.
        """
        ...

    def jobs(self, session: Session | None) -> tuple[TiedJob, ...]:
        """Every job, those of the session first.

        Raises:
            RefloatError: the record cannot be read.

        """
        ...

    def remarks(self, trail: Trail) -> tuple[str, ...]:
        """What whoever picks this job up here must know first: that it is another one's, or in hand already."""
        ...

    def trail(self, job: str, limit: int) -> Trail:
        """The trail of a job, with about so many steps.

        Raises:
            RefloatError: there is no such job, or it cannot be read.

        """
        ...

    def verify(self, job: str, tell: Callable[[int, int], None]) -> Verified:
        """Re-hash a job from the bytes up. `tell` hears how many links of how many are done; what it raises ends it.

        Raises:
            RefloatError: there is no such job, or it cannot be read.

        """
        ...

    def wrap(self, fields: Mapping[WrapField, str], session: SessionName | None) -> Wrap:
        """Seal a wrap, as a person typed it. A job that is not there is begun with the session's own steps.

        Raises:
            RefloatError: it is not sealed; the sentence says why.

        """
        ...

    def pick_up(self, job: str) -> PickedUp:
        """Pick a job up: verify what most rests on, and seal that this person goes on.

        Raises:
            RefloatError: it is not picked up; the sentence says why.

        """
        ...

    def holders(self) -> Mapping[str, Lease]:
        """Who else is at which session now: `agent:id` → lease; nothing where the record cannot be read."""
        ...


class Library(Protocol):
    """All that the desk knows of the world."""

    @property
    def saved(self) -> SavedRecord:
        """The record."""
        ...

    def now(self) -> Stamp:
        """Tell the time. Quick: the desk asks from its own thread."""
        ...

    def place(self) -> StartedIn:
        """Where Refloat was started."""
        ...

    def first_rows(self, rows: int) -> FirstRows | None:
        """The rows that fit on a screen, as they were known last. Quick: the desk asks before its first paint."""
        ...

    def find_sessions(self, stop: Stop) -> Iterator[Batch]:
        """All sessions: first those that the catalogue has, then, batch by batch, those that had to be read."""
        ...

    def look_again(self, stop: Stop, changed: frozenset[str] | None = None) -> Iterator[Batch]:
        """What changed since, in files and processes. What did not is known already: a look without news is quick, and
        one at nothing but the files that `changed` quicker. None: at everything.
        """
        ...

    def is_look_due(self) -> bool:
        """Whether a look may tell something new although no file changed: a process of an agent came or went, a time
        passed. Cheap: asked every few seconds.
        """
        ...

    def changes(self, stop: Stop) -> Iterator[frozenset[str] | None]:
        """Block and tell which files changed, until `stop`; None: some were missed, look at everything."""
        ...

    def looked_in(self) -> tuple[tuple[str, str], ...]:
        """Each agent's name and the directory of its sessions. Quick: looks at no file."""
        ...

    def watching(self) -> str:
        """How it watches, in words."""
        ...

    def long_history(self, name: SessionName) -> LongHistory | None:
        """The history of a long session; None where it cannot be had in windows.

        Raises:
            RefloatError: it is gone.

        """
        ...

    def search(self, asked: Asked, sessions: Sequence[Session], stop: Stop) -> Found:
        """The places in some sessions that hold what is asked for, among those that are searchable.

        Raises:
            RefloatError: there is nothing to look for, or the index cannot be kept.

        """
        ...

    def open(self, name: SessionName, stop: Stop | None = None, tell: Tell | None = None) -> Opened:
        """Read one session.

        Raises:
            RefloatError: it is gone, or nothing of it can be read.

        """
        ...

    def may_be_written(self, path: Path) -> bool:
        """Whether anything may be written there, with or without agreement; `write_brief` says why not. Quick."""
        ...

    def write_brief(self, written: WrittenBrief, path: Path) -> None:
        """Write a brief to a file, readable for its owner alone.

        Raises:
            RefloatError: it cannot be written.

        """
        ...
