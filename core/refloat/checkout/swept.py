"""Files that the session itself took away without naming each: by a directory, a pattern, `git clean`, `find -delete`.

A shell line tells no file of these, so the reader of the record cannot; here it is held against the files that the
session edited. Decides by the words of a step that succeeded, and asks git what it ignores where `git clean` left that.
Refuses a file that is there, one that the session may have put back since, words that only the shell could have
completed, and what ran in a container, another terminal or a wrapper's directory.
"""

import posixpath
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import takewhile
from typing import Final, NamedTuple

from refloat.checkout.runs import find_returns
from refloat.commands.line import Simple, read_line
from refloat.late import Once
from refloat.model.light import light
from refloat.model.transcript import FileEdit, Outcome, Step

_WORTH: Final = ("rm ", "clean", "-delete", "unlink ", "trash ")
_UNSURE: Final = frozenset("$`{~")
_PATTERN: Final = frozenset("*?[")
_KEEPING: Final = frozenset({"add", "commit", "stash"})
"""Verbs of git after which a new file may be one that `git clean` leaves."""
_FINDS: Final = {"-name": 1, "-type": 1, "-depth": 0, "-print": 0, "-delete": 0}
"""Words of `find` that say no more than which files by their own names, and how many words follow each."""


@light
class _Sweep:
    """What one word of a simple command takes away."""

    root: str
    """An absolute path, or a pattern of such."""
    below: bool
    """All that lies below it goes, too."""
    name: str | None = None
    """A pattern that the file's own name must fit."""
    untracked: bool = False
    """Only what git does not know."""
    tracked: bool = False
    """Only what git knows."""
    ignored: bool = True
    """Also what git ignores."""
    shallow: bool = False
    """Nothing in directories that git does not know: of those, the top of a worktree alone is told for one."""

    def takes(self, real: str) -> bool:
        """Whether a file is among it."""
        if self.name is not None and not fnmatchcase(posixpath.basename(real), self.name):
            return False
        return _fits(self.root, real, below=self.below)


class _Stay(NamedTuple):
    """From when to when the session edited a file."""

    first: int
    """Place of the first edit among the steps."""
    last: int
    made: bool
    """The first one created it."""


_Places = Mapping[str, Mapping[_Sweep, Sequence[int]]]
"""By what stands before the first pattern in the root: sweeps, and the steps that made them."""


def with_swept(
    steps: Sequence[Step],
    real: Callable[[str], str],
    is_there: Callable[[str], bool],
    may_ignore: Callable[[Iterable[str]], AbstractSet[str]],
) -> Sequence[Step]:
    """The steps, those among them that swept away files of earlier ones with a deletion of each added to their edits.

    `real` names the file that a recorded path stands for; `is_there` looks whether one is on disk; `may_ignore` tells
    those of some files that git may ignore.
    """
    able = [at for at, step in enumerate(steps) if _may_sweep(step)]
    gone = {path: stay for path, stay in _last_edits(steps, real).items() if not is_there(path)} if able else {}
    if not gone:
        return steps
    sweeps = _by_place((at, sweep) for at in able for sweep in _sweeps(steps[at], real))
    returns = Once(lambda: find_returns(steps)[::-1])
    leaving = _Leaving(Once(lambda: _keepers(steps)), Once(lambda: may_ignore(gone)), is_there)
    made: dict[int, list[FileEdit]] = {}
    for path, stay in gone.items():
        taking = _taking(sweeps, path, stay.last)
        if taking:
            behind = takewhile(lambda row: row[0] > stay.last, returns())  # noqa: B023 - used up at once
            since = next((at for at, run in behind if run.may_put_back(path)), 0)
            found = next((at for at, one in taking if at >= since and not leaving.leaves(one, at, path, stay)), None)
            if found is not None:
                made.setdefault(found, []).append(FileEdit(path, "delete"))
    return [replace(step, edits=(*step.edits, *made[at])) if at in made else step for at, step in enumerate(steps)]


@light
class _Leaving:
    """What `git clean` and `git rm` leave where it is."""

    keepers: Callable[[], Sequence[int]]
    ignored: Callable[[], AbstractSet[str]]
    is_there: Callable[[str], bool]

    def leaves(self, sweep: _Sweep, at: int, path: str, stay: _Stay) -> bool:
        """Whether a command may have left a file at the step `at`: one that git may know by then, or not know, or
        ignores.
        """
        if not sweep.untracked and not sweep.tracked:
            return False
        keepers = self.keepers()
        known = not stay.made or bisect_left(keepers, stay.first) < bisect_right(keepers, at)
        if sweep.tracked or known:
            return sweep.untracked or not known
        top = posixpath.dirname(path)
        return (sweep.shallow and not self.is_there(f"{top}/.git")) or (not sweep.ignored and path in self.ignored())


