"""Which worktree each recorded path lies in, and what the path is called there.

Decides by walking up to the nearest `.git`, and by git's list for worktrees that are gone. Reads no file's content.
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from refloat.checkout.files import Content
from refloat.checkout.porcelain import decode
from refloat.checkout.repository import Repository, load_repository
from refloat.model.checkout import Warned
from refloat.model.light import field, slotted
from refloat.ports import Git

_FOREIGN: Final = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_PATH_MAX: Final = 4096
"""Characters from which no system looks a path up: nothing lies there."""
_MOST: Final = 12
"""Further repositories that a session edited in and that are looked at."""


@slotted
class Trees:
    """The worktree of the session, and further ones that it edited in."""

    git: Git
    main: Repository | None
    workspace: str | None = None
    others: dict[str, Repository | None] = field(default_factory=dict[str, Repository | None])
    warnings: list[Warned] = field(default_factory=list[Warned])
    _roots: dict[str, str | None] = field(default_factory=dict[str, str | None])
    _root_of: dict[str, str | None] = field(default_factory=dict[str, str | None])
    _real: dict[str, str] = field(default_factory=dict[str, str])
    """Directories."""
    _files: dict[str, str] = field(default_factory=dict[str, str])
    """Recorded paths: a long session edits each many times."""

    def real(self, path: str) -> str:
        """The path with links in its directories resolved; the last part may be a link and stays one.

        Relative ones are taken from the workspace; those of another system's style stay as they are.
        """
        if path not in self._files:
            self._files[path] = self._file(path)
        return self._files[path]

    def _file(self, path: str) -> str:
        if not path.startswith("/"):
            if self.workspace is None or _FOREIGN.match(path):
                return path
            path = f"{self.workspace}/{path}"
        directory, name = os.path.split(os.path.normpath(path))
        if directory not in self._real:
            self._real[directory] = self._resolve(directory)
        return os.path.join(self._real[directory], name)  # noqa: PTH118 - thousands of paths, and strings all around

    def _resolve(self, directory: str) -> str:
        """Its real path; what is above it is looked at once for all that lies below."""
        if len(directory) > _PATH_MAX:
            return directory
        missing: list[str] = []
        at = directory
        while at not in self._real:
            above: str = os.path.dirname(at)  # noqa: PTH120 - as below
            if above == at:
                self._real[at] = at
            else:
                missing.append(at)
                at = above
        for at in reversed(missing):
            above, name = os.path.split(at)
            here = os.path.join(self._real[above], name)  # noqa: PTH118 - as below
            self._real[at] = os.path.realpath(here) if os.path.islink(here) else here  # noqa: PTH114 - as below
        return self._real[directory]

    def shown(self, real: str) -> str:
        """Relative to the session's repository with `/`; absolute outside it."""
        if self.main is not None:
            root = str(self.main.root).rstrip("/") + "/"
            if real.startswith(root):
                return real[len(root) :]
        return real

    def of(self, real: str) -> Repository | None:
        """The worktree that a path lies in: the session's own, another one, or None."""
        if not real.startswith("/"):
            return None
        if real not in self._root_of:
            self._root_of[real] = self._root(os.path.dirname(real))  # noqa: PTH120 - as above
        root = self._root_of[real]
        if root is None:
            return None
        if self.main is not None and root == str(self.main.root):
            return self.main
        if root not in self.others:
            self.others[root] = self._load(root)
        return self.others[root]

    def may_ignore(self, reals: Iterable[str]) -> set[str]:
        """Those of some files that git ignores, each worktree asked once, and those that it cannot be asked about."""
        by_root: dict[str | None, list[str]] = {}
        for real in reals:
            by_root.setdefault(self._root(os.path.dirname(real)), []).append(real)  # noqa: PTH120 - as above
        found = set(by_root.pop(None, ()))
        for root, paths in by_root.items():
            asked = "".join(f"{path}\0" for path in paths).encode("utf-8", "surrogateescape")
            answer = self.git.run(Path(root or ""), "check-ignore", "-z", "--stdin", stdin=asked)
            told = answer.code in {0, 1}  # 1: none of them
            found.update(decode(answer.out).split("\0") if told else paths)
        return found

    def _load(self, root: str) -> Repository | None:
        if len(self.others) >= _MOST:
            self.warnings.append(Warned(f"more than {_MOST} repositories: this one was not looked at", root))
            return None
        found = load_repository(self.git, Path(root))
        return found if found is not None and str(found.root) == root else None

    def _root(self, directory: str) -> str | None:
        if len(directory) > _PATH_MAX:
            return None
        below: list[str] = []
        found: str | None = None
        at = directory
        while at not in self._roots:
            below.append(at)
            above = os.path.dirname(at)  # noqa: PTH120 - as above
            if os.path.lexists(os.path.join(at, ".git")):  # noqa: PTH118 - as above
                found = at
                break
            if above == at:
                break
            at = above
        else:
            found = self._roots[at]
        self._roots.update(dict.fromkeys(below, found))
        return found


