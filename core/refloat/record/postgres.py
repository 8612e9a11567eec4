"""The record in PostgreSQL, for teams that share jobs across machines: connecting, migrations, transactions.

psycopg is an optional extra (`refloat[postgres]`): its licence (LGPL) keeps it out of the base install. Backups before
a migration are the server's business (`pg_dump`): a migration runs in one transaction.
"""

import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, cast

from refloat.model.stamp import Stamp
from refloat.record.engine import PATIENCE, NotWritten, RecordUnavailable, Row, Value, later_version
from refloat.record.migrating import NOTES, Migration, find_migrations
from refloat.record.statements import for_psycopg

if TYPE_CHECKING:
    import psycopg

_CONNECT_SECONDS: Final = 10
_LOCK: Final = 0x5265666C6F6174  # "Refloat"


class PostgresConnection:
    """Statements by name on one PostgreSQL connection."""

    def __init__(self, raw: "psycopg.Connection[dict[str, Any]]") -> None:
        self._raw = raw

    def run(self, name: str, **values: Value) -> int:
        """Run a statement; the number of rows that it changed."""
        return self._raw.execute(_sql(name), values).rowcount

    def rows(self, name: str, **values: Value) -> Sequence[Row]:
        """All rows of a question."""
        return self._raw.execute(_sql(name), values).fetchall()

    def row(self, name: str, **values: Value) -> Row | None:
        """The first row of a question, or None."""
        return self._raw.execute(_sql(name), values).fetchone()


class PostgresEngine:
    """An open connection to a server."""

    name = "postgresql"

    def __init__(self, raw: "psycopg.Connection[dict[str, Any]]", url: str, patience: float) -> None:
        self._raw = raw
        self._url = url
        self._patience = patience
        self._turn = threading.RLock()
        self._over = False

    def close(self) -> None:
        """Close it; a second time does nothing."""
        with self._turn:
            self._over = True
            self._raw.close()

    def _connected(self) -> "psycopg.Connection[dict[str, Any]]":
        """The connection; a new one where the server, or the way to it, was gone meanwhile."""
        if self._raw.closed and not self._over:
            self._raw = _connect(self._url, self._patience)
        return self._raw

    @contextmanager
    def writing(self) -> Generator[PostgresConnection]:
        """One transaction that writes: all of it or nothing, on the server's disk when the block is left.

        Raises:
            NotWritten: the server refused it, or is gone.

        """
        import psycopg

        with self._turn:
            try:
                raw = self._connected()
                with raw.transaction():
                    yield PostgresConnection(raw)
            except psycopg.Error as error:
                raise NotWritten(f"the record cannot be written: {_said(error)}") from error

    @contextmanager
    def reading(self) -> Generator[PostgresConnection]:
        """One view of the record: what others write meanwhile is not seen in it.

        Raises:
            RecordUnavailable: the server does not answer.

        """
        import psycopg

        with self._turn:
            try:
                raw = self._connected()
                idle = raw.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
                with raw.transaction():
                    if idle:
                        raw.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                    yield PostgresConnection(raw)
            except psycopg.Error as error:
                raise RecordUnavailable(f"the record cannot be read: {_said(error)}") from error

    def integrity(self) -> Sequence[str]:
        """Nothing: a server checks its pages itself (`data_checksums`, `pg_amcheck`)."""
        return ()


def open_url(
    url: str, now: Stamp, migrations: Sequence[Migration] | None = None, patience: float = PATIENCE
) -> PostgresEngine:
    """Connect to the record at a PostgreSQL URL and bring it up to date.

    Raises:
        RecordNewer: a newer Refloat wrote it.
        RecordUnavailable: the driver is not installed, the server does not answer, or it refuses.

    """
    try:
        import psycopg
    except ImportError as error:
        raise RecordUnavailable(
            "the record is set to PostgreSQL, and its driver is not installed: pip install 'refloat[postgres]'"
        ) from error
    try:
        raw = _connect(url, patience)
    except (psycopg.Error, ValueError) as error:
        raise RecordUnavailable(f"the record's PostgreSQL does not answer: {_said(error)}") from error
    try:
        _migrate(raw, now, migrations or find_migrations())
    except psycopg.Error as error:
        raw.close()
        raise RecordUnavailable(f"the record's PostgreSQL cannot be brought up to date: {_said(error)}") from error
    except BaseException:
        raw.close()
        raise
    return PostgresEngine(raw, url, patience)


def _connect(url: str, patience: float) -> "psycopg.Connection[dict[str, Any]]":
    import psycopg
    from psycopg.rows import dict_row

    connect = psycopg.Connection[dict[str, Any]].connect
    wait = max(2, min(_CONNECT_SECONDS, int(patience)))  # libpq takes no less than 2
    raw = connect(url, autocommit=True, row_factory=dict_row, connect_timeout=wait)
    raw.execute("SELECT set_config('lock_timeout', %s, false)", (f"{patience * 1000:.0f}ms",))
    return raw


def _sql(name: str) -> Any:
    """Statements are files of this program; psycopg's type asks for a literal in the source."""
    return cast("Any", for_psycopg(name))


def _said(error: Exception) -> str:
    """One line; libpq names host, user and database, never the password."""
    return " ".join(str(error).split())


def _version(raw: "psycopg.Connection[dict[str, Any]]") -> int:
    # Not `to_regclass`: while a transaction waits for a lock, that goes on answering from before.
    known = raw.execute(
        "SELECT 1 AS known FROM pg_catalog.pg_class WHERE relname = 'schema_version' AND relkind = 'r' "
        "AND relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = current_schema())"
    ).fetchone()
    if known is None:
        return 0
    row = raw.execute("SELECT max(version) AS version FROM schema_version").fetchone()
    return int(row["version"] or 0) if row else 0


def _migrate(raw: "psycopg.Connection[dict[str, Any]]", now: Stamp, migrations: Sequence[Migration]) -> None:
    newest = migrations[-1].version
    at = _version(raw)
    if at < newest:
        with raw.transaction():
            raw.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            at = _version(raw)
            for step in migrations:
                if step.version > at:
                    for sql in step.statements():
                        raw.execute(cast("Any", sql))
                    raw.execute(NOTES)
                    raw.execute("INSERT INTO schema_version VALUES (%s, %s)", (step.version, now))
            at = max(at, newest)
    if at > newest:
        raise later_version("the record in PostgreSQL", at, newest)
