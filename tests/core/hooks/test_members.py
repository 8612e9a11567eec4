"""An event is read member by member, whatever its size, its pieces and its damage."""

import io
import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refloat.hooks.members import MOST, Member, read_members

_TEXTS = st.text(st.characters(codec="utf-8"), max_size=12) | st.sampled_from(
    ['"', "\\", ":", ",", "{", "}", '\\"', "[", "]"]
)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXTS, inner, max_size=4),
    max_leaves=12,
)
_NAMES = st.text("abcdefgh_", min_size=1, max_size=8)


def pieces(data: bytes, size: int) -> Callable[[int], bytes]:
    stream = io.BytesIO(data)
    return lambda most: stream.read(min(size, most))


def read(data: bytes, size: int = 1 << 16) -> dict[str, Member]:
    return read_members(pieces(data, size))


@given(
    st.dictionaries(_NAMES, _VALUES, max_size=6),
    st.integers(1, 40),
    st.booleans(),
    st.sampled_from([None, 1]),
)
def test_any_object_in_any_pieces_is_read_as_it_is(
    value: dict[str, object], size: int, plain: bool, indent: int | None
) -> None:
    found = read(json.dumps(value, ensure_ascii=plain, indent=indent).encode(), size)
    assert {name: json.loads(member.raw) for name, member in found.items()} == value
    assert not any(member.is_cut for member in found.values())


@given(st.dictionaries(_NAMES, _VALUES, min_size=1, max_size=4), st.data())
def test_what_ends_early_gives_the_members_before(value: dict[str, object], data: st.DataObject) -> None:
    text = json.dumps(value).encode()
    found = read(text[: data.draw(st.integers(0, len(text)))])
    assert all(json.loads(member.raw) == value[name] for name, member in found.items())


@given(st.binary(max_size=200))
def test_anything_else_is_no_fault(data: bytes) -> None:
    read(data, 7)


@pytest.mark.parametrize(
    "big",
    [
        json.dumps('a\n"b"\\' * 400_000),
        json.dumps({"stdout": "line\n" * 400_000, "rest": [1, {"a": "}"}]}),
        json.dumps([["x", {"y": 1}]] * 100_000),
    ],
    ids=["text", "object", "list"],
)
def test_a_big_member_is_cut_and_the_rest_is_whole(big: str) -> None:
    found = read(f'{{"a": "first", "tool_response": {big}, "tool_use_id": "call-1"}}'.encode())
    assert json.loads(found["a"].raw) == "first"
    assert json.loads(found["tool_use_id"].raw) == "call-1"
    kept = found["tool_response"]
    assert kept.is_cut
    assert (kept.size, kept.raw) == (len(big), big.encode()[:MOST])


def test_no_more_is_held_than_may_be() -> None:
    left = 60

    def endless(most: int) -> bytes:
        nonlocal left
        left -= 1
        return b"" if left < 0 else (b'{"a":"' if left == 59 else b"x" * 500_000)

    import tracemalloc

    tracemalloc.start()
    read_members(endless)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * MOST


def test_of_a_name_that_comes_twice_the_last_counts() -> None:
    assert read(b'{"a": 1, "b": 2, "a": [3]}')["a"].raw == b"[3]"
