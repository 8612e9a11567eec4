"""The catalogue's quick reader: `refloat list` straight from the finished rows, with nothing but `sqlite3`.

Decides nothing: it hands over what a whole look kept, or None where anything about the file is not as expected. Never
writes, never makes the file, never waits.
"""

from __future__ import annotations

# The module below `sqlite3`: the public one loads a calendar and the collections as well, a twelfth of the list's time.
import _sqlite3
import os
from collections.abc import Iterable, Sequence

from refloat import __version__
from refloat.catalogue.walk import Spec

FILE = "catalogue.db"
DAMAGED = (_sqlite3.Error, OSError, ValueError, KeyError, TypeError)
"""What reading a catalogue that is damaged, or of another form, raises."""
SCHEMA = f"12/{__version__}"
"""A catalogue of anything else is thrown away: another program reads transcripts otherwise. Raise the number whenever a
table, a frozen reader or the JSON changes within one version."""

NOW = "\x01"
"""Stands in finished JSON for the moment of the look: no JSON text can hold it by itself."""

Told = tuple[str, str, str, str, str, str, int, str, str]
"""(session id, agent, last activity, state, real path of its workspace, that of an entered worktree, 1 when another
session carries it whole, its title, the name of its directory)."""

Placed = tuple[str, str, str, str]
"""(session id, agent, state, real path of its workspace)."""

Finished = tuple[str, str, str, str, str, str, int, bytes]
"""The same as far as the number, then its finished JSON."""

Gone = tuple[str, str, str]
"""A session whose record is gone: (agent, real path of its workspace, finished JSON)."""

_COLUMNS = "SELECT session_id, agent, last_activity, state, {}, superseded, "
_PLACES, _NO_PLACES = "place, worktree", "'', ''"
_SHOWN = _COLUMNS.format(_PLACES) + "title, folder FROM sessions WHERE listed"
# As bytes, which are written as they are: to make texts of them, and one of all, takes longer than to read them.
_FINISHED = _COLUMNS + "CAST(front || ',' || live || ',' || back AS BLOB) FROM sessions WHERE listed"
_PLACED = (
    "SELECT session_id, agent, state, place FROM sessions WHERE listed AND NOT superseded"
    " ORDER BY last_activity DESC, session_id, agent"
)
NEWEST = "SELECT max(last_activity) FROM sessions WHERE listed"
_ONE = "SELECT front || ',' || live || ',' || back FROM sessions WHERE listed AND agent = ? AND session_id = ?"


class Peek:
    """An open catalogue, to be read once."""

    def __init__(self, path: str) -> None:
        self._db = connect(path)

    def notes(self) -> dict[str, str]:
        """What the last whole look noted of itself."""
        rows: list[tuple[str, bytes]] = self._db.execute("SELECT name, value FROM meta").fetchall()
        return {name: value.decode("utf-8", "surrogateescape") for name, value in rows}

    def newest(self) -> str:
        """The last activity of any listed session; "" where there is none."""
        row: tuple[str | None] = self._db.execute(NEWEST).fetchone()
        return row[0] or ""

    def told(self) -> list[Told]:
        """Every listed session as a table shows it, newest activity first, then by id."""
        rows: list[Told] = self._db.execute(_SHOWN).fetchall()
        _sort(rows)
        return rows

    def placed(self) -> list[Placed]:
        """Where every listed session stands that no other carries whole, in the order of `told`."""
        return self._db.execute(_PLACED).fetchall()

    def told_finished(self, *, places: bool) -> list[Finished]:
        """The same as finished JSON, with `NOW`; without `places` the two of each are left empty."""
        asked = _FINISHED.format(_PLACES if places else _NO_PLACES)
        rows: list[Finished] = self._db.execute(asked).fetchall()
        _sort(rows)
        return rows

    def finished(self, sessions: Sequence[tuple[str, str]]) -> list[str]:
        """The finished JSON of some sessions, by agent and id, in their order."""
        found: list[str] = []
        for agent, session_id in sessions:
            row: tuple[str] | None = self._db.execute(_ONE, (agent, session_id)).fetchone()
            if row is not None:
                found.append(row[0])
        return found

    def gone(self) -> list[Gone]:
        """Every session whose record is gone."""
        return self._db.execute("SELECT agent, place, told FROM gone ORDER BY n").fetchall()

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()


def _sort(rows: list[Told] | list[Finished]) -> None:
    """Newest activity first, then by id. SQLite would carry the long texts through its sorter."""
    if len({row[0] for row in rows}) < len(rows):
        rows.sort()
    else:
        rows.sort(key=_by_id)
    rows.sort(key=_by_activity, reverse=True)


def _by_id(row: Told | Finished) -> str:
    return row[0]


def _by_activity(row: Told | Finished) -> str:
    return row[2]


def peek(directory: str) -> Peek | None:
    """Open the catalogue in a cache directory; None where there is none that can be read.

    Reading it later may raise `sqlite3.Error` all the same: a damaged page shows only when it is met.
    """
    path = directory + "/" + FILE
    if not os.path.exists(path):  # noqa: PTH110 - pathlib is dear at start-up
        return None
    try:
        return Peek(path)
    except _sqlite3.Error:
        return None


def connect(path: str) -> _sqlite3.Connection:
    """A database file, to be read: never made, never waited for."""
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return _sqlite3.connect(f"file:{quoted}?mode=ro", timeout=0.05, isolation_level=None, uri=True)


def write_specs(specs: Sequence[Spec]) -> str:
    """Walk specs as text: one a line, tabs between."""
    return "\n".join(
        "\t".join((agent, root, "|".join(suffixes), str(depth), holds)) for agent, root, suffixes, depth, holds in specs
    )


def read_specs(text: str) -> list[Spec]:
    """Walk specs from `write_specs`.

    Raises:
        ValueError: it is none.

    """
    specs: list[Spec] = []
    for line in text.split("\n") if text else ():
        agent, root, suffixes, depth, holds = line.split("\t")
        specs.append((agent, root, tuple(suffixes.split("|")), int(depth), holds))
    return specs


def write_places(places: Iterable[tuple[str, str, str]]) -> str:
    """(real path, repository, its shared directory) of every directory that a session belongs to, as text."""
    return "\n".join(sorted({"\t".join(place) for place in places if place[0]}))


def read_places(text: str) -> list[tuple[str, str, str]]:
    """Places from `write_places`.

    Raises:
        ValueError: it is none.

    """
    places: list[tuple[str, str, str]] = []
    for line in text.split("\n") if text else ():
        path, repo, common = line.split("\t")
        places.append((path, repo, common))
    return places
