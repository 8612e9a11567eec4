"""Find sessions: list them, watch them come in, name the one that a person means, find who else edited a file.

The face of `finder` and `naming`: what commands and the app call.
"""

from collections.abc import Iterator
from pathlib import Path

from refloat.usecases.batch import Batch, Listing, Scope
from refloat.usecases.finder import Finder, Stop
from refloat.usecases.located import Located
from refloat.usecases.naming import find_named
from refloat.usecases.neighbours import Neighbour, find_neighbours
from refloat.usecases.reading import Placed
from refloat.usecases.sessions import TITLE, listed_title
from refloat.usecases.workbench import Workbench

__all__ = [
    "TITLE",
    "Batch",
    "Finder",
    "Listing",
    "Located",
    "Neighbour",
    "Scope",
    "Stop",
    "find_neighbours",
    "list_sessions",
    "listed_title",
    "resolve",
    "watch_sessions",
]


def list_sessions(bench: Workbench, scope: Scope) -> Listing:
    """Every session in scope, newest activity first, then by id."""
    return Finder(bench).find(scope)


def watch_sessions(bench: Workbench, here: Path | None = None, stop: Stop = lambda: False) -> Iterator[Batch]:
    """All sessions: first what the catalogue has, then, batch by batch, what had to be read, newest files first.

    Keep a `Finder` instead where the look will be repeated.
    """
    return Finder(bench).watch(here, stop)


def resolve(bench: Workbench, ref: str, cwd: Path, whole: Placed | None = None) -> Located:
    """The session that `ref` names: an id, a unique prefix, `agent:id`, `last`, or a path (design, section 7).

    With `whole` it will be read whole next: where it must be read at all, that is done in one go, and `whole` is told
    early where the session works.

    Raises:
        NoSuchSession: none fits, or more than one; carries the nearest.
        UsageError: a file or directory that is no transcript of any known agent.
        Unreadable: a path that may not be read.

    """
    return find_named(Finder(bench, whole=whole), bench, ref, cwd)
