"""Search every session's words: candidates from the index, their texts fresh from the transcripts, masked, ranked.

Decides what an answer is made of: sessions in the order of their best hit, hits of one session together. A candidate
counts only when its masked text holds the query, so that nobody finds a secret by searching for it. Where a word stands
nearly everywhere, the newest sessions answer.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from refloat.brief.hits import MASK
from refloat.brief.masks import Masker, mask_tree
from refloat.errors import UsageError
from refloat.model.light import light, replace
from refloat.model.search import Asked, Found, Hit
from refloat.model.session import Session
from refloat.model.stamp import Stamp, read_stamp, seconds_of
from refloat.model.transcript import Item
from refloat.patterns import late
from refloat.search.answers import Answers, Candidate, FirstFound
from refloat.search.digest import Doc
from refloat.search.excerpt import Pieces, excerpt
from refloat.search.index import Index, Key, throw_broken_away
from refloat.search.query import Query, Span, Words, parse
from refloat.search.titles import Titles
from refloat.search.words import composed, is_dense, split
from refloat.usecases.named import Demand, did
from refloat.usecases.search_rows import Load, Remembered, Row, fitting, newest_first, session_of
from refloat.usecases.searchable import masked, near_path, read_items, searchable, shortened
from refloat.usecases.workbench import Workbench

if TYPE_CHECKING:
    from refloat.catalogue.store import Catalogue

Stop = Callable[[], bool]
_Name = tuple[str, str, tuple[str, ...] | bytes]
"""Of a row: its agent, its id and its files."""
_Shown = tuple[str, Sequence[tuple[int, int]]]

_POOL: Final = 40
_TITLES: Final = 40
"""Hits and titles that are ranked, however few of them are wanted: what is best must not depend on that."""
_EACH: Final = 5
"""Hits of one session that come before the other ones of any: the first screen is for several sessions."""
_READS: Final = 2000
"""Candidates that are read in all, besides one for each hit: phrases of common words are met rarely."""
_WEIGHTS: Final = {"title": 2.5, "prompt": 2.0, "reply": 1.5, "step": 1.0, "marker": 0.8, "thinking": 0.7}
_K1, _B, _AVERAGE = 1.2, 0.6, 120
"""Of BM25: saturation, influence of length, and the usual length in words."""
_DAY: Final = 86_400
_HALF_LIFE: Final = 30
"""Days."""
_TOLD: Final = 60
"""Characters of a query that an error repeats."""
_SECRET: Final = 4
"""Letters and digits that a word of a secret has at least."""
_RUN: Final = late(r"\S+")


def search_sessions(
    bench: Workbench,
    index: Index | None,
    rows: Iterable[Row],
    asked: Asked,
    *,
    load: Load = session_of,
    first: FirstFound | None = None,
    catalogue: "Catalogue | None" = None,
    stop: Stop = lambda: False,
) -> Found:
    """Search some sessions, the newest first (`newest_first`), and load those that may be shown; of a word that stands
    everywhere the others are never asked for. `first`: what `find_first` found of the words already. `catalogue`
    knows who edited what, if it is at hand. `complete` and `unread` are for the caller to say: it knows what is read.

    Raises:
        UsageError: there is nothing to look for.
    """
    query = parse(asked.words)
    if not query.terms and asked.file is asked.command is None:
        why = "only leaves words out" if query.without else "has no letter, digit or emoji"
        raise UsageError(f"the search {_told(asked.words)} {why}; name at least one word to look for")
    for text in (asked.file, asked.command):
        if text is not None and not split(text):
            raise UsageError(f"{_told(text)} has no letter, digit or emoji: nothing is called so")
    search = _Search(bench, index, query, asked, load, stop, first if query.terms else None, catalogue)
    read = search.read(Remembered(fitting(rows, asked)))
    hits = (hit for each in read if (hit := search.hit(each)) is not None)
    shown = tuple(_grouped([*islice(hits, asked.limit)]))
    return Found(asked.words, shown, complete=False, more=len(read) > asked.limit or search.more)


def search_known(bench: Workbench, sessions: Sequence[Session], asked: Asked, stop: Stop) -> Found:
    """Search sessions that are known, as far as they are searchable. Reads nothing new.

    Raises:
        UsageError: there is nothing to look for.
    """
    shown = [session for session in sessions if session.superseded_by is None]
    throw_broken_away(bench.machine.places.cache, in_use=True)
    index = Index.open(bench.machine.places.cache)
    if index is None:
        return replace(search_sessions(bench, None, newest_first(shown), asked, stop=stop), unread=len(shown))
    with index:
        found = search_sessions(bench, index, newest_first(shown), asked, stop=stop)
        sound = index.is_sound()
        covered = {key[:2] for key in index.covered()}
    unread = sum((session.agent, session.session_id) not in covered for session in shown)
    return replace(found, complete=sound and not unread, unread=unread)


def _told(words: str) -> str:
    """What was typed, as much of it as makes it known again."""
    return repr(words if len(words) <= _TOLD else words[:_TOLD] + "…")


def _grouped(hits: Sequence[Hit]) -> Iterator[Hit]:
    """Hits of one session together, where its best one stands; the best first within it."""
    seen: dict[str, list[Hit]] = {}
    for hit in hits:
        seen.setdefault(hit.session.name, []).append(hit)
    for group in seen.values():
        yield from group


@light
class _Read:
    """An item that holds the query, a title that is like it, or a file that a sub-agent edited."""

    row: Row
    candidate: Candidate | None
    """None for a title, or what a sub-agent did."""
    secrets: bool
    """Something of the session was taken out as a secret."""
    kind: str
    at: Stamp | None
    shown: Callable[[], _Shown | None]
    """A text, and the stretches of it that are what was sought; None where it is not there any more when all that is
    secret is masked. Asked of what is shown alone: it takes as long as all the rest.
    """
    score: float

    @property
    def item(self) -> int | None:
        """Its number."""
        return None if self.candidate is None else self.candidate.doc.item


class _Search:
    """One search under way."""

    def __init__(
        self,
        bench: Workbench,
        index: Index | None,
        query: Query,
        asked: Asked,
        load: Load,
        stop: Stop,
        first: FirstFound | None,
        catalogue: "Catalogue | None",
    ) -> None:
        self._bench = bench
        self._index = index
        self._words = bool(query.terms)
        self._asked = asked
        self._load = load
        self._stop = stop
        self._today = _day_of(bench.machine.clock.now())
        """The day from which ages count: that of the newest session, or this one where a clock was ahead."""
        self._demands = [
            Demand(text, is_file=is_file, limit=asked.limit, catalogue=catalogue)
            for text, is_file in ((asked.file, True), (asked.command, False))
            if text
        ]
        self._query = query if self._words else self._demands[0].query
        self._titled = Titles(query) if self._words and not (self._demands or asked.since or asked.until) else None
        self._loaded: dict[_Name, Session | None] = {}
        self._reads = 0
        self._answered: set[_Name] = set()
        """Rows that hold it in an item."""
        self._deeper: list[Iterator[_Read]] = []
        """Of each of them what is older than its first hits."""
        self._first = first
        self.more = False

    def read(self, rows: Iterable[Row]) -> list[_Read]:
        """The best of a fixed number first, then others, the newest session first: one more than is wanted, if any."""
        newest = read_stamp(next((row.last_activity for row in rows), None))
        self._today = self._today if newest is None else min(self._today, _day_of(newest))
        items = chain(chain.from_iterable(self._firsts(rows)), chain.from_iterable(self._deeper))
        titles = self._titles(rows)
        found = list(islice(items, _POOL))
        found += islice(titles, _TITLES)
        if self._words:  # of a file or a command all hits are alike: the newest session first, in it the newest step
            found = _ranked(found)
        found += islice(chain(items, titles), max(0, self._asked.limit + 1 - len(found)))
        self.more = self.more or any(demand.gave_up for demand in self._demands)
        return found

    # ── items ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _candidates(self, rows: Iterable[Row]) -> Iterator[tuple[Row, Iterator[Candidate], bool]]:
        if self._index is None:
            return
        answers = Answers(self._index, self._query, self._first)
        beside = [(demand, Answers(self._index, demand.query)) for demand in self._demands]
        wanted = [answers.sessions()] if self._words else []
        wanted += [demand.and_editors(found.sessions(late=True)) for demand, found in beside]
        known = [each for each in wanted if each is not None]
        for row in self._likely_first(row for row in rows if all(row[:2] in each for each in known)):
            for key in _keys(self._index, row):
                if all(
                    demand.is_met(row[:2], found.of(key), _below(row), partial(self._items, row))
                    for demand, found in beside
                ):
                    docs = answers.of(key)
                    yield row, docs if self._words else self._demands[0].among(docs), answers.had_secrets(key)

    def _firsts(self, rows: Iterable[Row]) -> Iterator[list[_Read]]:
        """Of one session after the other its newest hits, the best first."""
        for row, docs, secrets in self._candidates(rows):
            reads = self._reads_of(row, docs, secrets=secrets)
            if found := list(islice(reads, _EACH)):
                self._answered.add(row[:3])
                self._deeper.append(reads)
                yield self._lifted(found) if self._words else found
            if self._is_enough():
                self.more = True
                return
            if not found and (edit := self._edit_beside(row)) is not None:
                yield [edit]

    def _reads_of(self, row: Row, docs: Iterator[Candidate], *, secrets: bool) -> Iterator[_Read]:
        """What of a session holds the query, the newest first."""
        for candidate in docs:
            session = self._session(row)
            if session is None or self._is_enough():
                self.more = self.more or session is not None
                return
            read = self._read(row, _below(session), candidate, secrets=secrets)
            if read is not None and self._is_of_time(read.at):
                yield read

    def _edit_beside(self, row: Row) -> _Read | None:
        """That a session, or a sub-agent of it, edited what is asked for, where no item of its own tells it. When that
        was is not known.
        """
        path = None if self._words or self._asked.since or self._asked.until else self._demands[0].edited_by(row[:2])
        session = None if path is None else self._session(row)
        if path is None or session is None:
            return None
        who = "a sub-agent edited" if session.subagents else "edited"
        text = composed(mask_tree(f"{who} {self._near(_below(session))(path)}", Masker()))
        words = Words(text)
        rows = self._query.find_in(words) or ()
        at = session.last_activity_at
        score = self._score("step", len(rows), len(words.values), at)
        return _Read(row, None, False, "step", at, partial(_placed, text, words, rows), score)

    def _lifted(self, found: list[_Read]) -> list[_Read]:
        """Hits of a session, the best first; that one stands as high as the title of the session would."""
        found.sort(key=lambda read: (-read.score, read.item or 0))
        best = found[0]
        title = self._title_of(best.row)
        if title is not None and title.score > best.score:
            found[0] = replace(best, score=title.score)
        return found

    def _is_enough(self) -> bool:
        return self._stop() or self._reads > _READS + self._asked.limit

    def _is_of_time(self, at: Stamp | None) -> bool:
        since, until = self._asked.since, self._asked.until
        return (since is None or (at or "") >= since) and (until is None or (at is not None and at <= until))

    def _likely_first(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Sessions that began after all that is asked for come last: of such a one, only a clock that was set back or
        rows of another session tell of an earlier time.
        """
        until = self._asked.until
        later: list[Row] = []
        for row in rows:
            session = None if until is None else self._session(row)
            if until is not None and session is not None and (session.started_at or until) > until:
                later.append(row)
            else:
                yield row
        yield from later

    def _session(self, row: Row) -> Session | None:
        if row[:3] not in self._loaded:
            self._loaded[row[:3]] = self._load(row)
        return self._loaded[row[:3]]

    def _items(self, row: Row, doc: Doc) -> Sequence[Item]:
        self._reads += 1
        whole = not self._words  # what a step did is shown then, its changed lines too
        return read_items(self._bench.reader(row.agent), row.agent, row.session_id, doc, whole=whole)

    def _read(self, row: Row, below: str | None, candidate: Candidate, *, secrets: bool) -> _Read | None:
        """The item of a candidate, where it really holds the query."""
        for item in self._items(row, candidate.doc):
            texts = searchable(item, below)
            words = Words(composed("\n".join(texts)))
            rows = self._query.find_in(words)
            if not self._words and not self._demands[0].holds(item, below):
                continue
            if rows is not None or not self._words:
                shown = (
                    partial(self._masked, item, texts, below)
                    if self._words
                    else partial(self._did, item, below, secrets)
                )
                score = self._score(item.type, len(rows or ()), len(words.values), item.at)
                return _Read(row, candidate, secrets, item.type, item.at, shown, score)
        return None

    def _masked(self, item: Item, texts: Sequence[str], below: str | None) -> _Shown | None:
        """An item with each of its paths once and short, as long as that holds what was sought; as it is masked."""
        texts = masked(item, texts)
        for told in (shortened(item, texts, self._near(below)), texts):
            text = composed("\n".join(told))
            words = Words(text)
            if (rows := self._query.find_in(words)) is not None:
                return text, words.places(rows)
        return None

    def _did(self, item: Item, below: str | None, secrets: bool) -> _Shown:
        """What a step did, as it is masked."""
        text = composed("\n".join(masked(item, did(item, self._near(below), changes=not secrets))))
        words = Words(text)
        return _placed(text, words, self._query.find_in(words) or ())

    def _near(self, below: str | None) -> Callable[[str], str]:
        """How paths of a session that works in `below` are shown."""
        return partial(near_path, below=below, home=str(self._bench.machine.places.home))

    def hit(self, read: _Read) -> Hit | None:
        """What is shown of it; None where its session cannot be told any more, or only a secret was found. A word that
        the index does not hold of an item was taken out as a secret there, known as one by another item of its session:
        it is not shown either.
        """
        session, shown = self._session(read.row), read.shown()
        if session is None or shown is None:
            return None
        pieces = excerpt(*shown)
        line = None
        if read.candidate is not None:
            line = read.candidate.doc.places[0].line
        if read.secrets and read.candidate is not None and self._index is not None:
            words = {word for text, _ in pieces for word in split(text) if len(word) >= _SECRET and not is_dense(word)}
            pieces = _covered(pieces, self._index.unknown_words(read.candidate.rows, words))
        return Hit(session, read.item, read.kind, line, read.at, pieces, read.score)

    def _score(self, kind: str, count: int, length: int, at: Stamp | None) -> float:
        """BM25 without the rarity of words, which all candidates share, times what kind of text it is and how new: in
        days, and not from now on, or two equal searches would differ by the second in which they ask.
        """
        frequency = max(1, count) / max(1, len(self._query.terms))
        match = frequency * (_K1 + 1) / (frequency + _K1 * (1 - _B + _B * length / _AVERAGE))
        age = max(0, self._today - _day_of(at)) if at else 12 * _HALF_LIFE
        return round(match * _WEIGHTS[kind] * (0.5 + 0.5 * math.exp2(-age / _HALF_LIFE)), 4)

    # ── titles ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _titles(self, rows: Iterable[Row]) -> Iterator[_Read]:
        """Sessions whose title is like what was typed, and none of whose items answered so far."""
        if self._titled is None:
            return
        every: list[Row] = []
        for at in self._titled.among(_titles_of((row for row in rows if row[:3] not in self._answered), every)):
            if self._stop():
                self.more = True
                return
            read = self._title_of(every[at])
            if read is not None and every[at][:3] not in self._answered:
                yield read

    def _title_of(self, row: Row) -> _Read | None:
        session = None if self._titled is None else self._session(row)
        if self._titled is None or session is None:
            return None
        text = composed(session.title)
        words = Words(text)
        rows = self._titled.find_in(words)
        if rows and row.session is not None:  # what the catalogue keeps of others is masked
            text = composed(mask_tree(session.title, Masker()))
            words = Words(text)
            rows = self._titled.find_in(words)
        if not rows:
            return None
        at = session.last_activity_at
        score = self._score("title", len(rows), len(words.values), at)
        return _Read(row, None, False, "title", at, partial(_placed, text, words, rows), score)


