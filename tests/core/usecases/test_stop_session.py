"""Stopping real processes: whom it signals, in which order, what it verifies, and what it keeps its hands off."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from tests.standin.agent import Agent, Standin, is_gone, until

from refloat.machine import here
from refloat.machine.processes import LinuxProcesses
from refloat.machine.real import real_machine
from refloat.model.liveness import ProcessInfo
from refloat.model.saving import Runner
from refloat.model.session import SessionName, State
from refloat.model.stopping import Asking, Progress, Stopped, StopPlan
from refloat.ports import Machine
from refloat.record.leases import Claim, take_lease
from refloat.record.trails import load_trail
from refloat.usecases.act import Wish, actor_of
from refloat.usecases.decided import job_of
from refloat.usecases.find_sessions import Located, Scope, list_sessions, resolve
from refloat.usecases.finder import Finder
from refloat.usecases.open_bench import open_bench
from refloat.usecases.stop_plan import plan_stop
from refloat.usecases.stop_session import stop_session, wait_for_turn
from refloat.usecases.stop_tree import Patience
from refloat.usecases.workbench import Workbench

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
AGENTS: tuple[Agent, ...] = ("claude-code", "codex")
STUBBORN = {"SIGINT": "ignore", "SIGTERM": "ignore", "SIGHUP": "ignore"}
LEISURE = (Asking("SIGINT", 60.0), Asking("SIGTERM", 60.0))
"""For those who end on it: a loaded machine may be slow, and must not make a difference."""
HASTE = (Asking("SIGINT", 0.2), Asking("SIGTERM", 0.2))
"""For those who do not end on it anyway."""


@dataclass
class Desk:
    """Refloat at a home."""

    home: Path
    told: list[Progress] = field(default_factory=list[Progress])

    @property
    def machine(self) -> Machine:
        return real_machine({**os.environ, "HOME": str(self.home)})

    @property
    def bench(self) -> Workbench:
        return open_bench(self.machine)

    def wish(self, agent: Standin, pid: int | None = None, force: str | None = None) -> Wish:
        return Wish("stop", agent.session, agent.workspace, force, pid)

    def plan(self, agent: Standin, pid: int | None = None, force: str | None = None) -> StopPlan:
        actor = actor_of(self.machine, here.runner(), here.is_running)
        return plan_stop(self.bench, actor, self.wish(agent, pid, force))

    def stop(
        self,
        agent: Standin,
        *,
        pid: int | None = None,
        force: str | None = None,
        asks: tuple[Asking, ...] = LEISURE,
        between: Callable[[], object] = lambda: None,
        tell: Callable[[Progress], None] | None = None,
        quiet: float = 0.3,
        end: float = 60.0,
    ) -> Stopped:
        """Plan it, do what happens `between`, and stop it."""
        plan = self.plan(agent, pid, force)
        between()
        if plan.refused is None:
            plan = replace(plan, asks=asks)
        actor = actor_of(self.machine, here.runner(), here.is_running)
        patience = Patience(rest=0.3, end=end, kill=60.0, quiet=quiet)
        return stop_session(self.bench, actor, self.wish(agent, pid, force), plan, tell or self.told.append, patience)

    def located(self, agent: Standin) -> Located:
        return resolve(self.bench, agent.session, agent.workspace)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def sent(stopped: Stopped) -> list[tuple[str, int]]:
    return [(each.signal, each.pid) for each in stopped.signals]


def info(pid: int) -> ProcessInfo:
    found = LinuxProcesses().get(pid)
    assert found is not None
    return found


# ── how it ends ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", AGENTS)
def test_one_who_ends_when_it_is_interrupted(kind: Agent, desk: Desk) -> None:
    with Standin(desk.home, kind) as agent:
        agent.call("pytest -q")
        stopped = desk.stop(agent)
        assert (stopped.result, sent(stopped)) == ("stopped", [("SIGINT", agent.pid)])
        assert stopped.left == ()
        assert [step.what for step in desk.told] == ["signal", "ended", "verifying"]
        listed = desk.located(agent).session.state
        assert (listed is State.FAILED) == stopped.why.endswith("; its turn did not end: it is listed as failed")
        assert listed is State.FAILED, "a call was open"


def test_one_who_ignores_the_interruption_is_terminated(desk: Desk) -> None:
    with Standin(desk.home, signals={"SIGINT": "ignore"}) as agent:
        stopped = desk.stop(agent, asks=(HASTE[0], Asking("SIGTERM", 60.0)))
        assert (stopped.result, sent(stopped)) == ("stopped", [("SIGINT", agent.pid), ("SIGTERM", agent.pid)])


@pytest.mark.parametrize("kind", AGENTS)
def test_one_who_ignores_both_is_killed(kind: Agent, desk: Desk) -> None:
    with Standin(desk.home, kind, signals=STUBBORN) as agent:  # pyright: ignore[reportArgumentType] - literals
        child = agent.child(ignores=["SIGINT", "SIGTERM"])
        stopped = desk.stop(agent, asks=HASTE)
        assert stopped.result == "stopped"
        assert [(name, pid) for name, pid in sent(stopped) if pid == agent.pid] == [
            ("SIGINT", agent.pid), ("SIGTERM", agent.pid), ("SIGKILL", agent.pid),
        ]  # fmt: skip
        assert ("SIGINT", child) not in sent(stopped), "an interruption is for the agent alone"
        assert ("SIGKILL", child) in sent(stopped)
        assert is_gone(child)
        assert any("left behind" in note or "zombie" in note for note in stopped.notes)


def test_what_it_left_is_terminated_after_it(desk: Desk) -> None:
    with Standin(desk.home) as agent:
        plain, own, stubborn = agent.child(), agent.child(own="session"), agent.child(ignores=["SIGINT", "SIGTERM"])
        stopped = desk.stop(agent, end=0.3)
        assert stopped.result == "stopped"
        assert sent(stopped)[0] == ("SIGINT", agent.pid)
        assert {("SIGTERM", plain), ("SIGTERM", own), ("SIGTERM", stubborn)} < set(sent(stopped))
        assert ("SIGKILL", stubborn) in sent(stopped)
        assert all(map(is_gone, (plain, own, stubborn)))


def test_a_grandchild_without_a_parent_in_a_group_that_the_agent_leads(desk: Desk) -> None:
    with Standin(desk.home, where="pty") as agent:
        child = agent.child(orphan=True, marked=False)
        assert info(child).ppid != agent.pid
        stopped = desk.stop(agent)
        assert (stopped.result, stopped.left) == ("stopped", ())
        assert is_gone(child)


def test_background_work_that_is_not_of_the_tree_is_told_and_left_alone(desk: Desk) -> None:
    with Standin(desk.home) as agent:
        child = agent.child(orphan=True, own="session")
        stopped = desk.stop(agent)
        assert stopped.result == "stopped"
        assert [row.pid for row in stopped.left] == [child]
        assert not is_gone(child)
        assert child not in {pid for _, pid in sent(stopped)}


def test_a_closed_terminal(desk: Desk) -> None:
    with Standin(desk.home, where="tmux", signals={"SIGHUP": "ignore"}) as agent:
        agent.close_terminal()
        agent.wait_for("SIGHUP")
        until(lambda: info(agent.pid).terminal is None, "the loss of its terminal")
        assert desk.stop(agent).result == "stopped"


def test_a_suspended_one_is_woken_so_that_it_can_react(desk: Desk) -> None:
    with Standin(desk.home) as agent:
        agent.suspend()
        stopped = desk.stop(agent)
        assert (stopped.result, sent(stopped)) == ("stopped", [("SIGINT", agent.pid), ("SIGCONT", agent.pid)])


def test_one_who_writes_on_instead_of_ending(desk: Desk) -> None:
    with Standin(desk.home, "codex", signals={"SIGINT": "append", "SIGTERM": "die"}) as agent:
        stopped = desk.stop(agent, asks=(HASTE[0], Asking("SIGTERM", 60.0)))
        assert stopped.result == "stopped"
        assert sent(stopped) == [("SIGINT", agent.pid), ("SIGTERM", agent.pid)]
        assert any("left behind" in note for note in stopped.notes)


def test_a_child_that_it_starts_while_it_is_stopped(desk: Desk) -> None:
    """It ends with the rest: the tree is walked before each signal."""
    with Standin(desk.home, signals={"SIGINT": "breed", "SIGTERM": "breed"}) as agent:

        def wait_for_child(step: Progress) -> None:
            if step.words.startswith(f"SIGTERM to {agent.pid} "):  # its handler of the interruption has run by then
                until(lambda: any(row.ppid == agent.pid for row in LinuxProcesses().all()), "a child")

        stopped = desk.stop(agent, asks=HASTE, end=0.3, tell=wait_for_child)
        assert stopped.result == "stopped"
        assert len({pid for _, pid in sent(stopped)} - {agent.pid}) >= 1
        assert all(is_gone(pid) for _, pid in sent(stopped))


def test_a_transcript_that_grows_on_is_not_verified(desk: Desk) -> None:
    with Standin(desk.home) as agent:
        writer = agent.child(own="session", orphan=True, writes=True, marked=False)
        stopped = desk.stop(agent, quiet=3.0)
        assert stopped.result == "not_verified"
        assert str(agent.transcript) in stopped.why
        assert not is_gone(writer)
        assert is_gone(agent.pid)


def test_one_who_ends_by_itself_between_look_and_signal(desk: Desk) -> None:
    with Standin(desk.home) as agent:
        stopped = desk.stop(agent, between=agent.end)
        assert (stopped.result, stopped.signals) == ("stopped", ())
        assert "ended by itself" in stopped.why


def test_another_one_who_owns_it_by_then_is_not_signalled(desk: Desk) -> None:
    with Standin(desk.home) as first, Standin(desk.home, session=first, prompt=None) as second:
        stopped = desk.stop(first)
        assert stopped.result == "stopped"
        assert is_gone(second.pid), "both own it, both are stopped"
    with Standin(desk.home, name="other") as first:
        opened: list[Standin] = []

        def follow() -> None:
            first.kill()
            opened.append(Standin(desk.home, session=first, prompt=None).__enter__())

        try:
            stopped = desk.stop(first, between=follow)
            assert (stopped.result, stopped.signals) == ("not_verified", ())
            assert f"process {opened[0].pid}" in stopped.why
            assert not is_gone(opened[0].pid)
        finally:
            opened[0].close()


def test_ctrl_c_says_where_it_stands(desk: Desk) -> None:
    with Standin(desk.home, signals=STUBBORN) as agent:  # pyright: ignore[reportArgumentType] - literals

        def stop_it(step: Progress) -> None:
            if step.words.startswith("SIGTERM"):
                raise KeyboardInterrupt

        stopped = desk.stop(agent, asks=HASTE, tell=stop_it)
        assert (stopped.result, stopped.by_person) == ("not_verified", True)
        assert f"SIGINT to {agent.pid}" in stopped.why
        assert [row.pid for row in stopped.left] == [agent.pid]
        assert not is_gone(agent.pid)
        actor = actor_of(desk.machine, here.runner(), here.is_running)
        with actor.peek() as record:
            [step] = load_trail(record, job_of(SessionName(agent.session))).steps
        assert step.ending is not None
        assert step.ending.outcome == "interrupted"


# ── whom it does not touch ───────────────────────────────────────────────────────────────────────────────────────────


def test_a_candidate_is_refused_and_stopped_when_it_is_named(desk: Desk) -> None:
    with Standin(desk.home, "codex", registers=False, holds_open=False) as agent:
        refused = desk.stop(agent)
        assert (refused.result, refused.signals) == ("refused", ())
        assert not is_gone(agent.pid)
        plan = desk.plan(agent, agent.pid)
        assert plan.confirm is not None
        assert [kin.role for kin in plan.kin] == ["named"]
        stopped = desk.stop(agent, pid=agent.pid)
        assert (stopped.result, sent(stopped)) == ("stopped", [("SIGINT", agent.pid)])


def test_of_two_candidates_the_other_one_is_told(desk: Desk) -> None:
    with (
        Standin(desk.home, "codex", registers=False, holds_open=False) as agent,
        Standin(desk.home, "codex", registers=False, holds_open=False, session=agent, prompt=None) as other,
    ):
        stopped = desk.stop(agent, pid=agent.pid)
        assert stopped.result == "stopped"
        assert any(f"process {other.pid} " in note for note in stopped.notes)
        assert not is_gone(other.pid)


def test_a_lock_that_somebody_inherited_is_not_verified(desk: Desk) -> None:
    with Standin(desk.home, "codex", signals={"SIGINT": "die"}) as agent:
        child = agent.child(lock=True, own="session", orphan=True, marked=False)
        stopped = desk.stop(agent)
        assert not is_gone(child)
        assert stopped.result == "not_verified"
        assert f"{agent.lock} is still held, by process {child}" in stopped.why
        assert desk.stop(agent, pid=child).result == "refused", "it is no agent"
        assert not is_gone(child)


def test_a_number_that_nothing_ties_to_the_session(desk: Desk) -> None:
    with Standin(desk.home, "codex", registers=False, holds_open=False) as agent:
        stranger = agent.child(own="session", orphan=True, marked=False)
        refused = desk.stop(agent, pid=stranger)
        assert (refused.result, refused.signals) == ("refused", ())
        assert not is_gone(stranger)


@pytest.mark.parametrize("forged", [{"procStart": "1"}, {"procStart": "Mon Jan  1 00:00:00 2024"}])
def test_a_number_that_is_used_again(forged: dict[str, object], desk: Desk) -> None:
    """The register names a process that started at another time than the one of that number."""
    with Standin(desk.home, forged=forged) as agent:
        for pid in (None, agent.pid):
            refused = desk.stop(agent, pid=pid)
            assert (refused.result, refused.signals) == ("refused", ())
        assert not is_gone(agent.pid)


def test_a_server_of_many_sessions_must_be_named(desk: Desk) -> None:
    with Standin(desk.home, "codex", name="other") as other:
        other.end()
        with Standin(desk.home, "codex") as agent:
            agent.hold_lock(other.lock)
            refused = desk.stop(agent)
            assert refused.result == "refused"
            assert other.session in refused.why
            plan = desk.plan(agent, agent.pid)
            assert plan.confirm is not None
            assert other.session in plan.confirm
            assert desk.stop(agent, pid=agent.pid).result == "stopped"


def test_the_thread_of_a_sub_agent_is_no_other_session(desk: Desk) -> None:
    """Codex holds a lock for each loaded thread; those of sub-agents go with their parent's."""
    with Standin(desk.home, "codex", name="sub") as sub:
        sub.end()
        with Standin(desk.home, "codex") as agent:
            source = {"subagent": {"thread_spawn": {"parent_thread_id": agent.session_id, "depth": 1}}}
            head, _, rest = sub.transcript.read_text().partition("\n")
            row = json.loads(head)
            row["payload"]["source"] = source
            sub.transcript.write_text(f"{json.dumps(row)}\n{rest}")
            agent.hold_lock(sub.lock)
            agent.hold_lock(desk.home / ".codex" / "thread-writer-locks" / "0199f000-0000-7000-8000-000000000001.lock")
            assert [found.id for found in desk.located(agent).found.subagents] == [sub.session_id]
            assert desk.stop(agent).result == "stopped"


