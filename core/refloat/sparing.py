"""What the standard library loads for others, and a short command does without: two bare starts in all.

Decides which modules wait until somebody asks them something. Refuses to change an answer: whoever asks gets what the
module itself gives. What says nothing while a program runs (a cast, a type variable, the base of a protocol) is told to
modules of this program without it; anybody else, msgspec above all, which reads annotations, asks the real `typing`.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn

_OURS = ("refloat.", "refloat_tui.")


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
    """The same, and all that reading a few rows of a transcript can do without. To be called before anything else."""
    if "typing" not in sys.modules:
        sys.modules["typing"] = _Typing("typing")
    load_less()
    load_later("re", ASCII=256, DOTALL=16, IGNORECASE=2, MULTILINE=8, VERBOSE=64)  # as numbers they are the same flags
    if sys.version_info < (3, 12):  # which no longer runs its Python twin
        import _datetime

        load_later("datetime", **{name: value for name, value in vars(_datetime).items() if name[:1] != "_"})
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


def _load(stand_in: ModuleType) -> ModuleType:
    """The module itself; what an import gives is left as the import leaves it."""
    name = stand_in.__name__
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


class _Typing(ModuleType):
    """`typing`, which modules of this program ask for words alone. Stays in its place, so that each of them is told the
    same ones, whatever was loaded between.
    """

    def __getattr__(self, name: str) -> object:
        if name == "__path__":  # what the import system asks of any module
            raise AttributeError(name)
        asking = sys._getframe(1).f_globals.get("__name__", "")  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - there is no other way to know
        if name in _WORDS and asking.startswith(_OURS):
            return _WORDS[name]
        own = self.__dict__.get("__own")
        if own is None:
            own = self.__dict__["__own"] = _load(self)
            sys.modules["typing"] = self
        return getattr(own, name)


class _TypingExtensions(_LateModule):
    """`typing_extensions`, of which `msgspec` asks what `typing` has as well."""

    def __getattr__(self, name: str) -> object:
        if name not in {"NotRequired", "Required", "get_type_hints"}:
            return super().__getattr__(name)
        import typing

        return getattr(typing, name)


class _Word:
    """A form that annotations and aliases hold, and nobody looks at."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def __getitem__(self, _: object) -> _Word:
        return self

    def __or__(self, _: object) -> _Word:
        return self

    __ror__ = __or__


class _NewType:
    """As those of `typing`: msgspec looks at what its fields are."""

    def __init__(self, name: str, kind: type) -> None:
        self.__name__ = self.__qualname__ = name
        self.__supertype__ = kind

    def __call__(self, value: object) -> object:
        return value

    def __or__(self, other: object) -> object:
        from typing import Union

        return Union[self, other]  # noqa: UP007 - it is no type to the other way of writing it

    def __ror__(self, other: object) -> object:
        from typing import Union

        return Union[other, self]  # noqa: UP007 - as above


class _Base:
    """`Generic` and `Protocol`, as the classes made of them need it."""

    def __class_getitem__(cls, _: object) -> type:
        return cls


def _cast(_: object, value: object) -> object:
    return value


def _unchanged(function: object) -> object:
    return function


def _transform(**_: object) -> Callable[[object], object]:
    return _unchanged


def _assert_never(value: object) -> NoReturn:
    raise AssertionError(f"Expected code to be unreachable, but got: {value!r}")


_WORDS: dict[str, object] = {
    "TYPE_CHECKING": False,
    "AnyStr": _Word(),
    "BinaryIO": _Word(),
    "Final": _Word(),
    "Generic": _Base,
    "Literal": _Word(),
    "NewType": _NewType,
    "Protocol": _Base,
    "Self": _Word(),
    "TypeVar": _Word,
    "assert_never": _assert_never,
    "cast": _cast,
    "dataclass_transform": _transform,
    "overload": _unchanged,
}


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
