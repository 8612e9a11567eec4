"""What the ends of a file tell of a session: the state that the whole comes to, and nothing that was not seen."""

import gc
import json
from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refloat import wire
from refloat.model.problem import Problem
from refloat.model.session import State
from refloat.readers import lines
from refloat.readers.contract import Found, ReadByEnds, Segment, SourceFile
from refloat.readers.registry import load
from refloat.usecases import finder, glimpse
from refloat.usecases.find_sessions import Finder, Scope, list_sessions
from refloat.usecases.reading import read_summary

Row = dict[str, object]
SESSION = "01a07276-0000-7000-8000-000000000001"
LONG = "x" * 3000


def stamp(at: int) -> str:
    return f"2026-06-01T{8 + at // 3600:02d}:{at // 60 % 60:02d}:{at % 60:02d}.000Z"


def claude(at: int, kind: str, **more: object) -> Row:
    tail = {"cwd": "/w", "sessionId": SESSION, "version": "2.1.270", "gitBranch": "main"}
    ids = {"parentUuid": f"u{at - 1}" if at else None, "isSidechain": False, "type": kind, "uuid": f"u{at}"}
    return ids | more | {"timestamp": stamp(at)} | tail


def asked(at: int, words: str = "Go on") -> Row:
    return claude(at, "user", message={"role": "user", "content": words}, promptSource="typed")


def called(at: int) -> Row:
    use = {"type": "tool_use", "id": f"t{at}", "name": "Bash", "input": {"command": "ls"}}
    return claude(at, "assistant", message={"model": "one", "content": [use], "stop_reason": "tool_use"})


def answered(at: int, text: str = LONG) -> Row:
    block = {"tool_use_id": f"t{at - 1}", "type": "tool_result", "content": text}
    told = {"stdout": text, "stderr": "", "interrupted": False}
    return claude(at, "user", message={"role": "user", "content": [block]}, toolUseResult=told)


def said(at: int) -> Row:
    message = {"model": "one", "content": [{"type": "text", "text": "Done."}], "stop_reason": "end_turn"}
    return claude(at, "assistant", message=message)


def turn(at: int, steps: int, end: Callable[[int], Row] | None = said) -> list[Row]:
    rows = [asked(at, f"Ask {at}")]
    for _ in range(steps):
        rows += [called(at + len(rows)), answered(at + len(rows) + 1)]
    return rows if end is None else [*rows, end(at + len(rows))]


def broken(at: int) -> Row:
    message = {"model": "<synthetic>", "content": [{"type": "text", "text": "You've hit your limit"}]}
    return claude(at, "assistant", message=message, error="rate_limit", isApiErrorMessage=True)


def stopped(at: int) -> Row:
    return claude(
        at, "user", message={"role": "user", "content": [{"type": "text", "text": "[Request interrupted by user]"}]}
    )


def talk(*last: Row) -> list[Row]:
    first = turn(0, 40)
    return [*first, *last]


BEGIN = len(turn(0, 40))
CLAUDE: dict[str, list[Row]] = {
    "ended": talk(*turn(BEGIN, 3)),
    "dangling": talk(*turn(BEGIN, 3, called)),
    "open": talk(*turn(BEGIN, 3, None)),
    "failed": talk(*turn(BEGIN, 3, broken)),
    "interrupted": talk(*turn(BEGIN, 3, stopped)),
    "a call without an answer in the middle": talk(*turn(BEGIN, 3)[:3], *turn(BEGIN, 3)[4:]),
    "long": talk(*turn(BEGIN, 60)),
    "long, dangling": talk(*turn(BEGIN, 60, called)),
    "asked": talk(asked(BEGIN)),
    "a huge last line": talk(*turn(BEGIN, 2), called(BEGIN + 9), answered(BEGIN + 10, "y" * 400_000)),
    "metadata behind it": [
        *talk(*turn(BEGIN, 3)),
        *({"type": "file-history-snapshot", "messageId": f"{n}", "snapshot": {"x": LONG}} for n in range(40)),
    ],
}


def codex(at: int, kind: str, **payload: object) -> Row:
    return {"timestamp": stamp(at), "type": kind, "payload": payload}


def codex_turn(at: int, steps: int, end: str = "task_complete") -> list[Row]:
    rows = [
        codex(at, "event_msg", type="task_started", turn_id=f"turn{at}"),
        codex(at, "event_msg", type="user_message", message=f"Ask {at}"),
    ]
    for n in range(steps):
        words = json.dumps({"cmd": "ls"})
        rows.append(
            codex(
                at + n,
                "response_item",
                type="function_call",
                name="exec_command",
                arguments=words,
                call_id=f"c{at}.{n}",
            )
        )
        rows.append(codex(at + n, "response_item", type="function_call_output", call_id=f"c{at}.{n}", output=LONG))
    if end == "dangling":
        return rows[:-1]
    if end == "task_complete":
        rows.append(codex(at + steps, "event_msg", type=end, turn_id=f"turn{at}", last_agent_message="Done."))
    if end == "silent":
        rows.append(codex(at + steps, "event_msg", type="task_complete", turn_id=f"turn{at}", last_agent_message=None))
    if end == "turn_aborted":
        rows.append(codex(at + steps, "event_msg", type=end, turn_id=f"turn{at}", reason="interrupted"))
    return rows


