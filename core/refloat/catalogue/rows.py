"""What the catalogue's rows are: the values that go in and come out, and the statements that bind them.

Decides which columns hold what, and which of them are sealed; knows no connection and no transaction (`store`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from refloat.catalogue.seals import row_seal, seal, unseal
from refloat.model.light import light

Key = tuple[str, str, str]
"""(agent, session id, path of its last file): two files that call themselves the same session keep apart."""

Stat = tuple[int, int, int, int]
"""(size, mtime_ns, inode, device)."""


@light
class Alone:
    """One file of a session of which the growth changes nothing of any other session."""

    key: Key
    found: str
    """The session as it was found, as JSON, with the last of its files; "" with the others."""


@light
class Reading:
    """A session as it was read."""

    key: Key
    files: str
    """Which stretches of which files, and their stats, as JSON."""
    lineage: str
    """Id of its first conversation row, or "": copies share it."""
    summary: bytes
    """What they came to, as JSON."""


@light
class Told:
    """A session as `refloat list` tells it."""

    key: Key
    mark: str
    """Changes when anything of it does, the moment of the look apart."""
    superseded: bool
    last_activity: str
    state: str
    place: str
    """The workspace's real path, or ""."""
    worktree: str
    """Real path of an entered worktree, or ""."""
    title: str
    """Masked, inert, one line."""
    folder: str
    """Name of the workspace's directory; masked, inert, one line."""
    finished: str
    """Its JSON, with `peek.NOW` for the moment of the look."""


Work = tuple[str, Iterable[Sequence[object]] | None]
"""A statement, with the rows that are bound to it one after the other."""

_SAME: Final = "name = 'fingerprint' OR (name = 'mark' AND value = ?) OR (name = 'since' AND value = ?)"
STANDS: Final = f"SELECT count(*) FROM meta WHERE {_SAME}"  # noqa: S608 - names of our own
INSERT_FILE: Final = "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?)"
INSERT_ALONE: Final = "INSERT OR REPLACE INTO alone VALUES (?, ?, ?, ?, ?)"
READING: Final = "agent, session_id, path, files, lineage, summary"
KEY: Final = "agent = ? AND session_id = ? AND path = ?"
INSERT_TOLD: Final = f"INSERT OR REPLACE INTO sessions VALUES ({', '.join('?' * 15)})"  # noqa: S608 - as above
INSERT_BESIDE: Final = INSERT_TOLD.replace("sessions", "temp.told")
TOLD_BESIDE: Final = "CREATE TEMP TABLE IF NOT EXISTS told AS SELECT * FROM sessions WHERE 0"
SUMS: Final = "SELECT coalesce(sum(shown), 0), coalesce(sum(finished), 0) FROM sessions WHERE listed"
COUNT_ALL: Final = f"UPDATE seals SET gone = ?, (shown, finished) = ({SUMS})"  # noqa: S608 - as above
FORGET: Final = (
    "DELETE FROM edited WHERE (agent, session_id) IN (SELECT agent, session_id FROM readings WHERE path = ?)",
    *(f"DELETE FROM {table} WHERE path = ?" for table in ("files", "sessions", "readings", "resumes", "copies")),  # noqa: S608 - as above
)


def _counting(sign: str) -> str:
    """What counts the seals of one session in (+) or out (-)."""
    return (
        f"UPDATE seals SET (shown, finished) = (SELECT seals.shown {sign} coalesce(sum(told.shown), 0),"  # noqa: S608 - as above
        f" seals.finished {sign} coalesce(sum(told.finished), 0) FROM sessions AS told WHERE {KEY} AND listed)"
    )


COUNT_OUT: Final = _counting("-")
COUNT_IN: Final = _counting("+")


