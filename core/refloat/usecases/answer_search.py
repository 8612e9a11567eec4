"""Answer a search from the command line: bring the index up to date as far as that is quick, then ask it.

Decides where sessions come from: from the catalogue alone where the caller has proved that nothing changed, else from a
look at everything. Where no index can be kept, one is made for this search alone, of what is small.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING, Final

from refloat.catalogue.store import Catalogue
from refloat.damage import FAULTS
from refloat.errors import NotDone
from refloat.model.light import replace
from refloat.model.problem import only_unread
from refloat.model.search import Asked, Found
from refloat.model.session import Session
from refloat.search.index import Index, hash_files, throw_broken_away
from refloat.search.seal import put_seal
from refloat.usecases.retold import read_told
from refloat.usecases.search_rows import Row, newest_first
from refloat.usecases.search_sessions import search_sessions
from refloat.usecases.workbench import Workbench

if TYPE_CHECKING:
    from refloat.model.refreshed import Refreshed
    from refloat.search.answers import FirstFound
    from refloat.together import Running
    from refloat.usecases.batch import Batch

AT_ONCE: Final = 32 * 1024 * 1024
"""Bytes that a search reads before it answers."""

_NO_PLACE: Final = "no place can be written for the search index: neither the cache nor a temporary directory"
_WHOLE: Final = "whole"
"""A note of the index: everything was searchable when the catalogue's last whole look was this one."""


def answer_search(
    bench: Workbench,
    asked: Asked,
    *,
    unchanged: bool = False,
    tell: Callable[[Refreshed], None] = lambda _: None,
) -> Found:
    """Search everything. `unchanged`: no file and no process of an agent has changed since the last whole look. `tell`
    hears how far it is to read what is new.

    Raises:
        UsageError: there is nothing to look for.
        NotDone: nowhere may an index be written.
    """
    if unchanged and (found := answer_at_once(bench, asked)) is not None:
        return found
    from refloat.usecases.batch import Batch  # a search where nothing changed needs neither
    from refloat.usecases.refresh import read_on, state_of

    with _with_cache(bench) as able:
        end = Batch()
        for batch in read_on(able, AT_ONCE):
            tell(state_of(batch))
            end = batch or end
        sessions = _sessions(able, end)
        with _opened(able) as index, _catalogue(able) as catalogue:
            if end.complete and not end.unread and catalogue is not None and (look := _look_of(catalogue)):
                index.set_note(_WHOLE, look)
            found = search_sessions(able, index, newest_first(sessions), asked, catalogue=catalogue)
            unreadable = tuple(only_unread(end.problems or ()))
            whole = not end.unread and not unreadable and index.is_sound()
            found = replace(found, complete=whole, unread=end.unread, unreadable=unreadable)
        if found.complete:
            put_seal(able.machine.places.cache)
        return found


def answer_at_once(bench: Workbench, asked: Asked, begun: Running[FirstFound] | None = None) -> Found | None:
    """The answer by what the last whole look told, where all of it is searchable. `begun`: `begin_search` of its words,
    by somebody who has the index's seal looked at.

    Raises:
        UsageError: there is nothing to look for.
    """
    if begun is None:
        throw_broken_away(bench.machine.places.cache)
    index = Index.open(bench.machine.places.cache)
    if index is None:
        return None
    with index, _catalogue(bench) as catalogue:
        if catalogue is None or index.note(_WHOLE) != _look_of(catalogue):
            return None
        first = None if begun is None else begun.result()
        now = bench.machine.clock.now()

        def load(row: Row) -> Session | None:
            told = catalogue.told_of((row.agent, row.session_id, row.paths[0]))
            return None if told is None else read_told(told, now)

        try:
            rows = starmap(Row, catalogue.scope())
            found = search_sessions(bench, index, rows, asked, load=load, first=first, catalogue=catalogue)
        except FAULTS:  # the catalogue: a look at everything makes it anew
            return None
        return replace(found, complete=True) if index.is_sound() and not catalogue.is_damaged else None


def _sessions(bench: Workbench, end: Batch) -> Sequence[Session]:
    """All of them: as the reading found them, if it came to its end."""
    if end.complete:
        return [session for session in end.sessions if session.superseded_by is None]
    from refloat.usecases.find_sessions import Scope, list_sessions

    return list_sessions(bench, Scope()).sessions


def _look_of(catalogue: Catalogue) -> str:
    """What tells the last whole look from any other; "" where the catalogue may not answer by itself."""
    notes = catalogue.notes()
    fingerprint = notes.get("fingerprint", "")
    # What grew since and was told by a list alone (`regrow`) is not searchable yet.
    return fingerprint and hash_files(f"{fingerprint}\n\n{notes.get('since', '')}")


@contextmanager
def _with_cache(bench: Workbench) -> Generator[Workbench]:
    """The bench; where its cache takes no index, one whose cache lives as long as the search."""
    index = Index.open(bench.machine.places.cache)
    if index is not None:
        index.close()
        yield bench
        return
    from tempfile import TemporaryDirectory

    try:
        own = TemporaryDirectory(prefix="refloat-search-")
    except OSError as fault:
        raise NotDone(_NO_PLACE) from fault
    with own:
        places = replace(bench.machine.places, cache=Path(own.name))
        yield replace(bench, machine=replace(bench.machine, places=places))


def _opened(bench: Workbench) -> Index:
    index = Index.open(bench.machine.places.cache)
    if index is None:
        raise NotDone(_NO_PLACE)
    return index


@contextmanager
def _catalogue(bench: Workbench) -> Generator[Catalogue | None]:
    catalogue = Catalogue.open(bench.machine.places.cache)
    if catalogue is None:
        yield None
        return
    with catalogue:
        yield catalogue
