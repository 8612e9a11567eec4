"""How soon the app shows that a transcript grew, what a burst costs, and what it takes while nothing happens.

    python benchmarks/watch.py [--sessions 3000] [--live 3] [--appends 20] [--idle 30]

The app is real and draws headless. Of an append the gathering of changes is taken off: it waits on purpose, so that an
agent that writes all the time does not make everything be read all the time.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median, quantiles

import corpus

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "core"), str(ROOT / "tui")]

from refloat.machine.real import real_machine  # noqa: E402 - this tree's own, wherever it is started
from refloat.machine.watch import STEP_MS  # noqa: E402
from refloat.model.session import SessionName, State  # noqa: E402
from refloat.ports import Machine  # noqa: E402
from refloat.usecases.find_sessions import Scope, list_sessions  # noqa: E402
from refloat.usecases.open_bench import open_bench  # noqa: E402
from refloat_tui.app import RefloatApp, make_app  # noqa: E402
from refloat_tui.screens.desk import GATHER, DeskScreen  # noqa: E402

PATIENCE = 300.0


def environment(out: Path) -> dict[str, str]:
    """A home of the corpus's own."""
    return {"PATH": os.environ["PATH"], "HOME": str(out / "home"), "REFLOAT_CACHE_DIR": str(out / "cache")}


def workspace_of(path: Path) -> Path:
    """Where a session works."""
    row = next(line for line in path.read_bytes().splitlines() if b'"cwd"' in line)
    return Path(json.loads(row)["cwd"])


def append(path: Path, row: bytes) -> int:
    """Append a row; how long the file is now."""
    with path.open("ab") as file:
        file.write(row)
    return path.stat().st_size


def last_row(path: Path) -> bytes:
    """The last whole row that speaks of the conversation."""
    return next(row for row in reversed(path.read_bytes().split(b"\n")[:-1]) if b'"cwd"' in row) + b"\n"


def start_live(machine: Machine, out: Path, paths: Sequence[Path]) -> list[int]:
    """A harmless process under an agent's name for each of these sessions, with the register that ties it."""
    registers = out / "home" / ".claude" / "sessions"
    registers.mkdir(parents=True, exist_ok=True)
    pids: list[int] = []
    for path in paths:
        workspace = workspace_of(path)
        workspace.mkdir(parents=True, exist_ok=True)
        pid = machine.launcher.start(["claude"], workspace, executable="cat")
        process = machine.processes.get(pid) if pid is not None else None
        if pid is None or process is None:
            continue
        told = {"pid": pid, "sessionId": path.stem, "cwd": str(workspace), "procStart": process.start_token}
        (registers / f"{pid}.json").write_text(json.dumps(told | {"version": "2.1.270", "entrypoint": "cli"}))
        pids.append(pid)
    return pids


async def until(holds: Callable[[], object]) -> float:
    """Seconds until something holds."""
    begun = time.perf_counter()
    while not holds():
        if time.perf_counter() - begun > PATIENCE:
            raise TimeoutError
        await asyncio.sleep(0.002)
    return time.perf_counter() - begun


def desk_of(app: RefloatApp) -> DeskScreen:
    desk = app.screen
    assert isinstance(desk, DeskScreen)
    return desk


def shown_bytes(app: RefloatApp, path: Path) -> int:
    """How long the desk says that a transcript is."""
    session = desk_of(app).sessions.get(SessionName(f"claude-code:{path.stem}"))
    return session.transcript.bytes if session is not None else 0


async def appends(app: RefloatApp, path: Path, count: int) -> list[float]:
    """Seconds from each append to the desk's list."""
    row = last_row(path)
    took: list[float] = []
    for _ in range(count):
        size = append(path, row)
        took.append(await until(lambda size=size: shown_bytes(app, path) == size))
        await asyncio.sleep(1.0)
    return took


async def burst(app: RefloatApp, folder: Path, count: int) -> tuple[float, int]:
    """Seconds until the desk knows what ten thousand changes left behind, and the looks that it took."""
    looks = desk_of(app).looks
    for at in range(count):
        (folder / f"noise-{at % 500}.jsonl").write_bytes(b'{"type":"permission-mode"}\n' * (at // 500 + 1))
    for at in range(min(count, 500)):
        (folder / f"noise-{at}.jsonl").unlink()
    took = await until(lambda: not desk_of(app).is_at("look") and desk_of(app).looks > looks)
    await asyncio.sleep(2.0)
    return took, desk_of(app).looks - looks


async def run(out: Path, words: argparse.Namespace) -> None:
    paths = corpus.make_home(out, words.sessions, words.sessions * 20_000)
    machine = real_machine(environment(out))
    claude = [path for path in paths if ".claude" in str(path) and "subagents" not in str(path)]
    pids = start_live(machine, out, claude[-words.live :])
    bench = open_bench(machine)
    list_sessions(bench, Scope())
    app = make_app(bench, out)
    try:
        async with app.run_test(size=(120, 40)):
            took = await until(lambda: isinstance(app.screen, DeskScreen) and desk_of(app).is_complete)
            live = sum(one.state is State.LIVE for one in desk_of(app).sessions.values())
            print(f"{len(desk_of(app).sessions):,} sessions, {live} live, known after {took:.1f} s")
            await asyncio.sleep(5)
            waits = STEP_MS / 1000 + GATHER
            grown = [each - waits for each in await appends(app, claude[-1], words.appends)]
            print(f"append to list, beyond {waits * 1000:.0f} ms: median {median(grown) * 1000:,.0f} ms", end="")
            print(f", nine in ten {quantiles(grown, n=10)[-1] * 1000:,.0f} ms")
            took, looks = await burst(app, claude[0].parent, words.burst)
            print(f"a burst of {words.burst:,} changes: {looks} looks, the last ended {took:.1f} s after it")
            await asyncio.sleep(5)
            begun, spent = time.perf_counter(), time.process_time()
            await asyncio.sleep(words.idle)
            part = (time.process_time() - spent) / (time.perf_counter() - begun)
            print(f"idle for {words.idle:.0f} s: {100 * part:.2f} % of one processor")
    finally:
        for pid in pids:
            machine.launcher.end(pid)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=3000)
    parser.add_argument("--live", type=int, default=3)
    parser.add_argument("--appends", type=int, default=20)
    parser.add_argument("--burst", type=int, default=10_000)
    parser.add_argument("--idle", type=float, default=30.0)
    with tempfile.TemporaryDirectory(prefix="refloat-watch-") as place:
        asyncio.run(run(Path(place), parser.parse_args()))


if __name__ == "__main__":
    main()
