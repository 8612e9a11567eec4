"""What a shell command is for: verifies, acts outside the checkout, reads, or anything else.

Decides from tables of command words (`knowledge`); refuses to guess: what matches nothing is a plain command.
"""

import re
from itertools import pairwise
from typing import Final

from refloat.commands.checks import (
    check_of,
    formats,
    generates,
    is_check,
    rewrites,
    sort_of_check,
)
from refloat.commands.failures import what_failed
from refloat.commands.line import Simple, read_line
from refloat.commands.mcp import mcp_effect, mcp_kind
from refloat.commands.outcomes import how_it_ended, outcome_in
from refloat.commands.outside import Effect, action, effects_of, probe, shown_done
from refloat.commands.push import Push, push_of
from refloat.commands.reading import QUIET, reading_kind
from refloat.model.transcript import StepKind

__all__ = (
    "Effect",
    "Push",
    "action",
    "branch_after",
    "check_cwd",
    "check_of",
    "classify",
    "commit_subject",
    "commits_in",
    "effects_of",
    "formats",
    "generates",
    "hidden_by",
    "how_it_ended",
    "is_commit",
    "may_undo",
    "may_write",
    "mcp_effect",
    "mcp_kind",
    "outcome_in",
    "probe",
    "pushes_in",
    "shown_done",
    "sort_of_check",
    "what_failed",
)


def classify(command: str) -> StepKind:
    """The kind of a shell command (never `edit`): the strongest of its parts, external before check before the rest."""
    parts = read_line(command)
    if effects_of(command):
        return StepKind.EXTERNAL
    if any(is_check(part.words) for part in parts):
        return StepKind.CHECK
    kinds = [reading_kind(part.words, writes=part.writes) for part in parts]
    if not kinds or None in kinds or all(part.words[0] in QUIET for part in parts):
        return StepKind.COMMAND
    return StepKind.SEARCH if StepKind.SEARCH in kinds else StepKind.READ


def may_write(command: str) -> bool:
    """Whether a command can have changed files of the checkout: anything but reading, and checks that only look."""
    return any(part.writes or not _only_looks(part) for part in read_line(command))


def _only_looks(part: Simple) -> bool:
    words = part.words
    if words[0] in QUIET or reading_kind(words, writes=False) is not None:
        return True
    mends = any(word.startswith(("--fix", "--write", "--update", "-u")) for word in words)
    return is_check(words) and not rewrites(words) and not mends


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
    for part in read_line(command):
        words = part.words
        if words[0] in {"rm", "mv", "trash", "unlink"}:
            return True
        if words[0] == "git" and len(words) > 1 and words[1] in _UNDOING:
            return words[1:3] not in (("stash", "list"), ("stash", "show"), ("stash", "apply"), ("stash", "pop"))
    return False


def hidden_by(command: str) -> str | None:
    """What gives the exit code of a line in place of its first check, else of its first effect outside (`tail -5`)."""
    check = next((part for part in read_line(command) if is_check(part.words)), None)
    return check.hidden if check is not None else next((effect.hidden for effect in effects_of(command)), None)


def check_cwd(command: str) -> str | None:
    """Where the first check of a line runs, seen from where the line starts ("" for there); None: nobody can say."""
    return next((part.cwd for part in read_line(command) if is_check(part.words)), "")


def is_commit(command: str) -> bool:
    """Whether a command makes a commit."""
    return any(p.words[:2] == ("git", "commit") and "--dry-run" not in p.words for p in read_line(command))


_BY_HEREDOC: Final = re.compile(r"\$\(\s*cat\s+<<-?\s*(['\"]?)(\w+)\1\n(?P<body>.*?)\n[ \t]*\2\s*\)", re.DOTALL)
"""A message given as `"$(cat <<'EOF' … EOF )"`, as agents do."""


def commit_subject(command: str) -> str | None:
    """The first line of the message that a commit command carries."""
    for part in read_line(command):
        words = part.words
        if words[:2] != ("git", "commit"):
            continue
        for index, word in enumerate(words):
            value = words[index + 1] if index + 1 < len(words) else None
            if re.fullmatch(r"-\w*m|--message", word) and value is not None:
                return _subject(value)
            if word.startswith("--message="):
                return _subject(word[10:])
            # The grammar takes the `-` before a heredoc for a part of it.
            if part.stdin and ((word in {"-F", "--file"} and value in {"-", None}) or word in {"--file=-", "-F-"}):
                return _subject(part.stdin)
    return None


def _subject(message: str) -> str | None:
    given = _BY_HEREDOC.match(message.strip())
    return (given["body"] if given else message).strip().partition("\n")[0].strip() or None


_MADE: Final = re.compile(
    r"^\[(?P<branch>[^\]\n]*?)(?: \(root-commit\))? (?P<sha>[0-9a-f]{7,64})\] (?P<subject>.*)$", re.MULTILINE
)


def commits_in(output: str) -> list[tuple[str, str]]:
    """(shortened id, subject) of the commits that git says it made: `[main 1a2b3c4] Subject`."""
    return [(match["sha"], match["subject"]) for match in _MADE.finditer(output)]


def pushes_in(command: str, branch: str | None) -> tuple[Push, ...]:
    """The pushes that a command line names; `branch` is the one that was checked out."""
    return tuple(push for part in read_line(command) if (push := push_of(part.words, branch)) is not None)


def branch_after(command: str, before: str | None) -> str | None:
    """The branch that is checked out once a command line has run; None where that cannot be told."""
    branch = before
    for part in read_line(command):
        words = part.words
        if words[0] != "git" or words[1:2] not in (("checkout",), ("switch",)):
            continue
        if "--" in words or "--detach" in words:
            branch = branch if "--" in words else None
            continue
        made = [new for flag, new in pairwise(words) if flag in {"-b", "-B", "-c", "-C"}]
        plain = [word for word in words[2:] if not word.startswith("-")]
        if made:
            branch = made[0]
        elif words[1] == "switch" and len(plain) == 1:
            branch = plain[0]
        elif plain:
            branch = None  # a branch, a commit or a file: the words do not say
    return branch
