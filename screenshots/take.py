"""Draws the pictures of the README: scenes of the app over the demo, one SVG each.

`take.py` draws them all, `take.py NAME…` some, `take.py --check` draws and compares. Decides which scenes there are.
Refuses to depend on machine, day or network: the clock stands still, the processes are staged, the demo lies
at a fixed path, and a picture names no font that somebody would have to fetch.
"""

import os
import sys
import time

_OURS = {
    "PATH": os.environ.get("PATH", os.defpath),
    "HOME": "/nonexistent",
    "USER": "ada",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "TERM": "xterm-256color",
    "COLORTERM": "truecolor",
}
# Before the first import: Textual and Rich read NO_COLOR, TEXTUAL_*, COLUMNS and the like while they load.
os.environ.clear()
os.environ.update(_OURS)
time.tzset()

import argparse  # noqa: E402 - after the environment, see above
import asyncio  # noqa: E402
import re  # noqa: E402
import shutil  # noqa: E402
from collections.abc import Generator, Mapping, Sequence  # noqa: E402
from contextlib import contextmanager  # noqa: E402
from dataclasses import dataclass, field, replace  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Final  # noqa: E402

from refloat.demo.build import build_demo  # noqa: E402
from refloat.machine.git import HardenedGit  # noqa: E402
from refloat.machine.launcher import SystemLauncher  # noqa: E402
from refloat.model.liveness import ProcessInfo  # noqa: E402
from refloat.model.stamp import seconds_of  # noqa: E402
from refloat.ports import GitAnswer, Machine, Places  # noqa: E402
from refloat.testing.fakes import (  # noqa: E402
    NOW,
    FakeClock,
    FakeProcesses,
    FakeSignals,
    FakeTerminals,
    FakeTraces,
    FakeWatch,
    process,
)
from refloat.usecases.open_bench import open_bench  # noqa: E402
from refloat.usecases.workbench import Workbench  # noqa: E402
from refloat_tui.app import RefloatApp, make_app  # noqa: E402
from refloat_tui.base import RefloatScreen  # noqa: E402
from refloat_tui.theme import DARK, LIGHT  # noqa: E402

HERE: Final = Path(__file__).parent
STAGE: Final = Path("/tmp/refloat-pictures")  # noqa: S108 - fixed on purpose; what is there must be ours
"""Where the demo is built, and gone afterwards. Its length is in the transcripts, so it is the same everywhere."""
HOME: Final = STAGE / "home"
WIDE: Final = (120, 40)
SMALL: Final = (80, 24)
FIRST_PID: Final = 48211
CELL: Final = 12.2
"""Width of a column in Rich's drawings."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One picture."""

    name: str
    keys: Sequence[str] = ()
    size: tuple[int, int] = WIDE
    theme: str = DARK
    environment: Mapping[str, str] = field(default_factory=dict[str, str])


SCENES: Final = (
    Scene("desk", ("h",)),
    Scene("desk-evidence", ("e",)),
    Scene("history", ("2", "x")),
    Scene("checkout", ("3", "enter", "down", "down", "enter")),
    Scene("triage", ("4",)),
    Scene("brief", ("5",)),
    Scene("wizard-uncertain", ("r", *["enter"] * 4)),
    Scene("wizard-brief", ("r", *["enter"] * 6)),
    Scene("desk-small", size=SMALL),
    Scene("session-small", ("enter",), size=SMALL),
    Scene("wizard-small", ("r", *["enter"] * 4), size=SMALL),
    Scene("desk-ascii", environment={"NO_COLOR": "1", "REFLOAT_ASCII": "1"}),
    Scene("desk-light", theme=LIGHT),
)


class StagedLauncher:
    """Runs what builds the demo; what it is to start becomes a row of the process table and nothing else."""

    def __init__(self, real: SystemLauncher, processes: FakeProcesses) -> None:
        self._real = real
        self._processes = processes

    def which(self, program: str) -> str | None:
        """A path that is the same everywhere."""
        return f"/usr/bin/{program}"

    def run(self, argv: Sequence[str], cwd: Path, seconds: float) -> GitAnswer:
        """Run it."""
        return self._real.run(argv, cwd, seconds)

    def start(self, argv: Sequence[str], cwd: Path, *, executable: str) -> int:
        """Add a row."""
        del executable
        pid = FIRST_PID + 37 * len(self._processes.rows)
        began = seconds_of(NOW) - 360
        row: ProcessInfo = process(pid, argv[0], argv, cwd=str(cwd), started=began, start_token=str(pid * 10))
        self._processes.rows = (*self._processes.rows, row)
        return pid

    def end(self, pid: int) -> None:
        """Nothing runs."""


