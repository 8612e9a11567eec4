"""What Refloat costs, as ratios against floors measured in the same run.

| work | floor | budget |
|---|---|---|
| cold, until the list shows every session with its state | one process that decodes every line once | 0.35 |
| cold, until everything is read and searchable (`refresh`) | the same | 1.5 |
| warm list, 2,000 sessions / 10,000 | `python -c pass` | 5 / 12 |
| one session grew by 100 lines, until listed | the warm list, and `python -c pass` | + 4 |
| search, first screen | decoding every line once | 0.05 |
| brief of a session of 1 MB, inside the process | reading and decoding its lines | 6 |
| first useful paint of the app (rows, states, counts) | a bare Textual app's | 1.3 |
| peak memory of any of these | | 150 MB |
| what the catalogue keeps | the corpus | 4 % |

Runs of a thing and of its floor alternate, and the median of each counts. Beside the wall time stands the processors'
own, of a thing with everything that it starts: on a machine that others use too it is the one that tells.

    python benchmarks/bench.py [--size small|medium|large] [--runs 10]
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
from math import inf
from pathlib import Path
from statistics import median

import orjson
from corpus import SIZES, make_home

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "core"), str(ROOT / "tui")]

from refloat.machine.real import real_machine  # noqa: E402 - this tree's own, wherever it is started
from refloat.machine.table import running_programs  # noqa: E402
from refloat.usecases.examine import examine  # noqa: E402
from refloat.usecases.find_sessions import resolve  # noqa: E402
from refloat.usecases.open_bench import open_bench  # noqa: E402
from refloat.usecases.workbench import Workbench  # noqa: E402
from refloat.usecases.write_brief import write_brief  # noqa: E402

GROWN = 100
"""Lines."""
PASS = [sys.executable, "-c", "pass"]


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run took."""

    wall: float
    """Seconds."""
    cpu: float
    """Seconds of all processors, by all of its processes."""
    peak: float = 0
    """Most memory of any of its processes, in MB."""


