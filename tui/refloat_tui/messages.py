"""What workers say to the screen that started them. None of them bubbles: the screen hands values down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from refloat.model.brief import WrittenBrief
from refloat.model.checkout import Checkout
from refloat.model.record import TiedJob
from refloat.model.recovery import Given
from refloat.model.session import SessionName
from refloat.model.triage import Triage
from refloat_tui.library import Opened

if TYPE_CHECKING:
    from refloat.usecases.find_sessions import Batch
    from refloat.usecases.look_around import Place


@dataclass
class SessionsFound(Message, bubble=False):
    """A batch of sessions."""

    found: Batch


@dataclass
class PlaceKnown(Message, bubble=False):
    """Where Refloat was started."""

    place: Place


@dataclass
class WatchTold(Message, bubble=False):
    """Files changed; the screen waits a moment for more and looks."""

    changed: bool
    """False: only how it watches is news."""
    how: str
    """How it watches now, in words."""

    def can_replace(self, message: Message) -> bool:
        """While another program has the terminal they pile up: the newest says it all."""
        return isinstance(message, WatchTold) and (message.changed or not self.changed)


@dataclass
class SessionOpened(Message, bubble=False):
    """A session was read."""

    name: SessionName
    opened: Opened


@dataclass
class CheckoutCompared(Message, bubble=False):
    """The checkout was held against a session."""

    name: SessionName
    checkout: Checkout


@dataclass
class TriageMade(Message, bubble=False):
    """A session was sorted into saved, claimed, gone."""

    name: SessionName
    triage: Triage
    given: Given


@dataclass
class AnswerKept(Message, bubble=False):
    """An answer is on disk."""

    name: SessionName
    given: Given


@dataclass
class BriefWritten(Message, bubble=False):
    """A brief stands ready; nothing is on disk yet."""

    name: SessionName
    written: WrittenBrief


@dataclass
class JobsFound(Message, bubble=False):
    """Every job of the record (or, `why`, none can be read)."""

    jobs: tuple[TiedJob, ...]
    why: str | None = None


@dataclass
class PartFailed(Message, bubble=False):
    """One part of a session could not be had; the others stand."""

    name: SessionName
    part: str
    """story, checkout, triage, brief"""
    why: str


@dataclass
class BriefSaved(Message, bubble=False):
    """A brief was written to a file."""

    path: str
