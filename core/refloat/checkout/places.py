"""Where recorded content still stands when the worktree does not have it.

Decides in which order places are looked at, and when a content counts as the recorded one: as `compare` says `present`
or `changed_since` of it. Refuses to look at dear places (unreachable commits) for what was found in a cheap one.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Final

from refloat.checkout.compare import STANDS, judge
from refloat.checkout.files import MISSING, Content, content_of, read_content
from refloat.checkout.fold import Folded
from refloat.checkout.lines import bare_lines
from refloat.checkout.porcelain import LoggedCommit
from refloat.checkout.repository import Repository
from refloat.model.checkout import SAVED_PLACES, FoundIn, PlaceKind
from refloat.model.light import light, slotted
from refloat.model.stamp import Stamp, seconds_of
from refloat.together import Running

_MANY_LOOSE: Final = 5_000
_MOST_LOOSE: Final = 100_000
"""Loose objects past which only young ones are asked about, and past which no more are."""
_SLACK: Final = 60.0
"""Seconds by which an object may seem older than the session that made it."""


@light
class Version:
    """A content that a path has in some commit, stash or the like."""

    place: PlaceKind
    ref: str | None
    commit: str
    at: Stamp | None
    oid: str | None
    """None: the path is deleted there."""
    on_head: bool = False


@slotted
class Archive:
    """All versions of some paths that the repository keeps since a moment, asked for once."""

    repository: Repository
    versions: dict[str, list[Version]] = field(default_factory=dict[str, list[Version]])
    """By path relative to the root; oldest first within each kind of place."""
    worktrees: Sequence[str] = ()

    def of(self, paths: Iterable[str], *kinds: PlaceKind) -> list[Version]:
        """The versions of a file in places of these kinds, under any of the paths that it may have there."""
        return [v for path in paths for v in self.versions.get(path, ()) if not kinds or v.place in kinds]

    def content(self, version: Version) -> Content:
        """The content of a version."""
        data = self.repository.load_objects([version.oid]).get(version.oid) if version.oid else None
        return MISSING if data is None else content_of(data)

    def lines(self, version: Version) -> frozenset[str]:
        """Its lines; none where it is no text."""
        content = self.content(version)
        return frozenset(bare_lines(content.text)) if content.kind == "text" else frozenset()

    def prefetch(self, versions: Iterable[Version]) -> None:
        """Ask git for the contents of many versions at once."""
        self.repository.load_objects(version.oid for version in versions if version.oid)


def open_archive(
    repository: Repository, paths: Sequence[str], base: str | None, since: Stamp | None, worktrees: Sequence[str]
) -> Archive:
    """Every version of the paths in branches, tags, remotes and stashes since the session began."""
    archive = Archive(repository, worktrees=worktrees)
    not_before = [f"^{base}"] if base else []
    head = ["HEAD"] if repository.head else []
    asked = Running(lambda: repository.find_reachable(*head, *not_before, since=since) if head else set[str]())
    stashes = Running(lambda: repository.find_commits("-g", "refs/stash"))
    words = ["--source", *head, "--branches", "--remotes", "--tags", *not_before]
    found = repository.find_commits(*words, paths=paths, since=since)
    reachable = asked.result()
    for commit in reversed(found):
        on_head = commit.sha in reachable
        ref = (repository.status.branch or "HEAD") if on_head else _short(commit.source)
        _add(archive, commit, PlaceKind.BRANCH, ref, on_head=on_head)
    _add_stashes(archive, stashes.result())
    return archive


def _add(archive: Archive, commit: LoggedCommit, place: PlaceKind, ref: str | None, *, on_head: bool = False) -> None:
    for blob in commit.blobs:
        version = Version(place, ref, commit.sha, commit.at, blob.oid, on_head)
        archive.versions.setdefault(blob.path, []).append(version)


def _short(ref: str) -> str | None:
    for prefix in ("refs/heads/", "refs/remotes/", "refs/tags/"):
        if ref.startswith(prefix):
            return ref[len(prefix) :]
    return ref or None


def _add_stashes(archive: Archive, stashes: Sequence[LoggedCommit]) -> None:
    """A stash is a commit over HEAD; what was untracked hangs on it as a third, rootless parent (git-stash(1))."""
    untracked = {stash.parents[2]: index for index, stash in enumerate(stashes) if len(stash.parents) > 2}
    for index, stash in enumerate(stashes):
        _add(archive, stash, PlaceKind.STASH, f"stash@{{{index}}}")
    if untracked:
        for extra in archive.repository.find_commits("--no-walk=unsorted", "--root", *untracked):
            index = untracked.get(extra.sha)
            if index is not None:
                named = LoggedCommit(stashes[index].sha, extra.parents, extra.at, "", "", extra.blobs)
                _add(archive, named, PlaceKind.STASH, f"stash@{{{index}}}")


def add_lost_commits(archive: Archive, paths: Sequence[str], since: Stamp | None, snapshots: Sequence[str]) -> None:
    """Versions that no branch holds: commits of the reflogs, snapshots that an agent made, unreachable commits."""
    repository = archive.repository
    unreachable = Running(lambda: _find_unreachable(repository, since))
    held = {version.commit for versions in archive.versions.values() for version in versions}
    known = ["--branches", "--remotes", "--tags", *(["HEAD"] if repository.head else [])]
    names = {sha: f"HEAD@{{{index}}}" for index, (_, sha) in reversed(list(enumerate(repository.reflog)))}
    for commit in reversed(repository.find_commits("--reflog", "--not", *known, paths=paths, since=since)):
        if commit.sha not in held:
            held.add(commit.sha)
            _add(archive, commit, PlaceKind.REFLOG, names.get(commit.sha))
    lost = [sha for sha in (*snapshots, *unreachable.result()) if sha not in held]
    existing = list(dict.fromkeys(repository.find_existing(lost).values()))
    for start in range(0, len(existing), 500):
        for commit in repository.find_commits(
            "--no-walk=unsorted", "--root", *existing[start : start + 500], paths=paths
        ):
            _add(archive, commit, PlaceKind.UNREACHABLE_COMMIT, None)


def _find_unreachable(repository: Repository, since: Stamp | None) -> list[str]:
    """Ids of commits that nothing names any more: a dropped stash, a branch deleted with its reflog.

    Young ones are loose objects, so their file names say which to ask about; `git fsck` would read the whole store.
    """
    loose = _find_loose(repository.common_dir / "objects", since)
    if not loose:
        return []
    asked = repository.git.run(
        repository.root, "cat-file", "--batch-check", stdin="".join(f"{x}\n" for x in loose).encode()
    )
    rows = (line.split(" ") for line in asked.out.decode(errors="replace").splitlines())
    commits = [row[0] for row in rows if len(row) == 3 and row[1] == "commit"]
    words = ("rev-list", "--stdin", "--not", "--all", "--reflog")
    answer = repository.git.run(repository.root, *words, stdin="".join(f"{x}\n" for x in commits).encode())
    lost = set(answer.out.decode(errors="replace").split())
    return [commit for commit in commits if commit in lost]


def _find_loose(objects: Path, since: Stamp | None) -> list[str]:
    """Ids of loose objects; where there are many, only of those written since the session began."""
    found: list[os.DirEntry[str]] = []
    try:
        for directory in os.scandir(objects):
            if len(directory.name) == 2:
                found += os.scandir(directory)
        if len(found) > _MANY_LOOSE:
            start = seconds_of(since) - _SLACK if since is not None else 0.0
            found = [entry for entry in found if entry.stat().st_mtime >= start]
    except OSError:
        return []
    return [entry.path[-len(entry.name) - 3 : -len(entry.name) - 1] + entry.name for entry in found[:_MOST_LOOSE]]


def find_places(folded: Folded, paths: Sequence[str], archive: Archive, kinds: Sequence[PlaceKind]) -> list[FoundIn]:
    """Where the recorded result stands among an archive's versions: for each ref the newest one that holds it."""
    found: dict[tuple[PlaceKind, str | None], FoundIn] = {}
    judged: dict[str | None, bool] = {}
    for path in paths:
        for version in reversed(archive.of([path], *kinds)):
            key = (version.place, version.ref)
            if key in found:
                continue
            if version.oid not in judged:
                judged[version.oid] = judge(folded, archive.content(version)).state in STANDS
            if judged[version.oid]:
                found[key] = FoundIn(version.place, path, version.ref, version.commit)
    order = list(PlaceKind)
    return sorted(found.values(), key=lambda place: order.index(place.where))


