"""Which sessions a list shows, in which groups and order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from refloat.model.attempts import rank_of
from refloat.model.light import light
from refloat.model.session import Session, SessionName, State
from refloat_tui.present.path import from_home, group_name

if TYPE_CHECKING:
    from refloat.model.attempts import InChain
    from refloat.usecases.batch import Batch

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


def here_of(sessions: Iterable[Session], home_group: str) -> frozenset[SessionName]:
    """Those of this place, as far as their groups tell it."""
    return frozenset(session.name for session in sessions if group_of(session) == home_group)


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


def is_shown(
    session: Session,
    *,
    here: frozenset[SessionName],
    words: str,
    everywhere: bool,
    kept: frozenset[SessionName] = frozenset(),
) -> bool:
    """Whether a list that is narrowed so shows a session. `kept`: those that stay without the words."""
    fits = session.name in kept or matches(session, words)
    return session.superseded_by is None and (everywhere or session.name in here) and fits


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
    kept: frozenset[SessionName] = frozenset(),
) -> tuple[Entry, ...]:
    """The rows: the group of this place first, then by newest activity; inside, what is broken first, then newest. A
    session that another one went on from is not work to do any more, whatever it ended in.
    """
    shown = [one for one in sessions if is_shown(one, here=here, words=words, everywhere=everywhere, kept=kept)]
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


def renewed(entries: Sequence[Entry], rows: Mapping[int, Session]) -> Sequence[Entry] | None:
    """The rows of `list_entries` with some sessions, by the place of their rows, as they are now; None where that moves
    a row, and all must be put in order again. Which sessions are shown, and in which chains, is the same.
    """
    found = list(entries)
    for at, session in rows.items():
        row = found[at]
        if not isinstance(row, SessionRow) or group_of(row.session) != group_of(session):
            return None
        found[at] = SessionRow(session, row.chain)
    stays = all(_stays_in_group(found, at) and _group_stays(entries, at, session) for at, session in rows.items())
    return found if stays else None


def _stays_in_group(entries: Sequence[Entry], at: int) -> bool:
    pairs = ((at - 1, at), (at, at + 1))
    return all(_in_order(entries[one], entries[other]) for one, other in pairs if other < len(entries))


def _in_order(one: Entry, other: Entry) -> bool:
    if isinstance(one, Heading) or isinstance(other, Heading):
        return True
    if _rank(one) != _rank(other):
        return _rank(one) < _rank(other)
    before, after = one.session, other.session
    newer, older = before.last_activity_at or "", after.last_activity_at or ""
    return newer > older or (newer == older and before.session_id <= after.session_id)


def _group_stays(entries: Sequence[Entry], at: int, session: Session) -> bool:
    """Whether a group stays in its place, as far as that is known without a look at the others: they go by what is
    newest in them, and one that stands in front of them only gets newer.
    """
    row = entries[at]
    before = (row.session.last_activity_at or "") if isinstance(row, SessionRow) else ""
    now = session.last_activity_at or ""
    if now <= before:
        return now == before
    heads = (each for each in reversed(entries[: at + 1]) if isinstance(each, Heading))
    own, above = next(heads, None), next(heads, None)
    return own is not None and (own.here or above is None or above.here)


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


def has_grown(known: Session, seen: Session) -> bool:
    """Whether the transcript of a live session grew, as far as these two say."""
    return seen.state is State.LIVE and known.transcript.bytes != seen.transcript.bytes


def looks_the_same(known: Session | None, seen: Session) -> bool:
    """Whether a list would show the same."""
    return known is seen or (known is not None and replace(known, liveness=seen.liveness) == seen)


def take_sessions(known: dict[SessionName, Session], found: Batch) -> list[tuple[Session | None, Session]]:
    """Take a batch; those sessions that a list would show otherwise now, as they were and as they are."""
    others: list[tuple[Session | None, Session]] = []
    for session in found.sessions:
        before = known.get(session.name)
        if not looks_the_same(before, session):
            others.append((before, session))
        known[session.name] = session
    for name in found.removed:
        known.pop(name, None)
    return others


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
