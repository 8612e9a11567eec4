"""The psutil table, which runs here too: what it says must be what /proc says."""

import os
import socket
import sys

import pytest

from refloat.machine.other_processes import PsutilProcesses, read_lsof, read_starts
from refloat.machine.processes import LinuxProcesses


def test_a_table_of_starts() -> None:
    table = "    1 Sun Nov 29 19:22:55 2026\n  742 Mon Sep 14 09:02:00 2026    \n\nPID x\n"
    assert read_starts(table) == {1: "Sun Nov 29 19:22:55 2026", 742: "Mon Sep 14 09:02:00 2026"}
    assert read_starts(None) == {}


def test_an_answer_of_lsof() -> None:
    assert read_lsof("p12\nf3\np7\nf4\n") == {7, 12}
    assert read_lsof("") == frozenset()


@pytest.mark.skipif(sys.platform != "linux", reason="compares with /proc")
def test_it_agrees_with_proc() -> None:
    mine, theirs = LinuxProcesses().get(os.getpid()), PsutilProcesses().get(os.getpid())
    assert mine is not None
    assert theirs is not None
    for name in ("pid", "ppid", "argv", "cwd", "uid", "zombie", "stopped", "terminal", "inspectable"):
        assert getattr(mine, name) == getattr(theirs, name), name
    assert abs(mine.started - theirs.started) < 2
    assert os.getpid() in {row.pid for row in PsutilProcesses().all()}
    assert PsutilProcesses().get(2**22 + 1) is None
    assert PsutilProcesses().environment(os.getpid())
    assert PsutilProcesses().open_files(2**22 + 1) is None
    assert PsutilProcesses().boot_time()


def test_it_tells_the_ports_that_a_process_listens_on() -> None:
    with socket.socket() as waiting:
        waiting.bind(("127.0.0.1", 0))
        waiting.listen()
        assert PsutilProcesses().listening_ports({os.getpid(), 2**22 + 1}) >= {waiting.getsockname()[1]}
