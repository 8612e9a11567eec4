"""A recovery: what a person said on the seven pages of the wizard (design, section 10).

Holds only what was *said*. What was *found* is not kept here: it is read anew each time, so that a recovery taken up
again speaks of the checkout as it is.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Literal

from refloat.model.brief import Section
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp


class Page(StrEnum):
    """The seven pages, in their order."""

    PROCESS = "process"
    HAPPENED = "happened"
    CHECKOUT = "checkout"
    TRIAGE = "triage"
    UNCERTAIN = "uncertain"
    GOAL = "goal"
    BRIEF = "brief"


PAGES: Final = tuple(Page)

ProcessSaid = Literal["gone", "running", "unknown"]
PROCESS_SAID: Final[tuple[ProcessSaid, ...]] = ("gone", "running", "unknown")

LookedSaid = Literal["happened", "did_not_happen", "unknown"]
LOOKED_SAID: Final[tuple[LookedSaid, ...]] = ("happened", "did_not_happen", "unknown")

Pile = Literal["saved", "claimed", "gone"]
PILES: Final[tuple[Pile, ...]] = ("saved", "claimed", "gone")


@dataclass(frozen=True, slots=True)
class LineEdit:
    """One line of a brief as a person changed it. Nothing in `was`: a new line. Nothing in `now`: taken out."""

    was: str
    now: str


@dataclass(frozen=True, slots=True)
class Probe:
    """What a read-only look said, run by the person's own word."""

    argv: tuple[str, ...]
    code: int
    out: str
    at: Stamp


@dataclass(frozen=True, slots=True)
class Given:
    """Everything that a person said so far. The default says nothing, and that is enough for a brief."""

    page: Page = Page.PROCESS
    """Where the person stands: the wizard opens here again."""
    passed: frozenset[Page] = frozenset()
    """Pages that were left with `enter` at least once."""
    process: ProcessSaid | None = None
    process_note: str = ""
    happened: str | None = None
    """In the person's own words."""
    owners: dict[str, str] = field(default_factory=dict[str, str])
    """Path → who made the change."""
    hunks: dict[str, str] = field(default_factory=dict[str, str])
    """Key of one dirty place of a file → who made it."""
    looked_at: frozenset[str] = frozenset()
    """Keys of findings."""
    moved: dict[str, tuple[Pile, str]] = field(default_factory=dict[str, tuple[Pile, str]])
    """Key of a finding → (pile, reason)."""
    inspected: dict[str, tuple[LookedSaid, str]] = field(default_factory=dict[str, tuple[LookedSaid, str]])
    """`step_key` → (what it did, note)."""
    probes: dict[str, Probe] = field(default_factory=dict[str, Probe])
    """`step_key` → the last look."""
    goal: str | None = None
    next_step: str | None = None
    done_when: tuple[str, ...] | None = None
    title: str | None = None
    edits: dict[Section, tuple[LineEdit, ...]] = field(default_factory=dict[Section, tuple[LineEdit, ...]])
    """What was changed in the brief itself, line by line."""
    wrap: dict[str, str] = field(default_factory=dict[str, str])
    """What was typed into a wrap that is not sealed yet: field → words."""
    path: str | None = None
    """Where the brief goes; None for the usual place."""
    written: tuple[str, Stamp] | None = None
    """Where it was written last, and when."""
    stale: bool = False
    """Something that the brief tells was said after it was written."""

    @property
    def answers(self) -> "Given":
        """What a brief rests on, apart from where the person stands and where a brief went."""
        return Given(
            process=self.process,
            process_note=self.process_note,
            happened=self.happened,
            owners=self.owners,
            hunks=self.hunks,
            moved=self.moved,
            inspected=self.inspected,
            probes=self.probes,
            goal=self.goal,
            next_step=self.next_step,
            done_when=self.done_when,
            title=self.title,
            edits=self.edits,
        )

    @property
    def says_anything(self) -> bool:
        """Whether a brief is another one for it."""
        return self.answers != Given()


@dataclass(frozen=True, slots=True)
class Seen:
    """What the evidence looked like, in short, when something was said last."""

    state: str = ""
    head: str = ""
    transcript: int = 0
    """Bytes."""
    files: dict[str, str] = field(default_factory=dict[str, str])
    """Path of a dirty or edited file → digest of its state, owner and hunks."""
    open_steps: tuple[int, ...] = ()
    """Steps without a known outcome."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A recovery as the record keeps it."""

    id: str
    session: SessionName
    title: str
    created_at: Stamp
    updated_at: Stamp
    revision: int
    """Grows by one with each save; a save that does not know the last one is refused."""
    given: Given
    seen: Seen
    done: bool = False
    receipts: dict[str, str] = field(default_factory=dict[str, str])
    """Key of a question → receipt of the step that tells its last answer."""
    by: str = ""
    """Who answered last: `user@host`; nothing where an older Refloat kept it."""


# ── what can be said ─────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class WentOn:
    """The page stands as it is; on to the next."""

    page: Page


@dataclass(frozen=True, slots=True)
class WentTo:
    """The person looks at this page now."""

    page: Page


@dataclass(frozen=True, slots=True)
class SaidProcess:
    """What became of the original process."""

    said: ProcessSaid | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class SaidHappened:
    """What happened, in own words; None takes them back."""

    text: str | None


@dataclass(frozen=True, slots=True)
class SaidOwner:
    """Who made the change of a file; None takes it back."""

    path: str
    owner: str | None


@dataclass(frozen=True, slots=True)
class SaidHunk:
    """Who made one place of a file that several changed; None takes it back."""

    key: str
    owner: str | None


@dataclass(frozen=True, slots=True)
class LookedAt:
    """A finding was looked at, or was not after all."""

    key: str
    looked: bool


@dataclass(frozen=True, slots=True)
class MovedTo:
    """A finding belongs on another pile, for a reason; None takes it back."""

    key: str
    pile: Pile | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Inspected:
    """What an uncertain step did; None takes it back."""

    key: str
    said: LookedSaid | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Probed:
    """A read-only look was run."""

    key: str
    probe: Probe


@dataclass(frozen=True, slots=True)
class SaidGoal:
    """What it is all for; None takes it back."""

    text: str | None


@dataclass(frozen=True, slots=True)
class SaidNext:
    """The one next step; None takes it back."""

    text: str | None


@dataclass(frozen=True, slots=True)
class SaidDoneWhen:
    """When it is done; None takes it back."""

    lines: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class SaidTitle:
    """The brief's title; None takes it back."""

    text: str | None


@dataclass(frozen=True, slots=True)
class EditedLine:
    """One line of the brief is different now."""

    section: Section
    edit: LineEdit


@dataclass(frozen=True, slots=True)
class SaidWrap:
    """What stands in the fields of a wrap now; nothing: it is sealed, or taken back."""

    words: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ChosePath:
    """Where the brief goes."""

    path: str | None


@dataclass(frozen=True, slots=True)
class WroteTo:
    """The brief was written."""

    path: str
    at: Stamp


Said = (
    WentOn
    | WentTo
    | SaidProcess
    | SaidHappened
    | SaidOwner
    | SaidHunk
    | LookedAt
    | MovedTo
    | Inspected
    | Probed
    | SaidGoal
    | SaidNext
    | SaidDoneWhen
    | SaidTitle
    | EditedLine
    | SaidWrap
    | ChosePath
    | WroteTo
)