@contextmanager
def staged() -> Generator[tuple[Workbench, Path]]:
    """The demo on a machine that stands still, and its repository."""
    if STAGE.is_symlink() or (STAGE.exists() and STAGE.stat().st_uid != os.getuid()):
        sys.exit(f"{STAGE} is somebody else's; the pictures need that path")
    shutil.rmtree(STAGE, ignore_errors=True)
    STAGE.mkdir(mode=0o700)
    try:
        environment = _OURS | {"HOME": str(HOME)}
        places = Places(HOME, STAGE / "cache", STAGE / "data", STAGE / "config", environment)
        processes = FakeProcesses(name="harbour")
        launcher = StagedLauncher(SystemLauncher(environment), processes)
        machine = Machine(
            FakeClock(),
            processes,
            HardenedGit(places),
            FakeWatch(words="inotify"),
            launcher,
            FakeTraces(),
            FakeTerminals(),
            places,
            FakeSignals(),
        )
        built = build_demo(machine, HOME)
        yield open_bench(machine), built.workspace
    finally:
        shutil.rmtree(STAGE, ignore_errors=True)


async def settle(app: RefloatApp, pause: float = 0.2, rounds: int = 3) -> str:
    """Wait until nothing works and nothing moves any more; the picture of that.

    Raises:
        TimeoutError: it never comes to rest.

    """
    still, last = 0, ""
    for _ in range(300):
        await asyncio.sleep(pause)
        seen = app.export_screenshot()
        busy = any(worker.is_running for worker in app.workers)
        still = still + 1 if seen == last and not busy else 0
        last = seen
        if still == rounds:
            return seen
    raise TimeoutError("the app never comes to rest")


def _without_indent(found: re.Match[str]) -> str:
    """A run of text that begins where its first letter is: not every viewer keeps blanks at the front."""
    x, y, length, more, blanks = found.groups()
    shift = len(blanks.replace("&#160;", " ")) * CELL
    return f'x="{float(x) + shift:g}" {y} textLength="{float(length) - shift:g}" {more}>'


def plain(svg: str, name: str) -> str:
    """A drawing without what differs from one to the next, or would be fetched."""
    svg = re.sub(r"\s*@font-face \{.*?\n    \}", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!-- Generated .*?-->\n\s*", "", svg)
    svg = svg.replace("font-family: Fira Code, monospace", "font-family: 'Fira Code', 'DejaVu Sans Mono', monospace")
    svg = re.sub(r"terminal-\d+", name, svg)
    svg = re.sub(r'x="([\d.]+)" (y="[\d.]+") textLength="([\d.]+)" ([^>]*)>((?:&#160;|\u00a0)+)', _without_indent, svg)
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


async def draw(scene: Scene, bench: Workbench, workspace: Path) -> str:
    """Play one scene, from nothing known."""
    for kept in (bench.machine.places.cache, bench.machine.places.data):
        shutil.rmtree(kept, ignore_errors=True)
    places = replace(bench.machine.places, environment={**bench.machine.places.environment, **scene.environment})
    bench = replace(bench, machine=replace(bench.machine, places=places))
    os.environ.update(scene.environment)  # Textual asks for NO_COLOR itself
    try:
        app = make_app(bench, workspace)
    finally:
        for name in scene.environment:
            del os.environ[name]
    app.theme = scene.theme
    RefloatScreen.pace = 0  # it presses, and waits for each thing itself
    async with app.run_test(size=scene.size) as pilot:
        await settle(app)
        for key in scene.keys:
            await pilot.press(key)
            await settle(app, 0.05)
        return plain(await settle(app), scene.name)


def main() -> int:
    """Draw, or draw and compare. Answers with the exit code."""
    parser = argparse.ArgumentParser(description="Draw the pictures of the README.")
    parser.add_argument("names", nargs="*", choices=[[], *(scene.name for scene in SCENES)], help="only these")
    parser.add_argument("--check", action="store_true", help="draw, compare with what is there, write nothing")
    given = parser.parse_args()
    wrong: list[str] = []
    with staged() as (bench, workspace):
        for scene in SCENES:
            if given.names and scene.name not in given.names:
                continue
            svg = asyncio.run(draw(scene, bench, workspace))
            path = HERE / f"{scene.name}.svg"
            if not given.check:
                path.write_text(svg, encoding="utf-8")
            elif not path.is_file() or path.read_text(encoding="utf-8") != svg:
                wrong.append(scene.name)
    if wrong:
        print(f"not what the code draws: {', '.join(wrong)}; `just screenshots` draws them anew", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
