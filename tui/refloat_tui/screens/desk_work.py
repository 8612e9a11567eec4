"""The slow work of the desk: workers in threads, each of which ends in messages and touches no widget."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final, Literal

from textual import work
from textual.worker import Worker, get_current_worker

from refloat.errors import RefloatError
from refloat_tui.base import RefloatScreen, notice_of
from refloat_tui.library import HUGE, LONG
from refloat_tui.messages import (
    AnswerKept,
    BriefSaved,
    BriefWritten,
    CheckoutCompared,
    LongBegun,
    LongTold,
    PanesLoaded,
    PartFailed,
    PlaceKnown,
    SessionOpened,
    SessionsFound,
    StatusTold,
    StretchFound,
    TriageMade,
    WatchTold,
)
from refloat_tui.widgets.detail import import_panes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from refloat.model.brief import WrittenBrief
    from refloat.model.long import Ask
    from refloat.model.recovery import Said
    from refloat.model.session import SessionName
    from refloat_tui.library import Library, LongHistory, Opened
    from refloat_tui.screens.doors import Demo, Doors
    from refloat_tui.theme import Glyphs

_ANYWAY: Final = 30.0
"""Seconds after which everything is looked at though nothing asks for it: some changes show in no other way."""
_HISTORY_FIRST: Final = 30.0
"""Seconds that the reading of the whole waits at most for the first screen of its history."""
_REST: Final = 100
"""Such a look is rested from for so many times its length."""


class DeskWork(RefloatScreen[None]):
    """A screen that can find, watch, read and write; what comes of it arrives as messages."""

    def __init__(self, library: Library, *, glyphs: Glyphs) -> None:
        super().__init__(glyphs=glyphs)
        self._library = library
        self._one_reading = threading.Lock()
        """A reading that was given up still runs to its next question; the next one waits for it."""
        self._one_answer = threading.Lock()
        self._long: tuple[SessionName, LongHistory] | None = None
        """The long history that is shown."""
        self._history_stands = threading.Event()
        """The first screen of a long history is there, or nobody waits for it."""
        self._one_change = threading.Lock()
        self._changed: frozenset[str] | None = frozenset()
        """Files that changed since the last look began; None: some may have been missed."""
        self.looks = 0
        """Looks so far."""
        self._look_took = 0.0
        """Seconds of the last look."""
        self._anyway = time.monotonic() + _ANYWAY
        """When everything is looked at though nothing asks for it."""

    def is_at(self, *groups: str) -> bool:
        """Whether work of one of these groups goes on."""
        return any(worker.group in groups and worker.is_running for worker in self.workers)

    @work(thread=True, exclusive=True, group="demo", exit_on_error=False, description="Building the demo")
    def build_demo(self, build: Demo, show: Callable[[Library, Doors], None]) -> None:
        """The demo; it is at work until that is shown."""
        self.app.call_from_thread(show, *build())

    @work(thread=True, exclusive=True, group="panes", exit_on_error=False, description="Loading the panes")
    def load_panes(self) -> None:
        """Load what the panes are made of."""
        import_panes()
        self.post_message(PanesLoaded())

    @work(thread=True, exclusive=True, group="find", exit_on_error=False, description="Finding sessions")
    def find(self) -> None:
        """All sessions, batch by batch."""
        worker = get_current_worker()
        for found in self._library.find_sessions(lambda: worker.is_cancelled):
            self.post_message(SessionsFound(found))

    @work(thread=True, exclusive=True, group="look", exit_on_error=False, description="Looking at what changed")
    def look(self) -> None:
        """What changed, in files and processes."""
        self._take_changed()
        self._look(get_current_worker(), None)

    @work(thread=True, exclusive=True, group="look", exit_on_error=False, description="Looking at what changed")
    def look_at_changes(self) -> None:
        """What the files that changed tell, and the processes."""
        self._look(get_current_worker(), self._take_changed())

    def _look(self, worker: Worker[None], changed: frozenset[str] | None) -> None:
        began = time.monotonic()
        self.looks += 1
        whole = False
        for found in self._library.look_again(lambda: worker.is_cancelled, changed):
            self.post_message(SessionsFound(found))
            whole = whole or found.complete
        if worker.is_cancelled:
            self._note_changed(None)
        if whole:
            ended = time.monotonic()
            self._look_took = ended - began
            self._anyway = ended + max(_ANYWAY, _REST * self._look_took)

    def _note_changed(self, paths: frozenset[str] | None) -> None:
        with self._one_change:
            self._changed = None if paths is None or self._changed is None else self._changed | paths

    def _take_changed(self) -> frozenset[str] | None:
        with self._one_change:
            changed, self._changed = self._changed, frozenset()
        return changed

    @work(thread=True, exclusive=True, group="look", exit_on_error=False, description="Looking at what runs")
    def look_if_due(self) -> None:
        """Look when a cheap question says that there is something to see, and once in a while anyway."""
        worker = get_current_worker()
        if time.monotonic() >= self._anyway or self._library.is_look_due():
            self._take_changed()
            self._look(worker, None)

    @work(thread=True, group="watch", exit_on_error=False, description="Watching the transcripts")
    def watch_files(self) -> None:
        """Tell of changed files for as long as the desk stands."""
        worker = get_current_worker()
        self.post_message(WatchTold(changed=False, how=self._library.watching()))
        for paths in self._library.changes(lambda: worker.is_cancelled):
            if worker.is_cancelled:
                return
            self._note_changed(paths)
            self.post_message(WatchTold(changed=True, how=self._library.watching()))

    @work(thread=True, exclusive=True, group="place", exit_on_error=False, description="Looking at this repository")
    def learn_place(self) -> None:
        """Where Refloat was started."""
        self.post_message(PlaceKnown(self._library.place()))

    @work(thread=True, exclusive=True, group="read", exit_on_error=False, description="Reading the session")
    def read(self, name: SessionName, size: int = 0, *, whole: bool = False) -> None:
        """One session, part by part; a part that fails leaves the others. A long one's history comes first; of a huge
        one the rest is read only with `whole`.
        """
        worker = get_current_worker()
        if size >= LONG and not worker.is_cancelled:
            self._try(name, "story", lambda: self._begin_long(name, worker))
            if size >= HUGE and not whole:
                self.post_message(LongTold(name, "unread", 0, size))
                return
            self._wait_for_history(worker)
        with self._one_reading:
            opened = None if worker.is_cancelled else self._open(name, worker, size)
            if opened is None or worker.is_cancelled:
                return
            self.post_message(SessionOpened(name, opened))
            steps: tuple[tuple[str, Callable[[], None]], ...] = (
                ("checkout", lambda: self._say(CheckoutCompared(name, opened.checkout()))),
                ("triage", lambda: self._say(TriageMade(name, opened.triage(), opened.given()))),
                ("brief", lambda: self._say(BriefWritten(name, opened.brief()))),
            )
            for part, make in steps:
                if worker.is_cancelled:
                    return
                self._try(name, part, make)

    @work(thread=True, exclusive=True, group="left", exit_on_error=False, description="Looking where the brief is")
    def look_at_brief(self, opened: Opened) -> None:
        """Whether the brief of its last recovery is where it was told to be."""
        if opened.has_brief_moved():
            self.post_message(StatusTold(opened))

    def _say(self, message: CheckoutCompared | TriageMade | BriefWritten) -> None:
        self.post_message(message)

    def _open(self, name: SessionName, worker: Worker[None], size: int) -> Opened | None:
        opened: list[Opened] = []

        def tell(done: int, of: int) -> None:
            self.post_message(LongTold(name, "reading", done, of))

        def read() -> None:
            if size < LONG:
                opened.append(self._library.open(name))
            else:
                opened.append(self._library.open(name, lambda: worker.is_cancelled, tell))

        self._try(name, "story", read)
        return opened[0] if opened else None

    def _wait_for_history(self, worker: Worker[None]) -> None:
        """Threads that compute share one interpreter: beside a reading the first screen takes many times as long. It
        looks every now and then whether it was cancelled: Textual tells a worker in a thread in no other way.
        """
        end = time.monotonic() + _HISTORY_FIRST
        while not (worker.is_cancelled or self._history_stands.wait(0.1) or time.monotonic() > end):
            pass

    def _begin_long(self, name: SessionName, worker: Worker[None]) -> None:
        self._history_stands.set()
        long = self._library.long_history(name)
        if long is None or worker.is_cancelled:
            return
        self._long = (name, long)
        self._history_stands.clear()
        self.post_message(LongBegun(name, long.size))

    @work(thread=True, exclusive=True, group="stretch", exit_on_error=False, description="Reading the history")
    def find_stretch(self, name: SessionName, ask: Ask) -> None:
        """What a long history's pane asks for."""
        worker = get_current_worker()
        long = self._long[1] if self._long is not None and self._long[0] == name else None

        def find() -> None:
            stretch = long.ask(ask, lambda: worker.is_cancelled) if long is not None else None
            if stretch is not None and not worker.is_cancelled:
                self.post_message(StretchFound(name, ask, stretch))

        self._try(name, "history", find)
        self._history_stands.set()

    @work(thread=True, exclusive=True, group="number", exit_on_error=False, description="Numbering the history")
    def number_long(self, name: SessionName, *, items: bool) -> None:
        """Count the lines of a long history; `items`: and number its items, which takes as long as reading it."""
        worker = get_current_worker()
        if self._long is None or self._long[0] != name:
            return
        long = self._long[1]

        def stop() -> bool:
            return worker.is_cancelled

        long.count(stop, lambda done, of: self._tell_long(name, "counting", done, of))
        if not stop():
            self._tell_long(name, "counting", long.size, long.size)
        if items and not stop() and not long.is_numbered:
            long.number(stop, lambda done, of: self._tell_long(name, "numbering", done, of))
            if long.is_numbered:
                self._tell_long(name, "numbering", long.size, long.size)

    def _tell_long(self, name: SessionName, doing: Literal["counting", "numbering"], done: int, size: int) -> None:
        self.post_message(LongTold(name, doing, done, size))

    def _try(self, name: SessionName, part: str, make: Callable[[], None]) -> None:
        try:
            make()
        except Exception as error:  # noqa: BLE001 - the edge of a worker: one part's fault must not cost the others
            self.post_message(PartFailed(name, part, notice_of(error, f"Reading the {part}")))
            if not isinstance(error, RefloatError):
                self.log(error)

    @work(thread=True, group="answer", exit_on_error=False, description="Keeping the answer")
    def keep_answer(self, name: SessionName, opened: Opened, said: Said) -> None:
        """One answer, with the recovery of its session; one after the other, in the order in which they were given. The
        brief is written anew with it.
        """
        with self._one_answer:
            given = opened.answer(said)
        self.post_message(AnswerKept(name, given))
        self._try(name, "brief", lambda: self._say(BriefWritten(name, opened.brief())))

    @work(thread=True, exclusive=True, group="write", exit_on_error=False, description="Writing the brief")
    def write_brief(self, written: WrittenBrief, path: Path) -> None:
        """The brief to a file."""
        self._library.write_brief(written, path)
        self.post_message(BriefSaved(str(path)))
