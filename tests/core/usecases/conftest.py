"""A home of made-up Claude Code sessions, small enough to see through."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from refloat.readers.registry import load
from refloat.testing.fakes import FakeClock, FakeProcesses, fake_machine
from refloat.usecases.workbench import Workbench


class Home:
    """Writes sessions and offers a workbench on them."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.clock = FakeClock()
        self.processes = FakeProcesses()
        self.work = directory / "work"
        self.work.mkdir()
        self.projects = directory / "home" / ".claude" / "projects"

    @property
    def bench(self) -> Workbench:
        machine = fake_machine(self.directory, clock=self.clock, processes=self.processes)
        return Workbench(machine, [load("claude-code")])

    def path(self, session: str, project: str = "p") -> Path:
        return self.projects / project / f"{session}.jsonl"

    def write(self, session: str, *rows: Mapping[str, Any] | bytes, project: str = "p", end: bytes = b"\n") -> Path:
        path = self.path(session, project)
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows]
        path.write_bytes(b"\n".join(lines) + end)
        os.utime(path, (1_780_000_000, 1_780_000_000))
        return path

    def append(self, session: str, *rows: Mapping[str, Any] | bytes, end: bytes = b"\n") -> None:
        lines = [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows]
        with self.path(session).open("ab") as file:
            file.write(b"\n".join(lines) + end)

    def row(
        self, session: str, n: int, kind: str, content: Any, *, minute: int = 0, of: str = "", **more: Any
    ) -> dict[str, Any]:
        """A conversation row; `of` names the session that it was copied from."""
        ids = of or session
        message: dict[str, Any] = {"role": kind, "content": content}
        if kind == "assistant":
            message |= {"id": f"msg_{n}", "model": "claude-sonnet-5", "type": "message", "stop_reason": "end_turn"}
        return {
            "parentUuid": f"{ids}-row-{n - 1}" if n > 1 else None,
            "isSidechain": False,
            "type": kind,
            "message": message,
            "uuid": f"{ids}-row-{n}",
            "timestamp": f"2026-09-14T09:{minute:02d}:{n % 60:02d}.000Z",
            "userType": "external",
            "entrypoint": "cli",
            "cwd": str(self.work),
            "sessionId": session,
            "version": "2.1.270",
            "gitBranch": "main",
        } | more

    def talk(
        self, session: str, prompt: str = "Make it retry", *, minute: int = 0, **more: Any
    ) -> list[dict[str, Any]]:
        """A prompt and the agent's last word on it."""
        said = [{"type": "text", "text": "Done."}]
        return [
            self.row(session, 1, "user", prompt, minute=minute, promptSource="typed", **more),
            self.row(session, 2, "assistant", said, minute=minute, **more),
        ]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)
