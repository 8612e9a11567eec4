"""Skimming a transcript comes to the same summary as reading it whole, also when it was frozen in the middle."""

import json
from collections.abc import Sequence

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refloat.model.story import Summary
from refloat.readers.contract import Found, Line, Segment, SourceFile
from refloat.readers.places import Places
from refloat.readers.registry import load
from refloat.readers.story import Assembler

Row = dict[str, object]

SESSION = "01a07276-0000-7000-8000-000000000001"
FILE = SourceFile("/none/one.jsonl", 0, 0, 1, 1)

commands = st.sampled_from(
    [
        "pytest -q",
        "git push origin main",
        "rg needle src",
        "cat > made.py <<'EOF'\nx = 1\nEOF",
        "cat > made.py <<'EOF'\nx = 1\nEOF\npytest",
        "sed -i s/a/b/ a.py && make test",
        "mkdir -p d && echo x > d/f",
        "npm run dev &",
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: n.py\n+x\n*** End Patch\nEOF",
        "",
    ]
)
paths = st.sampled_from(["/w/a.py", "b.py", "d/c.py"])
patches = st.sampled_from(
    [
        "*** Begin Patch\n*** Update File: a.py\n*** Move to: z.py\n@@\n-x\n+y\n*** End Patch\n",
        "*** Begin Patch\n*** Delete File: b.py\n*** End Patch\n",
        "no patch",
    ]
)


def stamp(at: int) -> str:
    return f"2026-06-01T08:{at // 60:02d}:{at % 60:02d}.000Z"


@st.composite
def claude_rows(draw: st.DrawFn) -> list[Row]:
    found: list[Row] = []

    def add(kind: str, content: object, **more: object) -> None:
        at = len(found)
        row: Row = {"type": kind, "uuid": f"u{at}", "parentUuid": f"u{at - 1}" if at else None, "cwd": "/w"}
        message = {"role": kind, "id": f"m{at}", "model": "one", "content": content}
        found.append(row | {"timestamp": stamp(at), "version": "2.1.270", "message": message} | more)

    add("user", "Do it", promptSource="typed")
    for at in range(draw(st.integers(1, 6))):
        path, command = draw(paths), draw(commands)
        tool, asked, told = draw(
            st.sampled_from(
                [
                    ("Bash", {"command": command}, {"stdout": "", "stderr": "", "interrupted": False}),
                    ("Bash", {"command": command}, {"bashEditDiff": {"files": [{"filePath": path, "hunks": []}]}}),
                    ("Edit", {"file_path": path, "old_string": "x", "new_string": "y"}, {"filePath": path}),
                    ("Edit", {"file_path": path}, {"filePath": path, "oldString": "x", "newString": "y"}),
                    ("MultiEdit", {"file_path": path}, {"filePath": path, "edits": [], "originalFileContents": "x"}),
                    ("Write", {"file_path": path, "content": "x"}, {"filePath": path, "content": "x"}),
                    ("NotebookEdit", {"notebook_path": path}, {"notebook_path": path, "updated_file": "{}"}),
                    ("Read", {"file_path": path}, {"type": "text", "file": {"filePath": path, "content": "x"}}),
                    ("Unheard", {"file_path": path}, {"filePath": path, "content": "x"}),
                ]
            )
        )
        add("assistant", [{"type": "tool_use", "id": f"t{at}", "name": tool, "input": asked}], stop_reason="tool_use")
        failed = draw(st.booleans())
        said = draw(st.sampled_from(["done", "Exit code 2", "<tool_use_error>no", "The user doesn't want to proceed"]))
        block = {"type": "tool_result", "tool_use_id": f"t{at}", "content": said, "is_error": failed}
        shut = {"interruptedByShutdown": True} if draw(st.integers(0, 5)) == 0 else {}
        if draw(st.integers(0, 4)):
            add("user", [block], toolUseResult=draw(st.sampled_from([told, said, None])), **shut)
    return found


