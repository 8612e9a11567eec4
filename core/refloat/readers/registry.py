"""Which readers there are: the built-in table, and the entry-point group `refloat.agents` for readers of others.

A broken reader of somebody else's is a Problem, never the end of the list.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

from refloat.model.problem import Problem
from refloat.readers.contract import Reader

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

BUILTIN: Final = {
    "claude-code": "refloat.readers.claude_code:ClaudeCode",
    "codex": "refloat.readers.codex:Codex",
}
GROUP: Final = "refloat.agents"


def names(*, outsiders: bool = False) -> tuple[str, ...]:
    """The agents that can be read. Imports no reader; `outsiders` asks the entry points, which is dear."""
    return (
        (*BUILTIN, *(point.name for point in _outsiders() if point.name not in BUILTIN))
        if outsiders
        else tuple(BUILTIN)
    )


def load(agent: str) -> Reader:
    """Import one reader.

    Raises:
        KeyError: no reader has that name.

    """
    if agent in BUILTIN:
        module, _, name = BUILTIN[agent].partition(":")
        return cast("Reader", getattr(import_module(module), name)())  # the table is checked by a test
    for point in _outsiders():
        if point.name == agent:
            return cast("Reader", point.load()())  # an outsider: checked by its own conformance test
    raise KeyError(agent)


def load_all() -> tuple[Sequence[Reader], Sequence[Problem]]:
    """Every reader that can be imported, and a Problem for every one that cannot."""
    readers: list[Reader] = [load(agent) for agent in BUILTIN]
    problems: list[Problem] = []
    for point in _outsiders():
        if point.name in BUILTIN:
            continue
        try:
            readers.append(cast("Reader", point.load()()))  # an outsider: checked by its own conformance test
        except Exception as fault:  # noqa: BLE001 - somebody else's code: whatever it does, the rest must be shown
            problems.append(Problem(point.value, None, None, f"the reader {point.name!r} could not be loaded: {fault}"))
    return readers, problems


def _outsiders() -> Iterable[EntryPoint]:
    """The entry points of the group. What reads them is dear to load, and seldom is there one to read."""
    if not any(_may_declare(place) for place in sys.path) and not _other_finders():
        return ()
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


def _other_finders() -> bool:
    """Whether packages are found in other ways than by the path."""
    finders = [finder for finder in sys.meta_path if hasattr(finder, "find_distributions")]
    return any(getattr(finder, "__name__", "") != "PathFinder" for finder in finders)


def _may_declare(place: str) -> bool:
    """Whether a directory of packages has one that names the group; also where it cannot be said (an archive)."""
    try:
        with os.scandir(place or ".") as entries:
            told = [entry.path for entry in entries if entry.name.endswith((".dist-info", ".egg-info", ".egg"))]
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return any(map(_names_group, told))


def _names_group(package: str) -> bool:
    if package.endswith(".egg"):
        package += "/EGG-INFO"
    try:
        file = os.open(f"{package}/entry_points.txt", os.O_RDONLY)  # a hundred small files at every start
        try:
            return GROUP.encode() in os.read(file, os.fstat(file).st_size)
        finally:
            os.close(file)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
