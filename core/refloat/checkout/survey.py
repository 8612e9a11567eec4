"""One comparison of a session with its checkout: what was asked once and is used for every file.

Decides which questions are asked at all: places that hold lost content are searched only when something is missing.
Refuses to know how an answer is shown.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Final

from refloat.checkout.compare import STANDS, Comparison, judge
from refloat.checkout.files import Content, content_of, read_content
from refloat.checkout.fold import Folded, Known, Standing, fold
from refloat.checkout.lines import bare, bare_lines
from refloat.checkout.owners import UNKNOWN, Fallback, Witness
from refloat.checkout.places import Archive, open_archive
from refloat.checkout.repository import Repository
from refloat.checkout.trees import Trees, names_in
from refloat.commands import may_undo, may_write
from refloat.model.checkout import FileState, Owner
from refloat.model.light import light, slotted
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp, later, stamp_of_seconds
from refloat.model.story import Story
from refloat.model.transcript import Outcome, Step, StepKind
from refloat.together import Running

_RANK: Final = tuple(FileState)


def name_of(story: Story) -> SessionName:
    """`agent:id` of the session."""
    return SessionName(f"{story.summary.agent}:{story.summary.session_id}")


@light
class OtherRecord:
    """What another session's record says."""

    name: SessionName
    folded: Mapping[str, Folded]
    steps: Sequence[Step]


