"""The catalogue's writer: what the transcripts said when they were read last, so that a list is instant.

A cache, never truth: damaged, older or newer than this program, it is thrown away without a word, and where it cannot
be opened everything works without it (`opening`). Decides what the rows say; refuses to know what an agent's file
means (identities, summaries and frozen readers pass through as text).

Plain `sqlite3`, one short-lived connection for each look, used by the thread that made it. Every caller is a function
of values that runs in a worker thread or a command; an asynchronous twin would be a second road to the same rows and
would cost the command line five interpreter starts. Titles and whatever else of a transcript can be shown from here
are masked before they come in.
"""

from __future__ import annotations

import _sqlite3 as sqlite3  # see `peek`
import os
from _blake2 import blake2b  # `hashlib` gives the very same, and loads the whole of OpenSSL first
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import Any, Final, Self, TypeVar

from refloat.catalogue.opening import Foreign, connect, let_go, throw_away
from refloat.catalogue.peek import FILE, Gone, read_finished, read_finished_of, read_notes, read_shown
from refloat.catalogue.rows import (
    COUNT_ALL,
    COUNT_IN,
    COUNT_OUT,
    FORGET,
    INSERT_ALONE,
    INSERT_BESIDE,
    INSERT_FILE,
    INSERT_TOLD,
    KEY,
    READING,
    STANDS,
    TOLD_BESIDE,
    Alone,
    Key,
    Reading,
    Stat,
    Told,
    Work,
    alone_of,
    alone_rows,
    bound_key,
    file_rows,
    identity_of,
    keeping,
    keyed,
    note_rows,
    note_value,
    read_identity,
    reading_of,
    told_row,
)
from refloat.catalogue.seals import row_seal, seal, unseal
from refloat.damage import FAULTS, is_damage

HEAD: Final = 4096
"""Bytes at a file's beginning whose hash tells a file that grew from one that was written anew."""

SCOPE: Final = (
    "SELECT agent, session_id, path, last_activity, state, place, worktree, title FROM sessions"
    " WHERE listed AND NOT superseded ORDER BY last_activity DESC, session_id"
)
"""Answered by an index alone, so that the first rows cost the same however many there are."""
_HOLDS: Final = b"holds"
_DISTRUST: Final = "DELETE FROM meta WHERE name = 'fingerprint'"
_BESIDE: Final = ((TOLD_BESIDE, None), ("DELETE FROM temp.told", None))
_MANY: Final = 512
"""Sessions told anew that are too many to be held at once."""
_SOME: Final = 64
"""Sessions that are read at once, where those that follow may not be wanted."""

T = TypeVar("T")


