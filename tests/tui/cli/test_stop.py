"""`refloat stop` as a person and a script meet it: real processes, its exit codes, its question."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.standin.agent import PATIENCE, Standin, is_gone

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")


def environment(home: Path) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "REFLOAT_"))}
    return kept | {
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "200",
        "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path)),
    }


def refloat(home: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "refloat_tui", *words],
        env=environment(home), cwd=home, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def answer(home: Path, *words: str) -> tuple[int, dict[str, Any]]:
    done = refloat(home, *words, "--json")
    return done.returncode, json.loads(done.stdout)


def read_some(terminal: int) -> bytes:
    """What is drawn next; nothing when the other side is closed."""
    assert select.select([terminal], [], [], PATIENCE)[0], "nothing is drawn any more, and nobody ends"
    try:
        return os.read(terminal, 65536)
    except OSError:  # how Linux says it
        return b""


def on_a_terminal(home: Path, said: str, *words: str) -> tuple[int, str]:
    """Exit code and everything drawn; the answer is given once it was asked for."""
    terminal, other = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "refloat_tui", *words],
        env=environment(home), cwd=home, stdin=other, stdout=other, stderr=other, start_new_session=True,
    )  # fmt: skip
    os.close(other)
    drawn, given = b"", False
    try:
        while piece := read_some(terminal):
            drawn += piece
            if b"[y/N]" in drawn and not given:
                os.write(terminal, said.encode() + b"\n")
                given = True
        code = child.wait(PATIENCE)
    finally:
        child.kill()
        child.wait()
        os.close(terminal)
    return code, drawn.decode(errors="replace").replace("\r\n", "\n")


def test_what_a_script_gets(tmp_path: Path) -> None:
    with Standin(tmp_path) as agent:
        code, plan = answer(tmp_path, "stop", agent.session, "--dry-run")
        assert (code, plan["refused"], plan["left"]) == (0, None, [])
        assert [(row["pid"], row["role"]) for row in plan["processes"]] == [(agent.pid, "owner")]
        assert [row["signal"] for row in plan["signals"]] == ["SIGINT", "SIGTERM"]
        assert not is_gone(agent.pid)
        code, stopped = answer(tmp_path, "stop", agent.session)
        assert (code, stopped["session"], stopped["result"]) == (0, agent.session, "stopped")
        first = stopped["signals"][0]
        assert (first["signal"], first["pid"], first["at"][-1]) == ("SIGINT", agent.pid, "Z")
        assert stopped["left"] == []
        agent.reap()
        code, refused = answer(tmp_path, "stop", agent.session)
        assert (code, refused["result"], refused["signals"]) == (1, "refused", [])
        assert "nothing to stop" in refused["why"]


def test_its_text(tmp_path: Path) -> None:
    with Standin(tmp_path) as agent:
        child, beside = agent.child(), agent.child(own="session", orphan=True)
        planned = refloat(tmp_path, "stop", agent.session, "--dry-run").stdout
        assert planned.startswith(f"WOULD STOP    {agent.session}: 2 processes; its owner gets SIGINT (10 s)")
        assert f"{child}  " in planned.partition("LEFT ALONE")[0]
        assert f"{beside}  " in planned.partition("LEFT ALONE")[2]
        done = refloat(tmp_path, "stop", agent.session)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(f"STOPPED       {agent.session}: its 2 processes have ended")
        assert f"{beside}  cat" in done.stdout.partition("STILL RUNNING")[2]


def test_a_candidate_is_named_and_asked_about(tmp_path: Path) -> None:
    with Standin(tmp_path, "codex", registers=False, holds_open=False) as agent:
        refused = refloat(tmp_path, "stop", agent.session)
        assert refused.returncode == 1
        assert f"--pid {agent.pid}" in refused.stdout
        unasked = refloat(tmp_path, "stop", agent.session, "--pid", str(agent.pid))
        assert (unasked.returncode, unasked.stdout) == (2, "")
        assert "add --yes" in unasked.stderr
        code, drawn = on_a_terminal(tmp_path, "n", "stop", agent.session, "--pid", str(agent.pid))
        assert code == 1
        assert "nothing was sent" in drawn
        drawn = " ".join(drawn.split())
        for part in (f"Process {agent.pid} (codex)", str(agent.workspace), "nothing verifies that it owns the session"):
            assert part in drawn
        assert not is_gone(agent.pid)
        code, drawn = on_a_terminal(tmp_path, "y", "stop", agent.session, "--pid", str(agent.pid))
        assert code == 0
        assert "STOPPED" in drawn
        assert is_gone(agent.pid)


def test_a_candidate_with_yes(tmp_path: Path) -> None:
    with Standin(tmp_path, "codex", registers=False, holds_open=False) as agent:
        code, stopped = answer(tmp_path, "stop", agent.session, "--pid", str(agent.pid), "--yes")
        assert (code, stopped["result"]) == (0, "stopped")
        assert is_gone(agent.pid)


def test_a_number_that_is_none_of_its_own(tmp_path: Path) -> None:
    with Standin(tmp_path) as agent:
        stranger = agent.child(own="session", orphan=True, marked=False)
        code, refused = answer(tmp_path, "stop", agent.session, "--pid", str(stranger), "--yes")
        assert (code, refused["result"]) == (1, "refused")
        assert not is_gone(agent.pid)
        assert not is_gone(stranger)


@pytest.mark.parametrize(
    ("ending", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)], ids=str
)
def test_whoever_ends_a_stop_is_told_where_it_stands(tmp_path: Path, ending: int, code: int) -> None:
    stubborn = {"SIGINT": "ignore", "SIGTERM": "ignore"}
    with Standin(tmp_path, signals=stubborn) as agent:  # pyright: ignore[reportArgumentType] - literals
        with subprocess.Popen(
            [sys.executable, "-m", "refloat_tui", "stop", agent.session, "--json"],
            env=environment(tmp_path), cwd=tmp_path, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
        ) as child:  # fmt: skip
            agent.wait_for("SIGINT")
            child.send_signal(ending)
            said, _ = child.communicate(timeout=PATIENCE)
        told = json.loads(said)
        assert (child.returncode, told["result"]) == (code, "not_verified")
        assert f"SIGINT to {agent.pid}" in told["why"]
        assert [row["pid"] for row in told["left"]] == [agent.pid]
        assert not is_gone(agent.pid)
        trail = json.loads(refloat(tmp_path, "trail", f"recovery:{agent.session}", "--json").stdout)
        assert [(step["state"], step["outcome"]) for step in trail["steps"]] == [("sealed", "interrupted")]


def test_ctrl_c_while_it_waits_for_the_turn(tmp_path: Path) -> None:
    with Standin(tmp_path) as agent:
        terminal, other = pty.openpty()
        with subprocess.Popen(
            [sys.executable, "-m", "refloat_tui", "stop", agent.session, "--wait"],
            env=environment(tmp_path), cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=other, stderr=other,
        ) as child:  # fmt: skip
            os.close(other)
            drawn = b""
            while b"waiting for its turn" not in drawn:
                drawn += read_some(terminal)
            child.send_signal(signal.SIGINT)
            assert child.wait(PATIENCE) == 130
        drawn = b""
        while piece := read_some(terminal):
            drawn += piece
        assert b"you ended this command" in drawn
        assert b"stopped" not in drawn
        os.close(terminal)
        assert agent.heard == []
        assert not is_gone(agent.pid)


def test_words_that_make_no_sense_together(tmp_path: Path) -> None:
    with Standin(tmp_path) as agent:
        done = refloat(tmp_path, "stop", agent.session, "--yes")
        assert done.returncode == 2
        assert "--pid" in done.stderr
    assert refloat(tmp_path, "stop", "no-such-session").returncode == 2