def environment(out: Path) -> dict[str, str]:
    """A home of the corpus's own, and this tree's sources."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    sources = os.pathsep.join((str(ROOT / "core"), str(ROOT / "tui")))
    own = {"REFLOAT_CACHE_DIR": str(out / "cache"), "REFLOAT_DATA_DIR": str(out / "data")}
    return kept | own | {"HOME": str(out / "home"), "PYTHONPATH": sources}


def command(argv: Sequence[str], env: Mapping[str, str]) -> Cost:
    """One command, with everything that it starts and waits for."""
    begun = time.perf_counter()
    child = subprocess.Popen(argv, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    wall = time.perf_counter() - begun
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        message = f"{' '.join(argv)} ended with {child.returncode}"
        raise RuntimeError(message)
    unit = 1e6 if sys.platform == "darwin" else 1e3  # bytes there, kilobytes here
    return Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / unit)


def inside(work: Callable[[], object]) -> Cost:
    """Work of this process."""
    begun, used = time.perf_counter(), time.process_time()
    work()
    return Cost(time.perf_counter() - begun, time.process_time() - used)


def alternate(runs: int, *things: Callable[[], Cost]) -> list[Cost]:
    """The median of `runs` of each thing, taken in turns; the first turn warms up."""
    turns = [[thing() for thing in things] for _ in range(runs + 1)][1:]
    return [
        Cost(median(c.wall for c in taken), median(c.cpu for c in taken), max(c.peak for c in taken))
        for taken in zip(*turns, strict=True)
    ]


def decode(paths: Sequence[Path]) -> None:
    """The floor of reading: every line decoded once."""
    for path in paths:
        with path.open("rb") as file:
            for line in file:
                try:
                    orjson.loads(line)
                except orjson.JSONDecodeError:
                    continue


def refloat(*words: str) -> list[str]:
    """`refloat …` as its console script starts it."""
    return [sys.executable, "-c", "from refloat_tui.cli import main; main()", *words]


LIST = refloat("list", "--all", "--json")


class Bench:
    """One corpus, its floors, and the lines printed so far."""

    def __init__(self, out: Path, paths: Sequence[Path], runs: int) -> None:
        self.out, self.paths, self.runs = out, paths, runs
        self.env = environment(out)
        self.total = sum(path.stat().st_size for path in paths)
        self.peaks: dict[str, float] = {}

    def anew(self, argv: Sequence[str]) -> Cost:
        """A command without anything that was kept."""
        shutil.rmtree(self.out / "cache", ignore_errors=True)
        return command(argv, self.env)

    def floor(self) -> Cost:
        """Every line decoded once."""
        return inside(partial(decode, self.paths))

    def say(self, what: str, took: Cost, floor: Cost, against: str, budget: float) -> None:
        """One line of the table."""
        if took.peak:
            self.peaks[what] = took.peak
        ratio = took.wall / floor.wall
        print(
            f"{what:<44} {took.wall * 1000:>8,.0f} ms  {ratio:>6.2f} × {against} (cpu {took.cpu / floor.cpu:.2f} ×"
            f"{'' if budget == inf else f'; at most {budget:g}'})"
        )

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def cold(self) -> None:
        """The first list, and everything read, against decoding it."""
        runs = max(1, self.runs // 3)
        listed, read, floor = alternate(
            runs, partial(self.anew, LIST), partial(self.anew, refloat("refresh")), self.floor
        )
        every = "decoding every line"
        self.say("cold, every session listed with its state", listed, floor, every, 0.35)
        self.say("cold, everything read (refresh)", read, floor, every, 1.5)
        print(f"    the floor: {floor.wall:,.2f} s, {self.total / floor.wall / 1e6:,.0f} MB/s")
        self.kept()

    def kept(self) -> None:
        """What lies in the cache, after `refresh`."""
        self.anew(refloat("refresh"))
        own = sum(kept.stat().st_size for kept in (self.out / "cache").glob("catalogue.db*"))
        every = sum(kept.stat().st_size for kept in (self.out / "cache").rglob("*") if kept.is_file())
        share, whole = 100 * own / self.total, 100 * every / self.total
        print(f"{'what the catalogue keeps':<44} {share:>8.1f} % of the corpus (at most 4)")
        print(f"{'the same with full text':<44} {whole:>8.1f} % of the corpus (at most 15)")

    def warm(self, sessions: int) -> None:
        """A list of what is known, and of one session that grew, against an interpreter that does nothing."""
        command(LIST, self.env)
        argv = [sys.executable, "-X", "importtime", *LIST[1:]]
        told = subprocess.run(argv, env=self.env, capture_output=True, check=True)
        warm, bare = alternate(self.runs, partial(command, LIST, self.env), partial(command, PASS, self.env))
        self.say(f"warm list, {sessions:,} sessions", warm, bare, "python -c pass", 5 if sessions < 10_000 else 12)
        if b"refloat.readers" in told.stderr:
            busy = bool(running_programs())
            why = "an agent's program runs on this machine" if busy else "and no agent runs: the quick road is broken"
            print(f"    BY THE LONG ROAD: {why}")
        grown, warm, bare = alternate(
            max(1, self.runs // 2), self.grown, partial(command, LIST, self.env), partial(command, PASS, self.env)
        )
        more = Cost(grown.wall - warm.wall, grown.cpu - warm.cpu, grown.peak)
        self.say(f"one session grew by {GROWN} lines: above the warm list", more, bare, "python -c pass", 4)

    def grown(self) -> Cost:
        """The list after the largest session grew."""
        path = max((p for p in self.paths if ".claude" in p.parts), key=lambda p: p.stat().st_size)
        mark = f'"uuid":"{time.monotonic_ns():x}-'.encode()
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - (1 << 20)))
            lines = [line for line in file.read().splitlines()[1:] if line.startswith(b'{"parentUuid"')]
        with path.open("ab") as file:
            file.write(b"".join(line.replace(b'"uuid":"', mark, 1) + b"\n" for line in lines[-GROWN:]))
        return command(LIST, self.env)

    def search(self) -> None:
        """The first screen of a search."""
        argv = refloat("search", "retry", "--limit", "20", "--json")
        if subprocess.run(argv, env=self.env, capture_output=True, check=False).returncode:
            print(f"{'search, first screen':<44}       there is no such command here")
            return
        command(refloat("refresh"), self.env)
        took, floor = alternate(max(1, self.runs // 2), partial(command, argv, self.env), self.floor)
        self.say("search, first screen", took, floor, "decoding every line", 0.05)

    # ── the rest ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def paint(self, sessions: int) -> None:
        """The first useful paint of the app, and its desk, against a bare Textual app's first paint."""
        program = [sys.executable, str(ROOT / "benchmarks" / "paint.py")]
        things = [partial(command, [*program, what], self.env) for what in ("app", "list", "bare")]
        app, listed, bare = alternate(max(1, self.runs // 3), *things)
        self.say(f"first useful paint of the app, {sessions:,} sessions", app, bare, "a bare Textual app", 1.3)
        self.say("the desk over it, ready for keys", listed, bare, "a bare Textual app", inf)

    def brief(self) -> None:
        """The brief of a session of about 1 MB: alone in its home, and among neighbours that edited the same files."""
        mains = [path for path in self.paths if "subagents" not in path.parts]
        path = min(mains, key=lambda path: abs(path.stat().st_size - 1_000_000))
        alone = self.out / "alone" / path.relative_to(self.out)
        alone.parent.mkdir(parents=True)
        shutil.copy2(path, alone)
        works = brief_of(self.out / "alone", alone), brief_of(self.out, path), partial(decode, [path])
        took, among, floor = alternate(max(1, self.runs // 3), *(partial(inside, work) for work in works))
        size = f"brief of {path.stat().st_size / 1e6:.1f} MB"
        self.say(size, took, floor, "reading and decoding it", 6)
        self.say(f"{size}, among neighbours", among, floor, "reading and decoding it", 6)

    def peak(self) -> None:
        """Most memory that any of the commands took."""
        what, peak = max(self.peaks.items(), key=lambda row: row[1])
        print(f"{'peak memory of any of these':<44} {peak:>8.0f} MB ({what}; at most 150)")


def brief_of(out: Path, path: Path) -> Callable[[], object]:
    """The brief of one session of a home; the story is read anew each time."""
    bench = workbench(out)
    located = resolve(bench, str(path), out)

    def brief() -> None:
        seen = examine(bench, located)
        write_brief(bench, seen.session, seen.story, seen.checkout, seen.triage)

    return brief


def workbench(out: Path) -> Workbench:
    """A workbench on the corpus."""
    return open_bench(real_machine(environment(out)))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=[size for size in SIZES if size != "one"], default="small")
    parser.add_argument("--runs", type=int, default=10)
    words = parser.parse_args()
    sessions, megabytes = SIZES[words.size]
    with tempfile.TemporaryDirectory(prefix="refloat-bench-") as place:
        out = Path(place)
        bench = Bench(out, make_home(out, sessions, megabytes * 1_000_000), words.runs)
        print(f"{sessions:,} sessions, {bench.total / 1e6:,.0f} MB, {os.cpu_count()} processors")
        bench.cold()
        bench.warm(sessions)
        bench.search()
        bench.paint(sessions)
        bench.brief()
        bench.peak()


if __name__ == "__main__":
    main()
