"""Writes transcripts in the two agents' own shapes, for the demo and for tests.

The shapes are those of Claude Code 2.1.2xx and Codex 0.147 (legacy threads); every value is invented.
"""

import json
from collections.abc import Mapping, Sequence
from difflib import unified_diff
from hashlib import sha256
from pathlib import Path
from typing import Final
from uuid import UUID, uuid5

from refloat.model.stamp import Stamp, later, seconds_of

_SPACE: Final = UUID("0b6f6f0a-5c0e-4d7c-9a51-3f8f3b1c9d42")


def invented_id(*parts: str) -> str:
    """A UUID that depends on the parts alone."""
    return str(uuid5(_SPACE, "/".join(parts)))


def unified(before: str, after: str) -> list[str]:
    """The lines of a unified diff of two texts, without file headers."""
    rows = unified_diff(before.splitlines(), after.splitlines(), lineterm="")
    return list(rows)[2:]


def structured_patch(before: str, after: str) -> list[dict[str, object]]:
    """A diff as Claude Code records it."""
    hunks: list[dict[str, object]] = []
    body: list[str] = []
    for row in unified(before, after):
        if not row.startswith("@@"):
            body.append(row)
            continue
        numbers = [[int(n) for n in (part[1:] + ",1").split(",")[:2]] for part in row.split()[1:3]]
        body = []
        hunks.append(
            {
                "oldStart": numbers[0][0],
                "oldLines": numbers[0][1],
                "newStart": numbers[1][0],
                "newLines": numbers[1][1],
                "lines": body,
            }
        )
    return hunks


