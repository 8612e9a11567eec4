"""The workbench of a real run: every reader that can be loaded, loaded when the first one is asked for.

The app paints what the catalogue knows before it needs any: they take as long to load as all that is painted first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from refloat.knowledge.tables import use_config
from refloat.late import LateSequence, Once
from refloat.ports import Machine
from refloat.usecases.workbench import Workbench

if TYPE_CHECKING:
    from collections.abc import Sequence

    from refloat.model.problem import Problem
    from refloat.readers.contract import Reader


def open_bench(machine: Machine, *, outsiders: bool = True) -> Workbench:
    """A workbench on `machine`; readers that cannot be loaded are its problems. Without `outsiders` it has the built-in
    ones alone: for whoever knows that no other agent has left anything.

    A person's own tables of commands count from here on: they lie in `machine`'s configuration directory.
    """
    use_config(machine.places.config)
    loaded = Once(_load if outsiders else _load_builtin)
    return Workbench(machine, LateSequence(lambda: loaded()[0]), LateSequence(lambda: loaded()[1]))


def _load() -> tuple[Sequence[Reader], Sequence[Problem]]:
    from refloat.readers.registry import load_all

    return load_all()


def _load_builtin() -> tuple[Sequence[Reader], Sequence[Problem]]:
    from refloat.readers.registry import BUILTIN, load

    return [load(agent) for agent in BUILTIN], ()
