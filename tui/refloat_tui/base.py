"""What every screen shares: failed workers become a notice, and a key that is off says why.

Screens derive from `RefloatScreen`, start their workers on themselves (with `exit_on_error=False`) and answer
`why_not` for actions that are impossible now.
"""

from typing import ClassVar, Final, TypeVar

from textual import events
from textual.await_complete import AwaitComplete
from textual.screen import Screen
from textual.worker import Worker, WorkerState

from refloat.errors import RefloatError
from refloat.text import inert
from refloat_tui.present.age import local_times
from refloat_tui.theme import UNICODE, Glyphs

Returned = TypeVar("Returned")
_FIRST: Final = 2
"""Screens in the stack once the first of ours is shown: Textual's own lies below it."""


def notice_of(error: BaseException | None, doing: str) -> str:
    """A failure in words: what happened, what still works, what to do."""
    if isinstance(error, RefloatError):
        return inert(str(error))
    what = f"{type(error).__name__}: {error}" if error is not None else "no reason was given"
    return inert(
        f"{doing} failed ({what}). Everything else goes on; press ctrl+r to look again, "
        "and tell us if it comes back: this is a fault of Refloat."
    )


class RefloatScreen(Screen[Returned]):
    """A screen of Refloat.

    A subclass takes its keys from the table: `BINDINGS = bindings("wizard")`.
    """

    AUTO_FOCUS = None
    asked_at: float | None = None
    """When a question was shown here that a key can answer with yes, as `time.monotonic` tells it."""
    YES: ClassVar[frozenset[str]] = frozenset()
    """Actions that agree to a question."""
    opening: Worker[None] | None = None
    """What makes the screen that a key asked for: the next keys wait until that is shown, or two seconds (`turns`)."""

    def __init__(
        self,
        *,
        glyphs: Glyphs = UNICODE,
        name: str | None = None,
        id: str | None = None,  # noqa: A002 - Textual's own name
        classes: str | None = None,
    ) -> None:
        super().__init__(name, id, classes)
        self.glyphs = glyphs
        """The signs to draw with."""
        self._told = ""

    @property
    def is_opening(self) -> bool:
        """Whether another screen is about to lie on this one: the next keys are for that."""
        made = self.opening
        return made is not None and made.state not in {WorkerState.ERROR, WorkerState.CANCELLED}

    def is_no_answer(self, key: events.Key) -> bool:
        """Whether a key would agree to a question that was not there yet when it was pressed."""
        if self.asked_at is None or key.time >= self.asked_at:
            return False
        active = self.active_bindings.get(key.key)
        return active is not None and active.binding.action in self.YES

    def why_not(self, action: str) -> str | None:
        """Why an action is impossible now, as a sentence that says what would make it possible; None: it is possible.

        `action` is the method's name without `action_` (`desk_recover`).
        """
        del action
        return None

    def is_idle(self, action: str) -> bool:
        """Whether an action has nothing to do with what is shown: its key is hidden then, not dimmed."""
        del action
        return False

    def is_vain(self, action: str) -> bool:
        """Whether an action would be refused now: the footer does not offer it; its key still opens what says why."""
        del action
        return False

    def is_kept(self, action: str) -> bool:
        """Whether the footer keeps an action whatever the room: nothing else on the screen says how to go on."""
        del action
        return False

    def word_of(self, action: str) -> str | None:
        """What the footer says of an action now; empty: nothing. None: what the table of actions says."""
        del action
        return None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide what is idle, dim what is impossible now. While a screen's parts are not made yet, or gone already, it
        does nothing: keys come before its first paint, and after its last.
        """
        del parameters
        if not self.children or self.is_idle(action):
            return False
        return None if self.why_not(action) else True

    def on_mount(self) -> None:
        """What was told on the screen below stays there."""
        if len(self.app.screen_stack) > _FIRST:
            self.app.clear_notifications()

    def dismiss(self, result: Returned | None = None) -> AwaitComplete:
        """Leave, once: keys that come faster than a screen goes are still its own, and Textual would have each of them
        take the screen away that is on top by then. What was told here is told no longer.
        """
        if not self.is_active:
            return AwaitComplete()
        self.app.clear_notifications()
        return super().dismiss(result)

    def on_key(self, event: events.Key) -> None:
        """Say why, when the key of a dimmed action is pressed. Only keys that no widget took come here."""
        active = self.active_bindings.get(event.key)
        if active is None or active.enabled or active.node is not self:
            return
        reason = self.why_not(active.binding.action)
        if reason is not None:
            event.stop()
            self.tell(reason)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Turn the failure of a worker of this screen into a notice."""
        if event.state is WorkerState.ERROR:
            self.log.error(event.worker.error)
            self.tell(notice_of(event.worker.error, event.worker.description or event.worker.name), bad=True)

    def tell(self, sentence: str, *, bad: bool = False, seconds: float | None = None) -> None:
        """Show a sentence for a few seconds, or so many. It is text, never markup, with its times as the app tells all
        others; told again it takes its own.
        """
        sentence = local_times(sentence)
        if sentence == self._told:
            self.app.clear_notifications()
        self._told = sentence
        self.notify(
            sentence, severity="error" if bad else "information", timeout=seconds or (8 if bad else 4), markup=False
        )
