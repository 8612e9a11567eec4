"""A session as read: the short form that a list needs, and the whole with its items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from refloat.model.light import field, light
from refloat.model.problem import Problem
from refloat.model.stamp import Stamp
from refloat.model.transcript import Background, Ending, Item, Plan, Queued, Step, Touched


@light
class Summary:
    """What a whole reading leaves behind of one session (or one sub-agent): small, whatever the transcript's size."""

    agent: str
    session_id: str
    title: str
    """Set by a person, else made by the agent, else the first prompt; whole, neither masked nor shortened."""
    workspace: str | None
    cwd: str | None
    """Where it worked last."""
    worktree: str | None
    branch: str | None
    commit: str | None
    """HEAD when it began, where the record says."""
    model: str | None
    version: str
    entrypoint: str
    started_at: Stamp | None
    last_activity_at: Stamp | None
    turns: int
    prompts: int
    steps: int
    dangling: int
    edits: int
    """Steps of kind `edit`, refused ones included."""
    parent: str
    """Session id, or ""."""
    continued_in: str
    lineage: str
    """Id of the first conversation row, shared by copies."""
    last_row: str
    """Id of the last conversation row."""
    ending: Ending
    problems: tuple[Problem, ...]
    edited_paths: tuple[str, ...]
    """Absolute, each once, in order of first edit."""
    unknown: Mapping[str, int] = field(default_factory=dict[str, int])
    """Rows that were skipped because their type is unknown, by type."""
    repaired: str = ""
    """Of a repaired copy: the stamp of its making."""


@light
class OpenWork:
    """Background work that the record shows alive at its end."""

    background: Background
    step: int | None
    at: Stamp | None


@light
class Story:
    """A session, or a sub-agent, with everything that it did."""

    summary: Summary
    items: tuple[Item, ...]
    subagents: Mapping[str, Story]
    plan: Plan | None
    touched: tuple[Touched, ...]
    open_work: tuple[OpenWork, ...]
    queued: tuple[Queued, ...]
    """Prompts that still wait."""

    @property
    def steps(self) -> Iterator[Step]:
        """Its own steps in order, sub-agents apart."""
        return (item.step for item in self.items if item.step is not None)

    @property
    def every_step(self) -> Iterator[Step]:
        """Its own steps and those of its sub-agents, in the order in which they began."""
        found = [*self.steps, *(step for story in self.subagents.values() for step in story.steps)]
        return iter(sorted(found, key=lambda step: (step.at or "", step.subagent or "", step.n)))
