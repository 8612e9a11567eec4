"""What sessions recorded, as a comparison wants it: a session's own record folded, and what others' say of its files.

Pure, apart from the agent's own backups, which are read. Refuses to judge whose anything is.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from pathlib import Path

from refloat.checkout.files import Content, read_content
from refloat.checkout.fold import Folded, Known, Standing, fold
from refloat.checkout.swept import with_swept
from refloat.checkout.trees import Trees
from refloat.commands import may_undo
from refloat.late import Once
from refloat.model.light import light
from refloat.model.session import SessionName
from refloat.model.story import Story
from refloat.model.transcript import FileEdit, Outcome, Step, Touched


def name_of(story: Story) -> SessionName:
    """`agent:id` of the session."""
    return SessionName(f"{story.summary.agent}:{story.summary.session_id}")


def may_take_away(step: Step) -> bool:
    """Whether a step can have taken work away from the worktree."""
    return step.command is not None and step.outcome is not Outcome.DENIED and may_undo(step.command)


@light
class OtherRecord:
    """What another session's record says."""

    name: SessionName
    folded: Mapping[str, Folded]
    undoing: Sequence[Step]
    """Those that can have taken work away."""


@light
class OwnRecord:
    """What the session's own record says: all of a survey that asks nothing of the repository."""

    steps: Sequence[Step]
    folded: Mapping[str, Folded]
    without_superseded: Mapping[str, Folded]
    backups: Mapping[str, Sequence[tuple[str, Content]]]
    known: Mapping[str, Sequence[Known]]
    """Whole contents that the record shows apart from edits, oldest first."""


def fold_record(story: Story, trees: Trees) -> OwnRecord:
    """Fold a session's record; nothing of the disk is read but backups, and asked but what is swept away."""
    real = trees.real
    steps = with_swept(list(story.every_step), real, os.path.lexists, trees.may_ignore)
    backups = _load_backups(story, real)
    known = _known(story, backups, real)
    folded = fold(steps, known, real=real)
    taken_back = {path for path, file in folded.items() if any(r.standing is Standing.SUPERSEDED for r in file.edits)}
    kept = fold(steps, known, real=real, without=frozenset({Standing.SUPERSEDED})) if taken_back else {}
    return OwnRecord(steps, folded, {path: kept[path] for path in taken_back if path in kept}, backups, known)


class OtherRecords(Iterable[OtherRecord]):
    """What others' records say of the files that are dirty, or `edited` by the session itself. Each is folded when it
    is first looked at, and none of the session's `own` name.
    """

    def __init__(self, stories: Sequence[Story], own: SessionName, edited: Iterable[str], trees: Trees) -> None:
        self._trees = trees
        # None of them made by a method of its own: such a value would live until somebody looks for cycles.
        self._stories = Once(lambda: [story for story in stories if name_of(story) != own])
        self._only = Once(partial(_told_files, trees, frozenset(edited)))
        self._told = Once(partial(_told_of_files, trees, self._stories))
        self._made: dict[int, OtherRecord] = {}

    def __iter__(self) -> Iterator[OtherRecord]:
        return map(self._at, range(len(self._stories())))

    def _at(self, at: int) -> OtherRecord:
        if at not in self._made:
            self._made[at] = self._record(self._stories()[at])
        return self._made[at]

    def that_may_have_removed(self, line: str, real: str) -> Iterator[OtherRecord]:
        """Those that can have taken a line away from a file, in their order: where neither an edit of it nor a look at
        it holds the line, its edits removed none like it, and nothing need be folded.
        """
        for at, seen in self._told().get(real, {}).items():
            if _may_hold(line, seen):
                yield self._at(at)

    def _record(self, story: Story) -> OtherRecord:
        real, steps = self._trees.real, list(story.every_step)
        folded = fold(steps, _known(story, {}, real), real=real, only=self._only())
        return OtherRecord(name_of(story), folded, [step for step in steps if may_take_away(step)])


def _told_files(trees: Trees, edited: frozenset[str]) -> AbstractSet[str]:
    main = trees.main
    return edited.union(f"{main.root}/{path}" for path in main.entries) if main else edited


def _told_of_files(
    trees: Trees, stories: Callable[[], Sequence[Story]]
) -> dict[str, dict[int, list[FileEdit | Touched]]]:
    """By file, and by number of the story: all that the fold of the file gets its lines from."""
    told: dict[str, dict[int, list[FileEdit | Touched]]] = {}
    named: dict[str, dict[int, list[FileEdit | Touched]]] = {}  # by the path as recorded: of thousands, a few
    for at, story in enumerate(stories()):
        for path, one in _told_in(story):
            rows = named.get(path)
            if rows is None:
                rows = named[path] = told.setdefault(trees.real(path), {})
            if at in rows:
                rows[at].append(one)
            else:
                rows[at] = [one]
    return told


def _told_in(story: Story) -> Iterator[tuple[str, FileEdit | Touched]]:
    """Every edit and every look at a file, with the path that it changes or shows; a move changes two."""
    for own in (story, *story.subagents.values()):
        for item in own.items:
            if item.step is not None:
                for edit in item.step.edits:
                    yield edit.path, edit
                    if edit.moved_to is not None:
                        yield edit.moved_to, edit
    for row in story.touched:
        yield row.path, row


def _may_hold(line: str, told: Iterable[FileEdit | Touched]) -> bool:
    """Whether a file can get a line from some edits and looks at it. An edit without positions puts lines together from
    parts, and a move takes over those of another file: whatever comes of these is not looked at.
    """
    for one in told:
        if isinstance(one, Touched):
            if one.content is not None and line in one.content:
                return True
            continue
        for hunk in one.hunks:
            if hunk.old_start is None:
                return True
            for row in hunk.lines:
                if line in row:
                    return True
        if one.moved_to is not None or line in (one.before or "") or line in (one.after or ""):
            return True
    return False


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