META = codex(0, "session_meta", id=SESSION, timestamp=stamp(0), cwd="/w", cli_version="0.145.0")
CODEX = {
    f"{end}, {steps} steps": [META, *codex_turn(1, 40), *codex_turn(100, steps, end)]
    for end in ("task_complete", "dangling", "silent", "turn_aborted", "open")
    for steps in (3, 60)
}
CASES = [*(("claude-code", name) for name in CLAUDE), *(("codex", name) for name in CODEX)]


def write(path: Path, rows: Sequence[Row], *, cut: bool = False) -> Found:
    data = b"".join(json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in rows)
    path.write_bytes(data[:-40] if cut else data)
    return Found("", SESSION, (Segment(SourceFile(str(path), path.stat().st_size, 0, 1, 1)),))


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize(("agent", "name"), CASES)
def test_the_ends_tell_how_the_whole_ends(agent: str, name: str, cut: bool, tmp_path: Path):
    rows = (CLAUDE if agent == "claude-code" else CODEX)[name]
    found = write(tmp_path / "one.jsonl", rows, cut=cut)
    found = Found(agent, SESSION, found.segments)
    seen = glimpse.glimpse(load(agent), found)
    whole, _ = read_summary(load(agent), found)
    assert seen.provisional
    one, other = seen.summary, whole
    ending = ("turn", "dangling", "failure", "cut", "pending", "user_interrupted", "shutdown")
    assert [getattr(one.ending, key) for key in ending] == [getattr(other.ending, key) for key in ending]
    facts = ("title", "workspace", "branch", "version", "started_at", "last_activity_at", "lineage")
    assert [getattr(one, key) for key in facts] == [getattr(other, key) for key in facts]
    assert {problem.line for problem in one.problems} == ({None} if cut else set())


