"""Which sessions a list shows, in which groups and order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from refloat.model.attempts import rank_of
from refloat.model.light import light
from refloat.model.session import Session, SessionName, State
from refloat_tui.present.path import from_home, group_name

if TYPE_CHECKING:
    from refloat.model.attempts import InChain

_ALONE: Final[Mapping[SessionName, InChain]] = MappingProxyType({})


@light
class Heading:
    """The head of a group."""

    key: str
    name: str
    where: str
    """The directory above it."""
    here: bool
    count: int


@light
class SessionRow:
    """A session in the list."""

    session: Session
    chain: InChain | None = None
    """Where it stands among the attempts at one piece of work."""

    @property
    def went_on(self) -> bool:
        """Another session went on from it: what it left is no longer work to do here."""
        return self.chain is not None and self.chain.continued_by is not None


Entry = Heading | SessionRow


def group_of(session: Session) -> str:
    """What a session is grouped by: its repository, else its workspace."""
    return session.repo or session.workspace or ""


def matches(session: Session, words: str) -> bool:
    """Whether every word of a filter stands in its title, agent, state, branch, place or id."""
    if not words:
        return True
    haystack = " ".join(
        (
            session.title,
            session.agent,
            session.session_id,
            session.state.value,
            session.branch or "",
            session.workspace or "",
            session.model or "",
        )
    ).casefold()
    return all(word in haystack for word in words.casefold().split())


def _newest_first(sessions: Iterable[Session]) -> list[Session]:
    ordered = sorted(sessions, key=lambda session: session.session_id)
    return sorted(ordered, key=lambda session: session.last_activity_at or "", reverse=True)


def list_entries(
    sessions: Iterable[Session],
    *,
    here: frozenset[SessionName],
    home_group: str,
    home: str,
    words: str,
    everywhere: bool,
    chains: Mapping[SessionName, InChain] = _ALONE,
) -> tuple[Entry, ...]:
    """The rows: the group of this place first, then by newest activity; inside, what is broken first, then newest. A
    session that another one went on from is not work to do any more, whatever it ended in.
    """
    shown = [
        session
        for session in sessions
        if session.superseded_by is None and (everywhere or session.name in here) and matches(session, words)
    ]
    groups: dict[str, list[Session]] = {}
    for session in _newest_first(shown):
        groups.setdefault(group_of(session), []).append(session)
    names = sorted(groups, key=lambda name: name != home_group)
    found: list[Entry] = []
    for name in names:
        rows = sorted((SessionRow(one, chains.get(one.name)) for one in groups[name]), key=_rank)
        where = from_home(name, home).rpartition("/")[0]
        found.append(Heading(f"# {name}", group_name(name or None), where, name == home_group, len(rows)))
        found += rows
    return tuple(found)


def _rank(row: SessionRow) -> int:
    return rank_of(row.session.state, row.chain)


def needs_person(session: Session) -> int:
    """How many calls of it have no result, its sub-agents' included: a person must look, whether it runs or not."""
    return session.dangling + sum(sub.dangling for sub in session.subagents)


def has_moved_on(known: Session | None, seen: Session) -> bool:
    """Whether there is something new to read. Evidence carries the time of each look and says nothing about that."""
    return known is None or (
        known.transcript.bytes != seen.transcript.bytes
        or known.transcript.paths != seen.transcript.paths
        or known.state is not seen.state
        or known.activity is not seen.activity
        or known.last_activity_at != seen.last_activity_at
    )


def looks_the_same(known: Session | None, seen: Session) -> bool:
    """Whether a list would show the same."""
    return known is seen or (known is not None and replace(known, liveness=seen.liveness) == seen)


@light
class Counts:
    """The line at the top of the desk."""

    sessions: int
    live: int
    unresolved: int
    failed: int


def count_sessions(sessions: Iterable[Session]) -> Counts:
    """How many there are of each."""
    states = [session.state for session in sessions if session.superseded_by is None]
    return Counts(len(states), states.count(State.LIVE), states.count(State.UNRESOLVED), states.count(State.FAILED))
