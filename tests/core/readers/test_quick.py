"""The quick road of a summary comes to what the parser comes to: the same counts, texts and memory, row by row."""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from refloat.model.problem import Place
from refloat.model.story import Summary
from refloat.model.transcript import Event
from refloat.readers.contract import Found, Line, Segment, SourceFile
from refloat.readers.registry import load
from refloat.readers.story import Assembler
from refloat.usecases.reading import Resumable, run

Row = dict[str, object]
SESSION = "01a07276-0000-7000-8000-000000000001"
WRONG: Sequence[object] = (None, True, 0, -1.5, "", "words", [], ["a"], {}, {"type": "text", "text": 7}, "1e999!")


def stamp(at: int) -> str:
    return f"2026-06-01T08:{at // 60 % 60:02d}:{at % 60:02d}.000Z"


def claude(at: int, kind: str, **more: object) -> Row:
    row: Row = {"parentUuid": uuid(at - 1) if at else None, "isSidechain": False, "type": kind, "uuid": uuid(at)}
    tail = {"cwd": "/w", "sessionId": SESSION, "version": "2.1.270", "gitBranch": "main", "entrypoint": "cli"}
    return row | {"timestamp": stamp(at)} | more | tail


def uuid(at: int) -> str:
    return f"00000000-0000-4000-8000-{at:012x}"


def reply(at: int, *blocks: object, stop: str | None = None, **more: object) -> Row:
    message = {"model": "one", "id": f"m{at // 3}", "role": "assistant", "content": list(blocks), "stop_reason": stop}
    return claude(at, "assistant", message=message, **more)


def used(at: int, tool: str, **given_: object) -> Row:
    return reply(at, {"type": "tool_use", "id": f"t{at}", "name": tool, "input": given_}, stop="tool_use")


def result(at: int, of: int, told: object, content: object = "fine", **more: object) -> Row:
    block = {"type": "tool_result", "tool_use_id": f"t{of}", "content": content, "is_error": more.pop("failed", False)}
    return claude(at, "user", message={"role": "user", "content": [block]}, toolUseResult=told, **more)


def lasted(at: int) -> Row:
    return claude(at, "system", subtype="turn_duration", durationMs=1)


def titled(at: int) -> Row:
    return {"type": "ai-title", "aiTitle": f"Title {at}", "sessionId": SESSION}


