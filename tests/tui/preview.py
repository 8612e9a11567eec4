"""Shows the desk on sample sessions: `PYTHONPATH=core:tui python tests/tui/preview.py`.

`… preview.py shots DIR` draws every pane at three sizes as SVG instead.
"""

import asyncio
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.tui.conftest import FakeLibrary, make_app, some_sessions
from tests.tui.evidence import evidence
from tests.tui.operated import FakeOperations, refused

from refloat_tui.app import run_app
from refloat_tui.base import RefloatScreen
from refloat_tui.screens.doors import Doors

REFUSED = refused(
    "process 4711 owns claude-code:5d1f6c1e and runs: `refloat attach claude-code:5d1f6c1e` goes to it",
    instead="attach",
    force_helps=True,
)
SIZES = ((80, 24), (120, 40), (200, 60))
KEYS = {
    "list": (),
    "recap": ("1",),
    "evidence": ("1", "e"),
    "history": ("2", "x"),
    "checkout": ("3", "enter", "down"),
    "triage": ("4",),
    "brief": ("5",),
    "help": ("question_mark",),
    "item": ("2", "x", "enter"),
    "palette": ("ctrl+p",),
    "continue": ("down", "down", "down", "c"),
    "new": ("plus",),
    "stop": ("down", "down", "s"),
    "stopped": ("down", "down", "s", "enter"),
    "repair": ("M",),
    "peek": ("down", "down", "p"),
    "refused": ("R",),
}


def library() -> FakeLibrary:
    """The sample sessions; the first one is rich in evidence."""
    made = FakeLibrary(some_sessions())
    made.samples[next(iter(made.samples))] = evidence()
    return made


async def shoot(directory: Path, environment: dict[str, str]) -> None:
    RefloatScreen.pace = 0  # it presses, and waits itself
    wanted = sys.argv[3:] or list(KEYS)
    for width, height in SIZES:
        for name in wanted:
            operations = FakeOperations(changes=REFUSED if name == "refused" else lambda offer: offer)
            app = make_app(library(), Doors(operations=operations), environment=environment)
            async with app.run_test(size=(width, height)) as pilot:
                await pilot.pause(0.6)
                for key in KEYS[name]:
                    await pilot.press("c" if key == "R" else key)
                    await pilot.pause(0.2)
                await pilot.pause(0.4)
                (directory / f"{name}-{width}.svg").write_text(app.export_screenshot(), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["shots"]:
        target = Path(sys.argv[2])
        target.mkdir(parents=True, exist_ok=True)
        asyncio.run(shoot(target, dict(os.environ)))
    else:
        run_app(make_app(library(), Doors(operations=FakeOperations()), environment=dict(os.environ)))
