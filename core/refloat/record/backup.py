"""A backup of the whole record as one private SQLite file, whichever engine holds it.

Decides that big outputs, files beside the record, lie in the backup's rows: put in place of `record.db`, it is whole.
Others may go on writing meanwhile.
"""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from refloat.errors import NotDone
from refloat.model.own_files import BACKUP
from refloat.model.stamp import Stamp
from refloat.record.contents import ContentMissing, kept_bytes
from refloat.record.engine import Connection, Row
from refloat.record.packing import ContentDamaged
from refloat.record.sqlite import SqliteEngine, open_file
from refloat.record.store import Record
from refloat.there import is_directory

_TABLES: Final = (
    "drafts",
    "jobs",
    "contents",
    "pieces",
    "steps",
    "wraps",
    "pickups",
    "decisions",
    "leases",
    "ties",
    "attempts",
)
_PAGE: Final = 500


def back_up(record: Record, target: Path, now: Stamp) -> Sequence[str]:
    """Write the backup; hashes of contents whose bytes were not there to be taken along.

    Raises:
        NotDone: a file of that name is there, or it could not be written.

    """
    if os.path.lexists(target):
        raise NotDone(f"{target} is there already, and a backup replaces nothing; name another file")
    if not is_directory(target.parent):
        raise NotDone(f"the backup could not be written: {target.parent} is no directory")
    partial = target.with_name(f".{target.name}.{os.urandom(4).hex()}.partial")  # a name that nobody else's file has
    try:
        if isinstance(record.engine, SqliteEngine):
            record.engine.copy_to(partial)
        else:
            open_file(partial, now).close()
        with closing(sqlite3.connect(partial, isolation_level=None)) as copy:
            copy.execute("BEGIN")
            if not isinstance(record.engine, SqliteEngine):
                with record.reading() as connection:
                    _copy_rows(connection, copy)
            missing = _fold(record, copy)
            copy.execute("COMMIT")
            copy.execute(f"PRAGMA application_id = {int.from_bytes(BACKUP.encode())}")
            copy.execute("PRAGMA journal_mode = DELETE")
        partial.replace(target)
    except (OSError, sqlite3.Error) as error:
        raise NotDone(f"the backup could not be written: {error}") from error
    finally:
        for name in (partial.name, f"{partial.name}-wal", f"{partial.name}-shm", f"{partial.name}.lock"):
            partial.with_name(name).unlink(missing_ok=True)
    return missing


def _copy_rows(connection: Connection, copy: sqlite3.Connection) -> None:
    for table in _TABLES:
        for page in _pages(connection, table):
            names = list(page[0])
            marks = ", ".join("?" * len(names))
            sql = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})"  # noqa: S608 - names of the schema
            copy.executemany(sql, [[row[name] for name in names] for row in page])


def _pages(connection: Connection, table: str) -> Iterator[Sequence[Row]]:
    at = 0
    while page := connection.rows(f"backup.{table}", many=_PAGE, skip=at):
        yield page
        at += len(page)


def _fold(record: Record, copy: sqlite3.Connection) -> Sequence[str]:
    """Take files into rows, as they are kept."""
    wanted = "SELECT sha256, kept_sha256 FROM contents WHERE place = 'file' ORDER BY sha256"
    names: list[tuple[str, str]] = copy.execute(wanted).fetchall()
    missing: list[str] = []
    for name, kept in names:
        try:
            parts = list(enumerate(kept_bytes(record, name, kept)))
        except (ContentMissing, ContentDamaged):
            missing.append(name)
            continue
        copy.execute("DELETE FROM pieces WHERE sha256 = ?", (name,))
        copy.executemany("INSERT INTO pieces VALUES (?, ?, ?)", [(name, n, part) for n, part in parts])
        copy.execute("UPDATE contents SET place = 'row' WHERE sha256 = ?", (name,))
    return missing
