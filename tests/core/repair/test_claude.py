"""Each kind of damage to a transcript of Claude Code, alone: what is found, what the copy holds, and nothing more."""

from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from refloat.model.left_out import whole_size
from refloat.model.repaired import CLAUDE_FIELD, NOTE, UNKNOWN_OUTCOME
from refloat.model.stamp import Stamp, later
from refloat.testing.claude_talk import SESSION, ClaudeTalk

from .conftest import COPY, Repair, Row, blocks, check_claude, run


def data_of(talk: ClaudeTalk) -> bytes:
    return b"".join(orjson.dumps(row) + b"\n" for row in talk.rows)


def lines_of(talk: ClaudeTalk) -> list[bytes]:
    return data_of(talk).splitlines(keepends=True)


@pytest.fixture
def talk() -> ClaudeTalk:
    made = ClaudeTalk()
    made.metadata("ai-title", aiTitle="Retry")
    made.prompt("make the importer retry")
    made.say("Running the tests.", stop=None)
    made.ran("pytest -q", "3 passed")
    made.say("Done.")
    return made


def test_a_sound_transcript_needs_nothing(repair: Repair, talk: ClaudeTalk) -> None:
    done = repair("claude-code", data_of(talk))
    assert done.issues == []
    assert done.actions == []
    check_claude(done.rows)


def test_a_copy_has_a_new_id_in_every_row_and_says_where_it_comes_from(repair: Repair, talk: ClaudeTalk) -> None:
    done = repair("claude-code", data_of(talk))
    assert {row["sessionId"] for row in done.rows} == {COPY}
    copied = [row for row in done.rows if "uuid" in row]
    assert all(row["forkedFrom"] == {"sessionId": "s", "messageUuid": row["uuid"]} for row in copied)
    kept = [{k: v for k, v in row.items() if k not in {"forkedFrom", "sessionId"}} for row in done.rows]
    was = [{k: v for k, v in row.items() if k != "sessionId"} for row in map(orjson.loads, lines_of(talk))]
    assert kept == was


def test_a_notice_at_the_end_says_whose_copy_it_is(repair: Repair, talk: ClaudeTalk) -> None:
    talk.call("Bash", "toolu_push", command="git push")
    done = repair("claude-code", data_of(talk))
    check_claude(done.all_rows)
    made, note = done.all_rows[-2:]
    assert (note["type"], note["subtype"], note["parentUuid"]) == ("system", "informational", made["uuid"])
    assert note["content"] == "Repaired copy of session s; 1 closed as interrupted, outcome unknown"
    assert note["timestamp"] == later(Stamp(made["timestamp"]), 0.001)


def test_a_dangling_call_is_closed_as_unknown_and_the_talk_goes_through_it(repair: Repair, talk: ClaudeTalk) -> None:
    call = talk.call("Bash", "toolu_push", command="git push")
    after = talk.prompt("go on")
    talk.say("ok")
    done = repair("claude-code", data_of(talk))
    assert done.codes == ["dangling_call"]
    assert done.issues[0].severity == "blocks"
    assert done.actions[0].id == "toolu_push"
    check_claude(done.rows)
    made = next(row for row in done.rows if row.get(CLAUDE_FIELD, {}).get("made") == "result")
    assert made["parentUuid"] == call == made["sourceToolAssistantUUID"]
    result = blocks(made, "tool_result")[0]
    assert result["is_error"] is True
    assert result["content"].startswith(
        "[Tool call interrupted: the session ended before this call's result was recorded"
    )
    assert UNKNOWN_OUTCOME in result["content"]
    assert next(row for row in done.rows if row.get("uuid") == after)["parentUuid"] == made["uuid"]


def test_parallel_calls_keep_their_shape(repair: Repair, talk: ClaudeTalk) -> None:
    first = talk.call("Bash", "toolu_a", "msg_par", command="a")
    second = talk.call("Bash", "toolu_b", "msg_par", command="b")
    talk.result("toolu_a", "ok", parentUuid=first)
    done = repair("claude-code", data_of(talk))
    assert done.codes == ["dangling_call"]
    check_claude(done.rows)
    by_id = {row.get("uuid"): row for row in done.rows}
    assert by_id[second]["parentUuid"] == first


