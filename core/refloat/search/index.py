"""Which rows of the shards belong to which session: the index as a whole.

Decides which sessions are searchable (`covers`), and what replaces what. A cache, never truth: whatever is damaged, or
does not fit its shard any more, counts as not there, and the sessions it held as not yet read. Rows that nothing refers
to any more cost every search: with the file that refers to them, or the catalogue from which it was made (`belong`),
they are thrown away. What is found in it is for `search.answers` to say.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from _blake2 import blake2b  # `hashlib` gives the very same, and loads the whole of OpenSSL first
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self

from refloat.damage import FAULTS, is_damage
from refloat.model.light import light
from refloat.search.digest import Doc, unpack, unpack_docs
from refloat.search.seal import is_broken, is_broken_in_use, take_seal
from refloat.search.shards import COUNT, LAST, Shard, open_shard, shard_path, throw_away

FILE: Final = "search.db"
_FORM: Final = "3"
_TABLES: Final = """
CREATE TABLE own (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE covered (
    agent TEXT NOT NULL, session_id TEXT NOT NULL, path BLOB NOT NULL, files TEXT NOT NULL,
    PRIMARY KEY (agent, session_id, path)
) WITHOUT ROWID;
CREATE TABLE runs (
    n INTEGER PRIMARY KEY, agent TEXT NOT NULL, session_id TEXT NOT NULL, path BLOB NOT NULL,
    shard INTEGER NOT NULL, mark TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
    provisional INTEGER NOT NULL, cleaned INTEGER NOT NULL, late INTEGER NOT NULL
);
CREATE INDEX runs_of ON runs (agent, session_id, path);
CREATE INDEX runs_at ON runs (shard, mark, first);
CREATE TABLE docs (
    run INTEGER NOT NULL, piece INTEGER NOT NULL, docs BLOB NOT NULL, PRIMARY KEY (run, piece)
) WITHOUT ROWID;
"""
_COVERED: Final = "SELECT agent, session_id, path, files FROM covered"
_KEY: Final = "agent = ? AND session_id = ? AND path = ?"
_RUNS: Final = 200
"""Runs of one session, after which it is read anew."""
_DEAD: Final = 200_000
"""So many rows of sessions that were replaced may lie about; then the index is made anew when they are half of it."""

Key = tuple[str, str, str]
"""(agent, session id, path of its last file), as in the catalogue."""


class _Foreign(Exception):  # noqa: N818 - never leaves this module
    """The index is of another form."""


@light
class Stretch:
    """A run, before its rows are looked at."""

    n: int
    key: Key
    shard: int
    first: int
    last: int
    cleaned: bool
    late: bool
    """Rows of it go on with items that began in an earlier one."""


class Index:
    """The index, open. Use it in a `with`, from one thread. A failing read is an empty one, a failing write False."""

    def __init__(self, directory: Path, connection: sqlite3.Connection) -> None:
        self.directory = directory
        self._db = connection
        self._shards = [open_shard(directory, number) for number in range(COUNT)]
        self._runs: dict[tuple[str, str], list[Stretch]] = {}
        self._covered: dict[Key, str] | None = None
        self._is_damaged = False
        """Something in the file itself, apart from the shards, is not what was written."""

    @classmethod
    def open(cls, directory: Path, *, wait: float = 2.0) -> Self | None:
        """Open the index in a cache directory, making it where it is missing; None where that is impossible."""
        path = directory / FILE
        for attempt in range(2):
            try:
                return cls(directory, _connect(path, wait))
            except (*FAULTS, _Foreign) as fault:
                if attempt or not (isinstance(fault, _Foreign) or is_damage(fault)):
                    return None
                _throw_all_away(directory)
            except OSError:
                return None
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the files; of damaged ones for good."""
        for shard in self._shards:
            if shard is not None:
                shard.close()
        with suppress(*FAULTS):
            self._db.close()
        if self._is_damaged:
            _throw_all_away(self.directory)

    # ── what is in it ────────────────────────────────────────────────────────────────────────────────────────────────

    def covers(self, key: Key, files: str) -> bool:
        """Whether a session is searchable in just this state of its files."""
        return self.covered().get(key) == hash_files(files)

    def covered(self) -> Mapping[Key, str]:
        """`hash_files` of every session that is searchable, in the state in which it is."""
        if self._covered is None:
            self._covered = self._sound(self._ask(_COVERED))
        return self._covered

    def covered_of(self, keys: Iterable[Key]) -> Mapping[Key, str]:
        """The same, of a few sessions alone."""
        return self._sound([row for key in keys for row in self._ask(f"{_COVERED} WHERE {_KEY}", _bound(key))])

    def _sound(self, rows: Iterable[Sequence[Any]]) -> dict[Key, str]:
        broken = self._broken()
        return {key: str(row[3]) for row in rows if (key := _key(row)) not in broken}

    def is_sound(self) -> bool:
        """Whether all that is kept could be asked so far. What could not, since its shard is gone or damaged, is let go
        of: those sessions count as not yet read.
        """
        failed = [number for number, shard in enumerate(self._shards) if shard is not None and shard.failed]
        for number in failed:
            shard = self._shards[number]
            if shard is not None and shard.is_damaged:
                shard.close()
                self._shards[number] = None
                self._runs.clear()
                throw_away(shard_path(self.directory, number))
        if broken := self._broken():
            self.forget(broken)
        return not failed and not broken and not self._is_damaged

    def note(self, name: str) -> str | None:
        """What `set_note` was given last."""
        rows = self._ask("SELECT value FROM own WHERE name = ?", (f"note {name}",))
        return str(rows[0][0]) if rows else None

    def set_note(self, name: str, value: str) -> None:
        """Remember something about the index as a whole, until anything in it changes."""
        try:
            self._begin()
            self._db.execute("INSERT OR REPLACE INTO own VALUES (?, ?)", (f"note {name}", value))
            self._db.execute("COMMIT")
        except FAULTS:
            self._roll_back()

    def keep(self, rows: Sequence[tuple[Key, str, str | None, bytes]]) -> None:
        """Make readings searchable: (session, its files as text, the same of the reading that this one went on from or
        None, the digest's receipt).

        A reading that went on from an earlier one counts only where just that one is covered. All or none: what could
        not be kept is not covered.
        """
        self._changed()
        try:
            self._begin()
            self._forget_notes()
            for key, files, before, receipt in rows:
                self._keep(key, files, before, receipt)
            self._db.execute("COMMIT")
        except (*FAULTS, UnicodeEncodeError) as fault:
            self._note_damage(fault)
            self._roll_back()
            return
        self._tidy()

    def _keep(self, key: Key, files: str, before: str | None, receipt: bytes) -> None:
        bound = _bound(key)
        known = self._db.execute(f"SELECT files FROM covered WHERE {_KEY}", bound).fetchone()  # noqa: S608 - names of our own
        # Another Refloat may have read on, too: then rows of this reading would stand twice.
        joins = before is None or known == (hash_files(before),)
        if joins:
            self._drop_runs(bound, "" if before is None or not receipt else "AND provisional")
        if not receipt or not joins:
            self._db.execute(f"DELETE FROM covered WHERE {_KEY}", bound)  # noqa: S608 - as above
            return
        many = self._db.execute(f"SELECT count(*) FROM runs WHERE {_KEY}", bound).fetchone()[0]  # noqa: S608 - as above
        # One that was read on many times is in many pieces: it counts as new, and comes back in one.
        self._db.execute(
            "INSERT OR REPLACE INTO covered VALUES (?, ?, ?, ?)", (*bound, "" if many > _RUNS else hash_files(files))
        )
        for run in unpack(receipt):
            last = run.first + run.count - 1
            row = (*bound, run.shard, run.mark, run.first, last, run.provisional, run.cleaned, run.late)
            made = self._db.execute("INSERT INTO runs VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row).lastrowid
            rows = [(made, at, piece) for at, piece in enumerate(run.pieces)]
            self._db.executemany("INSERT INTO docs VALUES (?, ?, ?)", rows)

    def forget(self, keys: Iterable[Key]) -> None:
        """Let go of sessions whose files are proved to be gone."""
        self._changed()
        try:
            self._begin()
            self._forget_notes()
            for key in keys:
                self._drop_runs(_bound(key))
                self._db.execute(f"DELETE FROM covered WHERE {_KEY}", _bound(key))  # noqa: S608 - names of our own
            self._db.execute("COMMIT")
        except (*FAULTS, UnicodeEncodeError):
            self._roll_back()

    def _forget_notes(self) -> None:
        self._db.execute("DELETE FROM own WHERE name LIKE 'note %'")

    def _drop_runs(self, bound: tuple[str, str, bytes], which: str = "") -> None:
        own = f"SELECT n FROM runs WHERE {_KEY} {which}"  # noqa: S608 - names of our own
        self._db.execute(f"DELETE FROM docs WHERE run IN ({own})", bound)  # noqa: S608 - as above
        self._db.execute(f"DELETE FROM runs WHERE {_KEY} {which}", bound)  # noqa: S608 - as above

    def _begin(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        take_seal(self.directory)

    def _roll_back(self) -> None:
        with suppress(*FAULTS):
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")

    def _tidy(self) -> None:
        """Begin anew where more rows are dead than alive: contentless tables cannot delete."""
        alive = int(self._ask("SELECT coalesce(sum(last - first + 1), 0) FROM runs")[0][0])
        written = sum(shard.written() for shard in self._opened())
        if written - alive > max(_DEAD, alive):
            self.start_anew()

    def belong(self, catalogue: int) -> None:
        """Say which catalogue (`Catalogue.born`) the sessions are read for: what was read for another one is all read
        again, and its rows would stand twice.
        """
        if self._ask(_BELONGS) != [(str(catalogue),)]:
            self.start_anew(catalogue)

    def start_anew(self, catalogue: int | None = None) -> None:
        """Throw everything away; the sessions count as not yet read for the search. With a `catalogue`, unless another
        Refloat has just done so for it.
        """
        self._changed()
        try:
            self._begin()
            if catalogue is not None and self._db.execute(_BELONGS).fetchall() == [(str(catalogue),)]:
                self._db.execute("ROLLBACK")
                return
            self._forget_notes()
            self._db.execute("DELETE FROM runs")
            self._db.execute("DELETE FROM docs")
            self._db.execute("DELETE FROM covered")
            if catalogue is not None:
                self._db.execute("INSERT OR REPLACE INTO own VALUES ('catalogue', ?)", (str(catalogue),))
            self._throw_shards_away()  # while nobody else can keep what was written to them
            self._db.execute("COMMIT")
        except FAULTS as fault:
            self._note_damage(fault)
            self._roll_back()

    def _throw_shards_away(self) -> None:
        for number, shard in enumerate(self._shards):
            if shard is not None:
                shard.close()
            self._shards[number] = None
        _throw_shards_away(self.directory)

    # ── what it finds ────────────────────────────────────────────────────────────────────────────────────────────────

    def runs(self, key: Key) -> list[Stretch]:
        """What is kept of a session, in the order in which it was read."""
        return [run for run in self.runs_of(key[0], key[1]) if run.key == key]

    def runs_of(self, agent: str, session_id: str) -> list[Stretch]:
        """The same of all that call themselves so."""
        runs = self._runs.get((agent, session_id))
        if runs is None:
            asked = f"SELECT {_STRETCH}, mark FROM runs WHERE agent = ? AND session_id = ? ORDER BY n"  # noqa: S608 - names of our own
            marks = self._marks()
            rows = self._ask(asked, (agent, session_id))
            runs = [_stretch(row) for row in rows if 0 <= row[4] < COUNT and marks[row[4]] == row[9]]
            self._runs[agent, session_id] = runs
        return runs

    def run_at(self, shard: int, row: int) -> Stretch | None:
        """The run that a row belongs to."""
        asked = f"SELECT {_STRETCH} FROM runs WHERE shard = ? AND mark = ? AND first <= ? ORDER BY first DESC LIMIT 1"  # noqa: S608 - as above
        found = self._ask(asked, (shard, self._marks()[shard], row))
        run = _stretch(found[0]) if found else None
        return run if run is not None and row <= run.last else None

    def mark(self, shard: int) -> str | None:
        """What tells the file of a shard from any other; None where there is none."""
        return self._marks()[shard]

    def late(self) -> set[tuple[str, str]]:
        """Sessions of which rows go on with items that began in an earlier run."""
        return set(self._ask("SELECT DISTINCT agent, session_id FROM runs WHERE late"))

    def rows(self, asked: str, shard: int, most: int, *, first: int = 0, last: int = LAST, newest: bool) -> list[int]:
        """`Shard.rows` of a shard; none where there is no such one."""
        opened = self._opened_shards()[shard]
        return [] if opened is None else opened.rows(asked, most, first=first, last=last, newest=newest)

    def unknown_words(self, rows: Sequence[tuple[int, int]], words: Iterable[str]) -> set[str]:
        """Those of some words that the index does not hold in any of some (shard, row)."""
        return {
            word
            for word in words
            if not any(self.rows(f'"{word}"', shard, 1, first=row, last=row, newest=True) for shard, row in rows)
        }

    def docs(self, run: Stretch, piece: int) -> Sequence[Doc]:
        """`digest.PIECE` rows of a run; none where they cannot be told any more."""
        told = self._ask("SELECT docs FROM docs WHERE run = ? AND piece = ?", (run.n, piece))
        try:
            return unpack_docs(told[0][0])
        except (ValueError, TypeError, LookupError, zlib.error):
            self._is_damaged = self._is_damaged or bool(told)
            return ()

    def _changed(self) -> None:
        self._runs.clear()
        self._covered = None

    def _marks(self) -> list[str | None]:
        return [shard.mark if shard is not None else None for shard in self._opened_shards()]

    def _broken(self) -> set[Key]:
        """Sessions with a run whose shard is not the one any more that it was written to."""
        marks = self._marks()
        if all(
            self._ask(_MARKS, (number,) * 2) in ([(mark, mark)], [(None, None)]) for number, mark in enumerate(marks)
        ):
            return set()
        rows = self._ask("SELECT agent, session_id, path, shard, mark FROM runs")
        return {_key(row) for row in rows if not 0 <= row[3] < COUNT or marks[row[3]] != row[4]}

    def _opened_shards(self) -> list[Shard | None]:
        """The shards; one that was made since is opened."""
        for number, shard in enumerate(self._shards):
            if shard is None:
                self._shards[number] = open_shard(self.directory, number)
        return self._shards

    def _opened(self) -> list[Shard]:
        return [shard for shard in self._opened_shards() if shard is not None]

    def _ask(self, question: str, bound: Sequence[object] = ()) -> list[Any]:
        """Rows; columns are typed by the tables above."""
        try:
            return self._db.execute(question, bound).fetchall()
        except FAULTS as fault:
            self._note_damage(fault)
            return []

    def _note_damage(self, fault: Exception) -> None:
        self._is_damaged |= is_damage(fault)


_STRETCH: Final = "agent, session_id, path, n, shard, first, last, cleaned, late"
_BELONGS: Final = "SELECT value FROM own WHERE name = 'catalogue'"
_MARKS: Final = "SELECT (SELECT min(mark) FROM runs WHERE shard = ?), (SELECT max(mark) FROM runs WHERE shard = ?)"


def _stretch(row: Sequence[Any]) -> Stretch:
    return Stretch(row[3], _key(row), row[4], row[5], row[6], bool(row[7]), bool(row[8]))


def hash_files(files: str) -> str:
    """A session's files and their stats, as they are kept here."""
    return blake2b(files.encode("utf-8", "replace"), digest_size=12).hexdigest()


def _key(row: Sequence[object]) -> Key:
    agent, session, path = row[:3]
    return str(agent), str(session), os.fsdecode(path if isinstance(path, bytes) else b"")


def _bound(key: Key) -> tuple[str, str, bytes]:
    return key[0], key[1], os.fsencode(key[2])


def _connect(path: Path, wait: float) -> sqlite3.Connection:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))  # private before SQLite sees it
    connection = sqlite3.connect(path, timeout=wait, isolation_level=None)
    try:
        connection.execute("PRAGMA synchronous = OFF")  # while it is made: a cache that is lost is made again
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            take_seal(path.parent)
            for statement in _TABLES.split(";\n"):
                connection.execute(statement)
            connection.execute("INSERT INTO own VALUES ('form', ?)", (_FORM,))
            _throw_shards_away(path.parent)  # nothing refers to their rows
        connection.execute("COMMIT")
        connection.execute("PRAGMA synchronous = NORMAL")
        row = connection.execute("SELECT value FROM own WHERE name = 'form'").fetchone()
    except sqlite3.OperationalError as fault:
        connection.close()
        if "no such table" in str(fault):
            raise _Foreign from fault
        raise
    except BaseException:
        connection.close()
        raise
    if row is None or row[0] != _FORM:
        connection.close()
        raise _Foreign
    return connection


def throw_broken_away(directory: Path, *, in_use: bool = False) -> None:
    """Throw the index away where its seal is broken: its sessions count as not yet read. `in_use`: this process may
    have it open.
    """
    if (is_broken_in_use if in_use else is_broken)(directory):
        _throw_all_away(directory)


def _throw_all_away(directory: Path) -> None:
    throw_away(directory / FILE)
    _throw_shards_away(directory)


def _throw_shards_away(directory: Path) -> None:
    for number in range(COUNT):
        throw_away(shard_path(directory, number))
