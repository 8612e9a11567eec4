"""Signals reach the process that was looked at, or nobody."""
# ruff: noqa: S106 - a start token is a start time, no password

import os
import signal
import subprocess
import sys
from dataclasses import replace

import pytest
from tests.core.machine.conftest import Starter, until

from refloat.machine.ending import SystemGrip, SystemSignals
from refloat.machine.processes import LinuxProcesses
from refloat.model.liveness import ProcessInfo

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
TABLE = LinuxProcesses()
SIGNALS = SystemSignals(TABLE)


def info(pid: int) -> ProcessInfo:
    found = TABLE.get(pid)
    assert found is not None
    return found


@pytest.mark.parametrize("descriptors", [True, False])
def test_a_signal_and_the_end(descriptors: bool, claude: Starter) -> None:
    """With a descriptor of the process, and as on a system that has none."""
    child = claude()
    grip = SIGNALS.grip(info(child.pid)) if descriptors else SystemGrip(TABLE, info(child.pid), None)
    assert grip is not None
    assert not grip.has_ended()
    assert grip.send("SIGTERM") == "sent"
    SIGNALS.wait([grip], 60.0)
    assert grip.has_ended(), "a zombie has ended"
    assert grip.send("SIGTERM") == "ended"
    assert child.wait() == -signal.SIGTERM
    assert grip.has_ended()
    assert grip.send("SIGKILL") == "ended"
    grip.release()
    grip.release()


@pytest.mark.parametrize("descriptors", [True, False])
def test_a_number_with_another_start_is_not_signalled(descriptors: bool, claude: Starter) -> None:
    child = claude()
    other = replace(info(child.pid), start_token="1")
    if descriptors:
        assert SIGNALS.grip(other) is None
    else:
        assert SystemGrip(TABLE, other, None).send("SIGKILL") == "ended"
    assert child.poll() is None


def test_what_is_never_held(claude: Starter) -> None:
    assert SIGNALS.grip(info(1)) is None
    assert SIGNALS.grip(replace(info(1), pid=0)) is None
    assert SIGNALS.grip(replace(info(1), pid=-1)) is None
    child = claude()
    seen = info(child.pid)
    assert SIGNALS.grip(replace(seen, start_token="")) is None, "without a start nothing can be compared"
    child.kill()
    until(lambda: info(child.pid).zombie, "the zombie")
    assert SIGNALS.grip(seen) is None
    child.wait()
    assert SIGNALS.grip(seen) is None


def test_waiting_ends_with_the_last_of_them(claude: Starter) -> None:
    first, second = claude(), claude()
    grips = [SIGNALS.grip(info(first.pid)), SystemGrip(TABLE, info(second.pid), None)]
    held = [grip for grip in grips if grip is not None]
    assert len(held) == 2
    SIGNALS.wait(held, 0.1)
    assert not any(grip.has_ended() for grip in held)
    for grip in held:
        assert grip.send("SIGKILL") == "sent"
    SIGNALS.wait(held, 60.0)
    assert all(grip.has_ended() for grip in held)


def test_a_suspended_process_is_woken(claude: Starter) -> None:
    child = claude()
    grip = SIGNALS.grip(info(child.pid))
    assert grip is not None
    child.send_signal(signal.SIGSTOP)
    until(lambda: info(child.pid).stopped, "the suspension")
    assert grip.send("SIGCONT") == "sent"
    until(lambda: not info(child.pid).stopped, "the resumption")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become somebody else")
def test_somebody_elses_process_takes_no_signal(claude: Starter) -> None:
    child = claude()
    code = (
        "import os, sys; from refloat.machine.ending import SystemGrip, SystemSignals\n"
        "from refloat.machine.processes import LinuxProcesses\n"
        "table = LinuxProcesses(); row = table.get(int(sys.argv[1]))\n"
        "grips = [SystemSignals(table).grip(row), SystemGrip(table, row, None)]; os.setresuid(65534, 65534, 65534)\n"
        "print(*[grip.send('SIGKILL') for grip in grips])"
    )
    said = subprocess.run(
        [sys.executable, "-c", code, str(child.pid)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert said.stdout.split() == ["forbidden", "forbidden"]
    assert child.poll() is None
