"""Where recorded content still stands when the worktree does not have it.

Decides in which order places are looked at, and when a content counts as the recorded one: as `compare` says `present`
or `changed_since` of it. Refuses to look at dear places (unreachable commits) for what was found in a cheap one.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Final

from refloat.checkout.compare import STANDS, judge
from refloat.checkout.dangling import Store
from refloat.checkout.files import MISSING, Content, content_of, read_content
from refloat.checkout.fold import Folded
from refloat.checkout.lines import bare_lines, tells
from refloat.checkout.porcelain import LoggedCommit
from refloat.checkout.rejoin import bytes_of
from refloat.checkout.repository import Repository
from refloat.model.checkout import SAVED_PLACES, FileState, FoundIn, PlaceKind
from refloat.model.light import field, light, slotted
from refloat.model.stamp import Stamp
from refloat.together import Running

_MOST_LOST: Final = 5_000
"""Unreachable commits that are looked into."""


INDEX: Final = "index"
"""`ref` of a place that is the worktree's index: staged, whatever the disk has."""


@light
class Version:
    """A content that a path has in some commit, stash or the like."""

    place: PlaceKind
    ref: str | None
    commit: str | None
    """None: a content that was staged and never committed; `ref` names it."""
    at: Stamp | None
    oid: str | None
    """None: the path is deleted there."""
    on_head: bool = False


@slotted
class Archive:
    """All versions of some paths that the repository keeps since a moment, asked for once."""

    store: Store
    versions: dict[str, list[Version]] = field(default_factory=dict[str, list[Version]])
    """By path relative to the root; oldest first within each kind of place."""
    worktrees: Sequence[str] = ()

    @property
    def repository(self) -> Repository:
        """Whose versions they are."""
        return self.store.repository

    def of(self, paths: Iterable[str], *kinds: PlaceKind) -> list[Version]:
        """The versions of a file in places of these kinds, under any of the paths that it may have there."""
        return [v for path in paths for v in self.versions.get(path, ()) if not kinds or v.place in kinds]

    def content(self, version: Version) -> Content:
        """The content of a version."""
        data = self.repository.load_objects([version.oid]).get(version.oid) if version.oid else None
        return MISSING if data is None else content_of(data)

    def bytes_at(self, place: FoundIn) -> bytes | None:
        """The exact content at one of the places found here."""
        for version in self.versions.get(place.path or "", ()):
            if (version.place, version.ref, version.commit) == (place.where, place.ref, place.commit) and version.oid:
                return self.repository.load_objects([version.oid]).get(version.oid)
        return None

    def lines(self, version: Version) -> frozenset[str]:
        """Its lines; none where it is no text."""
        content = self.content(version)
        return frozenset(bare_lines(content.text)) if content.kind == "text" else frozenset()

    def prefetch(self, versions: Iterable[Version]) -> None:
        """Ask git for the contents of many versions at once."""
        self.repository.load_objects(version.oid for version in versions if version.oid)


def open_archive(store: Store, paths: Sequence[str], base: str | None, worktrees: Sequence[str]) -> Archive:
    """Every version of the paths in branches, tags, remotes and stashes since the session began."""
    archive = Archive(store, worktrees=worktrees)
    repository, since = store.repository, store.since
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


def add_lost_commits(archive: Archive, paths: Sequence[str], snapshots: Sequence[str]) -> None:
    """Versions that no branch holds: commits of the reflogs, snapshots that an agent made, unreachable commits."""
    repository = archive.repository
    held = {version.commit for versions in archive.versions.values() for version in versions}
    wanted = set(paths)
    names = {sha: f"HEAD@{{{index}}}" for index, (_, sha) in reversed(list(enumerate(repository.reflog)))}
    for commit in reversed(archive.store.find_logged().result()):
        if commit.sha not in held and any(blob.path in wanted for blob in commit.blobs):
            held.add(commit.sha)
            _add(archive, commit, PlaceKind.REFLOG, names.get(commit.sha))
    lost = [sha for sha in (*snapshots, *archive.store.find_commits().result()) if sha not in held]
    existing = list(dict.fromkeys(repository.find_existing(lost).values()))[:_MOST_LOST]
    found: list[LoggedCommit] = []
    for start in range(0, len(existing), 500):
        words = ("--no-walk=unsorted", "--root", *existing[start : start + 500])
        found += repository.find_commits(*words, paths=paths)
    for commit in sorted(found, key=lambda commit: commit.at or ""):
        _add(archive, commit, PlaceKind.UNREACHABLE_COMMIT, None)


