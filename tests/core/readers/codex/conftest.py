"""Small invented Codex homes."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from refloat.model.story import Story
from refloat.model.transcript import Step
from refloat.readers.codex import Codex
from refloat.readers.contract import Found, FoundSubagent, Identity, SourceFile
from refloat.readers.story import Assembler
from refloat.usecases import reading

CWD = "/home/ada/src/ledgerly"
T1 = "01a07276-0000-7000-8000-000000000001"
T2 = "01a07277-0000-7000-8000-000000000002"
T3 = "01a07278-0000-7000-8000-000000000003"


def stamp(seconds: float) -> str:
    """A moment on the day of all tests."""
    whole = int(seconds)
    return (
        f"2026-09-05T{16 + whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}.{round(seconds % 1 * 1000):03d}Z"
    )


@dataclass
class Rollout:
    """One file under construction."""

    path: Path
    paginated: bool = False
    now: float = 0
    rows: list[bytes] = field(default_factory=list[bytes])

    def raw(self, data: bytes) -> "Rollout":
        self.rows.append(data)
        return self

    def row(self, kind: str, payload: object, /, **more: object) -> "Rollout":
        self.now += 1
        numbered = {"ordinal": len(self.rows)} if self.paginated else {}
        value = {"timestamp": stamp(self.now), **numbered, "type": kind, "payload": payload, **more}
        return self.raw(json.dumps(value).encode() + b"\n")

    def bare(self, value: object) -> "Rollout":
        return self.raw(json.dumps(value).encode() + b"\n")

    def meta(self, thread: str = T1, /, **more: object) -> "Rollout":
        base = {"id": thread, "timestamp": stamp(self.now), "cwd": CWD, "originator": "codex-tui", "source": "cli"}
        git = {"commit_hash": "9c1e0f2a" * 5, "branch": "main"}
        return self.row("session_meta", {**base, "cli_version": "0.148.0", "git": git, **more})

    def event(self, kind: str, /, **fields: object) -> "Rollout":
        return self.row("event_msg", {"type": kind, **fields})

    def item(self, kind: str, /, **fields: object) -> "Rollout":
        return self.row("response_item", {"type": kind, **fields})

    def done(self, kind: str, id_: str, /, **fields: object) -> "Rollout":
        return self.event("item_completed", thread_id=T1, turn_id="turn", item={"type": kind, "id": id_, **fields})

    def said(self, role: str, text: str, **more: object) -> "Rollout":
        part = "output_text" if role == "assistant" else "input_text"
        return self.item("message", role=role, content=[{"type": part, "text": text}], **more)

    def prompt(self, text: str, turn: str = "turn") -> "Rollout":
        self.event("task_started", turn_id=turn)
        self.row("turn_context", {"turn_id": turn, "cwd": CWD, "approval_policy": "on-request", "model": "gpt-5.6"})
        return self.said("user", text).event("user_message", message=text, images=[])

    def call(self, id_: str, name: str, arguments: object) -> "Rollout":
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        return self.item("function_call", name=name, arguments=text, call_id=id_)

    def run(self, id_: str, command: str) -> "Rollout":
        return self.call(id_, "exec_command", {"cmd": command, "workdir": CWD})

    def answer(self, id_: str, output: object) -> "Rollout":
        return self.item("function_call_output", call_id=id_, output=output)

    def exited(self, id_: str, code: int, output: str = "") -> "Rollout":
        head = f"Chunk ID: 1f0c\nWall time: 2.1 seconds\nProcess exited with code {code}\nOutput:\n"
        return self.answer(id_, head + output)

    def patch(self, id_: str, body: str) -> "Rollout":
        text = f"*** Begin Patch\n{body}\n*** End Patch\n"
        return self.item("custom_tool_call", status="completed", call_id=id_, name="apply_patch", input=text)

    def end(self, last: str | None = "Done.", turn: str = "turn", **more: object) -> "Rollout":
        return self.event("task_complete", turn_id=turn, last_agent_message=last, **more)

    @property
    def bytes(self) -> bytes:
        return b"".join(self.rows)

    def save(self) -> "Rollout":
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(self.bytes)
        return self


@dataclass
class CodexHome:
    """A `~/.codex` and what a reader makes of it."""

    home: Path
    reader: Codex = field(default_factory=Codex)

    @property
    def root(self) -> Path:
        return self.home / ".codex"

    def rollout(self, thread: str = T1, rollout: str = "", *, paginated: bool = False, at: float = 0) -> Rollout:
        name = f"rollout-2026-09-05T16-{int(at) // 60:02d}-{int(at) % 60:02d}-{thread}"
        path = self.root / "sessions/2026/09/05" / f"{name}{'_' + rollout if rollout else ''}.jsonl"
        return Rollout(path, paginated, at)

    def files(self) -> list[tuple[SourceFile, Identity]]:
        found: list[tuple[SourceFile, Identity]] = []
        for walk in self.reader.walks(self.home, {}):
            if walk.holds == "transcripts":
                for path in sorted(Path(walk.root).rglob("*")):
                    if path.is_file() and path.name.endswith(walk.suffixes):
                        told = path.stat()
                        file = SourceFile(str(path), told.st_size, told.st_mtime_ns, told.st_ino, told.st_dev)
                        found.append((file, self.reader.identify(file)))
        return found

    def all(self) -> Sequence[Found]:
        return self.reader.group(self.files())

    def found(self, thread: str = T1) -> Found:
        return next(found for found in self.all() if found.session_id == thread)

    def story(self, thread: str = T1, subagent: FoundSubagent | None = None) -> Story:
        found = self.found(thread)
        assembler = Assembler("codex", thread, keep_items=True, kept=None, subagent=subagent.id if subagent else None)
        reading.run(self.reader, found, assembler, subagent, resumable=False)
        return assembler.story({})

    def steps(self, thread: str = T1) -> dict[str, Step]:
        return {step.id: step for step in self.story(thread).steps}


def told(story: Story, type_: str) -> list[str]:
    """Texts of the items of one type."""
    return [item.text or "" for item in story.items if item.type == type_]


def marked(story: Story, kind: str) -> list[str]:
    """Texts of the markers of one kind."""
    return [item.marker.text for item in story.items if item.marker and item.marker.kind == kind]


@pytest.fixture
def codex(tmp_path: Path) -> CodexHome:
    return CodexHome(tmp_path)


Told = Callable[[Story, str], list[str]]


@pytest.fixture
def texts_of() -> Told:
    return told


@pytest.fixture
def markers_of() -> Told:
    return marked
