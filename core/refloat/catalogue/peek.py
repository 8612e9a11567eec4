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
from refloat.catalogue.seals import Broken, check_rows, unseal
from refloat.catalogue.walk import Spec

TYPE_CHECKING = False  # `typing` is dear on the list's road
if TYPE_CHECKING:
    from typing import Any

FILE = "catalogue.db"
DAMAGED = (_sqlite3.Error, OSError, ValueError, KeyError, TypeError)
"""What reading a catalogue that is damaged, or of another form, raises."""
SCHEMA = f"15/{__version__}"
"""A catalogue of anything else is thrown away: another program reads transcripts otherwise. Raise the number whenever a
table, a frozen reader or the JSON changes within one version."""

NOW = "\x01"
"""Stands in finished JSON for the moment of the look: no JSON text can hold it by itself."""

Told = tuple[str, str, str, str, str, str, str, str, str, bytes]
"""(session id, agent, last activity, state, real path of its workspace, that of an entered worktree, "1" when another
session carries it whole, its title, the name of its directory, the path of its last file)."""

Placed = tuple[str, str, str, str]
"""(session id, agent, state, real path of its workspace)."""

Finished = tuple[str, str, str, str, str, str, str, bytes]
"""The same as far as the "1", then its finished JSON."""

Gone = tuple[str, str, bytes]
"""A session whose record is gone: (agent, real path of its workspace, finished JSON)."""

_COLUMNS = "session_id, agent, last_activity, state, place, worktree, superseded"
SHOWN = f"SELECT {_COLUMNS}, title, folder, path FROM sessions WHERE listed"  # noqa: S608 - names of our own
_FINISHED = f"SELECT {_COLUMNS}, told FROM sessions WHERE listed"  # noqa: S608 - as above
_ONE = f"SELECT finished, {_COLUMNS}, told FROM sessions WHERE listed AND agent = ? AND session_id = ?"  # noqa: S608 - as above
_ONE_BY_PATH = _ONE + " AND path = ?"


class Peek:
    """An open catalogue, to be read once."""

    def __init__(self, path: str) -> None:
        self._db = connect(path)

    def notes(self) -> dict[str, str]:
        """What the last whole look noted of itself."""
        return read_notes(self._db)

    def told(self) -> list[Told]:
        """Every listed session as a table shows it, newest activity first, then by id."""
        rows = read_shown(self._db)
        _sort(rows)
        return rows

    def placed(self) -> list[Placed]:
        """Where every listed session stands that no other carries whole, in the order of `told`."""
        return [(row[0], row[1], row[3], row[4]) for row in self.told() if not row[6]]

    def told_finished(self) -> list[Finished]:
        """The same as finished JSON, with `NOW`."""
        rows = read_finished(self._db)
        _sort(rows)
        return rows

    def finished(self, sessions: Sequence[tuple[str, str]]) -> list[bytes]:
        """The finished JSON of some sessions, by agent and id, in their order."""
        found = [read_finished_of(self._db, *session) for session in sessions]
        if None in found:
            raise Broken
        return [text for text in found if text is not None]

    def gone(self) -> list[Gone]:
        """Every session whose record is gone."""
        return _checked(self._db, "gone", "SELECT agent, place, told FROM gone ORDER BY n")

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()


def read_notes(db: _sqlite3.Connection) -> dict[str, str]:
    """What the last whole look noted of itself.

    Raises:
        sqlite3.Error: the catalogue is damaged; so in those below.
    """
    rows: list[tuple[str, bytes]] = db.execute("SELECT name, value FROM meta").fetchall()
    notes: dict[str, str] = {}
    for name, sealed in rows:
        value = unseal(sealed, name) if isinstance(name, str) else None  # pyright: ignore[reportUnnecessaryIsInstance] - as the table has it
        if value is None:
            raise Broken
        notes[name] = value.decode("utf-8", "surrogateescape")
    return notes


def read_shown(db: _sqlite3.Connection) -> list[Told]:
    """Every listed session as a table shows it, in no order."""
    return _checked(db, "shown", SHOWN)


def read_finished(db: _sqlite3.Connection) -> list[Finished]:
    """The same as finished JSON."""
    return _checked(db, "finished", _FINISHED)


def read_finished_of(db: _sqlite3.Connection, agent: str, session_id: str, path: bytes | None = None) -> bytes | None:
    """The finished JSON of one session, by the path of its last file too where two have the same id."""
    question, bound = (_ONE, (agent, session_id)) if path is None else (_ONE_BY_PATH, (agent, session_id, path))
    row = db.execute(question, bound).fetchone()
    if row is None:
        return None
    check_rows([row[1:]], row[0])
    if row[1:3] != (session_id, agent):  # an index that leads to another one's row
        raise Broken
    return row[-1]


def _checked(db: _sqlite3.Connection, kind: str, question: str) -> list[Any]:
    """All rows of a kind: each as it was written, and none missing."""
    db.execute("BEGIN")  # another Refloat may write between the two questions
    try:
        total = db.execute(f"SELECT {kind} FROM seals").fetchone()  # noqa: S608 - as above
        rows = db.execute(question).fetchall()
    finally:
        db.execute("ROLLBACK")
    check_rows(rows, total and total[0])
    return rows


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
