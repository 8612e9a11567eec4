"""What a hook costs its agent, as ratios against a bare interpreter, in alternating runs.

| event | budget |
|---|---|
| a tool's result without a tie, with one, and with one in a repository | 10 × `python -c pass` |
| a result of 30 MB | (told: time, and the memory that it took) |
| a session's start on a job of 10,000 steps; an automatic wrap | 10 × `python -c pass` |

    python benchmarks/hooks.py [--runs 30]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from functools import partial
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from record import alternate, environment, fill, refloat, seconds

_calls = count()


def event(place: Path, name: str, **more: object) -> bytes:
    told = {"session_id": "bench", "cwd": str(place), "hook_event_name": name, **more}
    return json.dumps(told).encode()


def result(place: Path, output: str = "3 passed\n") -> bytes:
    return event(
        place,
        "PostToolUse",
        tool_name="Bash",
        tool_input={"command": "pytest -q"},
        tool_response={"stdout": output, "stderr": "", "interrupted": False},
        tool_use_id=f"call-{next(_calls)}",
    )


def hook(given: bytes, env: Mapping[str, str], cwd: Path) -> float:
    begun = time.perf_counter()
    subprocess.run(refloat("hook", "claude-code"), env=env, cwd=cwd, input=given, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begun


def measure(out: Path, runs: int) -> None:
    env, repo, tied, free = environment(out), out / "repo", out / "tied", out / "free"
    subprocess.run(["git", "init", "-q", str(repo)], check=True, env=env)
    (repo / "file").write_text("x\n")
    for place in (tied, free):
        place.mkdir()
    fill(out, 10_000)
    for job, place in (("j", repo), ("long", tied)):
        subprocess.run(refloat("jobs", "tie", job, str(place)), env=env, check=True, stdout=subprocess.DEVNULL)
    took = alternate(
        runs,
        {
            "python -c pass": partial(seconds, [sys.executable, "-c", "pass"], env, out),
            "a result, no tie": lambda: hook(result(free), env, free),
            "a result, on 10,000 steps": lambda: hook(result(tied), env, tied),
            "a result, in a repository": lambda: hook(result(repo), env, repo),
            "a start, on 10,000 steps": lambda: hook(event(tied, "SessionStart", source="startup"), env, tied),
            "a stop, with something to wrap": lambda: hook(event(tied, "Stop"), env, tied),
            "a result of 30 MB": lambda: hook(result(tied, "line\n" * 6_000_000), env, tied),
        },
    )
    floor = took["python -c pass"]
    for what, each in took.items():
        print(f"{what:<40} {each * 1000:>9,.1f} ms   {each / floor:>6.2f} × python -c pass")


def memory(out: Path) -> None:
    """The largest resident size of a hook that was told 30 MB, against one that was told little (Linux)."""
    code = (
        "from refloat_tui.cli import main; main(); "
        "print(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0])"
    )
    for what, size in (("little", 10), ("30 MB", 6_000_000)):
        given = result(out / "tied", "line\n" * size)
        argv = [sys.executable, "-c", code, "hook", "claude-code"]
        done = subprocess.run(argv, env=environment(out), input=given, capture_output=True, check=True, cwd=out)
        print(f"{f'memory of a hook that was told {what}':<40} {int(done.stdout) * 1024 / 1e6:>9,.1f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=30)
    words = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="refloat-bench-") as place:
        out = Path(os.path.realpath(place))
        (out / "home").mkdir()
        measure(out, words.runs)
        memory(out)


if __name__ == "__main__":
    main()
