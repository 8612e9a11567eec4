"""Who is told that this process waits for somebody else. One setting of the process, made by its front end: what waits
lies far below, under a lock, and has nobody to ask.

Decides from when on a wait is worth a word.
"""

from collections.abc import Callable
from typing import Final

QUIET: Final = 2.0
"""Seconds that a wait may last before it is told."""


def _nobody(sentence: str) -> None:
    del sentence


_listener: list[Callable[[str], None]] = [_nobody]


def tell_to(listener: Callable[[str], None] = _nobody) -> None:
    """From now on waits are told there; to nobody, where none is given."""
    _listener[:] = [listener]


def tell(sentence: str) -> None:
    """Say what is waited for."""
    _listener[0](sentence)
