"""An agent as a child: it does not begin before it is written down, and ends as it would anyway."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PATIENCE = 100
CALL = """
import os, shutil, signal, sys
from pathlib import Path
from refloat.errors import NotDone
from refloat.machine.foreground import run_agent

def stands(agent):
    Path("stands").write_text(str(agent.pid))
    {stands}

beats = []
try:
    argv = {argv}
    argv[0] = shutil.which(argv[0]) or argv[0]
    ended = run_agent(argv, Path({cwd!r}), stands, lambda: beats.append(1), {every})
except NotDone as error:
    print("refused:", error)
else:
    print(ended.code, ended.by_signal, ended.failed, bool(beats), signal.getsignal(signal.SIGINT).__name__)
"""


def call(place: Path, argv: list[str], *, stands: str = "pass", cwd: str = ".", every: float = 30) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-c", CALL.format(argv=argv, stands=stands, cwd=cwd, every=every)],
        cwd=place,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.stderr == b""
    return done.returncode, done.stdout.decode()


def test_it_ends_as_the_program_does(tmp_path: Path) -> None:
    assert call(tmp_path, ["sh", "-c", "echo said; exit 7"]) == (0, "said\n7 None None False default_int_handler\n")
    _, out = call(tmp_path, ["sh", "-c", "kill -9 $$"])
    assert out.startswith("137 9 None")


def test_it_runs_in_its_directory_and_is_the_process_that_was_written_down(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    _, out = call(tmp_path, ["sh", "-c", "echo $$; pwd"], cwd="ws")
    pid, cwd, _ = out.splitlines()
    assert pid == (tmp_path / "stands").read_text()
    assert cwd == str(tmp_path / "ws")


def test_what_keeps_it_from_beginning_is_raised(tmp_path: Path) -> None:
    _, out = call(tmp_path, ["touch", "began"], stands="raise NotDone('taken')")
    assert out == "refused: taken\n"
    assert not (tmp_path / "began").exists()


def test_who_dies_before_it_is_written_down_starts_nothing(tmp_path: Path) -> None:
    # The child has this pipe as its output: the run is over when nobody holds it any more.
    code, _ = call(tmp_path, ["touch", "began"], stands="os.kill(os.getpid(), signal.SIGKILL)")
    assert code == -signal.SIGKILL
    assert (tmp_path / "stands").exists()
    assert not (tmp_path / "began").exists()


def test_a_name_is_looked_up_nowhere(tmp_path: Path) -> None:
    (tmp_path / "agent").write_text("#!/bin/sh\ntouch hostile\n")
    (tmp_path / "agent").chmod(0o755)
    (tmp_path / "ws").mkdir()
    code = CALL.format(argv=["agent"], stands="pass", cwd="ws", every=30)
    done = subprocess.run(
        [sys.executable, "-c", code.replace("shutil.which(argv[0]) or ", "")],
        cwd=tmp_path,
        env={"PATH": f"{tmp_path}:.", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        capture_output=True,
        timeout=PATIENCE,
        check=True,
    )
    assert done.stdout.startswith(b"127 None ")
    assert not (tmp_path / "ws" / "hostile").exists()


@pytest.mark.parametrize(
    ("argv", "cwd", "code"), [(["no-such-program"], ".", 127), (["/"], ".", 126), (["true"], "nowhere", 127)]
)
def test_what_cannot_be_started_says_why(tmp_path: Path, argv: list[str], cwd: str, code: int) -> None:
    _, out = call(tmp_path, argv, cwd=cwd)
    assert out.startswith(f"{code} None ")
    assert " None False" not in out


def test_beats_go_on_while_it_runs(tmp_path: Path) -> None:
    # It ends when the beat's own sign is there: nothing waits for a time.
    _, out = call(
        tmp_path,
        ["sh", "-c", "while ! [ -e beaten ]; do :; done"],
        every=0.01,
        stands="""
    import threading
    globals()["beats"] = type("Beats", (), {"append": lambda self, one: Path("beaten").touch()})()""",
    )
    assert out.startswith("0 None None")
