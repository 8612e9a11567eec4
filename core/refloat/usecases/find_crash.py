"""Where a session ended: the item that a person wants to see first."""

from collections.abc import Sequence
from typing import Final

from refloat.model.transcript import Item, Outcome

_ENDS: Final = frozenset({"api_error", "rate_limit", "interruption"})


def find_crash(items: Sequence[Item]) -> int | None:
    """Index of the first step of the last turn without a result, else of the last error, else of the last item."""
    turn = max((item.step.turn for item in items if item.step), default=0)
    for at, item in enumerate(items):
        if item.step and item.step.turn == turn and item.step.outcome in {Outcome.DANGLING, Outcome.INTERRUPTED}:
            return at
    for at in range(len(items) - 1, -1, -1):
        marker = items[at].marker
        if marker is not None and marker.kind in _ENDS:
            return at
    return len(items) - 1 if items else None
