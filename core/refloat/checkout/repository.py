"""A git worktree as it stands, asked in a handful of calls whatever its size.

Everything goes through the port, which is hardened. Decides which questions are asked and puts the answers together.
Refuses to write, to lock, and to ask one question for each file.
"""

import os
import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Final

from refloat.checkout.index_file import git_hash, index_file
from refloat.checkout.operation import find_operation
from refloat.checkout.porcelain import (
    LOG_FORMAT,
    DiffHunk,
    Index,
    LoggedCommit,
    Status,
    StatusEntry,
    decode,
    read_diff,
    read_log,
    read_objects,
    read_raw,
    read_reflog,
    read_staged,
    read_status,
    read_worktrees,
)
from refloat.model.checkout import Operation, Warned
from refloat.model.light import field, slotted
from refloat.model.stamp import Stamp, later, seconds_of
from refloat.ports import Git
from refloat.there import is_there
from refloat.together import Running

_OVERLOOKED: Final = frozenset("hSs")
_SUBMODULES: Final = 12
"""Most submodules that are asked whether they are dirty."""
_SUBMODULE: Final = re.compile(r"^[ \t]*path[ \t]*=[ \t]*(.+?)[ \t]*$", re.MULTILINE)
_EMPTY_TREE: Final = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
_DIFF_FORM: Final = (
    "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "-U0", "--inter-hunk-context=0", "--src-prefix=a/",
    "--dst-prefix=b/", "--ignore-submodules=all", "--diff-algorithm=histogram",
)  # fmt: skip
_UNSTAGED: Final = frozenset({" M", " D", " T"})
"""What `git status` says of a file that differs from the index, which has it as HEAD does."""
_SLACK: Final = 24 * 3600.0
"""Seconds that a commit's own date may lie before the session and it is still looked at."""
_MANY: Final = 5_000
"""Most commits, reflog entries or stashes that are looked at."""
_RAW: Final = ("--raw", "-z", "--no-abbrev", "--no-renames", "--diff-merges=first-parent", LOG_FORMAT)


