"""Reading on from any point gives what reading at once gives; the end of a file is told as what it is."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from refloat.model.story import Summary
from refloat.model.transcript import Event
from refloat.readers.claude_code.rows import Rows
from refloat.readers.contract import Found, Line, Segment, SourceFile
from refloat.readers.registry import load
from refloat.usecases.read_session import read_story
from refloat.usecases.reading import Resumable, read_summary
from refloat.usecases.recall import make, make_whole

READER = load("claude-code")


def found(path: Path) -> Found:
    stat = path.stat()
    file = SourceFile(str(path), stat.st_size, stat.st_mtime_ns, stat.st_ino, stat.st_dev)
    return Found("claude-code", path.stem, (Segment(file, identity=READER.identify(file)),))


def read(path: Path, start: Resumable | None = None) -> tuple[Summary, Resumable | None]:
    return read_summary(READER, found(path), start=start)


def test_a_whole_last_record_without_line_end_counts_and_is_read_again_later(home: Any):
    one, two = home.talk("s")
    path = home.write("s", one, two, end=b"")
    summary, at = read(path)
    assert (summary.ending.turn, summary.ending.cut, summary.problems) == ("completed", False, ())
    assert at is not None
    assert at.cursor.line == 1
    home.append("s", b"")
    again, end = read(path, at)
    assert again == summary
    assert end is not None
    assert end.cursor.line == 2


def test_a_cut_last_record_is_told_and_healed_when_the_rest_comes(home: Any):
    one, two = home.talk("s")
    whole = json.dumps(two).encode()
    path = home.write("s", one, whole[:60], end=b"")
    summary, at = read(path)
    assert summary.ending.cut
    assert [(problem.line, problem.what) for problem in summary.problems] == [
        (2, "the last record is incomplete: 60 bytes")
    ]
    with path.open("ab") as file:
        file.write(whole[60:] + b"\n")
    healed, _ = read(path, at)
    assert (healed.ending.cut, healed.problems, healed.ending.turn) == (False, (), "completed")


def test_nul_bytes_behind_the_last_line_are_told_as_such(home: Any):
    path = home.write("s", *home.talk("s"), end=b"\n" + b"\0" * 300)
    summary, _ = read(path)
    assert [problem.what for problem in summary.problems] == ["300 NUL bytes and nothing else"]
    assert summary.ending.cut


def test_a_file_that_vanished_is_a_problem(home: Any):
    path = home.write("s", *home.talk("s"))
    seen = found(path)
    path.unlink()
    summary, _ = read_summary(READER, seen)
    assert [problem.what for problem in summary.problems] == ["cannot be read: No such file or directory"]


def test_lines_of_a_later_stretch_are_counted_from_the_file_start(home: Any):
    one, two = home.talk("s")
    path = home.write("s", one, two, b'{"broken', end=b"\n")
    first = len(json.dumps(one)) + 1
    seen = found(path)
    file = seen.segments[0].file
    later = Found("claude-code", "s", (Segment(file, start=first, identity=seen.segments[0].identity),))
    summary, _ = read_summary(READER, later)
    assert [problem.line for problem in summary.problems] == [3]


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.integers(0, 4000), max_size=5), bad=st.integers(0, 3))
def test_any_split_of_a_transcript_reads_the_same(home: Any, cuts: list[int], bad: int):
    call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "pytest -q"}}
    answer = [{"tool_use_id": "toolu_1", "type": "tool_result", "content": "3 passed", "is_error": False}]
    rows = [
        *home.talk("s"),
        home.row("s", 3, "user", "Run the tests", promptSource="typed"),
        home.row("s", 4, "assistant", [call]),
        home.row("s", 5, "user", answer, toolUseResult={"stdout": "3 passed", "stderr": "", "interrupted": False}),
        home.row("s", 6, "user", "And push", promptSource="typed"),
    ]
    lines = [json.dumps(row).encode() for row in rows]
    lines[bad:bad] = [b"\0" * 20, b'{"torn": ', b"\xff\xfe"][:bad]
    whole = b"\n".join(lines) + b"\n"
    path = home.write("s", whole.rstrip(b"\n"))
    at_once, _ = read(path)
    at: Resumable | None = None
    summary = at_once
    for cut in [*sorted(min(cut, len(whole)) for cut in cuts), len(whole)]:
        path.write_bytes(whole[:cut])
        summary, at = read(path, at)
    assert summary == at_once


def test_a_record_that_its_reader_cannot_take_apart_costs_itself_only(home: Any, monkeypatch: pytest.MonkeyPatch):
    whole = Rows.feed

    def feed(self: Rows, line: Line) -> Iterable[Event]:
        if line.line == 2:
            raise TypeError("unhashable type: 'list'")
        return whole(self, line)

    monkeypatch.setattr(Rows, "feed", feed)
    one, two = home.talk("s")
    path = home.write("s", one, {"type": "system"}, two)
    summary, _ = read(path)
    assert summary.ending.turn == "completed"
    assert [(problem.line, problem.what) for problem in summary.problems] == [
        (2, "a record that could not be understood (TypeError)")
    ]


def test_reading_whole_keeps_what_reading_for_a_list_keeps(home: Any):
    seen = found(home.write("s", *home.talk("s")))
    places: list[str] = []
    made, story = make_whole(READER, seen, places.append)
    assert made == make(READER, seen, {})
    assert made.reading is not None
    assert story == read_story(READER, seen)
    assert places == [story.summary.workspace]


def test_where_the_session_works_is_told_before_the_rest_is_read(home: Any):
    path = home.write("s", *home.talk("s"), b"no json")
    told: list[str] = []

    def placed(place: str) -> None:
        told.append(place)
        path.write_bytes(b"")  # read already, and in one piece

    story = read_story(READER, found(path), placed=placed)
    assert told == [story.summary.workspace]
    assert len(story.summary.problems) == 1
