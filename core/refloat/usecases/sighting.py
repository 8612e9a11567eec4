"""One look at what lies on disk: walks every agent's files, asks what new ones are, and puts them together to sessions.

Decides what is a session and what is only in the way. Reads no transcript: of a file that the catalogue knows not even
the head. Says under which conditions (home, variables) the look holds, so that the quick road may trust it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, cast

import orjson

from refloat.catalogue.rows import Stat
from refloat.catalogue.walk import Fault, Row, Spec, fingerprint, walk
from refloat.model.light import light
from refloat.model.problem import Problem, unread
from refloat.readers.contract import Found, Identity, Reader, SourceFile
from refloat.record.names import KEPT, MANIFEST
from refloat.uncollected import Uncollected

if TYPE_CHECKING:
    from refloat.usecases.workbench import Workbench

_OWN: Final = ("REFLOAT_DATA_DIR", "XDG_DATA_HOME", "REFLOAT_CACHE_DIR", "XDG_CACHE_HOME")
"""They say where kept copies lie and are laid out; a look that holds for other values says nothing of these."""
WORTH_SHARING: Final = 400
"""Files that are looked into from which a second process is worth its start."""
_NONE: Final[Mapping[tuple[str, str], Identity]] = {}
Identities = Mapping[str, tuple[Stat, str]]
"""Path → (its stat when it was looked into, its `Identity` as JSON)."""


@light
class Sighting:
    """What one look found."""

    found: tuple[tuple[Reader, Found], ...]
    """Sessions, without those of the agents' own machinery."""
    ids: Mapping[str, frozenset[str]]
    """Every session id of each agent, those of its own machinery included."""
    problems: tuple[Problem, ...]
    specs: tuple[Spec, ...]
    fingerprint: str
    seen: frozenset[str]
    """Every file that was seen."""
    identified: tuple[tuple[str, Stat, str], ...]
    """What had to be asked anew."""
    variables: Mapping[str, str | None]
    """Every variable that a reader asked for, with its value."""

    @property
    def is_of_here(self) -> bool:
        """Whether a variable names a place below the present directory: from another one the look says nothing."""
        return any(value and not value.startswith(("/", "~/")) for value in self.variables.values())


def sight(bench: Workbench, identities: Callable[[], Identities], last: Sighting | None = None) -> Sighting:
    """Look at the files of every agent. `identities` tells what is known of them; it is asked where anything changed
    since the `last` look, which else is given back.
    """
    environment = _Noted(bench.machine.places.environment)
    specs = _specs_of(bench, environment)
    rows, faults = walk([spec for _, spec in specs])
    seen = fingerprint([spec for _, spec in specs], rows, faults)
    if last is not None and seen == last.fingerprint and last.specs == tuple(spec for _, spec in specs):
        return last
    known = identities()
    found: list[tuple[Reader, Found]] = []
    ids: dict[str, frozenset[str]] = {}
    identified: list[tuple[str, Stat, str]] = []
    problems: list[Problem] = []
    looked = [(spec, reader, got) for (reader, spec), got in zip(specs, rows, strict=True)]
    every = [(reader, _files(looked, reader, "transcripts")) for reader in bench.readers]
    asked = _NONE if known else _ask([(reader, file) for reader, files in every for file in files])
    for reader, files in every:
        mine = [(spec[4], got) for spec, owner, got in looked if owner is reader]
        side = _files(looked, reader, "side")
        pairs = [(file, _identify(reader, file, known, asked, identified)) for file in files]
        manifests = [row for holds, got in mine if holds == "kept" for row in got]
        sessions = reader.group(pairs, side)
        if manifests:
            from refloat.usecases.kept_sessions import with_kept

            sessions = with_kept(bench, reader, sessions, manifests, problems)
        ids[reader.agent] = frozenset(session.session_id for session in sessions)
        found.extend((reader, session) for session in sessions if not session.hidden)
    return Sighting(
        tuple(found),
        ids,
        (*bench.problems, *(_problem(fault) for fault in faults), *problems),
        tuple(spec for _, spec in specs),
        seen,
        frozenset(row[0] for got in rows for row in got),
        tuple(identified),
        dict(environment.asked),
    )