OUTPUT = {"stdout": "x", "stderr": "", "interrupted": False}
EDITED = {"filePath": "a.py", "oldString": "x", "newString": "y", "originalFile": "x"}
CLAUDE: Sequence[Callable[[int], Row]] = (
    lambda at: claude(at, "user", message={"role": "user", "content": f"Do {at}"}, promptSource="typed"),
    lambda at: claude(at, "user", message={"role": "user", "content": "[Request interrupted by user]"}),
    lambda at: claude(at, "user", message={"role": "user", "content": "<command-name>/compact</command-name>"}),
    lambda at: reply(at, {"type": "text", "text": "Said."}, stop="end_turn"),
    lambda at: reply(at, {"type": "text", "text": "Said."}, {"type": "thinking", "thinking": "Hm."}),
    lambda at: reply(at, {"type": "redacted_thinking", "data": "…"}),
    lambda at: reply(at, {"type": "text", "text": "no"}, stop="refusal"),
    lambda at: reply(at, {"type": "text", "text": "half"}, isAbortedMidStream=True),
    lambda at: reply(at, {"type": "text", "text": "limit"}, error="rate_limit", isApiErrorMessage=True),
    lambda at: used(at, "Bash", command="pytest -q"),
    lambda at: used(at, "Bash", command="cat > made.py <<'EOF'\nx\nEOF"),
    lambda at: used(at, "Bash", command=["no", "text"]),
    lambda at: used(at, "Edit", file_path="a.py", old_string="x", new_string="y"),
    lambda at: used(at, "Write", file_path="/w/b.py", content="x" * 300),
    lambda at: used(at, "Read", file_path="a.py"),
    lambda at: used(at, "Task", description="look", prompt="look"),
    lambda at: used(at, "TodoWrite", todos=[{"content": "one", "status": "pending"}]),
    lambda at: used(at, "mcp__tracker__create_issue", title="Retry"),
    lambda at: result(at, at - 1, OUTPUT),
    lambda at: result(at, at - 1, OUTPUT, ""),
    lambda at: result(at, at - 1, OUTPUT, "日本語 " * 2000),
    lambda at: result(at, at - 1, OUTPUT | {"interrupted": True}),
    lambda at: result(at, at - 1, OUTPUT | {"backgroundTaskId": "b1"}, "Command running in background with ID: b1"),
    lambda at: result(at, at - 1, OUTPUT, "x\n<error>Command was aborted before completion</error>\n"),
    lambda at: result(at, at - 1, OUTPUT | {"gitOperation": {"push": {"branch": "main"}}}),
    lambda at: result(at, at - 1, EDITED),
    lambda at: result(at, at - 2, EDITED),
    lambda at: result(at, at - 1, {"type": "create", "filePath": "/w/b.py", "content": "x", "structuredPatch": []}),
    lambda at: result(at, at - 1, {"type": "text", "file": {"filePath": "a.py", "content": "x"}}),
    lambda at: result(at, at - 1, None),
    lambda at: result(at, at - 1, "User rejected tool use", "The user doesn't want to proceed with it", failed=True),
    lambda at: result(at, at - 1, "Error: Exit code 1", "Exit code 1\nno", failed=True),
    lambda at: result(at, at - 1, OUTPUT, [{"type": "text", "text": "a"}, {"type": "image", "source": {}}]),
    lambda at: result(at, at - 1, OUTPUT, interruptedByShutdown=True),
    lasted,
    lambda at: claude(at, "system", subtype="stop_hook_summary", hookErrors=[], preventedContinuation=False),
    lambda at: claude(at, "system", subtype="stop_hook_summary", hookErrors=["no"], preventedContinuation=True),
    lambda at: claude(at, "system", subtype="compact_boundary", content="Compacted"),
    lambda at: claude(at, "system", subtype="api_error", error={"message": "Overloaded"}),
    lambda at: claude(at, "attachment", attachment={"type": "todo_reminder", "content": []}),
    lambda at: claude(
        at, "attachment", attachment={"type": "queued_command", "prompt": "more", "commandMode": "prompt"}
    ),
    lambda at: claude(at, "attachment", attachment={"type": "max_turns_reached"}),
    lambda at: typed(at, "elsewhere") | {"cwd": "/v", "gitBranch": "b"},
    lambda at: claude(at, "user", message={"role": "user", "content": "side"}) | {"isSidechain": True},
    lambda at: claude(at - 1 if at else 0, "attachment", attachment={"type": "todo_reminder"}),
    titled,
    lambda at: {"type": "last-prompt", "lastPrompt": "x", "leafUuid": uuid(max(0, at - 4)), "rewound": at % 3 == 0},
    lambda at: {"type": "summary", "summary": f"Of {at}", "leafUuid": uuid(at + 2)},
    lambda at: {"type": "permission-mode", "permissionMode": "plan", "sessionId": SESSION},
    lambda at: {"type": "queue-operation", "operation": "enqueue", "timestamp": stamp(at), "content": "later"},
    lambda at: {"type": "continued-in", "timestamp": stamp(at), "continuedInSessionId": "other"},
    lambda at: {
        "type": "file-history-snapshot",
        "snapshot": {"trackedFileBackups": {"a.py": {"backupFileName": "x@v1"}}, "timestamp": stamp(at)},
    },
    lambda at: {"type": "unheard-of", "sessionId": str(at)},
    lambda at: {"type": "mode", "mode": "normal", "sessionId": SESSION, "forkedFrom": {"sessionId": "other"}},
    lambda at: reply(at, {"type": "text", "text": "Said."}, forkedFrom={"sessionId": "other"}),
    lambda at: reply(at, {"type": "text", "text": "Said."}, retractedMessageUuids=[uuid(max(0, at - 2))]),
    lambda at: result(at, at - 1, OUTPUT | {"returnCodeInterpretation": "No matches found", "shellId": None}),
    lambda at: result(at, at - 1, {"task": {"task_id": "b1", "status": "running"}}),
)


def typed(at: int, said: object = "Do it", **more: object) -> Row:
    return claude(at, "user", message={"role": "user", "content": said}, **more)


