"""Which sessions begin with the same rows, and to which of them those rows count (formats/claude-code, section 8).

A fork holds the rows of its source again, under a new id and with their `uuid`s. Decides for each of such sessions:
one whose last row stands in another is carried by that one, which then counts everything; of the rest the oldest owns
what they share, and the others are given its files as relatives. A fork mostly does not name its source: the oldest is
the one that others name, then the one whose shared rows hold what is never copied, then the one that first went its
own way. Looks only into sessions that share their first row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import BinaryIO, Final

from refloat.model.light import light
from refloat.patterns import late
from refloat.readers.claude_code.values import get_object, text
from refloat.readers.contract import SourceFile
from refloat.readers.lines import raw_lines

_BLOCK: Final = 1024 * 1024
_TAIL: Final = 64 * 1024
_ROW: Final = late(rb'"uuid":\s?"([^"\\]{1,200})"')
_TIME: Final = late(rb'"timestamp":\s?"([^"\\]{20,40})"')
_NEVER_COPIED: Final = late(rb'^\{"type":\s?"(?:queue-operation|last-prompt)"')


@light
class Member:
    """A session as far as it is known before it is read."""

    name: str
    first: str
    """Id of its first row."""
    files: tuple[SourceFile, ...]
    named: str = ""
    """The session that it names as its source."""
    background: bool = False
    """Its first row says that it was written by a background session."""
    renamed: bool = False
    """Its file is not called after the session that its rows name: somebody's copy."""


@light
class Descent:
    """Where a session comes from."""

    parent: str = ""
    relatives: tuple[SourceFile, ...] = ()
    """Files whose rows count there, and not in this session."""


def find_descents(members: Sequence[Member]) -> Mapping[str, Descent]:
    """The descent of each session that has one; the others are not in it."""
    families: defaultdict[str, list[Member]] = defaultdict(list)
    for member in members:
        if member.first:
            families[member.first].append(member)
    found: dict[str, Descent] = {}
    for family in families.values():
        if len(family) > 1:
            found.update(_within(family))
    return found


def rows_of(files: Sequence[SourceFile]) -> frozenset[str]:
    """Ids of the rows in some files; what cannot be read holds none."""
    return frozenset(row for file in files for row in _rows(file))


def _within(family: list[Member]) -> Iterator[tuple[str, Descent]]:
    # Of two equal ones the first is carried by the other: a copy by what it was copied from.
    family.sort(key=lambda member: (sum(file.size for file in member.files), member.renamed, member.name), reverse=True)
    carried: dict[str, str] = {}
    for at, member in enumerate(family):
        last = _last_row(member.files[-1])
        # Of two that hold each other's last row the larger one stays.
        others = [*family[:at], *(other for other in family[at + 1 :] if carried.get(other.name) is None)]
        for other in others if last else ():
            if carried.get(other.name) != member.name and any(_holds(file, last) for file in other.files):
                carried[member.name] = other.name
                break
    standing = _oldest_first([member for member in family if member.name not in carried])
    for at, member in enumerate(standing):
        older = standing[:at]
        relatives = tuple(file for other in older for file in other.files)
        yield member.name, Descent(member.named or _source(member, family, older), relatives)
    for member in family:
        if member.name in carried:
            yield member.name, Descent(member.named)


def _source(member: Member, family: Sequence[Member], older: Sequence[Member]) -> str:
    """The largest session that it carries whole, else the older one that shares most of its rows."""
    for other in family:
        last = _last_row(other.files[-1]) if other is not member and other not in older else ""
        if last and any(_holds(file, last) for file in member.files):
            return other.name
    if not older:
        return ""
    own = rows_of(member.files)
    return max(older, key=lambda other: len(own & rows_of(other.files))).name


def _oldest_first(standing: list[Member]) -> list[Member]:
    if len(standing) < 2:
        return standing
    named = {member.name: member.named for member in standing}

    def age(member: Member) -> tuple[int, bool, bool, str, str]:
        shared = rows_of([file for other in standing if other is not member for file in other.files])
        original, parted = _parting(member.files, shared)
        return _depth(member.name, named), member.background, not original, parted, member.name

    return sorted(standing, key=age)


def _depth(name: str, named: Mapping[str, str]) -> int:
    """How many sources stand before a session; one that names a session outside comes behind those that name none."""
    seen = {name}
    depth = 0
    while (name := named.get(name, "")) and name not in seen:
        seen.add(name)
        depth += 1
    return depth


def _parting(files: Sequence[SourceFile], shared: frozenset[str]) -> tuple[bool, str]:
    """Whether a row that no fork copies stands between the shared ones, and the time of the first row of its own."""
    original = waiting = False
    for file in files:
        try:
            with open(file.path, "rb") as lines:  # noqa: PTH123 - pathlib is dear on the list's roads
                for line in raw_lines(lines):
                    match = _ROW.search(line)
                    if match is None:
                        waiting = waiting or _NEVER_COPIED.match(line) is not None
                    elif match[1].decode("utf-8", "replace") in shared:
                        original = original or waiting
                    else:
                        time = _TIME.search(line)
                        return original, time[1].decode("utf-8", "replace") if time else ""
        except OSError:
            continue
    return original, "~"


# ── looking into files ───────────────────────────────────────────────────────────────────────────────────────────────


@lru_cache(maxsize=16)  # sets of a long transcript are large
def _rows(file: SourceFile) -> frozenset[str]:
    found: set[str] = set()
    try:
        with open(file.path, "rb") as lines:  # noqa: PTH123 - pathlib is dear on the list's roads
            for line in raw_lines(lines):
                found.update(row.decode("utf-8", "replace") for row in _ROW.findall(line))
    except OSError:
        return frozenset()
    return frozenset(found)


@lru_cache(maxsize=1024)
def _last_row(file: SourceFile) -> str:
    """Id of the last row of the talk; "" where there is none."""
    try:
        with open(file.path, "rb") as opened:  # noqa: PTH123 - pathlib is dear on the list's roads
            return _last_row_of(opened, file.size)
    except OSError:
        return ""


def _last_row_of(opened: BinaryIO, size: int) -> str:
    length = _TAIL
    while True:
        start = max(0, size - length)
        opened.seek(start)
        lines = opened.read(size - start).splitlines()
        for line in reversed(lines if start == 0 else lines[1:]):
            if b'"uuid"' not in line:
                continue
            row = get_object(line) or {}
            if text(row.get("type")) in {"user", "assistant"} and row.get("isSidechain") is not True:
                return text(row.get("uuid"))
        if start == 0:
            return ""
        length *= 8


@lru_cache(maxsize=4096)
def _holds(file: SourceFile, row: str) -> bool:
    needle = b'"' + row.encode("utf-8", "surrogateescape") + b'"'
    kept = b""
    try:
        with open(file.path, "rb") as opened:  # noqa: PTH123 - pathlib is dear on the list's roads
            while block := opened.read(_BLOCK):
                if needle in kept + block:
                    return True
                kept = block[-len(needle) :]
    except OSError:
        return False
    return False