@slotted
class Survey:
    """Everything that the answers of one comparison rest on."""

    story: Story
    trees: Trees
    steps: Sequence[Step]
    folded: Mapping[str, Folded]
    without_superseded: Mapping[str, Folded]
    others: Sequence[OtherRecord]
    backups: Mapping[str, Sequence[tuple[str, Content]]]
    base: str | None
    missing_workspace: str | None
    moved: dict[str, str] = field(default_factory=dict[str, str])
    """Files that are gone from their path, and where their content stands now; filled before places are looked at."""
    _edited_by: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    _targets: dict[str, str] = field(default_factory=dict[str, str])
    _contents: dict[str, Content] = field(default_factory=dict[str, Content])
    _comparisons: dict[str, Comparison] = field(default_factory=dict[str, Comparison])
    _archives: dict[str, Archive] = field(default_factory=dict[str, Archive])
    _opening: Running[Archive] | None = None
    _tracked: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    _chosen: dict[Callable[[Step], bool], Sequence[Step]] = field(
        default_factory=dict[Callable[[Step], bool], Sequence[Step]]
    )

    @property
    def name(self) -> SessionName:
        """`agent:id` of the session."""
        return name_of(self.story)

    @property
    def since(self) -> Stamp | None:
        """When the session began."""
        return self.story.summary.started_at

    def content(self, real: str) -> Content:
        """What lies at a path now."""
        if real not in self._contents:
            self._contents[real] = self._read(real)
        return self._contents[real]

    def _read(self, real: str) -> Content:
        if not real.startswith("/"):
            return Content("unreadable")
        repository = self.trees.of(real)
        return read_content(real, str(repository.root) if repository else self.trees.workspace)

    def comparison(self, real: str) -> Comparison:
        """What became of a file that the session edited."""
        if real not in self._comparisons:
            self._comparisons[real] = self._compare(real)
        return self._comparisons[real]

    def _compare(self, real: str) -> Comparison:
        folded = self.folded[real]
        if folded.made and self.missing_workspace and (real + "/").startswith(self.missing_workspace.rstrip("/") + "/"):
            return Comparison(FileState.UNVERIFIABLE, "the workspace is gone: there is nothing to compare with")
        made = judge(folded, self.content(real))
        kept = self.without_superseded.get(real)
        if kept is None or made.state in STANDS:
            return made
        if not kept.pieces and not kept.deleted:
            return Comparison(made.state, f"its edits were taken back with their part of the talk; {made.why}",
                              made.origins, made.lines)  # fmt: skip
        other = judge(kept, self.content(real))
        if _RANK.index(other.state) < _RANK.index(made.state):
            return Comparison(
                other.state, f"{other.why}; edits that were taken back are left out", made.origins, made.lines
            )
        return made

    def witnesses(self, real: str) -> list[Witness]:
        """What each session's record says of a file; this one's first."""
        found: list[Witness] = []
        for path in self._aliases(self.target(real)):
            folded = self.folded[path]
            earliest = frozenset(map(bare, folded.first_lines or ()))
            earlier = earliest - frozenset(bare_lines(self.head_text(path) or ""))
            found.append(Witness(self.name, True, folded, self.comparison(path), earlier, earliest))
        for record in self.others:
            folded = record.folded.get(real)
            if folded is not None and folded.made:
                found.append(
                    Witness(record.name, own=False, folded=folded, comparison=judge(folded, self.content(real)))
                )
        return found

    def made_whole(self, real: str) -> bool:
        """Whether the record alone leads from HEAD's content to the one on disk."""
        folded, content = self.folded.get(real), self.content(real)
        if folded is None or folded.text is None or folded.first_text is None or content.kind != "text":
            return False
        return folded.text == content.text and folded.first_text == self.head_text(real)

    def head_text(self, real: str) -> str | None:
        """The text of a dirty file in HEAD; None where HEAD has none, or the file is not dirty."""
        inside = self.place_in_tree(real)
        entry = inside[0].entries.get(inside[1]) if inside is not None else None
        if inside is None or entry is None or entry.head is None:
            return None
        data = inside[0].load_objects([entry.head]).get(entry.head)
        content = content_of(data) if data is not None else None
        return content.text if content is not None and content.kind == "text" else None

    def prefetch_heads(self) -> None:
        """Ask for HEAD's contents of every dirty file that was edited, at once for each repository."""
        wanted: dict[str, tuple[Repository, list[str]]] = {}
        for real in self.folded:
            inside = self.place_in_tree(real)
            entry = inside[0].entries.get(inside[1]) if inside is not None else None
            if inside is not None and entry is not None and entry.head is not None:
                wanted.setdefault(str(inside[0].root), (inside[0], []))[1].append(entry.head)
        for repository, oids in wanted.values():
            repository.load_objects(oids)

    def target(self, real: str) -> str:
        """The file that an edit of a path writes: where a link within one worktree leads, else the path itself."""
        if real not in self._targets:
            path = os.path.realpath(real) if os.path.islink(real) else real  # noqa: PTH114 - thousands of paths
            inside = path != real and self.trees.of(path) is not None and self.trees.of(path) is self.trees.of(real)
            self._targets[real] = path if inside else real
        return self._targets[real]

    def _aliases(self, real: str) -> list[str]:
        """Links by which the session edited a file; the file's own path first where it edited that."""
        if not self._edited_by:
            for path in self.folded:
                if self.folded[path].made:
                    self._edited_by.setdefault(self.target(path), []).append(path)
        return self._edited_by.get(real, [])

    def place_in_tree(self, real: str) -> tuple[Repository, str] | None:
        """The repository that a path lies in, and the path relative to its root."""
        real = self.target(real)
        repository = self.trees.of(real)
        if repository is None:
            return None
        return repository, real[len(str(repository.root).rstrip("/")) + 1 :]

    def is_tracked(self, repository: Repository, path: str) -> bool:
        """Whether git tracks a path that `git status` does not tell: else it is ignored."""
        key = str(repository.root)
        if key not in self._tracked:
            inside = (self.place_in_tree(real) for real in (*self.folded, *self.moved.values()))
            clean = [p[1] for p in inside if p is not None and p[0] is repository and p[1] not in repository.entries]
            self._tracked[key] = repository.find_tracked(clean)
        return path in self._tracked[key]

    def archive(self, real: str) -> tuple[Archive, list[str]] | None:
        """What the repository keeps of a file, and what it is called there; None where there is no repository."""
        repository = self.trees.of(real) or self.trees.main
        if repository is None:
            return None
        key = str(repository.root)
        if key not in self._archives:
            begun = self._opening if repository is self.trees.main and not self.moved else None
            self._archives[key] = begun.result() if begun is not None else self._opener(repository)()
        archive = self._archives[key]
        names = self._names(real, repository, archive.worktrees)
        return (archive, names) if names else None

    def _names(self, real: str, repository: Repository, worktrees: Sequence[str]) -> list[str]:
        paths = dict.fromkeys((self.target(real), real))
        return [name for path in paths for name in names_in(path, repository, worktrees)]

    def begin_archive(self) -> None:
        """Begin to ask what the session's repository keeps, before it is known what has moved."""
        if self.trees.main is not None and self.folded:
            self._opening = Running(self._opener(self.trees.main))

    def _opener(self, repository: Repository) -> Callable[[], Archive]:
        worktrees = repository.find_worktrees()
        wanted = [*self.folded, *self.moved.values()]
        names = [name for real in wanted for name in self._names(real, repository, worktrees)]
        base = self.base if repository is self.trees.main else None
        since = self.since

        def ask() -> Archive:
            archive = open_archive(repository, list(dict.fromkeys(names)), base, since, worktrees)
            archive.prefetch(archive.of(names))
            return archive

        return ask

    def fallback(self, mtime: float | None) -> Fallback:
        """Who made what no text explains, from when the file was last written."""
        written = stamp_of_seconds(mtime) if mtime is not None else None
        if written is None:
            return UNKNOWN
        if self.since is not None and written < self.since:
            return Fallback(Owner.PREDATES, f"last written at {written}, before the session's first record")
        step = next((s for s in self._commands(_may_write) if _wrote_at(s, written)), None)
        if step is not None:
            return Fallback(Owner.COMMAND, f"written at {written}, while step {step.n} ran: {step.command}")
        return UNKNOWN

    def undone_by(self, real: str) -> str | None:
        """The first recorded command behind the session's last edit of a file that can have taken it away."""
        last = max((row.ended_at or row.at or "" for row in self.folded[real].made), default="")
        found = [(s.at or "", f"step {s.n}") for s in self._commands(_may_undo) if _can_undo(s, last, real)]
        for record in self.others:
            found += [(s.at or "", str(record.name)) for s in record.steps if _may_undo(s) and _can_undo(s, last, real)]
        return min(found)[1] if found else None

    def _commands(self, wanted: Callable[[Step], bool]) -> Sequence[Step]:
        """The session's steps of a kind, sought once: each dirty file asks for them."""
        if wanted not in self._chosen:
            self._chosen[wanted] = [step for step in self.steps if wanted(step)]
        return self._chosen[wanted]


