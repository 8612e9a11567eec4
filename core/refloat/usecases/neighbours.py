"""Which other sessions may own what is dirty in a session's checkout: those that edited one of the dirty files.

Decides by the paths that the catalogue keeps of every session; opens none of them. What is new is read first as long as
that is little; what stays unread is told, never passed over in silence.
"""

import os
from collections.abc import Sequence
from operator import itemgetter
from pathlib import Path
from typing import Final

from refloat.catalogue.store import Catalogue
from refloat.checkout.repository import Repository
from refloat.model.checkout import Warned
from refloat.model.light import light, replace
from refloat.model.session import place_here
from refloat.model.stamp import seconds_of
from refloat.model.story import Story
from refloat.readers.contract import Found, Reader
from refloat.usecases.batch import Scope
from refloat.usecases.finder import Finder
from refloat.usecases.located import Located
from refloat.usecases.memory import CaughtUp
from refloat.usecases.read_many import size_of
from refloat.usecases.recall import Recall, key_of
from refloat.usecases.sessions import Surroundings
from refloat.usecases.sighting import Sighting, newest_of, sight
from refloat.usecases.workbench import Workbench

_CATCH_UP: Final = 16 * 1024 * 1024
"""Bytes of new transcripts that are read before the question is answered; more is `refloat refresh`'s business."""

_SAME_LOOK: Final = 5.0
"""Seconds for which the look that found a session serves for its neighbours too. A walk takes the longer the more there
is, and what comes to lie there while one session is examined is no part of the answer either way."""
_WITNESSES: Final = 12
"""Sessions that are read at most for what their commands moved."""


@light
class Neighbour:
    """Another session that edited one of the files."""

    reader: Reader
    found: Found

    @property
    def name(self) -> str:
        """`agent:id`."""
        return f"{self.found.agent}:{self.found.session_id}"


def find_neighbours(
    bench: Workbench, located: Located, story: Story, repository: Repository | None
) -> tuple[Sequence[Neighbour], Sequence[Warned]]:
    """Other sessions that edited what this one edited, or what is dirty in its checkout, newest files first.

    The warnings say what could not be looked through.
    """
    summary = story.summary
    place = place_here(summary.worktree) or place_here(summary.workspace)
    finder = Finder(bench)
    catalogue = Catalogue.open(bench.machine.places.cache)
    if catalogue is None:
        return _of_repository(finder, located, place)
    with catalogue:
        caught_up = catch_up(bench, catalogue, _CATCH_UP, _just_sighted(bench, located.found))
        editors = catalogue.editors({*summary.edited_paths, *_dirty_paths(repository, place)})
    if catalogue.is_damaged:  # it names too few, and is thrown away by now
        return _of_repository(finder, located, place)
    editors -= {(located.found.agent, located.found.session_id)}
    rows = sorted((row for name in editors for row in caught_up.by_name.get(name, ())), key=itemgetter(0))
    near = [Neighbour(reader, found) for _, reader, found in rows]
    left = caught_up.left
    words = f"{left:,} sessions are not read yet and may own changes too; `refloat refresh` reads them"
    return _newest_first(near), ([Warned(words, None)] if left else ())


def _just_sighted(bench: Workbench, found: Found) -> Sighting | None:
    """The last look, where it is of just now and what was found is of it."""
    if bench.memory.sighted is None:
        return None
    at, sighting = bench.memory.sighted
    is_young = 0 <= seconds_of(bench.machine.clock.now()) - seconds_of(at) <= _SAME_LOOK
    return sighting if is_young and any(found is each for _, each in sighting.found) else None


def catch_up(bench: Workbench, catalogue: Catalogue, most: int, sighting: Sighting | None = None) -> CaughtUp:
    """Read what is new, up to `most` bytes of it, newest files first; `sighting`: a look that was just taken."""
    memory = bench.memory
    if sighting is None:
        at = bench.machine.clock.now()
        last = memory.sighted[1] if memory.sighted is not None else None
        sighting = sight(bench, catalogue.identities, last)
        if sighting is not last:
            catalogue.keep_identities(sighting.identified)
            memory.sighted = at, sighting
    known, written = memory.caught_up, catalogue.written()
    if known is not None and known.sighting is sighting and not known.left:
        # One that holds fewer than then was thrown away in between.
        if written == known.written:
            return known
        if catalogue.count() >= known.readings:
            memory.caught_up = known = replace(known, written=written)
            return known
    left = _read_new(bench, catalogue, sighting, most)
    by_name: dict[tuple[str, str], list[tuple[int, Reader, Found]]] = {}
    for place, (reader, found) in enumerate(sighting.found):
        by_name.setdefault((found.agent, found.session_id), []).append((place, reader, found))
    memory.caught_up = caught_up = CaughtUp(sighting, by_name, left, written, catalogue.count())
    return caught_up


def _read_new(bench: Workbench, catalogue: Catalogue, sighting: Sighting, most: int) -> int:
    """Read what the catalogue does not know as it is; how many sessions are left unread."""
    known, recall = catalogue.files(), Recall()
    rows = zip(sighting.found, bench.memory.files_of(sighting), strict=True)
    unread = [pair for pair, files in rows if files is None or known.get(key_of(pair[1])) != files]
    recall.open(catalogue, everything=bool(unread))
    left = len(unread)
    for reader, found in sorted(unread, key=lambda pair: newest_of(pair[1]), reverse=True):
        most -= size_of(found)
        if most < 0:
            break
        recall.read(reader, found)
        left -= 1
    recall.flush()
    return left


def _of_repository(finder: Finder, located: Located, place: str | None) -> tuple[Sequence[Neighbour], Sequence[Warned]]:
    """Without a catalogue every session of the repository is one that may have edited its files."""
    if not place:
        return (), ()
    listed = finder.find(Scope(cwd=Path(Surroundings().top(place) or place))).sessions
    names = {session.name for session in listed} - {f"{located.found.agent}:{located.found.session_id}"}
    near = [
        Neighbour(reader, found)
        for reader, found in finder.sight().found
        if f"{found.agent}:{found.session_id}" in names
    ]
    words = "there is no catalogue: every session of this repository was read to find who edited what"
    return _newest_first(near), [Warned(words, None)]


def find_witnesses(bench: Workbench, located: Located, story: Story) -> Sequence[Neighbour]:
    """Other sessions of the same repository that went on after this one's last record began: their commands may have
    moved its work, though they edited none of its files. The newest few.
    """
    summary = story.summary
    place = place_here(summary.worktree) or place_here(summary.workspace)
    since = summary.started_at
    if not place or since is None:
        return ()
    finder = Finder(bench)
    listed = finder.find(Scope(cwd=Path(Surroundings().top(place) or place))).sessions
    own = f"{located.found.agent}:{located.found.session_id}"
    late = {row.name for row in listed if row.name != own and (row.last_activity_at or "") > since}
    near = [Neighbour(reader, found) for reader, found in finder.sight().found]
    return _newest_first([one for one in near if one.name in late])[:_WITNESSES]


def _newest_first(near: Sequence[Neighbour]) -> list[Neighbour]:
    return sorted(near, key=lambda neighbour: newest_of(neighbour.found), reverse=True)


def _dirty_paths(repository: Repository | None, place: str | None) -> set[str]:
    """Absolute paths of everything dirty in the checkout, spelt as its workspace is and as the disk has it."""
    if repository is None:
        return set()
    roots = {str(repository.root), os.path.realpath(repository.root), Surroundings().top(place) or str(repository.root)}
    return {f"{root}/{name}" for root in roots for name in repository.entries}
