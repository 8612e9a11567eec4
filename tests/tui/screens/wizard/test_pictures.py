"""What only eyes can judge of the wizard: its pages, small and wide."""

from dataclasses import replace
from pathlib import Path
from typing import Protocol

import pytest
from tests.tui.waiting import until_nothing_runs
from textual.pilot import Pilot

from refloat.model.recovery import PAGES, Page
from refloat.testing.fakes import FakeClock
from refloat.testing.rescues import still_machine
from refloat.testing.samples import at, crashed
from refloat.usecases.keep_draft import open_drafts
from refloat_tui.screens.wizard.farewell import Farewell

from .harness import WizardApp


class Compare(Protocol):
    """The fixture of pytest-textual-snapshot."""

    def __call__(self, app: WizardApp, *, terminal_size: tuple[int, int], run_before: object) -> bool: ...


async def _walk(pilot: Pilot[Farewell], page: Page) -> None:
    for before in (None, *PAGES[: PAGES.index(page)]):
        if before is not None:
            await pilot.press("enter")
        await until_nothing_runs(pilot)  # a save or a brief may start another one


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["small", "wide"])
@pytest.mark.parametrize("page", [Page.CHECKOUT, Page.UNCERTAIN, Page.GOAL], ids=str)
def test_a_page(snap_compare: Compare, tmp_path: Path, page: Page, size: tuple[int, int]) -> None:
    machine = replace(still_machine(tmp_path), clock=FakeClock(at(100)))
    with open_drafts(machine) as drafts:

        async def walk(pilot: Pilot[Farewell]) -> None:
            await _walk(pilot, page)

        assert snap_compare(WizardApp(crashed(), machine, drafts), terminal_size=size, run_before=walk)
