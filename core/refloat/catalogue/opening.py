"""The file of the catalogue: its tables, how it is opened, and how it is thrown away.

Decides the tables, and whether a file is a catalogue of this schema. It is private before SQLite sees it.
"""

from __future__ import annotations

import _sqlite3 as sqlite3  # see `peek`
import os
from contextlib import suppress
from typing import Final

from refloat.catalogue.peek import SCHEMA
from refloat.catalogue.seals import seal, unseal
from refloat.damage import FAULTS, is_damage

_TABLES: Final = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    path BLOB PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, inode INTEGER NOT NULL,
    device INTEGER NOT NULL, identity BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE sessions (
    agent TEXT NOT NULL, session_id TEXT NOT NULL, path BLOB NOT NULL, listed INTEGER NOT NULL,
    mark TEXT NOT NULL, shown INTEGER NOT NULL, finished INTEGER NOT NULL, superseded TEXT NOT NULL,
    last_activity TEXT NOT NULL, state TEXT NOT NULL,
    place TEXT NOT NULL, worktree TEXT NOT NULL,
    title TEXT NOT NULL, folder TEXT NOT NULL, told BLOB NOT NULL,
    PRIMARY KEY (agent, session_id, path)
);
CREATE INDEX newest ON sessions (
    last_activity DESC, session_id, agent, listed, superseded, path, state, place, worktree, title, folder,
    shown, finished
);
CREATE TABLE readings (
    agent TEXT NOT NULL, session_id TEXT NOT NULL, path BLOB NOT NULL, files TEXT NOT NULL,
    lineage TEXT NOT NULL, summary BLOB NOT NULL,
    PRIMARY KEY (agent, session_id, path)
);
CREATE INDEX kin ON readings (agent, lineage) WHERE lineage <> '';
CREATE TABLE resumes (
    agent TEXT NOT NULL, session_id TEXT NOT NULL, path BLOB NOT NULL, frozen BLOB NOT NULL,
    PRIMARY KEY (agent, session_id, path)
);
CREATE TABLE edited (
    path TEXT NOT NULL, agent TEXT NOT NULL, session_id TEXT NOT NULL, PRIMARY KEY (path, agent, session_id)
) WITHOUT ROWID;
CREATE INDEX edited_by ON edited (agent, session_id);
CREATE TABLE copies (
    path BLOB NOT NULL, row TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, inode INTEGER NOT NULL,
    holds BLOB NOT NULL, PRIMARY KEY (path, row)
) WITHOUT ROWID;
CREATE TABLE alone (
    path BLOB PRIMARY KEY, agent TEXT NOT NULL, session_id TEXT NOT NULL, last BLOB NOT NULL, found BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE gone (
    n INTEGER PRIMARY KEY, agent TEXT NOT NULL, place TEXT NOT NULL, told BLOB NOT NULL
);
CREATE TABLE seals (shown INTEGER NOT NULL, finished INTEGER NOT NULL, gone INTEGER NOT NULL);
INSERT INTO seals VALUES (0, 0, 0);
"""
"""What a list shows has its seals in columns `shown` and `finished`, and their sums over all listed rows in `seals`."""


_LONG: Final = 1024 * 1024
"""Bytes of a log: whoever opens the catalogue goes through it."""


class Foreign(Exception):  # noqa: N818 - never leaves this room
    """The catalogue is of another schema."""


def connect(path: str, wait: float, *, append: bool = False) -> sqlite3.Connection:
    """Open a catalogue, making it where it is missing; `wait`: seconds for another Refloat's write. `append`: write to
    the log alone, and wait for no disk: of a log that a fall of the machine cut, SQLite tells by its sums what holds.
    Whoever moves the log into the file waits: this once it is long, `let_go`, and every other connection.

    Raises:
        OSError: it is not ours to make.
        sqlite3.Error: it is locked (`OperationalError`), or damaged.
        Foreign: it is of another schema.
    """
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)  # noqa: PTH103, PTH120 - pathlib is dear on the list's roads
    # Made private before SQLite sees it; its side files inherit the mode.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    connection = sqlite3.connect(path, timeout=wait, isolation_level=None)
    try:
        connection.execute("PRAGMA synchronous = OFF")  # while the file is made; the first checkpoint writes it out
        connection.execute("PRAGMA journal_mode = WAL")
        _prepare(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        if append:
            if _log_size(path) >= _LONG:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            connection.execute("PRAGMA wal_autocheckpoint = 0")
            connection.execute("PRAGMA synchronous = OFF")
    except BaseException:
        connection.close()
        raise
    return connection


def let_go(connection: sqlite3.Connection) -> None:
    """Close it: the last connection moves the log into the file.

    Raises:
        sqlite3.Error: it is locked, or damaged.
    """
    try:
        connection.execute("PRAGMA synchronous = NORMAL")
    finally:
        connection.close()


def _log_size(path: str) -> int:
    try:
        return os.stat(path + "-wal").st_size  # noqa: PTH116 - as above
    except FileNotFoundError:
        return 0


def _prepare(connection: sqlite3.Connection) -> None:
    """Check the schema; write it into an empty file."""
    if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        connection.execute("BEGIN IMMEDIATE")
        # Another Refloat may have been quicker between the two lines above.
        if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            for statement in _TABLES.split(";\n"):
                connection.execute(statement)
            connection.execute("INSERT INTO meta VALUES ('schema', ?)", (seal(SCHEMA.encode(), "schema"),))
            connection.execute(
                f"PRAGMA user_version = {int.from_bytes(os.urandom(4)) >> 1 or 1}"
            )  # see `Catalogue.born`
        connection.execute("COMMIT")
    try:
        row = connection.execute("SELECT value FROM meta WHERE name = 'schema'").fetchone()
    except sqlite3.OperationalError as fault:  # no such table: somebody else's file, or a very old one
        raise Foreign from fault
    if row is None or unseal(row[0], "schema") != SCHEMA.encode():
        raise Foreign


def check(path: str | os.PathLike[str]) -> None:
    """Look at every page of a catalogue, and throw a damaged one away. One that cannot be looked at is left alone."""
    path = os.fspath(path)
    if not os.path.exists(path):  # noqa: PTH110 - as above
        return
    try:
        connection = sqlite3.connect(path, timeout=0.0)
        try:
            sound = connection.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",)
        finally:
            connection.close()
    except FAULTS as fault:
        sound = not is_damage(fault)
    if not sound:
        throw_away(path)


def throw_away(path: str | os.PathLike[str]) -> bool:
    """Remove a catalogue with its side files; False when that is not allowed."""
    try:
        for each in (path, f"{path}-wal", f"{path}-shm"):
            with suppress(FileNotFoundError):
                os.unlink(each)  # noqa: PTH108 - as above
    except OSError:
        return False
    return True