class Catalogue:
    """An open catalogue. Use it in a `with`, from one thread. A failing read is an empty one, a failing write False."""

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self._db = connection
        self._path = path
        self._is_damaged = False
        """SQLite met a page that is none, or a seal is broken."""

    @classmethod
    def open(cls, directory: str | os.PathLike[str], *, wait: float = 2.0, append: bool = False) -> Self | None:
        """Open the catalogue in `directory`, making it where it is missing; None where that is impossible.

        Waits `wait` seconds for another Refloat's write; `append` as in `opening.connect`. A damaged file, or one of
        another schema, is made anew.
        """
        path = f"{os.fspath(directory)}/{FILE}"
        for attempt in range(2):
            try:
                return cls(connect(path, wait, append=append), path)
            except (*FAULTS, Foreign) as fault:
                # Locked, or not ours to write: go without.
                if attempt or not (isinstance(fault, Foreign) or is_damage(fault)) or not throw_away(path):
                    return None
            except OSError:
                return None
        return None

    @property
    def is_damaged(self) -> bool:
        """Whether something could not be asked: what was told since it was opened may be too little."""
        return self._is_damaged

    @property
    def born(self) -> int:
        """A number by which this file is told from any other that stood, or will stand, in its place; 0: not known."""
        rows = self._ask("PRAGMA user_version")
        return rows[0][0] if rows else 0

    def written(self) -> Sequence[tuple[int, int, int]]:
        """What the disk says of its files: the same as before where nothing was written since. No log is like an empty
        one.
        """
        found: list[tuple[int, int, int]] = []
        for path in (self._path, f"{self._path}-wal"):
            with suppress(FileNotFoundError):
                stat = os.stat(path)  # noqa: PTH116 - pathlib is dear on the list's roads
                if stat.st_size:
                    found.append((stat.st_ino, stat.st_size, stat.st_mtime_ns))
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file; of a damaged one for good, whatever of it can still be read."""
        with suppress(*FAULTS):
            let_go(self._db)
        if self._is_damaged:
            throw_away(self._path)

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def identities(self) -> Mapping[str, tuple[Stat, str]]:
        """What every known file was when it was looked into, by path."""
        return dict(self._ask("SELECT path, size, mtime_ns, inode, device, identity FROM files", made=identity_of))

    def known_files(self) -> Iterator[str]:
        """Their paths."""
        return (os.fsdecode(path) for (path,) in self._ask("SELECT path FROM files"))

    def identity(self, path: str) -> str:
        """What a file was when it was looked into; "" for one that is not known."""
        rows = self._ask("SELECT identity FROM files WHERE path = ?", (os.fsencode(path),))
        return read_identity(rows[0][0], path) if rows else ""

    def readings(self) -> Mapping[Key, Reading]:
        """Every session as it was read."""
        rows: list[Reading] = self._ask(f"SELECT {READING} FROM readings", made=reading_of)  # noqa: S608 - names of our own
        return {reading.key: reading for reading in rows}

    def files(self) -> Mapping[Key, str]:
        """Which files every session was read from, with their stats."""
        return dict(self._ask("SELECT agent, session_id, path, files FROM readings", made=keyed))

    def count(self) -> int:
        """How many sessions are known."""
        rows = self._ask("SELECT count(*) FROM readings")
        return rows[0][0] if rows else 0

    def reading(self, key: Key) -> Reading | None:
        """One session as it was read."""
        rows = self._ask(f"SELECT {READING} FROM readings WHERE {KEY}", bound_key(key), made=reading_of)  # noqa: S608 - names of our own
        return rows[0] if rows else None

    def kin(self, agent: str, lineage: str) -> Sequence[Reading]:
        """Every session that begins with the same conversation row."""
        question = f"SELECT {READING} FROM readings WHERE agent = ? AND lineage = ? AND lineage <> ''"  # noqa: S608 - names of our own
        return self._ask(question, (agent, lineage), made=reading_of)

    def frozen(self, key: Key, files: str) -> bytes | None:
        """What must be known to read a session on, as `keep_readings` was given it with just these files: another
        Refloat may have read on since they were asked for.
        """
        rows = self._ask(f"SELECT frozen FROM resumes WHERE {KEY}", bound_key(key))  # noqa: S608 - as above
        return unseal(rows[0][0], *key, files) if rows else None

    def marks(self) -> Mapping[Key, tuple[str, bool]]:
        """(mark, whether it is listed now) of every session that was told."""
        rows = self._ask("SELECT agent, session_id, path, mark, listed FROM sessions", made=keyed)
        return {key: (mark, bool(listed)) for key, mark, listed in rows}

    def told(self) -> Sequence[bytes]:
        """The finished JSON of every listed session."""
        return [row[-1] for row in self._read(read_finished)]

    def scope(self) -> Iterator[tuple[str, str, bytes, str, str, str, str, str]]:
        """(agent, session id, path of its last file as the system spells it, last activity, state, real path of its
        workspace, that of an entered worktree, masked title) of every listed session that no other one carries whole:
        the newest first, then by id. They are read as they are asked for.

        Raises:
            sqlite3.Error: the catalogue is damaged. Some rows may have been told.
        """
        try:
            rows = self._db.execute(SCOPE)
            while some := rows.fetchmany(_SOME):
                yield from some
        except FAULTS as fault:
            self._is_damaged |= is_damage(fault)
            raise

    def told_of(self, key: Key) -> bytes | None:
        """The finished JSON of one session."""
        return next(iter(self._read(lambda db: [read_finished_of(db, *bound_key(key))])), None)

    def titles(self) -> Sequence[tuple[str, str, str]]:
        """(agent, session id, masked title) of every listed session."""
        return [(row[1], row[0], row[7]) for row in self._read(read_shown)]

    def edited(self) -> Sequence[str]:
        """The absolute paths of all files that any session edited, and the stand-ins of `hide_path`."""
        return self._ask("SELECT DISTINCT path FROM edited", made="".join)

    def editors(self, paths: Iterable[str]) -> frozenset[tuple[str, str]]:
        """(agent, session id) of every session that edited one of the absolute paths."""
        found: set[tuple[str, str]] = set()
        for path in paths:
            with suppress(UnicodeEncodeError):
                question = "SELECT agent, session_id FROM edited WHERE path IN (?, ?)"
                found.update(self._ask(question, (path, hide_path(path))))
        return frozenset(found)

    def copy(self, path: str, stat: Stat, row: str) -> bool | None:
        """Whether the file holds a conversation row, where that was looked for in just this state of the file."""
        rows = self._ask(
            "SELECT holds FROM copies WHERE path = ? AND row = ? AND size = ? AND mtime_ns = ? AND inode = ?",
            (os.fsencode(path), row, *stat[:3]),
        )
        value = unseal(rows[0][0], path, row) if rows else None
        return None if value is None else value == _HOLDS

    def kin_of(self, agent: str, lineage: str) -> int:
        """How many sessions begin with the same conversation row."""
        question = "SELECT count(*) FROM readings WHERE agent = ? AND lineage = ? AND lineage <> ''"
        rows = self._ask(question, (agent, lineage))
        return rows[0][0] if rows else 0

    def alone(self, path: str | None = None) -> Mapping[str, Alone]:
        """The files, or the one file, of sessions that stand alone, as the last whole look knew them."""
        question = "SELECT path, agent, session_id, last, found FROM alone"
        if path is not None:
            question += " WHERE path = ?"
        rows = self._ask(question, () if path is None else (os.fsencode(path),), made=alone_of)
        return {at: row for at, row in rows if row is not None}

    def notes(self) -> Mapping[str, str]:
        """What the last whole look noted of itself."""
        return dict(self._read(lambda db: list(read_notes(db).items())))

    # ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def keep_identities(self, rows: Iterable[tuple[str, Stat, str]]) -> bool:
        """Keep what files are, as text."""
        return self._write(lambda: [(INSERT_FILE, file_rows(rows))])

    def keep_readings(self, rows: Iterable[tuple[Reading, bytes, Sequence[str]]]) -> bool:
        """Keep sessions as read, what is needed to read them on, and the paths that they edited, all or none."""
        # Until the next whole look is kept, no list may be answered from here alone.
        return self._write(lambda: [(_DISTRUST, None), *keeping(rows)])

    def keep_grown(
        self,
        read: Sequence[tuple[Reading, bytes, Sequence[str]]],
        told: Iterable[Told],
        files: Iterable[tuple[str, Stat, str]],
        alone: Mapping[str, Alone],
        notes: Mapping[str, str],
        *,
        on: tuple[str, str],
    ) -> bool:
        """Keep sessions that grew since the look of which `on` are the notes `mark` and `since`, and what it would note
        of itself now; False, and nothing is kept, where another look came between.
        """

        def work() -> Sequence[Work]:
            rows = list(told)
            keys = [bound_key(row.key) for row in rows]
            return [
                *keeping(read),
                (INSERT_FILE, file_rows(files)),
                (COUNT_OUT, keys),
                (INSERT_TOLD, map(told_row, rows)),
                (COUNT_IN, keys),
                (INSERT_ALONE, alone_rows(alone)),
                ("INSERT OR REPLACE INTO meta VALUES (?, ?)", note_rows(notes)),
            ]

        return self._write(work, on=on)

    def distrust(self) -> bool:
        """Until the next whole look is kept, no list may be answered from here alone."""
        return self._write(lambda: [(_DISTRUST, None)])

    def keep_copies(self, rows: Iterable[tuple[str, Stat, str, bool]]) -> bool:
        """Keep which file holds which conversation row of another session."""

        def work() -> Sequence[Work]:
            bound = [
                (os.fsencode(path), row, *stat[:3], seal(_HOLDS if holds else b"", path, row))
                for path, stat, row, holds in rows
            ]
            return [("INSERT OR REPLACE INTO copies VALUES (?, ?, ?, ?, ?, ?)", bound)]

        return self._write(work)

    def finish(
        self,
        told: Iterable[Told],
        unlisted: Iterable[Key],
        gone: Iterable[Gone],
        notes: Mapping[str, str],
        *,
        alone: Mapping[str, Alone | None] | None = None,
        forget: Iterable[str] = (),
    ) -> bool:
        """Keep a whole look: sessions told anew, those no longer there.

        `notes` say under which conditions all of this holds. `alone` has files that stand alone now, or no longer.
        `forget` names files that are proved to be gone; what was kept of them goes too.
        """

        def work() -> Sequence[Work]:
            lost, others, removed = [(os.fsencode(path),) for path in forget], alone or {}, list(gone)
            return [
                self._told_work(told),
                (f"UPDATE sessions SET listed = 0 WHERE {KEY}", [bound_key(key) for key in unlisted]),  # noqa: S608 - names of our own
                ("DELETE FROM gone", None),
                ("INSERT INTO gone VALUES (NULL, ?, ?, ?)", removed),
                ("DELETE FROM meta WHERE name <> 'schema'", None),
                ("INSERT INTO meta VALUES (?, ?)", note_rows(notes)),
                ("DELETE FROM alone WHERE path = ?", [(os.fsencode(path),) for path in others]),
                (INSERT_ALONE, alone_rows(others)),
                *((question, lost) for question in FORGET),
                # Of all that stand: this look has seen which do.
                (COUNT_ALL, [(sum(map(row_seal, removed)),)]),
            ]

        return self._write(work)

    def _told_work(self, told: Iterable[Told]) -> Work:
        """What writes sessions told anew. Of many, a table beside holds what is made."""
        rows = map(told_row, told)
        first = list(islice(rows, _MANY))
        if len(first) < _MANY:
            return INSERT_TOLD, first
        self._carry_out("BEGIN", [*_BESIDE, (INSERT_BESIDE, chain(first, rows))])  # while it is, nobody waits
        return "INSERT OR REPLACE INTO sessions SELECT * FROM temp.told", None

    def _write(self, work: Callable[[], Iterable[Work]], *, on: tuple[str, str] | None = None) -> bool:
        """Statements with their rows in one transaction, as long as the notes `mark` and `since` are `on`; a catalogue
        that cannot be written is no fault of the work. What is written is made here: names that are no text have no
        place in a table, wherever that shows.
        """
        try:
            return self._carry_out("BEGIN IMMEDIATE", work(), on=on)
        except (*FAULTS, UnicodeEncodeError) as fault:
            self._is_damaged |= is_damage(fault)
            with suppress(*FAULTS):
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
            return False

    def _carry_out(self, begin: str, work: Iterable[Work], *, on: tuple[str, str] | None = None) -> bool:
        self._db.execute(begin)
        noted = None if on is None else (note_value("mark", on[0]), note_value("since", on[1]))
        if noted is not None and self._db.execute(STANDS, noted).fetchall() != [(3,)]:
            self._db.execute("ROLLBACK")
            return False
        for question, rows in work:
            self._db.execute(question) if rows is None else self._db.executemany(question, rows)
        self._db.execute("COMMIT")
        return True

    def _ask(self, question: str, bound: Sequence[object] = (), made: Callable[[Any], Any] = tuple) -> list[Any]:
        """What is made of rows; nothing where the catalogue fails in the middle. Columns are typed by the tables."""
        return self._read(lambda db: list(map(made, db.execute(question, bound))))

    def _read(self, read: Callable[[sqlite3.Connection], list[T]]) -> list[T]:
        """The same of what reads them."""
        try:
            return read(self._db)
        except FAULTS as fault:
            self._is_damaged |= is_damage(fault)
        except (TypeError, ValueError):  # a column of another type: the page of another table
            self._is_damaged = True
        return []


def hide_path(path: str) -> str:
    """What stands for a path that holds a secret: found again by whoever has the path, and no path itself.

    Raises:
        UnicodeEncodeError: it is no text.
    """
    return f"#{blake2b(path.encode(), digest_size=16).hexdigest()}" if path[:1] != "#" else path


def hash_stretches(path: str, stretches: Sequence[tuple[int, int]]) -> list[str]:
    """Hashes of the bytes from one place to another, each; "" where they cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)  # a few bytes of many files: without a buffer
    except OSError:
        return [""] * len(stretches)
    try:
        read = [os.pread(descriptor, end - start, start) for start, end in stretches]
    except OSError:
        return [""] * len(stretches)
    finally:
        os.close(descriptor)
    return [blake2b(data, digest_size=16).hexdigest() for data in read]