@st.composite
def codex_rows(draw: st.DrawFn) -> list[Row]:
    found: list[Row] = []

    def add(kind: str, **payload: object) -> None:
        found.append({"timestamp": stamp(len(found)), "type": kind, "payload": payload})

    add("session_meta", id=SESSION, timestamp=stamp(0), cwd="/w", cli_version="0.145.0")
    add("event_msg", type="task_started", turn_id="one")
    add("event_msg", type="user_message", message="Do it")
    for at in range(draw(st.integers(1, 6))):
        call, command = f"c{at}", draw(commands)
        match draw(st.sampled_from(["exec", "shell", "local", "patch", "code"])):
            case "exec":
                given_ = json.dumps({"cmd": command, "workdir": "d"})
                add("response_item", type="function_call", name="exec_command", arguments=given_, call_id=call)
            case "shell":
                given_ = json.dumps({"command": ["bash", "-lc", command]})
                add("response_item", type="function_call", name="shell", arguments=given_, call_id=call)
            case "local":
                action = {"type": "exec", "command": ["bash", "-lc", command]}
                add("response_item", type="local_shell_call", action=action, call_id=call)
            case "patch":
                add("response_item", type="custom_tool_call", name="apply_patch", input=draw(patches), call_id=call)
            case _:
                code = f"await tools.exec_command({{cmd: {json.dumps(command)}}})"
                add("response_item", type="custom_tool_call", name="exec", input=code, call_id=call)
        if draw(st.booleans()):
            parsed = draw(st.sampled_from([[{"type": "read"}], [{"type": "search"}], []]))
            add("event_msg", type="exec_command_end", call_id=call, command=[command], parsed_cmd=parsed, exit_code=0)
        said = draw(
            st.sampled_from(
                ["Process exited with code 1\nOutput:\n", "exec command rejected by user", "aborted by user", "fine"]
            )
        )
        if draw(st.integers(0, 4)):
            add("response_item", type="function_call_output", call_id=call, output=said)
    if draw(st.booleans()):
        add("event_msg", type="task_complete", turn_id="one", last_agent_message="Done")
    return found


def read(agent: str, rows: Sequence[Row], *, skim: bool, frozen_at: int = -1) -> Summary:
    found = Found(agent, SESSION, (Segment(FILE),))
    reader = load(agent)
    parser = reader.parser(found, skim=skim)
    assembler = Assembler(agent, SESSION, keep_items=not skim)
    assembler.take(parser.open(found.segments[0]))
    for at, row in enumerate(rows):
        if at == frozen_at:
            parser = reader.parser(found, None, orjson.loads(orjson.dumps(parser.freeze())), skim=skim)
            thawed = orjson.loads(orjson.dumps(assembler.freeze()))
            assembler = Assembler(agent, SESSION, keep_items=False, frozen=thawed)
        assembler.take(parser.feed(Line(FILE.path, at + 1, at * 100, row, size=100 + at)))
    assembler.take(parser.finish())
    return assembler.summary()


@pytest.mark.parametrize(("agent", "rows"), [("claude-code", claude_rows()), ("codex", codex_rows())])
def test_skimming_comes_to_the_same_summary(agent: str, rows: st.SearchStrategy[list[Row]]) -> None:
    @given(rows, st.integers(-1, 12))
    @settings(max_examples=150, deadline=None)
    def same(made: list[Row], frozen_at: int) -> None:
        whole = read(agent, made, skim=False)
        assert whole.steps
        assert read(agent, made, skim=True) == whole
        assert read(agent, made, skim=True, frozen_at=frozen_at) == whole

    same()


@pytest.mark.parametrize(("agent", "rows"), [("claude-code", claude_rows()), ("codex", codex_rows())])
def test_places_are_those_of_the_items(agent: str, rows: st.SearchStrategy[list[Row]]) -> None:
    def assemble(made: Sequence[Row], *, places: Places | None) -> Assembler:
        found = Found(agent, SESSION, (Segment(FILE),))
        parser = load(agent).parser(found, skim=places is not None)
        assembler = Assembler(agent, SESSION, keep_items=places is None, places=places)
        assembler.take(parser.open(found.segments[0]))
        for at, row in enumerate(made):
            if places is not None:
                places.begin(at * 100)
            assembler.take(parser.feed(Line(FILE.path, at + 1, at * 100, row, size=100 + at)))
        assembler.take(parser.finish())
        return assembler

    @given(rows)
    @settings(max_examples=100, deadline=None)
    def same(made: list[Row]) -> None:
        items = assemble([*made, *made[:3]], places=None).items()
        places = Places()
        assemble([*made, *made[:3]], places=places)
        places.note()
        assert len(places.positions) == len(items)
        assert list(places.positions) == sorted(places.positions)
        steps = [places.step_of(at) for at in range(len(items))]
        assert steps == [item.step.n if item.step else None for item in items]

    same()
