"""Where files of worktrees that are gone belong now: under the name that they had in them, in the session's repository.

Decides by git's list of worktrees, by where agents put theirs, and by the names: a directory that the session worked in
was a worktree where files that it edited there have their names in the repository, and the directory itself is in none
of its trees. Refuses to take a mere folder that was deleted for a worktree.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence

from refloat.checkout.repository import Repository
from refloat.checkout.survey import Survey
from refloat.checkout.trees import HABITS
from refloat.there import is_there


def find_homes(survey: Survey, repository: Repository, reals: Sequence[str], names: Collection[str]) -> dict[str, str]:
    """The path in the session's repository for each file whose worktree is gone; `names` are those of its trees."""
    root = str(repository.root).rstrip("/")
    gone = sorted(_gone(survey, repository, reals, root, names), key=len, reverse=True)
    above = {real: next((one for one in gone if real.startswith(f"{one}/")), None) for real in reals}
    return {real: root + real[len(one) :] for real, one in above.items() if one is not None}


def _gone(
    survey: Survey, repository: Repository, reals: Iterable[str], root: str, names: Collection[str]
) -> Iterator[str]:
    for path in repository.find_worktrees():
        if not is_there(path):
            yield path.rstrip("/")
    for path in survey.gone_places:
        if path.startswith(f"{root}/") and _was_worktree(survey, path, root, names):
            yield path
    for real in reals:
        for habit in HABITS:
            name = real.removeprefix(f"{root}/{habit}").partition("/")[0]
            if real.startswith(f"{root}/{habit}{name}/") and not is_there(f"{root}/{habit}{name}"):
                yield f"{root}/{habit}{name}"


def _was_worktree(survey: Survey, path: str, root: str, names: Collection[str]) -> bool:
    inner = [real[len(path) + 1 :] for real in survey.folded if real.startswith(f"{path}/")]
    folder = path[len(root) + 1 :] + "/"
    return any(name in names for name in inner) and not any(name.startswith(folder) for name in names)
