"""Keys one at a time: each goes to what the one before it led to.

Textual hands a key to whatever has the focus when it comes, and looks up what it is bound to once it has risen to the
app. Of keys that come faster than that, the next ones are with the old focus already: `/stop` asked to stop a session,
and the `j` behind an enter stood in the field. So a key waits until the one before it, and what was told because of it,
has gone all the way. Decides the order alone. A screen that work in a thread makes is waited for too, for as long as
`RefloatScreen.is_opening` says so. Refuses to wait for other work, and for a widget that does not answer: after a
second the next key goes on. One that would agree to a question that was not there when it was pressed is
dropped (`RefloatScreen.is_no_answer`).
"""

import sys
from collections import deque
from typing import Final, Generic, TypeVar

from textual import events
from textual.app import App
from textual.driver import Driver
from textual.message import Message
from textual.message_pump import MessagePump
from textual.timer import Timer
from textual.widgets import Input, TextArea

from refloat_tui.base import RefloatScreen

Returned = TypeVar("Returned")
_WAYS: Final = 2
"""Ways from the widget to the app that are waited for: of the key, and of what was told at the end of that. Behind them
comes the screen's next frame: what moves the focus may do so once the screen is drawn.
"""
_PATIENCE: Final = 1.0
"""Seconds after which a way is not waited for any more: a widget that goes away takes its messages along."""
_LOOK: Final = 0.02
"""Seconds between two looks whether a screen is there that is on its way."""


class WayGone(Message, namespace="turns"):
    """All that a widget was told before has been dealt with on the way from it to the app."""

    def __init__(self, way: int) -> None:
        super().__init__()
        self.way = way


class TurnApp(App[Returned], Generic[Returned]):
    """An app that hands keys and pasted texts on one at a time."""

    _turns: deque[events.Key | events.Paste]
    _way: int = 0
    """The way that is waited for; 0: none."""
    _begun: int = 0
    """Ways that were begun since the last key."""
    _gone: int = 0
    """All ways so far."""
    _target: MessagePump | None = None
    """Whom the last key was for."""
    _late: Timer | None = None
    _before: events.Key | None = None
    """The last key."""

    @property
    def is_typing(self) -> bool:
        """Whether a key is under way still."""
        return bool(self._way) and not self._exit

    async def on_event(self, event: events.Event) -> None:
        """Keep the order of what is typed."""
        if not isinstance(event, (events.Key, events.Paste)) or event.is_forwarded:
            await super().on_event(event)
            return
        if not hasattr(self, "_turns"):
            self._turns = deque()
        self._turns.append(event)
        if not self._way:
            await self._take_turn()

    async def _take_turn(self) -> None:
        """Hand on the next that is for somebody."""
        if self._turns and self._is_opening():
            self._await_screen()
            return
        while self._turns:
            event = self._turns.popleft()
            screen = self.screen
            if isinstance(event, events.Key):
                if self._is_escape_and(event):
                    continue
                before, self._before = self._before, event
                if isinstance(screen, RefloatScreen) and screen.is_no_answer(event, before):
                    screen.pass_over()
                    continue
            self._target = self.focused or self.screen
            self._begun = 0
            await super().on_event(event)
            self._begin_way()
            return

    def _is_escape_and(self, event: events.Key) -> bool:
        """Take apart an alt with a key that nothing is bound to: `escapes` says why. In a field alt with enter is
        enter: some terminals are set up to send that for a new line.
        """
        key = event.key.removeprefix("alt+")
        if key == event.key or event.character is None or event.key in self.screen.active_bindings:
            return False
        key = event.character if key.startswith("shift+") else key
        self._give_back(event, key, event.character)
        if key != "enter" or not isinstance(self.focused, Input | TextArea):
            self._give_back(event, "escape", "\x1b")
        return True

    def _give_back(self, event: events.Key, key: str, character: str) -> None:
        """Put a key at the front that was pressed when that one was."""
        again = events.Key(key, character)
        again.time = event.time
        self._turns.appendleft(again.set_sender(self))

    def get_driver_class(self) -> type[Driver]:
        """What reads the terminal, with keys told as `escapes` says."""
        found = super().get_driver_class()
        module = sys.modules[found.__module__]
        if hasattr(module, "XTermParser"):
            from refloat_tui.escapes import Parser

            vars(module)["XTermParser"] = Parser
        return found

    def _begin_way(self) -> None:
        self._begun += 1
        self._gone += 1
        self._way = self._gone
        self._late = self.set_timer(_PATIENCE, self._give_up)
        if self._begun > _WAYS:
            self.screen.call_after_refresh(self._look_again)
            return
        node = self._target if self._target is not None else self.focused or self.screen
        # From the app, as a key: what a screen tells in its own name does not rise past it.
        if not node.post_message(WayGone(self._way).set_sender(self)):
            self.post_message(WayGone(self._way))

    def _await_screen(self) -> None:
        """Look again in a moment; once it is there, its next frame is waited for as well."""
        self._gone += 1
        self._way, self._begun = self._gone, _WAYS
        self._late = self.set_timer(_LOOK, self._look_again)

    def _give_up(self) -> None:
        self.post_message(WayGone(self._way))
        self._begun = _WAYS + 1

    async def on_turns_way_gone(self, message: WayGone) -> None:
        """The next way, or the next key."""
        if message.way != self._way:
            return
        if self._late is not None:
            self._late.stop()
        if self._exit:
            self._turns.clear()
        elif self._begun <= _WAYS:
            self._begin_way()
        elif self._is_opening():
            self._await_screen()
        else:
            if isinstance(self.screen, RefloatScreen):
                self.screen.opening = None
            self._way = 0
            await self._take_turn()

    def _look_again(self) -> None:
        self.post_message(WayGone(self._way))

    def _is_opening(self) -> bool:
        screen = self.screen
        return isinstance(screen, RefloatScreen) and screen.is_opening
