"""Which rows of the shards belong to which session: the index as a whole, and what it finds.

Decides which sessions are searchable (`covers`), what replaces what, and in which order candidates come: newest session
first, so that a word which stands everywhere does not cost a look at every place. A cache, never truth: whatever is
damaged, or does not fit its shard any more, counts as not there, and the sessions it held as not yet read. What
candidates really hold is for their transcripts to say.
"""

import os
import sqlite3
import zlib
from _blake2 import blake2b  # `hashlib` gives the very same, and loads the whole of OpenSSL first
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self

from refloat.model.light import light
from refloat.search.digest import PIECE, Doc, unpack, unpack_docs
from refloat.search.query import Query
from refloat.search.shards import COUNT, Shard, open_shard, shard_path, throw_away

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
CREATE TABLE docs (
    run INTEGER NOT NULL, piece INTEGER NOT NULL, docs BLOB NOT NULL, PRIMARY KEY (run, piece)
) WITHOUT ROWID;
"""
_KEY: Final = "agent = ? AND session_id = ? AND path = ?"
_PROBE: Final = 2000
"""Rows that are asked for at once, from both ends: a query with no more of them is answered whole."""
_LAST: Final = 2**62
_PAGE: Final = 64
_LATE: Final = 300
"""Runs that are looked at for items parted between two readings, in one search."""
_RUNS: Final = 200
"""Runs of one session, after which it is read anew."""
_DEAD: Final = 200_000
"""So many rows of sessions that were replaced may lie about; then the index is made anew when they are half of it."""

Key = tuple[str, str, str]
"""(agent, session id, path of its last file), as in the catalogue."""


@light
class Candidate:
    """An item that may hold a query."""

    doc: Doc
    rows: tuple[tuple[int, int], ...]
    """(shard, row) of all that is known of it."""


@light
class _Stretch:
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
        self._runs: tuple[list[_Stretch], list[_Stretch]] | None = None
        self._covered: dict[Key, str] | None = None

    @classmethod
    def open(cls, directory: Path, *, wait: float = 2.0) -> Self | None:
        """Open the index in a cache directory, making it where it is missing; None where that is impossible."""
        path = directory / FILE
        for attempt in range(2):
            try:
                return cls(directory, _connect(path, wait))
            except sqlite3.OperationalError:
                return None
            except sqlite3.DatabaseError:
                if attempt:
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
        """Let go of the files."""
        for shard in self._shards:
            if shard is not None:
                shard.close()
        with suppress(sqlite3.Error):
            self._db.close()

    # ── what is in it ────────────────────────────────────────────────────────────────────────────────────────────────

    def covers(self, key: Key, files: str) -> bool:
        """Whether a session is searchable in just this state of its files."""
        return self.covered().get(key) == hash_files(files)

    def covered(self) -> Mapping[Key, str]:
        """`hash_files` of every session that is searchable, in the state in which it is."""
        if self._covered is None:
            rows = self._ask("SELECT agent, session_id, path, files FROM covered")
            broken = {stretch.key for stretch in self._stretches(valid=False)}
            self._covered = {key: str(row[3]) for row in rows if (key := _key(row)) not in broken}
        return self._covered

    def searchable(self) -> Collection[Key]:
        """Every session of which anything is searchable, in whatever state of its files."""
        return dict.fromkeys(stretch.key for stretch in self._stretches())

    def is_sound(self) -> bool:
        """Whether all that is kept could be asked so far. What could not, since its shard is gone or damaged, is let go
        of: those sessions count as not yet read.
        """
        failed = [number for number, shard in enumerate(self._shards) if shard is not None and shard.failed]
        for number in failed:
            shard = self._shards[number]
            if shard is not None and shard.is_damaged:
                shard.close()
                self._shards[number], self._runs = None, None
                throw_away(shard_path(self.directory, number))
        broken = {stretch.key for stretch in self._stretches(valid=False)}
        if broken:
            self.forget(broken)
        return not failed and not broken

    def note(self, name: str) -> str | None:
        """What `set_note` was given last."""
        rows = self._ask("SELECT value FROM own WHERE name = ?", (f"note {name}",))
        return str(rows[0][0]) if rows else None

    def set_note(self, name: str, value: str) -> None:
        """Remember something about the index as a whole, until anything in it changes."""
        with suppress(sqlite3.Error):
            self._db.execute("INSERT OR REPLACE INTO own VALUES (?, ?)", (f"note {name}", value))

    def keep(self, rows: Sequence[tuple[Key, str, str | None, bytes]]) -> None:
        """Make readings searchable: (session, its files as text, the same of the reading that this one went on from or
        None, the digest's receipt).

        A reading that went on from an earlier one counts only where just that one is covered. All or none: what could
        not be kept is not covered.
        """
        self._runs, self._covered = None, None
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._forget_notes()
            for key, files, before, receipt in rows:
                self._keep(key, files, before, receipt)
            self._db.execute("COMMIT")
        except (sqlite3.Error, UnicodeEncodeError):
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
        self._runs, self._covered = None, None
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._forget_notes()
            for key in keys:
                self._drop_runs(_bound(key))
                self._db.execute(f"DELETE FROM covered WHERE {_KEY}", _bound(key))  # noqa: S608 - names of our own
            self._db.execute("COMMIT")
        except (sqlite3.Error, UnicodeEncodeError):
            self._roll_back()

    def _forget_notes(self) -> None:
        self._db.execute("DELETE FROM own WHERE name <> 'form'")

    def _drop_runs(self, bound: tuple[str, str, bytes], which: str = "") -> None:
        own = f"SELECT n FROM runs WHERE {_KEY} {which}"  # noqa: S608 - names of our own
        self._db.execute(f"DELETE FROM docs WHERE run IN ({own})", bound)  # noqa: S608 - as above
        self._db.execute(f"DELETE FROM runs WHERE {_KEY} {which}", bound)  # noqa: S608 - as above

    def _roll_back(self) -> None:
        with suppress(sqlite3.Error):
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")

    def _tidy(self) -> None:
        """Begin anew where more rows are dead than alive: contentless tables cannot delete."""
        alive = int(self._ask("SELECT coalesce(sum(last - first + 1), 0) FROM runs")[0][0])
        written = sum(shard.written() for shard in self._opened())
        if written - alive > max(_DEAD, alive):
            self.start_anew()

    def start_anew(self) -> None:
        """Throw everything away; the sessions count as not yet read for the search."""
        self._runs, self._covered = None, None
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._forget_notes()
            self._db.execute("DELETE FROM runs")
            self._db.execute("DELETE FROM docs")
            self._db.execute("DELETE FROM covered")
            self._db.execute("COMMIT")
        except sqlite3.Error:
            self._roll_back()
            return
        for number in range(COUNT):
            throw_away(shard_path(self.directory, number))

    # ── what it finds ────────────────────────────────────────────────────────────────────────────────────────────────

    def search(self, query: Query) -> "Answers":
        """What holds a query, to be asked for session by session. The query has at least one term."""
        runs: dict[Key, list[_Stretch]] = {}
        for stretch in self._stretches():
            runs.setdefault(stretch.key, []).append(stretch)
        asked = query.index_query()
        return Answers(self, query, runs, self._probe(asked))

    def _probe(self, asked: str) -> "_Probe":
        """The first and the last rows that answer: where they are few, all of them."""
        found: dict[int, list[int]] = {}
        known: list[tuple[int, int]] = []
        for number, shard in enumerate(self._opened_shards()):
            if shard is None:
                known.append((_LAST, 0))
                continue
            rows = shard.rows(asked, _PROBE, newest=False)
            upto, down_to = _LAST, 0
            if len(rows) == _PROBE:
                upto = rows[-1]
                more = shard.rows(asked, _PROBE, first=upto + 1)
                down_to = more[-1] if len(more) == _PROBE else 0
                rows += reversed(more)
            known.append((upto, down_to))
            mine = sorted((each for each in self._stretches() if each.shard == number), key=lambda each: each.first)
            firsts = [each.first for each in mine]
            for row in rows:
                at = bisect_right(firsts, row) - 1
                if at >= 0 and row <= mine[at].last:
                    found.setdefault(mine[at].n, []).append(row)
        return _Probe(found, known)

    def rows(self, asked: str, stretch: _Stretch, most: int, last: int) -> list[int]:
        """Rows of a run that answer, the last ones up to `last` first."""
        shard = self._opened_shards()[stretch.shard]
        return [] if shard is None else shard.rows(asked, most, first=stretch.first, last=last)

    def candidates(self, stretch: _Stretch, rows: Sequence[int]) -> Iterator[Candidate]:
        """What stands in some rows of a run; what cannot be told any more is left out."""
        pieces: dict[int, Sequence[Doc]] = {}
        for row in rows:
            piece, at = divmod(row - stretch.first, PIECE)
            if piece not in pieces:
                pieces[piece] = self._piece(stretch, piece)
            for doc in pieces[piece][at : at + 1]:
                yield Candidate(doc, ((stretch.shard, row),))

    def unknown_words(self, candidate: Candidate, words: Iterable[str]) -> set[str]:
        """Those of some words that the index does not hold of an item."""
        shards = self._opened_shards()
        return {
            word
            for word in words
            if not any(
                (shard := shards[number]) is not None and shard.rows(f'"{word}"', 1, first=row, last=row)
                for number, row in candidate.rows
            )
        }

    def _piece(self, stretch: _Stretch, piece: int) -> Sequence[Doc]:
        told = self._ask("SELECT docs FROM docs WHERE run = ? AND piece = ?", (stretch.n, piece))
        try:
            return unpack_docs(told[0][0])
        except (ValueError, TypeError, LookupError, zlib.error):
            return ()

    def whole_item(self, stretches: Sequence[_Stretch], late: Candidate) -> Candidate:
        """A row that goes on with an item that began in an earlier one, joined with it."""
        for stretch in reversed(stretches):
            for piece in range((stretch.last - stretch.first) // PIECE, -1, -1):
                docs = self._piece(stretch, piece)
                for at in range(len(docs) - 1, -1, -1):
                    doc, row = docs[at], (stretch.shard, stretch.first + piece * PIECE + at)
                    if doc.item == late.doc.item and row not in late.rows:
                        places = tuple(dict.fromkeys((*doc.places, *late.doc.places)))
                        joined = Doc(doc.item, doc.kinds | late.doc.kinds, places, doc.late)
                        late = Candidate(joined, (row, *late.rows))
                        if not doc.late:
                            return late
        return late

    def _stretches(self, *, valid: bool = True) -> list[_Stretch]:
        """Every run whose shard is the one it was written to, or (`valid=False`) every other one."""
        if self._runs is None:
            marks = [shard.mark if shard is not None else None for shard in self._opened_shards()]
            rows = self._ask("SELECT agent, session_id, path, n, shard, first, last, cleaned, mark, late FROM runs")
            good = [_stretch(row) for row in rows if 0 <= row[4] < COUNT and marks[row[4]] == row[8]]
            known = {stretch.n for stretch in good}
            self._runs = good, [_stretch(row) for row in rows if row[3] not in known]
        return self._runs[not valid]

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
        except sqlite3.Error:
            return []


class Answers:
    """What holds a query. Ask only for what is needed: where a word stands everywhere, the rest is never looked at."""

    def __init__(self, index: Index, query: Query, runs: dict[Key, list[_Stretch]], probe: "_Probe") -> None:
        self._index = index
        self._asked = query.index_query()
        self._any = query.index_query(" OR ")
        self._late_left = _LATE
        self._runs = runs
        self._probe = probe

    def holds(self, key: Key) -> bool:
        """Whether anything of a session may hold it."""
        runs = self._runs.get(key, ())
        return any(run.late or next(self._pages(run), None) for run in runs)

    def had_secrets(self, key: Key) -> bool:
        """Whether anything of a session was taken out as a secret."""
        return any(run.cleaned for run in self._runs.get(key, ()))

    def of(self, key: Key) -> Iterator[Candidate]:
        """What of a session may hold it, the newest first, each item once."""
        runs = self._runs.get(key, ())
        seen: set[int] = set()
        for run in reversed(runs):
            for rows in self._pages(run):
                for found in self._index.candidates(run, rows):
                    if found.doc.item not in seen:
                        seen.add(found.doc.item)
                        yield self._index.whole_item(runs, found) if found.doc.late else found
        for run in reversed(runs):
            if run.late and self._any != self._asked and self._late_left:
                self._late_left -= 1
                yield from self._split(runs, run, seen)

    def _split(self, runs: Sequence[_Stretch], run: _Stretch, seen: set[int]) -> Iterator[Candidate]:
        """Items that hold some of the words in a row of this run, and may hold the others in an earlier one."""
        for found in self._index.candidates(run, self._index.rows(self._any, run, _PROBE, run.last)):
            if found.doc.late and found.doc.item not in seen:
                seen.add(found.doc.item)
                yield self._index.whole_item(runs, found)

    def _pages(self, run: _Stretch) -> Iterator[list[int]]:
        if (rows := self._probe.rows_of(run)) is not None:
            yield from [rows[::-1]] if rows else ()
            return
        last = run.last
        while rows := self._index.rows(self._asked, run, _PAGE, last):
            yield rows
            last = rows[-1] - 1


class _Probe:
    """The rows at both ends of what answers: sessions that were read first, the newest, and those that grew since."""

    def __init__(self, rows: dict[int, list[int]], known: Sequence[tuple[int, int]]) -> None:
        self._rows = rows
        self._known = known
        """By shard: all rows up to the first, and from the second on, are known."""

    def rows_of(self, run: _Stretch) -> list[int] | None:
        """All rows of a run that answer; None where they must be asked for."""
        upto, down_to = self._known[run.shard]
        return self._rows.get(run.n, []) if run.last <= upto or run.first >= max(down_to, 1) > 1 else None


def _stretch(row: Sequence[Any]) -> _Stretch:
    return _Stretch(row[3], _key(row), row[4], row[5], row[6], bool(row[7]), bool(row[9]))


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
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("BEGIN IMMEDIATE")
        if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            for statement in _TABLES.split(";\n"):
                connection.execute(statement)
            connection.execute("INSERT INTO own VALUES ('form', ?)", (_FORM,))
        connection.execute("COMMIT")
        row = connection.execute("SELECT value FROM own WHERE name = 'form'").fetchone()
    except sqlite3.OperationalError as fault:
        connection.close()
        if "no such table" in str(fault):
            raise sqlite3.DatabaseError("of another form") from fault
        raise
    except BaseException:
        connection.close()
        raise
    if row is None or row[0] != _FORM:
        connection.close()
        raise sqlite3.DatabaseError("of another form")
    return connection


def _throw_all_away(directory: Path) -> None:
    throw_away(directory / FILE)
    for number in range(COUNT):
        throw_away(shard_path(directory, number))
