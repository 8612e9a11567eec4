"""What workers say to the screen that started them. None of them bubbles: the screen hands values down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar, dataclass_transform

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


T = TypeVar("T")


@dataclass_transform(eq_default=False)
def message(kind: type[T]) -> type[T]:
    """A message's class as a dataclass that nobody compares or prints: to make what does that is most of its making."""
    return dataclass(eq=False, repr=False)(kind)


@message
class SessionsFound(Message, bubble=False):
    """A batch of sessions."""

    found: Batch


@message
class PanesLoaded(Message, bubble=False):
    """All that the panes are made of is there."""


@message
class PlaceKnown(Message, bubble=False):
    """Where Refloat was started."""

    place: StartedIn


@message
class WatchTold(Message, bubble=False):
    """Files changed; the screen waits a moment for more and looks."""

    changed: bool
    """False: only how it watches is news."""
    how: str
    """How it watches now, in words."""

    def can_replace(self, message: Message) -> bool:
        """While another program has the terminal they pile up: the newest says it all."""
        return isinstance(message, WatchTold) and (message.changed or not self.changed)


@message
class WayLooked(Message, bubble=False):
    """It was looked whether anything leads to where a live session runs."""

    name: SessionName
    no_way: str
    """Why nothing does; empty: something does."""
    no_view: bool = False
    """Nor is anything to be seen of it from here."""


@message
class SessionOpened(Message, bubble=False):
    """A session was read."""

    name: SessionName
    opened: Opened


@message
class StatusTold(Message, bubble=False):
    """Where a session stands was told anew."""

    opened: Opened


@message
class LongBegun(Message, bubble=False):
    """The history of a long session can be asked for."""

    name: SessionName
    size: int


@message
class StretchFound(Message, bubble=False):
    """A stretch of a long history."""

    name: SessionName
    ask: Ask
    stretch: Stretch


@message
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


@message
class CheckoutCompared(Message, bubble=False):
    """The checkout was held against a session."""

    name: SessionName
    checkout: Checkout


@message
class TriageMade(Message, bubble=False):
    """A session was sorted into saved, claimed, gone."""

    name: SessionName
    triage: Triage
    given: Given


@message
class AnswerKept(Message, bubble=False):
    """An answer is on disk."""

    name: SessionName
    given: Given


@message
class BriefWritten(Message, bubble=False):
    """A brief stands ready; nothing is on disk yet."""

    name: SessionName
    written: WrittenBrief


@message
class JobsFound(Message, bubble=False):
    """Every job of the record (or, `why`, none can be read)."""

    jobs: tuple[TiedJob, ...]
    why: str | None = None


@message
class PartFailed(Message, bubble=False):
    """One part of a session could not be had; the others stand."""

    name: SessionName
    part: str
    """story, checkout, triage, brief"""
    why: str


@message
class BriefSaved(Message, bubble=False):
    """A brief was written to a file."""

    path: str
