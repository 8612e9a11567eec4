"""Events to a session: pairs calls with results, joins split messages, counts, and tells how the record ends.

`Assembler(keep_items=False)` keeps nothing that grows with the transcript but ids of open calls and the like, and can
be frozen and thawed: a list needs no more. `keep_items=True` keeps the items as well, each text up to `KEPT`
characters.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from refloat.model.story import Story, Summary
from refloat.model.transcript import Event, Item

KEPT: Final = 64 * 1024
"""Characters kept of each text unless the whole is asked for: far more than any surface shows, so that masking sees
secrets whole before anything is cut."""


class Assembler:
    """Takes the events of one session, or of one sub-agent, in reading order."""

    def __init__(
        self,
        agent: str,
        session_id: str,
        *,
        keep_items: bool,
        subagent: str | None = None,
        kept: int | None = KEPT,
        frozen: Mapping[str, object] | None = None,
    ) -> None: ...

    def take(self, events: Iterable[Event]) -> None:
        """Take events."""

    def summary(self) -> Summary:
        """What they add up to so far."""
        raise NotImplementedError

    def items(self) -> tuple[Item, ...]:
        """The items so far, in order; only with `keep_items`."""
        raise NotImplementedError

    def story(self, subagents: Mapping[str, Story]) -> Story:
        """The whole; only with `keep_items`."""
        raise NotImplementedError

    def freeze(self) -> dict[str, object]:
        """All that must be known to go on, as JSON values."""
        raise NotImplementedError
