"""Effects outside the checkout: which the session had or tried, and what is known of each.

Pure. Attempts at the same action are one row. An attempt without a result makes the row unknown, whatever the others
say. Refuses to run anything: a probe is only named.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from refloat.commands import action as name_action
from refloat.commands import hidden_by, probe
from refloat.model.transcript import Outcome, Step, StepKind
from refloat.model.triage import ActionOutcome, DoNotRepeat

_NOT_FOUND = 127
"""Exit code of a shell that found no such program (POSIX, 2.8.2)."""


@dataclass(frozen=True, slots=True)
class Action:
    """An action with every attempt at it, in order."""

    name: str
    attempts: tuple[Step, ...]

    @staticmethod
    def not_started(step: Step) -> bool:
        """Whether an attempt never began: refused, or there is no such program."""
        if step.effects_unknown:
            return False
        return step.outcome is Outcome.DENIED or (step.outcome is Outcome.ERROR and step.exit_code == _NOT_FOUND)

    @property
    def outcome(self) -> ActionOutcome:
        """What is known of it over all attempts."""
        outcomes = [_outcome(step) for step in self.attempts if not self.not_started(step)]
        if not outcomes:
            return ActionOutcome.NOT_STARTED
        loose = any(unfinished(step) for step in self.attempts if not self.not_started(step))
        return ActionOutcome.UNKNOWN if loose else outcomes[-1]

    @property
    def telling(self) -> Step:
        """The attempt to look at: the last of those that make it what it is."""
        started = [step for step in self.attempts if not self.not_started(step)]
        wanted = [step for step in started if _outcome(step) is self.outcome]
        return (wanted or started or list(self.attempts))[-1]

    def why(self, step: Step) -> str:
        """What is known of one attempt, in words."""
        hidden = hidden_by(step.command) if step.command else None
        match step.outcome:
            case Outcome.DANGLING:
                return f"step {step.n} has no recorded result: look before repeating it"
            case Outcome.INTERRUPTED:
                return f"step {step.n} was interrupted: look before repeating it"
            case Outcome.ERROR:
                code = f" with exit code {step.exit_code}" if step.exit_code is not None else ""
                return f"step {step.n} failed{code}: look before repeating it"
            case Outcome.OK if hidden is not None:
                return f"step {step.n} ended, and its exit code is that of `{hidden}`: look before repeating it"
            case Outcome.OK if step.background is not None and step.background.running:
                return f"step {step.n} left it running: look before repeating it"
            case Outcome.OK:
                return f"step {step.n} ended without an error"
            case Outcome.DENIED:
                return f"step {step.n} was refused"


def unfinished(step: Step) -> bool:
    """Whether an attempt has no result of its own."""
    if step.effects_unknown or step.outcome in (Outcome.DANGLING, Outcome.INTERRUPTED):
        return True
    if step.background is not None and step.background.running:
        return True
    return step.outcome is Outcome.OK and step.command is not None and hidden_by(step.command) is not None


def _outcome(step: Step) -> ActionOutcome:
    if unfinished(step) or step.outcome is not Outcome.OK:
        return ActionOutcome.UNKNOWN
    return ActionOutcome.DONE


def find_actions(steps: Iterable[Step]) -> tuple[Action, ...]:
    """The actions outside the checkout among some steps, in the order of their first attempt."""
    found: dict[str, list[Step]] = {}
    for step in steps:
        name = name_action(step.command) if step.command is not None else None
        if name is not None or step.kind is StepKind.EXTERNAL:
            found.setdefault(name or _name_of(step), []).append(step)
    return tuple(Action(name, tuple(attempts)) for name, attempts in found.items())


def _name_of(step: Step) -> str:
    """What is called, in words and by the tool's own name: that is what a person looks for in a server's log."""
    told = step.command or step.summary
    return f"{told} ({step.tool})" if told and step.tool.startswith("mcp__") else told or step.tool


def list_actions(actions: Iterable[Action]) -> tuple[DoNotRepeat, ...]:
    """The do-not-repeat list: one row for each action."""
    return tuple(
        DoNotRepeat(
            action.telling.n,
            action.name,
            action.outcome,
            len(action.attempts),
            probe(action.telling.command) if action.telling.command is not None else None,
            action.telling.subagent,
        )
        for action in actions
    )
