"""The record as one private SQLite file: opening, privacy, migrations, transactions, backups.

Plain `sqlite3` serves both the app and the short commands: a transaction here is a handful of rows, so the app calls
it from a thread worker. One connection lives as long as its engine; a lock lets the threads of one process take turns.

Two habits of SQLite shape this file. A new file that is switched to WAL while somebody else opens it answers "locked"
at once, whatever the busy timeout: making and migrating happen under a lock of their own, on a file beside. And closing
any descriptor of the database drops the process's locks on it: the file is never opened by hand once it exists.
"""

import fcntl
import os
import sqlite3
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from refloat.model.stamp import Stamp
from refloat.record.engine import PATIENCE, NotWritten, RecordUnavailable, Row, Value, later_version
from refloat.record.migrating import NEWEST, NOTES, Migration, find_migrations
from refloat.record.statements import statement
from refloat.waiting import QUIET, tell

_FAULTS: Final = (sqlite3.Error, UnicodeError)
"""What the module raises; the second where damaged text stands in an error's own words, or is to be written again."""


_HELD: Final = "another process holds the record; this one waits for it"


class SqliteConnection:
    """Statements by name on one SQLite connection."""

    def __init__(self, raw: sqlite3.Connection) -> None:
        self.raw = raw

    def run(self, name: str, **values: Value) -> int:
        """Run a statement; the number of rows that it changed."""
        return self.raw.execute(statement(name), values).rowcount

    def rows(self, name: str, **values: Value) -> Sequence[Row]:
        """All rows of a question."""
        return self.raw.execute(statement(name), values).fetchall()

    def row(self, name: str, **values: Value) -> Row | None:
        """The first row of a question, or None."""
        found: Row | None = self.raw.execute(statement(name), values).fetchone()
        return found


class SqliteEngine:
    """An open file, or memory."""

    name = "sqlite"

    def __init__(self, raw: sqlite3.Connection, ended: Callable[[], None] = lambda: None) -> None:
        """`ended` is called when it was closed, for what must not outlive it; perhaps more than once."""
        self._raw = raw
        self._connection = SqliteConnection(raw)
        self._turn = threading.RLock()
        self._ended = ended

    def close(self) -> None:
        """Close it; a second time does nothing."""
        with self._turn:
            self._raw.close()
        self._ended()

    @contextmanager
    def writing(self) -> Generator[SqliteConnection]:
        """One transaction that writes: all of it or nothing, on disk when the block is left.

        Raises:
            NotWritten: the disk is full, or another writer held the record for too long.

        """
        with self._turn:
            try:
                _begin(self._raw)
                try:
                    yield self._connection
                    self._raw.execute("COMMIT")
                except BaseException:
                    with suppress(sqlite3.Error):  # a full disk has rolled it back already
                        self._raw.execute("ROLLBACK")
                    raise
            except (*_FAULTS, OverflowError) as error:
                raise NotWritten(f"the record cannot be written: {error}") from error

    @contextmanager
    def reading(self) -> Generator[SqliteConnection]:
        """One view of the record, while no other thread uses the connection.

        Raises:
            RecordUnavailable: the file is damaged.

        """
        with self._turn:
            inside = self._raw.in_transaction
            try:
                if not inside:
                    self._raw.execute("BEGIN")
                try:
                    yield self._connection
                finally:
                    if not inside:
                        with suppress(sqlite3.Error):
                            self._raw.execute("ROLLBACK")
            except _FAULTS as error:
                raise RecordUnavailable(f"the record cannot be read: {error}") from error

    def integrity(self) -> Sequence[str]:
        """What SQLite itself finds damaged in the file, in its words; empty where nothing is."""
        damage = self._log_damage()
        with self._turn:
            try:
                found = [str(word) for row in self._raw.execute("PRAGMA integrity_check") for word in row.values()]
            except _FAULTS as error:
                return (*damage, str(error))
        return damage if found == ["ok"] else (*damage, *found)

    def _log_damage(self) -> tuple[str, ...]:
        """What SQLite passes over in its log. Said twice: others may write to it while it is read."""
        from refloat.record.wal import find_damage

        with self._turn:
            path = next((str(row["file"]) for row in self._raw.execute("PRAGMA database_list")), "")
        said = [find_damage(Path(f"{path}-wal")) for _ in range(2)] if path else [None]
        return () if said[0] is None or len(set(said)) > 1 else (said[0],)

    def copy_to(self, path: Path) -> None:
        """A whole private copy of the file as it is now, while others may go on writing."""
        with self._turn:
            _copy(self._raw, path)


def open_file(
    path: Path,
    now: Stamp,
    migrations: Sequence[Migration] | None = None,
    patience: float = PATIENCE,
    ended: Callable[[], None] = lambda: None,
) -> SqliteEngine:
    """Open the record at `path`, making it (private) and bringing it up to date; `ended` as the engine has it.

    Raises:
        RecordNewer: a newer Refloat wrote it.
        RecordUnavailable: it cannot be made, opened or read here; the sentence says why.

    """
    try:
        raw = _open_current(path, NEWEST if migrations is None else migrations[-1].version, patience)
        raw = _make(path, now, migrations or find_migrations(), patience) if raw is None else raw
        return SqliteEngine(raw, ended)
    except (OSError, *_FAULTS) as error:
        raise RecordUnavailable(f"the record {path} cannot be opened: {error}") from error


def open_raw(uri: str) -> sqlite3.Connection:
    """A connection that reads rows as an engine wants them, to what a `file:` address names.

    Raises:
        sqlite3.Error: it cannot be opened.

    """
    raw = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    _settle(raw)
    return raw


def open_in_memory(now: Stamp) -> SqliteEngine:
    """A record that is gone with the process."""
    raw = _connect(":memory:", PATIENCE)
    _migrate(raw, None, now, find_migrations(), PATIENCE)
    return SqliteEngine(raw)


