"""A wrap as a form: which job, what was done, what for, to whom, what comes next, what nobody checked.

Decides how it is asked. Refuses to seal it: whoever opened the form does, with what comes back.
"""

from collections.abc import Callable, Collection, Mapping
from typing import ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.timer import Timer
from textual.widgets import Static, TextArea

from refloat.text import inert
from refloat.usecases.draft_wrap import FIELDS, WrapField
from refloat_tui.actions import bindings
from refloat_tui.base import RefloatScreen
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import content
from refloat_tui.widgets.key_line import KeyLine

_ASKS: Final[Mapping[WrapField, str]] = {
    "job": "Job",
    "summary": "Done",
    "goal": "Goal",
    "recipient": "For",
    "next_steps": "Next, a line each",
    "not_checked": "Not checked, a line each",
}
_KEEP_AFTER: Final = 0.4
"""Seconds without a key after which what was typed is kept."""

Fields = Mapping[WrapField, str]


class WrapScreen(RefloatScreen[Fields]):
    """Six fields, filled in from the brief. Comes back with what stands in them, or with nothing."""

    CSS = """
    WrapScreen > #wrap-head { height: auto; padding: 0 2; margin: 0 0 1 0; }
    WrapScreen > VerticalScroll { height: 1fr; padding: 0 2; scrollbar-size-vertical: 1; }
    WrapScreen .ask { height: auto; }
    WrapScreen .label { height: 1; color: $quiet; }
    WrapScreen TextArea {
        height: auto; max-height: 8; border: none; padding: 0 1; background: $cursor-blurred; margin: 0 0 1 0;
        scrollbar-size-vertical: 1;
    }
    WrapScreen TextArea:focus { border: none; background: $cursor-ground; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("wrap")]

    def __init__(
        self,
        fields: Fields,
        known: Collection[str],
        keep: Callable[[Fields], None] | None,
        *,
        is_session: bool,
        glyphs: Glyphs,
    ) -> None:
        super().__init__(glyphs=glyphs)
        self._begun = dict(fields)
        self._known = known
        self._keep = keep
        self._is_session = is_session
        self._timer: Timer | None = None
        self._kept = dict(fields)

    def compose(self) -> ComposeResult:
        """What will come of it, and the fields."""
        yield Static(id="wrap-head", markup=False)
        with VerticalScroll(can_focus=False):
            for name in FIELDS:
                with Vertical(classes="ask"):
                    yield Static(_ASKS[name], classes="label", markup=False)
                    yield TextArea(
                        inert(self._begun.get(name, "")),
                        soft_wrap=True,
                        show_line_numbers=False,
                        compact=True,
                        tab_behavior="focus",
                        id=f"wrap-{name}",
                    )
        yield KeyLine(self.glyphs)

    def on_mount(self) -> None:
        """Begin with what was done: it is what a reader wants first."""
        self._field("summary").focus()
        self._draw()

    def _field(self, name: WrapField) -> TextArea:
        return self.query_one(f"#wrap-{name}", TextArea)

    @property
    def fields(self) -> Fields:
        """What stands in the fields."""
        return {name: self._field(name).text for name in FIELDS}

    def _draw(self) -> None:
        job = self._field("job").text.strip()
        if not job:
            words = "Name the job first."
        elif job in self._known:
            words = f"Sealed into the chain of {inert(job)}: nobody can change it afterwards without being seen."
        elif self._is_session:
            words = f"There is no job {inert(job)} yet: it begins with this session's steps, as a reconstruction."
        else:
            words = f"There is no job {inert(job)}."
        self.query_one("#wrap-head", Static).update(content((("Hand over", "bold $accent"), (f"   {words}", "$quiet"))))

    def why_not(self, action: str) -> str | None:
        """A wrap says what was done, on a job."""
        if action != "wrap_seal" or not self.is_mounted:
            return None
        if not self._field("summary").text.strip():
            return "Say first what was done."
        job = self._field("job").text.strip()
        if not job:
            return "Name the job first."
        return None if job in self._known or self._is_session else "There is no job of that name: J lists every one."

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Say what comes of it now; keep it when the keys rest."""
        event.stop()
        if event.text_area.id in {"wrap-job", "wrap-summary"}:
            self._draw()
            self.refresh_bindings()
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_KEEP_AFTER, self._keep_now)

    def _keep_now(self) -> None:
        fields = dict(self.fields)
        if self._keep is not None and fields != self._kept:
            self._kept = fields
            self._keep(fields)

    def action_wrap_next(self) -> None:
        """The next field."""
        self.focus_next(TextArea)

    def action_wrap_before(self) -> None:
        """The field before."""
        self.focus_previous(TextArea)

    def action_wrap_seal(self) -> None:
        """Seal it."""
        if (why := self.why_not("wrap_seal")) is not None:
            self.tell(why)
            return
        self._keep_now()
        self.dismiss(self.fields)

    def action_wrap_leave(self) -> None:
        """Leave it unsealed."""
        self._keep_now()
        self.dismiss(None)