ASKS: Sequence[Callable[[int], Row]] = (
    typed,
    lambda at: typed(at, f"Do {at}", promptSource="typed", origin={"kind": "human"}),
    lambda at: typed(at, parentUuid=uuid(max(0, at - 3))),
    lambda at: typed(at, parentUuid=None),
    lambda at: typed(at, promptSource="queued"),
    lambda at: typed(at, promptSource="system"),
    lambda at: typed(at, origin={"kind": "peer"}),
    lambda at: typed(at, isMeta=True),
    lambda at: typed(at, isMeta=False),
    lambda at: typed(at, isCompactSummary=True),
    lambda at: typed(at, isVirtual=True),
    lambda at: typed(at, refloatRepair={"made": "note", "at": stamp(at)}),
    lambda at: typed(at, forkedFrom={"sessionId": "other"}),
    *[
        lambda at, said=said: typed(at, said)
        for said in (
            "", "  ", " <bash-input>ls</bash-input>", "<task-notification><task-id>b1</task-id></task-notification>",
            "[Request interrupted by user]", "<system-reminder>x</system-reminder>", "<teammate-message>x",
            [{"type": "text", "text": "Do it"}], [{"type": "image"}], "<command-name>/x</command-name>",
        )
    ],
    lambda at: {"type": "queue-operation", "operation": "enqueue", "timestamp": stamp(at), "content": "Do it"},
    lambda at: claude(at, "system", subtype="compact_boundary", content="Compacted"),
    lambda at: reply(at, {"type": "text", "text": "Said."}, stop="end_turn"),
    lambda at: used(at, "Bash", command="ls"),
    lambda at: result(at, at - 1, OUTPUT),
    lambda at: typed(at - 1 if at else 0),
)  # fmt: skip
"""Rows that a person's words stand in, or what looks like them."""


def codex(at: int, kind: str, payload: Row) -> Row:
    return {"timestamp": stamp(at), "type": kind, "payload": payload}


def item(at: int, **payload: object) -> Row:
    return codex(at, "response_item", payload)


def event(at: int, **payload: object) -> Row:
    return codex(at, "event_msg", payload)


def ran(at: int, command: object, tool: str = "exec_command") -> Row:
    return item(at, type="function_call", name=tool, arguments=json.dumps({"cmd": command}), call_id=f"c{at}")


def asked(at: int, text: str, **more: object) -> Row:
    return item(at, type="message", role="user", content=[{"type": "input_text", "text": text}], **more)


def told(at: int, text: str) -> Row:
    return event(at, type="user_message", message=text, images=[])


def done(at: int, **item_: object) -> Row:
    return event(at, type="item_completed", turn_id="one", item=item_)


