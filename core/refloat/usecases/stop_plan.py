"""What stopping a session would signal, and how; or why nothing may be signalled.

Decides whom a stop is about: the verified owners, or the one process that a person names and that something ties to the
session, and all that belongs to them. The guard says whether the session may be stopped at all. Refuses, whatever the
guard says, what belongs to another user, what serves other sessions too unless a person names it, what a daemon would
start anew, what Refloat itself runs in, the system's first process, and whatever does not look like the agent: a
register is a file, and what it says of a number is no reason to end a shell, a server or the machine.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from refloat.liveness.evidence import Facts, Look, ancestry, look, subject_of
from refloat.liveness.family import FIRST, begun_before, family_of, is_same, nameable
from refloat.liveness.verdict import owners_of
from refloat.model.liveness import ProcessInfo
from refloat.model.session import Session
from refloat.model.situation import Ruling
from refloat.model.stopping import Asking, Kin, Left, StopPlan
from refloat.readers.contract import Reader, TakesSignals
from refloat.usecases import act
from refloat.usecases.act import Actor, Wish
from refloat.usecases.find_sessions import Finder, Located
from refloat.usecases.workbench import Workbench

ASKS: Final = (Asking("SIGINT", 10.0), Asking("SIGTERM", 5.0))
"""For an agent whose reader says nothing of signals."""
_LATE: Final = 60.0
"""Seconds that a program may take from its start until it notes it, on a machine that is busy."""


@dataclass(frozen=True, slots=True)
class Sight:
    """One look at a session whose process is to be stopped."""

    reader: Reader
    session: Session
    seen: Look
    facts: Facts
    wish: Wish
    others: Mapping[int, str]
    """Of a process in question, the other sessions that it verifiably owns, as words; missing where there are none."""


def take_sight(bench: Workbench, located: Located, wish: Wish) -> Sight:
    """Look at the machine now, for one session."""
    seen = look(bench.machine, bench.readers)
    facts = seen.facts_for(subject_of(located.found, located.summary))
    ref = wish.ref if located.found.by_path else located.session.name  # `last` may mean another one by now
    others = _others(bench, located, seen, facts)
    return Sight(located.reader, located.session, seen, facts, replace(wish, ref=ref), others)


def _others(bench: Workbench, located: Located, seen: Look, facts: Facts) -> Mapping[int, str]:
    """Sub-agents, an agent's own machinery and what was never prompted are no sessions of their own."""
    agent, own = located.found.agent, located.found.session_id
    tied = {pid: ids for pid in nameable(facts) if (ids := seen.sessions_of(agent, pid) - {own})}
    if not tied:
        return {}
    known = {found.session_id for _, found in Finder(bench).sight().found if found.agent == agent}
    words = {pid: ", ".join(f"{agent}:{other}" for other in sorted(ids & known)) for pid, ids in tied.items()}
    return {pid: names for pid, names in words.items() if names}


def plan_stop(bench: Workbench, actor: Actor, wish: Wish) -> StopPlan:
    """What `refloat stop` would do now. Changes nothing. `wish.operation` is `stop`.

    Raises:
        NoSuchSession: none, or more than one, fits.
        Unreadable: the record cannot be opened, so nobody knows who holds what.

    """
    seen = act.look(bench, actor, wish)
    return plan_for(take_sight(bench, seen.located, wish), seen.ruling, actor)


def plan_for(sight: Sight, ruling: Ruling, actor: Actor) -> StopPlan:
    """The plan that a look and the guard's answer come to."""
    name = sight.session.name
    warnings = (*(f"overruled: {why}" for why in ruling.overruled), *ruling.warnings)
    left = tuple(_background(sight, ()))
    nothing = StopPlan(name, sight.wish.ref, (), (), left, warnings=warnings, ruling=ruling)
    if not ruling.allowed:
        return replace(nothing, refused=ruling.sentence, holder=ruling.holder)
    heads = _find_heads(sight, ruling)
    if not heads:
        whom = " or ".join(f"process {pid}" for pid in ruling.pids) or "any process"
        return replace(nothing, refused=f"its number is all that ties {whom} to {name}: nothing is signalled on that")
    for why in _refusals(sight, heads, actor):
        return replace(nothing, refused=why)
    table = sight.seen.processes
    older = begun_before(heads, table)
    kin = family_of(heads, table, (), ancestry(table) | older.keys())
    others = {row.pid: row for row in (*(_left_alone(row) for row in older.values()), *_background(sight, kin))}
    return replace(
        nothing,
        kin=kin,
        asks=_asks(sight.reader, heads[0].process),
        left=tuple(others.values()),
        confirm=None if sight.wish.pid is None else _confirmation(sight, heads[0].process),
    )


