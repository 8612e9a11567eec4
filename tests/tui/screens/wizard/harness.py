"""The wizard alone, on an invented session, in a real terminal: `python harness.py HOME [SAMPLE]`.

Answers are kept below HOME, so that a second start finds them.
"""

import sys
from pathlib import Path

from textual.app import App

from refloat.ports import Machine
from refloat.testing.rescues import rescue_of, still_machine
from refloat.testing.samples import SAMPLES, Sample
from refloat.usecases.hold_session import Holding
from refloat.usecases.keep_draft import Drafts, open_drafts
from refloat_tui.library import SavedRecord
from refloat_tui.operations import Operations
from refloat_tui.screens.wizard.farewell import Farewell
from refloat_tui.screens.wizard.screen import WizardScreen
from refloat_tui.theme import THEMES, UNICODE, Glyphs


class WizardApp(App[Farewell]):
    """Nothing but the wizard."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        sample: Sample,
        machine: Machine,
        drafts: Drafts,
        *,
        glyphs: Glyphs = UNICODE,
        look: str = "refloat-dark",
        record: SavedRecord | None = None,
        holding: Holding | None = None,
        operations: Operations | None = None,
    ) -> None:
        super().__init__()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = look
        self.wizard = WizardScreen(
            lambda: rescue_of(sample, machine, drafts=drafts, cwd=machine.places.home, holding=holding),
            glyphs=glyphs,
            record=record,
            operations=operations,
        )

    def on_mount(self) -> None:
        self.push_screen(self.wizard, self.exit)


def main(home: Path, name: str) -> None:
    machine = still_machine(home)
    with open_drafts(machine) as drafts:
        said = WizardApp(SAMPLES[name](), machine, drafts).run()
    if said is not None:
        print(said.sentence)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "crashed")
