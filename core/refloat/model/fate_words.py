"""The words of what became of an edit, and of where recorded content stands: one table for every screen, command and
brief.

Decides words alone. Refuses to judge: fates and places come judged.
"""

from typing import Final

from refloat.model.checkout import TAKEN_BACK, EditFate, Fate, PlaceKind
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
TAKEN_BY: Final = "taken away by"
"""Before whoever lost or reverted edits, where both are told together."""
_BY: Final[dict[Fate, str]] = {
    Fate.REPLACED: "replaced by",
    Fate.REVERTED: "reverted by",
    Fate.LOST: TAKEN_BY,
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


def salvage_line(session: str) -> str:
    """The way back of lost work: the command that writes it into a patch, for a shell."""
    return f"refloat salvage {session} --out lost.patch"