def test_an_orphan_result_becomes_a_note_that_is_no_persons(repair: Repair, talk: ClaudeTalk) -> None:
    orphan = talk.result("toolu_gone", "pushed", {"stdout": "pushed"})
    done = repair("claude-code", data_of(talk))
    assert done.codes == ["orphan_result"]
    check_claude(done.rows)
    row = next(row for row in done.rows if row.get("uuid") == orphan)
    assert row["isMeta"] is True
    assert "toolUseResult" not in row
    assert row["message"]["content"][0]["text"].startswith(NOTE)
    assert "pushed" in row["message"]["content"][0]["text"]


def test_of_two_results_the_later_real_one_counts(repair: Repair, talk: ClaudeTalk) -> None:
    talk.call("Bash", "toolu_a", command="a")
    talk.result("toolu_a", "The user doesn't want to proceed", interruptedByShutdown=True)
    talk.result("toolu_a", "real")
    talk.result("toolu_a", "[Tool call interrupted: the session ended before this call's result was recorded]")
    done = repair("claude-code", data_of(talk))
    assert done.codes == ["duplicate_result"] * 2
    check_claude(done.rows)
    told = [result["content"] for row in done.rows for result in blocks(row, "tool_result")]
    assert told == ["3 passed", "real"]


def test_a_result_before_its_call_is_moved_behind_it(repair: Repair, talk: ClaudeTalk) -> None:
    talk.ran("git status", "clean")
    lines = lines_of(talk)
    lines[-1], lines[-2] = lines[-2], lines[-1]
    done = repair("claude-code", b"".join(lines))
    assert done.codes == ["result_before_call"]
    check_claude(done.rows)
    assert [row.get("uuid") for row in done.rows] == [row.get("uuid") for row in map(orjson.loads, lines_of(talk))]


def test_one_of_several_early_results_of_a_row_moves_alone(repair: Repair, talk: ClaudeTalk) -> None:
    first = talk.call("Bash", "toolu_a", command="a")
    talk.user(
        [
            {"type": "tool_result", "tool_use_id": "toolu_a", "content": "one"},
            {"type": "tool_result", "tool_use_id": "toolu_b", "content": "two"},
        ],
        parentUuid=first,
    )
    talk.call("Bash", "toolu_b", command="b")
    done = repair("claude-code", data_of(talk))
    assert done.codes == ["result_before_call"]
    check_claude(done.rows)
    told = [result["content"] for row in done.rows for result in blocks(row, "tool_result")]
    assert told == ["3 passed", "one", "two"]


def test_a_row_written_twice_is_left_out_once(repair: Repair, talk: ClaudeTalk) -> None:
    lines = lines_of(talk)
    done = repair("claude-code", b"".join([*lines, lines[3]]))
    assert done.codes == ["duplicate_row"]
    assert done.rows == repair("claude-code", data_of(talk)).rows


def test_another_row_under_the_same_id_gets_its_own_and_keeps_its_children(repair: Repair, talk: ClaudeTalk) -> None:
    twin = talk.prompt("another", uuid="00000000-0000-4000-8000-000000000001")
    child = talk.say("answer")
    done = repair("claude-code", data_of(talk))
    assert done.codes == ["duplicate_uuid"]
    check_claude(done.rows)
    row = next(row for row in done.rows if row.get("message", {}).get("content") == "another")
    assert row["uuid"] != twin
    assert next(one for one in done.rows if one.get("uuid") == child)["parentUuid"] == row["uuid"]


def test_another_call_under_the_same_id_is_renamed_with_its_result(repair: Repair, talk: ClaudeTalk) -> None:
    for command, out in (("a", "one"), ("b", "two")):
        talk.call("Bash", "toolu_same", command=command)
        talk.result("toolu_same", out)
    done = repair("claude-code", data_of(talk))
    assert done.codes == ["duplicate_call_id"]
    check_claude(done.rows)
    told = {result["tool_use_id"]: result["content"] for row in done.rows for result in blocks(row, "tool_result")}
    assert told["toolu_same"] == "one"
    assert told["toolu_same_2"] == "two"


