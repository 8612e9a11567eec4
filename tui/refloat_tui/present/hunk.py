"""The words of a checkout: states, fates, owners, places, and whether a check still holds."""

from collections.abc import Iterable
from typing import Final

from refloat.model.checkout import (
    CheckRun,
    DirtyHunk,
    EditedFile,
    Fate,
    FileState,
    FoundIn,
    Freshness,
    Owner,
    PlaceKind,
)
from refloat.model.fate_words import OWNER_WORDS, PLACE_WORDS, file_words
from refloat.model.session import SessionName
from refloat.text import inert_line, one_line
from refloat_tui.present import QUIET
from refloat_tui.present.age import timed_line
from refloat_tui.theme import Glyphs

_STATE_STYLES: Final[dict[FileState, str]] = {
    FileState.PRESENT: "$pile-saved",
    FileState.CHANGED_SINCE: "$pile-saved",
    FileState.PARTLY: "$pile-claimed",
    FileState.REVERTED: "$pile-gone",
    FileState.DIVERGED: "$pile-gone",
    FileState.DELETED: "$pile-gone",
    FileState.MOVED: "$pile-claimed",
    FileState.UNVERIFIABLE: "$pile-claimed",
}


def file_glyph(state: FileState, glyphs: Glyphs) -> str:
    """One sign for what became of a file."""
    return {
        FileState.PRESENT: glyphs.present,
        FileState.CHANGED_SINCE: glyphs.partly,
        FileState.PARTLY: glyphs.partly,
        FileState.REVERTED: glyphs.reverted,
        FileState.DIVERGED: glyphs.changed,
        FileState.DELETED: glyphs.deleted,
        FileState.MOVED: glyphs.moved,
        FileState.UNVERIFIABLE: glyphs.unknown,
    }[state]


def file_fate(file: EditedFile) -> tuple[str, str]:
    """How it stands and what became of its last edit, in words, and their colour."""
    return file_words(file), _STATE_STYLES[file.state]


def session_words(session: SessionName | None) -> str:
    """`codex 01a09f`."""
    if session is None:
        return OWNER_WORDS[Owner.OTHER_SESSION]
    agent, _, identifier = session.partition(":")
    return inert_line(f"{agent} {identifier[:6]}")


def owner_words(owner: Owner | None, session: SessionName | None, glyphs: Glyphs) -> str:
    """Who made it."""
    if owner is None:
        return glyphs.dash
    return session_words(session) if owner is Owner.OTHER_SESSION else OWNER_WORDS[owner]


def place_words(places: Iterable[FoundIn]) -> str:
    """Where recorded content stands; the best place first."""
    words = [
        f"{PLACE_WORDS[place.where]} {inert_line(place.ref)}" if place.ref else PLACE_WORDS[place.where]
        for place in places
        if place.where is not PlaceKind.WORKTREE
    ]
    return ", ".join(words)


def hunks_changed(hunks: Iterable[DirtyHunk]) -> tuple[int, int]:
    """Added and removed lines."""
    lines = [line for hunk in hunks for line in hunk.lines]
    return sum(line.startswith("+") for line in lines), sum(line.startswith("-") for line in lines)


def sign_style(line: str) -> str:
    """The name of the colour of a line of a change, by its sign."""
    return {"+": "$added", "-": "$removed"}.get(line[:1], QUIET)


def fate_style(fate: Fate) -> str:
    """The name of its colour."""
    match fate:
        case Fate.UNCOMMITTED | Fate.COMMITTED:
            return "$pile-saved"
        case Fate.REVERTED | Fate.LOST:
            return "$pile-gone"
        case Fate.UNCONFIRMED:
            return "$pile-claimed"
        case Fate.REPLACED | Fate.NEVER_APPLIED:
            return QUIET


_FRESH: Final[dict[Freshness, tuple[str, str]]] = {
    Freshness.CURRENT: ("current", "$pile-saved"),
    Freshness.STALE: ("stale", "$pile-claimed"),
    Freshness.UNKNOWN_TREE: ("unknown tree", "$pile-claimed"),
}


def fresh_words(check: CheckRun) -> tuple[str, str]:
    """Whether a check still speaks of the tree as it is, and the colour of that."""
    return _FRESH[check.freshness]


def check_facts(check: CheckRun) -> str:
    """What limits the word of a check: what changed after it, the tree that it saw, an exit code not its own."""
    facts = [
        timed_line(check.stale_because or ""),
        f"ran on {check.head[:7]}" if check.head else "",
        one_line(check.note or ""),
    ]
    return "; ".join(fact for fact in facts if fact)
