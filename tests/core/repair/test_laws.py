"""Random damage to sound transcripts: the copy is sound by the strictest check, nothing sound is lost, the original
stays byte for byte (`run` compares), and the copy needs no repair itself.
"""

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson
from hypothesis import example, given, settings
from hypothesis import strategies as st

from refloat.testing.claude_talk import ClaudeTalk

from .conftest import COPY, THREAD, THREAD_COPY, Repaired, Row, check_claude, check_codex, run
from .test_codex import Rollout

Lines = list[bytes]
STUBS = [
    b"no record",
    b"{}",
    b"[]",
    b"null",
    *(b'{"type":"%s"}' % kind for kind in (b"user", b"assistant", b"system", b"response_item", b"event_msg")),
    b'{"type":"user","message":{}}',
    b'{"type":"assistant","message":"said"}',
    b'{"type":"user","uuid":"u-stub"}',
    b'{"type":"response_item","payload":{}}',
]
"""Rows that lack what makes them one."""
Choose = Callable[[int], int]
_SECOND = {"claude-code": "5f0c1d2e-0000-4000-8000-0000000000fe", "codex": "01a0ffff-0000-7000-8000-0000000000fe"}


def claude_lines(moves: list[int]) -> Lines:
    talk = ClaudeTalk()
    talk.prompt("begin")
    ids = [str(talk.parent)]
    for count, move in enumerate(moves):
        match move:
            case 0:
                talk.prompt(f"ask {count}")
            case 1:
                talk.say(f"say {count}")
            case 2:
                talk.ran(f"run {count}", f"out {count}")
            case 3:
                first = talk.call("Bash", f"toolu_p{count}", f"msg_p{count}", command=f"a {count}")
                second = talk.call("Bash", f"toolu_q{count}", f"msg_p{count}", command=f"b {count}")
                talk.result(f"toolu_p{count}", f"a {count}", parentUuid=first)
                talk.result(f"toolu_q{count}", f"b {count}", parentUuid=second)
            case 4:
                talk.metadata("ai-title", aiTitle=f"title {count}")
            case 5:
                talk.attach("hook_success", n=count)
            case 6:
                last = talk.parent
                talk.system("compact_boundary", parentUuid=None, logicalParentUuid=last, content=f"c {count}")
                talk.user(f"This session is being continued {count}", isCompactSummary=True)
            case 7:
                talk.prompt(f"again {count}", parentUuid=ids[count % len(ids)])
            case 8:
                root = talk.parent
                talk.prompt(f"sub {count}", isSidechain=True, parentUuid=None)
                talk.say(f"sub says {count}", isSidechain=True)
                talk.parent = root
            case _:
                talk.row("progress", data={"type": "bash_progress", "n": count}, toolUseID="x")
        ids.append(str(talk.parent))
    return [orjson.dumps(row) + b"\n" for row in talk.rows]


def codex_lines(moves: list[int]) -> Lines:
    rollout = Rollout(paginated=bool(len(moves) % 2))
    rollout.meta()
    for count, move in enumerate(moves):
        match move % 5:
            case 0:
                rollout.prompt(f"ask {count}")
            case 1:
                rollout.call(f"call_{count}", f"run {count}")
                rollout.answer(f"call_{count}", f"out {count}")
            case 2:
                rollout.call(f"call_{count}", f"a {count}")
                rollout.item("custom_tool_call", call_id=f"call_{count}b", name="exec", input=f"b {count}")
                rollout.item("custom_tool_call_output", call_id=f"call_{count}b", output=f"b {count}")
                rollout.answer(f"call_{count}", f"a {count}")
            case 3:
                rollout.row("event_msg", {"type": "token_count", "info": None, "n": count})
            case _:
                rollout.row("compacted", {"message": f"summary {count}"})
    return rollout.lines


def harm(lines: Lines, kind: int, choose: Choose) -> Lines:
    """Damage some lines."""
    at = choose(len(lines))
    line = lines[at]
    match kind:
        case 0:
            return [*lines[:at], *lines[at + 1 :]]
        case 1:
            return [*lines[:at], line, *lines[at:]]
        case 2:
            return [*lines[:at], line[: 1 + choose(len(line) - 1)], *lines[at + 1 :]]  # glued to what follows, or torn
        case 3:
            return [*lines[:at], line[:-1], *lines[at + 1 :]]
        case 4:
            return [*lines[:at], b"\x00" * (1 + choose(200)) + line, *lines[at + 1 :]]
        case 5:
            return [*lines[:at], b"\x00" * len(line) + b"\n", *lines[at + 1 :]]
        case 6:
            middle = choose(len(line) - 1)
            return [*lines[:at], line[:middle] + b"\xff\xfe" + line[middle:], *lines[at + 1 :]]
        case 7:
            other = choose(len(lines))
            swapped = list(lines)
            swapped[at], swapped[other] = swapped[other], swapped[at]
            return swapped
        case 8:
            return [*lines[:at], STUBS[choose(len(STUBS))] + b"\n", *lines[at:]]
        case _:
            return [*lines[:at], *(_rewritten(line, kind, choose, lines)), *lines[at + 1 :]]


