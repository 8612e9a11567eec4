"""Which sessions of an earlier sighting only grew, by the paths that changed since.

Decides when a look at a few sessions says what a look at all would say: each path is a register or a lock, which every
look asks anyway, or the one file of a session or of a sub-agent, which is the same file, no shorter, and says of itself
what it said. Refuses all that may say something of other sessions: files that came or went, indexes, forks and their
sources, threads of several files, kept copies.
"""

import os
import stat
from collections.abc import Collection, Mapping
from dataclasses import replace

from refloat.catalogue.store import Stat
from refloat.model.light import light
from refloat.readers.contract import Found, Reader, Segment, SourceFile
from refloat.usecases.sighting import Identities, Sighting, read_identity, stat_of
from refloat.usecases.watching import Watched


@light
class Grown:
    """Sessions as they are now, by their place in the sighting."""

    found: Mapping[int, tuple[Reader, Found]]
    identified: tuple[tuple[str, Stat, str], ...]
    """Files that were asked what they are, and are what they were."""
    holders: bool
    """A register or a lock changed."""


def lone_files(sighting: Sighting) -> Mapping[str, int]:
    """Files whose growth concerns one session alone, each with the place of that session in the sighting."""
    owners: dict[str, int] = {}
    shared: set[str] = set()
    for at, (_, found) in enumerate(sighting.found):
        shared.update(file.path for file in found.relatives)
        tied = bool(found.relatives) or found.kept is not None
        for segments in (found.segments, *(sub.segments for sub in found.subagents)):
            for segment in segments:
                path = segment.file.path
                if tied or path in owners or len(segments) > 1 or not _is_whole(segment):
                    shared.add(path)
                owners[path] = at
    return {path: at for path, at in owners.items() if path not in shared}


def find_grown(
    sighting: Sighting, lone: Mapping[str, int], known: Identities, watched: Watched, changed: Collection[str]
) -> Grown | None:
    """What grew; None where everything must be looked at."""
    grown: dict[int, tuple[Reader, Found]] = {}
    identified: list[tuple[str, Stat, str]] = []
    holders = False
    for path in changed:
        if watched.is_holder(path):
            holders = True
            continue
        at = lone.get(path)
        if at is None:
            return None
        reader, found = grown.get(at) or sighting.found[at]
        file, before = _look_at(path), _file_of(found, path)
        if file is None or (file.inode, file.device) != (before.inode, before.device) or file.size < before.size:
            return None
        if file == before:
            continue
        told = known[path][1] if path in known else ""
        if read_identity(told) != reader.identify(file):
            return None
        identified.append((path, stat_of(file), told))
        grown[at] = reader, _with_file(found, file)
    return Grown(grown, tuple(identified), holders)


def _is_whole(segment: Segment) -> bool:
    return segment.start == 0 and segment.end is None and not segment.superseded


def _look_at(path: str) -> SourceFile | None:
    """A regular file as `stat` tells it."""
    try:
        told = os.stat(path)  # noqa: PTH116 - text stays text
    except OSError:
        return None
    if not stat.S_ISREG(told.st_mode):
        return None
    return SourceFile(path, told.st_size, told.st_mtime_ns, told.st_ino, told.st_dev)


def _file_of(found: Found, path: str) -> SourceFile:
    parts = (found.segments, *(sub.segments for sub in found.subagents))
    return next(segment.file for segments in parts for segment in segments if segment.file.path == path)


def _with_file(found: Found, file: SourceFile) -> Found:
    def renewed(segments: tuple[Segment, ...]) -> tuple[Segment, ...]:
        return tuple(replace(each, file=file) if each.file.path == file.path else each for each in segments)

    subagents = tuple(replace(sub, segments=renewed(sub.segments)) for sub in found.subagents)
    return replace(found, segments=renewed(found.segments), subagents=subagents)