HABITS: Final = (".claude/worktrees/", ".worktrees/", "worktrees/")
"""Where agents put worktrees of their own, below a repository's root."""


def names_in(real: str, repository: Repository, worktrees: Sequence[str], gone: Sequence[str] = ()) -> list[str]:
    """What a path may be called in the trees of a repository: by the worktree that it lies in, which may be gone.

    `gone` are directories that the session worked in and that may have been such worktrees.
    """
    roots = sorted({str(repository.root), *worktrees}, key=len, reverse=True)
    for root in roots:
        prefix = root.rstrip("/") + "/"
        if real.startswith(prefix):
            inner = real[len(prefix) :]
            # An agent's own worktree that was removed leaves only its habitual place in the path.
            for habit in HABITS:
                if inner.startswith(habit) and inner.count("/") > habit.count("/"):
                    return [inner, inner[len(habit) :].partition("/")[2]]
            return [inner, *(real[len(one) + 1 :] for one in gone if real.startswith(f"{one}/") and one != root)]
    return _names_in_gone(real)


def _names_in_gone(real: str) -> list[str]:
    """Of a file whose whole directory is gone: it may have lain in a worktree that was removed, which nothing names.

    Whether the repository knows such a file at all, and with the recorded content, is found out by asking for it.
    """
    parts = real.split("/")[1:]
    if not real.startswith("/") or os.path.isdir(os.path.dirname(real)):  # noqa: PTH112, PTH120 - as above
        return []
    return ["/".join(parts[index:]) for index in range(1, len(parts))]


def find_origins(repository: Repository, content: Callable[[str], Content]) -> dict[str, str]:
    """Renames: new paths whose whole content HEAD has at a path that is gone, and that path (both absolute)."""
    root = str(repository.root)
    gone = {entry.head: path for path, entry in repository.entries.items() if "D" in entry.xy and entry.head}
    found: dict[str, str] = {}
    for path, entry in repository.entries.items() if gone else ():
        oid = entry.index if entry.xy[0] == "A" else None
        if entry.xy == "??":
            made = content(f"{root}/{path}")
            oid = repository.oid(made.text.encode("utf-8", "surrogateescape")) if made.kind == "text" else None
        if oid is not None and oid in gone and path != gone[oid]:
            found[f"{root}/{path}"] = f"{root}/{gone[oid]}"
    return found


def dirty_times(repository: Repository, state: Callable[[str], os.stat_result | None]) -> Mapping[str, float | None]:
    """When each dirty path was last written, in seconds since 1970; None for one that is gone. `state` is what the disk
    says of a path.
    """
    root = str(repository.root).rstrip("/")
    found = ((path, state(f"{root}/{path}")) for path in repository.entries)
    return {path: None if told is None else told.st_mtime for path, told in found}
