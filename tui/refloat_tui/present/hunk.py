"""Changes as lines: what a session recorded, and what is dirty on disk."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from refloat.model.checkout import DirtyHunk, EditedFile, Fate, FileState, FoundIn, OtherChange, Owner, PlaceKind
from refloat.model.session import SessionName
from refloat.model.transcript import FileEdit, Step
from refloat.text import inert_line
from refloat_tui.present import QUIET, STRONG, Pieces
from refloat_tui.present.step import changed_words, outcome_words
from refloat_tui.theme import Glyphs

_FATES: Final[dict[Fate, str]] = {
    Fate.UNCOMMITTED: "on disk, uncommitted",
    Fate.COMMITTED: "committed",
    Fate.REPLACED: "replaced later",
    Fate.REVERTED: "reverted",
    Fate.LOST: "lost",
    Fate.NEVER_APPLIED: "never applied",
    Fate.UNCONFIRMED: "unconfirmed",
}

_STATES: Final[dict[FileState, tuple[str, str]]] = {
    FileState.PRESENT: ("as recorded", "$pile-saved"),
    FileState.CHANGED_SINCE: ("there, and changed since", "$pile-saved"),
    FileState.PARTLY: ("partly there", "$pile-claimed"),
    FileState.REVERTED: ("reverted", "$pile-gone"),
    FileState.DIVERGED: ("overwritten", "$pile-gone"),
    FileState.DELETED: ("deleted", "$pile-gone"),
    FileState.MOVED: ("moved", "$pile-claimed"),
    FileState.UNVERIFIABLE: ("cannot be told", "$pile-claimed"),
}

_PLACES: Final[dict[PlaceKind, str]] = {
    PlaceKind.WORKTREE: "worktree",
    PlaceKind.OTHER_WORKTREE: "another worktree",
    PlaceKind.BRANCH: "branch",
    PlaceKind.STASH: "stash",
    PlaceKind.REFLOG: "reflog",
    PlaceKind.UNREACHABLE_COMMIT: "unreachable commit",
    PlaceKind.AGENT_BACKUP: "the agent's backup",
    PlaceKind.RECORD: "the record",
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
    """What became of it, in words, and their colour."""
    words, style = _STATES[file.state]
    if file.state in {FileState.PRESENT, FileState.CHANGED_SINCE} and file.edits:
        last = file.edits[-1].fate
        if last is Fate.COMMITTED and file.edits[-1].commit:
            words = f"committed {file.edits[-1].commit[:7]}"
        elif last in {Fate.UNCOMMITTED, Fate.COMMITTED}:
            words = _FATES[last]
        elif last is Fate.UNCONFIRMED:
            words = "on disk"
        if file.state is FileState.CHANGED_SINCE:
            words += ", changed since"
    if not file.confirmed:
        words += ", unconfirmed"
    return words, style


def session_words(session: SessionName | None) -> str:
    """`codex 01a09f`."""
    if session is None:
        return "another session"
    agent, _, identifier = session.partition(":")
    return inert_line(f"{agent} {identifier[:6]}")


def owner_words(owner: Owner | None, session: SessionName | None, glyphs: Glyphs) -> str:
    """Who made it."""
    match owner:
        case None:
            return glyphs.dash
        case Owner.OTHER_SESSION:
            return session_words(session)
        case Owner.PREDATES:
            return "there before it"
        case Owner.COMMAND:
            return "a command it ran"
        case Owner.THIS_SESSION | Owner.MIXED | Owner.UNKNOWN:
            return owner.value.replace("_", " ")


def place_words(places: Iterable[FoundIn]) -> str:
    """Where recorded content stands; the best place first."""
    words = [
        f"{_PLACES[place.where]} {inert_line(place.ref)}" if place.ref else _PLACES[place.where]
        for place in places
        if place.where is not PlaceKind.WORKTREE
    ]
    return ", ".join(words)


def place_name(kind: PlaceKind) -> str:
    """The word of one place."""
    return _PLACES[kind]


def hunks_changed(hunks: Iterable[DirtyHunk]) -> tuple[int, int]:
    """Added and removed lines."""
    lines = [line for hunk in hunks for line in hunk.lines]
    return sum(line.startswith("+") for line in lines), sum(line.startswith("-") for line in lines)


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a shown change."""

    sign: str
    """`+`, `-`, a space, or `@` for a heading."""
    text: Pieces
    step: int | None = None
    """The step that made it, to jump to."""


def _line(raw: str, step: int | None) -> DiffLine:
    sign = raw[:1] if raw[:1] in {"+", "-", " "} else " "
    style = {"+": "$added", "-": "$removed"}.get(sign, QUIET)
    return DiffLine(sign, ((inert_line(raw[1:].expandtabs(4)), style),), step)


def _whole(edit: FileEdit) -> tuple[str, ...]:
    if edit.op == "delete":
        return tuple(f"-{line}" for line in (edit.before or "").splitlines())
    return tuple(f"+{line}" for line in (edit.after or "").splitlines())


def recorded_lines(steps: Iterable[Step], path: str, repo: str | None, glyphs: Glyphs) -> tuple[DiffLine, ...]:
    """What the record says about one file, step by step."""
    wanted = {path, f"{repo.rstrip('/')}/{path}"} if repo else {path}
    found: list[DiffLine] = []
    for step in steps:
        for edit in step.edits:
            if edit.path not in wanted and edit.moved_to not in wanted:
                continue
            words = outcome_words(step)
            heading = ((f"step {step.n}", STRONG), (f"  {edit.op}{f'  {words}' if words else ''}", QUIET))
            found.append(DiffLine("@", heading, step.n))
            if edit.binary:
                found.append(DiffLine(" ", (("binary content", QUIET),), step.n))
            elif edit.hunks:
                for position, hunk in enumerate(edit.hunks):
                    if position:
                        found.append(DiffLine(" ", ((glyphs.ellipsis, QUIET),), step.n))
                    found += [_line(line, step.n) for line in hunk.lines]
            else:
                found += [_line(line, step.n) for line in _whole(edit)]
    return tuple(found)


def disk_lines(file: EditedFile | OtherChange, glyphs: Glyphs) -> tuple[DiffLine, ...]:
    """What is dirty of one file now, hunk by hunk, each with its owner."""
    found: list[DiffLine] = []
    for hunk in file.hunks:
        added, removed = hunks_changed((hunk,))
        heading: Pieces = (
            (f"line {hunk.new_start}  ", STRONG),
            *changed_words(added, removed, glyphs),
            (f"  {owner_words(hunk.owner, hunk.session, glyphs)}", QUIET),
        )
        found.append(DiffLine("@", heading))
        found += [_line(line, None) for line in hunk.lines]
    return tuple(found)
