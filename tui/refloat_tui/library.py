"""What the screens ask of the library, as protocols, so that a test can answer in its place.

Everything that comes back is masked already: masking happens behind this door, in the worker, once. Every call may be
slow and is made from a thread; none touches a widget. What fails raises a `RefloatError` with a sentence.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from refloat.model.brief import WrittenBrief
from refloat.model.checkout import Checkout
from refloat.model.problem import Problem
from refloat.model.session import RecordGone, Session, SessionName
from refloat.model.stamp import Stamp
from refloat.model.status import Status
from refloat.model.story import Story
from refloat.model.triage import Triage

Stop = Callable[[], bool]
"""Asked between two pieces of work; True ends it early."""


@dataclass(frozen=True, slots=True)
class Found:
    """Some sessions, as far as known now."""

    sessions: tuple[Session, ...] = ()
    """New ones, and known ones that changed."""
    removed: tuple[SessionName, ...] = ()
    """Known ones that are no longer on disk. A place that could not be read removes nothing."""
    gone: tuple[RecordGone, ...] | None = None
    """Sessions without a record; None where nobody looked."""
    problems: tuple[Problem, ...] | None = None
    here: frozenset[SessionName] | None = None
    """Those that belong to the place where Refloat was started; None: as before."""
    done: int = 0
    total: int = 0
    """Sessions read, and to be read, in this look."""
    complete: bool = False
    """Everything was looked at."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where Refloat was started."""

    path: str
    repo: str | None = None
    branch: str | None = None
    dirty: int | None = None
    """None where it was not cheap to know."""


class Opened(Protocol):
    """One session, read. The dear parts are made when they are asked for, and kept."""

    @property
    def story(self) -> Story:
        """Everything that it did."""
        ...

    @property
    def status(self) -> Status:
        """State, evidence, and the one next step."""
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


class Library(Protocol):
    """All that the desk knows of the world."""

    def now(self) -> Stamp:
        """Tell the time. Quick: the desk asks from its own thread."""
        ...

    def place(self) -> Place:
        """Where Refloat was started."""
        ...

    def find_sessions(self, stop: Stop) -> Iterator[Found]:
        """All sessions: first those that the catalogue has, then, batch by batch, those that had to be read."""
        ...

    def look_again(self, known: Sequence[Session], paths: frozenset[str] | None, stop: Stop) -> Iterator[Found]:
        """What changed since: in these files, or (None) in anything; processes are looked at either way."""
        ...

    def changes(self, stop: Stop) -> Iterator[frozenset[str] | None]:
        """Block and tell which files changed, until `stop`; None: some were missed, look at everything."""
        ...

    def watching(self) -> str:
        """How it watches, in words."""
        ...

    def open(self, name: SessionName) -> Opened:
        """Read one session.

        Raises:
            RefloatError: it is gone, or nothing of it can be read.

        """
        ...

    def write_brief(self, written: WrittenBrief, path: Path) -> None:
        """Write a brief to a file, readable for its owner alone.

        Raises:
            RefloatError: it cannot be written.

        """
        ...
