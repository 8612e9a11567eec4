"""Objects that nothing in a repository names any more: commits of dropped stashes, contents that were staged once.

Decides how far the store is looked through: its loose objects, whose file names say which to ask about (where they are
many, the young ones), and all of it up to a size where a pack was written since the session began: an older one holds
nothing that the session made. Every answer costs a fixed number of questions; one that takes too long is none. `git
fsck` would read every object's content.
"""

import os
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

from refloat.checkout.porcelain import LoggedCommit, read_objects
from refloat.checkout.repository import Repository
from refloat.model.light import slotted
from refloat.model.stamp import Stamp, seconds_of
from refloat.there import is_there
from refloat.together import Running

_MOST: Final = 200_000
"""Objects up to which all of them are listed."""
_MANY_LOOSE: Final = 5_000
_MOST_LOOSE: Final = 100_000
"""Loose objects past which only young ones are asked about, and past which no more are."""
_SLACK: Final = 60.0
"""Seconds by which an object may seem older than the session that made it."""
_SECONDS: Final = 20.0
_MOST_BLOBS: Final = 1_000
_MOST_BYTES: Final = 32 * 1024 * 1024
_LARGEST: Final = 1024 * 1024
"""Young contents that are read, how many bytes of them at once, and the largest of one."""


_KINDS: Final = "--batch-check=%(objecttype) %(objectname)"
"""Without sizes: of a packed difference git finds its kind without unpacking anything."""
_BLOB: Final = re.compile(rb"^([0-9a-f]+) blob (\d+)$", re.MULTILINE)


@slotted
class Store:
    """The objects of a repository, listed at the first question."""

    repository: Repository
    since: Stamp | None
    _search: Running[list[str]] | None = None
    _logged: Running[list[LoggedCommit]] | None = None

    def begin(self) -> None:
        """Begin to ask for all that no branch holds."""
        self.find_commits()
        self.find_logged()

    def find_logged(self) -> Running[list[LoggedCommit]]:
        """The search for commits that reflogs alone name, begun where it was not yet; newest first."""
        if self._logged is None:
            self._logged = Running(self._ask_logged)
        return self._logged

    def _ask_logged(self) -> list[LoggedCommit]:
        repository = self.repository
        named = ["--branches", "--remotes", "--tags", *(["HEAD"] if repository.head else [])]
        return repository.find_commits("--reflog", "--not", *named, since=self.since)

    def find_commits(self) -> Running[list[str]]:
        """The search for commits that no ref, reflog or worktree reaches, begun where it was not yet; their ids."""
        if self._search is None:
            self._search = Running(self._ask_commits)
        return self._search

    def _ask_commits(self) -> list[str]:
        asked = self._list()
        words = ("rev-list", "--stdin", "--not", "--all", "--reflog")
        stdin = "".join(f"{sha}\n" for sha in asked).encode()
        answer = self.repository.git.run(self.repository.root, *words, stdin=stdin) if asked else None
        if answer is None or answer.code != 0:
            return []
        lost = set(answer.out.decode(errors="replace").split())
        return [sha for sha in asked if sha in lost]

    def holds(self, oids: Collection[str]) -> set[str]:
        """Which of these contents are in the store at all."""
        asked = _ask(self.repository, "--batch-check", list(oids))
        rows = (line.split(" ") for line in asked.decode(errors="replace").splitlines())
        return {row[0] for row in rows if len(row) == 3 and row[1] == "blob"}

    def young_blobs(self) -> dict[str, bytes]:
        """Contents written since the session began that lie loose, the newest first, as far as they are few."""
        loose = find_loose(self.repository, self.since, young=True)
        sizes = {oid.decode(): int(size) for oid, size in _BLOB.findall(_ask(self.repository, "--batch-check", loose))}
        young = [oid for oid in loose if oid in sizes]
        wanted: list[str] = []
        left = _MOST_BYTES
        for oid in young[:_MOST_BLOBS]:
            size = sizes[oid]
            if 0 < size <= min(_LARGEST, left):
                wanted.append(oid)
                left -= size
        return dict(read_objects(_ask(self.repository, "--batch", wanted)))

    def unreachable(self, oids: Collection[str]) -> set[str]:
        """Which of these contents nothing names, no index either; none of them where git takes too long to tell."""
        words = ("rev-list", "--objects", "--no-object-names", "--all", "--reflog", "--indexed-objects")
        answer = self.repository.git.run(self.repository.root, *words, seconds=_SECONDS) if oids else None
        if answer is None or answer.code != 0:
            return set()
        return set(oids).difference(answer.out.decode(errors="replace").split())

    def _list(self) -> list[str]:
        """Ids of the commits that may be unreachable."""
        told = _list_all(self.repository) if _has_young_pack(self.repository, self.since) else None
        if told is None:
            told = _ask(self.repository, _KINDS, find_loose(self.repository, self.since))
        return [row[: row.index(b"\n")].decode() for row in told.split(b"commit ")[1:]]


def _has_young_pack(repository: Repository, since: Stamp | None) -> bool:
    """Whether a pack was written since the session began, or none can be told from the outside."""
    objects = Path(repository.common_dir) / "objects"
    if since is None or is_there(objects / "info" / "alternates"):
        return True
    start = seconds_of(since) - _SLACK
    try:
        with os.scandir(objects / "pack") as packs:
            return any(entry.stat().st_mtime >= start for entry in packs)
    except OSError:
        return True


def _list_all(repository: Repository) -> bytes | None:
    """Kind and id of every object, a line each; None where there are too many, or git takes too long."""
    told = repository.git.run(repository.root, "count-objects", "-v")
    counts = dict(line.split(": ", 1) for line in told.out.decode(errors="replace").splitlines() if ": " in line)
    numbers = [int(counts[name]) for name in ("count", "in-pack") if counts.get(name, "").isdigit()]
    if told.code != 0 or sum(numbers) > _MOST:
        return None
    words = ("cat-file", _KINDS, "--batch-all-objects", "--unordered")
    answer = repository.git.run(repository.root, *words, seconds=_SECONDS)
    return answer.out if answer.code == 0 else None


def _ask(repository: Repository, what: str, oids: Sequence[str]) -> bytes:
    stdin = "".join(f"{oid}\n" for oid in oids).encode()
    return repository.git.run(repository.root, "cat-file", what, stdin=stdin).out if oids else b""


def find_loose(repository: Repository, since: Stamp | None, *, young: bool = False) -> Sequence[str]:
    """Ids of loose objects; where there are many, or `young` ones are asked for, of those written since the session
    began, the newest first.
    """
    found: list[os.DirEntry[str]] = []
    try:
        for directory in os.scandir(Path(repository.common_dir) / "objects"):
            if len(directory.name) == 2:
                found += os.scandir(directory)
        if young or len(found) > _MANY_LOOSE:
            start = seconds_of(since) - _SLACK if since is not None else 0.0
            aged = sorted(((entry.stat().st_mtime, entry.path, entry) for entry in found), reverse=True)
            found = [entry for written, _, entry in aged if written >= start]
    except OSError:
        return []
    return [entry.path[-len(entry.name) - 3 : -len(entry.name) - 1] + entry.name for entry in found[:_MOST_LOOSE]]