def test_the_same_call_once_more_is_left_out(repair: Repair, talk: ClaudeTalk) -> None:
    first = talk.call("Bash", "toolu_same", command="a")
    talk.call("Bash", "toolu_same", command="a")
    talk.result("toolu_same", "one")
    done = repair("claude-code", data_of(talk))
    assert done.codes == ["duplicate_call"]
    check_claude(done.rows)
    assert done.rows[-1]["parentUuid"] == first


@pytest.mark.parametrize("parent", ["00000000-0000-4000-8000-ffffffffffff", None])
def test_a_row_without_its_parent_hangs_on_the_row_before(repair: Repair, talk: ClaudeTalk, parent: str | None) -> None:
    before = talk.prompt("more")
    talk.say("more", parentUuid=parent)
    done = repair("claude-code", data_of(talk))
    assert done.codes == ["broken_chain"]
    assert done.rows[-1]["parentUuid"] == before


def test_a_circle_is_cut_at_its_first_row(repair: Repair, talk: ClaudeTalk) -> None:
    before = talk.parent
    a, b = "00000000-0000-4000-8000-0000000000aa", "00000000-0000-4000-8000-0000000000bb"
    talk.prompt("a", uuid=a, parentUuid=b)
    talk.say("b", uuid=b, parentUuid=a)
    talk.prompt("self", uuid="00000000-0000-4000-8000-0000000000cc", parentUuid="00000000-0000-4000-8000-0000000000cc")
    done = repair("claude-code", data_of(talk))
    assert done.codes == ["chain_cycle", "chain_cycle"]
    check_claude(done.rows)
    assert [row["parentUuid"] for row in done.rows[-3:]] == [before, a, b]


def test_rewinds_sidechains_and_compactions_are_no_damage(repair: Repair, talk: ClaudeTalk) -> None:
    root = talk.prompt("first try")
    talk.say("tried")
    talk.prompt("second try", parentUuid=root)
    last = talk.say("tried again")
    talk.prompt("sub", isSidechain=True, parentUuid=None)
    talk.say("sub", isSidechain=True)
    talk.system("compact_boundary", parentUuid=None, logicalParentUuid=last)
    talk.user("This session is being continued", isCompactSummary=True)
    done = repair("claude-code", data_of(talk))
    assert done.codes == []
    check_claude(done.rows)


def test_a_compaction_that_points_nowhere_is_tied_to_the_row_before(repair: Repair, talk: ClaudeTalk) -> None:
    before = talk.parent
    talk.system("compact_boundary", parentUuid=None, logicalParentUuid="00000000-0000-4000-8000-ffffffffffff")
    done = repair("claude-code", data_of(talk))
    assert done.codes == ["broken_chain"]
    assert done.rows[-1]["logicalParentUuid"] == before
    assert done.rows[-1]["parentUuid"] is None


def test_a_sidechain_row_without_its_parent_stays_in_its_sidechain(repair: Repair, talk: ClaudeTalk) -> None:
    root = talk.prompt("sub", isSidechain=True, parentUuid=None)
    talk.prompt("main", parentUuid=None)
    talk.say("sub", isSidechain=True, parentUuid="00000000-0000-4000-8000-ffffffffffff")
    done = repair("claude-code", data_of(talk))
    assert done.codes == ["broken_chain"]
    assert done.rows[-1]["parentUuid"] == root


HARMS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "NUL bytes before": ("nul_bytes", lambda line: b"\x00" * 40 + line),
    "a line of NUL bytes": ("nul_bytes", lambda line: b"\x00" * 40 + b"\n" + line),
    "garbage": ("broken_line", lambda line: b"garbage\n" + line),
    "a torn record before": ("glued_lines", lambda line: line[:60] + line),
    "a whole record before": ("glued_lines", lambda line: b'{"type":"mode","mode":"normal"}' + line),
    "an empty line": ("blank_line", lambda line: b"\n" + line),
    "no UTF-8": ("invalid_utf8", lambda line: line.replace(b"Running", b"Run\xffning")),
    "half a character": ("lone_surrogate", lambda line: line.replace(b"Running", b"Run\\ud83dning")),
    "another value": ("broken_line", lambda line: b"[1]\n" + line),
    "a record nested too deep": (
        "broken_line",
        lambda line: b'{"type":"mode","x":' + b"[" * 900 + b"]" * 900 + b"}\n" + line,
    ),
    "a record without a type": ("broken_line", lambda line: b'{"uuid":"x"}\n' + line),
    "a row without a message": ("broken_line", lambda line: b'{"type":"user","uuid":"x"}\n' + line),
}