def _open_current(path: Path, newest: int, patience: float) -> sqlite3.Connection | None:
    """The connection where the file is there, private, in WAL and up to date; None where something is to be done."""
    try:
        mode = path.stat()
    except FileNotFoundError:
        return None
    if mode.st_mode & 0o077:
        path.chmod(0o600)
    if not mode.st_size:
        return None
    raw = _connect(str(path), patience)
    try:
        if _retry(lambda: _pragma(raw, "journal_mode"), patience) == "wal" and schema_version(raw) == newest:
            return raw
    except sqlite3.OperationalError:
        pass  # somebody makes or migrates it just now
    except BaseException:
        raw.close()
        raise
    raw.close()
    return None


def _make(path: Path, now: Stamp, migrations: Sequence[Migration], patience: float) -> sqlite3.Connection:
    """Make or migrate the file while nobody else does."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _take(lock, patience)
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
        raw = _connect(str(path), patience)
        try:
            _migrate(raw, path, now, migrations, patience)
        except BaseException:
            raw.close()
            raise
        return raw
    finally:
        os.close(lock)


def _connect(path: str, patience: float) -> sqlite3.Connection:
    raw = sqlite3.connect(path, timeout=patience, isolation_level=None, check_same_thread=False)
    _settle(raw)
    try:
        raw.execute("PRAGMA synchronous = FULL")  # a sealed step outlives a power cut, too
        raw.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        raw.close()
        raise
    return raw


def _settle(raw: sqlite3.Connection) -> None:
    raw.row_factory = _row
    raw.text_factory = _text


def _row(cursor: sqlite3.Cursor, values: tuple[object, ...]) -> dict[str, object]:
    return {column[0]: value for column, value in zip(cursor.description, values, strict=True)}


def _text(raw: bytes) -> str:
    """Damaged text comes back as such, and no receipt fits it."""
    return raw.decode("utf-8", "surrogateescape")


def _pragma(raw: sqlite3.Connection, words: str) -> str:
    row: dict[str, object] = raw.execute(f"PRAGMA {words}").fetchone()
    return str(next(iter(row.values())))


def _begin(raw: sqlite3.Connection) -> None:
    """Begin a transaction that writes: at most as long as the connection waits, and not in silence."""
    whole = int(_pragma(raw, "busy_timeout"))
    quiet = min(whole, int(QUIET * 1000))
    raw.execute(f"PRAGMA busy_timeout = {quiet}")
    try:
        raw.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if "locked" not in str(error) or quiet == whole:
            raise
        tell(_HELD)
        raw.execute(f"PRAGMA busy_timeout = {whole - quiet}")
        raw.execute("BEGIN IMMEDIATE")
    finally:
        raw.execute(f"PRAGMA busy_timeout = {whole}")


class _Wait:
    """The end of a wait that asks again and again."""

    def __init__(self, patience: float) -> None:
        self._begun = monotonic()
        self._patience = patience
        self._told = False

    def goes_on(self) -> bool:
        """Rest a moment; False where it lasted long enough."""
        waited = monotonic() - self._begun
        if waited > self._patience:
            return False
        if waited > QUIET and not self._told:
            self._told = True
            tell(_HELD)
        sleep(0.01)
        return True


def _take(lock: int, patience: float) -> None:
    wait = _Wait(patience)
    while True:
        try:
            return fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if not wait.goes_on():
                raise


def _retry(ask: Callable[[], str], patience: float) -> str:
    """Ask until the file is not locked; for what the busy timeout does not cover."""
    wait = _Wait(patience)
    while True:
        try:
            return ask()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or not wait.goes_on():
                raise


def schema_version(raw: sqlite3.Connection) -> int:
    """The number of the last migration that ran; 0 for an empty file."""
    known = raw.execute("SELECT 1 FROM sqlite_master WHERE name = 'schema_version'").fetchone()
    if known is None:
        return 0
    row = raw.execute("SELECT max(version) AS version FROM schema_version").fetchone()
    version: object = row["version"]
    return version if isinstance(version, int) else 0


def _migrate(
    raw: sqlite3.Connection, path: Path | None, now: Stamp, migrations: Sequence[Migration], patience: float
) -> None:
    newest = migrations[-1].version
    at = schema_version(raw)
    if at > newest:
        raise later_version(f"the record {path}", at, newest)
    _retry(lambda: _pragma(raw, "journal_mode = WAL"), patience)
    if 0 < at < newest and path is not None:
        _back_up(raw, path, at)
    for step in migrations:
        if step.version > at:
            _apply(raw, step, now)


def _apply(raw: sqlite3.Connection, step: Migration, now: Stamp) -> None:
    """Run one migration in one transaction with the note that it ran; another process may have been quicker."""
    raw.execute("BEGIN IMMEDIATE")
    try:
        if schema_version(raw) < step.version:
            for sql in step.statements():
                raw.execute(sql)
            raw.execute(NOTES)
            raw.execute("INSERT INTO schema_version VALUES (?, ?)", (step.version, now))
        raw.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            raw.execute("ROLLBACK")
        raise


def _back_up(raw: sqlite3.Connection, path: Path, version: int) -> None:
    """A whole private copy beside it, before anything is changed. An earlier copy of that version stays."""
    copy = path.with_name(f"{path.name}.schema-{version}.bak")
    if not copy.exists():
        _copy(raw, copy)


def _copy(raw: sqlite3.Connection, copy: Path) -> None:
    partial = copy.with_name(f"{copy.name}.partial")
    partial.unlink(missing_ok=True)
    os.close(os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    with closing(sqlite3.connect(partial)) as target:
        raw.backup(target)
    partial.replace(copy)
