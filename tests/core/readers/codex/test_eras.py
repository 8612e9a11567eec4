"""Files of the first builds, packed files, damaged files."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from refloat.model.problem import Problem
from refloat.model.story import Story
from refloat.model.transcript import Outcome
from refloat.readers.contract import Line
from refloat.readers.lines import Cursor, Tail
from refloat.readers.whole import read_any, reads_on

if TYPE_CHECKING:
    from tests.core.readers.codex.conftest import CodexHome, Told


T1 = "01a07276-0000-7000-8000-000000000001"
OLD = "7f2d0c1a-0000-4000-8000-000000000001"
CONTEXT = "<environment_context>\n  <cwd>/home/ada/old</cwd>\n</environment_context>"
BARE = [
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": CONTEXT}]},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Run the tests"}]},
    {"record_type": "state"},
    {"type": "function_call", "name": "shell", "arguments": '{"command":["bash","-lc","pytest -q"]}', "call_id": "c1"},
    {"type": "function_call_output", "call_id": "c1", "output": '{"output":"ok","metadata":{"exit_code":0}}'},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "They pass."}]},
]


def records(path: object) -> list[Line]:
    """The lines of a file, whatever its kind."""
    return [got[0] for got in read_any(str(path), Cursor(), ()) if isinstance(got, tuple) and isinstance(got[0], Line)]


def faults(path: object) -> list[str]:
    """What is wrong with it."""
    found = [got[0] for got in read_any(str(path), Cursor(), ()) if isinstance(got, tuple)]
    return [record.what for record in found if isinstance(record, Problem)]


HEAD = {
    "id": OLD,
    "timestamp": "2025-07-20T09:10:00.000Z",
    "instructions": None,
    "git": {"commit_hash": "9c" * 20, "branch": "main"},
}


def check(story: Story, texts_of: "Told"):
    assert texts_of(story, "prompt") == ["Run the tests"]
    assert texts_of(story, "reply") == ["They pass."]
    (step,) = story.steps
    assert (step.command, step.cwd, step.outcome) == ("pytest -q", "/home/ada/old", Outcome.OK)
    told = story.summary
    assert (told.workspace, told.started_at, told.ending.turn) == ("/home/ada/old", HEAD["timestamp"], "completed")


def test_bare_rows(codex: "CodexHome", texts_of: "Told"):
    file = codex.rollout(OLD).bare(HEAD)
    for row in BARE:
        file.bare(row)
    file.save()
    check(codex.story(OLD), texts_of)
    assert codex.story(OLD).summary.commit == "9c" * 20


@pytest.mark.parametrize("indent", [None, 2])
def test_the_one_document_of_the_first_builds(codex: "CodexHome", texts_of: "Told", indent: int | None):
    path = codex.root / "sessions" / f"rollout-2025-05-01-{OLD}.json"
    path.parent.mkdir(parents=True)
    items = [row for row in BARE if "type" in row]
    path.write_text(json.dumps({"session": HEAD, "items": items}, indent=indent, ensure_ascii=False))
    (found,) = codex.all()
    assert (found.session_id, found.segments[0].file.path) == (OLD, str(path))
    lines = records(path)
    assert [record.value for record in lines] == [HEAD, *items]
    text = path.read_text()
    assert [text[record.offset] for record in lines] == ["{"] * len(lines)
    assert [text[: record.offset].count("\n") + 1 for record in lines] == [record.line for record in lines]
    parser = codex.reader.parser(found)
    events = [event for record in lines for event in parser.feed(record)]
    whole = codex.reader.parser(found)
    line = Line(str(path), 1, 0, {"session": HEAD, "items": items})
    assert [type(event) for event in whole.feed(line)] == [type(event) for event in events]


def test_a_document_that_was_cut_gives_what_is_whole(codex: "CodexHome"):
    path = codex.root / "sessions" / f"rollout-2025-05-01-{OLD}.json"
    path.parent.mkdir(parents=True)
    text = json.dumps({"session": HEAD, "items": BARE[:2]}, indent=2)
    for end in range(text.rindex("]")):
        path.write_text(text[:end])
        assert faults(path) == ["the document is cut short"]
    path.write_text(text[: text.index("Run the tests")])
    assert codex.found(OLD).session_id == OLD


def test_a_packed_rollout_reads_like_a_plain_one(codex: "CodexHome", tmp_path: Path):
    zstd = pytest.importorskip("backports.zstd", reason="the standard library has it here")
    file = codex.rollout().meta().prompt("x").end().save()
    plain = records(file.path)
    packed = file.path.with_name(file.path.name + ".zst")
    packed.write_bytes(zstd.compress(file.bytes))
    file.path.unlink()
    assert (codex.found().session_id, reads_on(str(packed))) == (T1, False)
    got = records(packed)
    assert [(line.value, line.offset, line.line) for line in got] == [(x.value, x.offset, x.line) for x in plain]
    packed.write_bytes(packed.read_bytes()[:-20])
    assert not any(isinstance(row, Tail) for row in read_any(str(packed), Cursor(), ()))
    packed.write_bytes(b"\x00" * 100)
    assert codex.found().session_id == T1
    (fault,) = faults(packed)
    assert "damaged" in fault


def test_a_record_behind_a_torn_one_is_read(codex: "CodexHome", texts_of: "Told"):
    file = codex.rollout().meta().prompt("one", "a")
    torn = b'{"timestamp":"2026-09-05T16:00:09.000Z","type":"response_item","payload":{"type":"message","outp'
    file.raw(torn).said("assistant", "Still here.").end("Still here.", "a").save()
    story = codex.story()
    assert texts_of(story, "reply") == ["Still here."]
    assert len(story.summary.problems) == 1


def test_ordinals_are_no_order(codex: "CodexHome"):
    file = codex.rollout(paginated=True).meta().prompt("one", "a")
    file.rows[-1] = file.rows[-1].replace(b'"ordinal": 4', b'"ordinal": 0')
    file.paginated = False
    file.said("assistant", "ok").end("ok", "a").save()
    assert codex.story().summary.ending.turn == "completed"