def keeping(rows: Iterable[tuple[Reading, bytes, Sequence[str]]]) -> Sequence[Work]:
    """What keeps sessions as read, what is needed to read them on, and the paths that they edited."""
    kept = [(bound_key(reading.key), reading, frozen, paths) for reading, frozen, paths in rows]
    return [
        (
            "INSERT OR REPLACE INTO readings VALUES (?, ?, ?, ?, ?, ?)",
            [
                (*key, row.files, row.lineage, seal(row.summary, *row.key, row.files, row.lineage))
                for key, row, _, _ in kept
            ],
        ),
        (
            "INSERT OR REPLACE INTO resumes VALUES (?, ?, ?, ?)",
            [(*key, seal(frozen, *reading.key, reading.files)) for key, reading, frozen, _ in kept],
        ),
        ("DELETE FROM edited WHERE agent = ? AND session_id = ?", [key[:2] for key, _, _, _ in kept]),
        (
            "INSERT OR IGNORE INTO edited VALUES (?, ?, ?)",
            [(path, *key[:2]) for key, _, _, paths in kept for path in paths],
        ),
    ]


def file_rows(rows: Iterable[tuple[str, Stat, str]]) -> Sequence[Sequence[object]]:
    """What files are, with what they were when they were looked into, as text."""
    return [
        (os.fsencode(path), *stat, seal(identity.encode("utf-8", "surrogatepass"), path))
        for path, stat, identity in rows
    ]


def alone_rows(rows: Mapping[str, Alone | None]) -> Sequence[Sequence[object]]:
    """The files that stand alone, by path; those that do no longer are none."""
    return [
        (os.fsencode(path), *row.key[:2], os.fsencode(row.key[2]), seal(row.found.encode(), path, *row.key))
        for path, row in rows.items()
        if row
    ]


def note_value(name: str, value: str) -> bytes:
    """A note as it is kept (`peek.read_notes`)."""
    return seal(value.encode("utf-8", "surrogateescape"), name)


def note_rows(notes: Mapping[str, str]) -> Sequence[Sequence[object]]:
    """Notes, by name."""
    return [(name, note_value(name, value)) for name, value in notes.items()]


def identity_of(row: tuple[bytes, int, int, int, int, bytes]) -> tuple[str, tuple[Stat, str]]:
    """A file's path with what it was, and what it was then: "" where that is not known any more."""
    path = os.fsdecode(row[0])
    return path, (row[1:5], read_identity(row[5], path))


def read_identity(sealed: bytes, path: str) -> str:
    """What the file of that path was when it was looked into; "" where that is not known any more."""
    return (unseal(sealed, path) or b"").decode("utf-8", "surrogatepass")


def keyed(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row with its first three columns as a key."""
    return (row[0], row[1], os.fsdecode(row[2])), *row[3:]


def alone_of(row: tuple[bytes, str, str, bytes, bytes]) -> tuple[str, Alone | None]:
    """The path of a file with what stands alone there; None where that is not known any more."""
    at, *key, last = os.fsdecode(row[0]), row[1], row[2], os.fsdecode(row[3])
    found = unseal(row[4], at, *key, last)
    return at, None if found is None else Alone((row[1], row[2], last), found.decode())


def reading_of(row: tuple[str, str, bytes, str, str, bytes]) -> Reading:
    """A session as it was read; with no summary where that is not known any more."""
    agent, session, path, files, lineage, summary = row
    key = agent, session, os.fsdecode(path)
    return Reading(key, files, lineage, unseal(summary, *key, files, lineage) or b"")


def bound_key(key: Key) -> tuple[str, str, bytes]:
    """A key as columns: of a path the bytes that the system spells it by."""
    return key[0], key[1], os.fsencode(key[2])


def told_row(row: Told) -> tuple[object, ...]:
    """A session as it is told, listed, with both of its seals.

    Raises:
        UnicodeEncodeError: it has a name that is no text.
    """
    *key, path = bound_key(row.key)
    superseded, finished = "1" if row.superseded else "", row.finished.encode()
    columns = row.key[1], row.key[0], row.last_activity, row.state, row.place, row.worktree, superseded
    shown = row_seal((*columns, row.title, row.folder, path))
    return (
        *key,
        path,
        1,
        row.mark,
        shown,
        row_seal((*columns, finished)),
        superseded,
        *columns[2:6],
        row.title,
        row.folder,
        finished,
    )
