"""What the standard library loads for others, and a short command does without: a bare start and a half in all.

Decides which modules wait until somebody asks them something. Refuses to change an answer: whoever asks gets what the
module itself gives.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def load_less() -> None:
    """Spare what `dataclasses`, `uuid`, `pathlib` and `msgspec` load, and no command asks. To be called before them."""
    load_later("zlib")
    load_later("inspect", get_annotations=_get_annotations)  # for `dataclasses`, which asks that of each class
    if sys.platform == "linux":
        load_later("platform", system=_system)  # for `uuid`
    if "typing_extensions" not in sys.modules:  # for `msgspec`
        sys.modules["typing_extensions"] = _TypingExtensions("typing_extensions")
    load_later("ipaddress")  # for `urllib.parse`
    load_later("urllib.parse", quote_from_bytes=_quote_from_bytes)  # for `pathlib`


def load_least() -> None:
    """The same, and all that reading a few rows of a transcript can do without. To be called before anything else. Of a
    list after one session grew (227 million instructions; a bare start is 40) `datetime` would be 4, `dataclasses` 6,
    what `orjson` asks of `json` and `uuid` 8.
    """
    load_less()
    if sys.version_info < (3, 12):  # which no longer runs its Python twin
        twin: ModuleType = __import__("_datetime")  # by its name: where it is built in, no type checker finds a file
        load_later("datetime", **{name: value for name, value in vars(twin).items() if name[:1] != "_"})
    load_later("dataclasses", ("_FIELD",), _FIELD=_Field())
    _load_orjson()
    load_later("json")


def _load_orjson() -> None:
    """Load it with one thing each of `json` and `uuid`, which it asks while it is loaded: of its faults `ValueError` is
    the base that counts, and nobody gives it a UUID. Whoever imports these two gets them as ever.
    """
    held: list[ModuleType] = []
    for name, given in (("json", {"JSONDecodeError": _JSONDecodeError}), ("uuid", {"UUID": _UUID})):
        if name not in sys.modules:
            sys.modules[name] = module = ModuleType(name)
            module.__dict__.update(given)
            held.append(module)
    try:
        __import__("orjson")
    finally:
        for module in held:
            del sys.modules[module.__name__]


def load_later(name: str, lasting: Sequence[str] = (), **given: object) -> None:
    """Let a module be loaded when something of it is first asked, wherever it is imported from now on. What is `given`
    is had without it; what of that is `lasting` is the module's own later too, instead of what it made itself.
    """
    if name in sys.modules:
        return
    module = sys.modules[name] = _LateModule(name)
    module.__dict__.update(given, __lasting=lasting)
    package, _, last = name.rpartition(".")
    if package:  # as the import system does it
        __import__(package)
        setattr(sys.modules[package], last, module)


_leaving = allocate_lock()
"""One thread at a time takes a stand-in away: another one might take the module itself, which has just come."""


def _load(stand_in: ModuleType) -> ModuleType:
    """The module itself; what an import gives is left as the import leaves it."""
    name = stand_in.__name__
    with _leaving:
        if sys.modules.get(name) is stand_in:
            del sys.modules[name]
    __import__(name)
    return sys.modules[name]


class _LateModule(ModuleType):
    """Stands for a module until something of it is asked, apart from what was given to it."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):  # what the import system asks of any module
            raise AttributeError(name)
        own = _load(self)
        for each in self.__dict__.get("__lasting", ()):
            setattr(own, each, self.__dict__[each])
        self.__dict__.update(own.__dict__)
        return getattr(self, name)


class _TypingExtensions(_LateModule):
    """`typing_extensions`, of which `msgspec` asks what `typing` has as well."""

    def __getattr__(self, name: str) -> object:
        if name not in {"NotRequired", "Required", "get_type_hints"}:
            return super().__getattr__(name)
        import typing

        return getattr(typing, name)


class _UUID:
    """Nobody here gives `orjson` a real one."""


class _Field:
    """The mark of a plain field, as `dataclasses` prints it."""

    name = "_FIELD"

    def __repr__(self) -> str:
        return self.name


class _JSONDecodeError(ValueError):
    """As `json.decoder` has it: what it says of a place is shown to people."""

    def __init__(self, msg: str, doc: str, pos: int) -> None:
        self.msg, self.doc, self.pos = msg, doc, pos
        self.lineno = doc.count("\n", 0, pos) + 1
        self.colno = pos - doc.rfind("\n", 0, pos)
        super().__init__(f"{msg}: line {self.lineno} column {self.colno} (char {pos})")

    def __reduce__(self) -> tuple[type, tuple[str, str, int]]:
        return self.__class__, (self.msg, self.doc, self.pos)


def _system() -> str:
    return os.uname().sysname


def _get_annotations(of: object, **more: object) -> object:
    if sys.version_info < (3, 14) and isinstance(of, type) and not more:
        noted: object = of.__dict__.get("__annotations__", {})  # noqa: RUF063 - that is it
        if type(noted) is dict:
            return noted.copy()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - whatever it holds
    from inspect import signature  # the late module has it loaded: its own is asked by another name

    return signature.__globals__["get_annotations"](of, **more)


def _quote_from_bytes(raw: bytes, safe: str = "/") -> str:
    from urllib.parse import quote  # the late module has it loaded: its own is asked by another name

    return quote(raw, safe)
