"""Values that are made by the hundred thousand: for type checkers frozen dataclasses with slots, like all others.

Decides how such a value is built at run time (plainly), and how one is written as JSON. The `__init__` of a really
frozen dataclass goes through `object.__setattr__` for each field and takes three times as long; events of a transcript
are made for every line of it. Equality, hash and `repr` are those of a frozen one, and the type checker refuses an
assignment all the same.
"""

from dataclasses import dataclass, field, fields, is_dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar, cast, dataclass_transform

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def light(cls: type[T]) -> type[T]:
    """Make a class a dataclass with slots, comparable and hashable, whose fields nobody assigns to."""
    return dataclass(slots=True, unsafe_hash=True)(cls)


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
