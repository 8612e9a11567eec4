"""Whom a stop never reaches, however a register or a person names it. Every process here is a row of a fake table.

No test of this file may look at the real table: what it asks for would end the machine that runs it.
"""
# ruff: noqa: S106 - a start token is a start time, no password

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import pytest
from tests.core.usecases.conftest import Home

from refloat.model.liveness import ProcessInfo
from refloat.model.saving import Runner
from refloat.model.stopping import Asking, Progress, Stopped, StopPlan
from refloat.testing.fakes import FakeSignals, fake_machine, process
from refloat.usecases.act import Actor, Wish, actor_of
from refloat.usecases.stop_plan import plan_stop
from refloat.usecases.stop_session import TURN_LOOK, plan_after_turn, stop_session, wait_for_turn
from refloat.usecases.stop_tree import Patience
from refloat.usecases.workbench import Workbench

ID = "5f0c1d2e-0000-4000-8000-000000000001"
OWN = os.getuid()
INIT = process(1, "claude", ppid=0, uid=OWN, start_token="9", group=1, session=1)
BELOW = (
    process(50, "sshd", ppid=1, uid=OWN, start_token="50", group=50, session=50),
    process(51, "bash", ppid=50, uid=OWN, start_token="51", group=51, session=51),
    process(52, "make", ppid=51, uid=OWN, start_token="52", group=52, session=51),
    process(53, "postgres", ppid=1, uid=OWN, start_token="53", group=1, session=1),
)


class Table:
    """A home with one session, and the processes that are there."""

    def __init__(self, home: Home, *rows: ProcessInfo) -> None:
        self.home = home
        home.write(ID, *home.talk(ID))
        home.processes.rows = rows
        self.signals = FakeSignals(home.processes)
        machine = fake_machine(home.directory, clock=home.clock, processes=home.processes, signals=self.signals)
        self.bench = Workbench(machine, home.bench.readers)

    @property
    def actor(self) -> Actor:
        return actor_of(self.bench.machine, Runner("testhost", 1 << 22, "1"), lambda _: None)

    def register(self, pid: int, token: str, **more: object) -> None:
        """Claude Code's own note that a process works on the session."""
        path = self.home.directory / "home" / ".claude" / "sessions" / f"{pid}.json"
        path.parent.mkdir(exist_ok=True)
        row = {"pid": pid, "sessionId": ID, "cwd": str(self.home.work), "startedAt": 1_000_000_000, "procStart": token}
        path.write_text(json.dumps({**row, "kind": "interactive", "version": "2.1.270", "status": "busy", **more}))

    def wish(self, pid: int | None = None) -> Wish:
        return Wish("stop", f"claude-code:{ID}", self.home.work, "it is meant", pid)

    def plan(self, pid: int | None = None) -> StopPlan:
        return plan_stop(self.bench, self.actor, self.wish(pid))

    def stop(self, plan: StopPlan, pid: int | None = None) -> Stopped:
        told: list[Progress] = []
        return stop_session(self.bench, self.actor, self.wish(pid), plan, told.append, Patience(0, 0, 0, 0))

    def refusal(self, pid: int | None = None) -> str:
        """Why it is refused; nothing was sent on the way."""
        plan = self.plan(pid)
        assert plan.kin == ()
        stopped = self.stop(plan, pid)
        assert (stopped.result, stopped.signals, self.signals.sent) == ("refused", (), [])
        return stopped.why


def pids(rows: Sequence[ProcessInfo]) -> list[int]:
    return [row.pid for row in rows]


@pytest.mark.parametrize("named", [None, 1])
def test_the_first_process_of_the_machine_or_of_a_container(named: int | None, home: Home) -> None:
    """With the right start, and even where it is the agent itself, as in a container that runs nothing else."""
    table = Table(home, INIT, *BELOW)
    table.register(1, "9")
    assert "everything in it would end" in table.refusal(named)
    assert pids(home.processes.rows) == [1, 50, 51, 52, 53]


@pytest.mark.parametrize("pid", [0, -1, 1])
def test_numbers_that_are_no_process_to_stop(pid: int, home: Home) -> None:
    table = Table(home, INIT, *BELOW, process(60, cwd=str(home.work), uid=OWN))
    assert f"process {pid} " in table.refusal(pid)


@pytest.mark.parametrize("named", [None, 2])
def test_a_thread_of_the_kernel(named: int | None, home: Home) -> None:
    thread = process(2, "kthreadd", (), ppid=0, uid=OWN, start_token="9", terminal=None)
    table = Table(home, INIT, thread, process(3, "kworker/0:0", (), ppid=2, uid=OWN))
    table.register(2, "9")
    assert "does not look like claude-code" in table.refusal(named)


@pytest.mark.parametrize("pid", [50, 51, 53])
@pytest.mark.parametrize("is_named", [False, True])
def test_a_server_or_a_shell_that_a_register_names(pid: int, is_named: bool, home: Home) -> None:
    """A register is a file: it makes no agent of whatever has that number and that start."""
    table = Table(home, INIT, *BELOW)
    table.register(pid, str(pid))
    assert "does not look like claude-code" in table.refusal(pid if is_named else None)


def test_what_refloat_itself_runs_in(home: Home) -> None:
    agent = process(60, cwd=str(home.work), uid=OWN, start_token="60")
    shell = process(61, "bash", ppid=60, uid=OWN, start_token="61")
    table = Table(home, INIT, agent, shell, process(os.getpid(), "python", ppid=61, uid=OWN, start_token="62"))
    table.register(60, "60")
    assert "from another terminal" in table.refusal()
    table.register(os.getpid(), "62")
    assert "from another terminal" in table.refusal(60)


