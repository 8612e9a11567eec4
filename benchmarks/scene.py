"""A large checkout and one session that edited it, made up: the same numbers give the same bytes.

Files are short; a tenth of the session's files was committed while it ran, a few were put back afterwards, most are
dirty; some of the dirty ones are nobody's. Now and then it runs a check. Both agents can have written the session:
Claude Code's record holds whole befores, Codex's holds hunks.

    python benchmarks/scene.py OUT --agent codex [--files 50000] [--dirty 300] [--edits 2000]
"""

import argparse
import json
import os
import random
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from corpus import WORDS

BEGAN = datetime(2026, 6, 1, 8, 0, tzinfo=UTC)
SESSION = "5f0c1d2e-0000-4000-8000-00000000c0de"
Row = Callable[..., None]


@dataclass(slots=True)
class Scene:
    """What is built below one directory."""

    out: Path
    agent: str
    files: int = 50_000
    dirty: int = 300
    edits: int = 2_000
    chance: random.Random = field(default_factory=lambda: random.Random(7))  # noqa: S311 - made-up data
    texts: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    moment: datetime = BEGAN
    rows: list[str] = field(default_factory=list[str])

    @property
    def repo(self) -> Path:
        """The checkout."""
        return self.out / "work" / "ledgerly"

    @property
    def transcript(self) -> Path:
        """Where the agent keeps the session."""
        home = self.out / "home"
        if self.agent == "codex":
            return home / ".codex" / "sessions" / "2026" / "06" / "01" / f"rollout-2026-06-01T08-00-00-{SESSION}.jsonl"
        folder = "".join(c if c.isascii() and c.isalnum() else "-" for c in str(self.repo))
        return home / ".claude" / "projects" / folder / f"{SESSION}.jsonl"

    def line(self) -> str:
        """One made-up line of code."""
        name, *rest = self.chance.choices(WORDS, k=6)
        return f"    {name}_{self.chance.randrange(10_000)} = {'_'.join(rest[:2])}({', '.join(rest[2:])})"

    def tick(self) -> str:
        """The next moment of the record."""
        self.moment += timedelta(milliseconds=self.chance.randint(400, 4_000))
        return f"{self.moment:%Y-%m-%dT%H:%M:%S}.{self.moment.microsecond // 1000:03d}Z"

    def add(self, **row: object) -> None:
        """One row of the record."""
        self.rows.append(json.dumps(row, separators=(",", ":")))


def build(scene: Scene) -> None:
    """Make the repository, the transcript and the state that the session left behind."""
    names = [f"src/part_{at // 100:03d}/module_{at:05d}.py" for at in range(scene.files)]
    for name in names:
        scene.texts[name] = [f'"""Module {name}."""', "", *(scene.line() for _ in range(scene.chance.randint(15, 60)))]
        write(scene, name)
    git(scene, "init", "-q", "-b", "main")
    git(scene, "add", ".")
    git(scene, "commit", "-q", "-m", "All of it", when=BEGAN - timedelta(days=2))
    _edit_all(scene, names)
    scene.transcript.parent.mkdir(parents=True, exist_ok=True)
    scene.transcript.write_text("\n".join(scene.rows) + "\n")
    ended = scene.moment.timestamp()
    os.utime(scene.transcript, (ended, ended))
    git(scene, "status")  # the index learns the new times, as it would in any checkout that is worked in


