"""Files that the session itself took away without naming each: by a directory, a pattern, `git clean`, `find -delete`.

A shell line tells no file of these, so the reader of the record cannot; here it is held against the files that the
session edited. Decides by the words of a step that succeeded. Refuses a file that is there, one that the session may
have put back since, and words that only the shell could have completed.
"""

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Final

from refloat.checkout.runs import find_runs
from refloat.commands.line import Simple, read_line
from refloat.model.light import light
from refloat.model.transcript import FileEdit, Outcome, Step

_WORTH: Final = ("rm ", "clean", "-delete", "unlink ", "trash ")
_UNSURE: Final = frozenset("$`{~")
_KEEPING: Final = frozenset({"add", "commit", "stash"})
"""Verbs of git after which a new file may be one that `git clean` leaves."""
_FINDS: Final = {"-name": 1, "-type": 1, "-depth": 0, "-print": 0, "-delete": 0}
"""Words of `find` that say no more than which files by their own names, and how many words follow each."""


@light
class _Sweep:
    """What one simple command takes away."""

    roots: tuple[str, ...]
    """Absolute paths, or patterns of such."""
    below: bool
    """All that lies below them goes, too."""
    name: str | None = None
    """A pattern that the file's own name must fit."""
    untracked: bool = False
    """Only what git does not know."""

    def takes(self, real: str) -> bool:
        """Whether a file is among it."""
        if self.name is not None and not fnmatchcase(posixpath.basename(real), self.name):
            return False
        return any(_fits(root, real, below=self.below) for root in self.roots)


def with_swept(steps: Sequence[Step], real: Callable[[str], str], is_there: Callable[[str], bool]) -> Sequence[Step]:
    """The steps, those among them that swept away files of earlier ones with a deletion of each added to their edits.

    `real` names the file that a recorded path stands for; `is_there` looks whether one is on disk.
    """
    sweeps = {at: found for at, step in enumerate(steps) if (found := _sweeps(step, real))}
    if not sweeps:
        return steps
    left = _last_edits(steps, real)
    made: dict[int, list[FileEdit]] = {}
    for at, found in sweeps.items():
        for path, (first, last) in list(left.items()):
            takes = any(sweep.takes(path) and not _is_kept(sweep, steps[first : at + 1], path, real) for sweep in found)
            if last < at and takes and not is_there(path) and not _is_put_back(steps[at + 1 :], path):
                made.setdefault(at, []).append(FileEdit(path, "delete"))
                del left[path]
    return [replace(step, edits=(*step.edits, *made[at])) if at in made else step for at, step in enumerate(steps)]


def _last_edits(steps: Sequence[Step], real: Callable[[str], str]) -> dict[str, tuple[int, int]]:
    """The files whose last edit left a content behind, with the places of their first and last one."""
    left: dict[str, tuple[int, int]] = {}
    for at, step in enumerate(steps):
        for edit in step.edits:
            path = real(edit.path)
            target = path if edit.moved_to is None else real(edit.moved_to)
            first, _ = left.pop(path, (at, at))
            if edit.op != "delete":
                left[target] = (first, at)
    return left


def _is_kept(sweep: _Sweep, between: Sequence[Step], path: str, real: Callable[[str], str]) -> bool:
    """Whether git may have known a file by then, and the command leaves what git knows."""
    if not sweep.untracked:
        return False
    first = next(edit for edit in between[0].edits if path in (real(edit.path), real(edit.moved_to or edit.path)))
    lines = (read_line(step.command) for step in between if step.command is not None)
    words = (part.words for parts in lines for part in parts)
    known = any(one[0] == "git" and len(one) > 1 and one[1] in _KEEPING for one in words)
    return known or first.op != "create" or first.existed is True


def _is_put_back(later: Sequence[Step], path: str) -> bool:
    return any(run.may_put_back(path) for run in find_runs(later))


def _sweeps(step: Step, real: Callable[[str], str]) -> list[_Sweep]:
    command = step.command
    if command is None or step.superseded or step.outcome is not Outcome.OK:
        return []
    if not any(word in command for word in _WORTH):
        return []
    parts = (part for part in read_line(command) if part.skipped is None and part.cwd is not None)
    return [sweep for part in parts if (sweep := _sweep(part, step.cwd or "", real)) is not None]


def _sweep(part: Simple, cwd: str, real: Callable[[str], str]) -> _Sweep | None:
    words = part.words
    here = posixpath.join(cwd, part.cwd or "")
    if words[0] in {"rm", "unlink", "trash"}:
        return _removal(words[1:], here, real, below=words[0] == "trash")
    if words[0] == "find":
        return _finding(words[1:], here, real)
    if words[0] != "git" or part.flags or len(words) < 2:
        return None
    if words[1] == "rm" and "--cached" not in words and "-n" not in words and "--dry-run" not in words:
        return _removal(words[2:], here, real, below=False)
    return _cleaning(words[2:], here, real) if words[1] == "clean" else None


def _removal(words: Sequence[str], here: str, real: Callable[[str], str], *, below: bool) -> _Sweep | None:
    below |= _has(words, "rR", "--recursive")
    return _of(_plain(words), here, real, below=below)


def _cleaning(words: Sequence[str], here: str, real: Callable[[str], str]) -> _Sweep | None:
    if not _has(words, "f", "--force") or _has(words, "nieX", "--dry-run", "--interactive", "--exclude"):
        return None
    found = _of(_plain(words) or ["."], here, real, below=True)
    return None if found is None else replace(found, untracked=True)


def _finding(words: Sequence[str], here: str, real: Callable[[str], str]) -> _Sweep | None:
    first = next((at for at, word in enumerate(words) if word.startswith(("-", "(", "!"))), len(words))
    name: str | None = None
    tests = iter(words[first:])
    for word in tests:
        if word not in _FINDS:
            return None
        given = [next(tests, "") for _ in range(_FINDS[word])]
        if word == "-name":
            name = given[0] if name is None else "/"
        elif word == "-type" and given != ["f"]:
            return None
    if "-delete" not in words[first:]:
        return None
    found = _of(words[:first] or ["."], here, real, below=True)
    return None if found is None else replace(found, name=name)


def _of(words: Sequence[str], here: str, real: Callable[[str], str], *, below: bool) -> _Sweep | None:
    roots = tuple(_roots(words, here, real))
    return _Sweep(roots, below) if roots else None


def _roots(words: Sequence[str], here: str, real: Callable[[str], str]) -> Iterator[str]:
    for word in words:
        path = posixpath.normpath(posixpath.join(here, word)) if word else ""
        if path.startswith("/") and path != "/" and not _UNSURE.intersection(word):
            yield real(path)


def _plain(words: Sequence[str]) -> list[str]:
    return [word for word in words if not word.startswith("-")]


def _has(words: Sequence[str], letters: str, *names: str) -> bool:
    """Whether some words hold one of the flags, short ones in a cluster included."""
    short = re.compile(f"-[a-zA-Z]*[{letters}][a-zA-Z]*")
    return any(short.fullmatch(word) or word.partition("=")[0] in names for word in words)


def _fits(root: str, path: str, *, below: bool) -> bool:
    """Whether a path is meant by a root, or lies below it."""
    wanted, parts = root.strip("/").split("/"), path.strip("/").split("/")
    if len(parts) < len(wanted) or (len(parts) > len(wanted) and not below):
        return False
    return all(_same(one, other) for one, other in zip(wanted, parts, strict=False))


def _same(pattern: str, part: str) -> bool:
    # A shell's pattern takes no name with a leading dot for its own.
    return part == pattern or (fnmatchcase(part, pattern) and part.startswith(".") == pattern.startswith("."))
