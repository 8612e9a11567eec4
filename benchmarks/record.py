"""What the record costs: short commands as ratios against a bare interpreter, writers as a rate.

| work | floor | budget |
|---|---|---|
| `refloat run -- true`, outside and inside a repository, and signed | `python -c pass` | 8 |
| `refloat step` | `python -c pass` | |
| `refloat trail` of 10,000 steps, as text and as JSON | `python -c pass` | 10 |
| a command that prints 1 GB through `refloat run` | the same through `cat` | |
| 8 writers on one job, 2,000 steps each | | none lost, chain unbroken |

The writers run on the record's file, and on PostgreSQL where `--url` names one (a schema of its own is made in it).

    python benchmarks/record.py [--runs 30] [--writers 8] [--steps 2000] [--url postgresql://…]
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
from urllib.parse import quote

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "core"), str(ROOT / "tui")]

from refloat.model.saving import Ending, Opening, Tree  # noqa: E402 - this tree's own, wherever it is started
from refloat.model.stamp import Stamp  # noqa: E402
from refloat.record.chain import add_steps, begin_step, seal_step  # noqa: E402
from refloat.record.checking import verify_job  # noqa: E402
from refloat.record.contents import Content, hold  # noqa: E402
from refloat.record.store import open_record  # noqa: E402

NOW = Stamp("2026-09-14T14:00:00.000Z")
OPENING = Opening("job", "human:ada", "run", "pytest -q", "run", NOW, "/srv/app")
ENDING = Ending("ok", NOW, 0)


def environment(out: Path) -> dict[str, str]:
    """A home of its own, and this tree's sources."""
    sources = os.pathsep.join((str(ROOT / "core"), str(ROOT / "tui")))
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
    return kept | {"HOME": str(out / "home"), "XDG_DATA_HOME": str(out / "data"), "PYTHONPATH": sources}


def refloat(*words: str) -> list[str]:
    """A command as its console script starts it."""
    return [sys.executable, "-c", "from refloat_tui.cli import main; raise SystemExit(main())", *words]


