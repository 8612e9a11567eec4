"""Effects outside the checkout: which the session had or tried, and what is known of each.

Pure. Attempts at the same action are one row; two spellings are the same only where the record proves it. An attempt
without a result makes the row unknown, whatever the others say. Refuses to run anything: a probe is only named.
"""

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from refloat.commands import (
    About,
    Effect,
    Push,
    branch_after,
    effects_of,
    how_it_ended,
    mcp_effect,
    pushes_in,
    shown_done,
)
from refloat.model.repaired import is_made_output
from refloat.model.transcript import Outcome, Step, StepKind
from refloat.model.triage import ActionOutcome, DoNotRepeat

_NOT_FOUND: Final = 127
"""Exit code of a shell that found no such program (POSIX, 2.8.2)."""
_SENT: Final = re.compile(r"^To (?P<url>\S+)$|-> (?P<ref>\S+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One step that tried an action."""

    step: Step
    effects: tuple[Effect, ...]
    """What of its line is this action, by one name or another; () for a tool that is no shell."""
    probe: tuple[str, ...] | None
    place: str | None
    """The directory it ran in."""
    part: int = 0
    """Which action of its step it is."""

    @property
    def not_started(self) -> bool:
        """Whether it never began: refused, no such program, or what stood before it failed."""
        step = self.step
        if step.never_ran:
            return True
        if step.outcome is Outcome.ERROR and self._stopped_before:
            return True  # a part of the line may have run, and this part did not
        if step.effects_unknown:
            return False
        return step.outcome is Outcome.DENIED or self._not_found

    @property
    def _not_found(self) -> bool:
        """Whether the shell says that there is no such program and means this one, not another part of the line."""
        if self.step.outcome is not Outcome.ERROR or self.step.exit_code != _NOT_FOUND:
            return False
        programs = {effect.name.partition(" ")[0].rstrip(":") for effect in self.effects}
        said = f"(?:{'|'.join(map(re.escape, programs))})"
        told = re.compile(rf"(?<![\w.-]){said}['\"]?: (?:command )?not found|not found:? ['\"]?{said}(?![\w.-])")
        return bool(programs) and told.search(self.step.output) is not None

    @property
    def _stopped_before(self) -> bool:
        """Whether a check in front failed by its own words, and nothing shows an effect: `npm test && git push`."""
        step = self.step
        if not self.effects or not all(effect.late and effect.hidden is None for effect in self.effects):
            return False
        said = how_it_ended(step.command, Outcome.OK, None, step.output)
        return said.outcome is Outcome.ERROR and not any(shown_done(e.name, step.output) for e in self.effects)

    @property
    def open(self) -> bool:
        """Whether it has no result of its own."""
        step = self.step
        if step.outcome in (Outcome.DANGLING, Outcome.INTERRUPTED):
            return True
        if step.effects_unknown and not self._shown:
            return True
        if step.background is not None and step.background.running:
            return True
        return step.outcome is Outcome.OK and self.doubt is not None and not self._shown

    @property
    def doubt(self) -> str | None:
        """Why a success of its line does not say that it happened."""
        return next((effect.doubt for effect in self.effects if effect.doubt is not None), None)

    @property
    def _shown(self) -> bool:
        """Whether its output shows every effect of it."""
        return bool(self.effects) and all(shown_done(effect.name, self.step.output) for effect in self.effects)

    @property
    def outcome(self) -> ActionOutcome:
        """What is known of it, apart from attempts that never began."""
        if self.open:
            return ActionOutcome.UNKNOWN
        if self.step.outcome is Outcome.OK:
            refused = any(shown_done(effect.name, self.step.output) is False for effect in self.effects)
            return ActionOutcome.UNKNOWN if refused and self.doubt is not None else ActionOutcome.DONE
        after = any(effect.shared is not None for effect in self.effects)
        return ActionOutcome.DONE if after and self._shown else ActionOutcome.UNKNOWN

    @property
    def why(self) -> str:
        """What is known of it, in words."""
        step = self.step
        match step.outcome:
            case _ if step.never_ran and step.outcome is not Outcome.DENIED:
                return f"step {step.n} never ran"
            case _ if self.not_started and step.outcome is Outcome.ERROR and step.exit_code != _NOT_FOUND:
                return f"step {step.n} never came to it: what stood before it failed"
            case Outcome.DANGLING if is_made_output(step.output):
                return f"step {step.n} was interrupted and closed by a repair: look before repeating it"
            case Outcome.DANGLING:
                return f"step {step.n} has no recorded result: look before repeating it"
            case Outcome.INTERRUPTED:
                return f"step {step.n} was interrupted: look before repeating it"
            case Outcome.ERROR if self.outcome is ActionOutcome.DONE:
                return f"step {step.n} failed behind it, and its output shows that it happened"
            case Outcome.ERROR:
                code = f" with exit code {step.exit_code}" if step.exit_code is not None else ""
                return f"step {step.n} failed{code}: look before repeating it"
            case Outcome.OK if self.doubt is not None and self.outcome is ActionOutcome.DONE:
                return f"step {step.n} ended, and its output shows that it happened"
            case Outcome.OK if self.doubt is not None:
                return f"step {step.n} ended, and {self.doubt}: look before repeating it"
            case Outcome.OK if step.background is not None and step.background.running:
                return f"step {step.n} left it running: look before repeating it"
            case Outcome.OK:
                return f"step {step.n} ended without an error"
            case Outcome.DENIED:
                return f"step {step.n} was refused"


@dataclass(frozen=True, slots=True)
class Action:
    """An action with every attempt at it, in order."""

    name: str
    attempts: tuple[Attempt, ...]

    @property
    def started(self) -> tuple[Attempt, ...]:
        """The attempts that began."""
        return tuple(attempt for attempt in self.attempts if not attempt.not_started)

    @property
    def outcome(self) -> ActionOutcome:
        """What is known of it over all attempts."""
        if not self.started:
            return ActionOutcome.NOT_STARTED
        return ActionOutcome.UNKNOWN if any(one.open for one in self.started) else self.started[-1].outcome

    @property
    def telling(self) -> Attempt:
        """The attempt to look at: the last of those that make it what it is."""
        wanted = [attempt for attempt in self.started if attempt.outcome is self.outcome]
        return (wanted or self.started or self.attempts)[-1]


@dataclass(slots=True)
class _Course:
    """What the record proves about branches and remotes as it goes on."""

    branch: str | None
    upstreams: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """Branch → (remote, ref) that a push which succeeded made its upstream."""
    sent: dict[frozenset[tuple[str, str]], str] = field(default_factory=dict[frozenset[tuple[str, str]], str])
    """(address, ref) pairs that an output shows → name of the push that named its remote and refs."""

    def name(self, push: Push, step: Step) -> str:
        """The name of a push; one that names nothing has that of the push that it is proved to be."""
        if not push.bare:
            return push.name
        upstream = self.upstreams.get(self.branch or "")
        if upstream is not None:
            return f"git push {upstream[0]} {upstream[1]}"
        return self.sent.get(_sent(step.output), push.name)

    def go_on(self, step: Step, pushes: Sequence[Push]) -> None:
        """Take in what a step shows."""
        for push in pushes:
            ok = step.outcome is Outcome.OK and shown_done(push.name, step.output) is not False
            if ok and push.remote is not None and len(push.refs) == 1:
                if push.upstream:
                    self.upstreams[self.branch or push.refs[0]] = (push.remote, push.refs[0])
                if (pairs := _sent(step.output)) and {ref for _, ref in pairs} == set(push.refs):
                    self.sent.setdefault(pairs, push.name)
        if step.command is not None and step.outcome is not Outcome.DENIED:
            self.branch = branch_after(step.command, self.branch)


def _sent(output: str) -> frozenset[tuple[str, str]]:
    """(address, ref) pairs of `To ADDRESS` and the ` main -> main` lines below it."""
    url, pairs = "", set[tuple[str, str]]()
    for match in _SENT.finditer(output[-4_000:]):
        if match["url"]:
            url = match["url"]
        elif url:
            pairs.add((url, match["ref"]))
    return frozenset(pairs)


def _none(_: str) -> bool:
    return False


def find_actions(
    steps: Iterable[Step],
    *,
    branch: str | None = None,
    root: str | None = None,
    is_repository: Callable[[str], bool] = _none,
) -> tuple[Action, ...]:
    """The actions outside the checkout among some steps, in the order of their first attempt.

    `branch` is the one that the record names; `root` the checkout's top: what ran elsewhere is called by its place, and
    what is about a repository by that one below it that `is_repository` knows.
    """
    ordered = list(steps)
    moves = any(step.command is not None and branch_after(step.command, "\0") != "\0" for step in ordered)
    course = _Course(None if moves else branch)
    found: dict[str, list[Attempt]] = {}
    for step in ordered:
        effects = effects_of(step.command, branch=course.branch) if step.command is not None else ()
        pushes = pushes_in(step.command, course.branch) if effects and step.command is not None else ()
        if effects:
            names = [
                name + _elsewhere(_place(step, effect), root, effect.about, is_repository)
                for name, effect in zip(_names(effects, pushes, course, step), effects, strict=True)
            ]
            for part, name in enumerate(dict.fromkeys(names)):
                own = tuple(effect for known, effect in zip(names, effects, strict=True) if known == name)
                found.setdefault(name, []).append(Attempt(step, own, own[-1].probe, _place(step, own[-1]), part))
        elif step.kind is StepKind.EXTERNAL:
            found.setdefault(_name_of(step), []).append(Attempt(step, (), _tool_probe(step), step.cwd))
        course.go_on(step, pushes)
    return tuple(Action(name, tuple(attempts)) for name, attempts in found.items())


def _names(effects: Sequence[Effect], pushes: Sequence[Push], course: _Course, step: Step) -> Iterable[str]:
    by_name = {push.name: push for push in pushes}
    for effect in effects:
        push = by_name.get(effect.name)
        yield effect.name if push is None else course.name(push, step)


def _place(step: Step, effect: Effect) -> str | None:
    if effect.cwd is None or (step.cwd is None and not effect.cwd.startswith("/")):
        return None
    return posixpath.normpath(posixpath.join(step.cwd or "/", effect.cwd))


def _elsewhere(place: str | None, root: str | None, about: About, is_repository: Callable[[str], bool]) -> str:
    """` (in DIR)` for what ran outside the checkout, and for what is about one directory or repository within it."""
    if place is None or root is None or place == root.rstrip("/"):
        return ""
    root = root.rstrip("/")
    inside = (place + "/").startswith(root + "/")
    if inside:
        if about == "repository":
            within = (place[:end] for end in range(len(place), len(root), -1) if place[end : end + 1] in {"", "/"})
            place = next(filter(is_repository, within), root)
        return f" (in {posixpath.relpath(place, root)})" if about != "anything" and place != root else ""
    above = (root + "/").startswith(place.rstrip("/") + "/")
    return f" (in {place})" if about == "directory" or not above else ""


def _tool_probe(step: Step) -> tuple[str, ...] | None:
    if not step.tool.startswith("mcp__"):
        return None
    try:
        given: object = json.loads(step.input)
    except ValueError:
        return None
    return mcp_effect(step.tool, cast("dict[str, object]", given)) if isinstance(given, dict) else None


def _name_of(step: Step) -> str:
    """What is called, in words and by the tool's own name: that is what a person looks for in a server's log."""
    told = step.command or step.summary
    return f"{told} ({step.tool})" if told and step.tool.startswith("mcp__") else told or step.tool


def list_actions(actions: Iterable[Action]) -> tuple[DoNotRepeat, ...]:
    """The do-not-repeat list: one row for each action."""
    return tuple(
        DoNotRepeat(
            action.telling.step.n,
            action.name,
            action.outcome,
            len(action.attempts),
            action.telling.probe,
            action.telling.step.subagent,
            action.telling.place,
            part=action.telling.part,
        )
        for action in actions
    )