def _keepers(steps: Sequence[Step]) -> list[int]:
    """The places of the steps after which git may know a new file."""
    told = ((at, step.command) for at, step in enumerate(steps) if step.command is not None and "git" in step.command)
    lines = ((at, line) for at, line in told if any(verb in line for verb in _KEEPING))
    return [at for at, line in lines if any(_keeps(part.words) for part in read_line(line))]


def _keeps(words: Sequence[str]) -> bool:
    return words[0] == "git" and not _KEEPING.isdisjoint(words[1:2])


def _by_place(rows: Iterable[tuple[int, _Sweep]]) -> _Places:
    found: dict[str, dict[_Sweep, list[int]]] = {}
    for at, sweep in rows:
        plain = takewhile(lambda part: not _PATTERN.intersection(part), sweep.root.strip("/").split("/"))
        found.setdefault("/".join(plain), {}).setdefault(sweep, []).append(at)
    return found


def _taking(sweeps: _Places, path: str, last: int) -> list[tuple[int, _Sweep]]:
    """What took a file away behind its last edit, in order."""
    parts = path.strip("/").split("/")
    places = (sweeps.get("/".join(parts[:count]), {}) for count in range(len(parts) + 1))
    near = ((sweep, steps) for place in places for sweep, steps in place.items() if steps[-1] > last)
    found = [(at, sweep) for sweep, steps in near if sweep.takes(path) for at in steps if at > last]
    return sorted(found, key=lambda row: row[0])


def _last_edits(steps: Sequence[Step], real: Callable[[str], str]) -> dict[str, _Stay]:
    """The files whose last edit left a content behind."""
    left: dict[str, _Stay] = {}
    for at, step in enumerate(steps):
        for edit in step.edits:
            path = real(edit.path)
            target = path if edit.moved_to is None else real(edit.moved_to)
            made = edit.op == "create" and edit.existed is not True
            stay = left.pop(path, _Stay(at, at, made))
            if edit.op != "delete":
                left[target] = stay._replace(last=at)
    return left


def _may_sweep(step: Step) -> bool:
    command = step.command
    if command is None or step.superseded or step.outcome is not Outcome.OK:
        return False
    return any(word in command for word in _WORTH)


def _sweeps(step: Step, real: Callable[[str], str]) -> Iterator[_Sweep]:
    for part in read_line(step.command or ""):
        if part.skipped is None and part.cwd is not None and not part.elsewhere:
            yield from _sweep(part, step.cwd or "", real)


def _sweep(part: Simple, cwd: str, real: Callable[[str], str]) -> Iterable[_Sweep]:
    words = part.words
    here = posixpath.join(cwd, part.cwd or "")
    if words[0] in {"rm", "unlink", "trash"}:
        return _removal(words[1:], here, real, below=words[0] == "trash")
    if words[0] == "find":
        return _finding(words[1:], here, real)
    if words[0] != "git" or part.flags or any(word.startswith(":") for word in words):  # `:!src`: all but that
        return ()
    if words[1:2] == ("rm",) and not _has(words, "n", "--cached", "--dry-run"):
        return (replace(sweep, tracked=True) for sweep in _removal(words[2:], here, real, below=False))
    return _cleaning(words[2:], here, real) if words[1:2] == ("clean",) else ()


def _removal(words: Sequence[str], here: str, real: Callable[[str], str], *, below: bool) -> Iterator[_Sweep]:
    below |= _has(words, "rR", "--recursive")
    return _of(_plain(words), here, real, below=below)


def _cleaning(words: Sequence[str], here: str, real: Callable[[str], str]) -> Iterator[_Sweep]:
    """What `git clean` takes: new files, ignored ones by `-x`, those in new directories where it is told which or by
    `-d` (git-clean(1)).
    """
    if not _has(words, "f", "--force") or _has(words, "nieX", "--dry-run", "--interactive", "--exclude"):
        return
    given = _plain(words)
    shallow = not given and not _has(words, "d")
    for sweep in _of(given or ["*" if shallow else "."], here, real, below=not shallow):
        yield replace(sweep, untracked=True, ignored=_has(words, "x"), shallow=shallow)


def _finding(words: Sequence[str], here: str, real: Callable[[str], str]) -> Iterator[_Sweep]:
    first = next((at for at, word in enumerate(words) if word.startswith(("-", "(", "!"))), len(words))
    name: str | None = None
    tests = iter(words[first:])
    for word in tests:
        if word not in _FINDS:
            return
        given = [next(tests, "") for _ in range(_FINDS[word])]
        if word == "-name":
            name = given[0] if name is None else "/"
        elif word == "-type" and given != ["f"]:
            return
    if "-delete" in words[first:]:
        for sweep in _of(words[:first] or ["."], here, real, below=True):
            yield replace(sweep, name=name)


def _of(words: Sequence[str], here: str, real: Callable[[str], str], *, below: bool) -> Iterator[_Sweep]:
    for word in words:
        path = posixpath.normpath(posixpath.join(here, word)) if word else ""
        if path.startswith("/") and path != "/" and not _UNSURE.intersection(word):
            yield _Sweep(real(path), below)


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
