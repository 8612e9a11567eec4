"""What `refloat checkout SESSION` costs on a large checkout, against `git status` and `git diff` on it.

For each agent, a first look (no cache of Refloat's) and a second one, as text and as JSON. Runs of a thing and of the
floor alternate, and the median of each counts; the peak is the largest resident set of the command and its children.

    python benchmarks/checkout.py [--runs 9] [--files 50000] [--dirty 300] [--edits 2000] [--agent codex] [--keep DIR]
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from scene import SESSION, Scene

ROOT = Path(__file__).resolve().parent.parent
BUDGET = 3.0
AGENTS = ("claude-code", "codex")


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run took."""

    wall: float
    cpu: float
    """User and system time, children included."""
    peak: int
    """Kilobytes."""


def measure(commands: Sequence[Sequence[str]], env: Mapping[str, str], cwd: Path) -> Cost:
    """Run commands one after another."""
    cpu = peak = 0.0
    begun = time.perf_counter()
    for argv in commands:
        child = subprocess.Popen(argv, env=env, cwd=cwd, stdout=subprocess.PIPE)
        assert child.stdout is not None
        child.stdout.read()  # as a caller does: until nobody holds the pipe any more
        _, code, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(code)
        child.stdout.close()
        assert child.returncode == 0, argv
        cpu, peak = cpu + used.ru_utime + used.ru_stime, max(peak, used.ru_maxrss)
    return Cost(time.perf_counter() - begun, cpu, int(peak))


def environment(out: Path) -> dict[str, str]:
    """A home of the scene's own, and this tree's sources."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    own = {"HOME": str(out / "home"), "REFLOAT_CACHE_DIR": str(out / "cache"), "REFLOAT_DATA_DIR": str(out / "data")}
    return kept | own | {"PYTHONPATH": os.pathsep.join((str(ROOT / "core"), str(ROOT / "tui")))}


def refloat(*words: str) -> list[str]:
    """The command as its console script starts it."""
    return [sys.executable, "-c", "import sys; from refloat_tui.cli import main; sys.exit(main())", *words]


def bench(scene: Scene, runs: int) -> bool:
    """Measure one scene; whether all of it holds the budget."""
    env, repo = environment(scene.out), scene.repo

    def first(*more: str) -> Cost:
        shutil.rmtree(scene.out / "cache", ignore_errors=True)
        return measure([refloat("checkout", SESSION, *more)], env, repo)

    def second(*more: str) -> Cost:
        return measure([refloat("checkout", SESSION, *more)], env, repo)

    floor = partial(measure, [["git", "status"], ["git", "diff"]], env, repo)
    things: dict[str, Callable[[], Cost]] = {
        "git status + git diff": floor,
        "first look, text": first,
        "second look, text": second,
        "first look, JSON": partial(first, "--json"),
        "second look, JSON": partial(second, "--json"),
    }
    turns = [[thing() for thing in things.values()] for _ in range(runs + 1)][1:]
    costs = dict(zip(things, zip(*turns, strict=True), strict=True))
    bare = costs.pop("git status + git diff")
    wall, cpu = median(cost.wall for cost in bare), median(cost.cpu for cost in bare)
    print(f"{scene.agent}: git status + git diff {wall * 1000:,.0f} ms ({cpu * 1000:,.0f} ms of CPU)")
    held = True
    for what, taken in costs.items():
        mine, used = median(cost.wall for cost in taken), median(cost.cpu for cost in taken)
        peak = max(cost.peak for cost in taken) / 1024
        held &= mine <= BUDGET * wall and peak < 300
        told = f"{mine * 1000:>6,.0f} ms {mine / wall:>5.2f} ×   {used * 1000:>6,.0f} ms of CPU {used / cpu:>5.2f} ×"
        print(f"  {what:<20} {told}   {peak:>4.0f} MB")
    return held


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--dirty", type=int, default=300)
    parser.add_argument("--edits", type=int, default=2_000)
    parser.add_argument("--agent", choices=AGENTS, action="append")
    parser.add_argument("--keep", type=Path, help="build the scenes here, and use those that are there already")
    words = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="refloat-bench-") as place:
        held = True
        for agent in words.agent or AGENTS:
            out = (words.keep or Path(place)).absolute() / agent
            scene = Scene(out, agent, words.files, words.dirty, words.edits)
            if not scene.transcript.exists():
                sizes = ["--files", str(words.files), "--dirty", str(words.dirty), "--edits", str(words.edits)]
                builder = [sys.executable, str(ROOT / "benchmarks" / "scene.py"), str(out), "--agent", agent]
                subprocess.run([*builder, *sizes], check=True)
            held &= bench(scene, words.runs)
    print("within the budget" if held else f"NOT within {BUDGET:g} × and 300 MB")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
