"""Values that are made by the hundred thousand: for type checkers frozen dataclasses with slots, like all others.

Decides how such a value is built at run time (plainly), and how one is written as JSON. The `__init__` of a really
frozen dataclass goes through `object.__setattr__` for each field and takes three times as long; events of a transcript
are made for every line of it. Making the class itself takes a quarter of the time, which a command that loads a hundred
of them feels. Equality, hash and `repr` are those of a frozen one, and the type checker refuses an assignment all the
same. Knows defaults and their factories, and neither `__post_init__` nor fields for keywords alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from functools import cache, lru_cache
from itertools import count
from operator import attrgetter
from types import CodeType, FunctionType, GenericAlias
from typing import TYPE_CHECKING, Final, TypeVar, cast, dataclass_transform

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def light(cls: type[T]) -> type[T]:
    """Make a class a dataclass with slots, comparable and hashable, whose fields nobody assigns to."""
    return _make(cls, hashed=True)


@dataclass_transform(field_specifiers=(field,))
def slotted(cls: type[T]) -> type[T]:
    """Make a class a dataclass with slots, comparable, whose fields are assigned to: it has no hash."""
    return _make(cls, hashed=False)


def _make(cls: type[T], *, hashed: bool) -> type[T]:
    if hasattr(cls, "__post_init__"):
        raise TypeError(f"{cls.__name__} has a __post_init__: make it a dataclass")
    cls.__doc__ = cls.__doc__ or cls.__name__  # else `dataclass` composes a signature, which takes longer than the rest
    made = dataclass(slots=True, init=False, repr=False, eq=False)(cls)
    rows = fields(cast("type[DataclassInstance]", made))
    key = attrgetter(*[row.name for row in rows if row.compare]) if any(row.compare for row in rows) else _nothing
    shown = tuple(row.name for row in rows if row.repr)

    def __eq__(self: object, other: object) -> bool:  # noqa: N807 - given to the class
        return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: object) -> int:  # noqa: N807 - as above
        return hash(key(self))

    def __repr__(self: object) -> str:  # noqa: N807 - as above
        told = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{self.__class__.__qualname__}({told})"

    for method in (_init(rows), __eq__, __repr__):
        setattr(made, method.__name__, method)
    made.__hash__ = __hash__ if hashed else None  # pyright: ignore[reportAttributeAccessIssue] - how Python says it
    return made


def _nothing(_: object) -> tuple[()]:
    return ()


_ABSENT: Final = object()


def _init(rows: "Sequence[Field[object]]") -> "Callable[..., None]":
    """The one method that must be written out for each class: `dataclass` writes six, and they cost the start. Classes
    with as many fields, and factories at the same places, share what is compiled: only the names differ.
    """
    for row in rows:
        if not row.init or row.kw_only:
            raise TypeError(f"{row.name} is no plain field: make its class a dataclass")
    lacking = list(map(_may_lack, rows))
    if lacking != sorted(lacking):
        raise TypeError(f"{rows[lacking.index(True)].name} has a default, and a field behind it has none")
    makers = tuple(_bare(row.default_factory) for row in rows if row.default_factory is not MISSING)
    names = tuple(row.name for row in rows)
    code = _compiled(tuple(row.default_factory is not MISSING for row in rows))
    code = code.replace(co_varnames=("self", *names), co_names=_renamed(code.co_names, names))
    defaults = tuple(_ABSENT if row.default is MISSING else row.default for row in rows if _may_lack(row))
    around: dict[str, object] = {"_absent": _ABSENT, "_makers": makers}
    return cast("Callable[..., None]", FunctionType(code, around, "__init__", defaults))


def _bare(factory: "Callable[[], object]") -> "Callable[[], object]":
    """`list[str]` makes the very same as `list`, and takes seven times as long."""
    return cast("Callable[[], object]", factory.__origin__) if isinstance(factory, GenericAlias) else factory


def _may_lack(row: "Field[object]") -> bool:
    return row.default is not MISSING or row.default_factory is not MISSING


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


def plain_of(value: "DataclassInstance") -> dict[str, object]:
    """The fields of a dataclass as values for JSON, none of them shared with it; `asdict` takes five times as long."""
    return {name: plain(getattr(value, name)) for name in _names(type(value))}


def plain(value: object) -> object:
    """A value for JSON, not shared: dataclasses as objects, sequences and sets as lists."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, dict):
        return {key: plain(each) for key, each in cast("dict[str, object]", value).items()}  # keys for JSON are texts
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(each) for each in cast("list[object]", value)]  # whichever of them: it is only walked
    if is_dataclass(value) and not isinstance(value, type):
        return plain_of(value)
    raise TypeError(f"no value for JSON: {type(value).__name__}")


@lru_cache(maxsize=64)
def _names(cls: "type[DataclassInstance]") -> tuple[str, ...]:
    return tuple(spec.name for spec in fields(cls))
