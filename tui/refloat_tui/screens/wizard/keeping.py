"""What the wizard keeps: the recovery, its place in the record, and the brief as it is now.

Decides when something is saved and the brief is written anew. Refuses to draw: a subclass has `show`. Every worker
ends in one message, and nothing but the handler of that message changes the state.
"""

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual import work
from textual.message import Message
from textual.worker import get_current_worker

from refloat.errors import RefloatError
from refloat.model.brief import WrittenBrief
from refloat.model.record import Lease
from refloat.model.recovery import Draft, Said
from refloat.model.stamp import Stamp
from refloat.text import cut, inert, one_line
from refloat.usecases.hold_session import BEAT, Held
from refloat.usecases.keep_draft import DraftMoved, Kept
from refloat.usecases.recover import Recovery, answer
from refloat.usecases.rescue import Rescue
from refloat_tui.base import RefloatScreen
from refloat_tui.messages import message
from refloat_tui.present.age import clock_time
from refloat_tui.present.holder import holder_words
from refloat_tui.present.path import from_home
from refloat_tui.screens.confirm import Confirm
from refloat_tui.screens.wizard.farewell import Farewell
from refloat_tui.theme import Glyphs

LOOK = 1.0
"""Seconds between two looks whether somebody took the session over; each answer looks, too."""
RESTS = 2.0
"""Seconds until an answer that a key came to is told as a step, where nothing else is done before."""