def seconds(argv: Sequence[str], env: Mapping[str, str], cwd: Path) -> float:
    begun = time.perf_counter()
    subprocess.run(argv, env=env, cwd=cwd, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begun


def alternate(runs: int, things: Mapping[str, Callable[[], float]]) -> dict[str, float]:
    """The median of `runs` of each thing, taken in turns; the first turn warms up."""
    turns = [[thing() for thing in things.values()] for _ in range(runs + 1)][1:]
    return dict(zip(things, [median(taken) for taken in zip(*turns, strict=True)], strict=True))


def fill(out: Path, steps: int) -> None:
    """A job of so many steps that rest on each other, with outputs."""
    with open_record(out / "data" / "refloat", NOW) as record:
        for start in range(0, steps, 500):
            add_steps(record, [row(n) for n in range(start, min(start + 500, steps))])


def row(n: int) -> tuple[Opening, Ending, None, Content]:
    before, after = (Tree("a" * 40, f"{number // 3:064x}") for number in (n, n + 1))
    opening = OPENING._replace(job="long", summary=f"pytest -q tests/part_{n % 50}", tree=before)
    return (
        opening,
        ENDING._replace(outcome="ok" if n % 7 else "error", tree=after),
        None,
        hold(b"%d passed\n" % n * 200),
    )


def bench_commands(out: Path, runs: int) -> None:
    env, repo = environment(out), out / "repo"
    subprocess.run(["git", "init", "-q", str(repo)], check=True, env=env)
    (repo / "file").write_text("x\n")
    fill(out, 10_000)
    signing = {**env, "REFLOAT_DATA_DIR": str(out / "signed")}
    subprocess.run(refloat("record", "key", "--new"), env=signing, cwd=out, check=True, stdout=subprocess.DEVNULL)
    took = alternate(
        runs,
        {
            "python -c pass": partial(seconds, [sys.executable, "-c", "pass"], env, out),
            "run -- true": partial(seconds, refloat("run", "--job", "j", "--", "true"), env, out),
            "run -- true, in a repository": partial(seconds, refloat("run", "--job", "j", "--", "true"), env, repo),
            "run -- true, signed": partial(seconds, refloat("run", "--job", "j", "--", "true"), signing, out),
            "step": partial(seconds, refloat("step", "--job", "j", "--tool", "t"), env, out),
            "trail of 10,000 steps": partial(seconds, refloat("trail", "long"), env, out),
            "trail of 10,000 steps, as JSON": partial(seconds, refloat("trail", "long", "--json"), env, out),
        },
    )
    floor = took["python -c pass"]
    for what, each in took.items():
        print(f"{what:<40} {each * 1000:>9,.1f} ms   {each / floor:>6.2f} × python -c pass")


def bench_stream(out: Path, runs: int) -> None:
    command = ["head", "-c", "1000000000", "/dev/zero"]
    piped = ["sh", "-c", " ".join(command) + " | cat"]
    env = environment(out)
    took = alternate(
        runs,
        {
            "cat": partial(seconds, piped, env, out),
            "run": partial(seconds, refloat("run", "--job", "s", "--", *command), env, out),
        },
    )
    print(f"{'1 GB through run':<40} {took['run'] * 1000:>9,.1f} ms   {took['run'] / took['cat']:>6.2f} × through cat")


WRITER = """
import sys
sys.path[:0] = {path!r}
import record
record.write(*sys.argv[1:])
"""


def write(directory: str, url: str, writer: str, steps: str) -> None:
    """One writer: so many steps, each begun and sealed."""
    with open_record(Path(directory), NOW, url or None) as record:
        for n in range(int(steps)):
            begun = begin_step(record, OPENING._replace(producer=f"writer:{writer}"), hold(b"%d" % n))
            seal_step(record, begun, ENDING, hold(b"%s %d" % (writer.encode(), n)))


def bench_writers(out: Path, writers: int, steps: int, url: str) -> None:
    directory = out / "writers"
    open_record(directory, NOW, url or None).close()
    code = WRITER.format(path=[str(ROOT / "benchmarks")])
    begun = time.perf_counter()
    argv = [sys.executable, "-c", code, str(directory), url]
    running = [subprocess.Popen([*argv, str(n), str(steps)]) for n in range(writers)]
    failed = sum(process.wait() != 0 for process in running)
    took = time.perf_counter() - begun
    with open_record(directory, NOW, url or None) as record:
        found = verify_job(record, "job")
    total = writers * steps
    holds = "every step is there, the chain is unbroken" if found.ok and found.checked == total else "NOT WHOLE"
    engine = "PostgreSQL" if url else "SQLite"
    print(f"{engine}: {writers} writers × {steps} steps: {total / took:,.0f} steps/s; {failed} failed; {holds}")
    if not found.ok or found.checked != total or failed:
        raise SystemExit(1)


def own_schema(url: str) -> str:
    """A schema that nothing else uses, in the database at the URL."""
    import psycopg

    name = f"bench_{os.getpid()}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")  # pyright: ignore[reportArgumentType, reportCallIssue] - a name of our own
    return f"{url}{'&' if '?' in url else '?'}options={quote(f'-csearch_path={name}')}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--url", default="")
    parser.add_argument("--only", choices=("commands", "stream", "writers"))
    words = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="refloat-bench-") as place:
        out = Path(place)
        (out / "home").mkdir()
        if words.only in {None, "commands"}:
            bench_commands(out, words.runs)
        if words.only in {None, "stream"}:
            bench_stream(out, max(1, words.runs // 10))
        if words.only in {None, "writers"}:
            bench_writers(out, words.writers, words.steps, "")
            if words.url:
                bench_writers(out, words.writers, words.steps, own_schema(words.url))


if __name__ == "__main__":
    main()