CHANGES = {"/w/a.py": {"type": "update", "unified_diff": "@@ -1 +1 @@\n-x\n+y\n", "move_path": "z.py"}}
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch\n"
CONTEXT: Row = {"turn_id": "t", "cwd": "/w", "model": "one", "approval_policy": "never"}
BOX: Row = {"sandbox_policy": {"type": "read-only"}}
CODEX: Sequence[Callable[[int], Row]] = (
    lambda at: event(at, type="task_started", turn_id=f"turn{at}"),
    lambda at: event(at, type="task_started", turn_id=f"turn{at}"),
    lambda at: event(at, type="task_complete", turn_id=f"turn{at - 1}", last_agent_message="Said."),
    lambda at: event(at, type="task_complete", last_agent_message=None),
    lambda at: event(at, type="turn_aborted", reason="interrupted"),
    lambda at: codex(at, "turn_context", CONTEXT | BOX),
    lambda at: codex(at, "turn_context", CONTEXT | {"cwd": "/w/d", "model": "two"} | BOX),
    lambda at: codex(at, "turn_context", CONTEXT),
    lambda at: item(at, type="message", role="user", content=[{"type": "input_text", "text": f"Do {at // 2}"}]),
    lambda at: event(at, type="user_message", message=f"Do {at // 2}", images=[]),
    lambda at: item(at, type="message", role="assistant", id=f"m{at // 2}", content=[{"text": "Said."}]),
    lambda at: item(at, type="message", role="developer", content=[{"text": "rules"}]),
    lambda at: event(at, type="agent_message", message="Said.", phase="commentary"),
    lambda at: item(at, type="agent_message", author="a", recipient="b", content=[{"text": "x"}]),
    lambda at: item(at, type="reasoning", summary=[{"type": "summary_text", "text": f"Hm {at // 2}"}], content=None),
    lambda at: event(at, type="agent_reasoning", text=f"Hm {at // 2}"),
    lambda at: event(at, type="token_count", info=None, rate_limits={"primary": {"used_percent": 12.0}}),
    lambda at: event(at, type="token_count", info=None, rate_limits={"primary": {"used_percent": 100.0}}),
    lambda at: event(at, type="token_count", info=None, rate_limits={"rate_limit_reached_type": "credits_depleted"}),
    lambda at: event(at, type="token_count", info=None, rate_limits=None),
    lambda at: ran(at, "pytest -q"),
    lambda at: ran(at, "rm a.py"),
    lambda at: ran(at, ["bash", "-lc", "ls"], "shell"),
    lambda at: ran(at, "", "write_stdin"),
    lambda at: item(at, type="function_call", name="exec_command", arguments="no json", call_id=f"c{at}"),
    lambda at: item(at, type="function_call", name="update_plan", arguments='{"plan": []}', call_id=f"c{at}"),
    lambda at: item(at, type="custom_tool_call", name="apply_patch", input=PATCH, call_id=f"c{at}"),
    lambda at: item(at, type="custom_tool_call", name="exec", input='f({cmd: "git push"})', call_id=f"c{at}"),
    lambda at: item(
        at, type="function_call_output", call_id=f"c{at - 1}", output="Process exited with code 1\nOutput:\nx"
    ),
    lambda at: item(
        at, type="function_call_output", call_id=f"c{at - 2}", output="Process running with session ID 7\n"
    ),
    lambda at: item(
        at, type="function_call_output", call_id=f"c{at - 1}", output=[{"type": "input_text", "text": "x"}]
    ),
    lambda at: item(
        at, type="custom_tool_call_output", call_id=f"c{at - 1}", output='{"output": "ok", "metadata": {}}'
    ),
    lambda at: item(at, type="function_call_output", call_id=f"c{at - 1}", output="exec command rejected by user"),
    lambda at: done(at, type="CommandExecution", id=f"c{at - 1}", status="failed", exit_code=1, aggregated_output="x"),
    lambda at: done(at, type="CommandExecution", id=f"c{at - 1}", status="declined", parsed_cmd=[{"type": "read"}]),
    lambda at: done(at, type="CommandExecution", id=f"n{at}", command=["ls"], status="completed"),
    lambda at: done(at, type="FileChange", id=f"c{at - 1}", changes=CHANGES, status="completed"),
    lambda at: done(at, type="AgentMessage", id=f"m{at // 2}", content=[{"type": "Text", "text": "Said."}]),
    lambda at: done(at, type="Unheard", id="x"),
    lambda at: event(
        at, type="exec_command_end", call_id=f"c{at - 1}", command=["ls"], exit_code=0, status="completed"
    ),
    lambda at: event(at, type="patch_apply_end", call_id=f"c{at - 1}", changes=CHANGES, success=False, status="failed"),
    lambda at: event(at, type="thread_rolled_back", num_turns=1),
    lambda at: event(at, type="error", message="stream disconnected"),
    lambda at: codex(at, "compacted", {"message": "", "replacement_history": []}),
    lambda at: codex(at, "unheard", {"type": "message", "role": "assistant"}),
    lambda at: event(at, type="message", role="assistant", content=[{"text": "x"}]),
)

TURNS: Sequence[Callable[[int], Row]] = (
    *CODEX[:6],
    *[
        lambda at, text=text: asked(at, text)
        for text in ("Do it", "<image>", "# AGENTS.md instructions", "Do it again")
    ],
    *[lambda at, text=text: told(at, text) for text in ("Do it", "", "<user_instructions>x", "Do it again", " Do it")],
    lambda at: asked(at, "Do it", internal_chat_message_metadata_passthrough={"content_item_kinds": ["user.text"]}),
    lambda at: event(at, type="user_message", message="Do it", kind="environment_context"),
    lambda at: item(at, type="message", role="assistant", content=[{"text": "Said."}]),
    lambda at: event(at, type="task_complete", turn_id=f"turn{at - 3}", last_agent_message="Said."),
    lambda at: event(at, type="task_complete", last_agent_message="Said.", error={"message": "no"}),
    lambda at: event(at, type="task_complete", turn_id=7, last_agent_message="Said."),
)
"""Rows that turns begin and end with, so few kinds that each meets each."""


class Taken:
    """A sink that keeps what it is given."""

    def __init__(self) -> None:
        self.texts: list[tuple[int, Place, str, str]] = []

    def take(self, n: int, place: Place, kind: str, text: str) -> None:
        self.texts.append((n, place, kind, text))

    def provisional(self) -> None:
        self.texts.append((0, Place("", 0, 0), "provisional", ""))


class Slow:
    """A parser that takes the long way only."""

    def __init__(self, parser: object) -> None:
        self.open, self.feed = parser.open, parser.feed  # pyright: ignore[reportAttributeAccessIssue] - a Parser
        self.finish, self.freeze = parser.finish, parser.freeze  # pyright: ignore[reportAttributeAccessIssue] - as above