def _rewritten(line: bytes, kind: int, choose: Choose, lines: Lines) -> Lines:
    """A row whose ids lie: its parent, its own, its call's; or an ordinal."""
    around = lines[choose(len(lines))]
    if {line.removesuffix(b"\n"), around.removesuffix(b"\n")} & set(STUBS):
        return [line]
    try:
        row: Row = orjson.loads(line)
        other: Row = orjson.loads(around)
    except ValueError:
        return [line]
    if "uuid" in row:
        match kind:
            case 9:
                row["parentUuid"] = "00000000-0000-4000-8000-ffffffffffff"
            case 10:
                row["parentUuid"] = other.get("uuid", row["uuid"])
            case 11:
                row["uuid"] = other.get("uuid", row["uuid"])
            case _:
                row["parentUuid"] = row["uuid"]
    elif "ordinal" in row:
        row["ordinal"] = other.get("ordinal", 0)
    return [orjson.dumps(row) + b"\n"]


def _repaired(agent: str, data: bytes) -> tuple[Repaired, Repaired]:
    names = {"claude-code": "s.jsonl", "codex": f"rollout-2026-09-05T16-00-00-{THREAD}.jsonl"}
    copies = {"claude-code": f"{COPY}.jsonl", "codex": f"rollout-2026-09-05T16-00-00-{THREAD_COPY}.jsonl"}
    with TemporaryDirectory() as directory:
        path = Path(directory, names[agent])
        path.write_bytes(data)
        first = run(agent, path)
        copy = Path(directory, copies[agent])
        copy.write_bytes(first.data)
        return first, run(agent, copy, _SECOND[agent])


def _whole(data: bytes) -> list[Row]:
    """The rows that a damaged file still holds whole, each on a line of its own, in order."""
    found: list[Row] = []
    for line in data.split(b"\n"):
        try:
            row: Any = orjson.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict) and line not in STUBS:
            found.append(row)
    return found


moves = st.lists(st.integers(0, 9), max_size=14)
harms = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 1 << 30)), max_size=5)


def _harmed(lines: Lines, wanted: list[tuple[int, int]]) -> bytes:
    for kind, seed in wanted:
        if lines:
            state = [seed]

            def choose(below: int, state: list[int] = state) -> int:
                state[0] = (state[0] * 1103515245 + 12345) & 0x7FFFFFFF
                return (state[0] >> 8) % max(1, below)

            lines = harm(lines, kind, choose)
    return b"".join(lines)


def _texts(rows: list[Row], key: Callable[[Row], object]) -> list[str]:
    return [json.dumps(value, sort_keys=True) for row in rows if (value := key(row)) is not None]


def check_kept(data: bytes, copy: list[Row], words: Callable[[Row], object], part: Callable[[Row], object]) -> None:
    """Nothing sound is lost, and what is sound keeps its order.

    `words` of a row are those that a copy keeps; `part` of it stands in the row's line as it was written. What stands
    in a damaged line as well may be kept from there, earlier or later.
    """
    kept = _texts(copy, words)
    assert set(_texts(_whole(data), words)) <= set(kept)
    damaged = [line for line in data.split(b"\n") if _whole(line) == []]
    sure = [row for row in _whole(data) if not any(orjson.dumps(part(row)) in line for line in damaged)]
    rest = iter(kept)
    assert all(any(one == other for other in rest) for one in dict.fromkeys(_texts(sure, words)))


@settings(max_examples=250)
@example([], [(6, 716282)])  # damage in the name of a row's type: the program knows no such row
@given(moves, harms)
def test_any_damage_to_claude_code(made: list[int], wanted: list[tuple[int, int]]) -> None:
    data = _harmed(claude_lines(made), wanted)
    first, second = _repaired("claude-code", data)
    check_claude(first.all_rows)
    assert second.issues == []

    def words(row: Row) -> object:
        content = row.get("message", {}).get("content")
        is_result = isinstance(content, list) and content[0].get("type") == "tool_result"
        return None if is_result else content or row.get("data") or row.get("attachment") or row.get("aiTitle")

    check_kept(data, first.rows, words, words)
    results = {
        block["content"] for row in _whole(data) if "message" in row for block in _results(row) if block["content"]
    }
    assert all(any(out in line for line in map(json.dumps, first.rows)) for out in results)
    if not wanted:
        assert first.issues == []


def _results(row: Row) -> list[Row]:
    content = row["message"].get("content")
    return [block for block in content if block.get("type") == "tool_result"] if isinstance(content, list) else []


@settings(max_examples=250)
@example([2, 4, 3], [(1, 1), (7, 0), (6, 391)])  # paginated: the first record lost its ordinal, the head stands later
@example([0, 0], [(1, 0), (7, 0), (3, 0)])  # a row stands in a glued line, too
@given(moves, harms)
def test_any_damage_to_codex(made: list[int], wanted: list[tuple[int, int]]) -> None:
    data = _harmed(codex_lines(made), wanted)
    first, second = _repaired("codex", data)
    if not first.data:
        return
    check_codex(first.rows)
    assert second.issues == []

    def words(row: Row) -> object:
        payload = row.get("payload", {})
        if row["type"] == "session_meta" or str(payload.get("type")).endswith("_output"):
            return None
        return {key: value for key, value in payload.items() if key != "call_id"}  # twins get another id

    check_kept(data, first.rows, words, lambda row: row.get("payload"))
    outputs = {row["payload"]["output"] for row in _whole(data) if "output" in row.get("payload", {})}
    assert all(any(out in line for line in map(json.dumps, first.rows)) for out in outputs)
    if not wanted:
        assert first.issues == []
