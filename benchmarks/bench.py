"""What Refloat costs, as ratios against floors measured in the same run.

| work | floor | budget |
|---|---|---|
| reading everything cold | one process that decodes every line once with orjson | |
| the same, summaries alone, in one process | as above | |
| `refloat list --all`, warm, nothing changed, no agent running | `python -c pass` | 5 |
| first paint of the app, catalogue warm; and with its list | first paint of a bare Textual app | |
| the brief of a session of 1 MB, inside a process | reading and decoding its lines | |

Runs of a thing and of its floor alternate, and the median of each counts.

    python benchmarks/bench.py [--sessions 2000] [--megabytes 200] [--runs 30]
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median

import orjson
from corpus import make_home

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "core"), str(ROOT / "tui")]

from refloat.machine.real import real_machine  # noqa: E402 - this tree's own, wherever it is started
from refloat.machine.table import running_programs  # noqa: E402
from refloat.usecases.examine import examine  # noqa: E402
from refloat.usecases.find_sessions import resolve  # noqa: E402
from refloat.usecases.open_bench import open_bench  # noqa: E402
from refloat.usecases.reading import read_summary  # noqa: E402
from refloat.usecases.sighting import sight  # noqa: E402
from refloat.usecases.workbench import Workbench  # noqa: E402
from refloat.usecases.write_brief import write_brief  # noqa: E402


def environment(out: Path) -> dict[str, str]:
    """A home of the corpus's own, and this tree's sources."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    sources = os.pathsep.join((str(ROOT / "core"), str(ROOT / "tui")))
    return kept | {"HOME": str(out / "home"), "REFLOAT_CACHE_DIR": str(out / "cache"), "PYTHONPATH": sources}


def seconds(argv: Sequence[str], env: Mapping[str, str]) -> float:
    """Wall time of one command."""
    begun = time.perf_counter()
    subprocess.run(argv, env=env, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begun


def alternate(runs: int, *things: Callable[[], float]) -> list[float]:
    """The median of `runs` of each thing, taken in turns; the first turn warms up."""
    turns = [[thing() for thing in things] for _ in range(runs + 1)][1:]
    return [median(taken) for taken in zip(*turns, strict=True)]


def decode(paths: Sequence[Path]) -> float:
    """The floor of reading: every line decoded once."""
    begun = time.perf_counter()
    for path in paths:
        with path.open("rb") as file:
            for line in file:
                try:
                    orjson.loads(line)
                except orjson.JSONDecodeError:
                    continue
    return time.perf_counter() - begun


def list_argv() -> list[str]:
    """`refloat list --all --json` as its console script starts it."""
    return [sys.executable, "-c", "from refloat_tui.cli import main; main()", "list", "--all", "--json"]


def bench_cold(out: Path, paths: Sequence[Path], runs: int) -> None:
    """Everything read for the first time, against decoding it."""

    def cold() -> float:
        for kept in (out / "cache").glob("*"):
            kept.unlink()
        return seconds(list_argv(), environment(out))

    took, alone, floor = alternate(runs, cold, partial(summarise, out), partial(decode, paths))
    total = sum(path.stat().st_size for path in paths)
    size = sum(kept.stat().st_size for kept in (out / "cache").glob("*"))
    say("cold, everything read and listed", took, floor, "decoding every line once")
    print(
        f"    {total / took / 1e6:,.0f} MB/s; the catalogue keeps {100 * size / total:.1f} % of {total / 1e6:,.0f} MB"
    )
    say("summaries alone, one process", alone, floor, "decoding every line once")


def summarise(out: Path) -> float:
    """Summaries of all sessions in this process, nothing kept."""
    bench = workbench(out)
    found = sight(bench, {}).found
    begun = time.perf_counter()
    for reader, session in found:
        read_summary(reader, session)
    return time.perf_counter() - begun


def bench_list(out: Path, sessions: int, runs: int) -> None:
    """A warm list, against an interpreter that does nothing."""
    env = environment(out)
    seconds(list_argv(), env)
    argv = list_argv()
    told = subprocess.run([argv[0], "-X", "importtime", *argv[1:]], env=env, capture_output=True, check=True)
    warm, bare = alternate(runs, partial(seconds, argv, env), partial(seconds, [sys.executable, "-c", "pass"], env))
    say(f"warm list, {sessions:,} sessions", warm, bare, "python -c pass")
    if b"refloat.usecases" in told.stderr:
        busy = bool(running_programs())
        why = "an agent's program runs on this machine" if busy else "and no agent runs: the quick road is broken"
        print(f"    BY THE LONG ROAD: {why}")


def bench_paint(out: Path, sessions: int, runs: int) -> None:
    """First paint of the app, against a bare Textual app's."""
    env = environment(out)
    program = [sys.executable, str(ROOT / "benchmarks" / "paint.py")]
    things = [partial(seconds, [*program, what], env) for what in ("app", "list", "bare")]
    app, listed, bare = alternate(runs, *things)
    say("first paint of the app", app, bare, "a bare Textual app")
    say(f"the same with {sessions:,} sessions listed", listed, bare, "a bare Textual app")


def bench_brief(out: Path, paths: Sequence[Path], runs: int) -> None:
    """The brief of a session of about 1 MB, everything read before forgotten."""
    path = min(paths, key=lambda path: abs(path.stat().st_size - 1_000_000))
    bench = workbench(out)
    located = resolve(bench, str(path), out)

    def brief() -> float:
        begun = time.perf_counter()
        seen = examine(bench, located)
        write_brief(bench, seen.session, seen.story, seen.checkout, seen.triage)
        return time.perf_counter() - begun

    took, floor = alternate(runs, brief, partial(decode, [path]))
    say(f"brief of {path.stat().st_size / 1e6:.1f} MB", took, floor, "reading and decoding it")


def workbench(out: Path) -> Workbench:
    """A workbench on the corpus."""
    return open_bench(real_machine(environment(out)))


def say(what: str, took: float, floor: float, against: str) -> None:
    print(f"{what:<40} {took * 1000:>9,.1f} ms   {took / floor:>6.2f} × {against} ({floor * 1000:,.1f} ms)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=2000)
    parser.add_argument("--megabytes", type=float, default=200)
    parser.add_argument("--runs", type=int, default=30)
    words = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="refloat-bench-") as place:
        out = Path(place)
        paths = make_home(out, words.sessions, int(words.megabytes * 1_000_000))
        bench_cold(out, paths, runs=max(1, words.runs // 10))
        bench_list(out, words.sessions, words.runs)
        bench_paint(out, words.sessions, runs=max(1, words.runs // 3))
        bench_brief(out, paths, runs=max(1, words.runs // 3))


if __name__ == "__main__":
    main()
