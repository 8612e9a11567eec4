"""`continue` and `new` with real processes: what is started, and that there is never a second writer."""

import json
import os
import select
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from refloat.demo.transcripts import ClaudeTranscript
from refloat.machine.here import runner_of
from refloat.machine.processes import system_processes
from refloat.model.recovery import Given, Page, Seen
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp
from refloat.record.attempts import find_attempts
from refloat.record.drafts import begin_draft, save_draft
from refloat.record.leases import find_leases
from refloat.record.store import open_record
from refloat.record.trails import load_trail

PATIENCE = 100
STARTED = Path(__file__).with_name("started.py")
NOW = Stamp("2026-09-14T12:00:00.000Z")
Process = subprocess.Popen[bytes]


def until(condition: Callable[[], bool], what: str) -> None:
    """Wait for a real condition of other processes."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"never came: {what}"
        select.select([], [], [], 0.02)


class World:
    """A home with one stopped session, stand-ins on the PATH, and Refloat as a process."""

    def __init__(self, place: Path) -> None:
        self.home, self.workspace = place / "home", place / "ws"
        self.log, self.leash = place / "log", place / "leash"
        self.data = self.home / ".local" / "share" / "refloat"
        programs = place / "bin"
        for folder in (self.home, self.workspace, programs):
            folder.mkdir(parents=True)
        os.mkfifo(self.leash)
        for agent, name in (("claude-code", "claude"), ("codex", "codex")):
            program = programs / name
            program.write_text(f'#!/bin/bash\nexec -a {name} {sys.executable} {STARTED} {agent} "$@"\n')
            program.chmod(0o755)
        self.environment = {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "HOME": str(self.home),
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "STANDIN_LOG": str(self.log),
            "STANDIN_LEASH": str(self.leash),
            "USER": "ada",
        }
        self.talk = self.session("one")
        self.name = f"claude-code:{self.talk.session_id}"
        self.processes: list[Process] = []

    def session(self, name: str) -> ClaudeTranscript:
        """A session that ended well, long ago."""
        talk = ClaudeTranscript(self.home, name, self.workspace, Stamp("2026-09-14T09:00:00.000Z"))
        talk.prompt("Make the importer retry")
        talk.reply("Done.")
        talk.write()
        return talk

    def start(self, *words: str, env: Mapping[str, str] | None = None) -> Process:
        process = subprocess.Popen(
            [sys.executable, "-m", "refloat_tui", *words],
            env=self.environment | dict(env or {}),
            cwd=self.workspace,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.processes.append(process)
        return process

    def run(self, *words: str, env: Mapping[str, str] | None = None) -> tuple[int, str, str]:
        process = self.start(*words, env=env)
        out, err = process.communicate(timeout=PATIENCE)
        return process.returncode, out.decode(), err.decode()

    def started(self) -> list[Any]:
        return [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []

    def one_runs(self, count: int = 1) -> Any:
        until(lambda: len(self.started()) == count, f"{count} agents started")
        return self.started()[-1]

    def let_end(self, code: int = 0) -> None:
        with self.leash.open("wb", buffering=0) as leash:
            leash.write(str(code).encode())

    def close(self) -> None:
        for process in self.processes:
            with suppress(ProcessLookupError):
                process.kill()
            process.communicate()
        table = system_processes()
        for told in self.started():
            row = table.get(told["pid"])
            if row is not None and str(STARTED) in row.argv:
                with suppress(ProcessLookupError):
                    os.kill(told["pid"], signal.SIGKILL)

    def record(self) -> Any:
        return open_record(self.data, NOW)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path.resolve())
    yield made
    made.close()


def test_continue_runs_the_agents_own_command_in_the_workspace_and_ends_as_it_does(world: World) -> None:
    process = world.start("continue", world.talk.session_id, "--", "--strict is missing")
    agent = world.one_runs()
    assert agent["argv"] == ["--resume", world.talk.session_id, "--", "--strict is missing"]
    assert agent["cwd"] == str(world.workspace)
    with world.record() as record:
        held = {lease.subject: lease.runner for lease in find_leases(record)}
        (attempt,) = find_attempts(record)
    assert set(held.values()) == {runner_of(agent["pid"])}, "the agent itself stands for them"
    assert sorted(held) == [world.name, f"workspace:{os.uname().nodename}:{world.workspace}"]
    assert (attempt.parent, attempt.child, attempt.runner) == (world.name, world.name, runner_of(agent["pid"]))
    world.let_end(7)
    assert process.wait(PATIENCE) == 7
    with world.record() as record:
        assert find_leases(record) == ()
        (attempt,) = find_attempts(record)
    assert attempt.exit_code == 7
    assert attempt.ended is not None


def test_of_two_at_once_exactly_one_runs(world: World) -> None:
    racers = [world.start("continue", world.talk.session_id) for _ in range(3)]
    until(lambda: sum(racer.poll() is not None for racer in racers) == 2, "two of three were refused")
    world.one_runs()
    world.let_end()
    winners = [racer for racer in racers if racer.wait(PATIENCE) == 0]
    assert len(winners) == 1
    for racer in racers:
        if racer not in winners:
            assert racer.returncode == 1
            said = racer.communicate()[1].decode()
            assert "ada@" in said or "process" in said
    assert len(world.started()) == 1


def test_a_killed_refloat_frees_nothing_while_its_agent_runs(world: World) -> None:
    first = world.start("continue", world.talk.session_id)
    agent = world.one_runs()
    first.kill()
    first.wait(PATIENCE)
    code, _, said = world.run("continue", world.talk.session_id)
    assert code == 1
    assert f"process {agent['pid']}" in said
    other = world.session("two")
    code, _, said = world.run("new", "--parent", other.session_id)
    assert code == 1
    assert f"process {agent['pid']}" in said, "the workspace is the agent's, too"
    os.kill(agent["pid"], signal.SIGKILL)
    until(lambda: (row := system_processes().get(agent["pid"])) is None or row.zombie, "the agent ended")
    world.start("continue", world.talk.session_id)
    world.one_runs(2)
    world.let_end()


def test_what_refloat_saw_end_can_be_continued_at_once(world: World) -> None:
    process = world.start("continue", world.talk.session_id, "Say more")
    world.one_runs()
    world.let_end()
    assert process.wait(PATIENCE) == 0
    session = json.loads(world.run("status", world.talk.session_id, "--json")[1])["session"]
    assert (session["prompts"], session["state"]) == (2, "stopped")
    second = world.start("continue", world.talk.session_id)
    world.one_runs(2)
    world.let_end()
    assert second.wait(PATIENCE) == 0


def test_a_dry_run_shows_the_exact_command_and_changes_nothing(world: World) -> None:
    code, out, _ = world.run("continue", "last", "go \u202eon", "--dry-run", "--json")
    assert code == 0
    assert "\u202e" not in out
    assert json.loads(out) == {
        "schema": "refloat/1",
        "command": ["claude", "--resume", world.talk.session_id, "go \u202eon"],
        "workspace": str(world.workspace),
        "refused": None,
    }
    code, out, _ = world.run("new", "--parent", "last", "--dry-run", "--agent", "codex")
    assert (code, out.startswith("$ codex 'Read ")) == (0, True)
    assert not world.data.exists()


def test_a_refusal_is_the_same_in_a_dry_run(world: World) -> None:
    process = world.start("continue", world.talk.session_id)
    agent = world.one_runs()
    code, out, _ = world.run("continue", world.talk.session_id, "--dry-run", "--json")
    assert code == 1
    assert json.loads(out)["refused"]["holder"] == f"process {agent['pid']}"
    code, out, _ = world.run("new", "--parent", world.talk.session_id, "--dry-run")
    assert (code, "REFUSED" in out, "--force REASON" in out) == (1, True, True)
    _, out, _ = world.run("status", world.talk.session_id, "--json")
    assert json.loads(out)["next"]["operation"] == "attach"
    world.let_end()
    process.wait(PATIENCE)


def test_a_force_goes_on_all_the_same_and_is_kept(world: World) -> None:
    first = world.start("continue", world.talk.session_id)
    world.one_runs()
    second = world.start("continue", world.talk.session_id, "--force", "I watch both")
    world.one_runs(2)
    with world.record() as record:
        (step,) = load_trail(record, f"recovery:{world.name}").steps
        forced = [attempt.forced for attempt in find_attempts(record)]
    assert "I watch both" in step.opening.summary
    assert forced == [None, "I watch both"]
    world.let_end()
    world.let_end()
    for process in (first, second):
        process.wait(PATIENCE)


def test_a_new_session_is_linked_and_its_brief_is_private(world: World) -> None:
    process = world.start("new", "--parent", world.talk.session_id, "Only step 3")
    agent = world.one_runs()
    session_id = agent["argv"][agent["argv"].index("--session-id") + 1]
    asked = agent["argv"][-1]
    brief = Path(asked.removeprefix("Read ").split(" and continue", 1)[0])
    assert asked.endswith("and continue from it. Only step 3")
    assert brief.is_relative_to(world.data)
    assert stat.S_IMODE(brief.stat().st_mode) == 0o600
    assert "Previous attempt" in brief.read_text()
    child = f"claude-code:{session_id}"
    rows = {row["session_id"]: row for row in json.loads(world.run("list", "--json")[1])["sessions"]}
    assert rows[session_id]["parent"] == world.name
    assert f"(1/2, then {session_id[:8]})" in world.run("list")[1]
    status = json.loads(world.run("status", world.talk.session_id, "--json")[1])
    assert status["next"]["command"] == ["refloat", "attach", child], "it is no work to do while the newer one runs"
    assert json.loads(world.run("status", session_id, "--json")[1])["session"]["parent"] == world.name
    code, _, said = world.run("new", "--parent", world.talk.session_id)
    assert (code, child in said or "ada@" in said) == (1, True)
    world.let_end()
    assert process.wait(PATIENCE) == 0
    assert f"{child} goes on from {world.name}" in process.communicate()[1].decode()


def test_what_was_answered_in_the_recovery_is_handed_over(world: World) -> None:
    with world.record() as record:
        draft = begin_draft(record, SessionName(world.name), "Make the importer retry", Seen(), NOW)
        save_draft(record, replace(draft, given=Given(next_step="Ask Ben first."), by="ada@vm"), NOW)
    told = world.run("brief", world.name)[1]
    world.start("new", "--parent", world.talk.session_id)
    brief = Path(world.one_runs()["argv"][-1].removeprefix("Read ").split(" and continue", 1)[0])
    for text in (told, brief.read_text()):
        next_step = text.partition("## Next step")[2].partition("##")[0]
        assert "Ask Ben first." in next_step
        assert "ada@vm" in next_step
    world.let_end()


def test_the_brief_that_stands_is_taken_or_left_aside_in_words(world: World) -> None:
    def planned() -> tuple[Any, str]:
        told = json.loads(world.run("new", "--parent", world.name, "--dry-run", "--json")[1])
        return told, " ".join(world.run("new", "--parent", world.name, "--dry-run")[1].split())

    path = world.workspace / "HANDOFF.md"
    path.write_text("a note of somebody's")
    told, text = planned()
    assert (told["brief"]["is_there"], told["brief"]["left_aside"], "HANDOFF" in text) == (False, [], False)
    world.run("brief", world.name, "--out", path.name, "--force")
    told, text = planned()
    assert told["brief"] == {"path": str(path), "is_there": True, "left_aside": []}
    assert str(path) in told["command"][-1]
    assert f"its brief stands in {path}, holds, and is taken" in text
    assert "written first" not in text

    with world.record() as record:
        draft = begin_draft(record, SessionName(world.name), "Make the importer retry", Seen(), NOW)
        later = Stamp("2100-01-01T00:00:00.000Z")
        given = Given(next_step="Ask Ben first.")
        draft = save_draft(record, replace(draft, given=given, by="ada@vm"), later)
    told, text = planned()
    why = "it was written before the last answers of its recovery"
    assert told["brief"]["left_aside"] == [{"path": str(path), "why": why}]
    assert f"is left aside: {why}; `--brief` takes it" in text
    assert f"(written first, private) note {path}, a brief of it, is left aside" in text

    other = world.home / "other.md"
    world.run("brief", world.name, "--out", str(other))
    with world.record() as record:
        save_draft(record, replace(draft, given=replace(given, written=(str(other), later)), done=True), later)
    told, text = planned()
    assert (told["brief"]["path"], told["brief"]["is_there"]) == (str(other), True)
    assert [row["path"] for row in told["brief"]["left_aside"]] == [str(path)]
    process = world.start("new", "--parent", world.name)
    assert str(other) in world.one_runs()["argv"][-1]
    world.let_end()
    said = process.communicate(timeout=PATIENCE)[1].decode()
    assert f"{path}, a brief of it, is left aside" in said
    assert not (world.data / "briefs").exists()


def test_a_brief_that_holds_no_more_is_left_aside(world: World) -> None:
    path = world.workspace / "HANDOFF.md"
    world.run("brief", world.name, "--out", path.name)
    with (world.home / ".claude").rglob("*.jsonl").__next__().open("a") as transcript:
        transcript.write("\n")
    (aside,) = json.loads(world.run("new", "--parent", world.name, "--dry-run", "--json")[1])["brief"]["left_aside"]
    assert aside["why"] == "it holds no more: 1 thing that it speaks of moved since"


def test_the_status_tells_of_the_recovery_that_was_finished(world: World) -> None:
    assert json.loads(world.run("status", world.name, "--json")[1])["recovered"] is None
    brief = world.workspace / "HANDOFF.md"
    with world.record() as record:
        draft = begin_draft(record, SessionName(world.name), "Make the importer retry", Seen(), NOW)
        given = Given(next_step="Ask Ben first.", written=(str(brief), NOW))
        save_draft(record, replace(draft, given=given, by="ada@vm", done=True), NOW)
    assert f"its brief is gone from {brief}" in " ".join(world.run("status", world.name)[1].split())
    assert world.run("brief", world.name, "--out", brief.name)[0] == 0
    world.run("step", "--job", f"recovery:{world.name}", "--tool", "answer")
    words = ("wrap", f"recovery:{world.name}", "--summary", "s", "--to", "ben", "--json")
    wrap = json.loads(world.run(*words)[1])["wrap"]
    told = json.loads(world.run("status", world.name, "--json")[1])["recovered"]
    assert told == {
        "by": "ada@vm",
        "at": NOW,
        "brief": {"path": str(brief), "at": NOW, "is_there": True, "instead": None},
        "wrap": {"receipt": wrap["receipt"], "at": wrap["at"], "job": f"recovery:{world.name}", "to": "ben"},
    }
    text = " ".join(world.run("status", world.name)[1].split())
    assert f"recovered ada@vm, 2026-09-14T12:00:00Z; brief in {brief}; wrap {wrap['receipt'][:12]} to ben" in text


def test_the_line_that_new_gives_to_run_by_hand_works_when_it_is_run(world: World) -> None:
    programs, ours = Path(world.environment["PATH"].split(":")[0]), world.workspace.parent / "ours"
    ours.mkdir()
    (ours / "refloat").write_text(f'#!/bin/sh\nexec {sys.executable} -m refloat_tui "$@"\n')
    (ours / "refloat").chmod(0o755)
    (programs / "claude").unlink()
    code, _, said = world.run("new", "--parent", world.name)
    assert code == 3
    line = said.split("where it is, run: ", 1)[1].strip()
    told = world.workspace.parent / "told"
    (programs / "claude").write_text(f'#!/bin/sh\necho "$@" > {told}\n')
    (programs / "claude").chmod(0o755)
    path = {"PATH": f"{ours}:{world.environment['PATH']}"}
    environment = world.environment | path
    done = subprocess.run(["sh", "-c", line], env=environment, capture_output=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    (brief,) = (world.data / "briefs").iterdir()
    assert str(brief) in told.read_text()
    assert stat.S_IMODE(brief.stat().st_mode) == 0o600
    assert stat.S_IMODE(brief.parent.stat().st_mode) == 0o700
    assert world.name in brief.read_text()


@pytest.mark.parametrize("there", ["another's brief", "another file", "nothing"])
def test_what_stands_where_the_brief_was_written_is_not_told_as_the_brief(world: World, there: str) -> None:
    other, brief = world.session("two"), world.workspace / "HANDOFF.md"
    with world.record() as record:
        draft = begin_draft(record, SessionName(world.name), "Make the importer retry", Seen(), NOW)
        given = Given(next_step="Ask Ben first.", written=(str(brief), NOW))
        save_draft(record, replace(draft, given=given, by="ada@vm", done=True), NOW)
    if there == "another's brief":
        assert world.run("brief", f"claude-code:{other.session_id}", "--out", brief.name)[0] == 0
        instead = f"the brief of claude-code:{other.session_id}"
    elif there == "another file":
        brief.write_text("my own\n")
        instead = there
    else:
        instead = None
    told = json.loads(world.run("status", world.name, "--json")[1])["recovered"]["brief"]
    assert told == {"path": str(brief), "at": NOW, "is_there": False, "instead": instead}
    text = " ".join(world.run("status", world.name)[1].split())
    words = f"its brief is gone: {instead} stands in {brief} now" if instead else f"its brief is gone from {brief}"
    assert f"recovered ada@vm, 2026-09-14T12:00:00Z; {words}" in text


@pytest.mark.parametrize("before", [False, True])
def test_a_recovery_that_was_left_open_is_told_with_its_page(world: World, before: bool) -> None:
    name, later = SessionName(world.name), Stamp("2026-09-14T12:09:00.000Z")
    with world.record() as record:
        if before:
            draft = begin_draft(record, name, "Make the importer retry", Seen(), NOW)
            save_draft(record, replace(draft, given=Given(next_step="Ask Ben first."), by="ada@vm", done=True), NOW)
        draft = begin_draft(record, name, "Make the importer retry", Seen(), NOW)
    assert json.loads(world.run("status", world.name, "--json")[1])["unfinished_recovery"] is None, "only looked at"
    assert json.loads(world.run("doctor", "--json")[1])["machine"]["unfinished_recoveries"] == []
    assert "OPEN RECOVERIES" not in world.run("doctor")[1]
    with world.record() as record:
        given = replace(draft.given, page=Page.TRIAGE, passed=frozenset({Page.PROCESS}))
        save_draft(record, replace(draft, given=given, by="ada@vm"), later)
    told = json.loads(world.run("status", world.name, "--json")[1])
    assert told["unfinished_recovery"] == {"by": "ada@vm", "at": later, "page": 4, "of": 7}
    assert (told["recovered"] is not None) == before
    text = " ".join(world.run("status", world.name)[1].split())
    assert "open its recovery, page 4 of 7, ada@vm, last answer 2026-09-14T12:09:00Z" in text
    assert "next finish its recovery, then continue it" in text
    assert f"its recovery is open at page 4 of 7: `refloat recover {name}` goes on with it" in text
    machine = json.loads(world.run("doctor", "--json")[1])["machine"]
    assert machine["unfinished_recoveries"] == [{"session": name, **told["unfinished_recovery"]}]
    text = " ".join(world.run("doctor")[1].split())
    assert f"OPEN RECOVERIES `refloat recover {name}`: page 4 of 7, ada@vm, last answer 2026-09-14T12:09:00Z" in text


def test_another_agent_is_a_normal_choice_and_its_session_is_found(world: World) -> None:
    world.run("list")
    process = world.start("new", "--parent", world.talk.session_id, "--agent", "codex")
    agent = world.one_runs()
    assert agent["argv"][0].startswith("Read ")
    told = json.loads(world.run("list", "--json")[1])["sessions"]
    assert [row["parent"] for row in told if row["agent"] == "codex"] == [world.name], "worked out while it runs"
    world.let_end()
    assert process.wait(PATIENCE) == 0
    with world.record() as record:
        (attempt,) = find_attempts(record)
    assert attempt.child is not None
    assert attempt.child.startswith("codex:")
    assert f"started from {world.name}" in " ".join(world.run("status", attempt.child)[1].split())


@pytest.mark.parametrize("path", [".:{}", ":{}", "bin:{}", "{}:."])
@pytest.mark.parametrize("words", [("continue",), ("new", "--parent"), ("new", "--agent", "codex", "--parent")])
def test_a_program_of_the_workspace_is_never_the_agent(world: World, path: str, words: tuple[str, ...]) -> None:
    """By a PATH that means the current directory: what runs is the program that was found, not one of its name."""
    (world.workspace / "bin").mkdir()
    for place in (world.workspace, world.workspace / "bin"):
        for name in ("claude", "codex"):
            (place / name).write_text("#!/bin/sh\ntouch hostile\n")
            (place / name).chmod(0o755)
    process = world.start(*words, world.talk.session_id, env={"PATH": path.format(world.environment["PATH"])})
    assert world.one_runs()["cwd"] == str(world.workspace)
    world.let_end()
    assert process.wait(PATIENCE) == 0
    assert not (world.workspace / "hostile").exists()


def test_a_program_of_the_workspace_alone_is_none(world: World) -> None:
    (world.workspace / "claude").write_text("#!/bin/sh\ntouch hostile\n")
    (world.workspace / "claude").chmod(0o755)
    code, _, said = world.run("continue", world.talk.session_id, env={"PATH": ".:"})
    assert code == 3
    assert "claude is not installed here" in said
    assert not (world.workspace / "hostile").exists()


def test_a_program_that_is_missing_is_named_with_what_to_run_by_hand(world: World) -> None:
    (Path(world.environment["PATH"].split(":")[0]) / "claude").unlink()
    code, _, said = world.run("continue", world.talk.session_id, env={"PATH": world.environment["PATH"].split(":")[0]})
    assert code == 3
    assert "claude is not installed here" in said
    assert f"cd {world.workspace} && claude --resume {world.talk.session_id}" in said
    assert not world.data.exists()


def test_a_workspace_that_is_gone_is_refused(world: World) -> None:
    talk = ClaudeTranscript(world.home, "gone", world.workspace / "gone", Stamp("2026-09-14T09:00:00.000Z"))
    talk.prompt("Make it")
    talk.reply("Done.")
    talk.write()
    code, _, said = world.run("continue", talk.session_id, "--force", "now")
    assert (code, "is not there any more" in said) == (1, True)


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("continue", "last", "--force", " "), "--force wants a reason"),
        (("continue", "last", "--json"), "--json goes with --dry-run"),
        (("continue", "last", "--tmux"), "this terminal is no tmux"),
        (("new", "--parent", "last", "--agent", "nobody"), "no agent is called 'nobody'"),
        (("new", "--parent", "last", "--brief", "nowhere.md"), "is no file"),
        (("continue", "nobody"), "no session is called"),
    ],
)
def test_wrong_words(world: World, words: tuple[str, ...], names: str) -> None:
    code, _, said = world.run(*words)
    assert (code, names in said) == (2, True), said
