"""The catalogue's quick reader: `refloat list` straight from the finished rows, with nothing but `sqlite3`.

Decides nothing: it hands over what a whole look kept, or None where anything about the file is not as expected. Never
writes, never makes the file, never waits.
"""

import os
import sqlite3
from collections.abc import Sequence

from refloat import __version__
from refloat.catalogue.walk import Spec

FILE = "catalogue.db"
SCHEMA = f"1/{__version__}"
"""A catalogue of anything else is thrown away: another program reads transcripts otherwise. Raise the number whenever a
table, a frozen reader or the JSON changes within one version."""

NOW = "\x01"
"""Stands in finished JSON for the moment of the look: no JSON text can hold it by itself."""

Told = tuple[str, str, str, str, str, str, str, str, str, str, str, str, str, int, str, str]
"""A row of `sessions`, in the order of `COLUMNS`."""

COLUMNS = (
    "agent, session_id, last_activity, state, place, repo, common, worktree, worktree_repo, worktree_common, title, "
    "front, live, superseded, back, folder"
)

Gone = tuple[str, str, str, str, str]
"""A session whose record is gone: (agent, real path of its workspace, repository, its shared directory, JSON)."""


class Peek:
    """An open catalogue, to be read once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def notes(self) -> dict[str, str]:
        """What the last whole look noted of itself."""
        rows: list[tuple[str, bytes]] = self._db.execute("SELECT name, value FROM meta").fetchall()
        return {name: value.decode("utf-8", "surrogateescape") for name, value in rows}

    def told(self) -> list[Told]:
        """Every listed session, newest activity first, then by id."""
        return self._db.execute(
            f"SELECT {COLUMNS} FROM sessions WHERE listed ORDER BY last_activity DESC, session_id, agent"  # noqa: S608 - names of our own
        ).fetchall()

    def gone(self) -> list[Gone]:
        """Every session whose record is gone."""
        return self._db.execute("SELECT agent, place, repo, common, told FROM gone ORDER BY n").fetchall()

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()


def peek(directory: str) -> Peek | None:
    """Open the catalogue in a cache directory; None where there is none that can be read.

    Reading it later may raise `sqlite3.Error` all the same: a damaged page shows only when it is met.
    """
    path = directory + "/" + FILE
    if not os.path.exists(path):  # noqa: PTH110 - pathlib is dear at start-up
        return None
    try:
        quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        connection = sqlite3.connect(f"file:{quoted}?mode=ro", timeout=0.05, isolation_level=None, uri=True)
    except sqlite3.Error:
        return None
    return Peek(connection)


def write_specs(specs: Sequence[Spec]) -> str:
    """Walk specs as text: one a line, tabs between."""
    return "\n".join(
        "\t".join((agent, root, "|".join(suffixes), str(depth), holds)) for agent, root, suffixes, depth, holds in specs
    )


def read_specs(text: str) -> list[Spec]:
    """Walk specs from `write_specs`.

    Raises:
        ValueError: it is none.

    """
    specs: list[Spec] = []
    for line in text.split("\n") if text else ():
        agent, root, suffixes, depth, holds = line.split("\t")
        specs.append((agent, root, tuple(suffixes.split("|")), int(depth), holds))
    return specs