@slotted
class Repository:
    """One worktree of a repository."""

    git: Git
    root: Path
    git_dir: Path
    common_dir: Path
    algorithm: str
    status: Status = field(default_factory=Status)
    hunks: dict[str, Sequence[DiffHunk]] = field(default_factory=dict[str, Sequence[DiffHunk]])
    staged: Mapping[str, Sequence[DiffHunk]] = field(default_factory=dict[str, Sequence[DiffHunk]])
    """What is staged against HEAD, for paths whose file differs from HEAD nowhere."""
    reflog: Sequence[tuple[int, str]] = ()
    operation: Operation | None = None
    warnings: list[Warned] = field(default_factory=list[Warned])
    _objects: dict[str, bytes] = field(default_factory=dict[str, bytes])
    _listed: Running[bytes] | None = None
    """The paths of the index, asked for once."""
    _worktrees: Running[list[str]] | None = None
    """Paths of the repository's worktrees, asked for once."""
    _index: Index | None = None

    @property
    def head(self) -> str | None:
        """HEAD; None before the first commit."""
        return self.status.head

    @property
    def entries(self) -> dict[str, StatusEntry]:
        """Every dirty path, relative to the root."""
        return self.status.entries

    def head_at(self, moment: Stamp | None) -> str | None:
        """HEAD at a moment, from the reflog; None where it does not reach back so far.

        Its order is the truth and its times are the committer's word: an entry dated back (`GIT_COMMITTER_DATE`, a
        clock that was set) did not come before the one that it stands on.
        """
        if moment is None:
            return None
        seconds = seconds_of(moment)
        before = takewhile(lambda entry: entry[0] <= seconds, reversed(self.reflog))
        return next((sha for _, sha in deque(before, maxlen=1)), None)

    def oid(self, data: bytes) -> str:
        """The object id that git gives to a content."""
        return git_hash(self.algorithm, b"blob %d\0%b" % (len(data), data)).hex()

    def load_objects(self, oids: Iterable[str]) -> Mapping[str, bytes]:
        """Contents by object id, asked for at once; what is not there is left out."""
        wanted = [oid for oid in dict.fromkeys(oids) if oid not in self._objects]
        if wanted:
            answer = self.git.run(self.root, "cat-file", "--batch", stdin="".join(f"{x}\n" for x in wanted).encode())
            self._objects |= read_objects(answer.out)
        return self._objects

    def find_commits(self, *words: str, paths: Sequence[str] = (), since: Stamp | None = None) -> list[LoggedCommit]:
        """Commits with what they changed, newest first; `words` are those of `git log` that choose them."""
        dated = [f"--since={later(since, -_SLACK)}"] if since else []
        # No path limits: matching hundreds of them against every tree costs git more than telling all that changed.
        args = ["log", *_RAW, f"--max-count={_MANY}", *dated, *words, "--"]
        wanted = set(paths)
        answer = self.git.run(self.root, *args)
        if answer.code != 0:
            return []
        found = read_log(answer.out)
        return [c for c in found if not wanted or any(blob.path in wanted for blob in c.blobs)]

    def find_reachable(self, *words: str, since: Stamp | None = None) -> set[str]:
        """Ids of commits that `git rev-list` finds by these words."""
        dated = [f"--since={later(since, -_SLACK)}"] if since else []
        answer = self.git.run(self.root, "rev-list", *dated, *words, "--")
        return set(answer.out.decode(errors="replace").split()) if answer.code == 0 else set()

    def find_changed(self, old: str, new: str) -> list[str] | None:
        """Paths that differ between two commits; None where git cannot tell."""
        answer = self.git.run(
            self.root, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", old, new, "--"
        )
        return [blob.path for blob in read_raw(answer.out)] if answer.code == 0 else None

    def find_existing(self, names: Sequence[str]) -> dict[str, str]:
        """Which commit names (shortened ids) exist, and their whole ids."""
        if not names:
            return {}
        answer = self.git.run(
            self.root, "cat-file", "--batch-check", stdin="".join(f"{name}^{{commit}}\n" for name in names).encode()
        )
        lines = answer.out.decode(errors="replace").splitlines()
        rows = zip(names, (line.split(" ") for line in lines), strict=False)
        return {name: words[0] for name, words in rows if len(words) == 3 and words[1] == "commit"}

    def ask_ahead(self) -> None:
        """Ask, before anybody wants to know, for HEAD's contents of what is dirty, the index and the worktrees."""
        self._listed = self._listed or Running(self._list)
        self._worktrees = self._worktrees or Running(self._ask_worktrees)
        heads = [entry.head for entry in self.entries.values() if entry.head is not None and not entry.submodule]
        if len(heads) <= _MANY:
            self.load_objects(heads)

    @property
    def index(self) -> Index:
        """Every path that git tracks, with its tag; asked when first needed."""
        if self._index is None:
            self._index = Index((self._listed or Running(self._list)).result())
        return self._index

    def _list(self) -> bytes:
        return self.git.run(self.root, "ls-files", "-z", "-v", "--cached", "--full-name").out

    def is_overlooked(self, path: str) -> bool:
        """Whether git was told not to look at a tracked file: assume-unchanged, or outside a sparse checkout."""
        return not self.index.plain and (self.index.tag(path) or "H") in _OVERLOOKED

    def load_staged(self, paths: Sequence[str]) -> dict[str, bytes]:
        """What is staged of some paths: asked for at once."""
        words = ("ls-files", "-z", "-s", "--full-name", "--")
        answer = self.git.run(self.root, *words, *(f":(top,literal){path}" for path in paths))
        oids = read_staged(answer.out)
        objects = self.load_objects(oids.values())
        return {path: objects[oid] for path, oid in oids.items() if oid in objects}

    def find_worktrees(self) -> list[str]:
        """Paths of the repository's worktrees, this one and vanished ones included."""
        if self._worktrees is None:
            self._worktrees = Running(self._ask_worktrees)
        return self._worktrees.result()

    def _ask_worktrees(self) -> list[str]:
        answer = self.git.run(self.root, "worktree", "list", "--porcelain", "-z")
        if answer.code != 0:
            answer = self.git.run(self.root, "worktree", "list", "--porcelain")
        return read_worktrees(answer.out)

    def find_entries(self, tree: str, paths: Sequence[str] = ()) -> dict[str, tuple[str, str]]:
        """Mode and object id by path, of some paths or of everything in a commit's tree; nothing where git cannot
        tell.
        """
        answer = self.git.run(self.root, "ls-tree", "-r", "-z", "--full-tree", tree, "--", *paths)
        if answer.code != 0:
            return {}
        rows = (row.partition("\t") for row in decode(answer.out).split("\0") if row)
        told = ((path, meta.split(" ")) for meta, _, path in rows)
        return {path: (words[0], words[2]) for path, words in told if len(words) == 3}


def find_root(git: Git, directory: Path) -> tuple[tuple[Path, Path, Path, str], str | None] | None:
    """Top level, own and common git directory and hash algorithm of the worktree that a directory lies in, and HEAD.

    Before the first commit git says all but HEAD, and fails.
    """
    words = ("rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir")
    answer = git.run(directory, *words, "--show-object-format", "HEAD^{commit}")
    lines = answer.out.decode("utf-8", "surrogateescape").splitlines()
    if len(lines) < 4:
        return None
    head = lines[4] if answer.code == 0 and len(lines) > 4 else None
    return (Path(lines[0]), Path(lines[1]), Path(lines[2]), lines[3]), head


