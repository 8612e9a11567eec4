"""Workers bring what their work came to; where one fails, the work is done here."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from refloat.forking import may_fork
from refloat.usecases import glimpse
from refloat.usecases.sighting import sight
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
    with Workers(1) as workers:
        waits = [workers.begin(square, number) for number in (2, 3)]
        told = [wait() for wait in waits]
    assert [result for _, result in told] == [4, 9]
    assert HERE not in {pid for pid, _ in told}


def test_what_a_killed_one_was_to_do_is_done_here():
    with Workers(1) as workers:
        waits = [workers.begin(die_elsewhere, number) for number in (5, 6)]
        assert [wait() for wait in waits] == [5, 6]


def test_what_does_not_travel_is_done_here():
    with Workers(1) as workers:
        assert workers.begin(lambda number: (os.getpid(), number), 7)() == (HERE, 7)


def test_a_fault_of_the_work_is_told():
    with Workers(1) as workers, pytest.raises(ValueError, match="8"):
        workers.begin(fail, 8)()


ALONE = """
import signal, sys, warnings
warnings.simplefilter("error")
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
from refloat.forking import may_fork
from refloat.usecases.workers import Workers
assert may_fork() == (sys.platform == "linux")
with Workers(1) as workers:
    print(workers.begin(abs, -9)())
"""


def test_they_work_where_nobody_waits_for_children():
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "9\n", "")


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="only Linux tells its threads")
def test_a_thread_that_python_does_not_know_forbids_a_fork(monkeypatch: pytest.MonkeyPatch):
    tasks = {"/proc/self/task": ["1", "2"]}
    monkeypatch.setattr(os, "listdir", tasks.__getitem__)
    assert not may_fork()


def test_many_sessions_are_seen_in_their_order(home: Any, monkeypatch: pytest.MonkeyPatch):
    for n in range(1, 6):
        name = f"{n}1111111-0000-4000-8000-00000000000{n}"
        home.write(name, *home.talk(name, prompt=f"Ask {n}"))
    found = list(sight(home.bench, {}).found)
    alone = glimpse.glimpse_each(found)
    monkeypatch.setattr(glimpse, "_SHARED", 1)
    monkeypatch.setattr(glimpse, "processors", lambda: 2)
    monkeypatch.setattr(glimpse, "may_fork", lambda: True)
    assert glimpse.glimpse_each(found) == alone
    assert glimpse.glimpse_each(found[:4]) == alone[:4]
