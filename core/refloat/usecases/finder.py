"""Finds sessions again and again, remembering what it read: the desk keeps one, a command uses one once.

Decides what a look consists of and in which order: what is known first, then newest files first, then what only the
whole can tell (copies, records that are gone). Everything works without a catalogue, only slower.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from refloat.catalogue.pack import Packed
from refloat.catalogue.rows import Key, Stat
from refloat.catalogue.store import Catalogue
from refloat.model.attempts import Attempt, InChain, chains_of
from refloat.model.light import field, slotted
from refloat.model.problem import Problem
from refloat.model.session import RecordGone, Session, SessionName, place_here
from refloat.readers.contract import Found, Reader
from refloat.uncollected import Uncollected
from refloat.usecases.alone import find_alone
from refloat.usecases.batch import Batch, Listing, Scope
from refloat.usecases.copies import Copies
from refloat.usecases.grown import find_grown
from refloat.usecases.located import Located
from refloat.usecases.narrow import Seen, tell_again
from refloat.usecases.read_many import read_each, size_of
from refloat.usecases.reading import Placed
from refloat.usecases.recall import Recall, Searched, found_again, housemates, index_of, key_of
from refloat.usecases.sessions import Surroundings, make_session, names_here, newest_first, unreadable
from refloat.usecases.sighting import Sighting, newest_of, sight
from refloat.usecases.watching import Watched
from refloat.usecases.workbench import Workbench

if TYPE_CHECKING:
    from refloat.usecases.by_ends import Write
    from refloat.usecases.judging import Judge

Stop = Callable[[], bool]
"""Asked between two sessions; True ends the reading early."""

BY_ENDS: Final = 32 * 1024 * 1024
"""Unread bytes from which sessions are first told by the ends of their files."""
_BATCH_BYTES: Final = 8 * 1024 * 1024
_BATCH: Final = 50
"""A batch of newly read sessions is handed out after so many, or after so many bytes."""


class Finder:
    """Finds sessions again and again: what was read once is remembered. Use it from one thread at a time."""

    def __init__(
        self,
        bench: Workbench,
        *,
        whole: Placed | None = None,
        searched: Searched | None = None,
        before: Callable[[int], object] = lambda _: None,
        write: "Write | None" = None,
    ) -> None:
        """`whole`: the one session that is located will be wanted whole; it is told where that one works, early. With
        `searched` texts are kept for searching too, and what is not there yet is read again. `before` hears of how
        many sessions the ends of files will be read, maybe in two processes; `write` is called, in either one, for
        sessions told by them.
        """
        self._bench = bench
        self._searched = searched
        self._whole = whole
        self._before, self._write = before, write
        self._recall = Recall()
        self._copies = Copies()
        self._identities: dict[str, tuple[Stat, str]] = {}
        self._sizes: dict[Key, int] = {}
        self._told: dict[SessionName, Session] = {}
        self._seen: Seen | None = None
        """What a look at what changed goes on from; None: there must be a whole one first."""

    @property
    def told(self) -> Collection[Session]:
        """Every session as it was told last."""
        return self._told.values()

    # ── all of them ──────────────────────────────────────────────────────────────────────────────────────────────────

    def find(self, scope: Scope) -> Listing:
        """Every session in scope, newest activity first, then by id. Where much is unread, it is told by its ends."""
        batch = Batch()
        with Uncollected():
            for batch in self._watch(scope.cwd, lambda: False, remembered=False):
                if batch.by_ends and self._recall.can_keep:
                    break  # where nothing can be kept, no later look knows more
        sessions = newest_first([session for session in batch.sessions if self._fits(session, scope, batch.here)])
        gone = batch.gone or ()
        if scope.cwd is not None:
            surroundings = Surroundings()
            gone = tuple(row for row in gone if surroundings.holds(scope.cwd, (row.workspace,)))
        if scope.agent is not None:
            gone = tuple(row for row in gone if row.agent == scope.agent)
        shown = tuple(sessions[: scope.limit])
        return Listing(shown, gone, batch.problems or (), batch.chains, batch.written)

    def _fits(self, session: Session, scope: Scope, here: frozenset[SessionName] | None) -> bool:
        return (
            (scope.all_copies or session.superseded_by is None)
            and (scope.agent is None or session.agent == scope.agent)
            and (scope.state is None or session.state is scope.state)
            and (scope.cwd is None or here is None or session.name in here)
            and (not scope.resumable or self._continues(session))
        )

    def _continues(self, session: Session) -> bool:
        from refloat.usecases.situations import would_continue

        return would_continue(self._bench.reader(session.agent), session)

    def watch(self, here: Path | None = None, stop: Stop = lambda: False) -> Iterator[Batch]:
        """One look, in batches: first what is known already, then what had to be read, newest files first.

        The last batch is `complete`, unless `stop()` ended the look early; what was read until then is kept.
        """
        return self._watch(here, stop, remembered=not self._told)

    def watch_changed(
        self, changed: Collection[str], here: Path | None = None, stop: Stop = lambda: False
    ) -> Iterator[Batch]:
        """One look at what some changed paths concern, at processes, registers and locks: in one `narrow` batch those
        sessions that are, or may be, told otherwise now. Where that cannot be told from the paths, a whole look.
        """
        seen, self._seen = self._seen, None
        batch = self._narrow(seen, changed, stop) if seen is not None and seen.asked == here else None
        if batch is None:
            yield from self.watch(here, stop)
        else:
            self._seen = seen
            yield batch

    def _narrow(self, seen: Seen, changed: Collection[str], stop: Stop) -> Batch | None:
        """None where everything must be looked at; what was read until then is kept."""
        watched = Watched(self._bench.readers, self._bench.machine.places)
        grown = find_grown(seen.sighting, seen.lone, self._identities, watched, changed)
        if grown is None:
            return None
        with _opened(Catalogue.open(self._bench.machine.places.cache)) as catalogue:
            keys = [key_of(found) for _, found in grown.found.values()]
            self._recall.open(catalogue, everything=False, index=index_of(self._searched, catalogue, keys))
            digests = self._searched.digests if self._searched is not None else None
            try:
                read = list(read_each(self._recall, list(grown.found.values()), stop, digests=digests))
            finally:
                self._recall.close()
            if len(read) < len(grown.found) or not all(seen.is_still_alone(*each) for each in read):
                return None
            self._note_identities(grown.identified, catalogue)
            grew = {key_of(found): self._grew(found) for found, _ in read}
            carriers = seen.carriers(self._copies, catalogue) if seen.take(grown, read) else None
            batch = tell_again(self._bench, seen, grew, carriers)
        if batch is None:
            return None
        self._sizes |= {key_of(found): size_of(found) for found, _ in read}
        self._told |= {session.name: session for session in batch.sessions}
        if not grown.holders:
            return batch
        gone, seen.gone_problems = self._find_gone(seen.sighting)
        return replace(batch, gone=tuple(gone), problems=seen.problems)

    def read_all(self, most: int | None = None) -> Iterator[Batch]:
        """The same, without a word about what is known already; only the newest of what is new, where it is more than
        `most` bytes: the last batch is not `complete` then.
        """
        return self._watch(None, lambda: False, remembered=False, by_ends=False, most=most)

    def _watch(
        self, here: Path | None, stop: Stop, *, remembered: bool, by_ends: bool = True, most: int | None = None
    ) -> Iterator[Batch]:
        self._seen = None
        with _opened(Catalogue.open(self._bench.machine.places.cache)) as catalogue:
            if catalogue is not None and remembered:
                yield self._remembered(catalogue, here)
            self._recall.open(catalogue, everything=True, index=index_of(self._searched, catalogue))
            try:
                yield from self._look(self._sight(catalogue), catalogue, here, stop, by_ends=by_ends, most=most)
            finally:
                self._recall.close()  # also when nobody wants the rest

    def _remembered(self, catalogue: Catalogue, here: Path | None) -> Batch:
        """What the last look told, before the disk is looked at."""
        from refloat.usecases.retold import recall_told

        shown = recall_told(catalogue, self._bench.machine.clock.now())
        self._told = {session.name: session for session in shown}
        return Batch(tuple(shown), here=names_here(here, shown, Surroundings()), provisional=True)

    def _look(
        self,
        sighting: Sighting,
        catalogue: Catalogue | None,
        here: Path | None,
        stop: Stop,
        *,
        by_ends: bool,
        most: int | None,
    ) -> Iterator[Batch]:
        from refloat.usecases.judging import Judge
        from refloat.usecases.linked import read_attempts

        look = _Look(sighting, catalogue, here, Judge(self._bench), Surroundings(), read_attempts(self._bench))
        unread = self._unread(sighting)
        if by_ends and self._is_much(unread):
            yield self._tell_by_ends(look, unread)
        else:
            self._note_identities(sighting.identified, catalogue)
        chosen = unread if most is None else list(self._first(unread, most))
        so_far = _SoFar(total=len(unread), size=sum(size_of(found) for _, found in unread))
        yield from self._read(look, chosen, so_far, stop, early=by_ends)  # else nobody listens before the end
        self._recall.flush()
        if so_far.done < len(chosen):  # stopped
            return
        left = sum(self._recall.recall(found) is None for _, found in unread)
        end = self._conclude(look) if len(chosen) == len(unread) else Batch()
        yield replace(so_far.noted(end), unread=left, kept=self._recall.can_keep)

    def _read(
        self, look: "_Look", chosen: Sequence[tuple[Reader, Found]], so_far: "_SoFar", stop: Stop, *, early: bool
    ) -> Iterator[Batch]:
        """Read them; with `early` they are told a few at a time, before the whole is known."""
        from refloat.usecases.linked import with_parents

        chains = chains_of(look.attempts)
        shown: list[Session] = []
        done_told = bytes_told = 0
        digests = self._searched.digests if self._searched is not None else None
        for so_far.done, (found, packed) in enumerate(read_each(self._recall, chosen, stop, digests=digests), 1):
            look.fresh[key_of(found)] = packed
            so_far.read += size_of(found)
            if early and not unreadable(packed):
                judged = look.judge.judge(found, packed, grew=self._grew(found))
                made = make_session(found, packed, judged, look.surroundings, self._carrier(found))
                shown += with_parents([made], chains)
            if so_far.done - done_told >= _BATCH or so_far.read - bytes_told >= _BATCH_BYTES:
                yield so_far.noted(Batch(tuple(shown), here=look.here_of(shown)))
                shown, done_told, bytes_told = [], so_far.done, so_far.read
        if shown and self._told:
            # What grew is told before all that only the whole can tell, which takes many times as long.
            yield so_far.noted(Batch(tuple(shown)))

    def _unread(self, sighting: Sighting) -> list[tuple[Reader, Found]]:
        """Sessions that must be read, or read on, newest files first."""
        unread = [pair for pair in sighting.found if self._recall.recall(pair[1]) is None]
        return sorted(unread, key=lambda pair: newest_of(pair[1]), reverse=True)

    def _first(self, unread: Sequence[tuple[Reader, Found]], most: int) -> Iterator[tuple[Reader, Found]]:
        """The first of them, as far as what is new in them comes to so many bytes together."""
        for reader, found in unread:
            most -= size_of(found) - self._recall.read_of(found)
            if most < 0:
                return
            yield reader, found

    def _is_much(self, unread: Sequence[tuple[Reader, Found]]) -> bool:
        return sum(1 for _ in self._first(unread, BY_ENDS - 1)) < len(unread)

    def _tell_by_ends(self, look: "_Look", unread: Sequence[tuple[Reader, Found]]) -> Batch:
        """Every session, the unread ones by the ends of their files. Keeps nothing."""
        from refloat.usecases.by_ends import ByEnds, Maker
        from refloat.usecases.linked import settled, with_parents

        maker = Maker(look.judge, look.surroundings, self._grew, self._carrier, self._write)
        self._before(len(unread))
        with ByEnds(maker, unread) as ends:
            self._note_identities(look.sighting.identified, look.catalogue)
            gone, more = self._find_gone(look.sighting)
            told = ends.result(look.sighting.found, self._recall.recall)
        chains = chains_of(settled(look.attempts, told.sessions))
        sessions = tuple(with_parents(told.sessions, chains))
        return Batch(
            sessions,
            gone=tuple(gone),
            problems=(*look.sighting.problems, *look.judge.problems, *told.problems, *more),
            here=look.here_of(sessions),
            provisional=True,
            by_ends=True,
            total=len(unread),
            chains=chains,
            written={name: text for name, text in told.written.items() if name not in chains},
        )

    def _conclude(self, look: "_Look") -> Batch:
        """What only the whole can tell; kept for the next time."""
        from refloat.usecases.linked import settled, with_parents

        known, unread = self._known(look)
        carriers = self._copies.find([(key, found, packed.summary) for key, found, packed in known], look.catalogue)
        judged = look.judge.judge_all([(found, packed, self._grew(found)) for _, found, packed in known])
        sessions = {
            key: make_session(found, packed, each, look.surroundings, carriers.get(key))
            for (key, found, packed), each in zip(known, judged, strict=True)
        }
        chains = chains_of(settled(look.attempts, tuple(sessions.values())))
        sessions = dict(zip(sessions, with_parents(sessions.values(), chains), strict=True))
        gone, more = self._find_gone(look.sighting)
        problems = [*look.sighting.problems, *look.judge.problems, *unread, *more]
        packed = {key: packed for key, _, packed in known}
        self._keep(look, sessions, packed, gone, chains, trusted=self._recall.kept_all and not problems)
        self._sizes = {key_of(found): size_of(found) for _, found in look.sighting.found}
        every = tuple(sessions.values())
        removed, here = self._tell(look, every), look.here_of(every)
        self._seen = Seen(
            sighting=look.sighting,
            known={key: (found, packed) for key, found, packed in known},
            sessions=sessions,
            chains=chains,
            attempts=look.attempts,
            judge=look.judge,
            asked=look.here,
            here=here,
            unread=unread,
            gone_problems=more,
        )
        return Batch(every, removed, tuple(gone), tuple(problems), here, complete=True, chains=chains)

    def _known(self, look: "_Look") -> tuple[Sequence[tuple[Key, Found, Packed]], Sequence[Problem]]:
        """All that could be read, and why the rest could not."""
        known: list[tuple[Key, Found, Packed]] = []
        unread: list[Problem] = []
        for _, found in look.sighting.found:
            # What cannot be kept, because a file may open later, was read in this look.
            packed = look.fresh.get(key_of(found)) or self._recall.recall(found)
            if packed is None:
                continue
            if told := unreadable(packed):
                unread += told
            else:
                known.append((key_of(found), found, packed))
        return known, unread

    def _keep(
        self,
        look: "_Look",
        sessions: Mapping[Key, Session],
        packed: Mapping[Key, Packed],
        gone: Sequence[RecordGone],
        chains: Mapping[SessionName, InChain],
        *,
        trusted: bool,
    ) -> None:
        """Keep what the whole told, and let go of what is proved to be gone."""
        from refloat.usecases.telling import keep_listing

        lost: Sequence[Key] = ()
        if look.catalogue is not None:
            lost = keep_listing(
                look.catalogue,
                look.sighting,
                sessions,
                gone,
                chains=chains,
                surroundings=look.surroundings,
                judge=look.judge,
                home=self._bench.machine.places.home,
                alone=lambda: find_alone(
                    look.sighting.found, packed, sessions, look.attempts, {*chains, *look.judge.claimed}
                ),
                trusted=trusted,
            )
        self._recall.forget(lost, {key_of(found) for _, found in look.sighting.found})

    def _tell(self, look: "_Look", sessions: Sequence[Session]) -> tuple[SessionName, ...]:
        """Remember what was told; those that were told before and are no longer there. What could not be read removes
        nothing.
        """
        before, self._told = self._told, {session.name: session for session in sessions}
        if look.sighting.problems:
            self._told = {**before, **self._told}
        return tuple(name for name in before if name not in self._told)

    def _carrier(self, found: Found) -> SessionName | None:
        known = self._told.get(SessionName(f"{found.agent}:{found.session_id}"))
        return known.superseded_by if known is not None else None

    def _grew(self, found: Found) -> bool:
        """Whether two looks of this Finder saw the transcript grow."""
        before = self._sizes.get(key_of(found))
        return before is not None and size_of(found) > before

    def sight(self) -> Sighting:
        """What lies on disk now, by names and heads alone."""
        with _opened(Catalogue.open(self._bench.machine.places.cache)) as catalogue:
            sighting = self._sight(catalogue)
            self._note_identities(sighting.identified, catalogue)
        return sighting

    def _sight(self, catalogue: Catalogue | None) -> Sighting:
        if catalogue is not None and not self._identities:
            self._identities.update(catalogue.identities())
        at = self._bench.machine.clock.now()
        sighting = sight(self._bench, lambda: self._identities)
        self._bench.memory.sighted = at, sighting
        return sighting

    def _note_identities(self, identified: Sequence[tuple[str, Stat, str]], catalogue: Catalogue | None) -> None:
        self._identities.update((path, (stat, identity)) for path, stat, identity in identified)
        if catalogue is not None and identified:
            catalogue.keep_identities(identified)

    def _find_gone(self, sighting: Sighting) -> tuple[Sequence[RecordGone], Sequence[Problem]]:
        places = self._bench.machine.places
        found: list[RecordGone] = []
        problems: list[Problem] = []
        for reader in self._bench.readers:
            known = sighting.ids.get(reader.agent, frozenset())
            for row in reader.find_gone(places.home, places.environment, known):
                if isinstance(row, Problem):
                    problems.append(row)
                elif row.session_id not in known:
                    found.append(row)
        return found, problems

    # ── one of them ──────────────────────────────────────────────────────────────────────────────────────────────────

    def locate(self, reader: Reader, found: Found) -> Located:
        """A session that was found, read and judged. Opens no other session's files."""
        inside = not found.by_path
        with _opened(Catalogue.open(self._bench.machine.places.cache) if inside else None) as catalogue:
            self._recall.open(catalogue, everything=False)
            packed, story = self._recall.recall(found), None
            if packed is not None:
                self._tell_place(packed)
            elif self._whole is not None:
                packed, story = self._recall.read_whole(reader, found, self._whole)
            else:
                packed = self._recall.read(reader, found)
            self._recall.flush()
            carrier = self._find_carrier(found, packed, catalogue) if inside else None

        def judge() -> Session:
            from refloat.usecases.judging import Judge

            cache = self._bench.machine.places.cache
            judged = Judge(self._bench).judge_among(found, packed, lambda: housemates(cache, found, packed.summary))
            return make_session(found, packed, judged, Surroundings(), carrier)

        return Located(found, reader, packed.summary, judge, story)

    def _tell_place(self, packed: Packed) -> None:
        place = place_here(packed.summary.worktree) or place_here(packed.summary.workspace)
        if self._whole is not None and place:
            self._whole(place)

    def _find_carrier(self, found: Found, packed: Packed, catalogue: Catalogue | None) -> SessionName | None:
        """Which session carries this one whole, as far as the catalogue knows its kin."""
        lineage = packed.summary.lineage
        if catalogue is None or not (lineage or packed.summary.continued_in):
            return None
        key = key_of(found)
        rows = [(key, found, packed.summary)]
        kin = [(reading.key, found_again(reading)) for reading in catalogue.kin(found.agent, lineage)]
        rows += [(its_key, *again) for its_key, again in kin if its_key != key and again is not None]
        return self._copies.find(rows, catalogue).get(key)


@slotted
class _Look:
    """One look under way."""

    sighting: Sighting
    catalogue: Catalogue | None
    here: Path | None
    judge: "Judge"
    surroundings: Surroundings
    attempts: Sequence[Attempt]
    fresh: dict[Key, Packed] = field(default_factory=dict[Key, Packed])
    """What was read in this look."""

    def here_of(self, sessions: Sequence[Session]) -> frozenset[SessionName] | None:
        return names_here(self.here, sessions, self.surroundings)


@slotted
class _SoFar:
    """How far a reading is."""

    total: int
    size: int
    """Bytes of all that is to be read."""
    done: int = 0
    read: int = 0

    def noted(self, batch: Batch) -> Batch:
        """A batch that says so."""
        return replace(batch, done=self.done, total=self.total, read=self.read, size=self.size)


def _opened(catalogue: Catalogue | None) -> AbstractContextManager[Catalogue | None]:
    return nullcontext() if catalogue is None else catalogue
