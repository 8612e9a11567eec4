"""What workers say to the screen that started them. None of them bubbles: the screen hands values down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from textual.message import Message

if TYPE_CHECKING:
    from refloat.model.brief import WrittenBrief
    from refloat.model.checkout import Checkout
    from refloat.model.long import Ask, Stretch
    from refloat.model.record import TiedJob
    from refloat.model.recovery import Given
    from refloat.model.session import SessionName
    from refloat.model.triage import Triage
    from refloat.usecases.batch import Batch
    from refloat.usecases.look_around import StartedIn
    from refloat_tui.library import Opened


@dataclass(eq=False, repr=False)
class SessionsFound(Message, bubble=False):
    """A batch of sessions."""

    found: Batch


@dataclass(eq=False, repr=False)
class PanesLoaded(Message, bubble=False):
    """All that the panes are made of is there."""


@dataclass(eq=False, repr=False)
class PlaceKnown(Message, bubble=False):
    """Where Refloat was started."""

    place: StartedIn


@dataclass(eq=False, repr=False)
class WatchTold(Message, bubble=False):
    """Files changed; the screen waits a moment for more and looks."""

    changed: bool
    """False: only how it watches is news."""
    how: str
    """How it watches now, in words."""

    def can_replace(self, message: Message) -> bool:
        """While another program has the terminal they pile up: the newest says it all."""
        return isinstance(message, WatchTold) and (message.changed or not self.changed)


@dataclass(eq=False, repr=False)
class WayLooked(Message, bubble=False):
    """It was looked whether anything leads to where a live session runs."""

    name: SessionName
    no_way: str
    """Why nothing does; empty: something does."""


@dataclass(eq=False, repr=False)
class SessionOpened(Message, bubble=False):
    """A session was read."""

    name: SessionName
    opened: Opened


@dataclass(eq=False, repr=False)
class LongBegun(Message, bubble=False):
    """The history of a long session can be asked for."""

    name: SessionName
    size: int


@dataclass(eq=False, repr=False)
class StretchFound(Message, bubble=False):
    """A stretch of a long history."""

    name: SessionName
    ask: Ask
    stretch: Stretch


@dataclass(eq=False, repr=False)
class LongTold(Message, bubble=False):
    """How far something is that a long session takes."""

    name: SessionName
    doing: Literal["counting", "numbering", "reading", "unread"]
    """`unread`: it is not read whole unless a person says so."""
    done: int
    size: int

    def can_replace(self, message: Message) -> bool:
        """Only the newest counts."""
        return isinstance(message, LongTold) and message.doing == self.doing and message.done < message.size


@dataclass(eq=False, repr=False)
class CheckoutCompared(Message, bubble=False):
    """The checkout was held against a session."""

    name: SessionName
    checkout: Checkout


@dataclass(eq=False, repr=False)
class TriageMade(Message, bubble=False):
    """A session was sorted into saved, claimed, gone."""

    name: SessionName
    triage: Triage
    given: Given


@dataclass(eq=False, repr=False)
class AnswerKept(Message, bubble=False):
    """An answer is on disk."""

    name: SessionName
    given: Given


@dataclass(eq=False, repr=False)
class BriefWritten(Message, bubble=False):
    """A brief stands ready; nothing is on disk yet."""

    name: SessionName
    written: WrittenBrief


@dataclass(eq=False, repr=False)
class JobsFound(Message, bubble=False):
    """Every job of the record (or, `why`, none can be read)."""

    jobs: tuple[TiedJob, ...]
    why: str | None = None


@dataclass(eq=False, repr=False)
class PartFailed(Message, bubble=False):
    """One part of a session could not be had; the others stand."""

    name: SessionName
    part: str
    """story, checkout, triage, brief"""
    why: str


@dataclass(eq=False, repr=False)
class BriefSaved(Message, bubble=False):
    """A brief was written to a file."""

    path: str
