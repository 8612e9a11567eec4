"""A light value is what a dataclass of the same fields is, in everything that anybody relies on."""

import pickle
from copy import copy
from dataclasses import dataclass, fields, is_dataclass
from dataclasses import field as plain_field
from typing import ClassVar

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refloat.model.light import field, light, plain_of, replace, slotted
from refloat.together import Running


@dataclass(frozen=True, slots=True)
class Plain:
    name: str
    at: int | None = None
    parts: list[int] = plain_field(default_factory=list[int])
    hidden: str = plain_field(default="", repr=False, compare=False)


@light
class Light:
    name: str
    at: int | None = None
    parts: list[int] = field(default_factory=list[int])
    hidden: str = field(default="", repr=False, compare=False)


@light
class Empty:
    pass


@slotted
class Counted:
    n: int = 0
    seen: set[str] = field(default_factory=set[str])


@slotted
class Likewise:
    """As many fields as `Light`, factories at the same place, and another name, default and factory for each."""

    place: int
    why: str = "none"
    seen: set[str] = field(default_factory=set[str])
    last: int = 7


VALUES = st.tuples(st.text(), st.none() | st.integers(-5, 5), st.lists(st.integers(0, 2), max_size=2), st.text())


@given(VALUES, VALUES)
def test_it_compares_and_shows_itself_as_a_dataclass_does(one: object, other: object) -> None:
    pairs = [(Plain(*values), Light(*values)) for values in (one, other)]  # type: ignore[misc]
    assert (pairs[0][0] == pairs[1][0]) == (pairs[0][1] == pairs[1][1])
    for plain, made in pairs:
        assert repr(made) == repr(plain).replace("Plain(", "Light(")
        assert orjson.loads(orjson.dumps(made)) == orjson.loads(orjson.dumps(plain))
        assert plain_of(made) == plain_of(plain)
        assert made != plain


def test_defaults_are_made_for_each_value() -> None:
    one, other = Light("a"), Light("a")
    one.parts.append(1)
    assert other.parts == []
    assert Counted() == Counted(0, set())
    assert Counted().seen is not Counted().seen


def test_classes_of_one_shape_keep_their_own_names_and_defaults() -> None:
    assert Likewise(1) == Likewise(place=1, why="none", seen=set(), last=7)
    assert Likewise(1, last=2, seen={"a"}) == Likewise(1, "none", {"a"}, 2)
    assert Light("a") == Light(name="a", at=None, parts=[], hidden="")


def test_it_is_a_dataclass_with_slots() -> None:
    assert is_dataclass(Light)
    assert [spec.name for spec in fields(Light)] == ["name", "at", "parts", "hidden"]
    assert replace(Light("a", 1), at=2) == Light("a", 2)
    with pytest.raises(AttributeError):
        Light("a").other = 1  # type: ignore[attr-defined]
    match Light("a", 3):
        case Light(name, at):
            assert (name, at) == ("a", 3)


def test_what_is_wrong_at_the_call_is_refused() -> None:
    with pytest.raises(TypeError):
        Light()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Light("a", other=1)  # type: ignore[call-arg]


def test_what_it_does_not_know_is_refused() -> None:
    class Later:
        n: int = 0

        def __post_init__(self) -> None:
            self.n += 1

    class Hidden:
        n: int = plain_field(init=False)

    class Named:
        n: int = plain_field(default=0)

    class Below(Plain):
        m: int = 0

    class Shared:
        n: ClassVar[int] = 0

    class Written:
        n: "ClassVar[int]" = 0

    for cls in (Later, Hidden, Named, Below, Shared, Written):
        with pytest.raises(TypeError, match="dataclass"):
            light(cls)


def test_a_default_before_a_field_without_one_is_refused() -> None:
    class Turned:
        n: int = 0
        name: str  # type: ignore[misc]

    with pytest.raises(TypeError, match="n has a default"):
        light(Turned)


def test_a_default_that_all_values_would_share_is_refused() -> None:
    class Sharing:
        seen: list[int] = []  # noqa: RUF012 - the mistake

    with pytest.raises(TypeError, match="seen has a default that may change"):
        light(Sharing)


def test_its_fields_are_told_before_any_value_is_made_and_to_everybody_alike() -> None:
    @light
    class Fresh:
        name: str
        parts: list[int] = field(default_factory=list[int])

    told = [Running(lambda: fields(Fresh)) for _ in range(4)]
    assert [[spec.name for spec in each.result()] for each in told] == [["name", "parts"]] * 4
    assert len({id(each.result()[1]) for each in told}) == 1
    made = [Running(lambda: Fresh("a")) for _ in range(4)]
    assert [each.result() for each in made] == [Fresh("a", [])] * 4


def test_it_can_be_copied_and_stored() -> None:
    for value in (Light("a", 1, [2], "x"), Counted(3, {"b"})):
        assert copy(value) == value
        assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301 - our own


def test_only_what_nobody_assigns_to_has_a_hash() -> None:
    assert len({Empty(), Empty()}) == 1
    assert {Light("a", 1, hidden="x").name, Light("a", 1).name} == {"a"}
    with pytest.raises(TypeError):
        hash(Counted())
    counted = Counted()
    counted.n = 3
    assert counted == Counted(3)
