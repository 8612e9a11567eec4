"""The files that hold the index: a few FTS5 tables side by side, each written by one process at a time.

Decides the tables and who writes which: a writer takes the first file that nobody else holds, so that the worker
processes of a first reading, or two Refloats, do not wait for each other. A row is the words of one item of a history;
no text, no name and no title stands in here, and what a row belongs to is known to `search.index` alone. Damaged, or of
another form, a file is thrown away: whoever refers to it sees by its mark that it is not the same any more.

FTS5 was measured against tantivy 0.27 on 100 MB of transcripts: 0.32 s of CPU against 0.57 s (0.45 s with two threads,
0.25 s of wall time), 4.4 against 3.6 MB, no dependency against 17 MB, and tantivy lets one process write at a time.
"""

import os
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from refloat.model.light import light

COUNT: Final = 4
_FORM: Final = "1"
_WAIT: Final = 10.0
"""Seconds to wait for another writer where all files are held."""
_HASH: Final = 8 * 1024 * 1024
"""Bytes of words gathered before FTS5 writes a piece of its own: less merging later."""


@light
class Written:
    """Where rows came to stand."""

    shard: int
    mark: str
    """Of the file: a new one has another."""
    first: int
    """Row of the first; the others follow."""


def shard_path(directory: Path, number: int) -> Path:
    """The file of a shard."""
    return directory / f"search-{number}.db"


def write_rows(directory: Path, texts: Sequence[str]) -> Written | None:
    """Write rows into the first file that is free; None where none can be written.

    They are there for good when this returns; a process that is killed before leaves nothing of them.
    """
    for wait in (0.0, _WAIT):
        for number in range(COUNT):
            with suppress(sqlite3.Error, OSError), _writing(directory, number, wait) as (connection, mark, first):
                rows = enumerate(texts, first)
                connection.executemany("INSERT INTO words(rowid, text) VALUES (?, ?)", rows)
                connection.execute("UPDATE own SET value = ? WHERE name = 'next'", (str(first + len(texts)),))
                connection.execute("COMMIT")
                return Written(number, mark, first)
    return None


@contextmanager
def _writing(directory: Path, number: int, wait: float) -> Generator[tuple[sqlite3.Connection, str, int]]:
    path = shard_path(directory, number)
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))  # private before SQLite sees it
    connection = sqlite3.connect(path, timeout=wait, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("BEGIN IMMEDIATE")
        own = _own(connection)
        if own is None:
            _make(connection)
            own = _own(connection) or {}
        yield connection, own["mark"], int(own["next"])
    except sqlite3.DatabaseError as fault:
        if not isinstance(fault, sqlite3.OperationalError) or "malformed" in str(fault):
            throw_away(path)
        raise
    finally:
        connection.close()  # rolls back what is not committed


def _own(connection: sqlite3.Connection) -> dict[str, str] | None:
    """What a file says of itself; None where it is empty or of another form."""
    try:
        own = dict(connection.execute("SELECT name, value FROM own").fetchall())
    except sqlite3.OperationalError:  # no such table
        return None
    return own if own.get("form") == _FORM else None


def _make(connection: sqlite3.Connection) -> None:
    connection.execute("DROP TABLE IF EXISTS words")
    connection.execute("DROP TABLE IF EXISTS own")
    connection.execute(
        "CREATE VIRTUAL TABLE words USING fts5(text, content='', columnsize=0, detail=none, tokenize='ascii')"
    )
    connection.execute("INSERT INTO words(words, rank) VALUES ('hashsize', ?)", (_HASH,))
    connection.execute("CREATE TABLE own (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID")
    own = [("form", _FORM), ("mark", os.urandom(8).hex()), ("next", "1")]
    connection.executemany("INSERT INTO own VALUES (?, ?)", own)


def throw_away(path: Path) -> None:
    """Remove a file with its side files, as far as that is allowed."""
    for each in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
        with suppress(OSError):
            each.unlink(missing_ok=True)


class Shard:
    """A shard, open for reading. Use it from one thread. A failing read is an empty one."""

    def __init__(self, connection: sqlite3.Connection, mark: str) -> None:
        self._db = connection
        self.mark = mark

    def rows(self, query: str, most: int, first: int = 0, last: int = 2**62) -> list[int]:
        """The last rows that hold the query (`Query.index_query`), the last one first, at most so many, between two."""
        question = "SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?"
        try:
            return [row for (row,) in self._db.execute(question, (query, first, last, most))]
        except sqlite3.Error:
            return []

    def written(self) -> int:
        """How many rows were ever written."""
        try:
            return int(self._db.execute("SELECT value FROM own WHERE name = 'next'").fetchone()[0]) - 1
        except (sqlite3.Error, TypeError):
            return 0

    def close(self) -> None:
        """Let go of the file."""
        with suppress(sqlite3.Error):
            self._db.close()


def open_shard(directory: Path, number: int) -> Shard | None:
    """Open a shard for reading; None where there is none that can be read."""
    path = shard_path(directory, number)
    if not path.exists():
        return None
    connection: sqlite3.Connection | None = None
    try:
        connection = sqlite3.connect(path, timeout=1.0, isolation_level=None)
        connection.execute("PRAGMA query_only = 1")
        own = _own(connection)
    except sqlite3.Error:
        own = None
    if connection is not None and own is not None:
        return Shard(connection, own["mark"])
    if connection is not None:
        connection.close()
    return None
