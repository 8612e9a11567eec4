"""The continuation handoff (design, section 6)."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, assert_never

from refloat.model.session import SessionName


class Confidence(StrEnum):
    """How a statement is known."""

    VERIFIED = "verified"
    RECORDED = "recorded"
    RECONSTRUCTED = "reconstructed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Line:
    """One statement of a brief, with its evidence."""

    text: str
    confidence: Confidence
    steps: tuple[int, ...] = ()
    by: str | None = None
    """None for what Refloat found; the name of the person who wrote or changed it."""
    keep: int = 0
    """Greater is cut later when the brief must shrink; not in any output."""
    receipt: str | None = None
    """Of the saved step that tells who said it, on which evidence."""


Section = Literal["previous_attempt", "current_artifact", "established", "uncertain", "next_step", "done_when"]

SECTIONS: tuple[tuple[Section, str], ...] = (
    ("previous_attempt", "Previous attempt"),
    ("current_artifact", "Current artifact"),
    ("established", "What is established"),
    ("uncertain", "What remains uncertain"),
    ("next_step", "Next step"),
    ("done_when", "Done when"),
)
"""In the order of the design, with their headings."""


@dataclass(frozen=True, slots=True)
class Brief:
    """What the next attempt is handed."""

    title: str
    previous_attempt: tuple[Line, ...]
    current_artifact: tuple[Line, ...]
    established: tuple[Line, ...]
    uncertain: tuple[Line, ...]
    next_step: tuple[Line, ...]
    done_when: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Just what a brief speaks of, so that its age can be told."""

    session: SessionName
    head: str | None
    workspace: str | None
    files: tuple[tuple[str, str], ...]
    """(path, SHA-256 of the content, or `-` where there is none)."""
    transcript: tuple[tuple[str, int, str], ...]
    """(path, bytes, SHA-256 of its last 4,096 bytes)."""


@dataclass(frozen=True, slots=True)
class WrittenBrief:
    """A finished brief in both forms."""

    session: SessionName
    brief: Brief
    markdown: str
    masked: int
    omitted: int
    ages: int = 0
    """How many things it will be held to."""


@dataclass(frozen=True, slots=True)
class MaskedPlace:
    """One place of a brief where something stands that nobody shall read. Nothing in it tells the value."""

    kind: str
    """`GitHub token`, `password`, …"""
    length: int | None
    """Characters that were masked; None where that is not known: the lines of a key, a line that came masked."""
    value: int | None
    """Places of the same number hide the same value."""
    section: str
    """The heading above."""
    line: int
    """Of the Markdown, from 1."""


@dataclass(frozen=True, slots=True)
class Ages:
    """One thing that a brief speaks of: once it is no longer as it is now, the brief does not hold any more."""

    kind: Literal["head", "file", "transcript"]
    what: str
    now: str


@dataclass(frozen=True, slots=True)
class BriefPreview:
    """What of a brief is masked, and what of it will age."""

    session: SessionName
    masked: tuple[MaskedPlace, ...]
    ages: tuple[Ages, ...]

    @property
    def values(self) -> int:
        """How many different values are hidden, as far as they can be told apart."""
        known = {place.value for place in self.masked if place.value is not None}
        return len(known) + sum(place.value is None for place in self.masked)


@dataclass(frozen=True, slots=True)
class Moved:
    """One thing that a brief speaks of and that is no longer as it was."""

    what: str
    was: str
    now: str


@dataclass(frozen=True, slots=True)
class BriefCheck:
    """What `refloat check` answers."""

    holds: bool
    moved: tuple[Moved, ...]


@dataclass(frozen=True, slots=True)
class Answers:
    """What a person said in the wizard; every field is optional, the brief stands without any."""

    title: str | None = None
    lines: dict[Section, tuple[Line, ...]] = field(default_factory=dict[Section, tuple[Line, ...]])
    """Whole sections as the person left them."""
    inspected: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """Key of an external action → (`happened`, `did_not_happen` or `unknown`; note)."""
    owners: dict[str, str] = field(default_factory=dict[str, str])
    """Path of a dirty file → who made it, as the person says."""
    moved: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """Key of a finding → (pile, reason)."""
    goal: str | None = None
    next_step: str | None = None
    done_when: tuple[str, ...] | None = None
    by: str | None = None
    receipts: dict[str, str] = field(default_factory=dict[str, str])
    """Receipts of the saved answers, by question: `goal`, `next_step`, `done_when`, `owner PATH`, `inspected KEY`,
    `moved KEY`, each named as in the field above."""


def lines_of(brief: Brief, section: Section) -> tuple[Line, ...]:
    """The lines of one section."""
    match section:
        case "previous_attempt":
            return brief.previous_attempt
        case "current_artifact":
            return brief.current_artifact
        case "established":
            return brief.established
        case "uncertain":
            return brief.uncertain
        case "next_step":
            return brief.next_step
        case "done_when":
            return brief.done_when
        case _:
            assert_never(section)
