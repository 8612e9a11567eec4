"""What sessions recorded, as a comparison wants it: a session's own record folded, and what others' say of its files.

Pure, apart from the agent's own backups, which are read. Refuses to judge whose anything is.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from refloat.checkout.files import Content, read_content
from refloat.checkout.fold import Folded, Known, Standing, fold
from refloat.checkout.trees import Trees
from refloat.commands import may_undo
from refloat.model.light import light
from refloat.model.session import SessionName
from refloat.model.story import Story
from refloat.model.transcript import Outcome, Step


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


def fold_record(story: Story, real: Callable[[str], str]) -> OwnRecord:
    """Fold a session's record; nothing of the disk is read but the agent's backups."""
    steps = list(story.every_step)
    backups = _load_backups(story, real)
    known = _known(story, backups, real)
    folded = fold(steps, known, real=real)
    taken_back = {path for path, file in folded.items() if any(r.standing is Standing.SUPERSEDED for r in file.edits)}
    kept = fold(steps, known, real=real, without=frozenset({Standing.SUPERSEDED})) if taken_back else {}
    return OwnRecord(steps, folded, {path: kept[path] for path in taken_back if path in kept}, backups, known)


def other_records(stories: Iterable[Story], own: SessionName, edited: set[str], trees: Trees) -> Iterable[OtherRecord]:
    """What others' records say of the files that are dirty, or `edited` by the session itself."""
    dirty = {f"{trees.main.root}/{path}" for path in trees.main.entries} if trees.main else set[str]()
    for story in stories:
        if name_of(story) != own:
            steps = list(story.every_step)
            folded = fold(steps, _known(story, {}, trees.real), real=trees.real, only=dirty | edited)
            yield OtherRecord(name_of(story), folded, [step for step in steps if may_take_away(step)])


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
