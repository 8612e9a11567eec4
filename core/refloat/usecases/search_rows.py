"""Sessions as a search goes through them: what little is known of each before it may be shown.

Decides which of them a search asks for at all, by its filters of agent, state, time and place.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from refloat.model.search import Asked
from refloat.model.session import Session

if TYPE_CHECKING:
    from refloat.usecases.sessions import Surroundings


class Row(NamedTuple):
    """A session that may be searched, before anything but this is known of it. A tuple: there are thousands."""

    agent: str
    session_id: str
    kept: tuple[str, ...] | bytes
    """Its files, the last one is what it is kept under, or one of them; or just that one, as the system spells it."""
    last_activity: str
    state: str
    workspace: str | None
    worktree: str | None
    """One that it entered."""
    title: str
    """As a list shows it, or its own."""
    session: Session | None = None
    """Itself, where it is known."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Its files, or the last one of them."""
        return (os.fsdecode(self.kept),) if isinstance(self.kept, bytes) else self.kept


Load = Callable[[Row], Session | None]


def newest_first(sessions: Iterable[Session]) -> list[Row]:
    """The rows of sessions that are known, as a search goes through them: by their last activity, then by id."""
    rows = sorted(map(_row_of, sessions), key=itemgetter(1))
    rows.sort(key=itemgetter(3), reverse=True)
    return rows


def _row_of(session: Session) -> Row:
    return Row(
        agent=session.agent,
        session_id=session.session_id,
        kept=session.transcript.paths,
        last_activity=session.last_activity_at or "",
        state=session.state,
        workspace=session.workspace,
        worktree=session.worktree,
        title=session.title,
        session=session,
    )


def session_of(row: Row) -> Session | None:
    """The session of a row that has it."""
    return row.session


class Remembered(Iterable[Row]):
    """Rows that are asked for once, when somebody comes to them, and gone through more than once."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = iter(rows)
        self._seen: list[Row] = []

    def __iter__(self) -> Iterator[Row]:
        at = 0
        while at < len(self._seen) or self._has_next():
            yield self._seen[at]
            at += 1

    def _has_next(self) -> bool:
        before = len(self._seen)
        self._seen += islice(self._rows, 1)
        return len(self._seen) > before


def fitting(rows: Iterable[Row], asked: Asked) -> Iterable[Row]:
    """Those of the rows that a search asks for."""
    if asked.agent is asked.state is asked.since is asked.workspace is None:
        return rows
    from refloat.usecases.sessions import Surroundings

    surroundings = Surroundings()
    return (row for row in rows if _fits(row, asked, surroundings))


def _fits(row: Row, asked: Asked, surroundings: "Surroundings") -> bool:
    return (
        (asked.agent is None or row.agent == asked.agent)
        and (asked.state is None or row.state == asked.state)
        and (asked.since is None or row.last_activity >= asked.since)
        and (asked.workspace is None or surroundings.holds(Path(asked.workspace), (row.workspace, row.worktree)))
    )
