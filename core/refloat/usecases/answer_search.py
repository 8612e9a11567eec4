"""Answer a search from the command line: bring the index up to date as far as that is quick, then ask it.

Decides where sessions come from: from the catalogue alone where the caller has proved that nothing changed, else from a
look at everything. Where no index can be kept, one is made for this search alone, of what is small.
"""

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from refloat.catalogue.store import Catalogue
from refloat.errors import NotDone
from refloat.model.search import Asked, Found
from refloat.model.session import Session
from refloat.search.index import Index, hash_files
from refloat.usecases.search_sessions import Row, row_of, search_sessions
from refloat.usecases.telling import read_told
from refloat.usecases.workbench import Workbench

if TYPE_CHECKING:
    from refloat.usecases.make_searchable import Progress

AT_ONCE: Final = 32 * 1024 * 1024
"""Bytes that a search reads before it answers."""

_WHOLE: Final = "whole"
"""A note of the index: everything was searchable when the catalogue's last whole look was this one."""


def answer_search(
    bench: Workbench,
    asked: Asked,
    *,
    unchanged: bool = False,
    tell: "Callable[[Progress], None]" = lambda _: None,
) -> Found:
    """Search everything. `unchanged`: no file and no process of an agent has changed since the last whole look.

    Raises:
        UsageError: there is nothing to look for.
        NotDone: nowhere may an index be written.
    """
    with _index(bench.machine.places.cache) as index, _catalogue(bench) as catalogue:
        if unchanged and catalogue is not None and index.note(_WHOLE) == _look_of(catalogue):
            return replace(search_sessions(bench, index, _rows(bench, catalogue), asked), complete=True)
    from refloat.usecases.find_sessions import Scope, list_sessions  # a search where nothing changed needs neither
    from refloat.usecases.make_searchable import make_searchable

    with _index(bench.machine.places.cache) as index:
        left = make_searchable(bench, index, most=AT_ONCE, tell=tell)
        listing = list_sessions(bench, Scope())
        with _catalogue(bench) as catalogue:
            if not left and catalogue is not None and (look := _look_of(catalogue)):
                index.set_note(_WHOLE, look)
        found = search_sessions(bench, index, map(row_of, listing.sessions), asked)
        return replace(found, complete=not left, unread=left)


def _look_of(catalogue: Catalogue) -> str:
    """What tells the last whole look from any other; "" where the catalogue may not answer by itself."""
    fingerprint = catalogue.notes().get("fingerprint", "")
    return fingerprint and hash_files(fingerprint)


def _rows(bench: Workbench, catalogue: Catalogue) -> Iterator[Row]:
    """Sessions as the last whole look told them; each is read only where it is shown."""
    now = bench.machine.clock.now()
    for agent, session_id, path, last_activity, state, place, worktree, title in catalogue.scope():

        def load(key: tuple[str, str, str] = (agent, session_id, path)) -> Session | None:
            told = catalogue.told_of(key)
            return None if told is None else read_told(told, now)

        yield Row(agent, session_id, (path,), last_activity, state, (place, worktree), title, load)


@contextmanager
def _index(directory: Path) -> Generator[Index]:
    """The index of the cache, or one that lives as long as the search."""
    with ExitStack() as open_:
        index = Index.open(directory)
        if index is None:
            own = Path(open_.enter_context(TemporaryDirectory(prefix="refloat-search-")))
            index = Index.open(own)
        if index is None:
            raise NotDone("no place can be written for the search index: neither the cache nor a temporary directory")
        yield open_.enter_context(index)


@contextmanager
def _catalogue(bench: Workbench) -> Generator[Catalogue | None]:
    catalogue = Catalogue.open(bench.machine.places.cache)
    if catalogue is None:
        yield None
        return
    with catalogue:
        yield catalogue
