"""What holds for every transcript: nothing raises, and any split reads the same."""

import json
import random
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refloat.model.problem import Problem
from refloat.readers.codex import Codex
from refloat.readers.codex.outputs import read_output
from refloat.readers.contract import Found, Line, Segment, SourceFile
from refloat.readers.lines import Cursor, read_lines
from refloat.readers.patch import parse_patch, parse_unified
from refloat.readers.story import Assembler

if TYPE_CHECKING:
    from tests.core.readers.codex.conftest import CodexHome


T1 = "01a07276-0000-7000-8000-000000000001"
FILE = SourceFile("/none/rollout.jsonl", 0, 0, 1, 1)
FOUND = Found("codex", T1, (Segment(FILE),))

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
WORDS = [
    "type", "payload", "timestamp", "ordinal", "id", "role", "content", "text", "call_id", "name",
    "arguments", "output", "input", "action", "item", "changes", "status", "turn_id", "message", "error",
    "rate_limits", "cwd", "git", "source", "session", "items", "history_base", "forked_from_id",
    "thread_settings", "goal", "summary", "ghost_commit", "command", "subagent_history_start_ordinal",
    "num_turns", "result", "invocation", "plan", "questions", "metadata", "exit_code",
]  # fmt: skip
TYPES = [
    "session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state", "message",
    "reasoning", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output",
    "local_shell_call", "web_search_call", "tool_search_call", "tool_search_output", "ghost_snapshot",
    "agent_message", "user_message", "task_started", "task_complete", "turn_aborted", "token_count",
    "thread_rolled_back", "item_completed", "error", "patch_apply_end", "exec_command_end",
    "mcp_tool_call_end", "web_search_end", "exited_review_mode", "user", "assistant", "thread_goal_updated",
    "thread_settings_applied", "CommandExecution", "FileChange", "McpToolCall", "UserMessage", "AgentMessage",
    "Reasoning", "DynamicToolCall", "CollabAgentToolCall", "HookPrompt", "c1", "c2", "exec", "exec_command",
    "apply_patch", "write_stdin", "add", "update", T1, "file://%zz", "1e999",
]  # fmt: skip
values = st.recursive(
    scalars | st.sampled_from(TYPES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=6),
    max_leaves=25,
)
rows = st.fixed_dictionaries(
    {"timestamp": st.just("2026-09-05T16:00:00.000Z") | scalars, "type": st.sampled_from(TYPES)},
    optional={
        "payload": st.fixed_dictionaries({"type": st.sampled_from(TYPES)}).flatmap(
            lambda kind: st.dictionaries(st.sampled_from(WORDS), values, max_size=8).map(lambda more: {**more, **kind})
        )
        | values,
        "ordinal": values,
    },
)


def feed(values_: Sequence[object], frozen_at: Collection[int] = ()):
    """Events of rows, with the parser thawed anew before the given ones."""
    reader = Codex()
    parser = reader.parser(FOUND)
    events = [list(parser.open(FOUND.segments[0]))]
    for at, value in enumerate(values_):
        if at in frozen_at:
            parser = reader.parser(FOUND, None, orjson.loads(orjson.dumps(parser.freeze())))
        events.append(list(parser.feed(Line(FILE.path, at + 1, at * 100, value))))
    events.append(list(parser.finish()))
    return [event for part in events for event in part]


@given(st.lists(rows | values, max_size=12))
@settings(max_examples=150, deadline=None)
def test_nothing_that_is_json_raises(found: list[object]):
    events = feed(found)
    assembler = Assembler("codex", T1, keep_items=True)
    assembler.take(events)
    assembler.story({})


@given(st.lists(rows | values, max_size=12), st.sets(st.integers(0, 12)))
@settings(max_examples=150, deadline=None)
def test_a_thawed_parser_goes_on_as_if_nothing_had_been(found: list[object], frozen_at: set[int]):
    assert feed(found, frozen_at) == feed(found)


@given(values | st.text())
@settings(max_examples=100, deadline=None)
def test_no_output_raises(value: object):
    read_output(value)


