"""What is wrong with a transcript, and what a repaired copy does about it."""

from dataclasses import dataclass
from typing import Final, Literal

from refloat.model.session import SessionName
from refloat.model.situation import Ruling

Severity = Literal["blocks", "loses", "noted"]
"""`blocks`: a build of the agent cannot load the transcript, or the service refuses the conversation made from it.
`loses`: it loads, and part of the conversation is not reached. `noted`: the agent reads around it.
"""

REPAIRED_AGENTS: Final = frozenset({"claude-code", "codex"})
"""The agents whose transcripts can be repaired; the registry of the repairers has the same."""


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing that is wrong."""

    code: str
    severity: Severity
    line: int
    """From 1, in the original."""
    detail: str


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that the copy does about it."""

    code: str
    line: int
    """From 1, in the original: the line that it is done to, or behind which something is added."""
    id: str
    """Of the row or the call; "" where there is none."""
    detail: str


@dataclass(frozen=True, slots=True)
class RepairPlan:
    """What a repair of one session finds, and would do."""

    session: SessionName
    sources: tuple[str, ...]
    """The files that it is about, in reading order."""
    issues: tuple[Issue, ...]
    actions: tuple[Action, ...]
    """One for each issue, in the same order."""
    left_out: tuple[str, ...]
    """What a copy does not take along, in words."""
    outside: str = ""
    """The path that it was given by, where it lies outside its agent's directories: no copy is installed of such."""

    @property
    def is_sound(self) -> bool:
        """Whether there is nothing to repair."""
        return not self.actions


@dataclass(frozen=True, slots=True)
class Repair:
    """A plan, and what became of it."""

    plan: RepairPlan
    written: str | None = None
    """The file that holds the copy."""
    copy: SessionName | None = None
    """The session that the copy is."""
    installed: bool = False
    then: tuple[str, ...] | None = None
    """Of an installed copy: the command that goes on with it."""
    refused: Ruling | None = None
    """Why it may not be installed now, and who forbids it."""
