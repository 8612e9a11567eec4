"""Waiting for what a screen comes to, on a machine of any speed.

Nothing is asserted about how long it takes: a story ends as soon as it is so, and fails when it never comes to that.
What a key leads to in the app itself is waited for by looking whether anything is still to be dealt with
(`come_to_rest`); what a worker, a timer or another process brings is waited for by what it brings (`until`).
"""

import asyncio
import time
from collections.abc import Callable
from itertools import chain
from typing import Final, TypeVar
from weakref import WeakSet

from textual.app import App
from textual.message import Message
from textual.message_pump import MessagePump
from textual.pilot import Pilot

from refloat_tui.screens.desk import DeskScreen
from refloat_tui.turns import TurnApp
from refloat_tui.widgets.detail import Detail

PATIENCE: Final = 90.0
"""Seconds; a deadline for a busy machine, not a pause. Below the limit of a test, so that the reason is told."""

Returned = TypeVar("Returned")


_CALM: Final = 6
"""Turns of the loop in a row without anything to do: a message that a driver sends takes three to arrive."""
_TURNS: Final = 200
"""Turns after which what is dealt with is taken to wait for another thread: it is given time."""
_LOOK: Final = 0.005
"""Seconds between two looks at what takes its own time."""


_dealing: set[object] = set()
"""One for each message that is being dealt with: who deals with it may wait meanwhile, with nothing in the queue."""
_apps: WeakSet[App[object]] = WeakSet()
"""All that dealt with something."""
_deal: Final = MessagePump._dispatch_message


async def deal(pump: MessagePump, message: Message) -> None:
    """Note that a message is being dealt with; in the place of `MessagePump._dispatch_message`."""
    turn = object()
    _dealing.add(turn)
    if isinstance(pump, App):
        _apps.add(pump)
    try:
        await _deal(pump, message)
    finally:
        _dealing.discard(turn)


async def come_to_rest(min_sleep: float = 0, max_sleep: float = 1) -> None:
    """Let what runs here deal with all that it was told, and draw it. In the place of Textual's `wait_for_idle`, which
    waits until the process uses no time: that is late where a thread works, and too early where other processes do.
    """
    del min_sleep, max_sleep
    end = time.monotonic() + PATIENCE
    calm = turns = 0
    while calm < _CALM:
        assert time.monotonic() < end, "it never came to rest"
        turns += 1
        await asyncio.sleep(0 if turns < _TURNS else _LOOK)
        apps = [app for app in _apps if app.is_running and not app._exit and app._exception is None]
        if any(_is_told(app) or _draws(app) for app in apps):
            calm = 0
        elif any(isinstance(app, TurnApp) and app.is_typing for app in apps):
            calm = 0
            await asyncio.sleep(_LOOK)
        else:
            calm += 1


def _is_told(app: App[object]) -> bool:
    pumps: chain[MessagePump] = chain((app,), app._registry)
    return bool(_dealing) or any(pump._message_queue.qsize() or pump._next_callbacks for pump in pumps)


def _draws(app: App[object]) -> bool:
    """Whether there was something to draw; it is drawn."""
    if not app.screen_stack or app._batch_count:
        return False
    screen = app.screen
    if not (
        screen._layout_required
        or screen._scroll_required
        or screen._repaint_required
        or screen._recompose_required
        or screen._dirty_widgets
        or screen._callbacks
    ):
        return False
    with app._context():  # of two apps the other one may be the active one
        screen._on_timer_update()
    return True


async def until(pilot: Pilot[Returned], holds: Callable[[], object]) -> None:
    """Let the app work until something holds."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it never came to that"
        await asyncio.sleep(_LOOK)
        await come_to_rest()
    await pilot.pause()


async def meanwhile(holds: Callable[[], object]) -> None:
    """Let the app work until something holds, and no longer: a key that is under way waits for what the test holds."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, "it never came to that"
        await asyncio.sleep(_LOOK)


async def until_nothing_runs(pilot: Pilot[Returned]) -> None:
    """Let the app work until no worker runs, and none was begun by what the last one brought."""
    await pilot.pause()
    while not _have_ended(pilot):
        await until(pilot, lambda: _have_ended(pilot))


def _have_ended(pilot: Pilot[Returned]) -> bool:
    return all(worker.is_finished for worker in pilot.app.workers)


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
