"""The options of a command apart from its objects.

Decides by what the table of actions says of a program's options (`--valued`: those that take the next word along), with
short ones that stand together (`-sXPOST`) taken apart as getopt(3) does. Refuses to guess at programs that have no such
row: their words stay as they are.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from refloat.knowledge.tables import forgets, table

VALUED: Final = "--valued"
"""The row of a program that names its options with a value."""
_TOGETHER: Final = re.compile(r"-[^\s-].+", re.DOTALL)


def spread(words: Sequence[str]) -> tuple[str, ...]:
    """The words, with short options that stand together apart, and the value that is written onto one too."""
    takes = _valued().get(words[0])
    if takes is None:
        return tuple(words)
    made = [words[0]]
    value = False
    for index, word in enumerate(words[1:], start=1):
        if word == "--" and not value:
            return (*made, *words[index:])
        single = value or word.partition("=")[0] in takes or not _TOGETHER.fullmatch(word)
        made += [word] if single else _apart(word, takes)
        value = not value and made[-1] in takes
    return tuple(made)


def _apart(word: str, takes: frozenset[str]) -> list[str]:
    made: list[str] = []
    for at, letter in enumerate(word[1:], start=1):
        made.append(f"-{letter}")
        if made[-1] in takes:
            rest = word[at + 1 :].removeprefix("=")
            return [*made, rest] if rest else made
    return made


def objects(words: Sequence[str]) -> tuple[str, ...]:
    """The program and the words that are neither options nor, as far as the table knows, values of options."""
    takes = valued(words[0])
    apart = spread(words)
    return tuple(
        word
        for word, before in zip(apart, ("", *apart), strict=False)
        if before not in takes and (not word.startswith("-") or word == "--prod")
    )


def past_options(words: Sequence[str]) -> Sequence[str]:
    """What follows a program's own options, as it stands: `HOST COMMAND…` of `ssh -vp 22 HOST COMMAND…`."""
    takes = valued(words[0])
    rest = list(words[1:])
    while rest and rest[0].startswith("-"):
        rest = rest[2 if spread([words[0], rest[0]])[-1] in takes else 1 :]
    return rest


def valued(program: str) -> frozenset[str]:
    """The options of a program that take the next word along, as far as the table knows."""
    return _valued().get(program, frozenset())


@cache
def _valued() -> Mapping[str, frozenset[str]]:
    rows = {program: rows.get(VALUED, "") for program, rows in table("actions").items()}
    return {program: frozenset(str(flags).split()) for program, flags in rows.items() if flags}


forgets(_valued.cache_clear)
