"""What a shell command is for: verifies, acts outside the checkout, reads, or anything else.

Decides from tables of command words; refuses to guess: what matches nothing is a plain command.
"""

import re
from collections.abc import Sequence
from typing import Final

from refloat.commands.checks import check_of, is_check, outcome_in
from refloat.commands.outside import action, external, probe
from refloat.commands.reading import QUIET, reading_kind
from refloat.commands.words import parts_of
from refloat.model.transcript import StepKind

__all__ = (
    "action",
    "check_of",
    "classify",
    "commit_subject",
    "commits_in",
    "hidden_by",
    "is_commit",
    "may_undo",
    "may_write",
    "outcome_in",
    "probe",
)


def classify(command: str) -> StepKind:
    """The kind of a shell command (never `edit`): the strongest of its parts, external before check before the rest."""
    parts = parts_of(command)
    if any(external(words) for words, _, _ in parts):
        return StepKind.EXTERNAL
    if any(is_check(words) for words, _, _ in parts):
        return StepKind.CHECK
    kinds = [reading_kind(words, writes=writes) for words, _, writes in parts]
    if not kinds or None in kinds or all(words[0] in QUIET for words, _, _ in parts):
        return StepKind.COMMAND
    return StepKind.SEARCH if StepKind.SEARCH in kinds else StepKind.READ


def may_write(command: str) -> bool:
    """Whether a command can have changed files of the checkout: anything but reading, and checks that only look."""
    return any(
        writes or (reading_kind(words, writes=False) is None and words[0] not in QUIET and not _only_looks(words))
        for words, _, writes in parts_of(command)
    )


def _only_looks(words: Sequence[str]) -> bool:
    return is_check(words) and not any(word.startswith(("--fix", "--write", "--update", "-u")) for word in words)


_UNDOING: Final = frozenset(
    (
        "checkout",
        "restore",
        "stash",
        "reset",
        "clean",
        "revert",
        "switch",
        "rm",
        "rebase",
        "merge",
        "pull",
        "mv",
        "worktree",
    )
)


def may_undo(command: str) -> bool:
    """Whether a command can have taken work away from the worktree: `git stash`, `git checkout`, `rm` and the like."""
    for words, _, _ in parts_of(command):
        if words[0] in {"rm", "mv", "trash", "unlink"}:
            return True
        if words[0] == "git" and len(words) > 1 and words[1] in _UNDOING:
            return words[1:3] not in (("stash", "list"), ("stash", "show"), ("stash", "apply"), ("stash", "pop"))
    return False


def hidden_by(command: str) -> str | None:
    """What stands behind a check and gives the exit code in its place (`tail -5`); None where nothing does."""
    parts = parts_of(command)
    place = next((i for i, (words, _, _) in enumerate(parts) if is_check(words) or external(words)), None)
    if place is None or re.search(r"\bset\s+-\w*o\s+pipefail|\bset\s+-o\s+pipefail|PIPESTATUS", command):
        return None
    for index in range(place, len(parts) - 1):
        if parts[index][1] != "&&":
            return " ".join(parts[-1][0])
    return "&" if parts[-1][1] == "&" else None


def is_commit(command: str) -> bool:
    """Whether a command makes a commit."""
    return any(words[:2] == ("git", "commit") and "--dry-run" not in words for words, _, _ in parts_of(command))


def commit_subject(command: str) -> str | None:
    """The first line of the message that a commit command carries."""
    for words, _, _ in parts_of(command):
        if words[:2] == ("git", "commit"):
            for index, word in enumerate(words):
                if re.fullmatch(r"-\w*m|--message", word) and index + 1 < len(words):
                    return words[index + 1].strip().partition("\n")[0] or None
                if word.startswith("--message="):
                    return word[10:].strip().partition("\n")[0] or None
    return None


_MADE: Final = re.compile(
    r"^\[(?P<branch>[^\]\n]*?)(?: \(root-commit\))? (?P<sha>[0-9a-f]{7,64})\] (?P<subject>.*)$", re.MULTILINE
)


def commits_in(output: str) -> list[tuple[str, str]]:
    """(shortened id, subject) of the commits that git says it made: `[main 1a2b3c4] Subject`."""
    return [(match["sha"], match["subject"]) for match in _MADE.finditer(output)]
