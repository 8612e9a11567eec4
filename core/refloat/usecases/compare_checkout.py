"""Compare what a session recorded with the checkout as it is (design §4).

Joins the fold of the record, the state of the repository and the judgement of owners, fates and checks. Writes nothing,
takes no lock, and asks git a fixed number of questions however many files there are.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from refloat.checkout.beforehand import tell_befores
from refloat.checkout.checks import Tree, find_checks
from refloat.checkout.edited import find_edited
from refloat.checkout.others import find_other_changes, is_own
from refloat.checkout.recorded import OwnRecord, fold_record, name_of
from refloat.checkout.repository import Repository
from refloat.checkout.survey import Survey, survey
from refloat.checkout.trees import Trees, dirty_times
from refloat.late import Once
from refloat.model.checkout import Base, Checkout, CheckRun, Warned
from refloat.model.light import light
from refloat.model.story import Story, Summary
from refloat.there import is_directory, is_there
from refloat.together import Running
from refloat.usecases.ahead import Ahead
from refloat.usecases.workbench import Workbench


@light
class Scene:
    """Where a session worked, as it is now."""

    workspace: Path | None
    missing: str | None
    """The workspace that is gone."""
    repository: Repository | None


def see_scene(bench: Workbench, story: Story, ahead: Ahead | None = None) -> Scene:
    """Look at where a session worked: the one survey of its repository, dear where that is large, and the reason to
    begin it `ahead`.
    """
    workspace = _workspace(story.summary)
    missing = story.summary.workspace if workspace is None else None
    place = workspace or _repository_around(missing)
    ahead = ahead or Ahead(bench.machine.git)
    repository = ahead.repository(place) if place is not None else None
    return Scene(workspace, missing, repository)


def begin_comparison(bench: Workbench, story: Story) -> tuple[Trees, OwnRecord]:
    """What of a comparison needs no survey of the repository: the record, under the names that paths have here."""
    trees = _trees(bench, story)
    return trees, fold_record(story, trees)


def _trees(bench: Workbench, story: Story) -> Trees:
    workspace = _workspace(story.summary)
    return Trees(bench.machine.git, None, str(workspace) if workspace else story.summary.workspace)


@light
class Looked:
    """A session's record beside its checkout, before anything is judged."""

    scene: Scene
    survey: Survey
    base: Base
    warnings: Sequence[Warned]


def look_at(
    bench: Workbench,
    story: Story,
    others: Sequence[Story],
    scene: Scene,
    begun: tuple[Trees, OwnRecord] | None = None,
) -> Looked:
    """Put the record of a session beside its checkout. Raises nothing: what could not be looked at is a warning."""
    told: list[Warned] = []
    workspace, missing, repository = scene.workspace, scene.missing, scene.repository
    if missing is not None and repository is None:
        told.append(Warned("the workspace is gone: nothing could be compared", missing))
    elif missing is not None:
        told.append(Warned("the workspace is gone: compared with the repository that it lay in", missing))
    if workspace is not None and repository is None:
        told.append(_no_repository(bench, workspace))
    trees, own = begun or (_trees(bench, story), None)
    trees.main = repository
    base = _base(story.summary, repository)
    known = base.head if repository and base.head and repository.find_existing([base.head]) else None
    if base.head is not None and known is None and repository is not None:
        base = Base(base.head, f"{base.how}; it is no longer in the repository")
    gone = trees.real(missing) if missing and repository is None else None
    looked = survey(trees, story, others, known, gone, own)
    tell_befores(looked)
    return Looked(scene, looked, base, told)


def compare_checkout(
    bench: Workbench,
    story: Story,
    *,
    others: Sequence[Story] = (),
    warnings: Sequence[Warned] = (),
    scene: Scene | None = None,
    begun: tuple[Trees, OwnRecord] | None = None,
) -> Checkout:
    """Hold the record of a session against its checkout.

    `others` are the sessions that may own what this one does not (those whose edits name a dirty path), looked at where
    something is dirty or does not stand; `warnings` are passed on as they are then, before those that the comparison
    adds; `scene` is looked at where it was not yet, and the record folded where the comparison was not `begun`. Raises
    nothing for a workspace that is gone, is no repository or cannot be read: the answer says so.
    """
    looked = look_at(bench, story, others, scene or see_scene(bench, story), begun)
    seen, repository = looked.survey, looked.scene.repository
    seen.begin_archive()
    heard = None if repository is None else Running(lambda: bench.machine.git.not_obeyed(repository.root))
    seen.reveal()
    rest = Once(lambda: (find_other_changes(seen), _checks(seen, repository)))  # beside what git still looks for
    files = find_edited(seen, rest)
    changes, checks = rest()
    told = [*warnings, *looked.warnings, *(repository.warnings if repository else ()), *seen.trees.warnings]
    others_heard = _not_obeyed(bench, seen.trees.others.values())
    refused = dict.fromkeys([*(heard.result() if heard is not None else ()), *others_heard])
    told += [warning for warning in refused if warning not in told]
    return Checkout(
        name_of(story),
        str(repository.root) if repository else None,
        repository.head if repository else None,
        repository.status.branch if repository else None,
        looked.base,
        repository.operation if repository else None,
        tuple(told),
        tuple(files),
        tuple(changes),
        checks,
    )