def _may_write(step: Step) -> bool:
    if step.command is None or step.at is None or step.ended_at is None or not may_write(step.command):
        return False
    return step.kind in (StepKind.COMMAND, StepKind.CHECK, StepKind.EXTERNAL, StepKind.EDIT)


def _wrote_at(step: Step, written: Stamp) -> bool:
    return step.at is not None and step.ended_at is not None and step.at <= written <= later(step.ended_at, 0.001)


def _may_undo(step: Step) -> bool:
    return step.command is not None and step.outcome is not Outcome.DENIED and may_undo(step.command)


def _can_undo(step: Step, after: str, real: str) -> bool:
    if step.command is None or (step.at or "") < after:
        return False
    return "git" in step.command or any(part in step.command for part in real.split("/")[-3:] if len(part) > 1)


@light
class OwnRecord:
    """What the session's own record says: all of a survey that asks nothing of the repository."""

    steps: Sequence[Step]
    folded: Mapping[str, Folded]
    without_superseded: Mapping[str, Folded]
    backups: Mapping[str, Sequence[tuple[str, Content]]]


def fold_record(story: Story, real: Callable[[str], str]) -> OwnRecord:
    """Fold a session's record; nothing of the disk is read but the agent's backups."""
    steps = list(story.every_step)
    backups = _load_backups(story, real)
    known = _known(story, backups, real)
    folded = fold(steps, known, real=real)
    taken_back = {path for path, file in folded.items() if any(r.standing is Standing.SUPERSEDED for r in file.edits)}
    kept = fold(steps, known, real=real, without=frozenset({Standing.SUPERSEDED})) if taken_back else {}
    return OwnRecord(steps, folded, {path: kept[path] for path in taken_back if path in kept}, backups)


def survey(
    trees: Trees,
    story: Story,
    others: Sequence[Story],
    base: str | None,
    missing_workspace: str | None,
    own: OwnRecord | None = None,
) -> Survey:
    """Put together what the session's record says (`own`, where it was folded already) and what the others' do."""
    own = own or fold_record(story, trees.real)
    return Survey(
        story,
        trees,
        own.steps,
        own.folded,
        own.without_superseded,
        tuple(_other_records(others, name_of(story), set(own.folded), trees)),
        own.backups,
        base,
        missing_workspace,
    )


def _other_records(stories: Iterable[Story], own: SessionName, edited: set[str], trees: Trees) -> Iterable[OtherRecord]:
    dirty = {f"{trees.main.root}/{path}" for path in trees.main.entries} if trees.main else set[str]()
    for story in stories:
        if name_of(story) != own:
            steps = list(story.every_step)
            folded = fold(steps, _known(story, {}, trees.real), real=trees.real)
            wanted = {real: file for real, file in folded.items() if real in dirty or real in edited}
            yield OtherRecord(name_of(story), wanted, steps)


def _load_backups(story: Story, real: Callable[[str], str]) -> dict[str, list[tuple[str, Content]]]:
    found: dict[str, list[tuple[str, Content]]] = {}
    for row in story.touched:
        if row.kind == "backup" and row.source.startswith("/"):
            content = read_content(row.source, str(Path(row.source).parent))
            if content.kind != "missing":
                found.setdefault(real(row.path), []).append((row.source, content))
    return found


def _known(
    story: Story, backups: Mapping[str, Sequence[tuple[str, Content]]], real: Callable[[str], str]
) -> dict[str, list[Known]]:
    """Whole contents that the record shows apart from edits, oldest first."""
    texts = {source: content.text for rows in backups.values() for source, content in rows if content.kind == "text"}
    found: dict[str, list[Known]] = {}
    for row in sorted(story.touched, key=lambda row: row.at or ""):
        text = row.content if row.content is not None else texts.get(row.source)
        if text is not None and row.kind in ("read", "backup"):
            found.setdefault(real(row.path), []).append(Known(row.at, text))
    return found
