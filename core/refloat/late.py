"""What is made when something is first asked of it, whichever thread asks.

Decides nothing. Stands for a door of the machine, the readers or a compiled expression until then: making one takes as
long as all that a command does, or an app paints, before it needs it.
"""

from __future__ import annotations

from _thread import allocate_lock  # `threading` gives the very same, and the quickest commands do without it
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, cast, overload

T = TypeVar("T")


class Once(Generic[T]):
    """Makes a value at the first call; what making it raises is raised at each."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = allocate_lock()
        self._made: list[T] = []

    def __call__(self) -> T:
        """The value."""
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]


class _Late:
    """Has no attribute of what it stands for until one is asked for; then it keeps that one."""

    def __init__(self, make: Callable[[], object]) -> None:
        self._once = Once(make)

    def __getattr__(self, name: str) -> object:
        value: object = getattr(self._once(), name)
        setattr(self, name, value)
        return value


def stand_in(make: Callable[[], T]) -> T:
    """Stands for what `make` gives. To be used by its methods and by attributes that stay as they are: operators,
    `len` and loops do not find what it stands for.
    """
    return cast("T", _Late(make))  # whatever is asked of it, the other answers


class LateSequence(Sequence[T], Generic[T]):
    """A sequence whose rows are made when it is first looked at."""

    def __init__(self, make: Callable[[], Sequence[T]]) -> None:
        self._rows = Once(make)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        return self._rows()[index]

    def __len__(self) -> int:
        return len(self._rows())
