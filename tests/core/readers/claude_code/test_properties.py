"""Laws: nothing raises, and it does not matter where reading stops and goes on."""

import json

import orjson
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from refloat.model.transcript import Event
from refloat.readers.claude_code.rows import Rows
from refloat.readers.contract import Line
from refloat.testing.claude_talk import REFUSED, ClaudeTalk

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=9,
)


def long_talk() -> ClaudeTalk:
    """A bit of everything."""
    talk = ClaudeTalk()
    backup = {"backupFileName": "aa@v1", "backupTime": "2026-08-20T09:10:00.000Z"}
    talk.metadata("file-history-snapshot", snapshot={"trackedFileBackups": {"a.py": backup}})
    talk.metadata("summary", summary="x", leafUuid="00000000-0000-4000-8000-000000000009")
    first = talk.prompt("go")
    talk.assistant([{"type": "thinking", "thinking": "hm"}], None, "m")
    talk.say("Running", None, "m")
    talk.call("Bash", "t1", "m", command="cat > a.py <<'EOF'\nx\nEOF", run_in_background=True)
    talk.metadata("queue-operation", operation="enqueue", content="also", timestamp="2026-08-20T09:10:03.000Z")
    talk.row("progress", data={"type": "bash_progress"}, toolUseID="t1")
    talk.result("t1", "ok", {"stdout": "", "stderr": "", "interrupted": False, "backgroundTaskId": "b1"})
    talk.attach("queued_command", prompt="also", commandMode="prompt")
    talk.call("TaskCreate", "t2", subject="one")
    talk.result("t2", "Task #1 created", {"task": {"id": "1", "subject": "one"}})
    talk.system("api_error", error={"message": "Overloaded"})
    talk.call("Edit", "t3", file_path="/a", old_string="x", new_string="y")
    told = {"filePath": "/a", "oldString": "x", "newString": "y", "originalFile": "x\n", "structuredPatch": []}
    talk.result("t3", "ok", told)
    talk.user("<command-name>/review</command-name>")
    talk.call("Bash", "t4", command="make")
    talk.result("t4", REFUSED, "User rejected tool use", failed=True, interruptedByShutdown=True)
    talk.user([{"type": "text", "text": "[Request interrupted by user for tool use]"}])
    talk.prompt("again", parentUuid=first)
    talk.say("Done.")
    talk.system("turn_duration", durationMs=1)
    talk.system("compact_boundary", parentUuid=None)
    talk.user("summary", isCompactSummary=True)
    talk.metadata("continued-in", continuedInSessionId="x")
    talk.prompt("more", forkedFrom={"sessionId": "s"})
    talk.prompt("own")
    talk.metadata("last-prompt", rewound=True, leafUuid=first, cutUuid=first)
    talk.rows.append(talk.rows[5])
    return talk


def feed(rows: Rows, lines: list[Line]) -> list[Event]:
    return [event for line in lines for event in rows.feed(line)]


@given(st.lists(st.integers(0, 40), max_size=4))
def test_it_does_not_matter_where_reading_stops(stops: list[int]):
    talk = long_talk()
    lines = list(talk.lines())
    whole = Rows(talk.session)
    expected = feed(whole, lines)
    rows, found, before = Rows(talk.session), [], 0
    for stop in [*sorted(stops), len(lines)]:
        found += feed(rows, lines[before:stop])
        before = max(before, stop)
        list(rows.finish())
        rows = Rows(talk.session, frozen=json.loads(json.dumps(rows.freeze())))
    assert found == expected
    assert list(rows.finish()) == list(whole.finish())
    assert rows.freeze() == whole.freeze()


@given(st.lists(JSON, max_size=5))
def test_any_json_is_read(values: list[object]):
    rows = Rows("s")
    for number, value in enumerate(values, start=1):
        list(rows.feed(Line("/x", number, 0, orjson.loads(orjson.dumps(value)))))
    json.dumps(rows.freeze())


PLACES = [
    (number, path)
    for number, row in enumerate(long_talk().rows)
    for path in ([], *([key] for key in dict(row)))  # pyright: ignore[reportCallIssue, reportArgumentType] - rows of the talk are objects
]


def spoil(value: object, path: list[str], wrong: object, data: st.DataObject) -> object:
    """`value` with something wrong at a random place below `path`."""
    if path and isinstance(value, dict):
        return {**value, path[0]: spoil(value.get(path[0]), path[1:], wrong, data)}  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    if isinstance(value, dict) and value and data.draw(st.booleans()):
        key = data.draw(st.sampled_from(sorted(value)))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        return {**value, key: spoil(value[key], [], wrong, data)}
    if isinstance(value, list) and value and data.draw(st.booleans()):
        at = data.draw(st.integers(0, len(value) - 1))  # pyright: ignore[reportUnknownArgumentType]
        return [*value[:at], spoil(value[at], [], wrong, data), *value[at + 1 :]]
    return wrong


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.data(), st.lists(st.tuples(st.sampled_from(PLACES), JSON), min_size=1, max_size=4))
def test_spoilt_rows_are_read(data: st.DataObject, faults: list[tuple[tuple[int, list[str]], object]]):
    talk = long_talk()
    for (number, path), wrong in faults:
        talk.rows[number] = spoil(talk.rows[number], path, wrong, data)
    for subagent in (False, True):
        rows = Rows(talk.session, subagent=subagent)
        feed(rows, list(talk.lines()))
        list(rows.finish())
        Rows(talk.session, frozen=json.loads(json.dumps(rows.freeze())))
