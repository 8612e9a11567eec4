"""What a shell command is for: verifies, acts outside the checkout, reads, or anything else.

Decides from tables of command words (`knowledge`); refuses to guess: what matches nothing is a plain command.
"""

import re
from collections.abc import Sequence
from itertools import dropwhile, islice, pairwise
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
from refloat.commands.outcomes import LEFT_RUNNING, Ended, how_it_ended, outcome_in
from refloat.commands.outside import About, Effect, action, effects_of, probe, shown_done
from refloat.commands.push import Push, push_of
from refloat.commands.reading import QUIET, reading_kind
from refloat.model.transcript import StepKind
from refloat.patterns import late

__all__ = (
    "LEFT_RUNNING",
    "About",
    "Effect",
    "Ended",
    "Push",
    "action",
    "branch_after",
    "changes_behind",
    "check_cwd",
    "check_of",
    "classify",
    "commit_cwd",
    "commit_subject",
    "commits_in",
    "effects_of",
    "formats",
    "generates",
    "hidden_by",
    "how_it_ended",
    "is_commit",
    "made_in",
    "may_undo",
    "may_write",
    "mcp_effect",
    "mcp_kind",
    "mends",
    "outcome_in",
    "probe",
    "push_of",
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

_REMOVES: Final = late(
    r"\bfind\b.* -delete\b|(?:-exec(?:dir)?|xargs(?: -\S+)*) rm\b"
    r"|\b(?:rmtree|rimraf)\b|\b(?:os\.remove|unlink|rmSync)\("
)
"""Files taken away by a search, or from within another language."""


def may_undo(command: str) -> bool:
    """Whether a command can have taken work away from the worktree: `git stash`, `git checkout`, `rm` and the like."""
    for part in read_line(command):
        words = part.words
        if words[0] in {"rm", "mv", "trash", "unlink"}:
            return True
        if words[0] == "git" and len(words) > 1 and words[1] in _UNDOING:
            return words[1:3] not in (("stash", "list"), ("stash", "show"), ("stash", "apply"), ("stash", "pop"))
    return _REMOVES.search(command) is not None


def changes_behind(command: str) -> str | None:
    """What changes the tree behind the first check of a line (`git stash pop`, `sed -i`); None: nothing is known to."""
    behind = dropwhile(lambda part: not is_check(part.words), read_line(command))
    changing = (part for part in islice(behind, 1, None) if _changes(part.words))
    return next((" ".join(part.words) for part in changing), None)


_MOVING: Final = frozenset(
    {"stash", "checkout", "switch", "restore", "reset", "clean", "revert", "rebase", "merge", "pull", "cherry-pick",
     "apply", "am", "mv", "rm"}
)  # fmt: skip
_STILL: Final = frozenset({"list", "show", "drop", "clear", "create", "store", "--cached", "--check", "--stat"})
"""Words with which such a verb leaves the worktree as it is."""


def _changes(words: Sequence[str]) -> bool:
    """Whether a command is known to change files that are there: git's own verbs, formatters, editing in place."""
    if rewrites(words) or words[0] in {"mv", "patch"}:
        return True
    if words[0] in {"sed", "awk", "gawk", "yq", "perl", "ruby"}:
        return any(re.match(r"-i|--in-place|-[a-zA-Z]{1,3}i\b", word) for word in words[1:])
    if words[0] != "git" or words[1:2] == () or words[1] not in _MOVING or _STILL.intersection(words[2:]):
        return False
    given = set(words[2:])
    if words[1] == "reset":
        return bool(given & {"--hard", "--merge", "--keep"})
    if words[1] == "restore":
        return bool(given & {"--worktree", "-W"}) or not given & {"--staged", "-S"}
    makes = bool(given & {"-b", "-B", "-c", "-C", "--create"})
    return not (makes and words[1] in {"checkout", "switch"} and len(words) == 4)


def mends(command: str) -> bool:
    """Whether a line, up to its first check and with it, may itself have written files of the checkout."""
    parts = read_line(command)
    first = next((index for index, part in enumerate(parts) if is_check(part.words)), len(parts))
    return any(part.writes or not _only_looks(part) for part in parts[: first + 1])


def hidden_by(command: str) -> str | None:
    """What gives the exit code of a line in place of its first check, else of its first effect outside (`tail -5`)."""
    check = next((part for part in read_line(command) if is_check(part.words)), None)
    return check.hidden if check is not None else next((effect.hidden for effect in effects_of(command)), None)


def check_cwd(command: str) -> str | None:
    """Where the first check of a line runs, seen from where the line starts ("" for there); None: nobody can say."""
    return next((part.cwd for part in read_line(command) if is_check(part.words)), "")


def _commit(part: Simple) -> bool:
    return part.words[:2] == ("git", "commit") and "--dry-run" not in part.words


def is_commit(command: str) -> bool:
    """Whether a command makes a commit."""
    return any(map(_commit, read_line(command)))


def commit_cwd(command: str) -> str | None:
    """Where the first commit of a line is made, seen from where the line starts; None: nobody can say."""
    return next((part.cwd for part in read_line(command) if _commit(part)), None)


_BY_HEREDOC: Final = late(r"\$\(\s*cat\s+<<-?\s*(['\"]?)(\w+)\1\n(?P<body>.*?)\n[ \t]*\2\s*\)", re.DOTALL)
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


_MADE: Final = late(
    r"^\[(?P<branch>[^\]\n]*?)(?: \(root-commit\))? (?P<sha>[0-9a-f]{7,64})\] (?P<subject>.*)$", re.MULTILINE
)


def commits_in(output: str) -> list[tuple[str, str]]:
    """(shortened id, subject) of the commits that git says it made: `[main 1a2b3c4] Subject`."""
    return [(match["sha"], match["subject"]) for match in _MADE.finditer(output)]


def made_in(output: str) -> list[tuple[str, str]]:
    """(branch, shortened id) of the commits that git says it made; `detached HEAD` is no branch's name."""
    return [(match["branch"], match["sha"]) for match in _MADE.finditer(output)]


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
