"""What is under way in a checkout: a rebase, merge, cherry-pick, revert, bisect or `am`, conflicts, a left-over lock.

Decides from the files in the worktree's own git directory (gitrepository-layout(5)), so it needs no process. Refuses to
judge whether a lock's owner still lives.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from refloat.checkout.porcelain import StatusEntry
from refloat.model.checkout import Operation
from refloat.there import is_directory, is_there

Kind = Literal["rebase", "merge", "cherry_pick", "revert", "bisect", "am", "conflicts", "index_lock"]


def find_operation(git_dir: Path, entries: Mapping[str, StatusEntry]) -> Operation | None:
    """The operation under way; None where there is none."""
    conflicts = tuple(sorted(path for path, entry in entries.items() if entry.unmerged))
    lock = is_there(git_dir / "index.lock")
    kind, branch, onto = _under_way(git_dir)
    if kind is None and conflicts:
        kind = "conflicts"
    if kind is None and lock:
        kind = "index_lock"
    return None if kind is None else Operation(kind, branch, onto, conflicts, lock)


def _under_way(git_dir: Path) -> tuple[Kind | None, str | None, str | None]:
    for name in ("rebase-merge", "rebase-apply"):
        directory = git_dir / name
        if is_directory(directory):
            if is_there(directory / "applying"):
                return "am", None, None
            return "rebase", _short(_first_line(directory / "head-name")), _first_line(directory / "onto")
    head = _first_line(git_dir / "HEAD")
    current = _short(head.removeprefix("ref: ")) if head and head.startswith("ref: ") else None
    if is_there(git_dir / "MERGE_HEAD"):
        return "merge", _merged(git_dir), current
    # A sequence of picks has no head file between two of them; its to-do list stays.
    if is_there(git_dir / "CHERRY_PICK_HEAD"):
        return "cherry_pick", _first_line(git_dir / "CHERRY_PICK_HEAD"), current
    if is_there(git_dir / "REVERT_HEAD"):
        return "revert", _first_line(git_dir / "REVERT_HEAD"), current
    todo = _first_line(git_dir / "sequencer" / "todo")
    if todo is not None:
        return ("revert" if todo.startswith("revert") else "cherry_pick"), None, current
    if is_there(git_dir / "BISECT_LOG"):
        return "bisect", _short(_first_line(git_dir / "BISECT_START")), None
    return None, None, None


def _merged(git_dir: Path) -> str | None:
    """What is being merged: git writes `Merge branch 'NAME'` into MERGE_MSG, else there is only the commit."""
    message = _first_line(git_dir / "MERGE_MSG") or ""
    words = message.split("'")
    if message.startswith("Merge ") and len(words) >= 3:
        return words[1]
    return _first_line(git_dir / "MERGE_HEAD")


def _first_line(path: Path) -> str | None:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.readline(4096).strip() or None
    except OSError:
        return None


def _short(ref: str | None) -> str | None:
    if ref is None:
        return None
    for prefix in ("refs/heads/", "refs/remotes/", "refs/tags/"):
        if ref.startswith(prefix):
            return ref[len(prefix) :]
    return ref