@pytest.mark.parametrize(("code", "harm"), HARMS.values(), ids=HARMS)
def test_damaged_bytes_cost_themselves_only(
    repair: Repair, talk: ClaudeTalk, code: str, harm: Callable[[bytes], bytes]
) -> None:
    lines = lines_of(talk)
    lines[2] = harm(lines[2])
    done = repair("claude-code", b"".join(lines))
    assert done.codes == [code]
    check_claude(done.rows)
    kept = [row.get("uuid") for row in done.rows if row["type"] != "mode"]
    assert kept == [row.get("uuid") for row in map(orjson.loads, lines_of(talk))]


def test_what_is_left_of_a_cut_record_is_no_record(repair: Repair, talk: ClaudeTalk) -> None:
    before = talk.parent
    talk.user([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}])
    after = talk.say("ok")
    lines = lines_of(talk)
    cut = lines[-2].index(b',{"type":"text","text":"two"')
    done = repair("claude-code", b"".join([*lines[:-2], lines[-2][:cut], lines[-1]]))
    assert done.codes == ["glued_lines", "broken_chain"]
    check_claude(done.rows)
    assert (done.rows[-1]["uuid"], done.rows[-1]["parentUuid"]) == (after, before)


def test_whole_records_with_many_blocks_are_parted_where_they_end(repair: Repair, talk: ClaudeTalk) -> None:
    for _ in range(3):
        talk.user([{"type": "text", "text": str(at)} for at in range(30)])
    lines = lines_of(talk)
    done = repair("claude-code", b"".join([*lines[:-3], lines[-3][:-1], b"  ", lines[-2][:-1], lines[-1]]))
    assert done.codes == ["glued_lines", "glued_lines"]
    check_claude(done.rows)
    assert len(done.rows) == len(lines)


def test_a_torn_last_line_is_left_out_and_a_whole_one_without_its_end_kept(repair: Repair, talk: ClaudeTalk) -> None:
    data = data_of(talk)
    assert repair("claude-code", data[:-1]).codes == []
    assert repair("claude-code", data[:-1]).data.endswith(b"\n")
    torn = repair("claude-code", data[:-30])
    assert torn.codes == ["torn_last_line"]
    check_claude(torn.rows)


def test_whole_numbers_beyond_64_bits_stay_exact(repair: Repair, talk: ClaudeTalk) -> None:
    talk.ran("count", "12")
    data = data_of(talk).replace(b'"command":"count"', b'"command":1234567890123456789012345')
    done = repair("claude-code", data)
    assert done.codes == []
    assert b'"command":1234567890123456789012345' in done.data


def _image(data: str) -> Row:
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}


@pytest.mark.parametrize(
    ("block", "code"),
    [
        (_image("A" * (5 * 1024 * 1024 + 1)), "image_too_large"),
        (_image("iVBORw0KGgoAAAANSUhEUgAAIAAAAAABCAYAAAA="), "image_too_large"),
        (_image(""), "empty_image"),
        ({"type": "text", "text": ""}, "empty_message"),
        ({"type": "tool_use", "name": "Bash", "input": {}}, "broken_block"),
    ],
)
def test_what_the_service_refuses_gives_way_to_a_note(repair: Repair, talk: ClaudeTalk, block: Row, code: str) -> None:
    talk.prompt("look")
    talk.call("Read", "toolu_r", file_path="/x.png")
    talk.result("toolu_r", [block])
    talk.user([block])
    done = repair("claude-code", data_of(talk))
    assert done.codes == [code, code]
    assert {issue.severity for issue in done.issues} == {"blocks"}
    check_claude(done.rows)
    assert NOTE in orjson.dumps(done.rows[-1]).decode()
    assert NOTE in orjson.dumps(done.rows[-2]).decode()
    assert "line 9 of " in orjson.dumps(done.rows[-2]).decode() or code.startswith("empty")


