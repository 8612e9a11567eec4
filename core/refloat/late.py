"""What is made when something is first asked of it, whichever thread asks.

Decides nothing. Stands for a door of the machine, the readers or a compiled expression until then: making one takes as
long as all that a command does, or an app paints, before it needs it.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock  # `threading` gives the very same, and the quickest commands do without it
from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType
from typing import Generic, NotRequired, Required, TypeVar, cast, get_type_hints, overload

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


class _LateModule(ModuleType):
    """Stands for a module until something of it is asked, apart from what was given to it."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):  # what the import system asks of any module
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        self.__dict__.update(import_module(self.__name__).__dict__)
        return getattr(self, name)


def load_later(name: str, **given: object) -> None:
    """Let a module be loaded when something of it is first asked, wherever it is imported from now on. What is `given`
    is the same as the module's own, and had without it.
    """
    if name in sys.modules:
        return
    module = sys.modules[name] = _LateModule(name)
    module.__dict__.update(given)
    package, _, last = name.rpartition(".")
    if package:  # as the import system does it
        setattr(import_module(package), last, module)


def load_less() -> None:
    """Let what the standard library, `orjson` and `msgspec` load, and a short command never asks, wait until somebody
    does: half a bare start in all.
    """
    load_later("inspect")  # for `dataclasses`
    load_later("typing_extensions", get_type_hints=get_type_hints, NotRequired=NotRequired, Required=Required)
    if sys.platform == "linux":
        load_later("platform", system=_system)  # for `uuid`
    load_later("ipaddress")  # for `urllib.parse`
    load_later("urllib.parse", quote_from_bytes=_quote_from_bytes)  # for `pathlib`


def _system() -> str:
    return os.uname().sysname


def _quote_from_bytes(raw: bytes, safe: str = "/") -> str:
    from urllib.parse import quote  # the late module has it loaded: its own is asked by another name

    return quote(raw, safe)
