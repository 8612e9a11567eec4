"""Whether a process that holds something still runs: proved, or not said."""

import os
import subprocess

import pytest

from refloat.machine import here
from refloat.model.saving import Runner


def test_this_process_runs_and_another_start_of_its_number_does_not() -> None:
    me = here.runner()
    assert here.is_running(me) is True
    assert here.is_running(me._replace(pid_started="1")) is False, "its number was given to another process"


def test_a_child_that_ended_does_not_run_though_nobody_waited_for_it() -> None:
    child = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
    runner = here.runner_of(child.pid)
    assert here.is_running(runner) is True
    assert child.stdin is not None
    child.stdin.close()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # a zombie from here on
    assert here.is_running(runner) is False
    child.wait()
    assert here.is_running(runner) is False


@pytest.mark.parametrize("more", [{"host": "elsewhere"}, {"pid": None}, {"pid_started": None}])
def test_what_cannot_be_looked_at_is_not_said_to_be_dead(more: dict[str, None]) -> None:
    assert here.is_running(here.runner()._replace(**more)) is None


def test_a_process_that_only_its_own_user_may_look_at_is_not_said_to_be_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(pid: int, number: int) -> None:
        raise PermissionError(pid, number)

    def hidden(pid: int) -> None:
        """With `hidepid=2` there is no /proc/PID."""

    monkeypatch.setattr(os, "kill", refuse)
    monkeypatch.setattr(here, "start_token", hidden)
    assert here.is_running(Runner(here.host(), 4711, "100")) is None
