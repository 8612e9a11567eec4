"""Lost files put into one patch that `git apply` takes on the tree as it is.

Decides what of them may stand in it: what git would write to disk byte for byte (line ends, filters), and what it says
itself, by `git apply --check`, that it takes. What is left stands beside, with the reason. Writes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from refloat.checkout.eol import ASKED, Conversion, conversion_of, read_attributes, read_settings
from refloat.checkout.gitpatch import Side, is_text, patch_of
from refloat.checkout.index_file import git_hash
from refloat.checkout.lost import Lost
from refloat.checkout.repository import Repository
from refloat.model.salvage import SalvagedFile
from refloat.ports import Git, GitAnswer
from refloat.there import is_directory

_CHECK: Final = ("apply", "--check", "--whitespace=nowarn", "-")
_SECONDS: Final = 120.0
_MOST_CHECKS: Final = 64
"""Questions to git after which a group that it does not take is left out as a whole."""


@dataclass(frozen=True, slots=True)
class _Part:
    """One file's part of the patch."""

    lost: Lost
    text: str


@dataclass(frozen=True, slots=True)
class Root:
    """What the paths of a patch are relative to: the root of a repository, else the folder that a session worked in."""

    git: Git
    path: Path
    repository: Repository | None

    @property
    def is_there(self) -> bool:
        """Whether anything can be asked of it."""
        return self.repository is not None or is_directory(self.path)

    def ask(self, *words: str, stdin: bytes | None = None, seconds: float = 30) -> GitAnswer:
        """Ask git about it; where it is gone, about the nearest directory above that is there."""
        there = self.path if self.is_there else next(filter(is_directory, self.path.parents), Path("/"))
        return self.git.run(there, *words, stdin=stdin, seconds=seconds)

    def oid(self, data: bytes) -> str:
        """The object id that git gives to a content."""
        if self.repository is not None:
            return self.repository.oid(data)
        return git_hash("sha1", b"blob %d\0%b" % (len(data), data)).hex()


def build_patch(root: Root | None, lost: Sequence[Lost]) -> tuple[str, list[SalvagedFile]]:
    """The patch, proved on the present tree where one is there, and a row for each lost file in the order given."""
    refused: dict[int, str] = {}
    parts: dict[int, _Part] = {}
    named = [row.name for row in lost if row.name is not None]
    conversions = _conversions(root, named) if root is not None and named else {}
    for index, row in enumerate(lost):
        if root is None or row.name is None:
            refused[index] = row.why
        elif (told := _part(root, row, conversions[row.name])) and isinstance(told, _Part):
            parts[index] = told
        else:
            refused[index] = str(told)
    taken = _prove(root, parts, refused) if root is not None else []
    patch = "".join(parts[index].text for index in sorted(taken, key=lambda index: parts[index].lost.name or ""))
    return patch, [_row(row, refused.get(index)) for index, row in enumerate(lost)]


def _row(lost: Lost, refused: str | None) -> SalvagedFile:
    if refused is None:
        return SalvagedFile(lost.path, in_patch=True, why=lost.why)
    if lost.new is not None:
        return SalvagedFile(lost.path, in_patch=False, why=refused, beside=lost.new[0])
    return SalvagedFile(lost.path, in_patch=False, why=refused, beside=lost.hunks, suffix=".hunks")


def _conversions(root: Root, names: Sequence[str]) -> dict[str, Conversion]:
    """What git would do to each path's bytes; two questions for all of them."""
    told = root.ask("config", "--get-regexp", "-z", r"^core\.(autocrlf|eol)$")
    settings = read_settings(told.out)
    if root.repository is None:
        return dict.fromkeys(names, conversion_of({}, settings))
    stdin = b"".join(name.encode("utf-8", "surrogateescape") + b"\0" for name in names)
    asked = root.ask("check-attr", "-z", "--stdin", *ASKED, stdin=stdin)
    attributes = read_attributes(asked.out)
    made = {name: conversion_of(attributes.get(name, {}), settings) for name in names}
    if asked.code == 0:
        return made
    return {name: replace(one, unsure="git does not tell what it does to its bytes") for name, one in made.items()}


def _part(root: Root, lost: Lost, conversion: Conversion) -> _Part | str:
    """A file's part of the patch, or why there is none."""
    if conversion.unsure is not None and lost.new is not None:
        return conversion.unsure
    if lost.new is not None and conversion.to_worktree(lost.new[0]) != lost.new[0]:
        return "the line-end settings of this repository would change its line ends"
    old = lost.old[0] if lost.old else b""
    seen = conversion.to_git(old)
    lines = is_text(old) and (lost.new is None or is_text(lost.new[0]))
    # A hunk with a carriage return in its old lines makes git take the disk's bytes as they are.
    whole = lines and seen != old
    before = Side(old if lines else seen, lost.old[1], root.oid(old if lines else seen)) if lost.old else None
    after = Side(lost.new[0], lost.new[1], root.oid(lost.new[0])) if lost.new else None
    return _Part(lost, patch_of(lost.name or "", before, after, whole=whole))


# ── proof ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _prove(root: Root, parts: dict[int, _Part], refused: dict[int, str]) -> list[int]:
    """Those parts that git takes together. The others are added to `refused` with what it said.

    Where the root is gone all of them are new files, and they cannot be in each other's way but by a directory.
    """
    taken: list[int] = []
    left = [_groups(parts)] if parts else []
    if not root.is_there:
        alone = [groups for groups in left.pop() if len(groups) == 1] if left else []
        taken = [index for group in alone for index in group]
        refused.update(dict.fromkeys(parts.keys() - taken, "one of them is a file where another needs a directory"))
        return taken
    asked = 0
    while left:
        groups = left.pop()
        members = [index for group in groups for index in group]
        asked += 1
        said = _check(root, "".join(parts[index].text for index in members))
        if said is None:
            taken += members
        elif len(groups) > 1 and asked < _MOST_CHECKS:
            half = len(groups) // 2
            left += [groups[half:], groups[:half]]
        else:
            refused.update(dict.fromkeys(members, f"git would not apply it: {said}"))
    return taken


def _check(root: Root, patch: str) -> str | None:
    """What git says against a patch; None where it takes it."""
    answer = root.ask(*_CHECK, stdin=patch.encode(), seconds=_SECONDS)
    if answer.code == 0:
        return None
    lines = [line.removeprefix("error: ") for line in answer.err.strip().splitlines()]
    return lines[-1] if lines else "no reason given"


def _groups(parts: dict[int, _Part]) -> list[list[int]]:
    """Parts that need each other: a file made where a deleted one was a directory, or below one."""
    by_name = {part.lost.name or "": index for index, part in parts.items()}
    root: dict[int, int] = {}
    for name in sorted(by_name):
        index = by_name[name]
        above = name
        while (above := above.rpartition("/")[0]) and above not in by_name:
            pass
        root[index] = root[by_name[above]] if above else index
    groups: dict[int, list[int]] = {}
    for index, top in root.items():
        groups.setdefault(top, []).append(index)
    return list(groups.values())
