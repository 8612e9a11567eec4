"""Each kind of damage to a rollout of Codex, alone: what is found, what the copy holds, and nothing more."""

import json
from pathlib import Path

import pytest

from refloat.errors import NotDone
from refloat.model.repaired import CODEX_FIELD, NOTE, UNKNOWN_OUTCOME

from .conftest import THREAD, THREAD_COPY, Repair, Repaired, Row, check_codex, found_of, run


class Rollout:
    """A rollout under construction."""

    def __init__(self, *, paginated: bool = True) -> None:
        self.paginated = paginated
        self.rows: list[Row] = []

    def row(self, kind: str, payload: Row) -> None:
        second = len(self.rows)
        numbered = {"ordinal": second} if self.paginated else {}
        at = f"2026-09-05T16:{second // 60:02d}:{second % 60:02d}.000Z"
        self.rows.append({"timestamp": at, **numbered, "type": kind, "payload": payload})

    def meta(self, thread: str = THREAD, **more: object) -> None:
        mode = {"history_mode": "paginated"} if self.paginated else {}
        base = {"id": thread, "session_id": thread, "timestamp": "2026-09-05T16:00:00.000Z", "cwd": "/w"}
        self.row("session_meta", {**base, "originator": "codex-tui", "cli_version": "0.153.4", **mode, **more})

    def prompt(self, said: str) -> None:
        turn = f"t{len(self.rows)}"
        self.row("event_msg", {"type": "task_started", "turn_id": turn})
        self.row("turn_context", {"turn_id": turn, "cwd": "/w", "approval_policy": "never", "model": "gpt-5.6"})
        self.item("message", role="user", content=[{"type": "input_text", "text": said}])

    def item(self, kind: str, **fields: object) -> None:
        self.row("response_item", {"type": kind, **fields})

    def call(self, name: str, command: str = "ls") -> None:
        self.item("function_call", name="exec_command", arguments=json.dumps({"cmd": command}), call_id=name)

    def answer(self, name: str, output: object = "Process exited with code 0\nOutput:\n") -> None:
        self.item("function_call_output", call_id=name, output=output)

    @property
    def lines(self) -> list[bytes]:
        return [json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in self.rows]

    @property
    def data(self) -> bytes:
        return b"".join(self.lines)


@pytest.fixture(params=[True, False], ids=["paginated", "legacy"])
def rollout(request: pytest.FixtureRequest) -> Rollout:
    made = Rollout(paginated=request.param)
    made.meta()
    made.prompt("make the importer retry")
    made.call("call_1", "pytest -q")
    made.answer("call_1")
    return made


def outputs(done: Repaired) -> dict[str, object]:
    return {
        row["payload"]["call_id"]: row["payload"]["output"]
        for row in done.rows
        if row["payload"].get("type", "").endswith("_output")
    }


def test_a_sound_rollout_needs_nothing(repair: Repair, rollout: Rollout) -> None:
    rollout.row("event_msg", {"type": "item_completed", "thread_id": THREAD, "item": {"type": "X", "id": "call_1"}})
    done = repair("codex", rollout.data)
    assert done.issues == []
    check_codex(done.rows)
    head = done.rows[0]["payload"]
    assert head["session_id"] == THREAD_COPY
    assert head[CODEX_FIELD]["from"] == THREAD
    assert done.rows[-1]["payload"]["thread_id"] == THREAD_COPY
    assert [row["payload"] for row in done.rows[1:-1]] == [row["payload"] for row in rollout.rows[1:-1]]


def test_a_dangling_call_is_closed_as_unknown(repair: Repair, rollout: Rollout) -> None:
    rollout.call("call_push", "git push")
    rollout.item("custom_tool_call", call_id="call_p", name="apply_patch", input="*** Begin Patch")
    rollout.item("web_search_call", status="completed", action={"type": "search"})
    rollout.prompt("go on")
    done = repair("codex", rollout.data)
    assert done.codes == ["dangling_call", "dangling_call"]
    check_codex(done.rows)
    for name in ("call_push", "call_p"):
        assert str(outputs(done)[name]).startswith("aborted\n")
        assert UNKNOWN_OUTCOME in str(outputs(done)[name])
    kinds = [row["payload"]["type"] for row in done.rows if row["type"] == "response_item"]
    assert kinds[kinds.index("custom_tool_call") + 1] == "custom_tool_call_output"