def load_repository(git: Git, directory: Path) -> Repository | None:
    """The worktree that a directory lies in, with its dirty files and their hunks; None where it lies in none."""
    found = find_root(git, directory)
    if found is None:
        return None
    repository = Repository(git, *found[0])
    whole = Running(lambda: _diff_where_staged(repository, found[1]))
    reflog = Running(lambda: _load_reflog(repository))
    answer = git.run(
        repository.root, "status", "--porcelain=v2", "-z", "--branch", "--untracked-files=all", "--no-renames"
    )
    if answer.code != 0:
        said = answer.err.strip().splitlines()[-1:] or ["no answer in time" if answer.timed_out else "no reason given"]
        repository.warnings.append(Warned(f"git status failed: {said[0]}", str(repository.root)))
    repository.status = read_status(answer.out)
    _add_submodules(repository)
    repository.reflog = reflog.result()
    repository.operation = find_operation(repository.git_dir, repository.entries)
    repository.hunks, repository.staged = _load_hunks(repository, found[1], whole)
    return repository


def _add_submodules(repository: Repository) -> None:
    """Dirt inside submodules: each is asked by itself, for git would read their settings where it looks into them."""
    root = str(repository.root)
    try:
        text = (repository.root / ".gitmodules").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return
    inside = [match[1] for match in _SUBMODULE.finditer(text) if match[1] not in repository.entries]
    paths = [path for path in inside if os.path.realpath(f"{root}/{path}").startswith(f"{root}/")]
    there = [path for path in paths if is_there(repository.root / path / ".git")]
    for path in there[:_SUBMODULES]:
        answer = repository.git.run(repository.root / path, "status", "--porcelain=v2", "-z", "--no-renames")
        if answer.code == 0 and answer.out:
            repository.status.entries[path] = StatusEntry(" M", None, submodule=True)
    if len(there) > _SUBMODULES:
        words = f"more than {_SUBMODULES} submodules: the others were not asked whether they are dirty"
        repository.warnings.append(Warned(words, root))


_Hunks = dict[str, Sequence[DiffHunk]]


def _load_hunks(
    repository: Repository, against: str | None, whole: Running[tuple[_Hunks | None] | None]
) -> tuple[_Hunks, _Hunks]:
    """Hunks against HEAD: of the files, and of what is staged where the file itself has none.

    `whole` are those of the files against a commit, where they were asked for already.
    """
    if all(entry.xy == "??" or entry.submodule for entry in repository.entries.values()):
        return {}, {}
    told = whole.result()
    if told is None and (dirty := _diff_dirty(repository)) is not None:
        return dirty, {}
    if told is None or against != repository.head:  # it moved between the two questions
        told = (_diff(repository, repository.head),)
    hunks = _known(repository, told[0])
    apart = [path for path, entry in repository.entries.items() if entry.staged_apart and path not in hunks]
    staged = _known(repository, _diff(repository, repository.head, "--cached")) if apart else {}
    return hunks, {path: staged[path] for path in apart if path in staged}


def _diff_where_staged(repository: Repository, head: str | None) -> tuple[_Hunks | None] | None:
    """The dirty places of every tracked file, told while git looks what is dirty; None where nothing is staged: then
    the dirty files alone are compared, once they are known.
    """
    if head is not None and repository.git.run(repository.root, "diff-index", "--cached", "--quiet", head).code == 0:
        return None
    return (_diff(repository, head),)


def _diff_dirty(repository: Repository) -> _Hunks | None:
    """The dirty places of the files that are known to be dirty. Git looks at each file of a worktree to find them, so
    it is given an index of these alone. None where that would not be the same: something is staged, or in conflict, or
    the attributes that say how files are compared may lie in the repository's own index.
    """
    tracked = {path: entry for path, entry in repository.entries.items() if entry.xy != "??" and not entry.submodule}
    if any(entry.xy not in _UNSTAGED for entry in tracked.values()):
        return None
    if is_there(repository.git_dir / "info" / "sparse-checkout"):
        return None
    rows = [(path, entry.head_mode, entry.head) for path, entry in tracked.items() if entry.head is not None]
    index = index_file(rows, repository.algorithm)
    answer = repository.git.run(repository.root, "diff-files", "-p", *_DIFF_FORM, index=index)
    return dict(read_diff(answer.out)) if answer.code == 0 else None


def _known(repository: Repository, told: _Hunks | None) -> _Hunks:
    if told is None:
        repository.warnings.append(Warned("git diff failed: hunks are not told", str(repository.root)))
    return told or {}


def _diff(repository: Repository, head: str | None, *more: str) -> _Hunks | None:
    """The dirty places of every tracked file; None where git cannot tell."""
    against = head or _EMPTY_TREE[repository.algorithm]
    answer = repository.git.run(repository.root, "diff", *more, *_DIFF_FORM, against)
    return dict(read_diff(answer.out)) if answer.code == 0 else None


def _load_reflog(repository: Repository) -> Sequence[tuple[int, str]]:
    answer = repository.git.run(
        repository.root, "log", "-g", f"--max-count={_MANY}", "--date=unix", "--format=%H%x00%gd", "HEAD", "--"
    )
    return read_reflog(answer.out) if answer.code == 0 else ()
