"""What a search over all sessions asks, and what it answers."""

from __future__ import annotations

from refloat.model.light import light
from refloat.model.problem import Problem
from refloat.model.session import Session, State
from refloat.model.stamp import Stamp


@light
class Asked:
    """A search: words, and what else must hold."""

    words: str
    agent: str | None = None
    workspace: str | None = None
    """A directory: sessions that belong to it, as in a list."""
    state: State | None = None
    file: str | None = None
    """Sessions in which a step named such a file: a path, or the end of one."""
    command: str | None = None
    """Sessions in which such a command was run."""
    since: Stamp | None = None
    until: Stamp | None = None
    """Items of that time; both ends count."""
    limit: int = 20


@light
class Hit:
    """One item of a history that holds what was sought, or a title that is like it."""

    session: Session
    item: int | None
    """Its number in `history`; None: the title of the session is meant, or an edit of a sub-agent."""
    kind: str
    """`prompt`, `reply`, `thinking`, `step`, `marker` or `title`."""
    line: int | None
    """In the transcript."""
    at: Stamp | None
    excerpt: tuple[tuple[str, bool], ...]
    """The place in its words, masked and on one line, in pieces; True: what was sought."""
    score: float
    """Higher is better; comparable within one answer."""


@light
class Found:
    """What a search answers: grouped by session, the best first."""

    query: str
    hits: tuple[Hit, ...]
    complete: bool
    """Everything on disk was searched."""
    unread: int = 0
    """Sessions that are not searchable yet."""
    more: bool = False
    """There are more than were asked for."""
    unreadable: tuple[Problem, ...] = ()
    """Files and directories that the system does not let be read: what they hold was not searched."""