HEADER = st.sampled_from(
    [
        ("Chunk ID: 1f0c", None, ""), ("Wall time: 2.1 seconds", None, ""), ("Total output lines: 3", None, ""),
        ("Exit code: 3", 3, ""), ("Process exited with code -7", -7, ""), ("Exit code: 0", 0, ""),
        ("Process running with session ID 77", None, "77"), ("Script running with cell ID ab", None, "cell ab"),
    ]
)  # fmt: skip
ENDS = st.sampled_from(["\n", "\r\n", "\r\r\n"])
BODIES = st.sampled_from(
    ["", "Output:\nExit code: 9\n", "Exit code: 5x\nExit code: 9\n", "\nExit code: 9", "Exit code: "]
)


@given(st.lists(st.tuples(HEADER, ENDS), max_size=12), BODIES, st.booleans())
@settings(max_examples=300, deadline=None)
def test_the_first_ten_lines_before_an_output_count_and_the_last_of_each_kind(
    lines: list[tuple[tuple[str, int | None, str], str]], body: str, open_end: bool
):
    text = "".join(line + end for (line, _, _), end in lines) + body
    told = read_output(text.rstrip("\r\n") if open_end and not body else text)
    codes = [code for (_, code, _), _ in lines[:10] if code is not None]
    running = [name for (_, _, name), _ in lines[:10] if name]
    assert told.exit_code == (codes[-1] if codes else None)
    if not told.exit_code:
        assert told.running == (running[-1] if running else "")


@given(st.text(alphabet="*+-@ \nabcBeginPatchAddFileUpdate:", max_size=200))
@settings(max_examples=100, deadline=None)
def test_no_patch_raises(text: str):
    parse_patch(f"*** Begin Patch\n{text}", "/w")
    parse_unified(text)


@given(values)
@settings(max_examples=100, deadline=None)
def test_no_head_raises(tmp_path_factory: pytest.TempPathFactory, value: object):
    path = tmp_path_factory.getbasetemp() / f"rollout-2026-09-05T16-00-00-{T1}.jsonl"
    path.write_text(json.dumps({"type": "session_meta", "payload": value}) + "\n", errors="replace")
    reader = Codex()
    file = SourceFile(str(path), path.stat().st_size, 0, 1, 1)
    for found in reader.group([(file, reader.identify(file))]):
        assert found.agent == "codex"


def everything(codex: "CodexHome"):
    """A transcript that uses every part of a parser's memory."""
    file = codex.rollout(paginated=True).meta().prompt("one", "a").run("c1", "npm run dev")
    file.answer("c1", "Wall time: 1 seconds\nProcess running with session ID 7\nOutput:\n").run("c2", "ls")
    file.item("custom_tool_call", call_id="x1", name="exec", input='tools.exec_command({cmd: "make"})')
    file.done("CommandExecution", "exec-1", command=["make"], cwd="/w", status="completed", exit_code=0).exited("c2", 1)
    file.said("assistant", "Hm.", id="m1").done("AgentMessage", "m1", content=[{"type": "Text", "text": "Hm."}])
    file.item("custom_tool_call_output", call_id="x1", output="Script completed\nOutput:\n").end("Hm.", "a")
    file.prompt("two", "b").call("c3", "write_stdin", {"session_id": 7}).exited("c3", 2)
    file.row("compacted", {"message": "s"}).event("context_compacted").event(
        "error", message="x", codex_error_info="other"
    )
    return file.end(None, "b").said("user", "three").save()


@pytest.mark.parametrize("seed", range(5))
def test_any_split_of_a_file_reads_the_same(codex: "CodexHome", seed: int):
    path = str(everything(codex).path)
    lines = [
        got[0].value for got in read_lines(path, Cursor(), ()) if isinstance(got, tuple) and isinstance(got[0], Line)
    ]
    whole = feed(lines)
    assert not [event for event in whole if isinstance(event, Problem)]
    picks = random.Random(seed)  # noqa: S311 - which split, not a secret
    assert feed(lines, {at for at in range(len(lines)) if picks.random() < 0.5}) == whole
    assert feed(lines, set(range(len(lines)))) == whole
    json.dumps(Codex().parser(FOUND).freeze())
