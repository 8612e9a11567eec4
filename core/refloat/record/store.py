"""The record's file: opening, privacy, migrations and transactions. It is truth: migrated and backed up, never rebuilt.

Decides how `record.db` is opened and brought up to date. Refuses to know what its rows mean: that is said in
`record.drafts` and its later neighbours, and in the numbered files of `migrations/`.

Plain `sqlite3` serves both the app and the short commands: a transaction here is a handful of rows, so the app calls
it from a thread worker, where the module lets the event loop run on. An asynchronous layer above it would be one more
thread with a queue, would have to be closed on every way out, and would cost short commands seven interpreter starts.
One connection lives as long as its Record; a lock lets the threads of one process take turns.
"""

import os
import re
import sqlite3
import threading
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from refloat.errors import Unreadable
from refloat.model.stamp import Stamp

FILE_NAME: Final = "record.db"
_BUSY_SECONDS: Final = 10.0
_MIGRATION: Final = re.compile(r"(\d{4})_\w+\.sql")

_NOTES = "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)"


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered step of the schema."""

    version: int
    name: str
    sql: str


class RecordNewer(Unreadable):
    """The record was written by a newer Refloat: this one leaves it alone."""


class RecordUnavailable(Unreadable):
    """The record cannot be opened here."""


def find_migrations() -> tuple[Migration, ...]:
    """Every migration that comes with this program, by number."""
    folder = files("refloat.record") / "migrations"
    found = [(match, entry) for entry in folder.iterdir() if (match := _MIGRATION.fullmatch(entry.name))]
    steps = (Migration(int(match[1]), entry.name, entry.read_text(encoding="utf-8")) for match, entry in found)
    return tuple(sorted(steps, key=lambda step: step.version))


def _statements(sql: str) -> Iterator[str]:
    """Single statements: `executescript` would commit before it starts, and the note would stand apart."""
    gathered = ""
    for line in sql.splitlines(keepends=True):
        gathered += line
        if sqlite3.complete_statement(gathered):
            yield gathered
            gathered = ""


class Record:
    """An open record. Use it in a `with`; several threads may share it."""

    def __init__(self, connection: sqlite3.Connection, path: Path | None) -> None:
        self._connection = connection
        self._turn = threading.RLock()
        self.path = path
        """None where it lives in memory only."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close it; a second time does nothing."""
        with self._turn:
            self._connection.close()

    @contextmanager
    def writing(self) -> Generator[sqlite3.Connection]:
        """One transaction that writes: all of it or nothing, on disk when the block is left.

        Raises:
            sqlite3.Error: the disk is full, or another writer held the record longer than ten seconds.

        """
        with self._turn:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    @contextmanager
    def reading(self) -> Generator[sqlite3.Connection]:
        """The connection, for reading, while no other thread uses it."""
        with self._turn:
            yield self._connection


def open_record(directory: Path, now: Stamp, migrations: tuple[Migration, ...] | None = None) -> Record:
    """Open `record.db` in `directory`, making both (private) and bringing the schema up to date.

    Raises:
        RecordNewer: a newer Refloat wrote it.
        RecordUnavailable: it cannot be made, opened or read here; the sentence says why.

    """
    path = directory / FILE_NAME
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        path.chmod(0o600)
        connection = _connect(str(path))
    except (OSError, sqlite3.Error) as error:
        raise RecordUnavailable(f"the record {path} cannot be opened: {error}") from error
    try:
        _migrate(connection, path, now, find_migrations() if migrations is None else migrations)
    except (OSError, sqlite3.Error) as error:
        connection.close()
        raise RecordUnavailable(f"the record {path} cannot be read: {error}") from error
    except BaseException:
        connection.close()
        raise
    return Record(connection, path)


def open_in_memory(now: Stamp) -> Record:
    """A record that is gone with the process."""
    connection = _connect(":memory:")
    _migrate(connection, None, now, find_migrations())
    return Record(connection, None)


def _connect(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")  # a sealed answer outlives a power cut, too
        connection.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def schema_version(connection: sqlite3.Connection) -> int:
    """The number of the last migration that ran; 0 for an empty file."""
    known = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'schema_version'").fetchone()
    if known is None:
        return 0
    row = connection.execute("SELECT max(version) FROM schema_version").fetchone()
    return int(row[0] or 0)


def _migrate(connection: sqlite3.Connection, path: Path | None, now: Stamp, migrations: tuple[Migration, ...]) -> None:
    newest = migrations[-1].version
    at = schema_version(connection)
    if at > newest:
        raise RecordNewer(
            f"the record {path} was written by a newer Refloat (schema {at}; this one knows {newest}): get the newer "
            "one, or set REFLOAT_DATA_DIR to another directory"
        )
    if 0 < at < newest and path is not None:
        _back_up(connection, path, at)
    for step in migrations:
        if step.version > at:
            _apply(connection, step, now)


def _apply(connection: sqlite3.Connection, step: Migration, now: Stamp) -> None:
    """Run one migration in one transaction with the note that it ran; another process may have been quicker."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if schema_version(connection) < step.version:
            for statement in _statements(step.sql):
                connection.execute(statement)
            connection.execute(_NOTES)
            connection.execute("INSERT INTO schema_version VALUES (?, ?)", (step.version, now))
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _back_up(connection: sqlite3.Connection, path: Path, version: int) -> None:
    """A whole private copy beside it, before anything is changed. An earlier copy of that version stays."""
    copy = path.with_name(f"{path.name}.schema-{version}.bak")
    if copy.exists():
        return
    partial = copy.with_suffix(".partial")
    partial.unlink(missing_ok=True)
    os.close(os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    with closing(sqlite3.connect(partial)) as target:
        connection.backup(target)
    partial.replace(copy)
