"""A line of a transcript that is too long to be held costs no command the memory of its length."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SESSION = "11111111-2222-4333-8444-555555555555"
MEGABYTES = 40
MOST = 110
"""Megabytes: the line's own, decoded, would be as much beside it; a command takes some 30 by itself."""
PEAK = (
    "import os, sys\n"
    "argv = [sys.executable, '-m', 'refloat_tui', *sys.argv[1:]]\n"
    "_, status, used = os.wait4(os.posix_spawn(argv[0], argv, os.environ), 0)\n"
    "print(used.ru_maxrss // (1 << 20 if sys.platform == 'darwin' else 1 << 10), file=sys.stderr)\n"
    "raise SystemExit(os.waitstatus_to_exitcode(status))\n"
)
"""Runs a command, and tells the most memory that it, or any process of it, had."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    path = home / ".claude" / "projects" / "p" / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    output = "wombat first\n" + "a line with 'words' and \\ signs\n" * (MEGABYTES * 1_000_000 // 32) + "quokka last"
    call = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "cat big.log"}}
    answer = {"type": "tool_result", "tool_use_id": "toolu_1", "content": output}
    rows = [
        _row(1, "user", "look at it"),
        _row(2, "assistant", [call]),
        _row(3, "user", [answer], toolUseResult={"stdout": output, "stderr": "", "interrupted": False}),
        _row(4, "assistant", [{"type": "text", "text": "Done."}]),
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return home


def _row(n: int, kind: str, content: object, **more: object) -> dict[str, object]:
    message = {"role": kind, "content": content}
    return {
        "parentUuid": f"row-{n - 1}" if n > 1 else None,
        "isSidechain": False,
        "type": kind,
        "message": message | ({"id": f"msg_{n}", "model": "m", "type": "message"} if kind == "assistant" else {}),
        "uuid": f"row-{n}",
        "timestamp": f"2026-09-14T09:00:0{n}.000Z",
        "cwd": "/w",
        "sessionId": SESSION,
        "version": "2.1.270",
        **more,
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["refresh"], "1 in all"),
        (["status", SESSION], SESSION),
        (["brief", SESSION], SESSION),
        (["history", SESSION, "--full"], "quokka last"),
        (["recap", SESSION, "--json"], "wombat first"),
        (["search", "quokka"], "quokka"),
        (["repair", SESSION], "too long"),
    ],
    ids=["refresh", "status", "brief", "history", "recap", "search", "repair"],
)
def test_no_command_takes_the_memory_of_a_long_line(home: Path, tmp_path: Path, words: list[str], said: str) -> None:
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "LANG") if name in os.environ}
    places = {f"REFLOAT_{name}_DIR": str(tmp_path / name) for name in ("CACHE", "DATA", "CONFIG")}
    env = kept | places | {"HOME": str(home)}
    if words[0] == "search":
        _run(["refresh"], env)
    ran = _run(words, env)
    assert said in ran.stdout
    assert int(ran.stderr.split()[-1]) < MOST, ran.stderr


def _run(words: list[str], env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-c", PEAK, *words]
    ran = subprocess.run(argv, env=env, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran
