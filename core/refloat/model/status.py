"""What `refloat status`, `recap` and `doctor` answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from refloat.model.light import light

if TYPE_CHECKING:
    from collections.abc import Sequence

    from refloat.model.attempts import Standing
    from refloat.model.checkout import Warned
    from refloat.model.problem import Problem
    from refloat.model.recovered import Recovered, Unfinished
    from refloat.model.session import PendingKind, Session, SessionName
    from refloat.model.stamp import Stamp
    from refloat.model.transcript import Item, Step
    from refloat.model.triage import Finding

Operation = Literal["attach", "resolve_liveness", "continue", "new_linked", "prompt"]


@light
class PendingRequest:
    """The session waits for a person."""

    kind: PendingKind
    step: int
    text: str
    at: Stamp | None


@light
class NextOperation:
    """The one right next thing to do with a session."""

    operation: Operation
    command: tuple[str, ...] | None
    workspace: str | None
    why: str
    open: tuple[str, ...] | None = None
    """What whoever goes on must know is not done, or is lost, in words; `why` tells it too. None: nobody looked."""
    salvage: str | None = None
    """The command that writes what can be brought back of lost work; None where there is none."""

    def guarded(self, session: SessionName) -> tuple[str, ...] | None:
        """Refloat's own command that does what the agent's does and lets no second writer in, where there is one."""
        goes_on = self.operation in {"continue", "prompt"}
        return ("refloat", "continue", session) if goes_on and self.workspace is not None else None


@light
class Status:
    """What `refloat status` answers."""

    session: Session
    last_completed_step: Step | None
    open_steps: tuple[Step, ...]
    pending_request: PendingRequest | None
    next: NextOperation
    standing: Standing | None = None
    """Where it stands among the attempts at one piece of work; None where it stands alone."""
    recovered: Recovered | None = None
    """The recovery of it that was finished last; None where none was."""
    unfinished: Unfinished | None = None
    """The recovery of it that is open; None where none is."""

    @property
    def recovery_first(self) -> bool:
        """Whether a recovery that is open comes before the next operation, which rests on what it finds out."""
        return self.unfinished is not None and self.next.operation in {"continue", "new_linked"}

    @property
    def open_work(self) -> tuple[Step, ...]:
        """Open steps that triage sorts: with one that only looked nothing is lost."""
        from refloat.model.transcript import NO_WORK  # loaded with the first session that is read

        return tuple(step for step in self.open_steps if step.kind not in NO_WORK)


RECAP_LIMIT: Final = 20
"""Items of a recap, where nobody says how many."""


@light
class Recap:
    """What `refloat recap` answers: bounded, and the same bytes for the same transcript."""

    session: SessionName
    title: str
    workspace: str | None
    limit: int
    shown: int
    omitted: int
    items: tuple[Item, ...]
    asked: tuple[Item, ...]
    """Every prompt that stands."""
    steps: tuple[Step, ...]
    """All steps, for the table of what matters."""
    said: Item | None
    """The last reply."""
    against: tuple[Finding, ...] = ()
    """Its claims that the record itself contradicts; what only the checkout could tell is none of these."""
    ref: str = ""
    """The word that leads to it on a command line, where that is not its name."""


@light
class AgentFound:
    """What `refloat doctor` says of one agent."""

    agent: str
    roots: tuple[str, ...]
    sessions: int
    problems: tuple[Problem, ...]


@light
class MachineFacts:
    """What `refloat doctor` says of this machine."""

    git: str | None
    python: str
    refloat: str
    system: str
    watching: str
    inotify_watches: int | None
    inotify_instances: int | None
    catalogue: str
    record: str
    open_drafts: int | None
    """Recoveries that were begun and not finished; None where the record cannot be read."""
    hooks: tuple[str, ...] = ()
    """Where hooks of Refloat stand in agents' settings: agent, scope and file."""
    traces: tuple[str, ...] = ()
    """What of the system's own notes on bad ends may be read here: why a session died can be told from these alone."""
    unfinished: tuple[tuple[SessionName, Unfinished], ...] = ()
    """The recoveries in which something was left half-way, by their sessions, the newest first."""


@light
class Doctor:
    """What `refloat doctor` answers."""

    agents: tuple[AgentFound, ...]
    machine: MachineFacts
    warnings: Sequence[Warned]
