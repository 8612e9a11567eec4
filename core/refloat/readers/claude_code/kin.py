"""Which sessions begin with the same rows, and to which of them those rows count (formats/claude-code, section 8).

A fork holds the rows of its source again, under a new id and with their `uuid`s. Decides for each of such sessions:
one whose last row stands in another is carried by that one, which then counts everything; of the rest the oldest owns
what they share, and the others are given its files as relatives. A fork mostly does not name its source: the oldest is
the one that others name, then the one whose answers nobody made up, then the one that holds what is never copied (the
sub-agents of the shared part, rows between its rows), then the one that first went its own way. A copy with an answer
made up for a call in flight does not carry the session of that call. Looks only into sessions that share their first
row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import BinaryIO, Final

from refloat.model.light import light
from refloat.patterns import late
from refloat.readers.claude_code.values import get_object, mapping, objects, text
from refloat.readers.contract import SourceFile
from refloat.readers.lines import raw_lines

_BLOCK: Final = 1024 * 1024
_TAIL: Final = 64 * 1024
_ROW: Final = late(rb'"uuid":\s?"([^"\\]{1,200})"')
_TIME: Final = late(rb'"timestamp":\s?"([^"\\]{20,40})"')
_NEVER_COPIED: Final = late(rb'^\{"type":\s?"(?:queue-operation|last-prompt)"')
_NOT_IN_COPY: Final = "[Tool call result not in this copy:"
_INTERRUPTED: Final = "[Request interrupted by user for tool use]"
_MADE_UP: Final = late(rb'"\[Tool call result not in this copy|"toolDenialKind":\s?"interrupted"')
"""In each row that answers, for the copy alone, a call that was in flight when a session was forked."""


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
    agents: tuple[str, ...] = ()
    """Ids of the sub-agents in its own directory, which no fork copies."""


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
            taken = carried.get(other.name) != member.name and any(_holds(file, last) for file in other.files)
            if taken and not _makes_up_for(other, member):
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

    def age(member: Member) -> tuple[int, bool, bool, bool, str, str]:
        others = [other for other in standing if other is not member]
        files = [file for other in others for file in other.files]
        original, parted = _parting(member.files, rows_of(files))
        original = original or any(_holds(file, agent) for agent in member.agents for file in files)
        made_up = any(_makes_up_for(member, other) for other in others)
        return _depth(member.name, named), made_up, member.background, not original, parted, member.name

    return sorted(standing, key=age)


def _makes_up_for(copy: Member, source: Member) -> bool:
    """Whether a call of the one is answered in the other by words that stand in a copy only."""
    own = _made_up_by(source)
    return any(call not in own and any(_holds(file, call) for file in source.files) for call in _made_up_by(copy))


def _made_up_by(member: Member) -> frozenset[str]:
    return frozenset(call for file in member.files for call in _made_up(file))


def _depth(name: str, named: Mapping[str, str]) -> int:
    """How many sources stand before a session; one that names a session outside comes behind those that name none."""
    seen = {name}
    depth = 0
    while (name := named.get(name, "")) and name not in seen:
        seen.add(name)
        depth += 1
    return depth


def _parting(files: Sequence[SourceFile], shared: frozenset[str]) -> tuple[bool, str]:
    """Whether a row that no fork copies stands between the shared ones, and the time of the first row of its own: one
    that no fork copies is its own too.
    """
    original = waiting = False
    first = ""
    for file in files:
        try:
            with open(file.path, "rb") as lines:  # noqa: PTH123 - pathlib is dear on the list's roads
                for line in raw_lines(lines):
                    match = _ROW.search(line)
                    if match is None:
                        if _NEVER_COPIED.match(line) is not None:
                            waiting, first = True, first or _time_of(line)
                    elif match[1].decode("utf-8", "replace") in shared:
                        original, first = original or waiting, ""
                    else:
                        return original, first or _time_of(line)
        except OSError:
            continue
    return original, first or "~"


def _time_of(line: bytes) -> str:
    time = _TIME.search(line)
    return time[1].decode("utf-8", "replace") if time else ""


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
def _made_up(file: SourceFile) -> frozenset[str]:
    """Ids of the calls that a copy answers with words of its own."""
    found: set[str] = set()
    try:
        with open(file.path, "rb") as lines:  # noqa: PTH123 - pathlib is dear on the list's roads
            for line in raw_lines(lines):
                if _MADE_UP.search(line) is not None and (row := get_object(line)) is not None:
                    found.update(_made_up_in(row))
    except OSError:
        return frozenset()
    return frozenset(found)


def _made_up_in(row: Mapping[str, object]) -> Iterator[str]:
    starts = _INTERRUPTED if text(row.get("toolDenialKind")) == "interrupted" else _NOT_IN_COPY
    for block in objects(mapping(row.get("message")).get("content")):
        content = block.get("content")
        said = text(content) or next((text(part.get("text")) for part in objects(content)), "")
        if text(block.get("type")) == "tool_result" and said.startswith((starts, _NOT_IN_COPY)):
            yield text(block.get("tool_use_id"))


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