def owned(home: Home) -> Table:
    """A session whose owner has a shell below it."""
    agent = process(60, cwd=str(home.work), uid=OWN, start_token="60", group=60, session=60)
    below = process(61, "bash", ppid=60, uid=OWN, start_token="61", group=61, session=60, started=1_000_001.0)
    table = Table(home, INIT, *BELOW, agent, below)
    table.register(60, "60")
    return table


def test_an_owner_without_a_hold_on_it_lends_its_family_to_nobody(home: Home) -> None:
    table = owned(home)
    plan = table.plan()
    assert [kin.process.pid for kin in plan.kin] == [60, 61]
    table.signals.beyond = frozenset({60})
    stopped = table.stop(plan)
    assert (stopped.result, table.signals.sent) == ("refused", [])
    assert "no hold on process 60" in stopped.why


@pytest.mark.parametrize("first", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("named", [None, 60])
def test_an_owner_that_no_signal_reaches_keeps_what_it_started(
    named: int | None, first: Literal["SIGINT", "SIGTERM"], home: Home
) -> None:
    table = owned(home)
    table.signals.forbids = frozenset({60})
    stopped = table.stop(replace(table.plan(named), asks=(Asking(first, 0.0),)), named)
    assert (stopped.result, table.signals.sent) == ("not_verified", [])
    assert [(row.pid, row.why) for row in stopped.left] == [
        (60, "the system does not let you signal it"),
        (61, "in the session of processes that the session's process leads"),
    ]
    assert stopped.why == "process 60 (claude), process 61 (bash) still runs"


def test_a_child_that_no_signal_reaches_is_what_is_left(home: Home) -> None:
    table = owned(home)
    table.signals.forbids, table.signals.ends = frozenset({61}), {60: "SIGINT"}
    stopped = table.stop(table.plan())
    assert (stopped.result, table.signals.sent) == ("not_verified", [("SIGINT", 60)])
    assert [row.pid for row in stopped.left] == [61]


def test_a_shell_that_became_the_agent_keeps_its_own_jobs(home: Home) -> None:
    """`make & exec claude`: the process, its children and its session are older than the agent that they are now."""
    agent = process(60, cwd=str(home.work), uid=OWN, start_token="60", group=60, session=60)
    make = process(70, "make", ppid=60, uid=OWN, start_token="70", group=70, session=60, started=1_000_100.0)
    compiler = process(71, "cc", ppid=70, uid=OWN, start_token="71", group=70, session=60, started=1_002_000.0)
    server = process(72, "mcp", ppid=60, uid=OWN, start_token="72", group=72, session=60, started=1_001_000.0)
    table = Table(home, INIT, agent, make, compiler, server)
    table.register(60, "60", startedAt=1_001_000_000)
    table.signals.ends = {60: "SIGINT"}
    plan = table.plan()
    assert [kin.process.pid for kin in plan.kin] == [60, 72]
    stopped = table.stop(plan)
    assert {pid for _, pid in table.signals.sent} == {60, 72}
    assert [(row.pid, "exec" in row.why) for row in stopped.left] == [(70, True), (71, True)]


def test_waiting_for_a_turn_does_not_end_where_there_is_no_hold_on_the_owner(home: Home) -> None:
    """Else a stop that was to wait would interrupt the turn."""
    table = owned(home)
    talk = home.talk(ID)
    home.append(ID, home.row(ID, 3, "user", "And now the tests", promptSource="typed"))
    table.signals.beyond = frozenset({60})
    waits: list[float] = []

    def wait(grips: Sequence[object], seconds: float) -> None:
        assert grips == []
        waits.append(seconds)
        if len(waits) == 3:
            home.append(ID, {**talk[1], "parentUuid": f"{ID}-row-3", "uuid": f"{ID}-row-4"})
            table.register(60, "60", status="idle")

    table.signals.waits = wait
    told: list[Progress] = []
    wait_for_turn(table.bench, table.actor, table.wish(), told.append)
    assert waits == [TURN_LOOK] * 3
    assert [step.what for step in told] == ["waiting"]


def test_an_owner_that_ends_by_itself_while_a_stop_waits_for_its_turn_is_stopped(home: Home) -> None:
    table = owned(home)
    home.append(ID, home.row(ID, 3, "user", "And now the tests", promptSource="typed"))

    def end(grips: Sequence[object], seconds: float) -> None:
        del grips, seconds
        home.processes.rows = [row for row in home.processes.rows if row.pid not in {60, 61}]

    plan = table.plan()
    table.signals.waits = end
    told: list[Progress] = []
    after = plan_after_turn(table.bench, table.actor, table.wish(), plan, told.append)
    assert [step.what for step in told] == ["waiting"]
    table.signals.waits = None
    stopped = table.stop(after)
    assert (stopped.result, stopped.signals) == ("stopped", ())


def test_a_plan_that_names_the_first_process_after_all_sends_nothing(home: Home) -> None:
    """Whoever made it: the tree takes hold of each process that it signals, and of that one nobody can."""
    table = Table(home, INIT, *BELOW)
    table.register(1, "9")
    sound = owned(home).plan()
    forged = replace(sound, kin=tuple(replace(kin, process=INIT) for kin in sound.kin[:1]))
    stopped = table.stop(forged)
    assert (stopped.result, table.signals.sent) == ("refused", [])


def test_only_the_tree_of_the_agent_ends(home: Home) -> None:
    table = owned(home)
    table.signals.ends = {60: "SIGINT"}
    stopped = table.stop(table.plan())
    assert stopped.result == "stopped"
    assert {pid for _, pid in table.signals.sent} == {60, 61}
    assert pids(home.processes.rows) == [1, 50, 51, 52, 53]