class _Transcript:
    """Rows of one file, and the clock that they are written by."""

    def __init__(self, path: Path, start: Stamp) -> None:
        self.path = path
        self.start = start
        self.now = start
        self._rows: list[str] = []

    def at(self, seconds: float) -> None:
        """Move the clock to so many seconds after the start."""
        self.now = later(self.start, seconds)

    def row(self, value: Mapping[str, object]) -> None:
        """Add one record."""
        self._rows.append(json.dumps(value, ensure_ascii=False, separators=(",", ":")))

    def write(self, tail: str = "") -> None:
        """Write the file; `tail` goes behind the last line end."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.path.write_text("".join(row + "\n" for row in self._rows) + tail, encoding="utf-8")
        self.path.chmod(0o600)


class ClaudeTranscript(_Transcript):
    """A session of Claude Code."""

    def __init__(
        self,
        home: Path,
        name: str,
        workspace: Path,
        start: Stamp,
        *,
        subagent: str | None = None,
        parent: "ClaudeTranscript | None" = None,
    ) -> None:
        self.session_id = parent.session_id if parent else invented_id("claude-code", name)
        self.workspace, self._name, self._subagent = workspace, name, subagent
        folder = "".join(c if c.isascii() and c.isalnum() else "-" for c in str(workspace))
        path = home / ".claude" / "projects" / folder / f"{self.session_id}.jsonl"
        if parent and subagent:
            path = parent.path.with_suffix("") / "subagents" / f"agent-{subagent}.jsonl"
        super().__init__(path, start)
        self._parent_row: str | None = None
        self._count = 0

    def _chained(self, kind: str, more: Mapping[str, object]) -> None:
        self._count += 1
        row = invented_id("row", self._name, self._subagent or "", str(self._count))
        self.row(
            {
                "parentUuid": self._parent_row,
                "isSidechain": self._subagent is not None,
                **({"agentId": self._subagent} if self._subagent else {}),
                "type": kind,
                **more,
                "uuid": row,
                "timestamp": self.now,
                "userType": "external",
                "entrypoint": "cli",
                "cwd": str(self.workspace),
                "sessionId": self.session_id,
                "version": "2.1.270",
                "gitBranch": "main",
            }
        )
        self._parent_row = row

    def title(self, title: str) -> None:
        """The title that the agent gave."""
        self.row({"type": "ai-title", "aiTitle": title, "sessionId": self.session_id})

    def prompt(self, text: str) -> None:
        """A person asks."""
        message = {"role": "user", "content": text}
        self._chained("user", {"message": message, "origin": {"kind": "human"}, "promptSource": "typed"})

    def notice(self, text: str) -> None:
        """The program says something; nobody asked."""
        self._chained("system", {"subtype": "informational", "content": text, "level": "info", "isMeta": True})

    def _assistant(self, block: Mapping[str, object], stop: str) -> None:
        message = {
            "model": "claude-sonnet-5",
            "id": f"msg_{self._name}_{self._count}",
            "type": "message",
            "role": "assistant",
            "content": [block],
            "stop_reason": stop,
            "usage": {"input_tokens": 12, "output_tokens": 40},
        }
        self._chained("assistant", {"message": message, "requestId": f"req_{self._count}"})

    def reply(self, text: str, *, end: bool = True) -> None:
        """The agent says something, which ends its turn or not."""
        self._assistant({"type": "text", "text": text}, "end_turn" if end else "tool_use")
        if end:
            self._chained("system", {"subtype": "turn_duration", "durationMs": 21000, "isMeta": False})

    def call(self, tool: str, arguments: Mapping[str, object]) -> str:
        """A tool is called; its id is returned."""
        call_id = f"toolu_{sha256(f'{self._name}{self._subagent}{self._count}'.encode()).hexdigest()[:20]}"
        self._assistant({"type": "tool_use", "id": call_id, "name": tool, "input": dict(arguments)}, "tool_use")
        return call_id

    def result(self, call_id: str, content: str, structured: object, *, error: bool = False) -> None:
        """A call is answered."""
        block = {"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": error}
        more: dict[str, object] = {"message": {"role": "user", "content": [block]}}
        if self._subagent is None:
            more["toolUseResult"] = structured
        self._chained("user", more)

    def bash(self, command: str, output: str = "", code: int = 0) -> str:
        """A command that ended."""
        call_id = self.call("Bash", {"command": command})
        if code:
            self.result(call_id, f"Exit code {code}\n{output}", f"Error: Exit code {code}\n{output}", error=True)
        else:
            told = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
            self.result(call_id, output, told)
        return call_id

    def background(self, command: str, shell: str) -> None:
        """A command that goes on in the background."""
        call_id = self.call("Bash", {"command": command, "run_in_background": True})
        told = {"stdout": "", "stderr": "", "interrupted": False, "isImage": False, "backgroundTaskId": shell}
        self.result(call_id, f"Command running in background with ID: {shell}.", told)

    def edit(self, path: Path, old: str, new: str, before: str) -> str:
        """An edit that was made; the whole content after it is returned."""
        after = before.replace(old, new, 1)
        arguments = {"file_path": str(path), "old_string": old, "new_string": new, "replace_all": False}
        told = {
            "filePath": str(path),
            "oldString": old,
            "newString": new,
            "originalFile": before,
            "structuredPatch": structured_patch(before, after),
            "userModified": False,
            "replaceAll": False,
        }
        self.result(self.call("Edit", arguments), f"The file {path} has been updated successfully.", told)
        return after

    def create(self, path: Path, content: str) -> str:
        """A file that was written."""
        told: dict[str, object] = {
            "type": "create",
            "filePath": str(path),
            "content": content,
            "structuredPatch": [],
            "originalFile": None,
        }
        call_id = self.call("Write", {"file_path": str(path), "content": content})
        self.result(call_id, f"File created successfully at: {path}", told)
        return content

    def compaction(self, summary: str) -> None:
        """The talk was compacted."""
        before = self._parent_row
        self._parent_row = None
        meta = {"trigger": "auto", "preTokens": 155000}
        more = {"subtype": "compact_boundary", "content": "Conversation compacted", "logicalParentUuid": before}
        self._chained("system", {**more, "level": "info", "isMeta": False, "compactMetadata": meta})
        message = {"role": "user", "content": summary}
        self._chained("user", {"message": message, "isCompactSummary": True, "isVisibleInTranscriptOnly": True})

    def interrupted(self) -> None:
        """The person pressed Esc."""
        block = {"type": "text", "text": "[Request interrupted by user]"}
        self._chained("user", {"message": {"role": "user", "content": [block]}})

    def register(self, home: Path, pid: int, start_token: str, status: str = "busy") -> None:
        """The register file of a process that owns this session."""
        started = int(seconds_of(self.start) * 1000)
        value = {
            "pid": pid,
            "sessionId": self.session_id,
            "cwd": str(self.workspace),
            "startedAt": started,
            "procStart": start_token,
            "version": "2.1.270",
            "kind": "interactive",
            "entrypoint": "cli",
            "status": status,
            "updatedAt": int(seconds_of(self.now) * 1000),
        }
        path = home / ".claude" / "sessions" / f"{pid}.json"
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_text(json.dumps(value), encoding="utf-8")

    def subagent_header(self, call_id: str, description: str) -> None:
        """The header file of a sub-agent."""
        value = {"agentType": "general-purpose", "description": description, "toolUseId": call_id, "spawnDepth": 1}
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.path.with_suffix(".meta.json").write_text(json.dumps(value), encoding="utf-8")


class CodexTranscript(_Transcript):
    """A thread of Codex."""

    def __init__(self, home: Path, name: str, workspace: Path, start: Stamp, commit: str) -> None:
        digest = sha256(name.encode()).hexdigest()
        milliseconds = int(seconds_of(start) * 1000)
        self.session_id = (
            f"{milliseconds >> 16:08x}-{milliseconds & 0xFFFF:04x}-7{digest[:3]}-8{digest[3:6]}-{digest[6:18]}"
        )
        self.workspace, self._name, self._turn, self._count = workspace, name, "", 0
        day, clock = start[:10], start[11:19].replace(":", "-")
        folder = home / ".codex" / "sessions" / day.replace("-", "/")
        super().__init__(folder / f"rollout-{day}T{clock}-{self.session_id}.jsonl", start)
        self._said(
            "session_meta",
            {
                "id": self.session_id,
                "timestamp": start,
                "cwd": str(workspace),
                "originator": "codex-tui",
                "cli_version": "0.147.0",
                "source": "cli",
                "git": {"commit_hash": commit, "branch": "main"},
            },
        )

    def _said(self, kind: str, payload: Mapping[str, object]) -> None:
        self.row({"timestamp": self.now, "type": kind, "payload": payload})

    def _event(self, kind: str, **more: object) -> None:
        self._said("event_msg", {"type": kind, **more})

    def prompt(self, text: str) -> None:
        """A person asks, and a turn begins."""
        self._count += 1
        self._turn = invented_id("turn", self._name, str(self._count))
        self._event("task_started", turn_id=self._turn, model_context_window=258400)
        context = {
            "turn_id": self._turn,
            "cwd": str(self.workspace),
            "approval_policy": "on-request",
            "model": "gpt-5.6",
        }
        self._said("turn_context", context)
        content = [{"type": "input_text", "text": text}]
        self._said("response_item", {"type": "message", "role": "user", "content": content})
        self._event("user_message", message=text, images=[])

    def reply(self, text: str) -> None:
        """The agent says something."""
        self._event("agent_message", message=text)
        content = [{"type": "output_text", "text": text}]
        self._said("response_item", {"type": "message", "role": "assistant", "content": content})

    def call(self, name: str, arguments: Mapping[str, object]) -> str:
        """A function is called; its id is returned."""
        self._count += 1
        call_id = f"call_{self._name}_{self._count}"
        payload = {"type": "function_call", "name": name, "arguments": json.dumps(arguments), "call_id": call_id}
        self._said("response_item", payload)
        return call_id

    def command(self, command: str, output: str = "", code: int | None = 0) -> None:
        """A command; `code` None: it never ended."""
        call_id = self.call("exec_command", {"cmd": command, "workdir": str(self.workspace)})
        if code is not None:
            text = f"Wall time: 1.2 seconds\nProcess exited with code {code}\nOutput:\n{output}"
            payload = {"type": "function_call_output", "call_id": call_id, "output": text}
            self._said("response_item", payload)

    def plan(self, entries: Sequence[tuple[str, str]]) -> None:
        """The agent's plan."""
        call_id = self.call("update_plan", {"plan": [{"step": text, "status": status} for text, status in entries]})
        payload = {"type": "function_call_output", "call_id": call_id, "output": "Plan updated"}
        self._said("response_item", payload)

    def patch(self, path: Path, before: str | None, after: str) -> str:
        """A patch that was applied; the content after it is returned."""
        self._count += 1
        call_id = f"call_{self._name}_{self._count}"
        if before is None:
            body = f"*** Add File: {path}\n" + "".join(f"+{row}\n" for row in after.splitlines())
            change: dict[str, object] = {"type": "add", "content": after}
        else:
            rows = unified(before, after)
            hunks = "".join(f"{'@@' if row.startswith('@@') else row}\n" for row in rows)
            body = f"*** Update File: {path}\n{hunks}"
            change = {"type": "update", "unified_diff": "".join(row + "\n" for row in rows), "move_path": None}
        text = f"*** Begin Patch\n{body}*** End Patch\n"
        payload = {"type": "custom_tool_call", "status": "completed", "call_id": call_id, "name": "apply_patch"}
        self._said("response_item", {**payload, "input": text})
        told = {"call_id": call_id, "turn_id": self._turn, "stdout": "Success.", "stderr": "", "success": True}
        self._event("patch_apply_end", **told, changes={str(path): change}, status="completed")
        output = {"type": "custom_tool_call_output", "call_id": call_id, "output": "Exit code: 0\nOutput:\nSuccess."}
        self._said("response_item", output)
        return after

    def end(self, last: str | None) -> None:
        """The turn ends."""
        self._event("task_complete", turn_id=self._turn, last_agent_message=last)

    def failed(self, message: str, kind: str) -> None:
        """The turn ends with an error of the provider."""
        self._event("error", message=message, codex_error_info=kind)
        error = {"message": message, "codex_error_info": kind}
        self._event("task_complete", turn_id=self._turn, last_agent_message=None, error=error)
