"""Files of the first builds, packed files, damaged files."""

import json

import pytest

from refloat.model.transcript import Outcome
from refloat.readers.lines import Cursor, Tail
from refloat.readers.whole import read_any, reads_on

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
HEAD = {
    "id": OLD,
    "timestamp": "2025-07-20T09:10:00.000Z",
    "instructions": None,
    "git": {"commit_hash": "9c" * 20, "branch": "main"},
}


def check(story, texts_of):
    assert texts_of(story, "prompt") == ["Run the tests"]
    assert texts_of(story, "reply") == ["They pass."]
    (step,) = story.steps
    assert (step.command, step.cwd, step.outcome) == ("pytest -q", "/home/ada/old", Outcome.OK)
    told = story.summary
    assert (told.workspace, told.started_at, told.ending.turn) == ("/home/ada/old", HEAD["timestamp"], "completed")


def test_bare_rows(codex, texts_of):
    file = codex.rollout(OLD).bare(HEAD)
    for row in BARE:
        file.bare(row)
    file.save()
    check(codex.story(OLD), texts_of)
    assert codex.story(OLD).summary.commit == "9c" * 20


@pytest.mark.parametrize("indent", [None, 2])
def test_the_one_document_of_the_first_builds(codex, texts_of, indent):
    path = codex.root / "sessions" / f"rollout-2025-05-01-{OLD}.json"
    path.parent.mkdir(parents=True)
    items = [row for row in BARE if "type" in row]
    path.write_text(json.dumps({"session": HEAD, "items": items}, indent=indent, ensure_ascii=False))
    (found,) = codex.all()
    assert (found.session_id, found.segments[0].file.path) == (OLD, str(path))
    records = [got[0] for got in read_any(str(path), Cursor(), ()) if isinstance(got, tuple)]
    assert [record.value for record in records] == [HEAD, *items]
    text = path.read_text()
    assert [text[record.offset] for record in records] == ["{"] * len(records)
    assert [text[: record.offset].count("\n") + 1 for record in records] == [record.line for record in records]
    parser = codex.reader.parser(found)
    events = [event for record in records for event in parser.feed(record)]
    whole = codex.reader.parser(found)
    line = type(records[0])(str(path), 1, 0, {"session": HEAD, "items": items})
    assert [type(event) for event in whole.feed(line)] == [type(event) for event in events]


def test_a_document_that_was_cut_gives_what_is_whole(codex):
    path = codex.root / "sessions" / f"rollout-2025-05-01-{OLD}.json"
    path.parent.mkdir(parents=True)
    text = json.dumps({"session": HEAD, "items": BARE[:2]}, indent=2)
    for end in range(text.rindex("]")):
        path.write_text(text[:end])
        got = [record[0] for record in read_any(str(path), Cursor(), ()) if isinstance(record, tuple)]
        assert "cut short" in got[-1].what
    path.write_text(text[: text.index("Run the tests")])
    assert codex.found(OLD).session_id == OLD


def test_a_packed_rollout_reads_like_a_plain_one(codex, tmp_path):
    zstd = pytest.importorskip("backports.zstd")
    file = codex.rollout().meta().prompt("x").end().save()
    plain = list(read_any(str(file.path), Cursor(), ()))
    packed = file.path.with_name(file.path.name + ".zst")
    packed.write_bytes(zstd.compress(file.bytes))
    file.path.unlink()
    assert (codex.found().session_id, reads_on(str(packed))) == (T1, False)
    got = list(read_any(str(packed), Cursor(), ()))
    assert [(line.value, line.offset, line.line) for line, _ in got] == [(l.value, l.offset, l.line) for l, _ in plain]
    packed.write_bytes(packed.read_bytes()[:-20])
    assert not any(isinstance(row, Tail) for row in read_any(str(packed), Cursor(), ()))
    packed.write_bytes(b"\x00" * 100)
    assert codex.found().session_id == T1
    ((problem, _),) = read_any(str(packed), Cursor(), ())
    assert "damaged" in problem.what


def test_a_record_behind_a_torn_one_is_read(codex, texts_of):
    file = codex.rollout().meta().prompt("one", "a")
    torn = b'{"timestamp":"2026-09-05T16:00:09.000Z","type":"response_item","payload":{"type":"message","outp'
    file.raw(torn).said("assistant", "Still here.").end("Still here.", "a").save()
    story = codex.story()
    assert texts_of(story, "reply") == ["Still here."]
    assert len(story.summary.problems) == 1


def test_ordinals_are_no_order(codex):
    file = codex.rollout(paginated=True).meta().prompt("one", "a")
    file.rows[-1] = file.rows[-1].replace(b'"ordinal": 4', b'"ordinal": 0')
    file.paginated = False
    file.said("assistant", "ok").end("ok", "a").save()
    assert codex.story().summary.ending.turn == "completed"
