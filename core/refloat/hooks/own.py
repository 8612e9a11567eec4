"""Calls of Refloat itself: what an agent saves by them stands in the record already and is not saved twice.

Decides for a shell command that has a call of Refloat and, beside it, nothing but harmless readers. Refuses whatever
may do more: a file that is written, another command's output as a word, a script. In doubt a call is saved.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Final

from refloat.hooks.events import Event
from refloat.hooks.results import command_of

_TOOL: Final = re.compile(r"mcp__(?:plugin_)?refloat(?:_refloat)?__|refloat[.:/]")
_SIGNS: Final = frozenset("();<>|&\n")
_HARMLESS: Final = frozenset(
    {"cd", "pushd", "popd", "export", "set", "unset", ":", "true", "echo", "printf"}
    | {"cat", "head", "tail", "grep", "wc", "jq"}
)
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
_SUBSTITUTION: Final = re.compile(r"`|\$\(")
_PYTHON: Final = re.compile(r"(?:.*/)?python[\d.]*")
_READS: Final = frozenset({"<", "<<", "<<<"})
_WRITES: Final = frozenset({">", ">>", ">|", "&>", "&>>", ">&", "<&"})
_NOWHERE: Final = re.compile(r"/dev/(?:null|stdout|stderr)")
_DESCRIPTOR: Final = re.compile(r"\d|-")


def is_own(event: Event) -> bool:
    """Whether this call is one of Refloat's own."""
    if _TOOL.match(event.tool):
        return True
    command = command_of(event)
    if command is None or "refloat" not in command or _SUBSTITUTION.search(command):
        return False
    try:
        calls = list(_calls(command))
    except ValueError:  # an open quotation, or more than can be told here
        return False
    return any(map(_is_refloat, calls)) and all(_is_refloat(call) or call[0] in _HARMLESS for call in calls)


def _calls(command: str) -> Iterator[Sequence[str]]:
    """The simple commands of a line, without assignments before them, redirections and empty ones.

    Raises:
        ValueError: a quotation is open, or something is written to a file.

    """
    words = shlex.shlex(command, posix=True, punctuation_chars="".join(_SIGNS))
    words.whitespace, words.whitespace_split, words.commenters = " \t\r", True, ""
    call: list[str] = []
    redirection = ""
    for word in words:
        if set(word) <= _SIGNS:
            redirection = word if {"<", ">"} & set(word) else ""
            if redirection and call and call[-1].isdecimal():
                call.pop()  # its descriptor
            if not redirection:
                yield from [call] if call else []
                call = []
        elif redirection:
            if not _is_harmless(redirection, word):
                raise ValueError(redirection)
            redirection = ""
        elif call or not _ASSIGNMENT.match(word):
            call.append(word)
    if call:
        yield call


def _is_harmless(redirection: str, target: str) -> bool:
    if redirection in _READS:
        return True
    if redirection not in _WRITES:
        return False
    return bool(_NOWHERE.fullmatch(target) or (redirection in {">&", "<&"} and _DESCRIPTOR.fullmatch(target)))


def _is_refloat(call: Sequence[str]) -> bool:
    if _PYTHON.fullmatch(call[0]):
        return list(call[1:3]) == ["-m", "refloat_tui"]
    return call[0].rpartition("/")[2] == "refloat"