def _specs_of(bench: Workbench, environment: Mapping[str, str]) -> Sequence[tuple[Reader, Spec]]:
    """What is walked of each agent: its own trees, and the copies that are kept of its sessions."""
    places = bench.machine.places
    specs: list[tuple[Reader, Spec]] = [
        (reader, (reader.agent, tree.root, tree.suffixes, tree.depth, tree.holds))
        for reader in bench.readers
        for tree in reader.walks(places.home, environment)
    ]
    for variable in _OWN:
        environment.get(variable)
    kept = str(places.data / KEPT)
    return [*specs, *((own, (own.agent, f"{kept}/{own.agent}", (MANIFEST,), 1, "kept")) for own in bench.readers)]


def stat_of(file: SourceFile) -> Stat:
    """A file's stat as the catalogue keeps it."""
    return file.size, file.mtime_ns, file.inode, file.device


def newest_of(found: Found) -> int:
    """When the newest of a session's files changed, in nanoseconds since 1970: a hint for the order of reading."""
    return max((file.mtime_ns for file in found.files), default=0)


def lost_files(sighting: Sighting, known: Iterable[str]) -> list[str]:
    """Known files that are proved to be gone: their tree was looked at, and they do not exist any more."""
    roots = tuple(spec[1].rstrip("/") + "/" for spec in sighting.specs)
    unread = tuple(problem.path for problem in sighting.problems)
    return [
        path
        for path in known
        if path not in sighting.seen
        and path.startswith(roots)
        and not path.startswith(unread or ("\0",))
        and not os.path.lexists(path)
    ]


def _files(looked: Sequence[tuple[Spec, Reader, Sequence[Row]]], reader: Reader, holds: str) -> Sequence[SourceFile]:
    """What an agent's walks of one kind saw, each file once, though several did."""
    rows = [row for spec, owner, got in looked if owner is reader and spec[4] == holds for row in got]
    return [SourceFile(*row) for row in dict.fromkeys(rows)]


def _ask(files: Sequence[tuple[Reader, SourceFile]]) -> Mapping[tuple[str, str], Identity]:
    """What many files are, by agent and path; where a second process can be had at once, it asks every other one."""
    from refloat.usecases.sharing import Shared  # who reads on without a look needs no other process

    names = [(reader.agent, file.path) for reader, file in files]
    with Shared(_ask_all, files, WORTH_SHARING) as asked:
        return dict(zip(names, asked.result(), strict=True))


def _ask_all(files: Sequence[tuple[Reader, SourceFile]]) -> list[Identity]:
    with Uncollected():
        return [reader.identify(file) for reader, file in files]


def _identify(
    reader: Reader,
    file: SourceFile,
    known: Identities,
    asked: Mapping[tuple[str, str], Identity],
    identified: list[tuple[str, Stat, str]],
) -> Identity:
    stat = stat_of(file)
    kept = known.get(file.path)
    if kept is not None and kept[0] == stat and (identity := read_identity(kept[1])) is not None:
        return identity
    identity = asked.get((reader.agent, file.path)) or reader.identify(file)
    with suppress(TypeError):  # a name that is no text: asked again every time
        identified.append((file.path, stat, orjson.dumps(identity).decode()))
    return identity


def read_identity(written: str) -> Identity | None:
    """What was kept of a file's identity; None where that is of another form."""
    try:
        value = cast("dict[str, object]", orjson.loads(written))  # our own; another form raises below
        if isinstance(base := value.get("base"), list):
            path, size = cast("list[object]", base)
            value["base"] = (path, size)
        return Identity(**value)  # pyright: ignore[reportArgumentType] - what orjson wrote, by name
    except (ValueError, TypeError):
        return None


def _problem(fault: Fault) -> Problem:
    path, why = fault
    return unread(path, why, how="looked into")


class _Noted(Mapping[str, str]):
    """The environment, noting which variables are asked for."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self.asked: dict[str, str | None] = {}

    def __getitem__(self, name: str) -> str:
        self.asked[name] = self._environment.get(name)
        return self._environment[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._environment)

    def __len__(self) -> int:
        return len(self._environment)
