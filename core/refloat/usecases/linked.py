"""Which sessions were started from which: what the record knows beside the agents' own words.

Decides that a session that nobody noted as the child of an attempt is it when only it fits: same agent, same directory,
begun while the attempt ran, and asked to read that very brief. What is worked out so is not written: looking changes
nothing. A record that cannot be read links nothing.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from refloat.catalogue.store import Catalogue
from refloat.errors import RefloatError
from refloat.model.attempts import Attempt, InChain, Standing, chains_of
from refloat.model.session import Session, SessionName, place_here
from refloat.model.stamp import later
from refloat.record.names import CONFIG_NAME, FILE_NAME, URL_VARIABLE
from refloat.there import is_there, may_be_there
from refloat.usecases.workbench import Workbench

_PATIENCE: Final = 2.0
"""Seconds that a list waits for a server that holds the record."""
_EARLY: Final = -5.0
"""Seconds by which a program may date its beginning before it was started."""


def read_attempts(bench: Workbench) -> tuple[Attempt, ...]:
    """Every attempt that the record knows; none where there is no record, or none that can be read now."""
    places, now = bench.machine.places, bench.machine.clock.now()
    on_server = URL_VARIABLE in places.environment or is_there(places.config / CONFIG_NAME)
    if not on_server and not may_be_there(places.data / FILE_NAME):
        return ()
    from refloat.record.attempts import find_attempts
    from refloat.record.store import find_url, open_record
    from refloat.usecases.saved_record import open_saved

    try:
        url = find_url(places.environment, places.config) if on_server else None
        with (
            open_record(places.data, now, url, patience=_PATIENCE)
            if url is not None
            else open_saved(places.data, places.config, places.environment, now)
        ) as record:
            return find_attempts(record)
    except RefloatError:
        return ()


def settled(attempts: Iterable[Attempt], sessions: Sequence[Session]) -> tuple[Attempt, ...]:
    """The attempts with the children that only these sessions can be. One that came to nothing (its agent was never
    asked anything, and wrote no transcript) is left out.
    """
    known = tuple(attempts)
    if not known:
        return ()
    taken, names = {attempt.child for attempt in known}, {session.name for session in sessions}
    found: list[Attempt] = []
    for attempt in known:
        fitting = [] if attempt.child else fitting_children(attempt, sessions, taken)
        settled_one = replace(attempt, child=fitting[0].name) if len(fitting) == 1 else attempt
        if settled_one.child is None or settled_one.child in names:
            found.append(settled_one)
    return tuple(found)


def fitting_children(
    attempt: Attempt, sessions: Iterable[Session], taken: Iterable[SessionName | None] = ()
) -> list[Session]:
    """Sessions that an attempt may have begun, by agent, directory, time and what they were asked."""
    asked = f"Read {attempt.brief}"
    return [
        session
        for session in sessions
        if session.agent == attempt.agent
        and session.name not in taken
        and session.name != attempt.parent
        and session.started_at is not None
        and session.started_at >= later(attempt.at, _EARLY)
        and (attempt.ended is None or session.started_at <= attempt.ended)
        and _same_place(session.workspace, attempt.workspace)
        and _begins_alike(session.title, asked)
    ]


def _same_place(one: str | None, other: str) -> bool:
    here = place_here(one)
    return here is not None and (here == other or os.path.realpath(here) == os.path.realpath(other))


def _begins_alike(title: str, asked: str) -> bool:
    """Whether a title, which may be cut, is of that prompt."""
    begun = title.rstrip("….").strip()
    return bool(begun) and (asked.startswith(begun) or begun.startswith(asked))


def with_parents(sessions: Iterable[Session], chains: Mapping[SessionName, InChain]) -> Iterator[Session]:
    """The sessions, each with the parent that the record knows where the agent names none."""
    for session in sessions:
        chain = chains.get(session.name) if session.parent is None else None
        yield session if chain is None or chain.parent is None else replace(session, parent=chain.parent)


def standing_of(bench: Workbench, session: Session) -> Standing | None:
    """Where a session stands among the attempts, and the state of the newest; None where it stands alone."""
    attempts = read_attempts(bench)
    if not attempts:
        return None
    from refloat.usecases.find_sessions import Scope, list_sessions, resolve

    if any(attempt.child is None and attempt.parent == session.name for attempt in attempts):
        attempts = settled(attempts, list_sessions(bench, Scope()).sessions)
    while (chain := chains_of(attempts).get(session.name)) is not None:
        if chain.newest == session.name:
            return Standing(chain, session.name, session.state)
        try:
            newest = resolve(bench, chain.newest, bench.machine.places.home).session
        except RefloatError:  # it came to nothing, or was deleted since
            attempts = tuple(attempt for attempt in attempts if attempt.child != chain.newest)
        else:
            return Standing(chain, newest.name, newest.state)
    return None


def forget_list(bench: Workbench) -> None:
    """Have the next list look anew: a link was written, and no file of an agent changed."""
    catalogue = Catalogue.open(bench.machine.places.cache)
    if catalogue is not None:
        with catalogue:
            catalogue.distrust()
