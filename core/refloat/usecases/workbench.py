"""What every use case needs: the machine's doors and the readers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from refloat.model.light import field, light, replace
from refloat.ports import Machine
from refloat.usecases.memory import Memory

if TYPE_CHECKING:
    from refloat.model.problem import Problem
    from refloat.readers.contract import Reader

_NO_CACHE: Final = "/dev/null/refloat"
"""No directory, and none can be made there."""


@light
class Workbench:
    """Passed to every use case; made once by a front end."""

    machine: Machine
    readers: Sequence[Reader]
    problems: Sequence[Problem] = ()
    """Readers that could not be loaded."""
    memory: Memory = field(default_factory=Memory, compare=False, repr=False)

    def reader(self, agent: str) -> Reader:
        """The reader of an agent.

        Raises:
            KeyError: there is none of that name.

        """
        for reader in self.readers:
            if reader.agent == agent:
                return reader
        raise KeyError(agent)

    def uncached(self) -> Workbench:
        """The same, for which everything is read anew, and nothing kept: what the cache has is masked."""
        from pathlib import Path

        places = replace(self.machine.places, cache=Path(_NO_CACHE))
        return Workbench(replace(self.machine, places=places), self.readers, self.problems)