def test_an_orphan_output_becomes_a_note(repair: Repair, rollout: Rollout) -> None:
    rollout.answer("call_gone", [{"type": "input_text", "text": "pushed"}])
    done = repair("codex", rollout.data)
    assert done.codes == ["orphan_output"]
    check_codex(done.rows)
    note = done.rows[-1]["payload"]
    assert note["role"] == "developer"
    assert note["content"][0]["text"].startswith(NOTE)
    assert note["content"][0]["text"].endswith("pushed")


def test_of_two_outputs_the_later_real_one_counts(repair: Repair, rollout: Rollout) -> None:
    rollout.call("call_2")
    rollout.answer("call_2", "first")
    rollout.answer("call_2", "second")
    rollout.answer("call_2", "aborted")
    done = repair("codex", rollout.data)
    assert done.codes == ["duplicate_output", "duplicate_output"]
    check_codex(done.rows)
    assert outputs(done)["call_2"] == "second"


def test_an_output_before_its_call_is_moved_behind_it(repair: Repair, rollout: Rollout) -> None:
    rollout.answer("call_2", "early")
    rollout.call("call_2")
    rollout.prompt("more")
    done = repair("codex", rollout.data)
    assert done.codes == ["output_before_call"]
    check_codex(done.rows)
    assert outputs(done)["call_2"] == "early"


def test_another_call_under_the_same_id_is_renamed_with_what_tells_of_it(repair: Repair, rollout: Rollout) -> None:
    rollout.call("call_1", "other")
    rollout.answer("call_1", "other out")
    rollout.row("event_msg", {"type": "item_completed", "item": {"type": "CommandExecution", "id": "call_1"}})
    rollout.row("event_msg", {"type": "exec_command_end", "call_id": "call_1"})
    done = repair("codex", rollout.data)
    assert done.codes == ["duplicate_call_id"]
    check_codex(done.rows)
    assert outputs(done)["call_1_2"] == "other out"
    assert done.rows[-2]["payload"]["item"]["id"] == "call_1_2"
    assert done.rows[-1]["payload"]["call_id"] == "call_1_2"


def test_a_record_written_twice_is_left_out_once(repair: Repair, rollout: Rollout) -> None:
    rollout.rows.insert(4, rollout.rows[3])
    if rollout.paginated:
        assert repair("codex", rollout.data).codes == ["ordinal_repeated", "duplicate_row"]
    else:
        assert repair("codex", rollout.data).codes == ["duplicate_row"]
    check_codex(repair("codex", rollout.data).rows)


@pytest.mark.parametrize(
    ("ordinals", "codes"),
    [
        ([0, 1, 2, 3, 4, 5, 6], []),
        ([7, 8, 9, 10, 11, 12, 13], []),
        ([0, 1, 2, 2, 3, 4, 5], ["ordinal_repeated"]),
        ([0, 1, 2, 5, 6, 7, 8], ["ordinal_skipped"]),
        ([0, 1, 2, 0, 1, 2, 3], ["ordinal_repeated"]),
        ([0, 1, 2, None, 3, 4, 5], ["ordinal_missing"]),
    ],
)
def test_ordinals_are_numbered_anew(repair: Repair, ordinals: list[int | None], codes: list[str]) -> None:
    rollout = Rollout()
    rollout.meta()
    rollout.prompt("a")
    rollout.call("call_1")
    rollout.answer("call_1")
    rollout.prompt("b")
    rollout.rows = rollout.rows[: len(ordinals)]
    for row, ordinal in zip(rollout.rows, ordinals, strict=True):
        row["ordinal"] = ordinal
        if ordinal is None:
            del row["ordinal"]
    done = repair("codex", rollout.data)
    assert done.codes == codes
    check_codex(done.rows)