def test_a_background_session_is_left_to_its_daemon(desk: Desk) -> None:
    with Standin(desk.home, forged={"kind": "bg"}) as agent:
        refused = desk.stop(agent)
        assert refused.result == "refused"
        assert f"claude stop {agent.session_id}" in refused.why
        assert not is_gone(agent.pid)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may start a process under another user")
def test_another_users_process(desk: Desk) -> None:
    with Standin(desk.home) as agent, tempfile.TemporaryDirectory() as place:
        program = Path(place, "claude")
        shutil.copy2(shutil.which("sleep") or "/bin/sleep", program)
        Path(place).chmod(0o711)
        other = subprocess.Popen([str(program), "3600"], user=65534, group=65534, extra_groups=[], cwd="/")
        try:
            until(lambda: info(other.pid).argv[-1:] == ("3600",), "the program")
            agent.set_status(pid=other.pid, procStart=info(other.pid).start_token)
            refused = desk.stop(agent)
            assert (refused.result, refused.signals) == ("refused", ())
            assert "another user (uid 65534)" in refused.why
            assert other.poll() is None
        finally:
            other.kill()
            other.wait()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may start a process under another user")
def test_another_users_child_is_left(desk: Desk) -> None:
    with Standin(desk.home) as agent:
        child = agent.child(user=65534)
        stopped = desk.stop(agent)
        assert stopped.result == "not_verified"
        assert [(row.pid, "another user" in row.why) for row in stopped.left] == [(child, True)]
        assert child not in {pid for _, pid in sent(stopped)}
        assert not is_gone(child)


