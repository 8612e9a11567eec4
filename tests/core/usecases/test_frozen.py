"""What is frozen of a session goes to disk only when all of it was looked through."""

import os
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refloat.brief.masks import strings_of
from refloat.readers.contract import Found, Segment, SourceFile
from refloat.readers.lines import Cursor
from refloat.usecases.frozen import (
    _news,  # pyright: ignore[reportPrivateUsage] - the law of what is left out
    find_starts,
    freeze,
)
from refloat.usecases.masking import hold_secret, mask
from refloat.usecases.reading import Resumable
from refloat.usecases.recall import files_text

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
TEXT = st.sampled_from(
    ("", "Make it retry", f"push with {TOKEN}", TOKEN, TOKEN[4:], f"\x1b[1m{TOKEN[:9]}\x1b[0m{TOKEN[9:]}")
)

LEAF = st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(("a", "b", "c", "d"))
JSON = st.recursive(
    LEAF, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3)
)


@given(JSON, JSON)
def test_no_text_is_passed_over_that_was_not_there(value: object, known: object) -> None:
    every, was = set(strings_of([value])), set(strings_of([known]))
    joined = "\n".join(strings_of([_news(value, known)]))
    assert all(text in was or text in joined for text in every)


def test_of_a_state_that_grew_little_is_left() -> None:
    before = {"open": {"one": ["a", "b"]}, "rows": [["r", 1], ["s", 2]], "seen": [1, 5]}
    after = {"open": {"one": ["a", "b"], "two": ["c"]}, "rows": [["r", 1], ["s", 2], ["t", 3]], "seen": [1, 4, 5]}
    assert {*strings_of(_news(after, before))} - {""} == {"c", "open", "rows", "seen", "t", "two"}
    assert _news(before, before) == []


def test_lines_are_looked_through_together() -> None:
    assert strings_of(_news({"said": ["a", "b", "c"]}, {"said": ["a", "b"]})) == ["said", "a\nb\nc"]


def found(path: Path) -> Found:
    path.write_bytes(b"row\n" * 100)
    stat = path.stat()
    file = SourceFile(str(path), stat.st_size, stat.st_mtime_ns, stat.st_ino, stat.st_dev)
    return Found("claude-code", "one", (Segment(file),))


def end(title: str, prompt: str, failure: str, command: str) -> Resumable:
    counters = {
        "facts": {"title_set": title, "cwd": "/w"},
        "first_prompt": prompt,
        "failure": ["unknown", failure, None],
    }
    assembler = {"counters": counters, "#seen": TOKEN}
    parser = {"state": {"open": {"#t1": [command]}}, "#rows": [TOKEN]}
    return Resumable(0, Cursor(400, 100), orjson.dumps(parser), orjson.dumps(assembler))


@given(TEXT, TEXT, TEXT, TEXT, TEXT)
def test_one_look_tells_what_a_look_at_each_tells(
    tmp_path_factory: pytest.TempPathFactory, title: str, prompt: str, failure: str, command: str, beside: str
) -> None:
    at = end(title, prompt, failure, command)
    one = found(tmp_path_factory.mktemp("frozen") / "one.jsonl")
    frozen = freeze({"": at}, one, {}, [(beside, None)])
    titles = ({"title_set": title}, prompt, ["unknown", failure, None])
    kept = mask(titles)
    assert frozen.secret == hold_secret([command])
    assert frozen.clean == (not frozen.secret and kept == titles and not hold_secret([beside]))
    held = orjson.loads(frozen.data)[""]
    counters = held["assembler"]["counters"]
    assert (counters["facts"] | {"cwd": "/w"}, counters["first_prompt"], counters["failure"]) == (
        {**kept[0], "cwd": "/w"},
        *kept[1:],
    )
    assert held["parser"] == orjson.loads(at.parser), "what is gone on from must be exact"
    assert held["assembler"]["#seen"] == TOKEN, "packed numbers look like tokens"


def test_what_is_clean_is_not_looked_through_again(tmp_path: Path) -> None:
    one = found(tmp_path / "one.jsonl")
    known, grown = end("One", "two", "", TOKEN), end("One", "two", "", TOKEN)
    assert freeze({"": grown}, one, {"": known}, []).clean
    assert freeze({"": end("One", "two", "", f"{TOKEN} again")}, one, {"": known}, []).secret


@pytest.mark.parametrize(("change", "goes_on"), [(b"", True), (b"more\n", True), (None, False)])
def test_reading_goes_on_where_it_stopped_if_the_file_only_grew(
    tmp_path: Path, change: bytes | None, goes_on: bool
) -> None:
    path = tmp_path / "one.jsonl"
    one = found(path)
    at = end("One", "two", "", "make check")
    frozen, before = freeze({"": at}, one, {}, []), files_text(one) or ""
    if change is None:
        path.write_bytes(b"other\n" * 100)
    else:
        with path.open("ab") as file:
            file.write(change)
    stat = path.stat()
    file = SourceFile(str(path), stat.st_size, stat.st_mtime_ns, stat.st_ino, stat.st_dev)
    starts: Any = find_starts(before, frozen.data, files_text(Found("claude-code", "one", (Segment(file),))) or "")
    assert starts == ({"": at} if goes_on else {})


def test_a_file_that_was_written_over_behind_its_head_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    rows = b"row\n" * 4000
    path.write_bytes(rows)

    def told(time: int) -> Found:
        os.utime(path, ns=(time, time))
        stat = path.stat()
        file = SourceFile(str(path), stat.st_size, stat.st_mtime_ns, stat.st_ino, stat.st_dev)
        return Found("claude-code", "one", (Segment(file),))

    one = told(1_000)
    frozen, before = freeze({"": end("One", "two", "", "make")}, one, {}, []), files_text(one) or ""
    assert find_starts(before, frozen.data, before)
    path.write_bytes(rows[:8000] + b"ROW\n" + rows[8004:])
    assert find_starts(before, frozen.data, files_text(told(2_000)) or "") == {}
