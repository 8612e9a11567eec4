"""The stand-ins are what Refloat takes for agents, and they end as they are told."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.standin.agent import Agent, Standin, is_gone, need, until

from refloat.machine.processes import LinuxProcesses
from refloat.machine.table import running_programs
from refloat.model.liveness import Evidence, ProcessInfo
from refloat.model.session import Session, State
from refloat.ports import Machine
from refloat.usecases.find_sessions import resolve
from refloat.usecases.open_bench import open_bench

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
AGENTS: tuple[Agent, ...] = ("claude-code", "codex")


def machine_of(home: Path) -> Machine:
    """The machine as it is, with a home of the test's own."""
    from refloat.machine.real import real_machine

    return real_machine({**os.environ, "HOME": str(home)})


def seen(agent: Standin) -> Session:
    """The session as `refloat status` has it."""
    return resolve(open_bench(machine_of(agent.home)), agent.session, agent.workspace).session


def kinds(session: Session) -> list[str]:
    return [evidence.kind for evidence in session.liveness.evidence]


def info(pid: int) -> ProcessInfo:
    found = LinuxProcesses().get(pid)
    assert found is not None
    return found


@pytest.mark.parametrize("kind", AGENTS)
def test_it_is_a_live_session_and_then_a_failed_one(kind: Agent, tmp_path: Path) -> None:
    with Standin(tmp_path, kind) as agent:
        assert (agent.pid, info(agent.pid).name) in {(row[0], row[1]) for row in running_programs()}
        session = seen(agent)
        assert session.state is State.LIVE
        assert (session.workspace, session.prompts) == (str(agent.workspace), 1)
        assert session.liveness.owners == (agent.pid,)
        assert kinds(session)[0] == ("register" if kind == "claude-code" else "lock")
        agent.kill()
        agent.reap()
        assert seen(agent).state is State.UNRESOLVED, "its last record is a moment old"
        assert (agent.register if kind == "claude-code" else agent.lock).exists()


@pytest.mark.parametrize("kind", AGENTS)
@pytest.mark.parametrize("running", [True, False])
def test_a_tidy_end(kind: Agent, running: bool, tmp_path: Path) -> None:
    with Standin(tmp_path, kind) as agent:
        if running:
            agent.call("pytest -q")
        before = agent.transcript.read_text()
        os.kill(agent.pid, signal.SIGINT)
        agent.wait_for("SIGINT")
        assert agent.reap() == 0
        assert agent.transcript.read_text() != before
        assert not agent.register.exists()
        assert not agent.lock.exists()


def test_what_it_ignores_it_tells(tmp_path: Path) -> None:
    with Standin(tmp_path, signals={"SIGINT": "ignore", "SIGTERM": "end_second"}) as agent:
        for name in ("SIGINT", "SIGTERM", "SIGTERM"):
            os.kill(agent.pid, signal.Signals[name])
            agent.wait_for(name)
        assert agent.reap() == 0
        assert agent.heard[:2] == ["SIGINT", "SIGTERM"]


def test_it_goes_on_writing_when_it_is_told_to(tmp_path: Path) -> None:
    with Standin(tmp_path, "codex", signals={"SIGINT": "append", "SIGTERM": "die"}) as agent:
        before = agent.transcript.stat().st_size
        os.kill(agent.pid, signal.SIGINT)
        until(lambda: agent.transcript.stat().st_size > before + 300, "more rows")
        os.kill(agent.pid, signal.SIGTERM)
        assert agent.reap() == -signal.SIGTERM
        assert agent.lock.exists()


