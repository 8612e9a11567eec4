"""Numbered steps of the schema, the same for every engine: kept as `migrations/NNNN_name.sql`.

Decides which there are and how a file is cut into statements. `NEWEST` lets an opening of an up-to-date record read
none of them.
"""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

NEWEST: Final = 4
"""The version that this program writes and reads; a test compares it with the files."""
NOTES: Final = "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)"
_FILE: Final = re.compile(r"(\d{4})_\w+\.sql")


class Migration(NamedTuple):
    """One numbered step of the schema."""

    version: int
    name: str
    sql: str

    def statements(self) -> Iterator[str]:
        """Its statements, one by one: run as a script they would commit before the note that they ran."""
        gathered = ""
        for line in self.sql.splitlines(keepends=True):
            gathered += line
            if sqlite3.complete_statement(gathered):
                yield gathered
                gathered = ""


def find_migrations() -> tuple[Migration, ...]:
    """Every migration that comes with this program, by number."""
    folder = Path(__file__).with_name("migrations")
    found = [(match, path) for path in folder.iterdir() if (match := _FILE.fullmatch(path.name))]
    steps = (Migration(int(match[1]), path.name, path.read_text(encoding="utf-8")) for match, path in found)
    return tuple(sorted(steps, key=lambda step: step.version))
