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


def link(entries: list[Entry], links: Links, found: Findings) -> None:
    """Set the parents that change."""
    chain = _Chain(entries, found)
    chain.tie()
    chain.cut()
    _point_back(entries, chain.before, links, found)
    for at, entry in enumerate(entries):
        if not entry.dropped:
            _write(at, chain.up[at], entries, links)


def _point_back(entries: list[Entry], before: list[int], links: Links, found: Findings) -> None:
    """Compaction boundaries whose row of before is not there."""
    bounds = [at for at, entry in enumerate(entries) if entry.back and before[at] != NONE]
    if not bounds:
        return
    gone = {entries[at].back for at in bounds} - {entry.id for entry in entries if not entry.dropped}
    for at in bounds:
        entry = entries[at]
        if entry.back in gone:
            links.logical[entry.number] = entries[before[at]].id
            found.add("broken_chain", entry.line, "a compaction points back to no row", "tied to the row before")


class _Chain:
    """The parents of all rows, as indices."""

    def __init__(self, entries: list[Entry], found: Findings) -> None:
        self._entries = entries
        self._found = found
        self.before = _before(entries)
        """For each entry, the kept one before it of the same talk."""
        firsts = _firsts(entries)
        self.up = [self._plain(at, firsts) for at in range(len(entries))]
        self._forward = any(above > at for at, above in enumerate(self.up))
        """Some row hangs on a later one: only then can a tie close a circle."""

    def _plain(self, at: int, firsts: Mapping[str, int]) -> int:
        """The recorded parent; `UNKNOWN` where it is not there."""
        entry = self._entries[at]
        if entry.dropped:
            return NONE
        parent = entry.parent
        if parent == UNKNOWN:
            parent = firsts.get(entry.wanted, UNKNOWN)
        seen: set[int] = set()
        while parent >= 0 and self._entries[parent].dropped and parent not in seen:
            seen.add(parent)
            parent = self._entries[parent].instead
        if parent >= 0 and self._entries[parent].dropped:
            return UNKNOWN
        return parent

    def tie(self) -> None:
        """Rows whose parent is not there, and rows in the middle that have none."""
        for at, entry in enumerate(self._entries):
            if entry.dropped:
                continue
            if self.up[at] == UNKNOWN:
                self.up[at] = self._nearest(at)
                self._tell("broken_chain", at, "its parent is not there")
            elif self.up[at] == NONE and not entry.may_be_root and (nearest := self._nearest(at)) != NONE:
                self.up[at] = nearest
                self._tell("broken_chain", at, "a row in the middle without a parent")

    def _nearest(self, at: int) -> int:
        """The row before that does not hang on this one itself."""
        above = self.before[at]
        while above != NONE and self._forward and self._leads_to(above, at):
            above = self.before[above]
        return above

    def _leads_to(self, at: int, end: int) -> bool:
        seen: set[int] = set()
        while at >= 0 and at not in seen:
            if at == end:
                return True
            seen.add(at)
            at = self.up[at]
        return False

    def cut(self) -> None:
        """Circles, each at its first row."""
        done = bytearray(len(self.up))
        for start in range(len(self.up)):
            path: list[int] = []
            on: set[int] = set()
            at = start
            while at >= 0 and not done[at]:
                if at in on:
                    circle = path[path.index(at) :]
                    first = min(one for one in circle if not self._entries[one].moved)  # a moved one hangs on its call
                    self.up[first] = NONE
                    self.up[first] = self._nearest(first)
                    self._tell("chain_cycle", first, "its parents lead back to it")
                    break
                on.add(at)
                path.append(at)
                at = self.up[at]
            for one in path:
                done[one] = 1

    def _tell(self, code: str, at: int, what: str) -> None:
        entry = self._entries[at]
        act = "made a first row" if self.up[at] == NONE else "tied to the row before"
        self._found.add(code, entry.line, what, act, entry.id if isinstance(entry.id, str) else "")


def _firsts(entries: list[Entry]) -> dict[str, int]:
    """Ids that a child named before their row came."""
    wanted = {entry.wanted for entry in entries if entry.parent == UNKNOWN}
    firsts: dict[str, int] = {}
    for at, entry in enumerate(entries):
        if isinstance(entry.id, str) and entry.id in wanted:
            firsts.setdefault(entry.id, at)
    return firsts


def _before(entries: list[Entry]) -> list[int]:
    last: dict[str, int] = {}
    before: list[int] = []
    for at, entry in enumerate(entries):
        before.append(last.get(entry.side, NONE))
        if not entry.dropped and not entry.moved:
            last[entry.side] = at
    return before


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