@pytest.mark.parametrize(("own", "orphan"), [(None, False), ("group", False), ("session", True), (None, True)])
def test_children(own: str | None, orphan: bool, tmp_path: Path) -> None:
    with Standin(tmp_path) as agent:
        child = agent.child(own=own, orphan=orphan, ignores=["SIGINT"], transcript=True)  # pyright: ignore[reportArgumentType] - of the table above
        assert (info(child).ppid == agent.pid) is not orphan
        assert os.getpgid(child) == (os.getpgid(agent.pid) if own is None else child)
        assert (os.getsid(child) == child) is (own == "session")
        assert (LinuxProcesses().environment(child) or {})[agent.variable] == agent.session_id
        assert str(agent.transcript) in (LinuxProcesses().open_files(child) or ())
        os.kill(child, signal.SIGINT)
        agent.end()
        assert not is_gone(child)
        os.kill(child, signal.SIGTERM)
        until(lambda: is_gone(child), "the child's end")


def test_a_second_writer(tmp_path: Path) -> None:
    with Standin(tmp_path) as agent:
        agent.child(own="session", orphan=True, writes=True)
        agent.kill()
        before = agent.transcript.stat().st_size
        until(lambda: agent.transcript.stat().st_size > before, "rows of the other one")


def test_everything_ends_with_it(tmp_path: Path) -> None:
    stubborn = {"SIGINT": "ignore", "SIGTERM": "ignore", "SIGHUP": "ignore"}
    with Standin(tmp_path, signals=stubborn, where="orphan") as agent:  # pyright: ignore[reportArgumentType] - literals
        pids = [agent.pid, agent.child(orphan=True, ignores=["SIGINT", "SIGTERM"]), agent.child(own="session")]
        agent.suspend()
    until(lambda: all(map(is_gone, pids)), "the end of all")


def test_everything_ends_when_the_test_is_killed(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from tests.standin.agent import Standin\n"
        "with Standin(Path(sys.argv[1]), where='orphan') as agent:\n"
        "    print(agent.pid, agent.child(orphan=True, own='session'), flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(Path.cwd()), *filter(None, sys.path)])},
    ) as other:
        assert other.stdout is not None
        pids = [int(word) for word in other.stdout.readline().split()]
        assert len(pids) == 2
        other.kill()
    until(lambda: all(map(is_gone, pids)), "the end of both")


@pytest.mark.parametrize("sits", ["pty", "tmux"])
def test_its_terminal(sits: str, tmp_path: Path) -> None:
    with Standin(tmp_path, where=sits, signals={"SIGHUP": "ignore"}) as agent:  # pyright: ignore[reportArgumentType] - of the list above
        terminal = info(agent.pid).terminal
        assert terminal is not None
        assert terminal.startswith("pts/")
        if agent.pane is not None:
            assert f'"tmux": "agent:@0.{agent.pane.id}"' in agent.register.read_text()
        agent.close_terminal()
        agent.wait_for("SIGHUP")
        until(lambda: info(agent.pid).terminal is None, "the loss of its terminal")
        assert seen(agent).state is State.LIVE
        assert "hint" in kinds(seen(agent))


def test_one_behind_a_wrapper_and_a_forged_register(tmp_path: Path) -> None:
    need("env")
    with Standin(tmp_path, wrapper=["env", "ONE=1"], forged={"procStart": "1"}, arguments=["--verbose"]) as agent:
        assert info(agent.pid).argv[-1] == "--verbose"
        assert (LinuxProcesses().environment(agent.pid) or {})["ONE"] == "1"
        session = seen(agent)
        assert session.state is not State.LIVE


def test_one_who_resumed_the_session_of_another(tmp_path: Path) -> None:
    with Standin(tmp_path, "codex", registers=False, holds_open=False) as first:
        first.end()
        words = ["resume", first.session_id]
        with Standin(tmp_path, "codex", session=first, registers=False, prompt=None, arguments=words) as second:
            assert seen(second).liveness.evidence[0].kind == "open_file"
            assert seen(second).liveness.owners == (second.pid,)


def test_one_without_register_is_a_candidate(tmp_path: Path) -> None:
    with Standin(tmp_path, "codex", registers=False, holds_open=False) as agent:
        session = seen(agent)
        found: list[Evidence] = [e for e in session.liveness.evidence if e.pid == agent.pid]
        assert session.state is State.UNRESOLVED
        assert [e.kind for e in found] == ["cwd"]
