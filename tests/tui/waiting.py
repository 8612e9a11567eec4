"""Waiting for what a screen comes to, on a machine of any speed.

Nothing is asserted about how long it takes: a story ends as soon as it is so, and fails when it never comes to that.
"""

import time
from collections.abc import Callable
from typing import Final, TypeVar

from textual.app import App
from textual.pilot import Pilot

from refloat_tui.screens.desk import DeskScreen
from refloat_tui.widgets.detail import Detail

PATIENCE: Final = 90.0
"""Seconds; a deadline for a busy machine, not a pause. Below the limit of a test, so that the reason is told."""

Returned = TypeVar("Returned")


async def until(pilot: Pilot[Returned], holds: Callable[[], object]) -> None:
    """Let the app work until something holds."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it never came to that"
        await pilot.pause(0.02)
    await pilot.pause()


def has_read(app: App[str]) -> bool:
    """Whether the desk has read what it stands on, or says that it cannot."""
    desk = app.screen_stack[-1]
    if not isinstance(desk, DeskScreen):
        return True
    if not desk.is_complete or (desk._sessions and desk._chosen is None):
        return False
    detail = desk.query_one(Detail)
    if not detail.is_built:
        return False
    said = str(detail.pane("recap").said.visual)
    return not desk._sessions or detail.written is not None or (detail.opened is None and "again" in said)