def heads_of(plan: StopPlan) -> tuple[Kin, ...]:
    """The processes that the stop is about; the others go with them."""
    return tuple(kin for kin in plan.kin if kin.role in {"owner", "named"})


def _find_heads(sight: Sight, ruling: Ruling) -> tuple[Kin, ...]:
    """The verified owners; of a named process only what is tied to the session by more than its number."""
    if sight.wish.pid is None:
        owners = [row for row in owners_of(sight.facts) if row.pid in ruling.pids]
        return tuple(Kin(row, "owner", _since(sight, row)) for row in owners)
    named = nameable(sight.facts).get(sight.wish.pid)
    return () if named is None else (Kin(named[0], "named", _since(sight, named[0])),)


def _since(sight: Sight, row: ProcessInfo) -> float | None:
    """When the process became the agent, by the agent's own register, where that is clearly later than its start."""
    noted = [
        claim.holder.started_ms / 1000 - _LATE
        for claim in sight.facts.claims
        if claim.matches and claim.holder.started_ms and claim.process is not None and claim.process.pid == row.pid
    ]
    return max((moment for moment in noted if moment > row.started), default=None)


def _left_alone(row: ProcessInfo) -> Left:
    return Left(row.pid, row.name, "began before the agent took over its parent's process (exec): it is left alone")


def _refusals(sight: Sight, heads: Sequence[Kin], actor: Actor) -> Iterator[str]:
    """Why none of them may be signalled, whatever the guard says of the session."""
    own = ancestry(sight.seen.processes)
    for row in (head.process for head in heads):
        if row.pid <= FIRST:
            yield (
                f"process {row.pid} is the first one of this machine or container, and everything in it would end with "
                "it: end the container from outside"
            )
        if not sight.reader.is_agent(row):
            yield (
                f"process {row.pid} ({row.name}) does not look like {sight.reader.agent}, whatever ties it to "
                f"{sight.session.name}: nothing is signalled on that"
            )
        if row.pid in own:
            yield (
                f"Refloat runs inside process {row.pid}, which {_owns(sight, row)}, and would end itself: run "
                f"`refloat stop {sight.session.name}` from another terminal"
            )
        if row.uid is not None and row.uid != actor.uid:
            yield f"process {row.pid} belongs to another user (uid {row.uid}): only they may stop it"
        if (others := sight.others.get(row.pid)) and sight.wish.pid is None:
            yield (
                f"process {row.pid} owns other sessions, too ({others}), and would end with all of them: name it with "
                f"--pid {row.pid} if that is meant"
            )
    for claim in sight.facts.claims:
        command = sight.reader.stop_command(claim.holder) if isinstance(sight.reader, TakesSignals) else None
        if command is not None and any(claim.holder.pid == head.process.pid for head in heads):
            yield f"it is a background session, and its daemon may start it anew: `{' '.join(command)}` stops it"


def _owns(sight: Sight, row: ProcessInfo) -> str:
    owns = any(is_same(row, owner) for owner in owners_of(sight.facts))
    return f"{'owns' if owns else 'may own'} {sight.session.name}"


def _confirmation(sight: Sight, row: ProcessInfo) -> str:
    """What ties a named process to the session, and what else it holds."""
    why = nameable(sight.facts)[row.pid][1]
    others = sight.others.get(row.pid)
    return f"{why}; it owns {others}, which would end, too" if others else why


def _asks(reader: Reader, process: ProcessInfo) -> tuple[Asking, ...]:
    return tuple(reader.asks_to_end(process)) if isinstance(reader, TakesSignals) else ASKS


def _background(sight: Sight, kin: Sequence[Kin]) -> Iterator[Left]:
    """Work of the session that is no part of the tree: it is told, and left alone."""
    taken = {each.process.pid for each in kin}
    for row in sight.facts.children:
        if row.pid not in taken:
            yield Left(row.pid, row.name, "background work of the session, and not of the tree: it is left alone")
