"""What the screens may have done to a session, as protocols and values: what is offered first, and only then done.

An `Offer` is all that a person is shown before they say yes; making one changes nothing. Everything in it is masked.
Every call may be slow and is made from a thread, unless it says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from refloat.model.session import SessionName
from refloat.model.stopping import Progress, Stopped
from refloat.model.terminals import Attachment

Operation = Literal["attach", "continue", "new", "stop", "repair", "salvage"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person wants to be done, with what they chose so far."""

    operation: Operation
    session: SessionName
    prompt: str | None = None
    """Of `continue` and `new`."""
    agent: str | None = None
    """Of `new`: None takes the one that the session had."""
    brief: Path | None = None
    """Of `new`: a brief that is there already."""
    force: str | None = None
    """Why the guard is to be overruled."""
    pid: int | None = None
    """Of `stop`: the process that the person means."""
    out: str | None = None
    """Of `repair`: the file of the copy; None puts it where its agent finds it. Of `salvage`: the patch; None takes a
    new file outside of the checkout.
    """


@dataclass(frozen=True, slots=True)
class Row:
    """One row of what an operation is about: a process that is stopped, a line that is repaired."""

    first: str
    second: str
    third: str
    rest: str


@dataclass(frozen=True, slots=True)
class Offer:
    """What would be done, exactly, and who or what forbids it."""

    asked: Asked
    question: str
    """A title in it stands between typographic quotes."""
    commands: tuple[str, ...]
    """Lines for a shell, in their order."""
    copied: str
    """What a person gets who copies it."""
    workspace: str | None
    will: tuple[str, ...]
    will_not: tuple[str, ...]
    lease: str
    """Who holds the session, as a sentence part."""
    guard: str
    """Why it may be done; with `refused`, why not."""
    refused: bool = False
    force_helps: bool = False
    """Refused, and a reason would overrule it."""
    elsewhere: bool = False
    """Refused here alone, for want of a program: the command does it where that is."""
    instead: Operation | None = None
    """Refused: what is possible in its place."""
    notes: tuple[str, ...] = ()
    """What whoever says yes must know."""
    heading: str = ""
    """Of the rows."""
    rows: tuple[Row, ...] = ()
    agents: tuple[str, ...] = ()
    """Of `new`: those that can be started here."""
    pids: tuple[int, ...] = ()
    """Of `stop`: processes that may be named."""
    window: bool = False
    """It can run in a window of its own beside Refloat."""
    takes_terminal: bool = False
    """It needs this terminal for itself."""
    rests_on: tuple[object, ...] = ()
    """What a yes is a yes to: where this differs at the second look, the person is asked again."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """What became of a repair."""

    path: str
    copy: SessionName | None
    """The session that the copy is, where its agent finds it."""


@dataclass(frozen=True, slots=True)
class Salvaged:
    """What became of a salvage."""

    written: tuple[str, ...]
    """Each path that was written."""
    apply: str | None
    """The command that puts the patch into the checkout."""
    gone: str | None = None
    """The folder that a written patch is relative to, where that is not there any more."""


class Planned(Protocol):
    """One look at a session, and the means to do what it offers. Whatever does something asks the guard once more."""

    @property
    def offer(self) -> Offer:
        """What a person is shown."""
        ...

    def in_terminal(self) -> int:
        """Run it in this terminal, which nobody else may be using; the exit code. Called from the main thread.

        Raises:
            RefloatError: it is not done; the sentence says why.

        """
        ...

    def in_window(self) -> str:
        """Run it beside Refloat; says where.

        Raises:
            RefloatError: it is not done; the sentence says why.

        """
        ...

    def stop(self, tell: Callable[[Progress], None]) -> Stopped:
        """Stop what is offered; a `tell` that raises `KeyboardInterrupt` ends that where it stands.

        Raises:
            RefloatError: it is not done; the sentence says why.

        """
        ...

    def repair(self) -> Repaired:
        """Write the repaired copy.

        Raises:
            RefloatError: it is not written; the sentence says why.

        """
        ...

    def salvage(self) -> Salvaged:
        """Write the patch, and what no patch can hold beside it.

        Raises:
            RefloatError: it is not written; the sentence says why.

        """
        ...


class Operations(Protocol):
    """All that the app may do to sessions."""

    def plan(self, asked: Asked) -> Planned:
        """Look, and say what would be done. Changes nothing.

        Raises:
            RefloatError: nothing can be said; the sentence says why.

        """
        ...

    def peek(self, session: SessionName) -> Attachment:
        """Where a session lives and what is to be seen there. Changes nothing, disturbs nobody.

        Raises:
            RefloatError: nothing can be said; the sentence says why.

        """
        ...
