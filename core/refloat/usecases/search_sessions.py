"""Search every session's words: candidates from the index, their texts fresh from the transcripts, masked, ranked.

Decides what an answer is made of: sessions in the order of their best hit, hits of one session together. A candidate
counts only when its masked text holds the query, so that nobody finds a secret by searching for it. Where a word stands
nearly everywhere, the newest sessions answer.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from refloat.brief.masks import Masker, mask_tree
from refloat.errors import UsageError
from refloat.model.light import light
from refloat.model.search import Asked, Found, Hit
from refloat.model.session import Session
from refloat.model.stamp import Stamp, seconds_of
from refloat.model.transcript import Item
from refloat.search.digest import KINDS, Doc
from refloat.search.excerpt import excerpt
from refloat.search.index import Index, Key
from refloat.search.query import Query, parse
from refloat.search.titles import find_in_title
from refloat.search.words import composed, find_words
from refloat.usecases.searchable import read_items, searchable, whole_path
from refloat.usecases.sessions import Surroundings, newest_first
from refloat.usecases.workbench import Workbench

Stop = Callable[[], bool]

_POOL: Final = 2
"""Hits that are gathered for each one that is wanted, so that the best can come first."""
_EACH: Final = 5
_SESSIONS: Final = 4
"""Hits of one session: so many, or this part of all that are wanted. The first screen is for several sessions."""
_LOOKED: Final = 2
"""Items of one session that are judged for each hit of it, newest first."""
_READS: Final = 2000
"""Candidates that are read in all, besides one for each hit: phrases of common words are met rarely."""
_WEIGHTS: Final = {"title": 2.5, "prompt": 2.0, "reply": 1.5, "step": 1.0, "marker": 0.8, "thinking": 0.7}
_K1, _B, _AVERAGE = 1.2, 0.6, 120
"""Of BM25: saturation, influence of length, and the usual length in words."""
_HALF_LIFE: Final = 30 * 86_400
_STEP: Final = sum(1 << KINDS.index(kind) for kind in ("command", "path", "output"))


def search_sessions(
    bench: Workbench,
    index: Index | None,
    sessions: Iterable[Session],
    asked: Asked,
    *,
    stop: Stop = lambda: False,
) -> Found:
    """Search some sessions. `complete` and `unread` are for the caller to say: it knows what is read.

    Raises:
        UsageError: there is nothing to look for.
    """
    query = parse(asked.words)
    if not query.terms and not (asked.file or asked.command):
        why = "only leaves words out" if query.without else "has no letter or digit"
        raise UsageError(f"the search {asked.words!r} {why}; name at least one word to look for")
    surroundings = Surroundings()
    scope = newest_first([session for session in sessions if _fits(session, asked, surroundings)])
    search = _Search(bench, index, query, asked, stop)
    hits = search.hits(scope)
    shown = hits[: asked.limit]
    return Found(asked.words, tuple(_grouped(shown)), complete=False, more=len(hits) > len(shown) or search.more)


def _fits(session: Session, asked: Asked, surroundings: Surroundings) -> bool:
    return (
        session.superseded_by is None
        and (asked.agent is None or session.agent == asked.agent)
        and (asked.state is None or session.state is asked.state)
        and (asked.since is None or (session.last_activity_at or "") >= asked.since)
        and (asked.until is None or (session.started_at or "") <= asked.until)
        and (
            asked.workspace is None or surroundings.holds(Path(asked.workspace), (session.workspace, session.worktree))
        )
    )


def _grouped(hits: Sequence[Hit]) -> Iterator[Hit]:
    """Hits of one session together, where its best one stands; the best first within it."""
    seen: dict[str, list[Hit]] = {}
    for hit in hits:
        seen.setdefault(hit.session.name, []).append(hit)
    for group in seen.values():
        yield from group


@light
class _Read:
    """An item that holds the query."""

    item: Item
    text: str
    spans: list[tuple[int, int]]
    line: int | None


class _Search:
    """One search under way."""

    def __init__(self, bench: Workbench, index: Index | None, query: Query, asked: Asked, stop: Stop) -> None:
        self._bench = bench
        self._index = index
        self._words = bool(query.terms)
        self._asked = asked
        self._stop = stop
        self._now = seconds_of(bench.machine.clock.now())
        self._beside = [
            (parse(f'"{text}"'), files) for text, files in ((asked.file, True), (asked.command, False)) if text
        ]
        self._query = query if self._words else self._beside[0][0]
        self._each = max(_EACH, asked.limit // _SESSIONS)
        self._reads = 0
        self.more = False

    def hits(self, sessions: Sequence[Session]) -> list[Hit]:
        """The best first."""
        found: list[Hit] = []
        answered: set[str] = set()
        for session, docs in self._candidates(sessions):
            if len(found) >= self._asked.limit * _POOL or self._is_enough():
                self.more = True
                break
            mine = self._hits_of(session, docs)
            if mine:
                answered.add(session.name)
                found += mine
        found += self._titles(session for session in sessions if session.name not in answered)
        return sorted(found, key=lambda hit: (-hit.score, hit.session.name, hit.item or 0))

    # ── items ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _candidates(self, sessions: Sequence[Session]) -> Iterator[tuple[Session, Iterator[Doc]]]:
        if self._index is None:
            return
        scope = _keys(self._index, sessions)
        beside = [(self._index.search(query), query, files) for query, files in self._beside]
        answers = self._index.search(self._query)
        for key, session in scope.items():
            if all(found.holds(key) and self._holds(session, found.of(key), *rest) for found, *rest in beside):
                yield session, answers.of(key)

    def _holds(self, session: Session, docs: Iterator[Doc], query: Query, files: bool) -> bool:
        """Whether a step of the session names such a file, or runs such a command."""
        return any(
            _step_holds(item, query, _below(session), files=files)
            for doc in docs
            if doc.kinds & _STEP
            for item in self._items(session, doc)
        )

    def _hits_of(self, session: Session, docs: Iterator[Doc]) -> list[Hit]:
        hits: list[Hit] = []
        for doc in docs:
            if len(hits) >= self._each * _LOOKED or self._is_enough():
                self.more = True
                break
            read = self._read(session, doc)
            if read is not None and self._is_of_time(read.item.at):
                hits.append(self._hit(session, doc, read))
        hits.sort(key=lambda hit: (-hit.score, hit.item or 0))
        self.more = self.more or len(hits) > self._each
        return hits[: self._each]

    def _is_enough(self) -> bool:
        return self._stop() or self._reads > _READS + self._asked.limit

    def _is_of_time(self, at: Stamp | None) -> bool:
        since, until = self._asked.since, self._asked.until
        return (since is None or (at or "") >= since) and (until is None or (at is not None and at <= until))

    def _items(self, session: Session, doc: Doc) -> Sequence[Item]:
        self._reads += 1
        return read_items(self._bench.reader(session.agent), session.agent, session.session_id, doc)

    def _read(self, session: Session, doc: Doc) -> _Read | None:
        """The item of a candidate, masked, where it really holds the query."""
        below = _below(session)
        line = doc.places[0].line if doc.places else None
        for item in self._items(session, doc):
            text = composed("\n".join(_masked(item, below)))
            spans = self._query.find(text)
            if not self._words:
                query, files = self._beside[0]
                spans = (spans or []) if _step_holds(item, query, below, files=files) else None
            if spans is not None:
                return _Read(item, text, spans, line)
        return None

    def _hit(self, session: Session, doc: Doc, read: _Read) -> Hit:
        item = read.item
        score = self._score(item.type, len(read.spans), len(find_words(read.text)), item.at)
        n = doc.item
        return Hit(session, n, item.type, read.line, item.at, excerpt(read.text, read.spans), score)

    def _score(self, kind: str, count: int, length: int, at: Stamp | None) -> float:
        """BM25 without the rarity of words, which all candidates share, times what kind of text it is and how new."""
        frequency = max(1, count) / max(1, len(self._query.terms))
        match = frequency * (_K1 + 1) / (frequency + _K1 * (1 - _B + _B * length / _AVERAGE))
        age = max(0.0, self._now - seconds_of(at)) if at else 12 * _HALF_LIFE
        return round(match * _WEIGHTS[kind] * (0.5 + 0.5 * math.exp2(-age / _HALF_LIFE)), 4)

    # ── titles ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _titles(self, sessions: Iterable[Session]) -> Iterator[Hit]:
        """Sessions whose title is like what was typed."""
        if not self._words or self._beside or self._asked.since or self._asked.until:
            return
        cache: dict[str, dict[str, bool]] = {}
        for session in sessions:
            title = composed(session.title)
            if self._stop() or find_in_title(self._query, title, cache) is None:
                continue
            masked = composed(mask_tree(session.title, Masker()))
            spans = find_in_title(self._query, masked, cache)
            if spans:
                at = session.last_activity_at
                score = self._score("title", len(spans), len(find_words(masked)), at)
                yield Hit(session, None, "title", None, at, excerpt(masked, spans), score)


def _keys(index: Index, sessions: Sequence[Session]) -> dict[Key, Session]:
    """What the index knows of the sessions, in their order."""
    known: dict[tuple[str, str], list[Key]] = {}
    for key in index.covered():
        known.setdefault(key[:2], []).append(key)
    return {
        key: session
        for session in sessions
        for key in known.get((session.agent, session.session_id), ())
        if key[2] in session.transcript.paths
    }


def _below(session: Session) -> str | None:
    return session.worktree or session.workspace


def _step_holds(item: Item, query: Query, below: str | None, *, files: bool) -> bool:
    if item.step is None:
        return False
    step = item.step
    if not files:
        return query.find(composed(step.command or "")) is not None
    paths = (*step.files, *(edit.path for edit in step.edits))
    return any(query.find(composed(whole_path(path, below))) is not None for path in paths)


def _masked(item: Item, below: str | None) -> list[str]:
    """The searched texts of an item, without any secret of it."""
    masker = Masker()
    texts = searchable(item, below)
    masker.learn([*texts, *_whole(item)])
    return masker.lines(texts)


def _whole(item: Item) -> tuple[str, ...]:
    if item.step is not None:
        return (item.step.input, item.step.output)
    return (item.text or "",)
