"""The files that hold the index: a few FTS5 tables side by side, each written by one process at a time.

Decides the tables and who writes which: a writer takes the first file that nobody else holds, so that the worker
processes of a first reading, or two Refloats, do not wait for each other. A row is the words of one item of a history;
no text, no name and no title stands in here, and what a row belongs to is known to `search.index` alone. Damaged, or of
another form, a file is thrown away: whoever refers to it sees by its mark that it is not the same any more.

FTS5 was measured against tantivy 0.27 on 100 MB of transcripts: 0.32 s of CPU against 0.57 s (0.45 s with two threads,
0.25 s of wall time), 4.4 against 3.6 MB, no dependency against 17 MB, and tantivy lets one process write at a time.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import local
from typing import Final, Self

from refloat.damage import FAULTS, is_damage
from refloat.model.light import light
from refloat.patterns import late
from refloat.search.seal import take_seal
from refloat.there import is_there

COUNT: Final = 4
LAST: Final = 2**62
"""No row is later."""
_FORM: Final = "2"
_WAIT: Final = 10.0
"""Seconds to wait for another writer where all files are held."""
_HASH: Final = 8 * 1024 * 1024
"""Bytes of words gathered before FTS5 writes a piece of its own: less merging later."""
_TOGETHER: Final = 8 * 1024 * 1024
"""Characters of rows after which they are kept, whatever follows: nobody shall wait for the file longer."""
_PARTS: Final = 8
"""Pieces of about one size that are merged into a larger one."""
_ENDINGS: Final = 64
"""Words that are sought one by one for a beginning of words. FTS5 itself gathers every row of all of them before it
tells the first: twenty times as long where one of them stands everywhere.
"""
_BEGINS: Final = late(r'"([^"]+)" \*')
"""A beginning of words, as `Query.index_query` writes it."""
_VOCABULARY: Final = "CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, words, instance)"
_FIRST_CHARACTER: Final = "0"
"""No character of a word comes before it."""


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

    They are there for good when this returns, or when the `Together` ends in which it is called; a process that is
    killed before leaves nothing of them. The file stays open for the next rows of this thread, until `close_writers`.
    """
    begun = [number for (_, number), writer in _Writer.opened().items() if writer.has_begun]
    for wait in (0, _WAIT):
        for number in dict.fromkeys((*begun, *range(COUNT))):
            with suppress(*FAULTS, OSError):
                return _Writer.of(directory, number).write(texts, wait)
    return None


def close_writers() -> None:
    """Let go of the files that this thread wrote to."""
    for writer in _Writer.opened().values():
        writer.close()
    _Writer.opened().clear()


class Together:
    """In a `with`: rows of many sessions that this thread writes come to be kept together, which is half the work."""

    def __init__(self) -> None:
        self.kept = True
        """At its end: whether all of them are. If not, none counts."""

    def __enter__(self) -> Self:
        _Held.rows = self
        return self

    def __exit__(self, *_: object) -> None:
        for writer in _Writer.opened().values():
            writer.keep()
        _Held.rows = None


class _OfThread(local):
    rows: Together | None = None


_Held: Final = _OfThread()


class _Writer:
    """A shard, open for writing, in one thread of one process."""

    _local: Final = local()

    def __init__(self, directory: Path, number: int) -> None:
        self._number = number
        self._path = shard_path(directory, number)
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Private before SQLite sees it.
        os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        self._file = self._stat()
        self._held = 0
        """Characters that were written and are not kept yet: nobody else writes meanwhile."""
        self._mark = ""
        self._next = 0
        """The first row that is free, while anything is held."""
        self._db = sqlite3.connect(self._path, timeout=_WAIT, isolation_level=None)

    @classmethod
    def opened(cls) -> dict[tuple[Path, int], Self]:
        """Those of this thread."""
        writers: dict[tuple[Path, int], Self] | None = getattr(cls._local, "writers", None)
        if writers is None:
            writers = cls._local.writers = {}
        return writers

    @classmethod
    def of(cls, directory: Path, number: int) -> Self:
        """The one of a file; opened anew where another file has its name by now."""
        writers, key = cls.opened(), (directory, number)
        writer = writers.get(key)
        if writer is not None and not writer.holds():
            writers.pop(key).close()
            writer = None
        if writer is None:
            writer = writers[key] = cls(directory, number)
        return writer

    @property
    def has_begun(self) -> bool:
        """Whether something was written that is not kept yet."""
        return self._held > 0

    def _stat(self) -> tuple[int, int]:
        told = self._path.stat()
        return told.st_dev, told.st_ino

    def holds(self) -> bool:
        """Whether it is still the file of that name."""
        try:
            return self._stat() == self._file
        except OSError:
            return False

    def write(self, texts: Sequence[str], wait: float) -> Written:
        """Write rows, waiting so many seconds for another writer.

        Raises:
            sqlite3.Error: they are not written.
        """
        try:
            if not self._held:
                self._begin(wait)
            first = self._next
            self._db.executemany("INSERT INTO words(rowid, text) VALUES (?, ?)", enumerate(texts, first))
            self._next += len(texts)
            self._held += len(texts) + sum(map(len, texts))
            if _Held.rows is None or self._held > _TOGETHER:
                self._commit()
        except FAULTS as fault:
            self._give_up(fault)
            raise
        return Written(self._number, self._mark, first)

    def _begin(self, wait: float) -> None:
        self._db.execute(f"PRAGMA busy_timeout = {int(1000 * wait)}")
        self._db.execute("PRAGMA synchronous = OFF")  # while the file is made, which is a cache
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.execute("BEGIN IMMEDIATE")
        take_seal(self._path.parent)
        own = _own(self._db)
        if own is None:
            _make(self._db)
            own = _own(self._db) or {}
        self._mark, self._next = own["mark"], int(own["next"])

    def _commit(self) -> None:
        self._db.execute("UPDATE own SET value = ? WHERE name = 'next'", (str(self._next),))
        self._db.execute("COMMIT")
        self._held = 0

    def keep(self) -> None:
        """Keep what was written."""
        if self._held:
            try:
                self._commit()
            except FAULTS as fault:
                self._give_up(fault)

    def _give_up(self, fault: sqlite3.Error | UnicodeDecodeError) -> None:
        self._lose()
        with suppress(*FAULTS):
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
        if is_damage(fault):
            self.close()
            throw_away(self._path)

    def _lose(self) -> None:
        if self._held and _Held.rows is not None:
            _Held.rows.kept = False
        self._held = 0

    def close(self) -> None:
        """Let go of the file."""
        self._lose()
        with suppress(*FAULTS):
            self._db.close()


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
    connection.execute("INSERT INTO words(words, rank) VALUES ('automerge', ?)", (_PARTS,))
    own = [("form", _FORM), ("mark", os.urandom(8).hex()), ("next", "1")]
    connection.executemany("INSERT INTO own VALUES (?, ?)", own)


