"""The words of how a file stands, of what became of an edit, of who made a change, and of where recorded content
stands: one table each for every screen, command and brief.

A file has a state (all its edits against the disk), each edit a fate of its own. Decides words alone. Refuses to judge:
states, fates, owners and places come judged.
"""

from shlex import quote
from typing import Final

from refloat.model.checkout import TAKEN_BACK, EditedFile, EditFate, Fate, FileState, Owner, PlaceKind
from refloat.text import inert_line

FATE_WORDS: Final[dict[Fate, str]] = {
    Fate.COMMITTED: "committed",
    Fate.UNCOMMITTED: "on disk, uncommitted",
    Fate.UNCONFIRMED: "unconfirmed",
    Fate.REPLACED: "replaced later",
    Fate.REVERTED: "reverted",
    Fate.LOST: "lost",
    Fate.NEVER_APPLIED: "never applied",
}
"""What became of one edit, the firmest first."""
STATE_WORDS: Final[dict[FileState, str]] = {state: state.value.replace("_", " ") for state in FileState}
"""How a file stands against all that was recorded of it: the design's own words."""
OWNER_WORDS: Final[dict[Owner, str]] = {
    Owner.THIS_SESSION: "this session",
    Owner.OTHER_SESSION: "another session",
    Owner.COMMAND: "a command it ran",
    Owner.PREDATES: "there before it",
    Owner.MIXED: "several",
    Owner.UNKNOWN: "unknown",
}
"""Who made a change. `UNKNOWN` is one word everywhere: no session that was read holds its lines."""
TAKEN_BY: Final = "taken away by"
"""Before whoever lost or reverted edits, where both are told together."""
_BY: Final[dict[Fate, str]] = {
    Fate.REPLACED: "replaced by",
    Fate.REVERTED: "reverted by",
    Fate.LOST: f"lost, {TAKEN_BY}",
}
PLACE_WORDS: Final[dict[PlaceKind, str]] = {
    PlaceKind.WORKTREE: "worktree",
    PlaceKind.OTHER_WORKTREE: "another worktree",
    PlaceKind.BRANCH: "branch",
    PlaceKind.STASH: "stash",
    PlaceKind.REFLOG: "reflog",
    PlaceKind.UNREACHABLE_COMMIT: "unreachable commit",
    PlaceKind.AGENT_BACKUP: "the agent's backup",
    PlaceKind.RECORD: "the record",
}


def fate_words(edit: EditFate, *, digits: int = 7) -> str:
    """What became of one recorded edit, and by whom; so many digits of a commit. Inert."""
    if edit.by == TAKEN_BACK:
        return TAKEN_BACK
    if edit.fate is Fate.COMMITTED and edit.commit:
        return f"{FATE_WORDS[edit.fate]} {edit.commit[:digits]}"
    if not edit.by:
        return FATE_WORDS[edit.fate]
    by = _BY.get(edit.fate)
    return f"{by or FATE_WORDS[edit.fate] + ', by'} {inert_line(edit.by)}"


WRITES_OUT: Final = "writes lost work out: what git can take as a patch, the rest beside it, in lost.patch.files"
"""What `salvage_line` does; which of the two it comes to is known when it looks."""

MADE_ANEW: Final = "`git apply` makes its files anew in an empty directory"
"""How a patch is taken whose folder is gone."""


def salvage_line(session: str) -> str:
    """The way back of lost work: the command that writes it into a patch, for a shell. `session`: its `ref`."""
    return f"refloat salvage {quote(session)} --out lost.patch"


_THERE: Final = frozenset({FileState.PRESENT, FileState.CHANGED_SINCE})
_SHORT: Final[dict[Fate, str]] = {Fate.UNCOMMITTED: "uncommitted"}
"""Behind a state that says already that it is on disk."""


def file_words(file: EditedFile) -> str:
    """How a file stands and, behind a comma, the fate of its last edit where that says more: `diverged, lost`.

    Nothing is said of single edits where only some stand.
    """
    state = STATE_WORDS[file.state]
    if not file.edits or file.state in {FileState.PARTLY, FileState.MOVED}:
        fate = ""
    elif file.state in _THERE and file.edits[-1].fate is Fate.COMMITTED:
        fate = fate_words(file.edits[-1])
    else:
        last = file.edits[-1].fate
        fate = _SHORT.get(last, FATE_WORDS[last])
    doubt = "" if file.confirmed or fate == FATE_WORDS[Fate.UNCONFIRMED] else FATE_WORDS[Fate.UNCONFIRMED]
    return ", ".join(dict.fromkeys(filter(None, (state, fate, doubt))))