def _not_obeyed(bench: Workbench, repositories: Iterable[Repository | None]) -> Iterator[Warned]:
    """What would have run in these."""
    for repository in repositories:
        if repository is not None:
            yield from bench.machine.git.not_obeyed(repository.root)


def _workspace(summary: Summary) -> Path | None:
    """Where the session worked: the worktree that it entered, else its workspace; None where neither is there."""
    for place in (summary.worktree, summary.workspace, None if summary.workspace else summary.cwd):
        if place and place.startswith("/") and is_directory(place):
            return Path(place)
    return None


def _repository_around(missing: str | None) -> Path | None:
    """Where a workspace that is gone lay in a checkout (a removed worktree below it, a deleted folder): its root."""
    if missing is None or not missing.startswith("/"):
        return None
    return next((folder for folder in Path(missing).parents if is_there(f"{folder}/.git")), None)


def _no_repository(bench: Workbench, workspace: Path) -> Warned:
    if (why := bench.machine.git.why_not()) is not None:
        return Warned(f"{why}: only the files themselves were compared", str(workspace))
    if not os.access(workspace, os.R_OK | os.X_OK):
        return Warned("the workspace may not be looked into: what stands in it is not known", str(workspace))
    inside = next((folder for folder in (workspace, *workspace.parents) if is_there(folder / ".git")), None)
    if inside is None:
        return Warned("the workspace is no git repository: hunks are told against the recorded before", str(workspace))
    said = bench.machine.git.run(workspace, "rev-parse", "--show-toplevel").err.strip().splitlines()
    return Warned(f"git refuses this repository: {said[0] if said else 'it gives no reason'}", str(inside))


def _base(summary: Summary, repository: Repository | None) -> Base:
    if summary.commit:
        return Base(summary.commit, "recorded by the agent when the session began")
    if repository is None:
        return Base(None, "there is no repository")
    if repository.head is None:
        return Base(None, "there is no commit yet")
    head = repository.head_at(summary.started_at)
    if head is None:
        return Base(None, "neither the record nor the reflog says")
    return Base(head, "from the reflog, by the time of the session's first record")


def _checks(looked: Survey, main: Repository | None) -> tuple[CheckRun, ...]:
    trees = looked.trees
    made: dict[str | None, Tree] = {}

    def tree_at(directory: str | None) -> Tree:
        found = trees.of(trees.real(f"{directory}/any")) if directory and directory.startswith("/") else main
        root = str(found.root) if found is not None else None
        if root not in made:
            made[root] = _tree(looked, found)
        return made[root]

    return find_checks(looked.steps, tree_at, trees.real, trees.shown)


def _tree(looked: Survey, repository: Repository | None) -> Tree:
    shown = looked.trees.shown
    if repository is None:
        times = {shown(real): looked.content(real).mtime for real in looked.folded}
        return Tree(None, lambda _moment: None, lambda _old, _new: None, times, lambda _path: None, repository=False)
    root = str(repository.root)
    dirty = dirty_times(repository, looked.state)
    seen = {path: at for path, at in dirty.items() if not is_own(looked, f"{root}/{path.rstrip('/')}")}

    def mtime(path: str) -> float | None:
        return looked.content(path if path.startswith("/") else f"{root}/{path}").mtime

    return Tree(
        repository.head,
        repository.head_at,
        repository.find_changed,
        {shown(f"{root}/{path}"): at for path, at in seen.items()},
        mtime,
        repository=True,
        untracked=frozenset(shown(f"{root}/{path}") for path, entry in repository.entries.items() if entry.xy == "??"),
        root=root,
    )
