"""Workers bring what their work came to; where one fails, the work is done here."""

import gc
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from refloat.forking import Copy, may_fork
from refloat.uncollected import Uncollected
from refloat.usecases.workers import Workers

HERE = os.getpid()


def square(number: int) -> tuple[int, int]:
    return os.getpid(), number * number


def die_elsewhere(number: int) -> int:
    if os.getpid() != HERE:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def fail(number: int) -> int:
    raise ValueError(number)


def test_results_come_back_from_another_process():
    with Workers(1) as pool:
        waits = [pool.begin(square, number) for number in (2, 3)]
        told = [wait() for wait in waits]
    assert [result for _, result in told] == [4, 9]
    assert HERE not in {pid for pid, _ in told}


def test_what_a_killed_one_was_to_do_is_done_here():
    with Workers(1) as pool:
        waits = [pool.begin(die_elsewhere, number) for number in (5, 6)]
        assert [wait() for wait in waits] == [5, 6]


def test_what_does_not_travel_is_done_here():
    with Workers(1) as pool:
        assert pool.begin(lambda number: (os.getpid(), number), 7)() == (HERE, 7)


def test_a_fault_of_the_work_is_told():
    with Workers(1) as pool, pytest.raises(ValueError, match="8"):
        pool.begin(fail, 8)()


@pytest.fixture
def may_copy() -> None:
    """Where a thread of another test lives still, no copy is made, and here is nothing to see."""
    if not may_fork():
        pytest.skip("only on Linux, and with one thread")


beside = pytest.mark.usefixtures("may_copy")


@beside
def test_a_copy_of_this_process_tells_what_it_came_to():
    here = [3, 4]
    with Copy(lambda: (os.getpid(), sum(here))) as other:
        told = other.result()
    assert isinstance(told, tuple)
    assert (told[0] != HERE, told[1]) == (True, 7)


@beside
@pytest.mark.parametrize("work", [lambda: die_elsewhere(1), lambda: fail(8), lambda: lambda: 1])
def test_a_copy_that_failed_was_ended_or_made_what_does_not_travel_tells_nothing(work: Any):
    with Copy(work) as other:
        assert other.result() is None


@beside
def test_a_copy_whose_result_nobody_waits_for_is_ended():
    born, never = os.pipe()
    told, tell = os.pipe()

    def stay() -> object:
        os.write(tell, str(os.getpid()).encode())
        os.close(never)
        return os.read(born, 1)  # for ever: this process keeps the other end open

    with Copy(stay):
        pid = int(os.read(told, 20))
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    for descriptor in (born, never, told, tell):
        os.close(descriptor)


def test_where_no_process_is_to_be_had_no_result_comes(monkeypatch: pytest.MonkeyPatch):
    def fork() -> int:
        raise BlockingIOError

    monkeypatch.setattr(os, "fork", fork)
    with Copy(lambda: 1) as other:
        assert other.result() is None


def test_what_was_made_without_a_look_for_cycles_is_not_looked_through_at_once():
    looks: list[str] = []

    def noting(phase: str, _: dict[str, int]) -> None:
        looks.append(phase)

    gc.collect()
    gc.callbacks.append(noting)
    try:
        with Uncollected():
            made = [[number] for number in range(50_000)]
        more = [[number] for number in range(50)]
        assert looks == []
    finally:
        gc.callbacks.remove(noting)
    assert made[:50] == more


def test_cycles_are_looked_for_again_afterwards():
    with Uncollected():
        assert not gc.isenabled()
        with Uncollected():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


ALONE = """
import signal, sys, warnings
warnings.simplefilter("error")
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
from refloat.forking import Copy, may_fork
from refloat.usecases.workers import Workers
assert may_fork() == (sys.platform == "linux")
with Workers(1) as pool:
    print(pool.begin(abs, -9)())
"""


def test_they_work_where_nobody_waits_for_children():
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "9\n", "")


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="only Linux tells its threads")
def test_a_thread_that_python_does_not_know_forbids_a_fork(monkeypatch: pytest.MonkeyPatch):
    tasks = {"/proc/self/task": ["1", "2"]}
    monkeypatch.setattr(os, "listdir", tasks.__getitem__)
    assert not may_fork()


NO_THREADS = """
import threading
def refuse(thread):
    raise RuntimeError("can't start new thread")
threading.Thread.start = refuse
from refloat.usecases.workers import Workers
with Workers(2) as pool:
    print(pool.begin(abs, -9)())
"""


def test_where_no_thread_can_be_had_the_work_is_done_here():
    done = subprocess.run([sys.executable, "-c", NO_THREADS], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "9\n", "")