class SlowReader:
    """A reader whose parsers have no quick road."""

    def __init__(self, reader: object) -> None:
        self._reader = reader
        self.torn_heads: tuple[bytes, ...] = reader.torn_heads  # pyright: ignore[reportAttributeAccessIssue] - a Reader

    def parser(self, *words: object, **more: object) -> Slow:
        return Slow(self._reader.parser(*words, **more))  # pyright: ignore[reportAttributeAccessIssue] - as above


Read = tuple[Summary, list[tuple[int, Place, str, str]], Resumable | None]


def memory(got: Read) -> object:
    """All of it but where reading stopped: blank lines at an end may be read again."""
    at = got[2]
    return got[0], got[1], at and (at.segment, json.loads(at.parser), json.loads(at.assembler))


def read(agent: str, path: Path, *, quick: bool, start: Resumable | None = None) -> Read:
    reader = load(agent)
    found = Found(agent, SESSION, (Segment(SourceFile(str(path), path.stat().st_size, 0, 1, 1)),))
    sink = Taken()
    thawed = None if start is None else json.loads(start.assembler)
    assembler = Assembler(agent, SESSION, keep_items=False, frozen=thawed, sink=sink)
    at = run(reader if quick else SlowReader(reader), found, assembler, None, start, quick=quick)  # pyright: ignore[reportArgumentType] - the part of a Reader that reading needs
    return assembler.summary(), sink.texts, at


def spoil(draw: st.DrawFn, value: object) -> object:
    """The value with another kind of value somewhere in it."""
    if isinstance(value, dict) and value and draw(st.integers(0, 4)):
        key = draw(st.sampled_from(sorted(value)))
        return {**value, key: spoil(draw, value[key])}
    if isinstance(value, list) and value and draw(st.integers(0, 4)):
        at = draw(st.integers(0, len(value) - 1))
        return [*value[:at], spoil(draw, value[at]), *value[at + 1 :]]
    return draw(st.sampled_from(WRONG))


