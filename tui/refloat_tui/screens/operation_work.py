"""The work of an operation's question: workers in threads, each of which ends in messages and touches no widget."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import work
from textual.message import Message

from refloat.errors import RefloatError
from refloat_tui.base import RefloatScreen
from refloat_tui.messages import message

if TYPE_CHECKING:
    from refloat.model.session import SessionName
    from refloat.model.stopping import Progress, Stopped
    from refloat_tui.operations import Asked, Offer, Operations, Planned, Repaired, Salvaged
    from refloat_tui.theme import Glyphs


@dataclass(frozen=True, slots=True)
class Done:
    """What came of it."""

    words: str
    bad: bool = False
    show: SessionName | None = None
    """The session to stand on."""


class OperationWork(RefloatScreen[Done]):
    """A screen that can look at an operation and do it; what comes of it arrives as messages."""

    @message
    class Looked(Message, bubble=False):
        """It was looked at (or, `why`, nothing can be said)."""

        asked: Asked
        planned: Planned | None
        why: str = ""
        same: bool | None = None
        """After a yes: whether the yes still holds."""

    @message
    class Told(Message, bubble=False):
        """A stop went on by one thing."""

        progress: Progress

    @message
    class Ended(Message, bubble=False):
        """It was done, or (`why`) not."""

        result: Stopped | Repaired | Salvaged | str | None
        why: str = ""

    def __init__(self, operations: Operations, step_aside: Callable[[], None], *, glyphs: Glyphs) -> None:
        super().__init__(glyphs=glyphs)
        self._operations = operations
        self._step_aside = step_aside
        self._cancelled = threading.Event()

    @work(thread=True, exclusive=True, group="plan", exit_on_error=False, description="Looking at the session")
    def _look(self, asked: Asked, shown: Offer | None) -> None:
        try:
            planned = self._operations.plan(asked)
            same = None
            if shown is not None:
                same = planned.offer.rests_on == shown.rests_on and not planned.offer.refused
                if same:
                    self._step_aside()
        except RefloatError as error:
            self.post_message(self.Looked(asked, None, str(error)))
        else:
            self.post_message(self.Looked(asked, planned, same=same))

    @work(thread=True, group="do", exit_on_error=False, description="Opening it")
    def _open_beside(self, planned: Planned) -> None:
        self._try(planned.in_window)

    @work(thread=True, group="do", exit_on_error=False, description="Writing the copy")
    def _repair_now(self, planned: Planned) -> None:
        self._try(planned.repair)

    @work(thread=True, group="do", exit_on_error=False, description="Writing the patch")
    def _salvage_now(self, planned: Planned) -> None:
        self._try(planned.salvage)

    @work(thread=True, group="do", exit_on_error=False, description="Stopping it")
    def _stop_now(self, planned: Planned) -> None:
        def tell(progress: Progress) -> None:
            if self._cancelled.is_set():
                raise KeyboardInterrupt
            self.post_message(self.Told(progress))

        self._try(lambda: planned.stop(tell))

    def _try(self, what: Callable[[], Stopped | Repaired | Salvaged | str]) -> None:
        try:
            self.post_message(self.Ended(what()))
        except RefloatError as error:
            self.post_message(self.Ended(None, str(error)))
        except KeyboardInterrupt:
            self.post_message(self.Ended(None, "You ended it before anything was sent."))
