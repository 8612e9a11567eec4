"""The checkout as it stands, held against what a session recorded (design, section 4)."""

from enum import StrEnum
from typing import Final, Literal

from refloat.model.light import light
from refloat.model.session import SessionName
from refloat.model.transcript import Outcome


class FileState(StrEnum):
    """What became of a file that the session edited."""

    PRESENT = "present"
    CHANGED_SINCE = "changed_since"
    PARTLY = "partly"
    REVERTED = "reverted"
    DIVERGED = "diverged"
    DELETED = "deleted"
    MOVED = "moved"
    UNVERIFIABLE = "unverifiable"


class Fate(StrEnum):
    """What became of one recorded edit."""

    UNCOMMITTED = "uncommitted"
    COMMITTED = "committed"
    REPLACED = "replaced"
    REVERTED = "reverted"
    LOST = "lost"
    NEVER_APPLIED = "never_applied"
    UNCONFIRMED = "unconfirmed"


class Owner(StrEnum):
    """Who made a dirty place of the checkout."""

    THIS_SESSION = "this_session"
    OTHER_SESSION = "other_session"
    COMMAND = "command"
    PREDATES = "predates"
    MIXED = "mixed"
    UNKNOWN = "unknown"


class Freshness(StrEnum):
    """Whether a check still speaks of the tree as it is."""

    CURRENT = "current"
    STALE = "stale"
    UNKNOWN_TREE = "unknown_tree"


class PlaceKind(StrEnum):
    """Where recorded content stands. The first four are saved; the last four are lost and recoverable from there."""

    WORKTREE = "worktree"
    OTHER_WORKTREE = "other_worktree"
    BRANCH = "branch"
    STASH = "stash"
    REFLOG = "reflog"
    UNREACHABLE_COMMIT = "unreachable_commit"
    AGENT_BACKUP = "agent_backup"
    RECORD = "record"


SAVED_PLACES = frozenset({PlaceKind.WORKTREE, PlaceKind.OTHER_WORKTREE, PlaceKind.BRANCH, PlaceKind.STASH})


@light
class FoundIn:
    """One place where recorded content stands."""

    where: PlaceKind
    path: str | None
    ref: str | None
    commit: str | None


TAKEN_BACK: Final = "taken back with its part of the talk"
"""What stands in `by` of a superseded edit."""


@light
class EditFate:
    """The fate of one recorded edit of a file."""

    step: int
    fate: Fate
    commit: str | None
    by: str | None
    """What replaced or undid it: `step 12`, a session name, a command; None where nobody can say."""
    subagent: str | None = None


@light
class DirtyHunk:
    """One dirty place of a file against HEAD, with its owner."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: tuple[str, ...]
    owner: Owner
    session: SessionName | None


@light
class EditedFile:
    """A file that the session edited."""

    path: str
    """Relative to the repository's root with `/`; absolute outside it."""
    state: FileState
    why: str
    recorded: Literal["content", "deleted"]
    confirmed: bool
    owner: Owner | None
    session: SessionName | None
    found_in: tuple[FoundIn, ...]
    edits: tuple[EditFate, ...]
    hunks: tuple[DirtyHunk, ...]
    unseen: bool = False
    """What was written lay in a workspace that is gone: nothing was there to look at."""
    halved: bool = False
    """It stands in part, and the rest was undone or cut off: nothing of anybody's stands in its place."""


@light
class OtherChange:
    """A dirty file that the session did not edit."""

    path: str
    status: str
    """Two characters of git's porcelain format."""
    owner: Owner
    session: SessionName | None
    why: str
    hunks: tuple[DirtyHunk, ...]


@light
class CheckRun:
    """A check that the session ran, and whether it still speaks of this tree."""

    step: int
    outcome: Outcome
    exit_code: int | None
    head: str | None
    freshness: Freshness
    stale_because: str | None
    note: str | None = None
    """What limits its word: the exit code that is not its own."""
    subagent: str | None = None
    proved: bool = True
    """False where nothing says how the check itself ended, or there was nothing to run: it did not pass then."""
    command: str = ""
    """What was run."""


@light
class Operation:
    """An operation under way in the checkout."""

    kind: Literal["rebase", "merge", "cherry_pick", "revert", "bisect", "am", "conflicts", "index_lock"]
    branch: str | None
    onto: str | None
    conflicts: tuple[str, ...]
    index_lock: bool


@light
class Warned:
    """Something met and not obeyed, or not looked at."""

    what: str
    path: str | None


@light
class Base:
    """HEAD when the session began, and how that is known."""

    head: str | None
    how: str


@light
class Checkout:
    """What `refloat checkout` answers."""

    session: SessionName
    repo: str | None
    head: str | None
    branch: str | None
    base: Base
    operation: Operation | None
    warnings: tuple[Warned, ...]
    files: tuple[EditedFile, ...]
    other_changes: tuple[OtherChange, ...]
    checks: tuple[CheckRun, ...]