def add_lost_contents(archive: Archive, lost: Mapping[str, Folded], names: Mapping[str, Sequence[str]]) -> None:
    """Contents that were staged once and that nothing names any more, by the recorded result that they equal.

    `lost` are the files that stand nowhere else; `names` says what each is called in the repository.
    """
    repository = archive.repository
    named = {version.oid for versions in archive.versions.values() for version in versions}
    exact = {oid: real for real, folded in lost.items() for oid in _oids(repository, folded)}
    found = {exact[oid]: oid for oid in archive.store.holds(exact) if oid not in named} if exact else {}
    vague = {real: folded for real, folded in lost.items() if folded.text is None and folded.pieces and names[real]}
    if vague:
        found |= _find_young(archive.store, vague, named)
    dangling = archive.store.unreachable(set(found.values()))
    for real, oid in found.items():
        if oid in dangling and names[real]:
            version = Version(PlaceKind.UNREACHABLE_COMMIT, f"blob {oid}", None, None, oid)
            archive.versions.setdefault(names[real][0], []).append(version)


def _find_young(store: Store, vague: Mapping[str, Folded], named: AbstractSet[str | None]) -> dict[str, str]:
    """Which young content is what mere hunks say of a file; only contents with a line that it added are judged."""
    by_line: dict[str, list[str]] = {}
    parts: list[tuple[str, str]] = []
    """Of replacements within lines: a text, and the file that it should stand in."""
    for real, folded in vague.items():
        line = next(filter(tells, sorted(folded.traces.added, key=len, reverse=True)), None)
        if line is not None and any(piece.loose for piece in folded.pieces):
            parts.append((line, real))
        elif line is not None:
            by_line.setdefault(line, []).append(real)
    found: dict[str, str] = {}
    for oid, data in store.young_blobs().items():
        content = content_of(data)
        if content.kind != "text" or oid in named:
            continue
        likely = [real for line in by_line.keys() & set(bare_lines(content.text)) for real in by_line[line]]
        likely += [real for part, real in parts if part in content.text]
        for real in likely:
            if real not in found and judge(vague[real], content).state is FileState.PRESENT:
                found[real] = oid
    return found


def _oids(repository: Repository, folded: Folded) -> set[str]:
    """Ids of the recorded result, as it is and with the line ends that git keeps."""
    data = bytes_of(folded.text) if folded.text else b""
    return {repository.oid(data), repository.oid(data.replace(b"\r\n", b"\n"))} if data else set()


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


def find_in_worktrees(folded: Folded, paths: Sequence[str], archive: Archive, own: str) -> list[FoundIn]:
    """Worktrees of the repository whose file of that name, but for the file's `own` path, has the recorded result."""
    found: list[FoundIn] = []
    for worktree in archive.worktrees:
        for path in paths:
            full = str(Path(worktree) / path)
            if full not in (folded.path, own) and judge(folded, read_content(full, worktree)).state in STANDS:
                found.append(FoundIn(PlaceKind.OTHER_WORKTREE, full, worktree, None))
    return found


def find_staged(folded: Folded, path: str, name: str, repository: Repository) -> list[FoundIn]:
    """The index of the worktree, where it has the recorded result though the disk has not."""
    entry = repository.entries.get(name)
    data = repository.load_objects([entry.index]).get(entry.index) if entry is not None and entry.index else None
    if data is None or judge(folded, content_of(data)).state not in STANDS:
        return []
    return [FoundIn(PlaceKind.WORKTREE, path, INDEX, None)]


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


def find_in_record(folded: Folded, *, hunks: bool) -> list[FoundIn]:
    """The record itself, where it holds the whole content, or (`hunks`) all that was changed."""
    made = folded.made
    held = folded.text is not None or (hunks and folded.pieces and not folded.blind)
    if not held or not made or folded.deleted:
        return []
    return [FoundIn(PlaceKind.RECORD, made[-1].transcript or None, f"step {made[-1].step}", None)]


def is_saved(places: Sequence[FoundIn]) -> bool:
    """Whether recorded content stands in a place that counts as saved."""
    return any(place.where in SAVED_PLACES for place in places)
