"""What Refloat costs, as ratios against floors measured in the same run.

| work | floor |
|---|---|
| reading everything cold | one process that decodes every line once with orjson |
| `refloat list --all`, warm, nothing changed, no agent running | `python -c pass` |
| first paint of the app | first paint of a bare Textual app |

Runs of a thing and of its floor alternate, and the fastest of each counts: what the machine does beside it is noise.

    python benchmarks/bench.py [--sessions 2000] [--megabytes 200] [--runs 30]
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import orjson
from corpus import make_home

ROOT = Path(__file__).resolve().parent.parent


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
    """The fastest of `runs` of each thing, taken in turns."""
    best = [float("inf")] * len(things)
    for _ in range(runs):
        best = [min(kept, thing()) for kept, thing in zip(best, things, strict=True)]
    return best


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


def bench_cold(out: Path, paths: Sequence[Path]) -> None:
    """Everything read for the first time, against decoding it."""
    env = environment(out)
    floor = min(decode(paths) for _ in range(2))
    for kept in (out / "cache").glob("*"):
        kept.unlink()
    cold = seconds(list_argv(), env)
    total = sum(path.stat().st_size for path in paths)
    size = sum(kept.stat().st_size for kept in (out / "cache").glob("*"))
    say("cold, everything read and listed", cold, floor, "decoding every line once")
    print(
        f"    {total / cold / 1e6:,.0f} MB/s; the catalogue keeps {100 * size / total:.1f} % of {total / 1e6:,.0f} MB"
    )


def bench_list(out: Path, sessions: int, runs: int) -> None:
    """A warm list, against an interpreter that does nothing."""
    env = environment(out)
    seconds(list_argv(), env)
    warm, bare = alternate(
        runs, lambda: seconds(list_argv(), env), lambda: seconds([sys.executable, "-c", "pass"], env)
    )
    say(f"warm list, {sessions:,} sessions", warm, bare, "python -c pass")


def bench_paint(out: Path, runs: int, app: str, bare: str) -> None:
    """First paint of the app, against a bare Textual app's. Both are programs that end after their first paint."""
    env = environment(out)
    mine, floor = alternate(
        runs, lambda: seconds([sys.executable, "-c", app], env), lambda: seconds([sys.executable, "-c", bare], env)
    )
    say("first paint of the app", mine, floor, "a bare Textual app")


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
        bench_cold(out, paths)
        bench_list(out, words.sessions, words.runs)


if __name__ == "__main__":
    main()
