"""A record that lies where nothing may be written: a read-only mount, another user's directory, a full disk.

SQLite wants to write two files beside a database in WAL mode even to read it. Decides how it is read all the same:
without looking for changes where its log is empty, else from a private copy of both. Refuses to write to either.
"""

import os
import shutil
import sqlite3
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from urllib.parse import quote

from refloat.model.stamp import Stamp
from refloat.record.engine import RecordUnavailable
from refloat.record.migrating import NEWEST
from refloat.record.sqlite import SqliteEngine, open_file, open_raw, schema_version

_ROOM: Final = 64 * 1024
"""Bytes that SQLite needs beside a database to open it: the index of its log is written in pieces of 32 kB."""


def is_unwritable(directory: Path) -> bool:
    """Whether nothing can be written there now."""
    try:
        room = os.statvfs(directory)
    except OSError:
        return False
    effective = os.access in os.supports_effective_ids
    return not os.access(directory, os.W_OK, effective_ids=effective) or room.f_bavail * room.f_frsize < _ROOM


def open_unwritable(path: Path, now: Stamp) -> SqliteEngine:
    """Open the record at `path` for reading, without a byte written beside it.

    Raises:
        RecordNewer: a newer Refloat wrote it.
        RecordUnavailable: it cannot be read, or there is no room for a copy; the sentence says why.

    """
    try:
        if not _size(path.with_name(f"{path.name}-wal")):
            raw = open_raw(f"file:{quote(str(path))}?mode=ro&immutable=1")
            if _is_current(raw):
                return SqliteEngine(raw)
            raw.close()
        return _copied(path, now)
    except (OSError, sqlite3.Error) as error:
        raise RecordUnavailable(
            f"the record {path} cannot be read, and nothing can be written there: {error}"
        ) from error


def _size(path: Path) -> int:
    with suppress(FileNotFoundError):
        return path.stat().st_size
    return 0


def _is_current(raw: sqlite3.Connection) -> bool:
    try:
        return schema_version(raw) == NEWEST
    except sqlite3.Error:
        return False  # what is wrong with it is told by the copy's own opening


def _copied(path: Path, now: Stamp) -> SqliteEngine:
    """A private copy, with what stands in its log, brought up to date there; gone when it is closed."""
    place = TemporaryDirectory(prefix="refloat-record-")
    try:
        copy = Path(place.name) / path.name
        for suffix in ("-wal", ""):  # the log first: it may be taken into the file meanwhile, never out of it
            with suppress(FileNotFoundError):
                shutil.copyfile(f"{path}{suffix}", f"{copy}{suffix}")
        return open_file(copy, now, ended=place.cleanup)
    except BaseException:
        place.cleanup()
        raise
