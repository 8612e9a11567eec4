"""What the record asks of a database: one writer's transaction, statements by name, rows as mappings.

The two engines (`sqlite`, `postgres`) answer it alike. Errors of their drivers end here, as a sentence each.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Final, Protocol

from refloat.errors import RefloatError, Unreadable

Value = str | int | bytes | None
Row = Mapping[str, object]
PATIENCE: Final = 60.0
"""Seconds that an opening or a writing waits for others, unless the caller has less time."""


class RecordNewer(Unreadable):
    """The record was written by a newer Refloat: this one leaves it alone."""


class RecordUnavailable(Unreadable):
    """The record cannot be opened, or cannot be read any more."""


class NotWritten(RefloatError):  # noqa: N818 - reads as the answer that it is
    """The record took nothing of a transaction: disk full, connection lost, held too long by somebody else."""

    exit_code = 3


class Connection(Protocol):
    """Statements of `sql/` by `file.name`, with named parameters."""

    def run(self, name: str, **values: Value) -> int:
        """Run a statement; the number of rows that it changed."""
        ...

    def rows(self, name: str, **values: Value) -> Sequence[Row]:
        """All rows of a question."""
        ...

    def row(self, name: str, **values: Value) -> Row | None:
        """The first row of a question, or None."""
        ...


class Engine(Protocol):
    """An open database."""

    name: str
    """`sqlite` or `postgresql`."""

    def writing(self) -> AbstractContextManager[Connection]:
        """One transaction that writes: all of it or nothing, safe on disk when the block is left.

        Raises:
            NotWritten: it could not be.

        """
        ...

    def reading(self) -> AbstractContextManager[Connection]:
        """One view of the record: what others write meanwhile is not seen in it.

        Raises:
            RecordUnavailable: it cannot be read.

        """
        ...

    def integrity(self) -> Sequence[str]:
        """What the database itself finds damaged, in its words; empty where nothing is."""
        ...

    def close(self) -> None:
        """Close it; a second time does nothing."""
        ...


def new_id() -> str:
    """An id that nothing else bears: 128 random bits (the module for UUIDs costs a tenth of an interpreter start)."""
    return os.urandom(16).hex()


def later_version(where: str, at: int, known: int) -> RecordNewer:
    """The refusal to touch a newer record."""
    return RecordNewer(
        f"{where} was written by a newer Refloat (schema {at}; this one knows {known}): get the newer one, or set "
        "REFLOAT_DATA_DIR to another directory"
    )
