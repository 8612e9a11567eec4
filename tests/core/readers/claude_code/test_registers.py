"""Registers, jobs, histories; processes and commands."""

import json
from pathlib import Path

import pytest

from refloat.model.liveness import Holder, ProcessInfo
from refloat.model.problem import Problem
from refloat.model.session import RecordGone
from refloat.readers.claude_code import ClaudeCode

READER = ClaudeCode()
ONE, TWO, THREE = (f"5f0c1d2e-0000-4000-8000-00000000000{n}" for n in (1, 2, 3))


def put(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
    return path


def test_registers(tmp_path: Path):
    sessions = tmp_path / ".claude/sessions"
    path = put(
        sessions / "40338.json",
        {
            "pid": 40338,
            "sessionId": ONE,
            "cwd": "/w",
            "startedAt": 1787217000000,
            "procStart": "543621664",
            "version": "2.1.270",
            "kind": "interactive",
            "entrypoint": "cli",
            "pidDomain": "linux:64835ff:pid:[4026531836]",
            "tmux": "work:@0.%3",
            "status": "waiting",
            "waitingFor": "permission prompt",
        },
    )
    put(sessions / "7.json", {"sessionId": TWO, "procStart": 99, "kind": "bg", "jobId": "ab12"})
    put(sessions / "8.json", {"pid": 8, "kind": "daemon", "sessionId": THREE})
    put(sessions / "9.json", {"pid": 9})
    put(sessions / "pid-9001.json", {"pid": 9001, "session_id": ONE})
    (sessions / f"40338.{'a' * 64}.key").write_text("never")
    (sessions / "10.json").write_text("{")
    first, second, broken = sorted(
        READER.find_holders(tmp_path, {}), key=lambda found: -len(found.path) if isinstance(found, Holder) else 1
    )
    assert first == Holder(
        "claude-code",
        ONE,
        "register",
        str(path),
        pid=40338,
        start_token="543621664",  # noqa: S106 - a time
        started_ms=1787217000000,
        status="waiting",
        waiting_for="permission prompt",
        workspace="/w",
        version="2.1.270",
        domain="linux:64835ff:pid:[4026531836]",
        terminal="work:@0.%3",
    )
    assert isinstance(second, Holder)
    assert (second.pid, second.start_token, second.background, second.job) == (7, "99", True, "ab12")
    assert isinstance(broken, Problem)


def test_background_jobs(tmp_path: Path):
    config = tmp_path / "elsewhere"
    put(config / "jobs/ab12/state.json", {"sessionId": ONE, "state": "blocked", "needs": "approval", "cwd": "/w"})
    put(config / "jobs/cd34/state.json", {"sessionId": TWO, "state": "done"})
    put(config / "jobs/ef56/state.json", {"state": "working"})
    workers = {"ab12": {"sessionId": ONE, "pid": 5}, "xy": {"sessionId": THREE, "pid": 6}}
    put(config / "daemon/roster.json", {"proto": 1, "supervisorPid": 4, "workers": workers})
    found = READER.find_holders(tmp_path, {"CLAUDE_CONFIG_DIR": str(config)})
    told = [
        (h.session_id, h.pid, h.status, h.waiting_for, h.background, h.daemon_pid)
        for h in found
        if isinstance(h, Holder)
    ]
    assert [h.job for h in found if isinstance(h, Holder)] == ["ab12", ""]
    assert told == [(ONE, 5, "blocked", "approval", True, 4), (THREE, 6, "", "", True, 4)]


def test_nothing_there(tmp_path: Path):
    assert list(READER.find_holders(tmp_path, {})) == []
    assert list(READER.find_gone(tmp_path, {}, ())) == []


def test_sessions_whose_transcript_is_gone(tmp_path: Path):
    config = tmp_path / ".claude"
    config.mkdir()
    rows: list[object] = [
        {"display": "a", "sessionId": ONE, "project": "/w", "timestamp": 1},
        {"display": "/clear", "sessionId": ONE, "project": "/w"},
        {"display": "b", "sessionId": ONE, "project": "/w"},
        {"display": "c", "sessionId": "known", "project": "/w"},
        {"display": "old rows name no session"},
        17,
    ]
    lines = [json.dumps(row) for row in rows]
    (config / "history.jsonl").write_text("\n".join([*lines[:2], "{", *lines[2:]]) + "\n")
    put(config / "sessions/1.json", {"pid": 1, "sessionId": TWO, "cwd": "/v"})
    put(
        tmp_path / ".claude.json",
        {"oauthAccount": "x", "projects": {"/u": {"lastSessionId": THREE}, "/w": {"lastSessionId": ONE}}},
    )
    found = READER.find_gone(tmp_path, {}, {"known"})
    gone = {g.session_id: (g.workspace, g.prompts) for g in found if isinstance(g, RecordGone)}
    assert gone == {ONE: ("/w", 2), TWO: ("/v", 0), THREE: ("/u", 0)}
    assert [(p.line, p.what) for p in found if isinstance(p, Problem)] == [(3, "no whole JSON record")]
    assert any("registered, no transcript" in g.why for g in found if isinstance(g, RecordGone))


def test_a_directory_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(self: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    found = READER.find_holders(tmp_path, {})
    assert [type(entry) for entry in found] == [Problem, Problem]


def process(*argv: str, name: str = "") -> ProcessInfo:
    return ProcessInfo(1, 0, name or argv[0].rsplit("/", 1)[-1], argv, "/w", 0.0, "1", 1000, False, False, None, True)


@pytest.mark.parametrize(
    "argv",
    [
        ("claude",),
        ("/home/ada/.local/bin/claude", "--resume", ONE),
        ("/home/ada/.local/share/claude/versions/2.1.270", "-p", "go"),
        ("node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"),
        ("node", "--max-old-space-size=4096", "/usr/local/bin/claude", "-c"),
        ("claude", "--output-format", "stream-json", "--mcp-config", "x"),
        ("claude --resume x",),
    ],
)
def test_its_processes(argv: tuple[str, ...]):
    assert READER.is_agent(process(*argv))


@pytest.mark.parametrize(
    "argv",
    [
        ("vim", "claude"),
        ("/usr/share/code/code", "--type=renderer", "claude"),
        ("claude", "mcp", "serve"),
        ("claude", "--version"),
        ("claude", "daemon"),
        ("/Applications/Claude.app/Contents/MacOS/Claude",),
        ("node", "/w/cli.js"),
        ("node", "/w/server.js", "claude"),
        ("bash", "/home/ada/bin/claude"),
        ("tail", "-f", "claude"),
        ("node",),
    ],
)
def test_other_processes(argv: tuple[str, ...]):
    assert not READER.is_agent(process(*argv))


@pytest.mark.parametrize(
    ("argv", "session"),
    [
        (("claude", "--resume", ONE), ONE),
        (("claude", "-r", ONE, "go on"), ONE),
        (("claude", f"--resume={ONE}"), ONE),
        (("claude", "--session-id", ONE), ONE),
        (("claude", "--resume", f"/x/{ONE}.jsonl"), ONE),
        (("claude", "--resume", ONE, "--fork-session"), None),
        (("claude", "--resume", ONE, "--fork-session", "--session-id", TWO), TWO),
        (("claude", "--resume", "importer retries"), None),
        (("claude", "--resume"), None),
        (("claude", "--", "--resume", ONE), None),
        (("claude",), None),
        (("vim", "--resume", ONE), None),
    ],
)
def test_the_session_on_a_command_line(argv: tuple[str, ...], session: str | None):
    assert READER.session_on_command_line(process(*argv)) == session


@pytest.mark.parametrize(
    ("version", "entrypoint", "complete"),
    [
        ("2.1.270", "cli", True),
        ("2.1.139", "", True),
        ("2.1.138", "cli", False),
        ("2.1.270", "sdk-cli", False),
        ("2.1.270", "claude-vscode", False),
        ("", "cli", False),
        ("next", "cli", False),
    ],
)
def test_when_its_register_is_complete(version: str, entrypoint: str, *, complete: bool):
    assert READER.explains_silence(version, entrypoint) is complete


def test_commands():
    assert list(READER.continue_command(ONE, None)) == ["claude", "--resume", ONE]
    assert list(READER.continue_command(ONE, "go on")) == ["claude", "--resume", ONE, "go on"]
    assert list(READER.continue_command(ONE, "-x")) == ["claude", "--resume", ONE, "--", "-x"]
    assert list(READER.continue_command(ONE, "doctor")) == ["claude", "--resume", ONE, "doctor "], "no command"
    read = "Read HANDOFF.md and continue from it."
    assert list(READER.new_command("HANDOFF.md")) == ["claude", read]
    assert list(READER.new_command("HANDOFF.md", "-x first", ONE)) == [
        "claude",
        "--session-id",
        ONE,
        f"{read} -x first",
    ]
    assert list(READER.child_variables()) == ["CLAUDE_CODE_SESSION_ID"]


def test_a_session_in_the_background_is_gone_to_by_its_own_command():
    owner = ProcessInfo(7, 1, "claude", ("claude",), "/w", 0.0, "1", 1000, False, False, None, True)
    job = Holder("claude-code", ONE, "register", "/r", pid=7, background=True, job="ab12")
    door = READER.own_door(ONE, owner, job)
    assert door is not None
    assert door.command == ("claude", "attach", "ab12")
    unnamed = READER.own_door(ONE, owner, Holder("claude-code", ONE, "register", "/r", pid=7, background=True))
    assert unnamed is not None
    assert unnamed.command == ("claude", "attach", ONE)
    assert READER.own_door(ONE, owner, Holder("claude-code", ONE, "register", "/r", pid=7)) is None
    assert READER.own_door(ONE, owner, None) is None


def test_how_it_is_asked_to_end() -> None:
    assert [ask.signal for ask in READER.asks_to_end(process("claude"))] == ["SIGINT", "SIGTERM"]
    assert READER.stop_command(Holder("claude-code", ONE, "register", "/r")) is None
    assert READER.stop_command(Holder("claude-code", ONE, "register", "/r", background=True)) == ("claude", "stop", ONE)