def _ranked(found: list[_Read]) -> list[_Read]:
    """The best first, of equal ones the newest; of each session some before the others of any."""
    found.sort(key=lambda read: (read.row[:2], read.item or 0))
    found.sort(key=lambda read: read.at or "", reverse=True)
    found.sort(key=lambda read: read.score, reverse=True)
    seen = Counter[tuple[str, str]]()
    layers: tuple[list[_Read], list[_Read]] = ([], [])
    for read in found:
        layers[seen[read.row[:2]] >= _EACH].append(read)
        seen[read.row[:2]] += 1
    return layers[0] + layers[1]


def _placed(text: str, words: Words, rows: Collection[Span]) -> _Shown:
    return text, words.places(rows)


def _day_of(at: Stamp) -> int:
    return int(seconds_of(at) // _DAY)


def _titles_of(rows: Iterable[Row], seen: list[Row]) -> Iterator[str]:
    for row in rows:
        seen.append(row)
        yield row.title


def _keys(index: Index, row: Row) -> Iterable[Key]:
    """What the index knows of a session."""
    paths = row.paths
    return dict.fromkeys(run.key for run in index.runs_of(row.agent, row.session_id) if run.key[2] in paths)


def _covered(pieces: Pieces, secret: Collection[str]) -> Pieces:
    """An excerpt without some words, and without what is written together with them."""
    if not secret:
        return pieces
    return tuple((_RUN.sub(lambda run: _cover(run.group(), secret), text), sought) for text, sought in pieces)


def _cover(run: str, secret: Collection[str]) -> str:
    return f"{MASK}secret]" if MASK not in run and any(word in secret for word in split(run)) else run


def _below(session: Session | Row) -> str | None:
    return session.worktree or session.workspace