def test_somebody_else_who_holds_it(desk: Desk) -> None:
    with Standin(desk.home) as agent:
        actor = actor_of(desk.machine, here.runner(), here.is_running)
        with actor.make() as record:
            claim = Claim(agent.session, "bob@elsewhere", Runner("elsewhere", 1, "1"), 600.0, "is recovering this")
            take_lease(record, claim, desk.machine.clock.now(), lambda _: False)
        refused = desk.stop(agent)
        assert refused.result == "refused"
        assert "bob@elsewhere" in refused.why
        assert desk.stop(agent, force="bob went home").result == "stopped"


# ── what is remembered ───────────────────────────────────────────────────────────────────────────────────────────────


def test_after_a_verified_end_its_state_is_known_at_once(desk: Desk) -> None:
    with Standin(desk.home) as agent:
        agent.call("pytest -q")
        assert desk.stop(agent).result == "stopped"
        agent.reap()
        assert desk.located(agent).session.state is State.FAILED
        [listed] = list_sessions(desk.bench, Scope()).sessions
        assert (listed.session_id, listed.state) == (agent.session_id, State.FAILED)
        agent_again = Standin(desk.home, session=agent, prompt="Go on")
        with agent_again:
            agent_again.kill()
            agent_again.reap()
            assert desk.located(agent).session.state is State.UNRESOLVED, "what is recorded later is somebody else's"