def throw_away(path: Path) -> None:
    """Remove a file of the index with its side files, as far as that is allowed."""
    take_seal(path.parent)
    for each in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
        with suppress(OSError):
            each.unlink(missing_ok=True)
    take_seal(path.parent)  # again: without a lock of the file, somebody may have put one meanwhile


_ROWS: Final = "SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid {} LIMIT ?"
_FIRST_ROWS, _LAST_ROWS = (
    f"SELECT group_concat(rowid, ' ') FROM ({_ROWS.format(order)})"  # noqa: S608 - words of our own
    for order in ("ASC", "DESC")
)


class Shard:
    """A shard, open for reading. Use it from one thread. A failing read is an empty one, and noted."""

    def __init__(self, connection: sqlite3.Connection, mark: str) -> None:
        self._db = connection
        self.mark = mark
        self.failed = False
        """A read failed."""
        self.is_damaged = False
        """And will fail again."""
        self._spelled: dict[str, str] = {}
        self._has_vocabulary = False

    def rows(self, query: str, most: int, *, first: int = 0, last: int = LAST, newest: bool = True) -> list[int]:
        """Rows between two that hold the query (`Query.index_query`), at most so many: the last ones first, or else the
        first ones.
        """
        # In one row: a thread that asks waits for its turn once, not once for each.
        question = _LAST_ROWS if newest else _FIRST_ROWS
        try:
            told = self._db.execute(question, (self._spell_out(query), first, last, most)).fetchone()[0]
        except FAULTS as fault:
            self.failed = True
            self.is_damaged = self.is_damaged or is_damage(fault)
            return []
        return sorted(map(int, (told or "").split()), reverse=newest)

    def _spell_out(self, query: str) -> str:
        """A query with the words of this shard in the place of their beginnings, as far as these are few."""
        if query not in self._spelled:
            self._spelled[query] = _BEGINS.sub(self._endings, query)
        return self._spelled[query]

    def _endings(self, beginning: re.Match[str]) -> str:
        start = at = beginning.group(1)
        words: list[str] = []
        while len(words) <= _ENDINGS:
            row = self._vocabulary().execute("SELECT term FROM vocabulary WHERE term >= ? LIMIT 1", (at,)).fetchone()
            if row is None or not row[0].startswith(start):
                return f"({' OR '.join(words)})" if words else beginning.group()
            words.append(f'"{row[0]}"')
            at = row[0] + _FIRST_CHARACTER
        return beginning.group()

    def _vocabulary(self) -> sqlite3.Connection:
        if not self._has_vocabulary:
            for statement in ("PRAGMA query_only = 0", _VOCABULARY, "PRAGMA query_only = 1"):
                self._db.execute(statement)  # it lies in memory
            self._has_vocabulary = True
        return self._db

    def written(self) -> int:
        """How many rows were ever written."""
        try:
            return int(self._db.execute("SELECT value FROM own WHERE name = 'next'").fetchone()[0]) - 1
        except (*FAULTS, TypeError):
            return 0

    def close(self) -> None:
        """Let go of the file."""
        with suppress(*FAULTS):
            self._db.close()


def open_shard(directory: Path, number: int) -> Shard | None:
    """Open a shard for reading; None where there is none that can be read."""
    path = shard_path(directory, number)
    if not is_there(path):
        return None
    connection: sqlite3.Connection | None = None
    try:
        connection = sqlite3.connect(path, timeout=1.0, isolation_level=None)
        connection.execute("PRAGMA query_only = 1")
        own = _own(connection)
    except FAULTS:
        own = None
    if connection is not None and own is not None:
        return Shard(connection, own["mark"])
    if connection is not None:
        connection.close()
    return None
