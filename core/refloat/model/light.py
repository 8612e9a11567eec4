"""Values that are made by the hundred thousand: for type checkers frozen dataclasses with slots, like all others.

Decides how such a value is built at run time (plainly), and how one is written as JSON. The `__init__` of a really
frozen dataclass goes through `object.__setattr__` for each field and takes three times as long; events of a transcript
are made for every line of it. Making the class itself takes a tenth of the time, which a command that loads a hundred
and fifty of them feels: most are never made a value of, and nobody asks what their fields are, so what serves that is
made at the first question. Equality, hash and `repr` are those of a frozen one, and the type checker refuses an
assignment all the same. Knows defaults and their factories, and neither bases, `ClassVar`, `__post_init__` nor fields
for keywords alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import count
from operator import attrgetter
from types import CodeType, FunctionType, GenericAlias
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar, cast, dataclass_transform, overload

from refloat.late import Once

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from typing_extensions import TypeIs

T = TypeVar("T")

_ABSENT: Final = object()


class _Field:
    """What stands behind a field's name, where that is more than a default."""

    __slots__ = ("compare", "default", "factory", "repr")

    def __init__(self, default: object, factory: object, compare: bool, repr: bool) -> None:  # noqa: A002 - as in `dataclasses`
        self.default = default
        self.factory = factory
        self.compare = compare
        self.repr = repr


@overload
def field(*, default: T, compare: bool = True, repr: bool = True) -> T: ...
@overload
def field(*, default_factory: Callable[[], T], compare: bool = True, repr: bool = True) -> T: ...
def field(
    *,
    default: object = _ABSENT,
    default_factory: object = _ABSENT,
    compare: bool = True,
    repr: bool = True,  # noqa: A002 - as in `dataclasses`
) -> object:
    """A field whose default is made for each value, or that is not compared, or not shown."""
    return _Field(default, default_factory, compare, repr)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def light(cls: type[T]) -> type[T]:
    """Make a class a dataclass with slots, comparable and hashable, whose fields nobody assigns to."""
    return _make(cls, hashed=True)


@dataclass_transform(field_specifiers=(field,))
def slotted(cls: type[T]) -> type[T]:
    """Make a class a dataclass with slots, comparable, whose fields are assigned to: it has no hash."""
    return _make(cls, hashed=False)


_Spec = tuple[str, object]
"""A field's name and what stands behind it: its default, a `_Field`, or `_ABSENT`."""


def _make(cls: type[T], *, hashed: bool) -> type[T]:
    if hasattr(cls, "__post_init__") or cls.__bases__ != (object,):
        raise TypeError(f"{cls.__name__} has a base or a __post_init__: make it a dataclass")
    space = dict(cls.__dict__)
    space.pop("__dict__", None)
    space.pop("__weakref__", None)
    specs = [(name, space.pop(name, _ABSENT)) for name in _hints(cls)]
    _check(specs)
    names = tuple([name for name, _ in specs])
    compared = [name for name, spec in specs if not _is_field(spec) or spec.compare]
    key = attrgetter(*compared) if compared else _nothing
    shown: list[str] | None = None

    def __init__(self: object, *given: object, **named: object) -> None:  # noqa: N807 - given to the class
        made.__init__ = method = _init(specs)  # from here on; most classes are never made a value of
        method(self, *given, **named)

    def __eq__(self: object, other: object) -> bool:  # noqa: N807 - as above
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: object) -> int:  # noqa: N807 - as above
        return hash(key(self))

    def __repr__(self: object) -> str:  # noqa: N807 - as above
        nonlocal shown
        if shown is None:  # most classes are never asked
            shown = [name for name, spec in specs if not _is_field(spec) or spec.repr]
        return f"{self.__class__.__qualname__}({', '.join([f'{name}={getattr(self, name)!r}' for name in shown])})"

    asked = Once(lambda: _told(cls, specs))
    space["__slots__"] = space["__match_args__"] = names
    space["__qualname__"] = cls.__qualname__
    space["__init__"], space["__eq__"], space["__repr__"] = __init__, __eq__, __repr__
    space["__hash__"] = __hash__ if hashed else None
    for name in ("__dataclass_fields__", "__dataclass_params__"):
        space[name] = _Asked(asked, name)
    made = type(cls.__name__, (), space)
    return cast("type[T]", made)  # the same class, with slots


def _is_field(spec: object) -> TypeIs[_Field]:
    return spec.__class__ is _Field


def _told(cls: type, specs: Sequence[_Spec]) -> type:
    """A class as `dataclasses` makes it."""
    from dataclasses import MISSING, dataclass
    from dataclasses import field as plain_field

    for name, spec in specs:
        if _is_field(spec):
            default, factory = (MISSING if each is _ABSENT else each for each in (spec.default, spec.factory))
            told = plain_field(default=default, default_factory=factory, compare=spec.compare, repr=spec.repr)  # type: ignore[call-overload] - one of the two is missing
            setattr(cls, name, told)
    cls.__doc__ = cls.__doc__ or cls.__name__  # else `dataclass` composes a signature, which takes longer than the rest
    dataclass(init=False, repr=False, eq=False)(cls)
    return cls


