"""Hooks as agents and people meet them: real processes, real events, real settings files."""

import json
import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from refloat.hooks import json_settings, toml_settings
from refloat.model.stamp import Stamp
from refloat.usecases.hooks_log import log_failure, read_log

Done = subprocess.CompletedProcess[bytes]
PATIENCE = 100
SETTINGS = """{
  "env": {"TOKEN_OF_MINE": "x"},
  "hooks": {
    "Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]
  }
}
"""


class World:
    """A home, a workspace, and Refloat as a process in it."""

    def __init__(self, place: Path) -> None:
        self.home, self.workspace = place / "home", place / "ws"
        self.claude = self.home / ".claude"
        for folder in (self.claude, self.home / ".codex", self.workspace):
            folder.mkdir(parents=True)
        self.data = self.home / ".local" / "share" / "refloat"
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.home), "PYTHONPATH": os.pathsep.join(sys.path)}

    def run(self, *words: str, given: str | bytes = "", **more: Any) -> Done:
        return subprocess.run(
            [sys.executable, "-m", "refloat_tui", *words],
            env=more.pop("env", self.environment),
            cwd=self.workspace,
            input=given.encode("utf-8", "surrogatepass") if isinstance(given, str) else given,
            stdout=more.pop("stdout", subprocess.PIPE),
            stderr=subprocess.PIPE,
            check=False,
            timeout=PATIENCE,
            **more,
        )

    def told(self, name: str = "PostToolUse", **more: Any) -> str:
        event = {
            "session_id": "5f0c1d2e-0000-4000-8000-000000000001",
            "transcript_path": str(self.claude / "projects" / "x.jsonl"),
            "cwd": str(self.workspace),
            "permission_mode": "default",
            "hook_event_name": name,
        }
        if name.startswith("PostToolUse"):
            event |= {
                "tool_name": "Bash",
                "tool_input": {"command": "make", "description": "Build it"},
                "tool_response": {"stdout": "done", "stderr": "", "interrupted": False, "isImage": False},
                "tool_use_id": "toolu_01",
            }
        return json.dumps(event | more)

    def hook(self, given: str | bytes, agent: str = "claude-code", **more: Any) -> bytes:
        """Run the hook: it must succeed and say nothing to its agent's screen. What it printed."""
        done = self.run("hook", agent, given=given, **more)
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout

    def steps(self) -> list[Any]:
        done = self.run("trail", "job", "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["steps"]

    def log(self) -> str:
        found = read_log(self.data)
        return "" if found is None else found.last


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path.resolve())


@pytest.fixture
def tied(world: World) -> World:
    assert world.run("jobs", "tie", "job").returncode == 0
    return world


# What agents call


def test_where_nothing_is_saved_a_hook_leaves_no_trace(world: World) -> None:
    for name in ("PostToolUse", "SessionStart", "Stop", "Notification"):
        assert world.hook(world.told(name)) == b""
    assert not world.data.exists()


def test_a_session_s_events_become_a_trail(tied: World) -> None:
    assert tied.hook(tied.told()) == b""
    assert tied.hook(tied.told()) == b""
    tied.hook(tied.told("PostToolUseFailure", error="Exit code 2\nboom", is_interrupt=False, tool_use_id="toolu_02"))
    tied.hook(tied.told("Stop", stop_hook_active=False))
    second, first = tied.steps()
    assert (first["outcome"], first["summary"], first["verdict"]) == ("ok", "make", "unchanged")
    assert first["producer"] == "claude-code:5f0c1d2e-0000-4000-8000-000000000001"
    assert (second["outcome"], second["exit_code"]) == ("error", 2)
    greeting = json.loads(tied.hook(tied.told("SessionStart", source="resume")))
    assert "#2 error, exit 2: make" in greeting["hookSpecificOutput"]["additionalContext"]
    assert tied.run("verify", "job").returncode == 0
    assert tied.log() == ""


def test_hooks_that_run_at_once_save_each_call_once(tied: World) -> None:
    argv = [sys.executable, "-m", "refloat_tui", "hook", "claude-code"]
    events = [tied.told(tool_use_id=f"toolu_{n // 2}").encode() for n in range(6)]
    running = [subprocess.Popen(argv, env=tied.environment, stdin=subprocess.PIPE) for _ in events]
    for process, event in zip(running, events, strict=True):
        process.communicate(event, PATIENCE)
    assert {process.returncode for process in running} == {0}
    steps = tied.steps()
    assert [step["seq"] for step in steps] == sorted((step["seq"] for step in steps), reverse=True)
    assert 1 <= len(steps) <= 3
    assert len(steps) == 3 or tied.log(), "who had to wait too long must be told of"
    assert tied.run("verify", "job").returncode == 0


