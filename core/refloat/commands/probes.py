"""Read-only commands that would tell whether something happened, made from a template and the command itself.

Decides only how a template is filled in. Refuses values that a shell would have expanded, that could be taken for
flags, and addresses that make git start a helper program (`ext::…`).
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final
from zlib import crc32

_TOKEN: Final = re.compile(r"\[[^\]]*\]|\S+")
_HOLE: Final = re.compile(r"\{([^}]+)\}")
_UNSAFE: Final = re.compile(r"[$`*?<>|;&\n\r\x00]|^-|^\w[\w+.-]*::|^$")

_LONGEST: Final = 100
"""Characters of a word in a name."""

Given = Mapping[str, str | tuple[str, ...] | None]
"""Name of a hole → its value; several words, safe ones, for holes that stand alone."""


def safe(value: str) -> bool:
    """Whether a word of a command can stand in a probe as it is."""
    return _UNSAFE.search(value) is None


def shortened(text: str) -> str:
    """A word of a command as part of a name: on one line, and a long one cut, which differs where the words do."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}… #{digest(line)}"


def digest(text: str) -> str:
    """Eight digits that stand for a text that a name has no room for."""
    return f"{crc32(text.encode('utf-8', 'replace')):08x}"


def flag_value(words: Sequence[str], *names: str) -> str | None:
    """The value of the first of some flags: `--flag value`, `--flag=value`."""
    for index, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in names:
            return value if equals else next(iter(words[index + 1 : index + 2]), None)
    return None


def fill(template: str, words: Sequence[str], objects: Sequence[str], given: Given) -> tuple[str, ...] | None:
    """The words of a probe; None where something that it needs is not known.

    `{1}` is the first of `objects`, `{--flag,-f}` the value of a flag among `words`, any other name one of `given`;
    `{a,b}` the first that is known. What stands in brackets is left out where something in it is not known.
    """
    made: list[str] = []
    for token in _TOKEN.findall(template):
        if token.startswith("["):
            inner = fill(token[1:-1], words, objects, given)
            made += inner or ()
            continue
        filled = _filled(token, words, objects, given)
        if filled is None:
            return None
        made += filled
    return tuple(made)


def _filled(token: str, words: Sequence[str], objects: Sequence[str], given: Given) -> tuple[str, ...] | None:
    if (alone := _HOLE.fullmatch(token)) is not None:
        value = _value(alone[1], words, objects, given)
        return (value,) if isinstance(value, str) else value
    parts: list[str] = []
    end = 0
    for hole in _HOLE.finditer(token):
        value = _value(hole[1], words, objects, given)
        if not isinstance(value, str):
            return None
        parts += [token[end : hole.start()], value]
        end = hole.end()
    return ("".join([*parts, token[end:]]),)


def _value(names: str, words: Sequence[str], objects: Sequence[str], given: Given) -> str | tuple[str, ...] | None:
    for name in names.split(","):
        if name.isdecimal():
            value = objects[int(name) - 1] if len(objects) >= int(name) else None
        elif name.startswith("-"):
            value = flag_value(words, name)
        else:
            value = given.get(name)
        if isinstance(value, tuple):
            return value
        if value is not None:
            return value if safe(value) else None
    return None
