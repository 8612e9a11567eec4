"""What is known of a step when it is saved, and the words that the record uses.

Named tuples, not dataclasses: the module that makes those costs `refloat run` more than one interpreter start.
"""

from collections.abc import Callable
from typing import Final, Literal, NamedTuple

from refloat.model.stamp import Stamp

Origin = Literal["run", "step", "hook", "mcp", "reconstruction", "recovery"]
"""How a step came into the record."""
SavedOutcome = Literal["ok", "error", "denied", "interrupted", "dangling"]
OUTCOMES: Final[tuple[SavedOutcome, ...]] = ("ok", "error", "denied", "interrupted", "dangling")
Status = Literal["accepted", "pending", "declined"]
STATUSES: Final[tuple[Status, ...]] = ("accepted", "pending", "declined")
Release = Literal["ok", "hold"]
RELEASES: Final[tuple[Release, ...]] = ("ok", "hold")
LinkKind = Literal["step", "wrap", "pickup", "decision"]
LINK_KINDS: Final[tuple[LinkKind, ...]] = ("step", "wrap", "pickup", "decision")
RULE: Final = (
    "Use saved steps as done work. Do not repeat one without a reason. Do not call the job complete until its outcome "
    "is verified."
)
"""What stands on every trail."""
RULE_RECONSTRUCTED: Final = (
    "Steps marked reconstructed are what a transcript told: their effect was not looked at, and they are no done work "
    "until you looked (`refloat checkout` and `refloat triage` of that session do)."
)
"""What stands beside it where any step of the job was reconstructed."""


class Tree(NamedTuple):
    """A checkout at one moment."""

    head: str | None = None
    """The commit that HEAD names."""
    worktree: str | None = None
    """SHA-256 over git's porcelain status and the hashes of the dirty files."""
    unknown: str | None = None
    """Why one of them is None."""


SAVED_AFTER: Final = Tree(unknown="saved when it had ended")
"""The checkout before a step that was saved when it had ended: nobody looked."""


class Runner(NamedTuple):
    """The process behind a step."""

    host: str | None = None
    pid: int | None = None
    pid_started: str | None = None
    """Its start as the system writes it; a process number alone proves nothing."""


class Opening(NamedTuple):
    """What is known of a step when it begins."""

    job: str
    producer: str
    tool: str
    summary: str
    origin: Origin
    started_at: Stamp
    workspace: str | None = None
    tree: Tree = Tree()
    runner: Runner = Runner()
    automatic: bool = False


class Ending(NamedTuple):
    """What is known of a step when it ends."""

    outcome: SavedOutcome
    ended_at: Stamp
    exit_code: int | None = None
    tree: Tree = Tree()
    note: str | None = None


def _nothing() -> None:
    pass


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    """As a shell gives it: 128 + n after signal n, 127 and 126 for what could not be started."""
    by_signal: int | None = None
    failed: str | None = None
    """Why it could not be started."""
    hand_on: Callable[[], None] = _nothing
    """To call last of all: passes on what background processes of the command still print."""
