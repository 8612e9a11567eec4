"""A look at what changed, on from a whole one: which sessions are told anew, and what is the same as before.

Decides that a session is judged anew when it was read, when another one carries it now, when its state may pass with
time, or, for all, when the processes, registers and locks are others. Refuses to go on (None) when the record of
attempts or the links between sessions changed: then everything is looked at. Keeps no listing: what the quick road
finds on disk does not fit the last whole look's fingerprint then, and so it looks for itself.
"""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from refloat.catalogue.pack import Packed
from refloat.catalogue.store import Catalogue, Key
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

    def take(self, grown: Grown, read: Sequence[tuple[Found, Packed]]) -> None:
        """What grew is seen as it is now."""
        rows = list(self.sighting.found)
        for at, pair in grown.found.items():
            rows[at] = pair
        self.sighting = replace(self.sighting, found=tuple(rows))
        self.known |= {key_of(found): (found, packed) for found, packed in read}


def tell_again(
    bench: Workbench, seen: Seen, grew: Mapping[Key, bool], copies: Copies, catalogue: Catalogue | None
) -> Batch | None:
    """Tell those that are, or may be, others now; `grew` has every session that was read."""
    from refloat.usecases.judging import Judge, may_pass
    from refloat.usecases.linked import read_attempts, settled, with_parents

    judge, surroundings = Judge(bench), Surroundings()
    if tuple(read_attempts(bench)) != tuple(seen.attempts):
        return None
    carriers = copies.find([(key, found, packed.summary) for key, (found, packed) in seen.known.items()], catalogue)
    anew, recent = judge.told(seen.names) != seen.judge.told(seen.names), seen.judge.recent
    keys = [
        key
        for key, session in seen.sessions.items()
        if anew or key in grew or carriers.get(key) != session.superseded_by or may_pass(session, recent)
    ]
    judged = judge.judge_all([(*seen.known[key], grew.get(key, False)) for key in keys])
    made = {
        key: make_session(*seen.known[key], each, surroundings, carriers.get(key))
        for key, each in zip(keys, judged, strict=True)
    }
    chains = chains_of(settled(seen.attempts, tuple((seen.sessions | made).values())))
    if chains != seen.chains:
        return None
    made = dict(zip(made, with_parents(made.values(), chains), strict=True))
    told = tuple(each for key, each in made.items() if key in grew or not _says_the_same(each, seen.sessions[key]))
    seen.sessions |= made
    seen.judge = judge
    if seen.here is not None:
        here = names_here(seen.asked, made.values(), surroundings) or frozenset[SessionName]()
        seen.here = seen.here - {session.name for session in made.values()} | here
    return Batch(told, problems=seen.problems, here=seen.here, narrow=True, chains=chains)


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
