"""`hook claude-code` and `hook codex`: the road that agents take, without the parser, which never fails to them.

Decides that the exit code is 0 whatever happened, that standard output holds a greeting or nothing, and that all is
over within a few seconds, also where standard input stays open. What went wrong is logged for `doctor`.
"""

import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Final

from refloat.machine import here
from refloat.machine.moment import now
from refloat.machine.places import find_directories
from refloat.machine.worktree import look_at_tree
from refloat.model.stamp import Stamp
from refloat.usecases.hooks_log import log_failure
from refloat.usecases.hooks_take import AGENTS, Agent, HookDesk, take_event

SECONDS: Final = 8
"""After so long a hook gives up; agents are told to wait ten."""


class _TooLate(BaseException):
    """Time is up."""


def answer(words: Sequence[str]) -> int | None:
    """Answer `["hook", AGENT, …]`; None where the parser must. Words that an agent adds are no reason to fail."""
    agent: Agent | None = next((agent for agent in AGENTS if list(words[1:2]) == [agent]), None)
    if agent is None or "--help" in words or "-h" in words:
        return None
    data: Path | None = None
    try:
        signal.signal(signal.SIGALRM, _give_up)
        signal.alarm(SECONDS)
        places = find_directories(os.environ)
        data = places.data
        desk = HookDesk(
            data=places.data,
            config=places.config,
            environment=os.environ,
            directory=here.directory(),
            host=here.host(),
            now=lambda: Stamp(now()),
            look=partial(look_at_tree, environment=os.environ),
        )
        _say(take_event(desk, agent, partial(os.read, 0)))
        signal.alarm(0)
    except BaseException as fault:  # noqa: BLE001 - an agent must not suffer from whatever this was
        signal.alarm(0)
        if data is not None:
            with suppress(Exception):
                log_failure(data, Stamp(now()), agent, _sentence(fault))
    return 0


def _say(text: str) -> None:
    rest = text.encode("utf-8", "replace")
    while rest:
        rest = rest[os.write(1, rest) :]


def _sentence(fault: BaseException) -> str:
    if isinstance(fault, _TooLate):
        return f"the event was not dealt with within {SECONDS} seconds"
    return f"{fault}" if isinstance(fault, Exception) and str(fault) else type(fault).__name__


def _give_up(signal_number: int, frame: FrameType | None) -> None:
    del signal_number, frame
    raise _TooLate
