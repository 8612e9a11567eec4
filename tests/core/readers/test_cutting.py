"""Long lines to shorter ones: what stays is what the decoder reads of the whole line, with the middle of texts gone."""

import io
import json
from typing import cast

import orjson
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from refloat.readers import cutting
from refloat.readers.cutting import MARK, flatten, part_at, shorten
from refloat.readers.lines import decode

PIECES = ["a", '"', "\\", "\n", "é", "漢", "😀", "\x00", "\\u00e9", " ", "{", "[1,2]", "plain words ", '{"k":"v"}']
TEXTS = st.lists(st.sampled_from(PIECES), max_size=120).map("".join)
ROWS = st.dictionaries(st.sampled_from("abcd"), TEXTS | st.lists(TEXTS, max_size=3) | st.integers(), max_size=4)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything a ten thousandth of what it is."""
    for name, value in (("_CHUNK", 50), ("ROOM", 400), ("LAST", (40, 15, 13)), ("_BONES", 8)):
        monkeypatch.setattr(cutting, name, value)
    monkeypatch.setattr(cutting, "LEVELS", ((400, 60, 30), (100, 60, 30), (50, 20, 14)))


def check(whole: object, left: object) -> None:
    """What is left of a value is the value, but for the middle of texts, whose bytes are counted."""
    if isinstance(whole, dict):
        rows, kept = cast("dict[str, object]", whole), cast("dict[str, object]", left)
        assert list(rows) == list(kept)
        for key, value in rows.items():
            check(value, kept[key])
    elif isinstance(whole, list):
        for value, kept in zip(cast("list[object]", whole), cast("list[object]", left), strict=True):
            check(value, kept)
    elif isinstance(whole, str) and isinstance(left, str) and MARK in left:
        head, size, tail = left.split(MARK)
        assert whole.startswith(head)
        assert whole.endswith(tail)
        assert len(head.encode()) + int(size) + len(tail.encode()) == len(whole.encode())
    else:
        assert whole == left


@pytest.mark.usefixtures("small")
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ROWS, st.booleans(), st.booleans())
def test_what_is_left_decodes_to_the_value_without_the_middle_of_its_texts(
    row: dict[str, object], ascii_only: bool, ended: bool
) -> None:
    raw = json.dumps(row, ensure_ascii=ascii_only).encode()
    cut = shorten(io.BytesIO(b"xx\n" + raw + (b'\n{"next":1}' if ended else b"")), 3)
    assert (cut.size, cut.ended) == (len(raw), ended)
    assume(cut.data is not None)  # many short texts have no room in so small a one
    assert cut.data is not None
    assert not cut.whole or cut.data == raw
    check(decode(raw), decode(cut.data))


@pytest.mark.usefixtures("small")
@given(TEXTS, st.integers(0, 400), st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_text_is_parted_between_characters(text: str, at: int, ascii_only: bool) -> None:
    raw = json.dumps(text, ensure_ascii=ascii_only).encode()[1:-1]
    place = part_at(raw, min(at, len(raw)))
    assert 0 <= min(at, len(raw)) - place < 12
    assert json.loads(b'"' + raw[:place] + b'"') + json.loads(b'"' + raw[place:] + b'"') == text


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("bad", [b"\xff", b"\x01", b"\\q", b"\xed\xa0\x80"])
@pytest.mark.parametrize("at", [0, 70, 300, 900])
def test_what_is_wrong_with_a_text_is_seen_wherever_it_stands(bad: bytes, at: int) -> None:
    text = b"x" * at + bad + b"x" * (1000 - at)
    cut = shorten(io.BytesIO(b'{"a":"' + text + b'"}\n'), 0)
    assert cut.data is not None
    with pytest.raises(orjson.JSONDecodeError):
        decode(cut.data)


@pytest.mark.usefixtures("small")
def test_half_a_character_that_was_left_out_is_no_fault() -> None:
    text = "x" * 300 + "\\ud83d" + "x" * 700
    cut = shorten(io.BytesIO(b'{"a":"' + text.encode() + b'"}\n'), 0)
    assert cut.data is not None
    left = cast("dict[str, str]", decode(cut.data))["a"]
    assert int(left.split(MARK)[1]) == 1003 - len(left) + len(MARK) * 2 + len(left.split(MARK)[1])


NAMES = ["a", "[", '"}', "\\"]
VALUES = st.recursive(
    st.sampled_from([1, None, -1.5, "a", "x\\", '"]}', "[{", "é"]),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.sampled_from(NAMES), inner),
    max_leaves=40,
)


def early(whole: object, left: object) -> int:
    """How many lists and objects of a value end early; all else is as it was."""
    if isinstance(whole, dict):
        rows, kept = cast("dict[str, object]", whole), cast("dict[str, object]", left)
        names = [name for name in kept if MARK not in name]
        assert names == list(rows)[: len(names)]
        ends = len(kept) > len(names)
        assert ends or len(names) == len(rows)
        return ends + sum(early(rows[name], kept[name]) for name in names)
    if isinstance(whole, list):
        values, some = cast("list[object]", whole), cast("list[object]", left)
        ends = some != [] and isinstance(some[-1], str) and MARK in some[-1]
        assert ends or len(some) == len(values)
        return ends + sum(map(early, values, some[: len(some) - ends]))
    assert whole == left
    return 0


@pytest.mark.usefixtures("small")
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(VALUES, st.integers(1, 20), st.booleans())
def test_of_a_line_of_too_many_values_the_heaviest_end_early(inner: object, times: int, plain: bool) -> None:
    row = {"message": {"id": "t", "content": [inner] * times}, "told": [inner] * times, "end": 1}
    raw = json.dumps(row, ensure_ascii=plain).encode()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("_HEAVIEST", 16_000), ("_CHUNK", 500), ("_BONES", 100)):
            patch.setattr(cutting, name, value)
        patch.setattr(cutting, "ROOM", 60_000)
        patch.setattr(cutting, "LEVELS", ((60_000, 200, 100),) * 3)
        cut = shorten(io.BytesIO(b"xx\n" + raw + b"\n"), 3)
    assert (cut.size, cut.ended) == (len(raw), True)
    assert cut.data is not None
    left = cast("dict[str, object]", decode(cut.data))
    assert list(left) == list(row)
    assert cast("dict[str, object]", left["message"])["id"] == "t"
    assert cut.whole == (early(row, left) == 0)


def test_a_line_of_many_values_is_held_by_a_part_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "_HEAVIEST", 100_000)
    light, heavy = json.dumps([[1]] * 100).encode(), json.dumps([[[1]] * 1000, "end"]).encode()
    assert shorten(io.BytesIO(light), 0).data == light
    cut = shorten(io.BytesIO(heavy + b"\n"), 0)
    assert (cut.size, cut.ended, cut.whole) == (len(heavy), True, False)
    assert cut.data is not None
    values, end = cast("tuple[list[object], str]", decode(cut.data))
    assert end == "end"
    assert 100 < len(values) < 1000
    left_out = int(cast("str", values[-1]).strip(MARK))
    assert len(cut.data) + left_out == len(heavy) + len(json.dumps(values[-1], ensure_ascii=True)) + 1
    assert shorten(io.BytesIO(heavy), 0, thin=False).data is None


def shallow(value: object, levels: int) -> object:
    """The same value with nothing in the lists and objects that lie so deep."""
    if isinstance(value, dict):
        rows = cast("dict[str, object]", value)
        return {name: shallow(each, levels - 1) for name, each in rows.items()} if levels > 1 else {}
    if isinstance(value, list):
        return [shallow(each, levels - 1) for each in cast("list[object]", value)] if levels > 1 else []
    return value


@pytest.mark.usefixtures("small")
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(VALUES, st.integers(0, 90), st.integers(2, 5), st.booleans())
def test_what_lies_too_deep_is_left_out_and_nothing_else(inner: object, more: int, levels: int, plain: bool) -> None:
    made = inner
    for at in range(more):  # more than are looked for at once
        made = [made] if at % 3 else {"a": made, "b": at}
    row = {"content": [inner, made, "x" * 500], "told": {"a": [made, inner]}, "end": [1, "]"]}
    raw = json.dumps(row, ensure_ascii=plain).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cutting, "_DEEPEST", levels)
        flat, left_out = flatten(raw)
    assert decode(flat) == shallow(row, levels)
    assert len(flat) + left_out == len(raw)


@pytest.mark.parametrize("times", [1200, 300_000, 3_000_000])
def test_a_line_whose_values_lie_too_deep_is_read_by_what_is_around_them(times: int) -> None:
    deep = b'{"a":[' + b'[{"b":' * times + b"[]" + b"}]" * times + b'],"c":"d"}'
    flat, left_out = flatten(deep)
    assert len(flat) + left_out == len(deep)
    assert cast("dict[str, str]", decode(flat))["c"] == "d"
    if times > 1_000_000:  # too heavy as it is
        cut = shorten(io.BytesIO(deep + b"\n"), 0)
        assert (cut.size, cut.whole, cut.ended) == (len(deep), False, True)
        assert cut.data is not None
        assert cast("dict[str, str]", decode(cut.data))["c"] == "d"


def test_many_texts_that_are_not_long_are_cut_once_half_of_the_room_is_taken() -> None:
    texts = ["words " * 1500] * 3000
    cut = shorten(io.BytesIO(json.dumps(texts).encode()), 0)
    assert cut.data is not None
    assert len(cut.data) < cutting.ROOM
    left = cast("list[str]", decode(cut.data))
    check(texts, left)
    assert left[:400] == texts[:400]


def test_no_more_than_the_given_bytes_count() -> None:
    cut = shorten(io.BytesIO(b'{"a":1}\n{"b":2}\n'), 0, 5)
    assert (cut.data, cut.size, cut.ended) == (b'{"a":', 5, False)


def test_many_places_that_are_too_deep_are_looked_through_about_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    passed = cutting._Thin._passed

    def note(self: cutting._Thin, block: bytes) -> tuple[int, int, bool]:
        looked.append(len(block))
        return passed(self, block)

    monkeypatch.setattr(cutting._Thin, "_passed", note)
    deep = "[" * 140 + "]" * 140
    raw = f'{{"a":[{"[" * 1100 + "]" * 1100},{",".join([deep] * 500)}],"b":1}}'.encode()
    flat, left_out = flatten(raw)
    assert cast("dict[str, object]", decode(flat))["b"] == 1
    assert left_out > 500
    assert sum(looked) < 30 * len(raw)
