"""Which sessions of an earlier sighting only grew, by the paths that changed since.

Decides when a look at a few sessions says what a look at all would say: each path is a register or a lock, which every
look asks anyway, or the one file of a session or of a sub-agent, which is the same file, no shorter, and says of itself
what it said. Refuses all that may say something of other sessions: files that came or went, indexes, forks and their
sources, threads of several files, kept copies.
"""

import os
import stat
from collections.abc import Collection, Mapping

from refloat.catalogue.rows import Stat
from refloat.model.light import light
from refloat.readers.contract import Found, Reader, SourceFile
from refloat.usecases.alone import file_of, only_grew, with_file
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
        file, before = _look_at(path), file_of(found, path)
        if file is None or not only_grew(before, file):
            return None
        if file == before:
            continue
        told = known[path][1] if path in known else ""
        if read_identity(told) != reader.identify(file):
            return None
        identified.append((path, stat_of(file), told))
        grown[at] = reader, with_file(found, file)
    return Grown(grown, tuple(identified), holders)


def _look_at(path: str) -> SourceFile | None:
    """A regular file as `stat` tells it."""
    try:
        told = os.stat(path)  # noqa: PTH116 - text stays text
    except OSError:
        return None
    if not stat.S_ISREG(told.st_mode):
        return None
    return SourceFile(path, told.st_size, told.st_mtime_ns, told.st_ino, told.st_dev)