@st.composite
def transcripts(draw: st.DrawFn, kinds: Sequence[Callable[[int], Row]], head: Sequence[Row]) -> bytes:
    picked = draw(st.lists(st.integers(0, len(kinds) - 1), max_size=24))
    rows = [*head, *(kinds[which](len(head) + at) for at, which in enumerate(picked))]
    lines: list[bytes] = []
    for row in rows:
        shown = spoil(draw, row) if draw(st.integers(0, 9)) == 9 else row
        line = json.dumps(shown, ensure_ascii=bool(draw(st.integers(0, 1))), separators=(",", ":")).encode()
        line = line.replace(b'"1e999!"', b"1e999")  # a number that no double holds
        match draw(st.integers(0, 43)):
            case 36:
                line = line[: len(line) // 2]
            case 37:
                line = line[: len(line) // 2] + line
            case 38:
                line = line.replace(b"a", b"\xff", 1)
            case 39:
                line = line[: len(line) // 2] + b"\0" * 9 + line[len(line) // 2 :]
            case 40:
                line = b" " + line + b"\r"
            case 41:
                line = line.replace(b"{", b'{"gitBranch":"other","cwd":"/v",', 1)  # the later one of a name counts
            case 42:
                line = line[:-1] + b',"gitBranch":"other"}'
            case 43:
                line = line[:-1] + b',"userType":"external","cwd":"/w","x":{"version":"3"}}'
            case _:
                pass
        lines.append(line)
    return b"\n".join(lines) + draw(st.sampled_from([b"\n", b"\n", b""]))


HEADS: dict[str, Sequence[Row]] = {
    "claude-code": (CLAUDE[0](0),),
    "codex": (
        codex(0, "session_meta", {"id": SESSION, "timestamp": stamp(0), "cwd": "/w", "cli_version": "0.145.0"}),
        event(1, type="task_started", turn_id="one"),
        event(2, type="user_message", message="Do it"),
    ),
}


@pytest.mark.parametrize(
    ("agent", "kinds"), [("claude-code", CLAUDE), ("codex", CODEX), ("codex", TURNS), ("claude-code", ASKS)]
)
def test_the_quick_road_comes_to_the_same(agent: str, kinds: Sequence[Callable[[int], Row]], tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"

    @given(transcripts(kinds, HEADS[agent]), st.sampled_from([100, 700, 4000, 1 << 18]))
    @example(
        b"".join(json.dumps(row).encode() + b"\n" for row in HEADS[agent]) + b'{"type":"user","x":' + b"[" * 2000,
        1 << 18,
    )
    @settings(max_examples=400)
    def same(data: bytes, piece: int) -> None:
        path.write_bytes(data)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("refloat.readers.lines._NEAR", piece)  # batches end anywhere
            assert memory(read(agent, path, quick=True)) == memory(read(agent, path, quick=False))

    same()


@pytest.mark.parametrize(
    ("agent", "kinds"), [("claude-code", CLAUDE), ("codex", CODEX), ("codex", TURNS), ("claude-code", ASKS)]
)
def test_either_road_reads_on_from_the_other(agent: str, kinds: Sequence[Callable[[int], Row]], tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"

    @given(transcripts(kinds, HEADS[agent]), st.floats(0, 1), st.booleans())
    @settings(max_examples=150)
    def same(data: bytes, share: float, first: bool) -> None:
        path.write_bytes(data[: int(len(data) * share)])
        before = read(agent, path, quick=first)[2]
        path.write_bytes(data)
        assert read(agent, path, quick=not first, start=before)[0] == read(agent, path, quick=False)[0]

    same()


@pytest.mark.parametrize(("agent", "kinds"), [("claude-code", CLAUDE), ("codex", CODEX)])
def test_texts_have_the_numbers_of_the_history(
    agent: str, kinds: Sequence[Callable[[int], Row]], tmp_path: Path
) -> None:
    path = tmp_path / "one.jsonl"

    @given(transcripts(kinds, HEADS[agent]))
    @settings(max_examples=150)
    def same(data: bytes) -> None:
        path.write_bytes(data)
        found = Found(agent, SESSION, (Segment(SourceFile(str(path), len(data), 0, 1, 1)),))
        whole = Assembler(agent, SESSION, keep_items=True)
        run(load(agent), found, whole)
        items = whole.items()
        for n, _, kind, text in read(agent, path, quick=True)[1]:
            if not n:
                continue
            told = items[n - 1]
            if kind in {"prompt", "reply", "thinking"}:
                assert told.type == kind
                assert text in (told.text or "")
            else:
                assert told.type == ("marker" if kind == "marker" else "step")

    same()


def fed(path: Path, rows: Sequence[Row], agent: str, parser: type, patch: pytest.MonkeyPatch) -> list[int]:
    """Numbers of the rows that meet the parser."""
    path.write_bytes(b"".join(json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in rows))
    met: list[int] = []
    feed = parser.feed  # pyright: ignore[reportAttributeAccessIssue] - a Parser

    def noted(self: object, line: Line) -> Iterable[Event]:
        met.append(line.line)
        return feed(self, line)

    patch.setattr(parser, "feed", noted)
    read(agent, path, quick=True)
    return met


def test_a_row_as_nearly_all_are_never_meets_the_parser_of_claude(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from refloat.readers.claude_code.rows import Rows

    plain = [
        typed(0), used(1, "Bash", command="ls"), result(2, 1, OUTPUT), reply(3, {"type": "text", "text": "x"}),
        typed(4), used(5, "Edit", file_path="a.py"), result(6, 5, EDITED), lasted(7), titled(8),
    ]  # fmt: skip
    assert fed(tmp_path / "one.jsonl", plain, "claude-code", Rows, monkeypatch) == [1, 2], "the second names the model"


def test_a_row_as_nearly_all_are_never_meets_the_parser_of_codex(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from refloat.readers.codex.parser import CodexParser

    first = [*HEADS["codex"], codex(3, "turn_context", CONTEXT | BOX)]
    turn = [
        event(4, type="task_started", turn_id="two"), codex(5, "turn_context", CONTEXT | BOX),
        asked(6, "Do more"), told(7, "Do more"),
        item(8, type="reasoning", summary=[{"type": "summary_text", "text": "Hm"}]), ran(9, "ls"),
        item(10, type="function_call_output", call_id="c9", output="x"), event(11, type="token_count"),
        item(12, type="custom_tool_call", name="apply_patch", input=PATCH, call_id="c12"),
        event(13, type="patch_apply_end", call_id="c12", changes=CHANGES, success=True),
        event(14, type="agent_message", message="Said."), event(15, type="task_complete", last_agent_message="Said."),
    ]  # fmt: skip
    assert fed(tmp_path / "one.jsonl", [*first, *turn], "codex", CodexParser, monkeypatch) == [1, 2, 3, 4]