def test_a_thread_that_goes_on_from_a_base_keeps_its_first_ordinal(repair: Repair) -> None:
    rollout = Rollout()
    rollout.meta(history_base={"thread_id": "x", "end_ordinal_exclusive": 40, "end_byte_offset": 9000})
    rollout.prompt("a")
    for at, row in enumerate(rollout.rows):
        row["ordinal"] = 40 + at
    assert repair("codex", rollout.data).codes == []
    del rollout.rows[2]
    done = repair("codex", rollout.data)
    assert done.codes == ["ordinal_skipped"]
    check_codex(done.rows)
    assert done.rows[0]["ordinal"] == 40


def test_a_lost_head_is_made_from_what_the_turns_tell(repair: Repair, rollout: Rollout) -> None:
    done = repair("codex", b"".join([b"\x00" * 50 + b"\n", *rollout.lines[1:]]))
    assert sorted(done.codes) == ["missing_session_meta", "nul_bytes"]
    check_codex(done.rows)
    assert done.rows[0]["payload"]["cwd"] == "/w"
    assert len(done.rows) == len(rollout.rows)


@pytest.mark.parametrize("numbered", [True, False])
def test_a_thread_is_numbered_though_head_and_first_ordinals_are_lost(repair: Repair, *, numbered: bool) -> None:
    rollout = Rollout()
    rollout.prompt("a")
    rollout.meta()
    rollout.prompt("b")
    for row in rollout.rows if not numbered else rollout.rows[:2]:
        del row["ordinal"]
    done = repair("codex", rollout.data)
    assert sorted({*done.codes}) == ["missing_session_meta", "ordinal_missing"]
    check_codex(done.rows)
    assert done.rows[0]["payload"]["history_mode"] == "paginated"
    assert [row["ordinal"] for row in done.rows] == list(range(8))


def test_a_parents_head_is_not_taken_for_a_lost_one(repair: Repair) -> None:
    rollout = Rollout(paginated=False)
    rollout.prompt("copied")
    rollout.meta("01a00000-0000-7000-8000-00000000000f", cwd="/parent")
    rollout.meta(THREAD, cwd="/own")
    done = repair("codex", rollout.data)
    assert done.codes == ["missing_session_meta"]
    assert done.rows[0]["payload"]["cwd"] == "/own"
    assert done.rows[0]["payload"]["cli_version"] == "0.153.4"


def test_a_head_of_another_thread_gets_the_copys_id(repair: Repair) -> None:
    rollout = Rollout(paginated=False)
    rollout.meta("01a00000-0000-7000-8000-00000000000f")
    rollout.prompt("a")
    done = repair("codex", rollout.data)
    assert done.codes == ["wrong_session_id"]
    check_codex(done.rows)


@pytest.mark.parametrize(
    ("kind", "fields", "code"),
    [
        ("function_call", {"name": "x", "arguments": " " * 1_048_577}, "call_too_large"),
        ("custom_tool_call", {"name": "exec", "input": " " * 1_048_577}, "call_too_large"),
        ("function_call", {"name": "x", "arguments": "{}", "id": "i" * 65}, "id_too_long"),
    ],
)
def test_calls_that_the_service_refuses(repair: Repair, rollout: Rollout, kind: str, fields: Row, code: str) -> None:
    rollout.item(kind, call_id="call_2", **fields)
    rollout.item(f"{kind}_output", call_id="call_2", output="ok")
    done = repair("codex", rollout.data)
    assert done.codes == [code]
    assert done.issues[0].severity == "blocks"
    check_codex(done.rows)
    item = done.rows[-2]["payload"]
    assert len(json.dumps(item)) < 1000
    if kind == "function_call":
        json.loads(item["arguments"])