def _edit_all(scene: Scene, names: list[str]) -> None:
    chosen = scene.chance.sample(names, scene.dirty)
    stray, created = chosen[: scene.dirty // 10], [f"src/new/module_{at}.py" for at in range(scene.dirty // 10)]
    other = [name for name in names if name not in set(chosen)]
    committed, lost = scene.chance.sample(other, scene.dirty // 10), other[: scene.dirty // 30]
    edited = [*chosen[scene.dirty // 10 : scene.dirty - len(created)], *created, *committed, *lost]
    before = {name: list(scene.texts[name]) for name in lost}
    session = _Claude(scene) if scene.agent == "claude-code" else _Codex(scene)
    session.begin("work through the list")
    for name in created:
        scene.texts[name] = [scene.line() for _ in range(20)]
        session.create(name, scene.texts[name])
    for at in range(scene.edits - len(created)):
        name = edited[at % len(edited)]
        lines = scene.texts[name]
        spot = scene.chance.randrange(2 if len(lines) > 2 else 0, len(lines))
        new = [scene.line() for _ in range(scene.chance.randint(1, 4))]
        session.edit(name, lines, spot, new)
        lines[spot : spot + 1] = new
        if at % 50 == 49:
            out = f"{scene.chance.randint(1, 90)} passed in 0.{at}s\n"
            session.run(f"cd src && python -m pytest -q {name.rpartition('/')[2]} 2>&1 | tail -3", out)
    session.end("Done.")
    for name in edited:
        write(scene, name)
    git(scene, "add", *committed)
    git(scene, "commit", "-q", "-m", "A first part", when=scene.moment)
    for name in lost:
        scene.texts[name] = before[name]
        write(scene, name)
    for name in stray:
        scene.texts[name][-1] = scene.line()
        write(scene, name)


class _Claude:
    """Rows as Claude Code writes them; each edit with the whole content before it."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._parent: str | None = None
        self._made = 0

    def _row(self, kind: str, **more: object) -> None:
        self._made += 1
        mine = f"00000000-0000-4000-8000-{self._made:012x}"
        where = {"cwd": str(self._scene.repo), "sessionId": SESSION, "version": "2.1.270", "gitBranch": "main"}
        self._scene.add(
            parentUuid=self._parent, isSidechain=False, type=kind, uuid=mine, timestamp=self._scene.tick(),
            userType="external", entrypoint="cli", **where, **more,
        )  # fmt: skip
        self._parent = mine

    def _said(self, block: Mapping[str, object], stop: str) -> None:
        message = {"model": "claude-sonnet-5", "id": f"msg_{self._made}", "type": "message", "role": "assistant"}
        self._row("assistant", message=message | {"content": [block], "stop_reason": stop, "usage": {}})

    def begin(self, words: str) -> None:
        self._row("user", message={"role": "user", "content": words}, promptSource="typed")

    def end(self, words: str) -> None:
        self._said({"type": "text", "text": words}, "end_turn")

    def _step(self, tool: str, asked: Mapping[str, object], told: Mapping[str, object]) -> None:
        call = f"toolu_{self._made:024d}"
        self._said({"type": "tool_use", "id": call, "name": tool, "input": asked}, "tool_use")
        words = f"The file {asked['file_path']} has been updated."
        block = {"tool_use_id": call, "type": "tool_result", "content": words}
        self._row("user", message={"role": "user", "content": [block]}, toolUseResult=told)

    def run(self, command: str, out: str) -> None:
        call = f"toolu_{self._made:024d}"
        self._said({"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}}, "tool_use")
        told = {"stdout": out, "stderr": "", "interrupted": False, "isImage": False}
        block = {"tool_use_id": call, "type": "tool_result", "content": out, "is_error": False}
        self._row("user", message={"role": "user", "content": [block]}, toolUseResult=told)

    def create(self, name: str, lines: list[str]) -> None:
        path, text = f"{self._scene.repo}/{name}", "\n".join(lines) + "\n"
        told = {"type": "create", "filePath": path, "content": text, "structuredPatch": [], "originalFile": None}
        self._step("Write", {"file_path": path, "content": text}, told)

    def edit(self, name: str, lines: list[str], spot: int, new: list[str]) -> None:
        path, old, now = f"{self._scene.repo}/{name}", lines[spot], "\n".join(new)
        above, below = lines[max(0, spot - 3) : spot], lines[spot + 1 : spot + 4]
        patch = {
            "oldStart": spot + 1 - len(above), "oldLines": len(above) + 1 + len(below),
            "newStart": spot + 1 - len(above), "newLines": len(above) + len(new) + len(below),
            "lines": [*(" " + x for x in above), "-" + old, *("+" + x for x in new), *(" " + x for x in below)],
        }  # fmt: skip
        told = {
            "filePath": path, "oldString": old, "newString": now, "originalFile": "\n".join(lines) + "\n",
            "structuredPatch": [patch], "userModified": False, "replaceAll": False,
        }  # fmt: skip
        asked = {"file_path": path, "old_string": old, "new_string": now, "replace_all": False}
        self._step("Edit", asked, told)


class _Codex:
    """Rows as Codex writes them; each edit as a patch with three lines around."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._made = 0
        where = {"id": SESSION, "cwd": str(scene.repo), "originator": "codex-tui", "cli_version": "0.145.0"}
        more = {"source": "cli", "model_provider": "openai", "git": {"branch": "main"}}
        self._row("session_meta", timestamp=scene.tick(), **where, **more)

    def _row(self, kind: str, **payload: object) -> None:
        self._scene.add(timestamp=self._scene.tick(), type=kind, payload=payload)

    def begin(self, words: str) -> None:
        self._row("event_msg", type="task_started", turn_id="turn-1")
        self._row("turn_context", turn_id="turn-1", cwd=str(self._scene.repo), model="gpt-5.6")
        content = [{"type": "input_text", "text": words}]
        self._row("response_item", type="message", role="user", content=content)
        self._row("event_msg", type="user_message", message=words, images=[])

    def end(self, words: str) -> None:
        self._row("event_msg", type="agent_message", message=words)
        self._row("event_msg", type="task_complete", turn_id="turn-1", last_agent_message=words)

    def _step(self, name: str, patch: str, sign: str) -> None:
        self._made += 1
        call = f"call_{self._made:024d}"
        self._row("response_item", type="custom_tool_call", call_id=call, name="apply_patch", input=patch)
        told = {"output": f"Success. Updated the following files:\n{sign} {name}\n", "metadata": {"exit_code": 0}}
        self._row("response_item", type="custom_tool_call_output", call_id=call, output=json.dumps(told))
        self._row("event_msg", type="token_count", info={"model_context_window": 258_400})

    def run(self, command: str, out: str) -> None:
        self._made += 1
        call = f"call_{self._made:024d}"
        words = json.dumps({"cmd": command, "workdir": str(self._scene.repo)})
        self._row("response_item", type="function_call", name="exec_command", arguments=words, call_id=call)
        told = f"Chunk ID: 1f0c\nWall time: 2.1 seconds\nProcess exited with code 0\nOutput:\n{out}"
        self._row("response_item", type="function_call_output", call_id=call, output=told)

    def create(self, name: str, lines: list[str]) -> None:
        body = "".join(f"+{line}\n" for line in lines)
        self._step(name, f"*** Begin Patch\n*** Add File: {name}\n{body}*** End Patch\n", "A")

    def edit(self, name: str, lines: list[str], spot: int, new: list[str]) -> None:
        above, below = lines[max(0, spot - 3) : spot], lines[spot + 1 : spot + 4]
        parts = [*(" " + x for x in above), "-" + lines[spot], *("+" + x for x in new), *(" " + x for x in below)]
        body = "\n".join(parts)
        self._step(name, f"*** Begin Patch\n*** Update File: {name}\n@@\n{body}\n*** End Patch\n", "M")


def write(scene: Scene, name: str) -> None:
    """Put a file of the checkout on disk as it is now."""
    path = scene.repo / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(scene.texts[name]) + "\n")


def git(scene: Scene, *words: str, when: datetime = BEGAN) -> None:
    """The benchmark's own git, in the made-up home."""
    dated = {"GIT_AUTHOR_DATE": when.isoformat(), "GIT_COMMITTER_DATE": when.isoformat()}
    named = {f"GIT_{who}_{what}": "ada@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {"PATH": os.environ["PATH"], "HOME": str(scene.out / "home"), "GIT_CONFIG_NOSYSTEM": "1"} | dated | named
    (scene.out / "home").mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "-C", str(scene.repo), *words], env=env, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    """Build one scene. A process of its own: a child's peak of memory counts from its parent's on."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--agent", choices=("claude-code", "codex"), default="claude-code")
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--dirty", type=int, default=300)
    parser.add_argument("--edits", type=int, default=2_000)
    words = parser.parse_args()
    build(Scene(words.out.absolute(), words.agent, words.files, words.dirty, words.edits))


if __name__ == "__main__":
    main()
