"""Which processes belong together when one of them is to be stopped, and which one a person may name for it. Pure.

Decides by the process table alone: what a process started, and the process group and the session of processes that it
leads. Refuses to take in Refloat itself and what it comes from, processes whose number alone looks right, and the
system's first process with whatever only that one ties together.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, Literal

from refloat.liveness.evidence import Facts
from refloat.liveness.verdict import candidates_of, owners_of, processes_in_doubt
from refloat.model.liveness import ProcessInfo
from refloat.model.stopping import Kin

FIRST: Final = 1
"""The number of the system's (or a container's) first process: the parent of all whose own parent has ended."""
_SLACK: Final = 1.0
"""Seconds by which a child may seem older than its parent: the table is not read in one instant."""


def family_of(
    heads: Sequence[Kin], table: Mapping[int, ProcessInfo], known: Collection[Kin], spared: Collection[int]
) -> tuple[Kin, ...]:
    """The tree of the heads as it stands now, they and those `known` from earlier looks first.

    Who was once of the tree stays in it: a child whose parent has ended is the system's now. `spared` process numbers
    and zombies are left out.
    """
    found: dict[int, Kin] = {}
    for kin in (*heads, *known):
        row = table.get(kin.process.pid)
        if row is not None and is_same(row, kin.process) and _may_belong(row, spared):
            found.setdefault(row.pid, Kin(row, kin.role, kin.since))
    for head in heads:
        for row in table.values():
            if _may_belong(row, spared) and (role := _led_by(head.process, row, table)):
                found.setdefault(row.pid, Kin(row, role))
    children: dict[int, list[ProcessInfo]] = {}
    for row in table.values():
        children.setdefault(row.ppid, []).append(row)
    due = list(found.values())
    while due:
        parent = due.pop().process
        for row in children.get(parent.pid, ()):
            begun = row.started >= parent.started - _SLACK
            if begun and _may_belong(row, spared) and row.pid not in found:
                found[row.pid] = Kin(row, "child")
                due.append(found[row.pid])
    return tuple(found.values())


def begun_before(heads: Sequence[Kin], table: Mapping[int, ProcessInfo]) -> Mapping[int, ProcessInfo]:
    """What a head's process had started, or led, before it became the agent, with all that came of it: not the
    agent's.
    """
    found: dict[int, ProcessInfo] = {}
    for head in heads:
        for row in table.values() if head.since is not None else ():
            theirs = row.ppid == head.process.pid or _led_by(head.process, row, table)
            if theirs and head.since is not None and row.started < head.since:
                found[row.pid] = row
    due = list(found)
    while due:
        parent = due.pop()
        for row in table.values():
            if row.ppid == parent and row.pid not in found:
                found[row.pid] = row
                due.append(row.pid)
    return found


def _may_belong(row: ProcessInfo, spared: Collection[int]) -> bool:
    return row.pid > FIRST and not row.zombie and row.pid not in spared


def _led_by(
    head: ProcessInfo, row: ProcessInfo, table: Mapping[int, ProcessInfo]
) -> Literal["group", "session"] | None:
    """Whether a process is in the group or the session that the head leads; not where the number is another's now."""
    leader = table.get(head.pid)
    if head.pid <= FIRST or row.pid == head.pid or (leader is not None and not is_same(leader, head)):
        return None
    if head.group == head.pid and row.group == head.pid:
        return "group"
    return "session" if head.session == head.pid and row.session == head.pid else None


def is_same(one: ProcessInfo, other: ProcessInfo) -> bool:
    """Whether two rows are of one process: a number alone proves nothing."""
    return one.pid == other.pid and one.start_token == other.start_token


def nameable(facts: Facts) -> Mapping[int, tuple[ProcessInfo, str]]:
    """Processes that a person may name for the session's own, each with what ties it to the session."""
    found: dict[int, tuple[ProcessInfo, str]] = {}
    for process, why in _tied(facts):
        found.setdefault(process.pid, (process, why))
    return found


def _tied(facts: Facts) -> Iterator[tuple[ProcessInfo, str]]:
    for process in owners_of(facts):
        yield process, "it verifiably owns the session"
    for rival in candidates_of(facts):
        process = rival.process
        where = f"it is a {facts.subject.agent} that runs in {process.cwd or 'a directory that is not known'}"
        yield process, f"{where}; nothing verifies that it owns the session"
    for claim in processes_in_doubt(facts):
        if claim.process is not None:
            yield claim.process, f"{claim.holder.path} names its number, and nothing proves it to be the same process"
    for rival in facts.rivals:
        if not rival.process.inspectable and not rival.elsewhere:
            yield rival.process, f"it is a {facts.subject.agent} that may not be looked into"
