"""A home full of sessions of both agents, made up: the same seed gives the same bytes.

Record mix and sizes follow what the format documents tell of real files: many small rows, a few large tool outputs,
about half of Claude Code's rows being metadata, sizes of files spread over three orders of magnitude. Every tenth
session ends badly: a call without an answer, a cut last record, an error of the provider, NUL bytes in the middle.

    python benchmarks/corpus.py OUT --sessions 2000 --megabytes 200
"""

import argparse
import json
import os
import random
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

BASE = datetime(2026, 6, 1, 8, 0, tzinfo=UTC)
PROJECTS = 40
_TEXT = """the importer retry loop parse file total ledger invoice report export branch test failed passed value error
line column update handler request response cache index write read check session config default path module"""
WORDS = tuple(_TEXT.split())


@dataclass(slots=True)
class Maker:
    """One session under way: its clock, its chance, its rows."""

    chance: random.Random
    workspace: str
    moment: datetime
    session: str
    rows: list[bytes] = field(default_factory=list[bytes])
    size: int = 0
    count: int = 0

    def tick(self) -> str:
        self.moment += timedelta(milliseconds=self.chance.randint(40, 20_000))
        return f"{self.moment:%Y-%m-%dT%H:%M:%S}.{self.moment.microsecond // 1000:03d}Z"

    def words(self, most: int) -> str:
        return " ".join(self.chance.choices(WORDS, k=self.chance.randint(3, most)))

    def output(self) -> str:
        """Mostly short, now and then long, as tool outputs are."""
        lines = min(2000, int(self.chance.lognormvariate(2.2, 1.3)) + 1)
        return "\n".join(self.words(14) for _ in range(lines))

    def id(self) -> str:
        return str(uuid.UUID(int=self.chance.getrandbits(128), version=4))

    def add(self, row: dict[str, Any]) -> None:
        self.count += 1
        line = json.dumps(row, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        self.rows.append(line)
        self.size += len(line)


def claude_session(make: Maker, wanted: int, ending: str) -> None:
    """Rows of a Claude Code transcript until it has the wanted size."""
    parent: str | None = None

    def row(kind: str, **more: Any) -> None:
        nonlocal parent
        mine = make.id()
        make.add(
            {"parentUuid": parent, "isSidechain": False, "type": kind}
            | more
            | {
                "uuid": mine,
                "timestamp": make.tick(),
                "userType": "external",
                "entrypoint": "cli",
                "cwd": make.workspace,
                "sessionId": make.session,
                "version": "2.1.270",
                "gitBranch": "main",
            }
        )
        parent = mine

    def reply(block: dict[str, Any], stop: str | None) -> None:
        message = {"model": "claude-sonnet-5", "id": f"msg_{make.count:08d}", "type": "message", "role": "assistant"}
        usage = {"input_tokens": 10, "cache_read_input_tokens": 12_000, "output_tokens": 42}
        row("assistant", message=message | {"content": [block], "stop_reason": stop, "usage": usage})

    def meta() -> None:
        make.add({"type": "ai-title", "aiTitle": make.words(6), "sessionId": make.session})
        make.add({"type": "permission-mode", "permissionMode": "acceptEdits", "sessionId": make.session})
        make.add({"type": "last-prompt", "lastPrompt": make.words(12), "leafUuid": parent, "sessionId": make.session})

    while make.size < wanted:
        row("user", message={"role": "user", "content": make.words(40)}, promptSource="typed")
        for _ in range(make.chance.randint(1, 12)):
            call = f"toolu_{make.count:06d}{make.chance.getrandbits(40):010x}"
            name, asked, told = claude_step(make)
            reply({"type": "text", "text": make.words(30)}, None)
            reply({"type": "tool_use", "id": call, "name": name, "input": asked}, "tool_use")
            block = {"tool_use_id": call, "type": "tool_result", "content": told[0], "is_error": False}
            row("user", message={"role": "user", "content": [block]}, toolUseResult=told[1])
        reply({"type": "text", "text": make.words(80)}, "end_turn")
        row("system", subtype="turn_duration", durationMs=22_830, isMeta=False)
        meta()
    if ending in {"dangling", "cut"}:
        row("user", message={"role": "user", "content": make.words(20)}, promptSource="typed")
        asked = {"command": "git push origin main"}
        reply({"type": "tool_use", "id": f"toolu_last{make.count}", "name": "Bash", "input": asked}, "tool_use")
    if ending == "error":
        row(
            "assistant",
            message={
                "id": make.id(),
                "model": "<synthetic>",
                "role": "assistant",
                "type": "message",
                "stop_reason": "stop_sequence",
                "content": [{"type": "text", "text": "You've hit your limit · resets 2pm"}],
            },
            error="rate_limit",
            isApiErrorMessage=True,
            apiErrorStatus=429,
        )


def claude_step(make: Maker) -> tuple[str, dict[str, Any], tuple[str, Any]]:
    """A tool's name, its arguments, and its answer in both places where it stands."""
    path = f"{make.workspace}/src/module_{make.chance.randrange(30)}.py"
    draw = make.chance.random()
    if draw < 0.45:
        output = make.output()
        told = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        return "Bash", {"command": f"pytest -q {make.words(4)}", "description": "Run"}, (output, told)
    if draw < 0.75:
        text = make.output()
        told = {"type": "text", "file": {"filePath": path, "content": text, "numLines": text.count("\n") + 1}}
        return "Read", {"file_path": path}, (text, told)
    old, new = make.words(8), make.words(8)
    patch = {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": [f"-{old}", f"+{new}"]}
    told = {"filePath": path, "oldString": old, "newString": new, "originalFile": f"{old}\n{make.output()}\n"}
    asked = {"file_path": path, "old_string": old, "new_string": new}
    return "Edit", asked, (f"The file {path} has been updated.", told | {"structuredPatch": [patch]})


def codex_session(make: Maker, wanted: int, ending: str) -> None:
    """Rows of a Codex rollout until it has the wanted size."""

    def row(kind: str, **payload: Any) -> None:
        make.add({"timestamp": make.tick(), "type": kind, "payload": payload})

    row(
        "session_meta",
        id=make.session,
        timestamp=make.tick(),
        cwd=make.workspace,
        originator="codex-tui",
        cli_version="0.145.0",
        source="cli",
        model_provider="openai",
        base_instructions={"text": make.words(4000)},
        git={"commit_hash": "9c1e0f2a00000000000000000000000000000000", "branch": "main"},
    )
    first = True
    while first or make.size < wanted:
        first = False
        turn = make.id()
        row("event_msg", type="task_started", turn_id=turn, model_context_window=258_400)
        row("turn_context", turn_id=turn, cwd=make.workspace, approval_policy="on-request", model="gpt-5.6")
        asked = make.words(40)
        row("response_item", type="message", role="user", content=[{"type": "input_text", "text": asked}])
        row("event_msg", type="user_message", message=asked, images=[])
        for _ in range(make.chance.randint(1, 12)):
            codex_step(make, row)
        said = make.words(60)
        row("event_msg", type="agent_message", message=said, phase="final_answer")
        row("response_item", type="message", role="assistant", content=[{"type": "output_text", "text": said}])
        row("event_msg", type="task_complete", turn_id=turn, last_agent_message=said)
    if ending in {"dangling", "cut"}:
        row("event_msg", type="task_started", turn_id=make.id())
        row("event_msg", type="user_message", message=make.words(20), images=[])
        words = json.dumps({"cmd": "git push origin main", "workdir": make.workspace})
        row("response_item", type="function_call", name="exec_command", arguments=words, call_id=f"call_l{make.count}")
    if ending == "error":
        told = {"message": "You've hit your usage limit.", "codex_error_info": "usage_limit_exceeded"}
        row("event_msg", type="task_started", turn_id="turn-last")
        row("event_msg", type="task_complete", turn_id="turn-last", last_agent_message=None, error=told)


def codex_step(make: Maker, row: Any) -> None:
    """A call with its output, and the noise around it."""
    call = f"call_{make.count:06d}{make.chance.getrandbits(40):010x}"
    row("response_item", type="reasoning", summary=[{"type": "summary_text", "text": make.words(6)}], content=None)
    if make.chance.random() < 0.8:
        words = json.dumps({"cmd": f"pytest -q {make.words(4)}", "workdir": make.workspace})
        row("response_item", type="function_call", name="exec_command", arguments=words, call_id=call)
        output = f"Chunk ID: 1f0c\nWall time: 2.1 seconds\nProcess exited with code 0\nOutput:\n{make.output()}\n"
        row("response_item", type="function_call_output", call_id=call, output=output)
    else:
        path = f"src/module_{make.chance.randrange(30)}.py"
        patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-{make.words(8)}\n+{make.words(8)}\n*** End Patch\n"
        row("response_item", type="custom_tool_call", call_id=call, name="apply_patch", input=patch)
        told = {"output": f"Success. Updated the following files:\nM {path}\n", "metadata": {"exit_code": 0}}
        row("response_item", type="custom_tool_call_output", call_id=call, output=json.dumps(told))
    usage = {"input_tokens": 2895, "cached_input_tokens": 2560, "output_tokens": 246, "total_tokens": 3141}
    row("event_msg", type="token_count", info={"total_token_usage": usage, "model_context_window": 258_400})


def sizes(chance: random.Random, sessions: int, total: int) -> Iterator[int]:
    """Bytes of each session: spread over three orders of magnitude, `total` together."""
    drawn = [chance.lognormvariate(0, 1.4) for _ in range(sessions)]
    scale = total / sum(drawn)
    yield from (max(2_000, int(each * scale)) for each in drawn)


def make_home(out: Path, sessions: int, total: int, seed: int = 1) -> list[Path]:
    """Write `sessions` transcripts of `total` bytes together below `out/home`; their paths, oldest first."""
    chance = random.Random(seed)  # noqa: S311 - made-up data
    made: list[Path] = []
    for at, size in enumerate(sizes(chance, sessions, total)):
        workspace = f"{out}/work/project-{at % PROJECTS:02d}"
        begun = BASE + timedelta(minutes=20 * at)
        one = random.Random(f"{seed}:{at}")  # noqa: S311 - made-up data
        make = Maker(one, workspace, begun, str(uuid.UUID(int=one.getrandbits(128), version=4)))
        ending = one.choices(("whole", "dangling", "cut", "error", "nul"), (90, 4, 2, 2, 2))[0]
        claude = at % 2 == 0
        (claude_session if claude else codex_session)(make, size, ending)
        path = claude_path(out, make) if claude else codex_path(out, make, begun)
        write(path, make, ending)
        made.append(path)
    return made


def claude_path(out: Path, make: Maker) -> Path:
    folder = "".join(c if c.isascii() and c.isalnum() else "-" for c in make.workspace)
    return out / "home" / ".claude" / "projects" / folder / f"{make.session}.jsonl"


def codex_path(out: Path, make: Maker, begun: datetime) -> Path:
    name = f"rollout-{begun:%Y-%m-%dT%H-%M-%S}-{make.session}.jsonl"
    return out / "home" / ".codex" / "sessions" / f"{begun:%Y/%m/%d}" / name


def write(path: Path, make: Maker, ending: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = list(make.rows)
    if ending == "nul":
        rows.insert(len(rows) // 2, b"\0" * 512 + b"\n")
    if ending == "cut":
        rows[-1] = rows[-1][: len(rows[-1]) * 2 // 3]
    path.write_bytes(b"".join(rows))
    moment = make.moment.timestamp()
    os.utime(path, (moment, moment))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--megabytes", type=float, default=100)
    parser.add_argument("--seed", type=int, default=1)
    words = parser.parse_args()
    made = make_home(words.out.absolute(), words.sessions, int(words.megabytes * 1_000_000), words.seed)
    total = sum(path.stat().st_size for path in made)
    print(f"{len(made):,} sessions, {total:,} bytes below {words.out}/home")


if __name__ == "__main__":
    main()