def test_words_that_an_agent_adds_are_no_fault(tied: World) -> None:
    done = tied.run("hook", "codex", '{"type": "agent-turn-complete"}', given=tied.told())
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert b"reads one event" in tied.run("hook", "codex", "--help").stdout


def test_codex_tells_the_same(tied: World) -> None:
    tied.hook(tied.told(turn_id="t", model="m", tool_response={"exit_code": 1, "output": ""}), "codex")
    (step,) = tied.steps()
    assert (step["producer"], step["exit_code"]) == ("codex:5f0c1d2e-0000-4000-8000-000000000001", 1)
    assert b"additionalContext" in tied.hook(tied.told("SessionStart", source="startup"), "codex")


def test_a_huge_result_is_cut_with_a_note(tied: World) -> None:
    tied.hook(tied.told(tool_response={"stdout": "line\n" * 5_000_000}))
    (step,) = tied.steps()
    assert step["output_bytes"] == 1024 * 1024
    exported = json.loads(tied.run("export", "job").stdout)
    assert "the output is cut: 30000014 bytes came" in json.dumps(exported)


@pytest.mark.parametrize("given", [b"", b"garbage", b"\xff\x00{", b'{"hook_event_name": "PostToolUse"}', b"[[[["])
def test_damage_is_silent_and_logged(tied: World, given: bytes) -> None:
    assert tied.hook(given) == b""
    assert "event" in tied.log()
    assert stat.S_IMODE((tied.data / "hooks.log").stat().st_mode) == 0o600


def test_hostile_text_is_no_fault(tied: World) -> None:
    tied.hook(tied.told(tool_input={"command": "a\0\ud800\x1b[2J"}, tool_response="\udfff\0"))
    (step,) = tied.steps()
    assert step["outcome"] == "ok"
    assert tied.log() == ""


