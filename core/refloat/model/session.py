"""Sessions and what is known about them (design, sections 2 and 3)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, Literal, NewType

from refloat.model.light import light
from refloat.model.liveness import Liveness
from refloat.model.problem import Problem
from refloat.model.stamp import Stamp

SessionName = NewType("SessionName", str)
"""`agent:id`."""

PendingKind = Literal["approval", "input"]


class State(StrEnum):
    """May another writer start?"""

    LIVE = "live"
    UNRESOLVED = "unresolved"
    FAILED = "failed"
    STOPPED = "stopped"
    UNBOUND = "unbound"


BROKEN_FIRST: Final[Mapping[State, int]] = {
    State.FAILED: 0,
    State.UNRESOLVED: 0,
    State.LIVE: 1,
    State.STOPPED: 2,
    State.UNBOUND: 3,
}
"""The order in which a person is shown sessions of one place; within a rank the newest stands first."""


class Activity(StrEnum):
    """What a live session does, from its record."""

    WORKING = "working"
    AWAITING_APPROVAL = "awaiting_approval"
    AWAITING_INPUT = "awaiting_input"
    IDLE = "idle"


class FailureKind(StrEnum):
    """Why a failed session failed."""

    PROCESS_EXIT = "process_exit"
    HOST_RESTART = "host_restart"
    API_ERROR = "api_error"
    RATE_LIMIT = "rate_limit"
    AUTH = "auth"
    CONTEXT_LIMIT = "context_limit"
    OUT_OF_CREDIT = "out_of_credit"
    INTERRUPTED_BY_USER = "interrupted_by_user"
    TRANSCRIPT_DAMAGED = "transcript_damaged"
    UNKNOWN = "unknown"


@light
class Failure:
    """Why, with the observed words and their time."""

    kind: FailureKind
    detail: str
    at: Stamp | None


@light
class Subagent:
    """A sub-agent of a session, in short."""

    id: str
    state: State
    dangling: int


@light
class TranscriptFiles:
    """The files that hold a session."""

    paths: tuple[str, ...]
    bytes: int
    problems: tuple[Problem, ...]


@light
class Kept:
    """Refloat's own copy of a session (`refloat keep`)."""

    at: Stamp
    bytes: int
    """Of the originals."""
    original_gone: bool
    """The agent's own files are gone: what is told of the session was read from the copy."""


@light
class Session:
    """One conversation of one agent, as `refloat list` tells it."""

    agent: str
    session_id: str
    title: str
    workspace: str | None
    repo: str | None
    branch: str | None
    model: str | None
    started_at: Stamp | None
    last_activity_at: Stamp | None
    state: State
    activity: Activity | None
    failure: Failure | None
    liveness: Liveness
    turns: int
    prompts: int
    steps: int
    dangling: int
    edits: int
    parent: SessionName | None
    superseded_by: SessionName | None
    subagents: tuple[Subagent, ...]
    worktree: str | None
    transcript: TranscriptFiles
    kept: Kept | None = None
    repaired: bool = False
    """A repaired copy, nothing added since: calls without a result are closed in it, and its agent is told."""
    provisional: bool = False
    """Told by the ends of its files alone: what is counted is not known yet."""
    by_path: bool = False
    """Given by a path outside its agent's directories: its name leads to nothing, or to another transcript."""

    @property
    def name(self) -> SessionName:
        """`agent:id`."""
        return SessionName(f"{self.agent}:{self.session_id}")

    @property
    def ref(self) -> str:
        """The word that leads to it on a command line: its name, or the path that it was given by."""
        return self.transcript.paths[0] if self.by_path and self.transcript.paths else self.name


def place_here(recorded: str | None) -> str | None:
    """A recorded directory that names one on this machine, wherever Refloat itself stands: an absolute path.

    None for what is relative, of another system's style, or no path at all: such a one is never entered or resolved.
    """
    return recorded if recorded and recorded.startswith("/") and "\0" not in recorded else None


@light
class RecordGone:
    """A session that the agent's own history, index or register names and whose transcript no longer exists."""

    agent: str
    session_id: str
    workspace: str | None
    prompts: int
    why: str
