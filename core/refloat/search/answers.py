"""What of the index may hold a query, session by session.

Decides how little is looked at: sessions are asked for one at a time, newest first, and where a word stands everywhere
the rest is never touched; where it stands in few rows, only their sessions are. What candidates really hold is for
their transcripts to say.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from refloat.model.light import light
from refloat.search.digest import PIECE, Doc
from refloat.search.index import Index, Key, Stretch
from refloat.search.query import Query
from refloat.search.shards import COUNT, LAST, open_shard

_PROBE: Final = 2000
"""Rows of a shard that are asked for at once, from both ends: a query with no more of them is answered whole."""
_PAGE: Final = 64
_LATE: Final = 300
"""Runs that are looked at for items parted between two readings, in one search."""


@light
class Candidate:
    """An item that may hold a query."""

    doc: Doc
    rows: tuple[tuple[int, int], ...]
    """(shard, row) of all that is known of it."""


FirstFound = Mapping[int, tuple[str, list[int]]]
"""By shard: its mark, and the first rows that answer a query."""


def find_first(directory: Path, query: Query) -> FirstFound:
    """What `Answers` of this query asks first, to be found beside something else. Opens the shards for itself."""
    asked = query.index_query()
    found: dict[int, tuple[str, list[int]]] = {}
    for number in range(COUNT) if asked else ():
        shard = open_shard(directory, number)
        if shard is not None:
            rows = shard.rows(asked, _PROBE, newest=False)
            if not shard.failed:  # else it is asked again, by whoever tells what that means
                found[number] = shard.mark, rows
            shard.close()
    return found


class Answers:
    """What holds a query. Ask only for what is needed. The query has at least one term."""

    def __init__(self, index: Index, query: Query, first: FirstFound | None = None) -> None:
        """`first` is what `find_first` found of this query, where that was asked before."""
        self._index = index
        self._asked = query.index_query()
        self._any = query.index_query(" OR ")
        self._late_left = _LATE
        known = first or {}
        self._probes = [_Probe(index, self._asked, shard, known.get(shard)) for shard in range(COUNT)]

    def sessions(self, *, late: bool | None = None) -> Collection[tuple[str, str]] | None:
        """(agent, session id) of every session that may hold it; None where these are too many to tell. With `late`
        also of those that may only because an item is parted between two readings.
        """
        if not all(probe.is_whole for probe in self._probes):
            return None
        found = {run.key[:2] for probe in self._probes for run in probe.runs()}
        is_parted = self._any != self._asked if late is None else late
        return found | self._index.late() if is_parted else found

    def holds(self, key: Key) -> bool:
        """Whether anything of a session may hold it."""
        return any(run.late or next(self._pages(run), None) for run in self._index.runs(key))

    def had_secrets(self, key: Key) -> bool:
        """Whether anything of a session was taken out as a secret."""
        return any(run.cleaned for run in self._index.runs(key))

    def of(self, key: Key) -> Iterator[Candidate]:
        """What of a session may hold it, the newest first, each item once."""
        runs = self._index.runs(key)
        seen: set[int] = set()
        for run in reversed(runs):
            for rows in self._pages(run):
                for found in self._candidates(run, rows):
                    if found.doc.item not in seen:
                        seen.add(found.doc.item)
                        yield self._whole_item(runs, found) if found.doc.late else found
        for run in reversed(runs):
            if run.late and self._any != self._asked and self._late_left:
                self._late_left -= 1
                yield from self._split(runs, run, seen)

    def _split(self, runs: Sequence[Stretch], run: Stretch, seen: set[int]) -> Iterator[Candidate]:
        """Items that hold some of the words in a row of this run, and may hold the others in an earlier one."""
        rows = self._index.rows(self._any, run.shard, _PROBE, first=run.first, last=run.last, newest=True)
        for found in self._candidates(run, rows):
            if found.doc.late and found.doc.item not in seen:
                seen.add(found.doc.item)
                yield self._whole_item(runs, found)

    def _pages(self, run: Stretch) -> Iterator[list[int]]:
        if (rows := self._probes[run.shard].rows_of(run)) is not None:
            yield from [rows[::-1]] if rows else ()
            return
        last = run.last
        while rows := self._index.rows(self._asked, run.shard, _PAGE, first=run.first, last=last, newest=True):
            yield rows
            last = rows[-1] - 1

    def _candidates(self, run: Stretch, rows: Sequence[int]) -> Iterator[Candidate]:
        """What stands in some rows of a run; what cannot be told any more is left out."""
        pieces: dict[int, Sequence[Doc]] = {}
        for row in rows:
            piece, at = divmod(row - run.first, PIECE)
            if piece not in pieces:
                pieces[piece] = self._index.docs(run, piece)
            for doc in pieces[piece][at : at + 1]:
                yield Candidate(doc, ((run.shard, row),))

    def _whole_item(self, runs: Sequence[Stretch], late: Candidate) -> Candidate:
        """A row that goes on with an item that began in an earlier one, joined with it."""
        for run in reversed(runs):
            for piece in range((run.last - run.first) // PIECE, -1, -1):
                docs = self._index.docs(run, piece)
                for at in range(len(docs) - 1, -1, -1):
                    doc, row = docs[at], (run.shard, run.first + piece * PIECE + at)
                    if doc.item == late.doc.item and row not in late.rows:
                        places = tuple(dict.fromkeys((*doc.places, *late.doc.places)))
                        joined = Doc(doc.item, doc.kinds | late.doc.kinds, places, doc.late)
                        late = Candidate(joined, (row, *late.rows))
                        if not doc.late:
                            return late
        return late


class _Probe:
    """The rows at both ends of what answers in a shard: of sessions that were read first, the newest, and of those that
    grew since. The latter are asked for when they are needed: to order what a beginning of words answers costs as much
    as finding it.
    """

    def __init__(self, index: Index, asked: str, shard: int, first: tuple[str, list[int]] | None) -> None:
        self._index = index
        self._asked = asked
        self._shard = shard
        is_known = first is not None and first[0] == index.mark(shard)
        self._rows = first[1] if first is not None and is_known else index.rows(asked, shard, _PROBE, newest=False)
        self.is_whole = len(self._rows) < _PROBE
        """All rows are known."""
        self._upto = LAST if self.is_whole else self._rows[-1]
        self._last: list[int] | None = None
        self._down_to = 0

    def runs(self) -> Iterator[Stretch]:
        """The runs of the first rows."""
        last = 0
        for row in self._rows:
            if row > last and (run := self._index.run_at(self._shard, row)) is not None:
                last = run.last
                yield run

    def rows_of(self, run: Stretch) -> list[int] | None:
        """All rows of a run that answer; None where they must be asked for."""
        if run.last <= self._upto:
            return _between(self._rows, run)
        if self._last is None:
            rows = self._index.rows(self._asked, self._shard, _PROBE, first=self._upto + 1, newest=True)
            self._last = rows[::-1]
            self._down_to = rows[-1] if len(rows) == _PROBE else self._upto + 1
        if run.first >= self._down_to:
            return _between(self._last, run)
        if self._down_to == self._upto + 1:
            return [*_between(self._rows, run), *_between(self._last, run)]
        return None


def _between(rows: Sequence[int], run: Stretch) -> list[int]:
    return list(rows[bisect_left(rows, run.first) : bisect_right(rows, run.last)])
