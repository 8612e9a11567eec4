"""Processes can be spawned while a terminal app holds the standard error stream.

`multiprocessing` starts a tracker of its own before the first process that it spawns, and hands it the descriptor of
`sys.stderr`. Textual puts an object without one (-1) in that place while an app runs, and the start of the tracker, and
with it every reading by workers, fails with a ValueError.
"""

from __future__ import annotations

import sys
from contextlib import redirect_stderr


def start_tracker() -> None:
    """Start the tracker with the stream that this process began with, where the present one has no descriptor."""
    from multiprocessing import resource_tracker

    try:
        has_none = sys.stderr.fileno() < 0
    except (AttributeError, OSError, ValueError):
        return  # the tracker does without such a one
    if has_none:
        with redirect_stderr(sys.__stderr__):
            resource_tracker.ensure_running()