@pytest.mark.parametrize(
    ("part", "code"),
    [
        ({"type": "input_text", "text": "x" * (10 * 1024 * 1024 + 1)}, "text_too_large"),
        ({"type": "input_image", "image_url": "data:image/png;base64," + "A" * 50_000_000}, "image_too_large"),
        ({"type": "input_image", "image_url": "data:image/png;base64,"}, "empty_image"),
    ],
)
def test_contents_that_the_service_refuses(repair: Repair, part: Row, code: str) -> None:
    rollout = Rollout(paginated=False)
    rollout.meta()
    rollout.call("call_2")
    rollout.answer("call_2", [part])
    done = repair("codex", rollout.data)
    assert [each for each in done.codes if each != "texts_too_long"] == [code]
    check_codex(done.rows)
    assert NOTE in json.dumps(done.rows[-1])
    assert len(done.data) < 20_000


def test_a_call_id_that_is_too_long_is_renamed_with_its_output(repair: Repair, rollout: Rollout) -> None:
    rollout.call("c" * 70)
    rollout.answer("c" * 70)
    done = repair("codex", rollout.data)
    assert done.codes == ["id_too_long"]
    check_codex(done.rows)
    assert max(map(len, outputs(done))) <= 64


def test_a_record_too_large_to_hold_gives_way_to_a_note(
    repair: Repair, rollout: Rollout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("refloat.repair.pieces.LONG", 4096)
    monkeypatch.setattr("refloat.readers.cutting._HEAVIEST", -1)
    rollout.answer("call_1", "x" * 5000)
    rollout.prompt("b")
    done = repair("codex", rollout.data)
    assert done.codes[0] == "line_too_large"
    check_codex(done.rows)
    assert any(NOTE in json.dumps(row) for row in done.rows)


def test_glued_and_torn_lines_cost_themselves_only(repair: Repair, rollout: Rollout) -> None:
    lines = rollout.lines
    done = repair("codex", b"".join([*lines[:2], lines[2][:70], *lines[3:], lines[-1][:30]]))
    assert done.codes[:1] == ["glued_lines"]
    assert done.codes[-1] == "torn_last_line"
    check_codex(done.rows)
    assert len(done.rows) == len(lines) - 1


def test_rollouts_before_envelopes(repair: Repair) -> None:
    rows: list[Row] = [
        {"id": THREAD, "timestamp": "2025-07-20T09:10:00.000Z", "instructions": None},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Run the tests"}]},
        {"record_type": "state"},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "call_1"},
    ]
    done = repair("codex", b"".join(json.dumps(row).encode() + b"\n" for row in rows))
    assert done.codes == ["dangling_call"]
    assert done.rows[0]["id"] == THREAD_COPY
    assert done.rows[1:4] == rows[1:4]
    assert done.rows[4]["type"] == "function_call_output"


def test_a_single_document_is_refused(tmp_path: Path) -> None:
    path = tmp_path / f"rollout-2025-04-16-{THREAD}.json"
    path.write_text(json.dumps({"session": {"id": THREAD, "timestamp": "2025-04-16T00:00:00.000Z"}, "items": []}))
    assert found_of("codex", path).session_id == THREAD
    with pytest.raises(NotDone, match="single document"):
        run("codex", path)


def test_repairing_a_repaired_copy_finds_nothing(tmp_path: Path, rollout: Rollout) -> None:
    rollout.call("call_push", "git push")
    rollout.answer("call_gone")
    path = tmp_path / f"rollout-2026-09-05T16-00-00-{THREAD}.jsonl"
    path.write_bytes(b"garbage\n" + b"".join(rollout.lines[1:]) + b'{"timestamp":"2026')
    first = run("codex", path)
    assert len(first.codes) >= 5
    copy = tmp_path / f"rollout-2026-09-06T16-00-00-{THREAD_COPY}.jsonl"
    copy.write_bytes(first.data)
    assert run("codex", copy, "01a0ffff-0000-7000-8000-0000000000fe").codes == []