def find_in_worktrees(folded: Folded, paths: Sequence[str], archive: Archive, here: str) -> list[FoundIn]:
    """Other worktrees of the repository whose file of that name has the recorded result."""
    found: list[FoundIn] = []
    for worktree in archive.worktrees:
        if worktree == here:
            continue
        for path in paths:
            full = str(Path(worktree) / path)
            if full != folded.path and judge(folded, read_content(full, worktree)).state in STANDS:
                found.append(FoundIn(PlaceKind.OTHER_WORKTREE, full, worktree, None))
    return found


def find_backups(
    folded: Folded, backups: Mapping[str, Sequence[tuple[str, Content]]], known: Sequence[Content]
) -> list[FoundIn]:
    """Backups of the agent that hold a text which stands nowhere else that is known."""
    texts = {content.text for content in known if content.kind == "text"}
    rows = [(source, content) for source, content in backups.get(folded.path, ()) if content.kind == "text"]
    return [
        FoundIn(PlaceKind.AGENT_BACKUP, source, None, None)
        for source, content in reversed(rows)
        if content.text not in texts
    ]


def find_in_record(folded: Folded) -> list[FoundIn]:
    """The record itself, where it holds the whole content."""
    made = folded.made
    if folded.text is None or not made or folded.deleted:
        return []
    return [FoundIn(PlaceKind.RECORD, made[-1].transcript or None, f"step {made[-1].step}", None)]


def is_saved(places: Sequence[FoundIn]) -> bool:
    """Whether recorded content stands in a place that counts as saved."""
    return any(place.where in SAVED_PLACES for place in places)
