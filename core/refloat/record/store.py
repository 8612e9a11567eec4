"""The record: which engine holds it, and where the files beside it lie. It is truth: migrated, never rebuilt.

Decides SQLite or PostgreSQL by the URL alone. Refuses to know what its rows mean: that is said in `record.drafts`,
`record.chain` and their neighbours, and in the numbered files of `migrations/`.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, cast

from refloat.model.stamp import Stamp
from refloat.record.engine import PATIENCE, Connection, Engine, NotWritten, RecordNewer, RecordUnavailable
from refloat.record.keys import KeyUnusable, read_known, read_own
from refloat.record.migrating import Migration
from refloat.record.names import CONFIG_NAME, FILE_NAME, URL_VARIABLE
from refloat.record.sqlite import open_file
from refloat.record.sqlite import open_in_memory as _memory

if TYPE_CHECKING:
    from refloat.record.signing import Signer


__all__ = [
    "FILE_NAME",
    "NotWritten",
    "Record",
    "RecordNewer",
    "RecordUnavailable",
    "find_url",
    "open_in_memory",
    "open_record",
]


class Record:
    """An open record. Use it in a `with`; several threads may share it."""

    def __init__(self, engine: Engine, directory: Path | None, keys: Path | None = None) -> None:
        self.engine = engine
        self.directory = directory
        """Where big outputs lie as files; None where everything is kept in rows (PostgreSQL, memory)."""
        self.unsigned_because: str | None = None
        """Why receipts are sealed without a signature although there is a key. What is saved must not hang on it."""
        self._keys = keys
        self._signer: Signer | None = None
        self._looked = False

    @property
    def path(self) -> Path | None:
        """The database file; None where there is none."""
        return None if self.directory is None else self.directory / FILE_NAME

    @property
    def beside(self) -> Path | None:
        """This machine's own directory for what lies beside a record, whichever engine holds it; None in memory."""
        return self._keys

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close it; a second time does nothing."""
        self.engine.close()

    def signer(self) -> "Signer | None":
        """What signs the receipts that are sealed here; None where there is no key, or it cannot be used."""
        if not self._looked and self._keys is not None:
            try:
                seed = read_own(self._keys)
            except KeyUnusable as error:
                seed, self.unsigned_because = None, f"saved without a signature: {error}"
            if seed is not None:
                from refloat.record.signing import Signer

                self._signer = Signer(seed)
        self._looked = True
        return self._signer

    def known_keys(self) -> Mapping[str, str]:
        """Public keys that are known here, to their names.

        Raises:
            KeyUnusable: their file cannot be read.

        """
        return {} if self._keys is None else read_known(self._keys)

    def writing(self) -> AbstractContextManager[Connection]:
        """`Engine.writing`: one transaction, all of it or nothing.

        Raises:
            NotWritten: it could not be written.

        """
        return self.engine.writing()

    def reading(self) -> AbstractContextManager[Connection]:
        """`Engine.reading`: one view.

        Raises:
            RecordUnavailable: it cannot be read.

        """
        return self.engine.reading()


def open_record(
    directory: Path,
    now: Stamp,
    url: str | None = None,
    migrations: Sequence[Migration] | None = None,
    patience: float = PATIENCE,
) -> Record:
    """Open the record at `url`, or `record.db` in `directory`, making it (private) and bringing it up to date.

    `patience` is how many seconds it may wait for others, then and at each writing.

    Raises:
        RecordNewer: a newer Refloat wrote it.
        RecordUnavailable: it cannot be made, opened or read here; the sentence says why.

    """
    if url is not None:
        from refloat.record.postgres import open_url

        return Record(open_url(url, now, migrations, patience), None, directory)
    return Record(open_file(directory / FILE_NAME, now, migrations, patience), directory, directory)


def open_in_memory(now: Stamp) -> Record:
    """A record that is gone with the process."""
    return Record(_memory(now), None)


def find_url(environment: Mapping[str, str], config: Path) -> str | None:
    """The record's PostgreSQL URL: `REFLOAT_RECORD_URL`, else `record.url` in `config.toml`; None for SQLite.

    Raises:
        RecordUnavailable: what stands there is no such URL. A typing error must not lead to another record.

    """
    url = environment.get(URL_VARIABLE) or _configured(config / CONFIG_NAME)
    if url is None or url.startswith(("postgresql://", "postgres://")):
        return url
    raise RecordUnavailable("the record's URL must begin with postgresql:// ; without one the record is a file")


def _configured(path: Path) -> str | None:
    try:
        text = path.read_bytes()
    except OSError:
        return None
    import tomllib

    try:
        table: object = tomllib.loads(text.decode("utf-8")).get("record")
    except ValueError as error:
        raise RecordUnavailable(f"{path} cannot be read: {error}") from error
    url = cast("dict[str, object]", table).get("url") if isinstance(table, dict) else None
    return url if isinstance(url, str) and url else None