def test_an_image_within_the_limits_stays(repair: Repair, talk: ClaudeTalk) -> None:
    talk.user([{"type": "text", "text": "look"}, _image("iVBORw0KGgoAAAANSUhEUgAAAgAAAAABCAYAAAA=")])
    assert repair("claude-code", data_of(talk)).codes == []


def test_a_record_too_long_to_hold_keeps_the_ends_of_its_long_texts(repair: Repair, talk: ClaudeTalk) -> None:
    said = "first words\n" + "more of them\n" * 1_500_000 + "last words"
    before = talk.prompt("read it")
    long = talk.user([{"type": "text", "text": said}, _image("A" * 600_000)])
    done = repair("claude-code", data_of(talk))
    assert done.codes == ["texts_too_long"]
    check_claude(done.rows)
    row = next(row for row in done.rows if row.get("uuid") == long)
    text, image = row["message"]["content"]
    assert row["parentUuid"] == before
    assert text["text"].startswith("first words\nmore")
    assert text["text"].endswith("of them\nlast words")
    assert whole_size(text["text"]) == len(said)
    assert image["source"]["data"] == "A" * 600_000


def test_a_record_of_some_megabytes_is_copied_as_it_is(repair: Repair, talk: ClaudeTalk) -> None:
    said = 'some "words"\n' * 800_000
    long = talk.prompt(said)
    done = repair("claude-code", data_of(talk))
    assert done.codes == []
    assert next(row for row in done.rows if row.get("uuid") == long)["message"]["content"] == said


def test_a_record_too_large_to_hold_gives_way_to_a_note(
    repair: Repair, talk: ClaudeTalk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("refloat.repair.pieces.LONG", 4096)
    monkeypatch.setattr("refloat.readers.cutting._HEAVIEST", -1)
    before = talk.prompt("read it")
    talk.prompt("x" * 5000)
    after = talk.say("ok")
    done = repair("claude-code", data_of(talk))
    assert done.codes == ["line_too_large", "broken_chain"]
    check_claude(done.rows)
    note = done.rows[-2]
    assert note["isMeta"] is True
    assert note["parentUuid"] == before
    assert next(row for row in done.rows if row.get("uuid") == after)["parentUuid"] == note["uuid"]


@pytest.mark.parametrize("kind", ["user", "assistant"])
def test_a_row_that_is_told_to_be_left_out_is(repair: Repair, talk: ClaudeTalk, kind: str) -> None:
    first, *rest = lines_of(talk)
    done = repair("claude-code", b"".join([first, b'{"type":"%s"}\n' % kind.encode(), *rest]))
    assert done.codes == ["broken_line"]
    assert [row["type"] for row in done.rows] == [orjson.loads(line)["type"] for line in (first, *rest)]
    assert all("message" in row for row in done.rows if row["type"] == kind)


def test_a_row_without_an_id_gets_the_one_that_it_is_told_to_get(repair: Repair, talk: ClaudeTalk) -> None:
    row = {"type": "user", "message": {"role": "user", "content": "more"}, "timestamp": "2026-09-14T09:40:00.000Z"}
    done = repair("claude-code", data_of(talk) + orjson.dumps(row) + b"\n")
    assert "missing_uuid" in done.codes
    check_claude(done.rows)
    assert done.rows[-1]["uuid"]


@pytest.mark.parametrize(
    ("tail", "code"), [(b"[]", "broken_line"), (b"7", "broken_line"), (b'{"a":', "torn_last_line")]
)
def test_a_whole_value_that_is_no_record_is_not_called_cut(
    repair: Repair, talk: ClaudeTalk, tail: bytes, code: str
) -> None:
    assert repair("claude-code", data_of(talk) + tail).codes == [code]


def test_repairing_a_repaired_copy_finds_nothing(tmp_path: Path, talk: ClaudeTalk) -> None:
    talk.call("Bash", "toolu_push", command="git push")
    talk.result("toolu_gone", "x")
    lines = lines_of(talk)
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_bytes(b"".join([*lines[:3], b"\x00\x00", *lines[3:], lines[4][:50]]))
    first = run("claude-code", path)
    assert len(first.codes) == 4
    copy = tmp_path / f"{COPY}.jsonl"
    copy.write_bytes(first.data)
    assert run("claude-code", copy, "5f0c1d2e-0000-4000-8000-0000000000fe").codes == []
