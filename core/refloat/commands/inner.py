"""A script that stands within the words of a command: `bash -c`, `eval`, `trap`, what is typed into another terminal.

Decides which of the words are that script, and whether the command's exit code is the script's. Refuses scripts in
files: what stands there is not in the line.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

_SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash", "ksh", "ash", "fish"})
_WINDOWS_SHELLS: Final = frozenset({"pwsh", "powershell", "cmd"})
_TYPED: Final = frozenset({"send-keys", "send"})
_STARTED: Final = frozenset(
    {"new-session", "new", "new-window", "neww", "split-window", "splitw", "respawn-pane", "respawnp", "run-shell",
     "run", "display-popup", "popup"}
)  # fmt: skip
"""Commands of tmux that run what stands behind their options."""
_VALUED: Final = frozenset({"-c", "-e", "-F", "-f", "-l", "-N", "-n", "-p", "-s", "-t", "-x", "-y", "-w", "-h"})
_NO_VALUE: Final = {"send-keys": {"-F", "-l"}, "send": {"-F", "-l"}, "split-window": {"-h"}, "splitw": {"-h"}}
"""Options that take the next word along (tmux(1)), and those of them that one command has without a value."""
_KEYS: Final = re.compile(r"Enter|KPEnter|C-[a-z]|Escape|Tab|Space")


class Script(NamedTuple):
    """A script within a command."""

    text: str = ""
    """Empty: there is none."""
    flags: str = ""
    """Those of the shell that runs it."""
    hidden: str | None = None
    """What gives the exit code in its place."""


def script_in(words: Sequence[str], stdin: str) -> Script:
    """The script that some words hold, which are given `stdin` to read."""
    program = words[0]
    if program == "eval":
        return Script(" ".join(words[1:]))
    if program in _WINDOWS_SHELLS:
        at = next((i for i, word in enumerate(words) if word.lower() in {"-c", "-command", "/c"}), len(words))
        return Script(" ".join(words[at + 1 :]))
    if program in _SHELLS:
        return _of_shell(words, stdin)
    if program == "trap":  # it runs when the shell ends (POSIX 1003.1, 2.14, trap)
        own = [word for word in words[1:] if word != "--"]
        return Script(own[0], "", "trap") if {"EXIT", "0"}.intersection(own[1:]) and own[0] != "-" else Script()
    return _of_tmux(words) if program == "tmux" else Script()


def _of_shell(words: Sequence[str], stdin: str) -> Script:
    for index, word in enumerate(words[1:], start=1):
        if re.fullmatch(r"-\w*c", word) and index + 1 < len(words):
            return Script(words[index + 1], " ".join(words[1 : index + 1]))
        if not word.startswith(("-", "+")) and word not in {"pipefail", "errexit"}:
            return Script()
    return Script(stdin, " ".join(words[1:]))


def _of_tmux(words: Sequence[str]) -> Script:
    at = next((i for i, word in enumerate(words) if word in _TYPED or word in _STARTED), None)
    if at is None:
        return Script()
    rest, verb = list(words[at + 1 :]), words[at]
    while rest and rest[0].startswith("-"):
        rest = rest[2 if rest[0] in _VALUED and rest[0] not in _NO_VALUE.get(verb, ()) else 1 :]
    typed = [word for word in rest if verb in _STARTED or not _KEYS.fullmatch(word)]
    return Script(" ".join(typed), "", "tmux")
