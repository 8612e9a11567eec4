"""Saved, claimed, gone (design, section 5)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal

from refloat.model.checkout import PlaceKind
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp


class FindingVerdict(StrEnum):
    """How a finding is known."""

    CONFIRMED = "confirmed"
    RECORDED = "recorded"
    UNSUPPORTED = "unsupported"
    CONTRADICTED = "contradicted"
    STALE = "stale"
    LOST = "lost"


class ActionOutcome(StrEnum):
    """What is known of an action outside the checkout."""

    DONE = "done"
    UNKNOWN = "unknown"
    NOT_STARTED = "not_started"


class ClaimKind(StrEnum):
    """What an agent can claim of its work."""

    TESTS_PASS = "tests_pass"  # noqa: S105 - no password passes here
    LINT_PASSES = "lint_passes"
    """Type checks too."""
    BUILDS = "builds"
    EDITED = "edited"
    COMMITTED = "committed"
    PUSHED = "pushed"
    PR_OPENED = "pr_opened"
    PUBLISHED = "published"
    DEPLOYED = "deployed"
    FIXED = "fixed"
    VERIFIED = "verified"


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that a sentence claims."""

    kind: ClaimKind
    text: str
    """The sentence, whole."""
    files: tuple[str, ...] = ()
    """For an edit: the files that it names, as it names them."""
    names: tuple[str, ...] = ()
    """What it calls the thing by: a commit's id, a pull request's number, a version, a tool that checked."""


@dataclass(frozen=True, slots=True)
class Said:
    """A claim, with where in a session it was made."""

    claim: Claim
    message: int
    """The item's `n`: a reply, a plan's step, a compaction."""
    at: Stamp | None
    prompt: int
    """The item of the last prompt before it; 0 where there is none."""


@dataclass(frozen=True, slots=True)
class StandsIn:
    """Where saved work stands."""

    place: PlaceKind
    ref: str | None
    commit: str | None


@dataclass(frozen=True, slots=True)
class RecoverableFrom:
    """Where lost work can still be had."""

    source: PlaceKind
    """`from` in JSON."""
    ref: str | None
    commit: str | None


RUN_FAILED: Final = "it failed"
"""So begins the reason of a check or an action that failed."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One piece of work, and what is known of it."""

    what: str
    kind: str
    """edit, check, commit, external, dangling, or a claim's kind (then `claim` says the same)"""
    files: tuple[str, ...]
    steps: tuple[int, ...]
    message: int | None
    verdict: FindingVerdict
    where: StandsIn | None
    recoverable_from: tuple[RecoverableFrom, ...]
    claim: str | None
    why: str
    confirmed: bool | None = None
    """False for an edit whose result was never recorded, whether it stands on disk or not."""
    subagent: str | None = None
    part: int = 0
    """For an action: which one of its step, where a line names several."""

    @property
    def failed(self) -> bool:
        """Whether it is the recorded result of a check, or of an action outside, that failed."""
        return self.kind in {"check", "external"} and self.why.startswith(RUN_FAILED)

    @property
    def unknown(self) -> bool:
        """Whether it left nothing that can be lost, and nobody knows whether it happened."""
        return self.kind in {"external", "dangling"} and self.verdict is FindingVerdict.LOST

    @property
    def unconfirmed(self) -> bool:
        """Whether it is an edit of which nobody knows that it was ever made: its result was never recorded."""
        return self.kind == "edit" and self.confirmed is False

    @property
    def known_as(self) -> str:
        """The verdict in a word for people. What left no artifact cannot be lost: its outcome is unknown; nor can what
        may never have been made. The result of what failed is recorded, and nobody may take it for work that
        holds.
        """
        if self.failed:
            return "failed"
        if self.unconfirmed:
            return "unconfirmed"
        return "unknown" if self.unknown else self.verdict.value

    @property
    def key(self) -> str:
        """Names it for `Answers.moved`. Made of places alone, so that masking its words leaves it as it is."""
        steps = ",".join(map(str, self.steps))
        message = "" if self.message is None else str(self.message)
        kind = f"{self.kind}.{self.part + 1}" if self.part else self.kind
        return "|".join((kind, self.subagent or "", steps, message, *self.files))


@dataclass(frozen=True, slots=True)
class StillOpen:
    """Work beside the conversation that the record shows alive at its end."""

    what: str
    kind: Literal["background_shell", "watcher", "dev_server", "timer", "subagent", "queued_prompt"]
    step: int | None
    pid: int | None
    running: bool | None
    """Only what is proved: None wherever something might still run, or might not."""
    why: str = ""
    """What proves it, or what is missing to prove it."""
    output: str | None = None
    """The file in which its output still lies."""


def step_key(step: int, subagent: str | None, part: int = 0) -> str:
    """A step by its number, and the sub-agent where it is one's: sub-agents count for themselves.

    `part` is the place of one of several actions within it.
    """
    name = str(step) if subagent is None else f"{subagent}/{step}"
    return f"{name}.{part + 1}" if part else name


@dataclass(frozen=True, slots=True)
class DoNotRepeat:
    """An action outside the checkout."""

    step: int
    action: str
    outcome: ActionOutcome
    times: int
    probe: tuple[str, ...] | None
    subagent: str | None = None
    place: str | None = None
    """The directory it ran in, where `probe` is to be run; None where the record does not say."""
    no_look: str = ""
    """Why `probe` cannot tell here, in words; "" where nothing is known against it."""
    part: int = 0
    """Which action of its step it is, where a line names several."""

    @property
    def key(self) -> str:
        """Names it among all actions and steps."""
        return step_key(self.step, self.subagent, self.part)


@dataclass(frozen=True, slots=True)
class Triage:
    """What `refloat triage` answers."""

    session: SessionName
    saved: tuple[Finding, ...]
    claimed: tuple[Finding, ...]
    gone: tuple[Finding, ...]
    still_open: tuple[StillOpen, ...]
    do_not_repeat: tuple[DoNotRepeat, ...]

    @property
    def confirmed(self) -> int:
        """How many of the saved were seen to stand; the rest is recorded alone, unconfirmed, failed or stale."""
        return sum(row.verdict is FindingVerdict.CONFIRMED and not row.unconfirmed for row in self.saved)

    @property
    def inspect(self) -> tuple[DoNotRepeat, ...]:
        """Those whose outcome is unknown: look before repeating."""
        return tuple(row for row in self.do_not_repeat if row.outcome is ActionOutcome.UNKNOWN)
