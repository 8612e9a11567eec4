"""The middle road of `refloat list`: sessions of which a file grew are read on, and the catalogue tells all again.

Decides when what a whole look found still says all about the other sessions: nothing but files of sessions that stand
alone (`alone`) changed, those only grew, and each says of itself what it said; it is read on from where reading
stopped, begins like no other session still, and no process is behind it. Wherever one of these does not hold, nothing
is kept, and the whole look must answer. Loads the readers of the agents whose files grew, and nothing that looks at
processes: whoever asks has looked, and says what it saw.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, TypeVar

from refloat.catalogue.pack import Packed, unpack
from refloat.catalogue.peek import read_places, write_places
from refloat.catalogue.rows import Alone, Key, Reading, Stat, Told
from refloat.catalogue.store import Catalogue
from refloat.catalogue.walk import Row, Spec
from refloat.model.light import light
from refloat.model.session import Session
from refloat.model.stamp import Stamp
from refloat.readers.contract import Found, Reader, SourceFile
from refloat.readers.registry import BUILTIN, load
from refloat.usecases.alone import file_of, only_grew, read_found, rewrite_file, stays_alone, with_file
from refloat.usecases.judging import is_settled, judge_unowned
from refloat.usecases.recall import Made, Recall, make
from refloat.usecases.sessions import Surroundings, make_session
from refloat.usecases.sighting import read_identity, stat_of
from refloat.usecases.telling import mark_of, tell_alone

T = TypeVar("T")

MOST: Final = 16
"""Files of which the growth is taken one by one; with more of them, a whole look is the quicker one."""


@light
class Change:
    """What a walk saw, beside the last whole look."""

    notes: Mapping[str, str]
    """Of that look."""
    specs: Sequence[Spec]
    grown: Sequence[tuple[str, Row]]
    """Agent and file of each transcript that is not as it was; no other file came, went or changed."""
    gone: Sequence[str]
    """The lines of these files in the fingerprint of that look, by their paths."""
    come: Sequence[str]
    """In that of the walk."""
    fingerprint: str
    """Of the walk."""
    at: str
    """The moment of the walk, as a Stamp."""
    carries: Callable[[str], bool]
    """Whether an environment of a process that runs may hold a text."""


@light
class _Read:
    made: Made
    reading: Reading
    told: Told
    session: Session


def regrow(directory: str, change: Change) -> Mapping[str, str] | None:
    """Keep what the files grew by in the catalogue of a directory; what a whole look would note now, None where only
    such a one can tell.
    """
    if len(change.grown) > MOST or any(agent not in BUILTIN for agent, _ in change.grown):
        return None
    catalogue = Catalogue.open(directory, wait=0.2, append=True)
    if catalogue is None:
        return None
    with catalogue:
        try:
            return _regrow(catalogue, change)
        except _OtherForm:
            return None


class _OtherForm(Exception):  # noqa: N818 - never leaves this module
    """What the catalogue holds is of another form. What a reader raises is a fault, and none of these."""


def _in_form(read: Callable[[], T]) -> T:
    try:
        return read()
    except (ValueError, TypeError, KeyError) as fault:
        raise _OtherForm from fault


def _regrow(catalogue: Catalogue, change: Change) -> Mapping[str, str] | None:
    grown: dict[Key, Found] = {}
    written: dict[Key, str] = {}
    files: list[tuple[str, Stat, str]] = []
    readers = {agent: load(agent) for agent in dict.fromkeys(agent for agent, _ in change.grown)}
    for agent, row in change.grown:
        own = catalogue.alone(row[0]).get(row[0])
        if own is None or own.key[0] != agent:
            return None
        if own.key not in grown:
            written[own.key] = own.found or catalogue.alone(own.key[2])[own.key[2]].found
            grown[own.key] = _in_form(partial(read_found, written[own.key]))
        found = grown[own.key]
        before = _in_form(partial(file_of, found, row[0]))
        file, identity = SourceFile(*row), catalogue.identity(row[0])
        if not only_grew(before, file) or read_identity(identity) != readers[agent].identify(file):
            return None
        grown[own.key], written[own.key] = with_file(found, file), rewrite_file(written[own.key], file)
        files.append((row[0], stat_of(file), identity))
    surroundings = Surroundings()
    read: list[_Read] = []
    for key, found in grown.items():
        one = _read(catalogue, readers[key[0]], key, found, change, surroundings)
        if one is None:
            return None
        read.append(one)
    noted = _notes(change, [one.session for one in read], surroundings)
    kept = catalogue.keep_grown(
        [(one.reading, one.made.written, one.made.edited) for one in read],
        [one.told for one in read],
        files,
        {key[2]: Alone(key, told) for key, told in written.items()},
        noted,
        on=(change.notes["mark"], change.notes["since"]),
    )
    return {**change.notes, **noted} if kept else None


def _read(
    catalogue: Catalogue, reader: Reader, key: Key, found: Found, change: Change, surroundings: Surroundings
) -> _Read | None:
    """A session read on and told; None where that is not all there is to tell."""
    before, recall = catalogue.reading(key), Recall()
    recall.open(catalogue, everything=False)
    starts = recall.starts(found)
    if before is None or not starts or change.carries(key[1]):
        return None
    made = make(reader, found, starts, clean=True)  # nothing that holds a secret is kept on disk
    packed = made.packed
    if made.reading is None or not _stays_alone(catalogue, key, _in_form(lambda: unpack(before.summary)), packed):
        return None
    at, booted = Stamp(change.at), change.notes["booted"]
    boot = Stamp(booted) if booted else None
    judged = judge_unowned(found, packed, at, boot, _locks(change.specs, key[0]))
    if not is_settled(judged.liveness):
        return None
    session = make_session(found, packed, judged, surroundings, None)
    return _Read(made, made.reading, tell_alone(key, session, at, surroundings), session)


def _stays_alone(catalogue: Catalogue, key: Key, before: Packed, after: Packed) -> bool:
    if before.summary.continued_in or after.summary.continued_in:
        return False
    return stays_alone(before, after, catalogue.kin_of(key[0], before.summary.lineage))


def _locks(specs: Sequence[Spec], agent: str) -> str | None:
    """The directory of an agent's locks, where it exists."""
    roots = [spec[1] for spec in specs if spec[0] == agent and spec[4] == "locks" and os.path.isdir(spec[1])]  # noqa: PTH112 - text stays text
    return roots[-1] if roots else None


def _notes(change: Change, sessions: Sequence[Session], surroundings: Surroundings) -> Mapping[str, str]:
    """What the next quick road compares with."""
    places = _in_form(lambda: read_places(change.notes["places"]))
    known = {path for path, *_ in places}
    told = [surroundings.place(each) for session in sessions for each in (session.workspace, session.worktree)]
    new = [(place.path, *place.repo) for place in told if place.path and place.path not in known]
    notes = {"places": write_places([*places, *new])} if new else dict[str, str]()
    since = change.notes["since"].split("\n") if change.notes["since"] else []
    since += [line for pair in zip(change.gone, change.come, strict=True) for line in pair]
    if len(since) > 2 * MOST:
        return notes | {"fingerprint": change.fingerprint, "mark": mark_of(change.fingerprint), "since": ""}
    return notes | {"since": "\n".join(since)}
