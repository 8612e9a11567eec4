"""What a repository holds that would have git run something, or look elsewhere, for a mere question.

Decides what is told of it: names and places, never values, which are other people's text and may hold secrets. Refuses
to run anything to find out.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from refloat.machine.git_options import includes_of, programs_of
from refloat.model.checkout import Warned
from refloat.there import is_plain_file, is_there

_NAMES: Final = (
    "GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES "
    "GIT_NAMESPACE GIT_EXTERNAL_DIFF GIT_CONFIG GIT_SSH GIT_SSH_COMMAND GIT_PROXY_COMMAND GIT_EXEC_PATH "
    "GIT_REPLACE_REF_BASE GIT_ATTR_SOURCE GIT_SHALLOW_FILE"
)
_ELSEWHERE: Final = frozenset(_NAMES.split())
"""Variables by which git looks at another repository, or runs a program, for questions (git(1))."""
_FAMILIES: Final = ("GIT_CONFIG_", "GIT_TRACE")


def find_met(
    origins: Mapping[str, str], environment: Mapping[str, str], own: Path, common: Path, *, moved: bool
) -> Sequence[Warned]:
    """Everything that was met and not obeyed.

    `origins` tells each setting and its file, `own` and `common` are the git directories of the worktree and of its
    repository, `moved` says that a setting names another worktree.
    """
    return (
        *(Warned(f"git setting {key} was met and not obeyed", origins[key]) for key in programs_of(origins)),
        *_included(origins),
        *((Warned("git setting core.worktree was met and not obeyed", origins["core.worktree"]),) if moved else ()),
        *_hooks(common / "hooks"),
        *_alternates(common / "objects" / "info" / "alternates"),
        *_owner(own, environment),
        *_variables(environment),
    )


def _included(origins: Mapping[str, str]) -> Iterator[Warned]:
    for key in includes_of(origins):
        yield Warned(
            f"git setting {key} was met: it brings in more settings, no program of theirs was run", origins[key]
        )


def _hooks(folder: Path) -> Iterator[Warned]:
    try:
        inside = sorted(folder.iterdir())
    except OSError:
        return
    own = (path for path in inside if path.suffix != ".sample" and is_plain_file(path))
    names = [path.name for path in own if os.access(path, os.X_OK)]
    if names:
        yield Warned(f"git hooks were met and not run: {', '.join(names)}", str(folder))


def _alternates(path: Path) -> Iterator[Warned]:
    if is_there(path):
        yield Warned("this repository takes objects from another place too", str(path))


def _owner(git_dir: Path, environment: Mapping[str, str]) -> Iterator[Warned]:
    """Git itself refuses such a repository (`safe.directory` in git-config(1)); nothing of it is run here."""
    try:
        owner = git_dir.stat().st_uid
    except OSError:
        return
    if owner != os.geteuid() and not (os.geteuid() == 0 and str(owner) == environment.get("SUDO_UID")):
        yield Warned(
            "dubious ownership: the repository belongs to another user; git by itself refuses it", str(git_dir)
        )


def _variables(environment: Mapping[str, str]) -> Iterator[Warned]:
    names = sorted(name for name in environment if name in _ELSEWHERE or name.startswith(_FAMILIES))
    if names:
        yield Warned(f"git variables of the environment were met and not obeyed: {', '.join(names)}", None)
