"""Bytes to lines: damaged ones cost themselves only, and any split reads the same."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from refloat.model.problem import Problem
from refloat.readers.contract import Line
from refloat.readers.lines import Cursor, Tail, decode, read_lines

HEADS = (b'{"parentUuid":', b'{"type":')


def read(path: Path, data: bytes, cursor: Cursor | None = None, end: int | None = None) -> list[Line | Problem | Tail]:
    path.write_bytes(data)
    return [got if isinstance(got, Tail) else got[0] for got in read_lines(str(path), cursor or Cursor(), HEADS, end)]


def values(found: list[Line | Problem | Tail]) -> list[object]:
    return [line.value for line in found if isinstance(line, Line)]


def test_only_line_feed_ends_a_line(tmp_path: Path) -> None:
    data = '{"a":"x\u2028y"}\r\n{"b":"\x85"}\n'.encode()
    assert values(read(tmp_path / "t", data)) == [{"a": "x\u2028y"}, {"b": "\x85"}]


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b'{"type":"x","n":"\x00', None),
        (b"\x00" * 512, None),
        (b'\x00\x00{"a":1}', {"a": 1}),
        (b'{"prNu{"type":"y","k":2}', {"type": "y", "k": 2}),
        (b'{"a":"\xff\xfe"}', None),
        (b"not json", None),
    ],
)
def test_a_damaged_line_is_reported_and_what_is_whole_behind_it_is_read(
    tmp_path: Path, raw: bytes, value: object
) -> None:
    found = read(tmp_path / "t", raw + b'\n{"ok":true}\n')
    assert sum(isinstance(entry, Problem) for entry in found) == 1
    assert values(found) == ([value] if value else []) + [{"ok": True}]
    problem = next(entry for entry in found if isinstance(entry, Problem))
    assert (problem.line, problem.offset) == (1, 0)


def test_bytes_behind_the_last_line_end_are_a_tail(tmp_path: Path) -> None:
    found = read(tmp_path / "t", b'{"a":1}\n{"b":"\xc3')
    assert found[-1] == Tail(Cursor(8, 1), b'{"b":"\xc3')


def test_lone_surrogates_are_replaced_and_escaped_backslashes_left_alone() -> None:
    assert decode(rb'{"a":"\ud83d x","b":"\\ud83d","c":"\ud83d\ude00"}') == {
        "a": "\ufffd x",
        "b": "\\ud83d",
        "c": "\U0001f600",
    }


def test_a_line_beyond_the_limit_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_bytes(b'{"a":"' + b"x" * 5_000_000 + b'"}\n{"ok":1}\n')
    found = [got[0] for got in read_lines(str(path), Cursor(), HEADS, longest=2_000_000) if isinstance(got, tuple)]
    assert values([*found]) == [{"ok": 1}]
    (problem,) = [entry for entry in found if isinstance(entry, Problem)]
    assert (problem.line, problem.offset) == (1, 0)
    assert "5,000,009" in problem.what


def test_reading_stops_at_the_given_end(tmp_path: Path) -> None:
    assert values(read(tmp_path / "t", b'{"a":1}\n{"b":2}\n', end=8)) == [{"a": 1}]


PIECES = st.sampled_from(
    [
        b'{"a":1}\n',
        b"\n",
        b"\x00\x00\n",
        b'{"type":"x{"type":"y"}\n',
        b'{"u":"\xc3\xa9"}\n',
        b"junk\n",
        b'{"half":',
        b" \r\n",
    ]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PIECES, max_size=12), st.integers(0, 12))
def test_reading_on_from_any_cursor_gives_what_one_reading_gives(
    tmp_path: Path, pieces: list[bytes], stop: int
) -> None:
    path = tmp_path / "t"
    path.write_bytes(b"".join(pieces))
    whole = list(read_lines(str(path), Cursor(), HEADS))
    entries = [entry for entry in whole if not isinstance(entry, Tail)]
    if not entries:
        return
    _, cursor = entries[min(stop, len(entries) - 1)]
    rest = [entry for entry in entries if entry[1].offset > cursor.offset]
    assert [entry for entry in read_lines(str(path), cursor, HEADS) if not isinstance(entry, Tail)] == rest


def test_a_line_of_fifty_megabytes_is_read_by_the_ends_of_its_texts(tmp_path: Path) -> None:
    big = json.dumps({"image": "A" * 50_000_000, "uuid": "a"}).encode()
    line, after = read(tmp_path / "t", big + b'\n{"ok":1}\n')
    assert isinstance(line, Line)
    assert (line.line, line.offset, line.size, line.whole) == (1, 0, len(big) + 1, False)
    assert isinstance(line.value, dict)
    assert line.value["uuid"] == "a"
    assert isinstance(after, Line)
    assert (after.line, after.offset, after.whole) == (2, len(big) + 1, True)


def test_a_line_of_five_megabytes_is_read_whole(tmp_path: Path) -> None:
    big = json.dumps({"text": 'a "word" \n' * 500_000}).encode()
    (line,) = read(tmp_path / "t", big + b"\n")
    assert isinstance(line, Line)
    assert (line.value, line.size, line.whole) == (json.loads(big), len(big) + 1, True)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b'{"a":"' + b"x" * 9_000_000 + b"\xff" + b"x" * 9_000_000 + b'"}', "bytes that are not UTF-8"),
        (b'{"a":"' + b"x" * 9_000_000 + b"\\q" + b"x" * 9_000_000 + b'"}', "not valid JSON"),
        (b"\x00" * 9_000_000, "9,000,000 NUL bytes and nothing else"),
        (b'{"a":"' + b"x" * 9_000_000 + b'","b":' + b"[" * 2000 + b"]" * 1999 + b"}", "not valid JSON"),
    ],
    ids=["no UTF-8", "no JSON", "NUL bytes", "nested too deep, and not closed"],
)
def test_what_is_wrong_with_a_long_line_is_told_as_of_a_short_one(tmp_path: Path, line: bytes, what: str) -> None:
    told, after = read(tmp_path / "t", line + b'\n{"ok":1}\n')
    assert isinstance(told, Problem)
    assert what in told.what
    assert values([after]) == [{"ok": 1}]


@pytest.mark.parametrize("size", [10, 5_000_000, 18_000_000])
def test_a_line_that_is_nested_too_deep_is_read_by_what_is_around_that(tmp_path: Path, size: int) -> None:
    line = b'{"id":1,"b":[' + b"[" * 2000 + b'1, "]"' + b"]" * 2000 + b'],"a":"' + b"x" * size + b'"}'
    told, record, after = read(tmp_path / "t", line + b'\n{"ok":1}\n')
    assert isinstance(told, Problem)
    assert (told.line, told.offset) == (1, 0)
    assert told.what == "3,754 bytes of a record are nested too deep to be read"
    assert isinstance(record, Line)
    assert (record.size, record.whole) == (len(line) + 1, size < 9_000_000)
    assert isinstance(record.value, dict)
    assert record.value["id"] == 1
    assert record.value["a"] == "x" * size or size > 9_000_000
    assert values([after]) == [{"ok": 1}]


def test_a_whole_record_behind_a_long_torn_one_is_read(tmp_path: Path) -> None:
    torn = b'{"type":"user","text":"' + b"x" * 20_000_000
    told, line = read(tmp_path / "t", torn + b'{"type":"y","k":2}\n')
    assert isinstance(told, Problem)
    assert f"cut after {len(torn):,} bytes" in told.what
    assert values([line]) == [{"type": "y", "k": 2}]


@pytest.mark.parametrize("ended", [True, False])
def test_bytes_behind_the_last_line_end_are_a_tail_however_many(tmp_path: Path, ended: bool) -> None:
    data = b'{"a":"' + b"x" * 20_000_000 + (b'"}' if ended else b"")
    *_, tail = read(tmp_path / "t", b'{"a":1}\n' + data)
    assert isinstance(tail, Tail)
    assert tail.cursor == Cursor(8, 1)
    assert tail.cut is not None
    assert (tail.cut.size, tail.cut.ended, tail.cut.whole) == (len(data), False, False)


def test_lines_longer_than_a_chunk_are_read_like_all_others(tmp_path: Path) -> None:
    long, damaged = b'{"n":2,"s":"' + b"z" * 3_000_000 + b'"}', b'{"s":"' + b"z" * 2_000_000
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"\n".join([b'{"n":1}', long, b'{"n":3}', damaged, long, b'{"n":4}', b""]))
    found = [part[0] for part in read_lines(str(path), Cursor(), ()) if not isinstance(part, Tail)]
    assert [(part.line, part.offset) for part in found] == [
        (1, 0),
        (2, 8),
        (3, 9 + len(long)),
        (4, 17 + len(long)),
        (5, 18 + len(long) + len(damaged)),
        (6, 19 + 2 * len(long) + len(damaged)),
    ]
    assert [part.size for part in found if isinstance(part, Line)] == [8, len(long) + 1, 8, len(long) + 1, 8]
    assert [part.line for part in found if isinstance(part, Problem)] == [4]
