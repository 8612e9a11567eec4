"""What a session left running: its record joined with the process table."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from tests.core.checkout.test_triage import session_of

from refloat.model.liveness import Evidence, ProcessInfo, Verdict
from refloat.model.session import Session
from refloat.model.stamp import Stamp, later, seconds_of
from refloat.model.story import OpenWork
from refloat.model.transcript import Background, Outcome, StepKind
from refloat.model.triage import StillOpen
from refloat.readers.claude_code import ClaudeCode
from refloat.testing.fakes import FakeProcesses, fake_machine, process
from refloat.testing.stories import StoryBuilder
from refloat.usecases.still_open import find_still_open
from refloat.usecases.workbench import Workbench

MARKED: Mapping[str, str] = {"CLAUDE_CODE_SESSION_ID": StoryBuilder().session_id}


def server(story: StoryBuilder, command: str = "npm run dev", output: str = "") -> None:
    """A background command, as a reader would tell it."""
    work = Background("b1", "dev_server", command, running=True, output=output)
    step = story.step(StepKind.COMMAND, command=command, background=work)
    story.open_work.append(OpenWork(work, step.n, step.ended_at))


def look(
    tmp_path: Path,
    story: StoryBuilder,
    processes: FakeProcesses,
    *,
    version: str = "2.1.270",
    verdict: Verdict = Verdict.GONE,
) -> list[StillOpen]:
    bench = Workbench(fake_machine(tmp_path, processes=processes), (ClaudeCode(),))
    built = story.build()
    built = replace(built, summary=replace(built.summary, version=version))
    return list(find_still_open(bench, built, session_of(story, verdict)))


def row(story: StoryBuilder, pid: int, *argv: str, ppid: int = 1, cwd: str | None = None) -> ProcessInfo:
    started = seconds_of(later(story.started, 11))
    return process(pid, argv[0], argv, ppid=ppid, cwd=cwd or story.workspace, started=started)


def test_a_server_that_outlived_its_session_is_told_with_number_and_port(tmp_path: Path) -> None:
    log = tmp_path / "b1.output"
    log.write_text("listening\n")
    story = StoryBuilder(workspace="/home/ana/shop")
    server(story, output=str(log))
    processes = FakeProcesses(
        rows=[row(story, 40, "npm run dev"), row(story, 41, "node", "server.js", ppid=40)],
        environments={40: MARKED, 41: MARKED},
        ports={41: frozenset({5173})},
    )
    (found,) = look(tmp_path, story, processes)
    assert (found.running, found.pid, found.output) == (True, 40, str(log))
    assert found.why.endswith("it listens on port 5173")


@pytest.mark.parametrize(("version", "running"), [("2.1.270", False), ("2.1.90", None)])
def test_nothing_seen_proves_the_end_only_where_every_command_is_marked(
    tmp_path: Path, version: str, running: bool | None
) -> None:
    story = StoryBuilder(workspace="/home/ana/shop")
    server(story)
    processes = FakeProcesses(rows=[row(story, 9, "sshd")], environments={9: {}})
    (found,) = look(tmp_path, story, processes, version=version)
    assert (found.running, found.pid, found.output) == (running, None, None)
    assert found.why


def test_nothing_is_proved_of_a_session_from_elsewhere(tmp_path: Path) -> None:
    story = StoryBuilder(workspace="/home/ana/shop")
    server(story)
    processes = FakeProcesses(boot=later(story.started, 99_999))
    (found,) = look(tmp_path, story, processes, verdict=Verdict.UNKNOWABLE)
    assert found.running is None


def test_a_sub_agents_shell_is_told_with_its_owner(tmp_path: Path) -> None:
    helper = StoryBuilder(workspace="/home/ana/shop", subagent="a77")
    server(helper, "tail -f app.log")
    story = StoryBuilder(workspace="/home/ana/shop", subagents={"a77": helper.build()})
    processes = FakeProcesses(rows=[row(story, 44, "tail", "-f", "app.log")], environments={44: MARKED})
    (found,) = look(tmp_path, story, processes)
    assert (found.what, found.step, found.pid, found.running) == ("tail -f app.log", None, 44, True)
    assert "sub-agent a77" in found.why


def test_two_shells_of_one_command_are_two_processes(tmp_path: Path) -> None:
    story = StoryBuilder(workspace="/home/ana/shop")
    server(story)
    server(story)
    one = row(story, 40, "npm run dev")
    two = replace(one, pid=45, started=one.started + 10)
    first, second = look(tmp_path, story, FakeProcesses(rows=[two, one], environments={40: MARKED, 45: MARKED}))
    assert (first.pid, second.pid) == (40, 45)
    late, last = look(tmp_path, story, FakeProcesses(rows=[two], environments={45: MARKED}))
    assert (late.running, last.pid) == (None, 45)
    alone, other = look(tmp_path, story, FakeProcesses(rows=[one], environments={40: MARKED}))
    assert (alone.running, other.running) == (True, False)


def children(session: Session, *pids: int) -> Session:
    facts = tuple(
        Evidence("child", f"process {pid} carries the session's id", pid, Stamp("2026-09-14T15:00:00.000Z"))
        for pid in pids
    )
    return replace(session, liveness=replace(session.liveness, evidence=facts))


def test_a_process_that_carries_the_sessions_id_is_told_where_nothing_else_tells_of_it(tmp_path: Path) -> None:
    story = StoryBuilder(workspace="/home/ana/shop")
    rows = [row(story, 60, "sh", "-c", "sleep 9"), row(story, 61, "sleep", "9", ppid=60)]
    bench = Workbench(fake_machine(tmp_path, processes=FakeProcesses(rows=rows)), (ClaudeCode(),))
    built = story.build()
    gone = children(session_of(story, Verdict.GONE), 60, 61)
    (found,) = find_still_open(bench, built, gone)
    assert (found.what, found.kind, found.pid, found.running) == ("sh -c sleep 9", "background_shell", 60, True)
    assert found.why == "process 60 carries the session's id"
    assert not list(find_still_open(bench, built, children(session_of(story, Verdict.RUNNING), 60)))


def test_a_process_that_open_work_accounts_for_is_told_once(tmp_path: Path) -> None:
    story = StoryBuilder(workspace="/home/ana/shop")
    server(story)
    one = row(story, 40, "npm run dev")
    processes = FakeProcesses(
        rows=[one, row(story, 41, "node", "s.js", ppid=40)], environments={40: MARKED, 41: MARKED}
    )
    bench = Workbench(fake_machine(tmp_path, processes=processes), (ClaudeCode(),))
    (found,) = find_still_open(bench, story.build(), children(session_of(story, Verdict.GONE), 40, 41))
    assert found.pid == 40


def test_a_command_that_the_session_waited_for_is_told_only_while_it_runs_on(tmp_path: Path) -> None:
    story = StoryBuilder(workspace="/home/ana/shop")
    story.run("npm test", outcome=Outcome.DANGLING)
    runs = FakeProcesses(rows=[row(story, 50, "bash", "-c", "npm test")], environments={50: MARKED})
    (found,) = look(tmp_path, story, runs)
    assert (found.what, found.step, found.pid, found.running) == ("npm test", 1, 50, True)
    assert look(tmp_path, story, FakeProcesses(rows=[row(story, 9, "sshd")], environments={9: {}})) == []
    assert look(tmp_path, story, runs, verdict=Verdict.RUNNING) == []