def test_who_holds_the_record_stops_no_agent(tied: World) -> None:
    with closing(sqlite3.connect(tied.data / "record.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert tied.hook(tied.told()) == b""
        other.execute("ROLLBACK")
    assert "the record cannot be written: database is locked" in tied.log()
    tied.hook(tied.told())
    assert len(tied.steps()) == 1


def test_a_damaged_record_stops_no_agent(tied: World) -> None:
    (tied.data / "record.db").write_bytes(b"no database at all" * 500)
    assert tied.hook(tied.told("SessionStart", source="startup")) == b""
    assert "cannot be opened" in tied.log()


def test_a_database_that_is_not_there_stops_no_agent(tied: World) -> None:
    url = f"postgresql://nobody@/none?host={tied.home / 'nowhere'}"
    assert tied.hook(tied.told(), env=tied.environment | {"REFLOAT_RECORD_URL": url}) == b""
    assert "PostgreSQL" in tied.log()
    assert tied.hook(tied.told(), env=tied.environment | {"REFLOAT_RECORD_URL": "mysql://x"}) == b""
    assert "must begin with postgresql://" in tied.log()


def test_a_log_that_cannot_be_written_stops_no_agent(tied: World) -> None:
    (tied.data / "hooks.log").mkdir()
    assert tied.hook(b"garbage") == b""


def test_without_a_home_or_with_one_that_is_no_directory(world: World) -> None:
    bare = {name: value for name, value in world.environment.items() if name != "HOME"}
    assert world.hook(world.told(), env=bare | {"REFLOAT_DATA_DIR": str(world.home / "d")}) == b""
    (world.home / "file").write_text("x")
    assert world.hook(b"garbage", env=bare | {"HOME": str(world.home / "file")}) == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_greeting_that_nobody_takes_is_no_fault(tied: World) -> None:
    with Path("/dev/full").open("wb") as full:
        done = tied.run("hook", "codex", given=tied.told("SessionStart", source="startup"), stdout=full)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "No space left" in tied.log()


def test_an_event_that_never_ends_is_given_up(tied: World) -> None:
    code = (
        "from refloat_tui.cli import hooking; hooking.SECONDS = 1; raise SystemExit(hooking.answer(['hook', 'codex']))"
    )
    waiting = subprocess.Popen(
        [sys.executable, "-c", code], env=tied.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with waiting:  # its standard input stays open
        assert waiting.wait(PATIENCE) == 0
        assert waiting.stdout is not None
        assert waiting.stdout.read() == b""
    assert "was not dealt with within 1 seconds" in tied.log()


def test_a_hook_loads_little() -> None:
    code = "import sys, refloat_tui.cli.hooking; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"click", "dataclasses", "subprocess", "logging", "tomlkit", "orjson", "git", "asyncio", "detect_secrets"}
    assert not heavy & set(done.stdout.split())


def test_the_log_is_bounded(tmp_path: Path) -> None:
    for n in range(400):
        log_failure(tmp_path / "d", Stamp("2026-09-14T14:00:00.000Z"), "codex", f"{n} \x1b[2J\n" + "x" * 5000)
    files = sorted((tmp_path / "d").iterdir())
    assert [file.name for file in files] == ["hooks.log", "hooks.log.1"]
    assert all(file.stat().st_size <= 64 * 1024 and stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files)
    found = read_log(tmp_path / "d")
    assert found is not None
    assert found.last.startswith("2026-09-14T14:00:00.000Z codex: 399 \\x1b[2J x")


# Ties


def test_ties_are_listed_and_taken_away(tied: World) -> None:
    (tie,) = json.loads(tied.run("jobs", "--json").stdout)["ties"]
    assert (tie["workspace"], tie["job"]) == (str(tied.workspace), "job")
    assert str(tied.workspace).encode() in tied.run("jobs").stdout
    assert json.loads(tied.run("jobs", "untie", "--json").stdout)["untied"] == str(tied.workspace)
    again = tied.run("jobs", "untie")
    assert (again.returncode, b"is tied to no job" in again.stderr) == (1, True)
    tied.hook(tied.told())
    assert json.loads(tied.run("jobs", "--json").stdout)["jobs"] == []


def test_a_first_tie_may_come_before_anything_else(world: World) -> None:
    done = world.run("jobs", "tie", "job", str(world.workspace), "--json")
    assert json.loads(done.stdout)["tie"]["workspace"] == str(world.workspace)
    assert world.run("jobs", "tie", "job", str(world.workspace / "nowhere")).returncode == 2


# Settings


def settings(world: World, text: str = SETTINGS, mode: int = 0o640) -> Path:
    path = world.claude / "settings.json"
    path.write_text(text)
    path.chmod(mode)
    return path


def test_the_change_is_shown_and_nothing_is_written_without_a_yes(world: World) -> None:
    path = settings(world)
    for given in ("n\n", "", "\n"):
        done = world.run("hook", "install", "claude-code", given=given)
        assert done.returncode == 1
        assert b"own settings" in done.stderr
        assert b"+++ " in done.stdout
        assert b"hook claude-code" in done.stdout
        assert path.read_text() == SETTINGS
    assert sorted(world.claude.iterdir()) == [path]


def test_installing_keeps_all_else_and_uninstalling_brings_it_back(world: World) -> None:
    real = world.home / "dotfiles" / "claude.json"
    real.parent.mkdir()
    settings(world).rename(real)
    path = world.claude / "settings.json"
    path.symlink_to(real)
    assert world.run("hook", "install", "claude-code", given="y\n").returncode == 0
    changed = real.read_text()
    assert set(json_settings.installed(changed, "claude-code")) >= {"SessionStart", "PostToolUse", "Stop", "PreCompact"}
    assert json.loads(changed)["hooks"]["Stop"][0] == json.loads(SETTINGS)["hooks"]["Stop"][0]
    backup = world.claude / "settings.json.refloat-backup"
    assert (backup.read_text(), stat.S_IMODE(backup.stat().st_mode)) == (SETTINGS, 0o640)
    assert stat.S_IMODE(real.stat().st_mode) == 0o640

    again = json.loads(world.run("hook", "install", "claude-code", "--yes", "--json").stdout)["hook"]
    assert (again["changed"], real.read_text()) == (False, changed)

    assert world.run("hook", "uninstall", "claude-code", "--yes").returncode == 0
    assert (real.read_text(), stat.S_IMODE(real.stat().st_mode)) == (SETTINGS, 0o640)
    assert path.is_symlink()
    assert not backup.exists()
    assert world.run("hook", "uninstall", "claude-code", "--yes").returncode == 0


def test_what_was_edited_since_stays(world: World) -> None:
    path = settings(world)
    world.run("hook", "install", "claude-code", "--yes")
    path.write_text(path.read_text().replace('"x"', '"y"'))
    done = world.run("hook", "uninstall", "claude-code", "--yes")
    assert b"edited since" in done.stderr
    assert path.read_text() == SETTINGS.replace('"x"', '"y"')
    assert (world.claude / "settings.json.refloat-backup").read_text() == SETTINGS


def test_a_file_that_was_not_there_goes_again(world: World) -> None:
    path = world.claude / "settings.json"
    assert world.run("hook", "install", "claude-code", "--yes").returncode == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert world.run("hook", "uninstall", "claude-code", "--yes").returncode == 0
    assert list(world.claude.iterdir()) == []


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', "\ufeff{}", '{"hooks": ', '{"hooks": [1]}'])
def test_settings_that_are_not_understood_are_left_alone(world: World, text: str) -> None:
    path = settings(world, text)
    done = world.run("hook", "install", "claude-code", "--yes")
    assert (done.returncode, b"is left alone" in done.stderr) == (3, True)
    assert path.read_text() == text
    assert sorted(world.claude.iterdir()) == [path]


def test_failures_are_asked_of_a_version_that_takes_them(world: World) -> None:
    path = settings(world, "{}")
    for version, wanted in (("2.1.100", False), ("2.1.101", True), ("3.0.0", True)):
        program = world.home / "versions" / version
        program.parent.mkdir(exist_ok=True)
        program.write_text("#!/bin/sh\nexit 99\n")
        program.chmod(0o755)
        link = world.home / "bin" / "claude"
        link.parent.mkdir(exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(program)
        env = world.environment | {"PATH": f"{link.parent}{os.pathsep}{os.environ['PATH']}"}
        done = world.run("hook", "install", "claude-code", "--yes", "--json", env=env)
        assert ("PostToolUseFailure" in json_settings.installed(path.read_text(), "claude-code")) is wanted
        assert bool(json.loads(done.stdout)["hook"]["remarks"]) is not wanted


def test_codex_has_its_hooks_where_it_keeps_them(world: World) -> None:
    codex = world.home / ".codex"
    config = codex / "config.toml"
    config.write_text('model = "m"  # mine\n')
    world.run("hook", "install", "codex", "--yes")
    assert "PostToolUse" in json_settings.installed((codex / "hooks.json").read_text(), "codex")
    assert config.read_text() == 'model = "m"  # mine\n'
    world.run("hook", "uninstall", "codex", "--yes")
    assert sorted(codex.iterdir()) == [config]
    mine = "# mine\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = 'command'\ncommand = 'mine'\n"
    config.write_text(mine)
    done = world.run("hook", "install", "codex", "--yes")
    assert b"trusted" in done.stderr
    assert "PostToolUse" in toml_settings.installed(config.read_text(), "codex")
    (codex / "hooks.json").write_text("{}")
    world.run("hook", "uninstall", "codex", "--yes")
    assert config.read_text() == mine
    done = world.run("hook", "install", "codex", "--scope", "local")
    assert (done.returncode, b"no local settings" in done.stderr) == (2, True)


def test_a_project_s_hook_names_nobody_s_directory(world: World) -> None:
    (world.workspace / ".git").mkdir()
    (world.workspace / "sub").mkdir()
    world.run("hook", "install", "claude-code", "--scope", "project", "--yes")
    path = world.workspace / ".claude" / "settings.json"
    told = set(json_settings.installed(path.read_text(), "claude-code").values())
    assert told == {"refloat hook claude-code 2>/dev/null || true"}
    world.run("hook", "install", "claude-code", "--scope", "local", "--yes")
    assert (world.workspace / ".claude" / "settings.local.json").exists()
    assert not (world.claude / "settings.json").exists()


def test_the_command_in_the_settings_does_its_work_and_harms_nobody_without_refloat(tied: World) -> None:
    tied.run("hook", "install", "claude-code", "--yes", env=tied.environment | {"PATH": "/usr/bin:/bin"})
    command = json_settings.installed((tied.claude / "settings.json").read_text(), "claude-code")["PostToolUse"]
    for env in (tied.environment, {"PATH": "/usr/bin:/bin"}):
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            env=env,
            cwd=tied.workspace,
            input=tied.told(),
            text=True,
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(tied.steps()) == 1


def test_doctor_tells_where_hooks_are_and_what_they_could_not_do(tied: World) -> None:
    before = json.loads(tied.run("doctor", "--json").stdout)
    assert before["machine"]["hooks"] == []
    settings(tied)
    tied.run("hook", "install", "claude-code", "--yes")
    tied.hook(b"garbage")
    after = json.loads(tied.run("doctor", "--json").stdout)
    assert after["machine"]["hooks"] == [f"claude-code (user): {tied.claude / 'settings.json'}"]
    (warning,) = [row for row in after["warnings"] if "failures of hooks" in row["what"]]
    assert warning["path"] == str(tied.data / "hooks.log")
    assert b"failures of hooks: 1;" in tied.run("doctor").stdout


def test_doctor_tells_of_a_hook_whose_program_is_gone(world: World) -> None:
    program = world.home / "bin" / "refloat"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    env = world.environment | {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    world.run("hook", "install", "codex", "--yes", env=env)
    assert b"which is gone" not in world.run("doctor").stdout
    program.unlink()
    warnings = json.loads(world.run("doctor", "--json").stdout)["warnings"]
    (warning,) = [row for row in warnings if "which is gone" in row["what"]]
    assert f"calls {program}," in warning["what"]
    assert warning["path"] == str(world.home / ".codex" / "hooks.json")


def test_hooks_that_are_switched_off_are_told(world: World) -> None:
    settings(world, '{"disableAllHooks": true}')
    assert b"switched off (disableAllHooks" in world.run("hook", "install", "claude-code", "--yes").stderr
    (world.home / ".codex" / "config.toml").write_text("[features]\nhooks = false\n")
    assert b"switched off (hooks in " in world.run("hook", "install", "codex", "--yes").stderr