def test_growth_that_two_looks_saw_counts_for_nothing_after_it(desk: Desk) -> None:
    with Standin(desk.home) as agent:
        finder = Finder(desk.bench)
        before = list(finder.watch())[-1]
        assert [session.state for session in before.sessions] == [State.LIVE]
        assert desk.stop(agent).result == "stopped"
        agent.reap()
        after = list(finder.watch())[-1]
        assert [session.state for session in after.sessions] == [State.FAILED]


def test_a_stop_is_a_receipted_step(desk: Desk) -> None:
    with Standin(desk.home) as agent:
        desk.stop(agent)
        actor = actor_of(desk.machine, here.runner(), here.is_running)
        with actor.peek() as record:
            trail = load_trail(record, job_of(SessionName(agent.session)))
        [step] = trail.steps
        assert (step.opening.tool, step.opening.origin) == ("stop session", "recovery")
        assert step.ending is not None
        assert step.ending.outcome == "ok"
        assert step.link is not None
        assert step.verdict == "unchanged"


def test_a_record_that_takes_nothing_stops_no_stop(desk: Desk) -> None:
    data = desk.machine.places.data
    data.parent.mkdir(parents=True)
    data.write_text("no directory")
    with Standin(desk.home) as agent:
        stopped = desk.stop(agent)
        assert stopped.result == "stopped"
        assert any("this stop is not saved" in note for note in stopped.notes)


