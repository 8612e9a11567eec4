"""What the guard is told, and what it answers: one look at a session and at who else is at it, and a ruling.

Decides nothing; `model.guard` does.
"""

from typing import Final, Literal

from refloat.model.attempts import Standing
from refloat.model.light import light
from refloat.model.liveness import Liveness
from refloat.model.record import Lease
from refloat.model.session import Failure, SessionName, State
from refloat.model.stamp import Stamp

Guarded = Literal["continue", "new", "attach", "stop", "install", "recover"]
"""Operations that ask. `install` is `repair --install`, `recover` the wizard."""

Branch = Literal[
    # refused
    "nothing_runs",
    "nothing_to_stop",
    "resolve_before_attaching",
    "name_the_process",
    "process_is_not_tied",
    "owner_unseen",
    "only_a_copy_is_left",
    "no_id_of_the_agent",
    "no_workspace",
    "owner_is_running",
    "owner_may_be_running",
    "session_is_held",
    "workspace_is_held",
    "another_person_works_there",
    "newer_attempt_is_running",
    "ended_badly",
    # allowed
    "attach_to_the_owner",
    "stop_the_owner",
    "stop_the_named_process",
    "go_on_where_it_stopped",
    "go_on_after_the_provider_failed",
    "go_on_with_the_repaired_copy",
    "ask_for_the_first_time",
    "start_anew",
    "install_the_copy",
    "recover",
    "recover_beside_a_process",
    "forced",
]
"""The rows of the table."""

Instead = Literal["continue", "new", "attach", "stop", "brief"]
"""What is possible where something else is not; `brief` starts nothing."""
FORCE_HELPS: Final = "`--force REASON` overrules that, and is recorded"


@light
class Bystander:
    """A process of some agent that works in the workspace, and not on this session as far as anybody knows."""

    pid: int
    agent: str
    mine: bool
    """It is the same user's."""
    session: str = ""
    """The session that it owns, where that is known."""


@light
class Situation:
    """What was seen in one look."""

    operation: Guarded
    session: SessionName
    state: State
    liveness: Liveness
    now: Stamp
    own: str
    """`user@host` of whoever asks."""
    ref: str = ""
    """The word that leads to the session on a command line, where that is not its name."""
    failure: Failure | None = None
    dangling: int = 0
    repaired: bool = False
    """It is a repaired copy to which nothing was added since."""
    takes_id: bool = True
    """Its id is one that the agent's own command takes for an id."""
    copy_only: bool = False
    """The agent's own transcript is gone, and Refloat's copy is left."""
    workspace: str | None = None
    workspace_there: bool = True
    lease: Lease | None = None
    """On the session, of another process, and holding now."""
    workspace_leases: tuple[Lease, ...] = ()
    """On the workspace or on one around or inside it, of other processes, and holding now."""
    bystanders: tuple[Bystander, ...] = ()
    newer: Standing | None = None
    """Where the session stands in a chain of attempts."""
    force: str | None = None
    """Why a person overrules what can be overruled."""
    pid: int | None = None
    """The process that a person named."""


@light
class Ruling:
    """The guard's answer."""

    branch: Branch
    allowed: bool
    why: str
    holder: str | None = None
    """Who forbids it: `user@host` of a lease, or `process 123`."""
    because: str = ""
    """Of a refusal: the same without what to do instead."""
    instead: Instead | None = None
    """Of a refusal: what the guard would let through, or let through once a process is named."""
    force_helps: bool = False
    """Refused, and `--force REASON` would overrule it."""
    overruled: tuple[str, ...] = ()
    """What a force overruled, one sentence each; empty where nothing had to be."""
    against: tuple[tuple[Branch, str], ...] = ()
    """The same as a later look can compare it: the row, and whom it is about (a process, a lease, a session)."""
    warnings: tuple[str, ...] = ()
    pids: tuple[int, ...] = ()
    """Of `attach` and `stop`: the processes that they may go to or signal, strongest evidence first."""

    @property
    def sentence(self) -> str:
        """Why, and what helps."""
        return f"{self.why}; {FORCE_HELPS}" if self.force_helps else self.why
