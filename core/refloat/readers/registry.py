"""Which readers there are: the built-in table, and the entry-point group `refloat.agents` for readers of others.

A broken reader of somebody else's is a Problem, never the end of the list.
"""

from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import entry_points
from typing import Final, cast

from refloat.model.problem import Problem
from refloat.readers.contract import Reader

BUILTIN: Final = {
    "claude-code": "refloat.readers.claude_code:ClaudeCode",
    "codex": "refloat.readers.codex:Codex",
}
GROUP: Final = "refloat.agents"


def names(*, outsiders: bool = False) -> tuple[str, ...]:
    """The agents that can be read. Imports no reader; `outsiders` asks the entry points, which is dear."""
    return (
        (*BUILTIN, *(point.name for point in entry_points(group=GROUP) if point.name not in BUILTIN))
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
    for point in entry_points(group=GROUP):
        if point.name == agent:
            return cast("Reader", point.load()())  # an outsider: checked by its own conformance test
    raise KeyError(agent)


def load_all() -> tuple[Sequence[Reader], Sequence[Problem]]:
    """Every reader that can be imported, and a Problem for every one that cannot."""
    readers: list[Reader] = [load(agent) for agent in BUILTIN]
    problems: list[Problem] = []
    for point in entry_points(group=GROUP):
        if point.name in BUILTIN:
            continue
        try:
            readers.append(cast("Reader", point.load()()))  # an outsider: checked by its own conformance test
        except Exception as fault:  # noqa: BLE001 - somebody else's code: whatever it does, the rest must be shown
            problems.append(Problem(point.value, None, None, f"the reader {point.name!r} could not be loaded: {fault}"))
    return readers, problems
