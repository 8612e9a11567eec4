"""What all a check proves: `cargo test` builds as well, `make check` may do everything.

Decides beyond what a check is for (`checks.sort_of`). Refuses to call anything a check that is none there.
"""

import re
from typing import Final

from refloat.commands.checks import SORTS, Sort, is_check, sort_of, untested, verifies
from refloat.commands.line import read_line
from refloat.knowledge.tables import table, texts

_EVERYTHING: Final = re.compile(r"(?:checks?|ci|verify|validate|all|qa|preflight)(?:[:_./-].*)?")
"""Names of scripts and targets that stand for every check of a project."""


def _of_words(words: tuple[str, ...]) -> frozenset[Sort]:
    sort = sort_of(words)
    if sort is None:
        return frozenset()
    plain = {word for word in words[1:] if not word.startswith("-")}
    if not verifies(words[0]) and any(map(_EVERYTHING.fullmatch, plain)):
        return frozenset(SORTS)
    also = texts(table("checks").get("also", {}).get(words[0]))
    more: list[Sort] = [
        other for other in SORTS if other in also and (not also[other] or plain.intersection(also[other].split()))
    ]
    proves = frozenset((sort, *more))
    return proves - {"test"} if untested(words) else proves


def sorts_of(command: str) -> frozenset[Sort]:
    """Everything that the checks of a command line prove; empty where it holds none."""
    return frozenset[Sort]().union(*(_of_words(part.words) for part in read_line(command)))


def mainly(command: str) -> frozenset[Sort]:
    """What the checks of a command line are for, each for one thing: `tsc` checks types, although it builds too."""
    return frozenset(sort for part in read_line(command) if (sort := sort_of(part.words)) is not None)


def programs_of(command: str) -> frozenset[str]:
    """The programs of a command's checks."""
    return frozenset(part.words[0] for part in read_line(command) if is_check(part.words))


def is_tool(program: str) -> bool:
    """Whether a program checks one thing by itself, and is no script that may run anything."""
    return len(verifies(program)) == 1
