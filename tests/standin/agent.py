"""Stand-in agents for tests: real processes that look, write, register and lock as coding agents do.

    with Standin(tmp_path, "claude-code", where="tmux", signals={"SIGINT": "ignore"}) as agent:
        agent.write(lambda talk: talk.prompt("Round prices"))
        child = agent.child(own="session", ignores=["SIGINT"])

What it is asked is done when the call returns: nothing waits for time. With the `with` everything ends that was started
in it, whatever it ignores; should the test's own process be killed, all of it ends by itself.
"""

import json
import os
import pty
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal, Self

import pytest

from refloat.demo.transcripts import ClaudeTranscript, CodexTranscript
from refloat.machine.processes import system_processes
from refloat.model.stamp import Stamp

PATIENCE: Final = 90.0
"""Seconds that anything real is waited for."""

Agent = Literal["claude-code", "codex"]
Where = Literal["child", "pty", "tmux", "orphan"]
"""A child of the test; alone on a terminal of its own; in a pane of a tmux server of its own; without a terminal and
without the parent that started it.
"""
Reaction = Literal["end", "end_second", "ignore", "append", "breed", "die"]
"""End tidily (last rows, no register, no lock); so at the second time; nothing; write rows from now on; start another
child; what the system does.
"""
Talk = ClaudeTranscript | CodexTranscript

_COMMIT: Final = "9c0e2b1f4d5a6978b3c2d1e0f9a8b7c6d5e4f301"
_BOOT: Final = "import sys;sys.path.insert(0,{!r});import program;program.main()"


