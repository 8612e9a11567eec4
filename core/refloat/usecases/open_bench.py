"""The workbench of a real run: every reader that can be loaded, loaded when the first one is asked for.

The app paints what the catalogue knows before it needs any: they take as long to load as all that is painted first.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar, overload

from refloat.knowledge.tables import use_config
from refloat.ports import Machine
from refloat.usecases.workbench import Workbench

if TYPE_CHECKING:
    from refloat.model.problem import Problem
    from refloat.readers.contract import Reader

T = TypeVar("T")


class _Later(Sequence[T], Generic[T]):
    """A sequence that is made when it is first looked at."""

    def __init__(self, make: Callable[[], Sequence[T]]) -> None:
        self._make = make

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        return self._make()[index]

    def __len__(self) -> int:
        return len(self._make())


class _Readers:
    """Loads all readers once, whichever thread asks first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: tuple[Sequence[Reader], Sequence[Problem]] | None = None

    def _load(self) -> tuple[Sequence[Reader], Sequence[Problem]]:
        with self._lock:
            if self._loaded is None:
                from refloat.readers.registry import load_all

                self._loaded = load_all()
            return self._loaded

    def readers(self) -> Sequence[Reader]:
        return self._load()[0]

    def problems(self) -> Sequence[Problem]:
        return self._load()[1]


def open_bench(machine: Machine) -> Workbench:
    """A workbench on `machine`; readers that cannot be loaded are its problems.

    A person's own tables of commands count from here on: they lie in `machine`'s configuration directory.
    """
    use_config(machine.places.config)
    readers = _Readers()
    return Workbench(machine, _Later(readers.readers), _Later(readers.problems))
