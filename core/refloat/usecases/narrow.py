"""A look at what changed, on from a whole one: which sessions are told anew, and what is the same as before.

Decides that a session is judged anew when it was read, when another one carries it now, when its state may pass with
time, or, for all, when the processes, registers and locks are others. Refuses to go on (None) when the record of
attempts or the links between sessions changed: then everything is looked at. Keeps no listing: what the quick road
finds on disk does not fit the last whole look's fingerprint then, and so it looks for itself.
"""

import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from refloat.catalogue.pack import Packed
from refloat.catalogue.rows import Key
from refloat.catalogue.store import Catalogue
from refloat.model.attempts import Attempt, InChain, chains_of
from refloat.model.light import slotted
from refloat.model.problem import Problem
from refloat.model.session import Session, SessionName
from refloat.readers.contract import Found
from refloat.usecases.alone import lone_files, stays_alone
from refloat.usecases.batch import Batch
from refloat.usecases.copies import Copies
from refloat.usecases.grown import Grown
from refloat.usecases.recall import key_of
from refloat.usecases.sessions import Surroundings, make_session, names_here
from refloat.usecases.sighting import Sighting
from refloat.usecases.workbench import Workbench

if TYPE_CHECKING:
    from refloat.usecases.judging import Judge


@slotted
class Seen:
    """What the last whole look saw, and what narrow ones made of it since."""

    sighting: Sighting
    known: dict[Key, tuple[Found, Packed]]
    """All that could be read."""
    sessions: dict[Key, Session]
    chains: Mapping[SessionName, InChain]
    attempts: Sequence[Attempt]
    judge: "Judge"
    asked: Path | None
    here: frozenset[SessionName] | None
    unread: Sequence[Problem]
    gone_problems: Sequence[Problem]
    _names: frozenset[str] | None = None
    _lone: Mapping[str, int] | None = None
    _families: Mapping[tuple[str, str], int] | None = None
    _passing: set[Key] | None = None
    """Sessions whose state might pass with time in the last look: of others that stays as it is."""
    _passing_at: str = ""
    """From when on activity counted as recent then."""

    @property
    def names(self) -> frozenset[str]:
        """Of all transcripts, without their directories."""
        if self._names is None:
            files = (file.path for _, found in self.sighting.found for file in found.files)
            self._names = frozenset(map(os.path.basename, files))
        return self._names

    @property
    def lone(self) -> Mapping[str, int]:
        """Files whose growth concerns one session alone, with its place in the sighting."""
        if self._lone is None:
            self._lone = lone_files(self.sighting.found)
        return self._lone

    @property
    def problems(self) -> tuple[Problem, ...]:
        """All that are known, in the order of a whole look."""
        return (*self.sighting.problems, *self.judge.problems, *self.unread, *self.gone_problems)

    def is_still_alone(self, found: Found, packed: Packed) -> bool:
        """Whether a session that was read is one that begins like no other, as before, and could be read."""
        before = self.known.get(key_of(found))
        if before is None:
            return False
        if self._families is None:
            self._families = Counter((each.agent, known.summary.lineage) for each, known in self.known.values())
        return stays_alone(before[1], packed, self._families[found.agent, before[1].summary.lineage])

    def passing(self) -> Collection[Key]:
        """Sessions whose state may have passed with time since the last look, told from those of the one before it:
        the later a look, the fewer.
        """
        from refloat.usecases.judging import may_pass

        recent = self.judge.recent
        if self._passing is None or recent < self._passing_at:  # the clock was set back
            self._passing = set(self.sessions)
        self._passing_at = recent
        self._passing = {key for key in self._passing if may_pass(self.sessions[key], recent)}
        return self._passing

    def carriers(self, copies: Copies, catalogue: Catalogue | None) -> Mapping[Key, SessionName]:
        """Which session carries which one whole."""
        rows = [(key, found, packed.summary) for key, (found, packed) in self.known.items()]
        return copies.find(rows, catalogue)

    def judged_anew(self, made: Mapping[Key, Session], judge: "Judge") -> None:
        """Sessions as a later look tells them."""
        self.sessions |= made
        self.judge = judge
        if self._passing is not None:
            self._passing |= made.keys()

    def take(self, grown: Grown, read: Sequence[tuple[Found, Packed]]) -> bool:
        """What grew is seen as it is now; whether one of them names another session now that carries it. Nothing else
        that they say makes copies: they begin like no other.
        """
        rows = list(self.sighting.found)
        for at, pair in grown.found.items():
            rows[at] = pair
        self.sighting = replace(self.sighting, found=tuple(rows))
        taken = {key_of(found): (found, packed) for found, packed in read}
        moved = any(
            packed.summary.continued_in != self.known[key][1].summary.continued_in for key, (_, packed) in taken.items()
        )
        self.known |= taken
        return moved


def tell_again(
    bench: Workbench, seen: Seen, grew: Mapping[Key, bool], carriers: Mapping[Key, SessionName] | None
) -> Batch | None:
    """Tell those that are, or may be, others now; `grew` has every session that was read. `carriers`: which session
    carries which, None: the same as before.
    """
    from refloat.usecases.judging import Judge
    from refloat.usecases.linked import read_attempts, settled, with_parents

    judge, surroundings = Judge(bench), Surroundings()
    if tuple(read_attempts(bench)) != tuple(seen.attempts):
        return None
    if judge.told(seen.names) != seen.judge.told(seen.names):
        keys = list(seen.sessions)
    else:
        anew = {*grew, *seen.passing()}
        if carriers is not None:
            anew |= {key for key, each in seen.sessions.items() if carriers.get(key) != each.superseded_by}
        keys = [key for key in seen.sessions if key in anew]
    judged = judge.judge_all([(*seen.known[key], grew.get(key, False)) for key in keys])
    made = {
        key: make_session(*seen.known[key], each, surroundings, _carrier(seen, key, carriers))
        for key, each in zip(keys, judged, strict=True)
    }
    chains = chains_of(settled(seen.attempts, tuple((seen.sessions | made).values())))
    if chains != seen.chains:
        return None
    made = dict(zip(made, with_parents(made.values(), chains), strict=True))
    told = tuple(each for key, each in made.items() if key in grew or not _says_the_same(each, seen.sessions[key]))
    seen.judged_anew(made, judge)
    if seen.here is not None:
        here = names_here(seen.asked, made.values(), surroundings) or frozenset[SessionName]()
        seen.here = seen.here - {session.name for session in made.values()} | here
    return Batch(told, problems=seen.problems, here=seen.here, narrow=True, chains=chains)


def _carrier(seen: Seen, key: Key, carriers: Mapping[Key, SessionName] | None) -> SessionName | None:
    return seen.sessions[key].superseded_by if carriers is None else carriers.get(key)


def _says_the_same(one: Session, other: Session) -> bool:
    """Whether two looks told the same of a session, the moment apart. What passes with time is told each time: its
    moment counts.
    """
    from refloat.usecases.judging import is_fresh

    return (
        one.liveness.verdict is other.liveness.verdict
        and not is_fresh(one.liveness)
        and _without_moment(one) == _without_moment(other)
        and replace(one, liveness=other.liveness) == other
    )


def _without_moment(session: Session) -> list[tuple[str, str, int | None]]:
    return [(fact.kind, fact.detail, fact.pid) for fact in session.liveness.evidence]
