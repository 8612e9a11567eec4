"""Which row each row of the copy hangs on.

Decides that a parent which is missing, or that hangs on its own child, gives way to the conversation row before, of the
same talk: that is what the program itself falls back to. A compaction boundary has no parent and points back by another
field. Rows behind a closed call hang on its made result, so that the chain passes through it.
"""

from collections.abc import Mapping
from typing import Protocol

from refloat.repair.claude_code.index import NONE, UNKNOWN, Entry, Id, Insert
from refloat.repair.frame import Findings


class Links(Protocol):
    """What is decided about rows: by their numbers."""

    ids: dict[int, Id]
    parents: dict[int, Id | None]
    logical: dict[int, Id | None]
    inserts: dict[int, list[Insert]]
    drops: set[int]


def bound(entry: Entry, wanted: str, known: Mapping[str, int], links: Links, before: int) -> None:
    """A compaction boundary: what it points back to, where that is not there."""
    entry.may_be_root = True
    entry.back = known.get(wanted, NONE)
    if wanted and entry.back == NONE and before != NONE:
        links.logical[entry.number] = None  # filled in by `link`, which knows the row before


def link(entries: list[Entry], links: Links, found: Findings) -> None:
    """Set the parents that change."""
    firsts = _firsts(entries)
    before = _before(entries)
    up = [_parent(at, entries, firsts, before, found) for at in range(len(entries))]
    _cut_cycles(up, entries, before, found)
    for at, entry in enumerate(entries):
        if entry.number in links.logical:
            links.logical[entry.number] = entries[before[at]].id if before[at] != NONE else None
            found.add("broken_chain", entry.line, "a compaction points back to no row", "tied to the row before")
        elif entry.back != NONE and entries[entry.back].dropped:
            links.logical[entry.number] = entries[before[at]].id if before[at] != NONE else None
        if not entry.dropped:
            _write(at, up[at], entries, links)


def _firsts(entries: list[Entry]) -> dict[str, int]:
    """Ids that a child named before their row came."""
    wanted = {entry.wanted for entry in entries if entry.parent == UNKNOWN}
    firsts: dict[str, int] = {}
    for at, entry in enumerate(entries):
        if isinstance(entry.id, str) and entry.id in wanted:
            firsts.setdefault(entry.id, at)
    return firsts


def _before(entries: list[Entry]) -> list[int]:
    """For each entry, the kept one before it of the same talk."""
    last: dict[str, int] = {}
    before: list[int] = []
    for at, entry in enumerate(entries):
        before.append(last.get(entry.side, NONE))
        if not entry.dropped and not entry.moved:
            last[entry.side] = at
    return before


def _parent(at: int, entries: list[Entry], firsts: Mapping[str, int], before: list[int], found: Findings) -> int:
    entry = entries[at]
    if entry.dropped:
        return NONE
    parent = entry.parent
    if parent == UNKNOWN:
        parent = firsts.get(entry.wanted, UNKNOWN)
    seen: set[int] = set()
    while parent >= 0 and entries[parent].dropped and parent not in seen:
        seen.add(parent)
        parent = entries[parent].instead
    if parent == UNKNOWN or (parent >= 0 and entries[parent].dropped):
        found.add("broken_chain", entry.line, "its parent is not there", _tied(before[at]), _name(entry))
        return before[at]
    if parent == NONE and not entry.may_be_root and before[at] != NONE:
        found.add("broken_chain", entry.line, "a row in the middle without a parent", _tied(before[at]), _name(entry))
        return before[at]
    return parent


def _tied(before: int) -> str:
    return "made the first row" if before == NONE else "tied to the row before"


def _name(entry: Entry) -> str:
    return entry.id if isinstance(entry.id, str) else ""


def _cut_cycles(up: list[int], entries: list[Entry], before: list[int], found: Findings) -> None:
    done = bytearray(len(up))
    for start in range(len(up)):
        path: list[int] = []
        on: set[int] = set()
        at = start
        while at >= 0 and not done[at]:
            if at in on:
                first = min(path[path.index(at) :])
                up[first] = before[first] if not _leads_to(before[first], first, up) else NONE
                entry = entries[first]
                found.add("chain_cycle", entry.line, "its parents lead back to it", _tied(up[first]), _name(entry))
                break
            on.add(at)
            path.append(at)
            at = up[at]
        for one in path:
            done[one] = 1


def _leads_to(at: int, end: int, up: list[int]) -> bool:
    seen: set[int] = set()
    while at >= 0 and at not in seen:
        if at == end:
            return True
        seen.add(at)
        at = up[at]
    return False


def _write(at: int, parent: int, entries: list[Entry], links: Links) -> None:
    entry = entries[at]
    if parent == NONE:
        if entry.wanted:
            links.parents[entry.number] = None
        return
    above = entries[parent]
    made = [one for one in links.inserts.get(above.number, ()) if one.source is None]
    same = entry.kind == "assistant" and entry.message and entry.message == above.message
    target = made[-1].id if made and at > parent and not same else above.id
    if target != entry.wanted:
        links.parents[entry.number] = target