# ── waiting for a turn ───────────────────────────────────────────────────────────────────────────────────────────────


def test_waiting_until_the_turn_has_ended(desk: Desk) -> None:
    actor = actor_of(desk.machine, here.runner(), here.is_running)
    with Standin(desk.home) as agent:
        told: list[str] = []

        def end_it(step: Progress) -> None:
            told.append(step.what)
            agent.write(lambda talk: talk.reply("Done."))

        wait_for_turn(desk.bench, actor, desk.wish(agent), end_it)
        assert told == ["waiting"]
        assert not is_gone(agent.pid)
        agent.write(lambda talk: talk.prompt("And now the tests"))
        agent.set_status(status="waiting", waitingFor="permission prompt")
        wait_for_turn(desk.bench, actor, desk.wish(agent), end_it)
        assert told == ["waiting"], "it waits for a person, and does nothing by itself"
        agent.set_status(status="busy", waitingFor="")
        wait_for_turn(desk.bench, actor, desk.wish(agent), lambda _: agent.end())
        assert is_gone(agent.pid)


def test_the_signal_of_a_hand_is_not_needed(desk: Desk) -> None:
    """A stop from a shell that ignores SIGINT, as `nohup … &` leaves it, sends it all the same."""
    code = "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); from refloat_tui.cli import main; main()"
    with Standin(desk.home) as agent:
        done = subprocess.run(
            [sys.executable, "-c", code, "stop", agent.session, "--json"],
            env={**os.environ, "HOME": str(desk.home), "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
            capture_output=True, text=True, check=False, cwd=desk.home,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert '"result":"stopped"' in done.stdout
