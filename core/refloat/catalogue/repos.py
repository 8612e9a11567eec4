"""Which repository a directory lies in, from the names of files alone: no git is started.

Decides the top level of the worktree that a path lies in, and which worktrees belong together (they share one common
directory). Refuses to obey anything in a repository: of its files only `.git`, `commondir` and the presence of `HEAD`
are looked at. Nothing but `os`, because the quick road of `refloat list` pays for every import.
"""

from __future__ import annotations

import os

Repo = tuple[str, str]
"""(top level of the worktree, directory shared by all worktrees of the repository); ("", "") outside of any."""

NONE: Repo = ("", "")
_LONGEST = 4096


class Repos:
    """Answers for many directories, each looked at once."""

    def __init__(self) -> None:
        self._known: dict[str, Repo] = {}

    def of(self, directory: str | None) -> Repo:
        """The repository of a directory, which need not exist any more."""
        if not directory or not directory.startswith("/"):
            return NONE
        passed: list[str] = []
        at = directory.rstrip("/") or "/"
        while (repo := self._known.get(at)) is None:
            passed.append(at)
            repo = _look(at)
            parent = at[: at.rfind("/")] or "/"
            if repo is not None or parent == at:
                repo = repo or NONE
                break
            at = parent
        for each in passed:
            self._known[each] = repo
        return repo


def _look(directory: str) -> Repo | None:
    """The repository whose worktree begins right here."""
    git = directory.rstrip("/") + "/.git"
    if os.path.exists(git + "/HEAD"):  # noqa: PTH110 - pathlib is dear at start-up
        return directory, os.path.realpath(git)
    text = _read(git)
    if text is None or not text.startswith("gitdir:"):
        return None
    private = _join(directory, text[7:].strip())
    common = _read(private + "/commondir")
    return directory, os.path.realpath(private if common is None else _join(private, common.strip()))


def _join(base: str, path: str) -> str:
    return path if path.startswith("/") else base.rstrip("/") + "/" + path


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123 - pathlib is dear here
            text = file.read(_LONGEST)
    except OSError:
        return None
    return None if "\0" in text else text  # no path holds one


def is_in_scope(directory: str, repo: Repo, place: str, place_repo: Repo) -> bool:
    """Whether work in `place` belongs to `directory` (design, section 7).

    It does when it is that directory, lies below it, or above it within the same repository. Other worktrees of the
    repository are laid over this one.
    """
    if not place:
        return False
    if place == directory or place.startswith(directory.rstrip("/") + "/"):
        return True
    if not repo[1] or repo[1] != place_repo[1]:
        return False
    mine, its = directory[len(repo[0]) :] + "/", place[len(place_repo[0]) :] + "/"
    return mine.startswith(its) or its.startswith(mine)
