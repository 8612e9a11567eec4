"""What all sections of a brief are made from, and the words that several of them share."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from refloat.brief.quoting import Quoter
from refloat.model.brief import Answers, Confidence, Line
from refloat.model.checkout import Checkout, CheckRun
from refloat.model.session import Session, SessionName
from refloat.model.story import Story
from refloat.model.transcript import Item, Step, StepKind
from refloat.model.triage import Triage
from refloat.text import inert_line

HASH_SHOWN: Final = 12
"""Characters of a commit hash in a sentence."""


@dataclass(frozen=True, slots=True)
class LastRun:
    """The last run of one check command."""

    run: CheckRun
    command: str
    subagent: str | None


@dataclass(frozen=True)
class Facts:
    """One session with all that is known of it now, and how its words are quoted."""

    session: Session
    story: Story
    checkout: Checkout
    triage: Triage
    quote: Quoter
    answers: Answers = field(default_factory=Answers)
    original: Session | None = None
    """Of a repaired copy: the session that it was made from, where that is still there."""

    @property
    def name(self) -> SessionName:
        """`agent:id`."""
        return self.session.name

    @property
    def asks(self) -> list[Item]:
        """Prompts of a person that stand."""
        return [item for item in self.story.items if item.type == "prompt" and not item.superseded and item.text]

    @property
    def by(self) -> str:
        """Who answered in the wizard."""
        return self.answers.by or "the user"

    def step(self, number: int, subagent: str | None = None) -> Step | None:
        """A step by its number, of the session itself or of a sub-agent."""
        return self._steps.get((number, subagent))

    @cached_property
    def _steps(self) -> dict[tuple[int, str | None], Step]:
        stories = {**self.story.subagents, None: self.story}
        found: dict[tuple[int, str | None], Step] = {}
        for subagent, story in stories.items():
            for step in story.steps:
                found.setdefault((step.n, subagent), step)
        return found

    @cached_property
    def every_step(self) -> tuple[Step, ...]:
        """All steps, sub-agents' included."""
        return tuple(self.story.every_step)

    @cached_property
    def check_steps(self) -> dict[int, Step]:
        """Steps that a check's number may mean: a sub-agent's only where the session itself has none of that number."""
        steps = self.every_step
        found = {step.n: step for step in steps if step.subagent is None}
        found |= {step.n: step for step in steps if step.subagent is not None and step.kind is StepKind.CHECK}
        return found | {step.n: step for step in steps if step.subagent is None and step.kind is StepKind.CHECK}

    @cached_property
    def last_checks(self) -> tuple[LastRun, ...]:
        """The last run of each check command, in the order of those runs."""
        by_command: dict[str, LastRun] = {}
        steps = self.check_steps
        for run in self.checkout.checks:
            step = steps.get(run.step)
            command = (step.summary if step else "").strip() or f"the check of step {run.step}"
            by_command.pop(command, None)
            by_command[command] = LastRun(run, command, step.subagent if step else None)
        return tuple(by_command.values())


def summary_of(facts: Facts, step: Step) -> str:
    """What a step does; a path below the workspace without it."""
    for root in (facts.checkout.repo, facts.session.workspace):
        if root and step.command is None and step.summary.startswith(f"{root}/"):
            return step.summary[len(root) + 1 :]
    return step.summary


def line(text: str, confidence: Confidence, keep: int, steps: Iterable[int] = ()) -> Line:
    """A statement that Refloat found."""
    return Line(text, confidence, tuple(steps), None, keep)


def said(facts: Facts, question: str, text: str, keep: int = 95, steps: Iterable[int] = ()) -> Line:
    """A statement of a person, with the receipt of the answer to `question` where it is saved."""
    return Line(text, Confidence.RECORDED, tuple(steps), facts.by, keep, facts.answers.receipts.get(question))


def short(commit: str | None) -> str:
    """A commit hash for a sentence."""
    return commit[:HASH_SHOWN] if commit else "no commit"


def counted(number: int, what: str, many: str | None = None) -> str:
    """`1 step`, `2 steps`."""
    return f"{number:,} {what if number == 1 else many or what + 's'}"


def step_words(number: int, subagent: str | None = None) -> str:
    """`step 8`, or `step 1 of sub-agent a7c2`."""
    return f"step {number}" if subagent is None else f"step {number} of sub-agent {inert_line(subagent)}"


def own_steps(numbers: Iterable[int], subagent: str | None) -> tuple[int, ...]:
    """Numbers that count in the session itself; a sub-agent's are told in words alone."""
    return tuple(numbers) if subagent is None else ()
