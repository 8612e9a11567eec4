"""What is wrong with a transcript, what a repaired copy does about it, and how such a copy is recognised.

The marks stand here because two rooms that do not know each other need them: `repair` writes them, `readers` read them.
"""

from dataclasses import dataclass
from typing import Final, Literal

from refloat.model.session import SessionName

Severity = Literal["blocks", "loses", "noted"]
"""`blocks`: a build of the agent cannot load the transcript, or the service refuses the conversation made from it.
`loses`: it loads, and part of the conversation is not reached. `noted`: the agent reads around it.
"""

CLAUDE_FIELD: Final = "refloatRepair"
"""Field of a row of Claude Code that Refloat made or changed."""
CODEX_FIELD: Final = "refloat_repair"
"""The same beside `payload` of a row of Codex, and within the `session_meta` of a copy."""
UNKNOWN_OUTCOME: Final = "Interrupted by repair; outcome unknown"
"""Stands in every made result, also where a later program drops the field."""
NOTE: Final = "[refloat repair]"
"""How every note begins that stands in place of something that was cut."""


REPAIRED_AGENTS: Final = frozenset({"claude-code", "codex"})
"""The agents whose transcripts can be repaired; the registry of the repairers has the same."""


def is_made_output(text: str) -> bool:
    """Whether the output of a call was made by a repair: nobody recorded how the call ended."""
    return text.startswith(("[Tool call interrupted:", "aborted\n")) and UNKNOWN_OUTCOME in text[:400]


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
