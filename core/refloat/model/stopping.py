"""What stopping a session's process is planned as, and what it came to (design, sections 7 and 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from refloat.model.light import light
from refloat.model.liveness import ProcessInfo
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp

if TYPE_CHECKING:
    from refloat.model.situation import Ruling

SignalWord = Literal["SIGINT", "SIGTERM", "SIGKILL", "SIGCONT"]


@light
class Asking:
    """One signal by which an agent's program is asked to end, and how long it gets."""

    signal: Literal["SIGINT", "SIGTERM"]
    grace: float
    """Seconds."""


@light
class Kin:
    """A process of the tree that is stopped, and why it belongs to it."""

    process: ProcessInfo
    role: Literal["owner", "named", "child", "group", "session"]
    """`named`: a person named it. `child`: started by one of the others. `group`, `session`: it is in the process
    group, or the session of processes, that the owner leads."""
    since: float | None = None
    """Of an owner: seconds since 1970 before which its process was another program's (a shell that became the agent by
    `exec` keeps its number and its start, and its jobs stay its children). None: it was the agent from its start."""


@light
class Left:
    """A process that runs on."""

    pid: int
    name: str
    why: str


@light
class StopPlan:
    """What would be stopped, and how; or why nothing may be."""

    session: SessionName
    ref: str
    """SESSION, as this very one is found again."""
    kin: tuple[Kin, ...]
    """Owners first; none where it is refused."""
    asks: tuple[Asking, ...]
    """For the owners; SIGTERM and SIGKILL follow for whatever of the tree still runs."""
    left: tuple[Left, ...]
    """Background work of the session that is no part of the tree: it would go on."""
    refused: str | None = None
    """Why nothing may be stopped."""
    holder: str | None = None
    """Who forbids it, where somebody does."""
    confirm: str | None = None
    """Where a person named a process: what ties it to the session. Nothing is sent before they have said yes to it."""
    warnings: tuple[str, ...] = ()
    ruling: Ruling | None = None
    """What the guard said: a force overrules nothing that came after it."""


@light
class Sent:
    """A signal that was sent."""

    signal: SignalWord
    pid: int
    at: Stamp


@light
class Stopped:
    """What a stop came to."""

    session: SessionName
    result: Literal["stopped", "not_verified", "refused"]
    signals: tuple[Sent, ...]
    left: tuple[Left, ...]
    """What runs on: of the tree, and background work beside it."""
    why: str
    notes: tuple[str, ...] = ()
    """What else was seen: a register or a lock that was left behind, zombies, a step that could not be saved."""
    by_person: bool = False
    """A person ended the stop itself (Ctrl-C)."""


@light
class Progress:
    """What a stop does now."""

    what: Literal["waiting", "signal", "ended", "verifying"]
    words: str