class Keeping(RefloatScreen[Farewell]):
    """A screen that holds a recovery."""

    @message
    class TakenUp(Message, bubble=False):
        """The recovery stands ready."""

        rescue: Rescue
        kept: Kept
        moved: bool = False
        """Somebody without a claim answered meanwhile: theirs stands, and the one that was refused does not."""

    @message
    class HeldBy(Message, bubble=False):
        """Somebody else is at it."""

        rescue: Rescue
        lease: Lease

    @message
    class LostTo(Message, bubble=False):
        """Somebody took it over."""

        lease: Lease

    @message
    class Failed(Message, bubble=False):
        """It cannot be taken up."""

        why: str

    @message
    class Saved(Message, bubble=False):
        """What was said is on disk (or, `why`, is not)."""

        at: Stamp | None
        why: str | None = None
        moved: bool = False
        """Somebody else answered meanwhile."""

    @message
    class Drawn(Message, bubble=False):
        """The brief says what was said."""

        recovery: Recovery
        written: WrittenBrief | None
        why: str | None = None

    def __init__(self, open_rescue: Callable[[], Rescue], *, glyphs: Glyphs) -> None:
        super().__init__(glyphs=glyphs)
        self._open_rescue = open_rescue
        self._rescue: Rescue | None = None
        self._recovery: Recovery | None = None
        self._saved: Recovery | None = None
        """The newest that is on its way to the disk, or there."""
        self._stands: Recovery | None = None
        """The newest that is there."""
        self._saved_at: Stamp | None = None
        self._unsaved_why: str | None = None
        self._saving = False
        self._typing = False
        """What was said last are words that are not at their end yet, or one of several answers on the way."""
        self._untold = False
        """What was said is saved, and no step tells it yet."""
        self._farewell: Farewell | None = None
        self._written: WrittenBrief | None = None
        self._drawing: Recovery | None = None
        """What the running worker writes the brief of."""
        self._before: Draft | None = None
        """The recovery that was finished last, as long as nothing is said in this one."""
        self._lost: Lease | None = None
        """Who took it over, until it is taken back."""
        self._unkept = ""
        """Words that were typed when it was taken over."""
        self._beats = False
        self._changed: tuple[str, ...] = ()
        """What moved since the last answers, until it is passed by."""

    if TYPE_CHECKING:  # the wizard's screen has all three

        def show(self, *, fresh: bool = False) -> None:
            """Draw everything anew. `fresh`: the page has just been come to."""

        def show_saved(self) -> None:
            """Draw when it was saved."""

        def refuse(self, why: str) -> None:
            """Say that there is nothing to recover."""

        def warn_typing(self) -> str:
            """Say in an open field that it is not kept; the words of one that was just left."""
            ...

    @property
    def _home(self) -> str:
        return "" if self._rescue is None else str(self._rescue.home)

    def _path(self, recovery: Recovery) -> str:
        if recovery.given.path is not None or self._rescue is None:
            return recovery.given.path or ""
        return str(self._rescue.usual_path())

    @work(thread=True, exclusive=True, group="take-up", exit_on_error=False, description="Taking up the recovery")
    def _take_up(self, rescue: Rescue | None = None) -> None:
        """With a `rescue`: it is taken over from whoever holds it."""
        worker, force = get_current_worker(), rescue is not None
        try:
            rescue = rescue or self._open_rescue()
            try:
                if rescue.holding is not None and rescue.why_memory is None:
                    rescue.holding.take(force=force)
            except Held as held:
                self.post_message(self.HeldBy(rescue, held.lease))
                return
            self.post_message(self.TakenUp(rescue, rescue.take_up()))
            if worker.is_cancelled and rescue.holding is not None:
                rescue.holding.release()
        except RefloatError as error:
            self.post_message(self.Failed(str(error)))

    def on_keeping_held_by(self, event: HeldBy) -> None:
        """Say who, and ask whether it is to be taken over."""
        who = holder_words(event.lease)
        self._ask_for(event.rescue, event.lease, lambda: self.dismiss(Farewell(f"Left to them: {who}.")))

    def _ask_for(self, rescue: Rescue, lease: Lease, leave: Callable[[], object]) -> None:
        ask = Confirm(
            f"{holder_words(lease)}.",
            "y takes it over: they are told, and it is recorded. n or enter leaves it to them.",
            glyphs=self.glyphs,
        )

        def heard(yes: bool | None) -> None:
            if yes:
                self._take_up(rescue)
            else:
                leave()

        self.app.push_screen(ask, heard)

    def action_wizard_retake(self) -> None:
        """Ask whether it is to be taken back from whoever took it over."""
        if self._rescue is not None and self._lost is not None:
            self._ask_for(self._rescue, self._lost, lambda: None)

    @work(thread=True, exclusive=True, group="beat", exit_on_error=False, description="Holding the session")
    def _beat(self) -> None:
        if self._rescue is None or self._rescue.holding is None:
            return
        try:
            taker = self._rescue.holding.renew()
        except RefloatError as error:  # the lease runs on for a while; the next beat asks again
            self.log(error)
            return
        if taker is not None:
            self.post_message(self.LostTo(taker))

    @work(thread=True, exclusive=True, group="look", exit_on_error=False, description="Looking who holds the session")
    def _look_who(self) -> None:
        if self._rescue is None or self._rescue.holding is None or self._lost is not None:
            return
        try:
            taker = self._rescue.holding.taker()
        except RefloatError as error:  # the next look asks again, and each answer does
            self.log(error)
            return
        if taker is not None:
            self.post_message(self.LostTo(taker))

    def on_keeping_lost_to(self, event: LostTo) -> None:
        """Say so for as long as it is so; what stands here is what was saved, and nothing more is taken."""
        if self._lost is not None:
            return
        self._lost, self._unkept = event.lease, self.warn_typing()
        self._recovery = self._saved = self._stands
        self._typing = self._untold = False
        self.app.clear_notifications()
        if self.app.screen is not self:  # above the page it stands for as long as it is so
            self.tell(self.lost_words(), bad=True)
        self.show()
        self._draw_brief()

    def lost_words(self) -> str:
        """Who took it over, and what that means here; "" where nobody did."""
        if self._lost is None:
            return ""
        unkept = f" Not kept: {cut(one_line(self._unkept), 200)}." if self._unkept.strip() else ""
        return f"{holder_words(self._lost)}: nothing you say here is kept.{unkept} T takes it back, ^c leaves."

    def on_unmount(self) -> None:
        """Give the session back. In a thread of its own: workers of a screen that goes are not waited for."""
        if self._rescue is not None and self._rescue.holding is not None:
            release = threading.Thread(target=self._rescue.holding.release, name="release")
            try:
                release.start()
            except RuntimeError:  # none can be had: the screen goes a moment later
                release.run()

    def on_keeping_taken_up(self, event: TakenUp) -> None:
        """Show where the person stood."""
        self._rescue, kept = event.rescue, event.kept
        self._recovery = self._saved = self._stands = kept.recovery
        self._lost, self._unsaved_why, self._unkept = None, None, ""
        self._saved_at, self._before = kept.draft.updated_at, kept.before
        self._changed = kept.recovery.changed
        if event.rescue.why_memory is not None:
            self.tell(inert(event.rescue.why_memory), bad=True)
        elif event.moved:
            self.tell("It was answered elsewhere meanwhile: what stands here is that. Say yours again.", bad=True)
        elif kept.resumed:
            again = f"Taken up again; last answer {clock_time(kept.draft.updated_at)}."
            carried = "It begins with the answers of the recovery that was finished before."
            if kept.before is not None and kept.before.given.written is not None:
                carried += self._brief_before(kept.before.given.written[0])
            self.tell(again if kept.draft.revision > 1 else carried)
        if not self._beats:
            self._beats = True
            self.set_interval(BEAT, self._beat)
            self.set_interval(LOOK, self._look_who)
        self.show(fresh=True)
        self._draw_brief()

    def _brief_before(self, path: str) -> str:
        """Where the brief of the recovery before is, or what stands in its place."""
        instead = None if self._rescue is None else self._rescue.instead(Path(path))
        where = from_home(path, self._home)
        if instead is None:
            return f" Its brief: {where}."
        return (
            f" Its brief is gone: {instead} stands in {where} now." if instead else f" Its brief is gone from {where}."
        )

    def on_keeping_failed(self, event: Failed) -> None:
        """Say why, and leave only by a key."""
        self.refuse(event.why)

    def _hear(self, said: Said | None, *, typing: bool = False, rounds: bool = False) -> None:
        """Take one more thing that was said: change, show, save. With `rounds` it is one of several that a key goes
        through: a step tells of the one that it comes to rest on.
        """
        if said is None or self._recovery is None:
            return
        if self._lost is not None:
            self.tell(self.lost_words(), bad=True)
            return
        self._typing = typing or rounds
        self._recovery = answer(self._recovery, said)
        self.show()
        self._save()
        self._draw_brief()
        if rounds:
            self.set_timer(RESTS, partial(self._rest, self._recovery))

    def _rest(self, recovery: Recovery) -> None:
        if recovery is self._recovery:
            self._settle()

    def _save(self) -> None:
        if self._recovery is None or self._saving or self._lost is not None:
            return
        if self._recovery is self._saved and (self._typing or not self._untold):
            return
        self._saving, self._saved, self._untold = True, self._recovery, self._typing
        self._save_now(self._recovery, done=self._farewell is not None and self._finished, typing=self._typing)

    def _settle(self) -> None:
        """The words that were typed are at their end, or the answer is come to."""
        self._typing = False
        self._save()

    @property
    def _finished(self) -> bool:
        return self._farewell is not None and self._farewell.written is not None

    @work(thread=True, group="save", exit_on_error=False, description="Saving the answer")
    def _save_now(self, recovery: Recovery, *, done: bool, typing: bool) -> None:
        if self._rescue is None:
            return
        try:
            kept = self._rescue.save(recovery, done=done, typing=typing)
        except Held as held:
            self.post_message(self.LostTo(held.lease))
            self.post_message(self.Saved(None))
        except RefloatError as error:
            self.post_message(self.Saved(None, str(error), isinstance(error, DraftMoved)))
        else:
            self.post_message(self.Saved(kept.draft.updated_at))

    def on_keeping_saved(self, event: Saved) -> None:
        """Say when; save what was said meanwhile; leave if that was asked."""
        self._saving = False
        if event.why is not None and event.why != self._unsaved_why:
            self.tell(inert(event.why), bad=True)
        self._unsaved_why = event.why
        if event.at is not None:
            self._saved_at, self._stands, self._before = event.at, self._saved, None
        self.show_saved()
        if event.moved and self._farewell is None:
            self._read_again()
            return
        self._save()
        if self._farewell is not None and not self._saving:
            self._go(self._farewell)

    @work(thread=True, exclusive=True, group="take-up", exit_on_error=False, description="Reading the answers again")
    def _read_again(self) -> None:
        if self._rescue is None:
            return
        try:
            self.post_message(self.TakenUp(self._rescue, self._rescue.take_up(), moved=True))
        except RefloatError as error:
            self.log(error)  # the next answer says why

    def _go(self, farewell: Farewell) -> None:
        """Leave, and say what is not kept of what was said."""
        lost = "" if self._lost is None else f"{holder_words(self._lost)}: nothing you said since is kept."
        unsaved = "" if self._unsaved_why is None else f"Your last answer is not saved: {inert(self._unsaved_why)}."
        if (not_kept := lost or unsaved) and farewell.written is None:
            farewell = Farewell(f"{not_kept} {farewell.sentence}", on_desk=not_kept)
        self.dismiss(farewell)

    def _draw_brief(self) -> None:
        if self._recovery is not None and self._drawing is None:
            self._drawing = self._recovery
            self._draw_now(self._recovery)

    @work(thread=True, group="brief", exit_on_error=False, description="Writing the brief")
    def _draw_now(self, recovery: Recovery) -> None:
        if self._rescue is None:
            return
        try:
            written = self._rescue.brief(recovery)
        except RefloatError as error:
            self.post_message(self.Drawn(recovery, None, str(error)))
        else:
            self.post_message(self.Drawn(recovery, written))

    def on_keeping_drawn(self, event: Drawn) -> None:
        """Show it; draw again where more was said meanwhile."""
        self._drawing = None
        if event.why is not None:
            self.tell(inert(event.why), bad=True)
            return
        self._written = event.written
        self.show()
        if event.recovery is not self._recovery:
            self._draw_brief()

    def _leave(self, farewell: Farewell) -> None:
        self._farewell, self._typing = farewell, False
        if self._saving:
            return
        self._save()
        if not self._saving:
            self._go(farewell)