def now() -> Stamp:
    """This moment."""
    return Stamp(datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"))


def until(condition: Callable[[], bool], what: str) -> None:
    """Wait for a real condition of other processes; fails with `what` when it does not come."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"never came: {what}"
        select.select([], [], [], 0.01)


def is_gone(pid: int) -> bool:
    """Whether a process has ended (a zombie has)."""
    seen = system_processes().get(pid)
    return seen is None or seen.zombie


@dataclass(frozen=True, slots=True)
class Pane:
    """Where an agent sits in tmux."""

    socket: Path
    session: str
    id: str
    """`%0`"""


class Standin:
    """One agent. Use it in a `with`; it is ready when that begins."""

    def __init__(
        self,
        home: Path,
        agent: Agent = "claude-code",
        *,
        where: Where = "child",
        name: str = "standin",
        cwd: Path | None = None,
        signals: Mapping[str, Reaction] | None = None,
        registers: bool = True,
        forged: Mapping[str, object] | None = None,
        holds_open: bool | None = None,
        arguments: Sequence[str] = (),
        reaps: bool = True,
        wrapper: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        prompt: str | None = "Make the importer retry",
        session: "Standin | None" = None,
    ) -> None:
        """Describe it.

        `registers`: whether it has a register (Claude Code) or a held lock (Codex); `forged` fields stand in the
        register instead of the true ones. `arguments` are words behind its name. `wrapper` are words in front of it
        (`screen -D -m`). `prompt` is written at once; None leaves no transcript. `session`: it goes on with the session
        of that one, in the same transcript.
        """
        self.home, self.agent, self.where = home, agent, where
        self.workspace = home / "src" / name if cwd is None else cwd
        self.workspace.mkdir(parents=True, exist_ok=True)
        self.talk: Talk = _talk(agent, home, self.workspace) if session is None else session.talk
        self._written = [0] if session is None else session._written
        self.children: list[int] = []
        self.heard: list[str] = []
        self.pane: Pane | None = None
        self.pid = 0
        self.exit_code: int | None = None
        self._registers, self._forged, self._arguments = registers, forged or {}, arguments
        self._holds_open = agent == "codex" if holds_open is None else holds_open
        default: dict[str, Reaction] = {"SIGINT": "end", "SIGTERM": "end", "SIGHUP": "end", "SIGCONT": "ignore"}
        self._signals = default | dict(signals or {})
        self._reaps, self._wrapper, self._more = reaps, wrapper, environment or {}
        self._prompt = prompt
        self._call = ""
        self._buffer = b""
        self._known: dict[int, str] = {}
        self._closing = ExitStack()

    # ── where its things lie ──

    @property
    def session_id(self) -> str:
        """The session's id."""
        return self.talk.session_id

    @property
    def session(self) -> str:
        """`agent:id`."""
        return f"{self.agent}:{self.session_id}"

    @property
    def transcript(self) -> Path:
        """Its transcript file."""
        return self.talk.path

    @property
    def register(self) -> Path:
        """The register of a Claude Code process."""
        return self.home / ".claude" / "sessions" / f"{self.pid}.json"

    @property
    def lock(self) -> Path:
        """The lock of a Codex thread."""
        return self.home / ".codex" / "thread-writer-locks" / f"{self.session_id}.lock"

    @property
    def variable(self) -> str:
        """The variable that carries the session's id into its children."""
        return "CLAUDE_CODE_SESSION_ID" if self.agent == "claude-code" else "CODEX_THREAD_ID"

    # ── beginning and end ──

    def __enter__(self) -> Self:
        try:
            self._start()
            if self._prompt is not None:
                asked = self._prompt
                self.write(lambda talk: talk.prompt(asked))
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End it and all that it started, whatever they ignore."""
        for pid in (self.pid, *self.children):
            self._kill(pid)
        self._closing.close()

    def _kill(self, pid: int) -> None:
        seen = system_processes().get(pid) if pid > 1 else None
        if seen is not None and seen.start_token == self._known.get(pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _start(self) -> None:
        # Short: the path of a Unix socket has 107 bytes at most (unix(7)).
        place = Path(self._closing.enter_context(tempfile.TemporaryDirectory(prefix="standin-")))
        leash = place / "leash"
        os.mkfifo(leash)
        self._closing.callback(os.close, os.open(leash, os.O_RDWR | os.O_CLOEXEC))
        server = self._closing.enter_context(socket.socket(socket.AF_UNIX))
        server.bind(str(place / "s"))
        server.listen(1)
        server.settimeout(PATIENCE)
        program = place / "bin" / ("claude" if self.agent == "claude-code" else "codex")
        program.parent.mkdir()
        program.symlink_to(Path(sys.executable).resolve())
        shutil.copy(Path(__file__).with_name("program.py"), place)
        words = [str(program), "-c", _BOOT.format(str(place)), *self._arguments]
        given = {key: value for key, value in os.environ.items() if key not in {"TMUX", "TMUX_PANE", self.variable}}
        given |= {"HOME": str(self.home), "STANDIN": str(place / "s"), **self._more}
        self._launch([*self._wrapper, *words], given, place)
        self._told, _ = server.accept()
        self._closing.callback(self._told.close)
        self._told.settimeout(PATIENCE)
        self._send(self._how(leash))
        self.pid = int(self._answer("pid"))
        self._remember(self.pid)
        if self.where == "tmux":
            asked = self._tmux(place, "display-message", "-p", "-t", "agent", "#{pane_id}")
            self.pane = Pane(place / "tmux", "agent", asked.strip())

    def _how(self, leash: Path) -> Mapping[str, object]:
        claude, codex = self.agent == "claude-code", self.agent == "codex"
        return {
            "session": self.session_id,
            "variable": self.variable,
            "transcript": str(self.transcript),
            "sessions": str(self.home / ".claude" / "sessions") if claude and self._registers else None,
            "register": {
                "sessionId": self.session_id,
                "cwd": str(self.workspace),
                "startedAt": int(time.time() * 1000),
                "version": "2.1.270",
                "peerProtocol": 1,
                "kind": "interactive",
                "entrypoint": "cli",
                "status": "busy",
                "updatedAt": int(time.time() * 1000),
            },
            "forged": self._forged,
            "lock": str(self.lock) if codex and self._registers else None,
            "holds_open": self._holds_open,
            "signals": self._signals,
            "beat": self._beat(),
            "leash": str(leash),
            "take_terminal": self.where == "pty",
            "reaps": self._reaps,
        }

    def _launch(self, words: Sequence[str], given: Mapping[str, str], place: Path) -> None:
        how: dict[str, Any] = {"env": given, "cwd": self.workspace, "stdin": subprocess.DEVNULL}
        match self.where:
            case "child":
                self._child(words, **how)
            case "pty":
                self.terminal, other = pty.openpty()
                self._closing.callback(self.close_terminal)
                self._child(words, **how | dict.fromkeys(("stdin", "stdout", "stderr"), other), start_new_session=True)
                os.close(other)
            case "orphan":
                quiet = dict.fromkeys(("stdout", "stderr"), subprocess.DEVNULL)
                subprocess.run(["sh", "-c", '"$@" &', "sh", *words], check=True, start_new_session=True, **how, **quiet)
            case _:
                need("tmux")
                self._closing.callback(self.close_terminal)
                self._place = place
                first = ["tmux", "-f", os.devnull, "-S", str(place / "tmux"), "new-session", "-d", "-s", "agent"]
                subprocess.run([*first, "-x", "120", "-y", "30", *words], check=True, **how)

    def _child(self, words: Sequence[str], **how: Any) -> None:
        child = subprocess.Popen(words, **how)
        self._child_process = child

        def end() -> None:
            child.kill()
            self.exit_code = child.wait()

        self._closing.callback(end)

    def reap(self) -> int:
        """Take the end of a `child` or `pty` one, as its parent would; its exit code."""
        self.exit_code = self._child_process.wait(PATIENCE)
        return self.exit_code

    def _tmux(self, place: Path, *words: str) -> str:
        command = ["tmux", "-S", str(place / "tmux"), *words]
        return subprocess.run(command, check=False, capture_output=True, text=True).stdout

    def close_terminal(self) -> None:
        """Close its terminal's window: the master of its pty, or the whole tmux server."""
        if self.where == "pty" and self.terminal >= 0:
            os.close(self.terminal)
            self.terminal = -1
        if self.where == "tmux":
            self._tmux(self._place, "kill-server")

    # ── what it is asked ──

    def write(self, said: Callable[[Any], object]) -> None:
        """Have it write rows: `said` gets the talk and calls what it wants of it (`prompt`, `call`, `reply`, …)."""
        self.talk.now = now()
        self._call = ""
        said(self.talk)
        self._append()

    def call(self, command: str) -> None:
        """Have it begin a command whose result it does not write."""
        self.talk.now = now()
        if isinstance(self.talk, CodexTranscript):
            self.talk.command(command, code=None)
        else:
            self._call = self.talk.call("Bash", {"command": command})
        self._append()

    def _append(self) -> None:
        """Have it write what of the talk is not written yet."""
        rows = self.talk._rows[self._written[0] :]
        self._written[0] += len(rows)
        self._do("append", rows=rows, farewell=self._farewell())

    def child(
        self,
        *,
        own: Literal["group", "session"] | None = None,
        ignores: Sequence[str] = (),
        orphan: bool = False,
        marked: bool = True,
        transcript: bool = False,
        writes: bool = False,
        lock: bool = False,
        user: int | None = None,
    ) -> int:
        """Have it leave a child that lives until it is killed; its process number.

        `own`: it leads a process group or a session of its own. `ignores`: signals. `orphan`: a grandchild whose parent
        ends at once. `marked`: the session's id is in its environment. `transcript`: it holds the transcript open.
        `writes`: it goes on writing to the transcript. `lock`: it inherits the lock of a Codex thread. `user`: it runs
        under that uid (only root may say so).
        """
        asked = {"own": own, "ignores": list(ignores), "orphan": orphan, "marked": marked, "user": user, "lock": lock}
        pid = int(self._do("child", **asked, transcript=transcript, writes=writes))
        self.children.append(pid)
        self._remember(pid)
        return pid

    def hold_open(self) -> None:
        """Have it open the transcript and keep it open."""
        self._do("hold_open")

    def hold_lock(self, path: Path) -> None:
        """Have it hold one more lock, as a server of many threads does."""
        self._do("hold_lock", lock=str(path))

    def react(self, **signals: Reaction) -> None:
        """Have it take signals otherwise from now on."""
        self._do("signals", signals=signals)

    def set_status(self, **fields: object) -> None:
        """Have it write into its register: `status="waiting"`, `waitingFor="permission prompt"`."""
        self._do("status", status=fields)

    def suspend(self) -> None:
        """SIGSTOP, seen in the process table."""
        os.kill(self.pid, signal.SIGSTOP)
        until(lambda: (seen := system_processes().get(self.pid)) is not None and seen.stopped, "the suspension")

    def end(self) -> None:
        """Have it end tidily by itself; returns when it has."""
        self._send({"do": "end"})
        until(lambda: is_gone(self.pid), "its own end")

    def kill(self) -> None:
        """SIGKILL; returns when it has ended."""
        os.kill(self.pid, signal.SIGKILL)
        until(lambda: is_gone(self.pid), "its end")

    def wait_for(self, name: str) -> None:
        """Wait until it has heard a signal."""
        while name not in self.heard:
            self._listen()

    # ── the wire ──

    def _remember(self, pid: int) -> None:
        seen = system_processes().get(pid)
        if seen is not None:
            self._known[pid] = seen.start_token

    def _do(self, what: str, **asked: object) -> Any:
        self._send({"do": what, **asked})
        return self._answer("done")

    def _send(self, word: object) -> None:
        self._told.sendall(json.dumps(word).encode() + b"\n")

    def _answer(self, key: str) -> Any:
        while True:
            row = self._listen()
            if key in row:
                return row[key]

    def _listen(self) -> Mapping[str, Any]:
        while b"\n" not in self._buffer:
            piece = self._told.recv(1 << 20)
            assert piece, "the stand-in has ended"
            self._buffer += piece
        line, _, self._buffer = self._buffer.partition(b"\n")
        row: dict[str, Any] = json.loads(line)
        if "heard" in row:
            self.heard.append(row["heard"])
        return row

    # ── the rows of an interruption ──

    def _farewell(self) -> list[str]:
        """What a tidy end writes now: the answer that a running call never got, and the marker."""
        if isinstance(self.talk, CodexTranscript):
            payload = {"type": "turn_aborted", "turn_id": self.talk._turn, "reason": "interrupted"}
            return [json.dumps({"timestamp": "@NOW@", "type": "event_msg", "payload": payload})]
        talk = self.talk
        envelope = {
            "parentUuid": talk._parent_row,
            "isSidechain": False,
            "type": "user",
            "timestamp": "@NOW@",
            "interruptedByShutdown": True,
            "userType": "external",
            "entrypoint": "cli",
            "cwd": str(talk.workspace),
            "sessionId": talk.session_id,
            "version": "2.1.270",
            "gitBranch": "main",
        }
        if not self._call:
            content = [{"type": "text", "text": "[Request interrupted by user]"}]
            return [json.dumps({**envelope, "uuid": f"{talk._parent_row}-end", "message": _user(content)})]
        refused = "The user doesn't want to proceed with this tool use. The tool use was rejected"
        block = {"type": "tool_result", "content": refused, "is_error": True, "tool_use_id": self._call}
        answer = {**envelope, "uuid": f"{self._call}-answer", "message": _user([block])}
        marker = [{"type": "text", "text": "[Request interrupted by user for tool use]"}]
        behind = {**envelope, "uuid": f"{self._call}-end", "parentUuid": answer["uuid"], "message": _user(marker)}
        return [json.dumps({**answer, "toolUseResult": "User rejected tool use"}), json.dumps(behind)]

    def _beat(self) -> str:
        if self.agent == "codex":
            payload = {"type": "agent_message", "message": "still here"}
            return json.dumps({"timestamp": "@NOW@", "type": "event_msg", "payload": payload})
        return json.dumps({"type": "ai-title", "aiTitle": "Still here", "sessionId": self.session_id})


def need(program: str) -> None:
    """Skip the test where a program is not installed."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")


def _talk(agent: Agent, home: Path, workspace: Path) -> Talk:
    # An id of its own each time: Refloat sees the processes of all tests that run on this machine.
    name = secrets.token_hex(8)
    if agent == "claude-code":
        return ClaudeTranscript(home, name, workspace, now())
    return CodexTranscript(home, name, workspace, now(), _COMMIT)


def _user(content: object) -> Mapping[str, object]:
    return {"role": "user", "content": content}
