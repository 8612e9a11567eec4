"""`refloat triage --probe`: asks on a terminal, each time; never without one."""

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from refloat.demo.build import build_demo
from refloat.machine.real import real_machine

PATIENCE = 90.0


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The demo's home: one of its sessions died while it pushed."""
    place = tmp_path / "home"
    environment = {"PATH": os.environ["PATH"], "HOME": str(place)}
    build_demo(real_machine(environment), place, processes=False)
    return place


def environment(home: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "REFLOAT_"))}
    return kept | {
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "200",
        "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path)),
    }


def pushing(home: Path) -> str:
    """The id of the session that died while it pushed."""
    found = next(path for path in home.rglob("*.jsonl") if "git push origin main" in path.read_text(encoding="utf-8"))
    return str(found)


def on_a_terminal(home: Path, answer: str, *words: str) -> tuple[int, str]:
    """Exit code and everything drawn; the answer is given once it was asked for."""
    terminal, other = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "refloat_tui", *words],
        env=environment(home), cwd=home, stdin=other, stdout=other, stderr=other, start_new_session=True,
    )  # fmt: skip
    os.close(other)
    drawn, given, end = b"", False, time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 1.0)[0]:
            continue
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # Linux says so when the other side is closed
            break
        if not piece:
            break
        drawn += piece
        if b"[y/N]" in drawn and not given:
            os.write(terminal, answer.encode() + b"\n")
            given = True
    code = child.wait(PATIENCE)
    os.close(terminal)
    return code, drawn.decode(errors="replace").replace("\r\n", "\n")


def test_a_yes_runs_the_look_and_a_no_does_not(home: Path) -> None:
    place, nowhere = str(home / "src" / "ledgerly"), str(home / "nowhere.git")
    subprocess.run(["git", "-C", place, "remote", "add", "origin", nowhere], check=True)
    code, drawn = on_a_terminal(home, "y", "triage", pushing(home), "--probe")
    assert code == 0
    asked = drawn[drawn.index("LOOKS") :]
    assert "git ls-remote origin main" in asked
    assert "in " + str(home) in asked
    assert "exit code 128" in asked  # there is no repository
    code, drawn = on_a_terminal(home, "", "triage", pushing(home), "--probe")
    assert code == 0
    assert "not run" in drawn
    assert "exit code" not in drawn[drawn.index("LOOKS") :]


@pytest.mark.parametrize(
    ("extra", "why"), [((), "there is no terminal to ask on"), (("--json",), "leave one of them out")]
)
def test_nothing_is_run_where_nobody_can_be_asked(home: Path, extra: tuple[str, ...], why: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "refloat_tui", "triage", pushing(home), "--probe", *extra],
        env=environment(home), cwd=home, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert why in done.stderr
