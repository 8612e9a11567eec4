"""Calls of Refloat itself: what an agent saves by them stands in the record already and is not saved twice.

Decides for a shell command that has a call of Refloat and, beside it, nothing but words that do nothing of their own.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Final

from refloat.hooks.events import Event
from refloat.hooks.results import command_of

_TOOL: Final = re.compile(r"mcp__(?:plugin_)?refloat(?:_refloat)?__|refloat[.:/]")
_SIGNS: Final = frozenset("();<>|&\n")
_IDLE: Final = frozenset(
    {"cd", "pushd", "popd", "export", "set", "unset", "source", ".", ":", "true", "echo", "printf"}
    | {"cat", "head", "tail", "grep", "wc", "jq", "tee", "sed", "less"}
)
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")


def is_own(event: Event) -> bool:
    """Whether this call is one of Refloat's own."""
    if _TOOL.match(event.tool):
        return True
    command = command_of(event)
    if command is None or "refloat" not in command:
        return False
    try:
        calls = list(_calls(command))
    except ValueError:  # an open quotation
        return False
    return any(map(_is_refloat, calls)) and all(_is_refloat(call) or call[0] in _IDLE for call in calls)


def _calls(command: str) -> Iterator[Sequence[str]]:
    """The simple commands of a line, without assignments before them, redirections and empty ones."""
    words = shlex.shlex(command, posix=True, punctuation_chars="".join(_SIGNS))
    words.whitespace, words.whitespace_split, words.commenters = " \t\r", True, ""
    call: list[str] = []
    skip = False
    for word in words:
        if set(word) <= _SIGNS:
            skip = bool(set(word) & {"<", ">"})
            if skip and call and call[-1].isdecimal():
                call.pop()  # the descriptor of a redirection
            if not skip:
                yield from [call] if call else []
                call = []
        elif skip:
            skip = False
        elif call or not _ASSIGNMENT.match(word):
            call.append(word)
    if call:
        yield call


def _is_refloat(call: Sequence[str]) -> bool:
    return call[0].rpartition("/")[2] == "refloat" or "refloat_tui" in call[1:3]
