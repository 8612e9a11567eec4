"""Commands that only read or search: they change nothing and are no work of their own."""

import re
from collections.abc import Sequence
from typing import Final

from refloat.commands.line import read_line
from refloat.model.transcript import StepKind

_READS: Final = frozenset(
    {"cat", "bat", "head", "tail", "less", "more", "nl", "wc", "ls", "ll", "stat", "file", "tree", "pwd", "cd", "echo",
     "printf", "column", "sort", "uniq", "cut", "tr", "jq", "yq", "diff", "cmp", "du", "df", "which", "type", "date",
     "hexdump", "xxd", "od", "basename", "dirname", "realpath", "readlink", "env", "printenv", "true", "false", "test",
     "[", "sleep", "whoami", "uname", "id", "ps", "strings", "md5sum", "sha256sum", "sed", "awk"}
)  # fmt: skip
QUIET: Final = frozenset(
    {
        "cd",
        "pushd",
        "popd",
        "echo",
        "printf",
        "true",
        "false",
        "test",
        "[",
        "[[",
        "((",
        "sleep",
        "export",
        "declare",
        "local",
        "readonly",
        "typeset",
        "unset",
        "set",
        "shopt",
        "source",
        ".",
        "exit",
        "return",
        "wait",
        ":",
        "trap",
        "read",
        "shift",
        "break",
        "continue",
        "umask",
        "ulimit",
        "alias",
    }
)
"""Words that only accompany others: alone they read nothing."""
_SEARCHES: Final = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "ack", "find", "fd", "fdfind", "locate"})
_GIT_READS: Final = frozenset(
    {"status", "log", "diff", "show", "blame", "rev-parse", "ls-files", "ls-tree", "ls-remote", "describe", "shortlog",
     "cat-file", "reflog", "rev-list", "name-rev", "for-each-ref", "merge-base", "grep", "whatchanged", "var", "remote"}
)  # fmt: skip


def reading_kind(words: Sequence[str], *, writes: bool) -> StepKind | None:
    """READ or SEARCH for a simple command that changes nothing."""
    program = words[0]
    if writes:
        return None
    if program in _SEARCHES:
        return None if {"-delete", "-exec", "-execdir", "-x", "--exec"} & set(words) else StepKind.SEARCH
    if program == "git" and len(words) > 1 and words[1] in _GIT_READS:
        return StepKind.SEARCH if words[1] == "grep" else StepKind.READ
    if program in _READS:
        in_place = program in {"sed", "awk", "yq"} and any(re.match(r"-i|--in-place|-n?i\b", w) for w in words[1:])
        return None if in_place else StepKind.READ
    return None


def reads_only(command: str) -> bool:
    """Whether every part of a command only reads or searches."""
    parts = read_line(command)
    return bool(parts) and all(reading_kind(part.words, writes=part.writes) is not None for part in parts)
