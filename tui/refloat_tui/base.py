"""What every screen shares: failed workers become a notice, and a key that is off says why.

Screens derive from `RefloatScreen`, start their workers on themselves (with `exit_on_error=False`) and answer
`why_not` for actions that are impossible now.
"""

import time
from typing import ClassVar, Final, TypeVar

from textual import events
from textual.await_complete import AwaitComplete
from textual.screen import Screen
from textual.widgets import Input, TextArea
from textual.worker import Worker, WorkerState

from refloat.errors import RefloatError
from refloat.text import inert
from refloat_tui.present.age import local_times
from refloat_tui.theme import UNICODE, Glyphs

Returned = TypeVar("Returned")
_REPEATS: Final = 0.3
"""Seconds within which the same key is one that is held down, or pressed in haste."""
_HELD: Final = 0.7
"""Seconds until a key that is held down comes again for the first time, on most machines."""
TOO_SOON: Final = "It counts once this has stood a moment: press it again."
OPENS_WITHIN: Final = 2.0
"""Seconds that keys wait for a screen that is on its way."""
_SHELL: Final = frozenset({"ctrl+c", "ctrl+z"})
"""Keys that end or halt a program in a shell."""
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
    STANDS: ClassVar[float] = 0.4
    """Seconds that a question stands before a yes counts."""
    pace: ClassVar[float] = 1.0
    """How much of these times is waited for; 0 where a script presses, and looks itself."""
    YES: ClassVar[frozenset[str]] = frozenset()
    """Actions that agree to a question."""
    opening: Worker[None] | None = None
    """What makes the screen that a key asked for: the next keys wait for it (`turns`)."""
    _opens_by = 0.0
    """When it is waited for no longer, as `time.monotonic` tells it."""

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
        self._bad_until = 0.0
        """Until when a bad word stands, as `time.monotonic` tells it."""
        self.passed_over = False
        """Whether a yes came too soon for what is asked now."""

    @property
    def is_opening(self) -> bool:
        """Whether another screen is about to lie on this one: the next keys are for that."""
        made = self.opening
        ended_badly = made is not None and made.state in {WorkerState.ERROR, WorkerState.CANCELLED}
        return made is not None and not ended_badly and time.monotonic() < self._opens_by

    def open_soon(self, made: Worker[None], within: float | None = None) -> None:
        """Keep the next keys for the screen that `made` makes, so many seconds at most; None: `OPENS_WITHIN`."""
        self.opening, self._opens_by = made, time.monotonic() + (OPENS_WITHIN if within is None else within)

    def stand(self) -> None:
        """Something is asked anew: what was pressed before it could be seen does not answer it."""
        self.asked_at, self.passed_over = time.monotonic(), False
        if self.pace:
            self.call_after_refresh(self._listen)

    def _listen(self) -> None:
        self.asked_at = time.monotonic()

    def is_no_answer(self, key: events.Key, before: events.Key | None) -> bool:
        """Whether a key would agree to a question that nobody can have read when it was pressed: it was not there, or
        not long enough, or the key is held down. `before`: the key before it.
        """
        if self.asked_at is None or isinstance(self.focused, Input | TextArea):
            return False
        active = self.active_bindings.get(key.key)
        if active is None or active.binding.action not in self.YES:
            return False
        since = self.asked_at + self.STANDS * self.pace
        if before is not None and before.key == key.key:
            asked_by_it = self.STANDS > 0 and before.time < self.asked_at
            again = _HELD if asked_by_it else max(self.STANDS, _REPEATS)
            since = max(since, before.time + again * self.pace)
        return key.time < since

    def pass_over(self) -> None:
        """Say, once, that a key answered nothing."""
        if not self.passed_over:
            self.passed_over = True
            self.say_passed_over()

    def say_passed_over(self) -> None:
        """How it is said."""
        self.tell(TOO_SOON, seconds=2)

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
        is_ours = active is not None and active.binding.id is not None
        if event.key in _SHELL and not is_ours and not self.get_selected_text():
            event.stop()
            self.tell("q leaves, ctrl+q from everywhere.")
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

    def hush(self) -> None:
        """What was told is about what is left now, and would lie on what comes; a bad word stands its time."""
        if time.monotonic() >= self._bad_until:
            self.app.clear_notifications()

    def tell(self, sentence: str, *, bad: bool = False, seconds: float | None = None) -> None:
        """Show a sentence for a few seconds, or so many. It is text, never markup, with its times as the app tells all
        others; told again it takes its own.
        """
        sentence = local_times(sentence)
        if sentence == self._told:
            self.app.clear_notifications()
        self._told = sentence
        if bad:
            self._bad_until = time.monotonic() + (seconds or 8)
        self.notify(
            sentence, severity="error" if bad else "information", timeout=seconds or (8 if bad else 4), markup=False
        )