def _check(specs: Sequence[_Spec]) -> None:
    """Refuse what is not known here."""
    lacking = ""
    for name, spec in specs:
        if spec.__class__.__name__ == "Field":
            raise TypeError(f"{name} is a field of `dataclasses`: make its class one, or take the field of `light`")
        if spec.__class__.__hash__ is None:
            raise TypeError(f"{name} has a default that may change: give it a factory")
        if _may_lack(spec):
            lacking = lacking or name
        elif lacking:
            raise TypeError(f"{lacking} has a default, and a field behind it has none")


def _hints(cls: type) -> Mapping[str, object]:
    """What stands behind the names of fields; of those that are imported for type checkers alone nothing is asked."""
    if sys.version_info >= (3, 14):
        from annotationlib import Format, get_annotations

        hints: Mapping[str, object] = get_annotations(cls, format=Format.FORWARDREF)
    else:
        hints = cls.__dict__.get("__annotations__", {})  # noqa: RUF063 - all that is wanted of `inspect`, a road's start
    for name, hint in hints.items():
        if (isinstance(hint, str) and "ClassVar" in hint) or getattr(hint, "__origin__", hint) is ClassVar:
            raise TypeError(f"{name} is a ClassVar: make its class a dataclass")
    return hints


class _Asked:
    """What `dataclasses` keeps of a class, made when somebody asks for it."""

    def __init__(self, plain: Callable[[], type], name: str) -> None:
        self._plain = plain
        self._name = name

    def __get__(self, value: object, owner: type) -> object:
        return getattr(self._plain(), self._name)


def _nothing(_: object) -> tuple[()]:
    return ()


def _init(specs: Sequence[_Spec]) -> Callable[..., None]:
    """The one method that must be written out for each class: `dataclass` writes six, and they cost the start. Classes
    with as many fields, and factories at the same places, share what is compiled: only the names differ.
    """
    factories = tuple([spec.factory if _is_field(spec) else _ABSENT for _, spec in specs])
    names = tuple([name for name, _ in specs])
    code = _compiled(tuple([factory is not _ABSENT for factory in factories]))
    code = code.replace(co_varnames=("self", *names), co_names=_renamed(code.co_names, names))
    defaults = tuple([_default(spec) for _, spec in specs if _may_lack(spec)])
    around: dict[str, object] = {
        "_absent": _ABSENT, "_makers": tuple([_bare(factory) for factory in factories if factory is not _ABSENT]),
    }  # fmt: skip
    return cast("Callable[..., None]", FunctionType(code, around, "__init__", defaults))


def _bare(factory: object) -> object:
    """`list[str]` makes the very same as `list`, and takes seven times as long."""
    return factory.__origin__ if isinstance(factory, GenericAlias) else factory


def _may_lack(spec: object) -> bool:
    return spec.default is not _ABSENT or spec.factory is not _ABSENT if _is_field(spec) else spec is not _ABSENT


def _default(spec: object) -> object:
    """What stands for a field that is not given."""
    return spec.default if _is_field(spec) else spec


@cache
def _compiled(made: tuple[bool, ...]) -> CodeType:
    """An `__init__` of fields `_0`, `_1` and so on; `made` says which of them have a factory."""
    body: list[str] = []
    makers = count()
    for index, factory in enumerate(made):
        given = f"_makers[{next(makers)}]() if _{index} is _absent else _{index}" if factory else f"_{index}"
        body.append(f" self._{index} = {given}\n")
    given = ", ".join(["self", *(f"_{index}" for index in range(len(made)))])
    around: dict[str, FunctionType] = {}
    exec(f"def __init__({given}):\n{''.join(body) or ' pass'}", around)  # noqa: S102 - numbers alone
    return around["__init__"].__code__


def _renamed(used: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    return tuple(names[int(name[1:])] if name[1:].isdigit() else name for name in used)


def replace(value: T, **changes: object) -> T:
    """A value with other fields, as `dataclasses.replace` gives it.

    Raises:
        TypeError: it has no such field.
    """
    kind = value.__class__
    if not is_light(kind):
        import dataclasses

        return cast("T", dataclasses.replace(cast("DataclassInstance", value), **changes))
    for name in _slots(kind):
        if name not in changes:
            changes[name] = getattr(value, name)
    return kind(**changes)


def is_light(kind: type) -> bool:
    """Whether a class was made here."""
    return kind.__dict__.get("__dataclass_fields__").__class__ is _Asked


@cache
def field_names(kind: type) -> tuple[str, ...] | None:
    """The names of the fields of a dataclass, of those that are given to make one; None of any other class."""
    if is_light(kind):
        return _slots(kind)
    if not hasattr(kind, "__dataclass_fields__"):
        return None
    from dataclasses import fields

    return tuple([each.name for each in fields(kind) if each.init])


def _slots(kind: type) -> tuple[str, ...]:
    return cast("tuple[str, ...]", kind.__dict__["__slots__"])  # as `_make` wrote them


def plain_of(value: DataclassInstance) -> dict[str, object]:
    """The fields of a dataclass as values for JSON, none of them shared with it; `asdict` takes five times as long.

    Raises:
        TypeError: it is none.
    """
    names = field_names(type(value))
    if names is None:
        raise TypeError(f"no value for JSON: {type(value).__name__}")
    return {name: plain(getattr(value, name)) for name in names}


def plain(value: object) -> object:
    """A value for JSON, not shared: dataclasses as objects, sequences and sets as lists."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, dict):
        return {key: plain(each) for key, each in cast("dict[str, object]", value).items()}  # keys for JSON are texts
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(each) for each in cast("list[object]", value)]  # whichever of them: it is only walked
    return plain_of(cast("DataclassInstance", value))
