"""Attempts: who went on with which session, and the chains that sessions form by it. Pure.

Decides the order within a chain: the session that it began with first, then by when each attempt was made. Going on
with the same session is an attempt of its own, and makes the chain no longer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from refloat.model.light import light
from refloat.model.saving import Runner
from refloat.model.session import BROKEN_FIRST, SessionName, State
from refloat.model.stamp import Stamp

Way = Literal["continue", "new", "install"]
"""`install`: a repaired copy was put where the agent finds it."""


@light
class Attempt:
    """One time that somebody went on."""

    id: str
    parent: SessionName
    child: SessionName | None
    """The session that came of it, the parent itself for `continue`; None while that is not known."""
    operation: Way
    agent: str
    workspace: str
    holder: str
    """`user@host`."""
    command: str
    """As it was run, secrets masked."""
    brief: str | None
    """The file that the agent was told to read."""
    forced: str | None
    """Why the guard was overruled."""
    at: Stamp
    runner: Runner = Runner()
    """The agent's process, once there was one."""
    ended: Stamp | None = None
    exit_code: int | None = None


@light
class InChain:
    """Where a session stands among the attempts at one piece of work."""

    n: int
    """From 1, the first session."""
    of: int
    parent: SessionName | None
    """The session that it was started from."""
    continued_by: SessionName | None
    """The newest session that was started from it."""
    newest: SessionName
    """The last of the chain: where the work stands now."""
    previous: SessionName | None
    following: SessionName | None


@light
class Standing:
    """Where a session stands in its chain, and how the newest of it stands now."""

    chain: InChain
    newest: SessionName
    state: State
    """Of the newest."""


def rank_of(state: State, chain: InChain | None) -> int:
    """Where a session stands in a list, what is broken on top: one that ended, and that another one went on from, is
    not work to do any more, whatever it ended in.
    """
    went_on = chain is not None and chain.continued_by is not None
    ended = state not in {State.LIVE, State.UNRESOLVED}
    return BROKEN_FIRST[State.UNBOUND if ended and went_on else state]


def chains_of(attempts: Iterable[Attempt]) -> Mapping[SessionName, InChain]:
    """The place of every session that is on a chain; one that stands alone has none."""
    links = _links(attempts)
    members: dict[SessionName, list[SessionName]] = {}
    for child, parent in links.items():
        root = parent
        while root in links:
            root = links[root]
        members.setdefault(root, [root]).append(child)
    found: dict[SessionName, InChain] = {}
    for chain in members.values():
        for at, name in enumerate(chain):
            children = [child for child in chain if links.get(child) == name]
            found[name] = InChain(
                at + 1,
                len(chain),
                links.get(name),
                children[-1] if children else None,
                chain[-1],
                chain[at - 1] if at else None,
                chain[at + 1] if at + 1 < len(chain) else None,
            )
    return found


def _links(attempts: Iterable[Attempt]) -> dict[SessionName, SessionName]:
    """Child → parent, oldest attempt first. What would close a circle is left out."""
    links: dict[SessionName, SessionName] = {}
    for attempt in sorted(attempts, key=lambda one: (one.at, one.id)):
        child, parent = attempt.child, attempt.parent
        if child is None or child in links:
            continue
        above: SessionName | None = parent
        while above is not None and above != child:
            above = links.get(above)
        if above is None:
            links[child] = parent
    return links
