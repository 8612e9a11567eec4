"""One job on the whole screen, whatever session it belongs to."""

from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType

from refloat.model.stamp import Stamp
from refloat.usecases.draft_wrap import FIELDS
from refloat_tui.actions import bindings
from refloat_tui.library import Library, SavedRecord
from refloat_tui.screens.record_asks import RecordAsks
from refloat_tui.screens.wrap import Fields
from refloat_tui.screens.wrap_asks import WrapWanted
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.key_line import KeyLine
from refloat_tui.widgets.panes import Unreachable
from refloat_tui.widgets.record_pane import RecordPane

_LOOK_EVERY: Final = 2.5


class JobScreen(RecordAsks[None]):
    """A Record pane of its own, kept up to date."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("job")]

    def __init__(self, library: Library, job: str, *, glyphs: Glyphs) -> None:
        super().__init__(glyphs=glyphs)
        self._library = library
        self._job = job

    def compose(self) -> ComposeResult:
        """The pane, the keys."""
        yield RecordPane(self.glyphs, id="record", job=self._job)
        yield KeyLine(self.glyphs)

    def on_mount(self) -> None:
        """Read it, and look again while it is shown."""
        pane = self.record_pane
        pane.say(((f"Reading the record{self.glyphs.ellipsis}", "$quiet"),))
        self.look_at_record(anew=True)
        self.set_interval(_LOOK_EVERY, lambda: self.look_at_record(anew=False))
        pane.chain.focus()

    @property
    def record(self) -> SavedRecord:
        """The record."""
        return self._library.saved

    def record_now(self) -> Stamp:
        """The time."""
        return self._library.now()

    def wrap_wanted(self, job: str | None) -> WrapWanted | None:
        """A wrap of this job: its goal goes on."""
        trail = self.record_pane.trail

        def draft(name: str | None) -> Fields:
            fields = dict.fromkeys(FIELDS, "")
            fields["job"] = name or ""
            fields["goal"] = (trail.goal or "") if trail is not None else ""
            return fields

        return WrapWanted(None, draft, None, job)

    def on_unreachable(self, event: Unreachable) -> None:
        """Say why."""
        event.stop()
        self.tell(event.why)

    def action_job_leave(self) -> None:
        """Back."""
        self.workers.cancel_group(self, "verify")
        self.dismiss(None)