@pytest.mark.parametrize("small", [100, 1_000_000])
@pytest.mark.parametrize(("agent", "name"), CASES)
def test_nothing_that_reads_a_session_holds_itself(
    agent: str, name: str, small: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Thousands are read without a look for cycles; rows of all their files would stay."""
    monkeypatch.setattr(glimpse, "SMALL", small)
    found = write(tmp_path / "one.jsonl", (CLAUDE if agent == "claude-code" else CODEX)[name])
    found = Found(agent, SESSION, found.segments)
    reader = load(agent)
    glimpse.glimpse(reader, found)  # loads what it needs
    gc.collect()
    gc.disable()
    try:
        glimpse.glimpse(reader, found)
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_a_small_session_is_read_whole(tmp_path: Path):
    found = write(tmp_path / "one.jsonl", turn(0, 2))
    seen = glimpse.glimpse(load("claude-code"), Found("claude-code", SESSION, found.segments))
    assert (seen.provisional, seen.summary.steps) == (False, 2)


def test_a_title_that_was_given_late_is_told(tmp_path: Path):
    rows: list[Row] = [*talk(), {"type": "custom-title", "customTitle": "Retry", "sessionId": SESSION}, *turn(BEGIN, 2)]
    found = write(tmp_path / "one.jsonl", rows)
    assert glimpse.glimpse(load("claude-code"), Found("claude-code", SESSION, found.segments)).summary.title == "Retry"


def test_damage_in_the_tail_is_told_without_a_line_number(tmp_path: Path):
    rows = talk(*turn(BEGIN, 3))
    path = tmp_path / "one.jsonl"
    write(path, rows)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:-2], b'{"torn": \n', *lines[-2:]]))
    found = Found("claude-code", SESSION, (Segment(SourceFile(str(path), path.stat().st_size, 0, 1, 1)),))
    (problem,) = glimpse.glimpse(load("claude-code"), found).summary.problems
    assert isinstance(problem, Problem)
    assert (problem.line, problem.offset) == (None, len(b"".join(lines[:-2])))


@pytest.fixture
def large(home: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A home whose sessions are too many to be read at once: told by their ends."""
    monkeypatch.setattr(finder, "BY_ENDS", 1)
    monkeypatch.setattr(glimpse, "SMALL", 100)
    return home


IDS = [f"{n}1111111-0000-4000-8000-00000000000{n}" for n in range(1, 4)]


def test_a_large_home_is_listed_at_once_and_marked(large: Any):
    large.write(IDS[0], *large.talk(IDS[0]))
    (session,) = list_sessions(large.bench, Scope()).sessions
    assert (session.provisional, session.title, session.state) == (True, "Make it retry", State.STOPPED)
    document = wire.session(session)
    assert document["provisional"] is True
    assert [document[key] for key in ("turns", "prompts", "steps", "dangling", "edits")] == [None] * 5


def test_the_app_reads_on_behind_it(large: Any):
    large.write(IDS[0], *large.talk(IDS[0]))
    batches = list(Finder(large.bench).watch())
    told = [(batch.by_ends, batch.complete, batch.sessions[0].provisional) for batch in batches if batch.sessions]
    assert (told[0], told[-1]) == ((True, False, True), (False, True, False))


def test_what_was_told_by_its_ends_is_not_kept(large: Any, monkeypatch: pytest.MonkeyPatch):
    large.write(IDS[0], *large.talk(IDS[0]))
    list_sessions(large.bench, Scope())
    monkeypatch.setattr(finder, "BY_ENDS", 1 << 40)
    (session,) = list_sessions(large.bench, Scope()).sessions
    assert (session.provisional, session.prompts) == (False, 1)


def test_of_a_long_turn_that_ended_little_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Its beginning lies far before the end."""
    looked: list[int] = []
    take = lines.read_stretch

    def noted(path: str, start: int, many: int) -> bytes:
        data = take(path, start, many)
        looked.append(len(data))
        return data

    monkeypatch.setattr(glimpse, "read_stretch", noted)
    reader, rows = load("claude-code"), talk(*turn(BEGIN, 60))
    found = Found("claude-code", SESSION, write(tmp_path / "one.jsonl", rows).segments)
    told = glimpse.glimpse(reader, found).summary
    assert (told.ending.turn, told.last_activity_at) == ("completed", rows[-1]["timestamp"])
    assert sum(looked) <= 48 * 1024
    looked.clear()
    found = Found("claude-code", SESSION, write(tmp_path / "two.jsonl", rows[:-2]).segments)
    told = glimpse.glimpse(reader, found).summary
    assert (told.ending.turn, told.ending.dangling) == ("open", 1)
    assert sum(looked) > 64 * 1024, "a turn that did not end is looked at from further back"


# ── the same as row by row ───────────────────────────────────────────────────────────────────────────────────────────


def rows_that_hold(rows: Sequence[bytes], marks: Sequence[bytes], most: int) -> list[int]:
    near = [at for at, row in enumerate(rows) if any(row.find(mark, 0, 512) >= 0 for mark in marks)]
    return near[::-1][:most]


def end_among(rows: Sequence[bytes], ends: ReadByEnds) -> int | None:
    """Index of the row with which the end of a turn begins that ended by itself."""
    if rows[-1]:
        return None
    talk = [at for at, raw in enumerate(rows) if raw and not raw.startswith(ends.aside)]
    last = talk[max(0, len(talk) - 4)] if talk else 0
    if not any(ends.ended in raw for raw in rows[last:]):
        return None
    calls, answers = ends.pairs
    first = next((at for at, raw in enumerate(rows) if calls in raw), len(rows))
    waits = sum(raw.count(calls) - raw.count(answers) for raw in rows[first:])
    return None if waits else last


READERS = [cast("ReadByEnds", load(name)) for name in ("claude-code", "codex")]
PIECES = [
    piece for reader in READERS for piece in (*reader.turn_marks, *reader.late_marks, *reader.pairs, reader.ended)
]
TEXTS = st.lists(
    st.one_of(
        st.sampled_from([*PIECES, *[b"\n"] * 3, b'{"type":"', b"x", b"y" * 495, b"z" * 505]),
        st.binary(max_size=3),
    )
)


@given(parts=TEXTS, skipped=st.integers(0, 40), number=st.integers(0, 1))
def test_marks_are_met_as_row_by_row(parts: list[bytes], skipped: int, number: int):
    data, reader = b"".join(parts), READERS[number]
    first = 0 if skipped == 0 else data.find(b"\n", skipped) + 1 or len(data)
    rows = data[first:].split(b"\n")
    starts = list(accumulate((len(row) + 1 for row in rows), initial=first))
    for marks in (reader.turn_marks, reader.late_marks):
        met = list(glimpse._rows_with(data, first, len(data), marks, 4))
        assert met == [starts[at] for at in rows_that_hold(rows, marks, 4)]
    end = end_among(rows, reader)
    assert glimpse._end_of(data[first:], reader) == (None if end is None else starts[end] - first)
    (begin, head), *others = glimpse._turn(data[first:], first, reader)
    assert begin == first
    if end is None:
        assert (head, others) == (data[first:], [])
    else:
        before = next((at for at in range(end) if reader.pairs[0] in rows[at]), end)
        assert (head, others) == (data[first : starts[before]], [(starts[end], data[starts[end] :])])
