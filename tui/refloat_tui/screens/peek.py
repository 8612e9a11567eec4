"""What the terminal of a live session shows, without going there."""

from __future__ import annotations

from typing import ClassVar, Literal

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.getters import query_one
from textual.message import Message
from textual.widgets import Static

from refloat.errors import RefloatError
from refloat.model.session import SessionName
from refloat.model.terminals import Attachment
from refloat.text import inert, inert_line
from refloat_tui.actions import bindings
from refloat_tui.base import RefloatScreen
from refloat_tui.messages import message
from refloat_tui.operations import Operations
from refloat_tui.present import Pieces
from refloat_tui.present.markdown import MarkdownLine
from refloat_tui.theme import Glyphs
from refloat_tui.widgets.cells import content
from refloat_tui.widgets.key_line import KeyLine
from refloat_tui.widgets.text_lines import TextLines


class PeekScreen(RefloatScreen[Literal["attach"]]):
    """The lines of a pane as text; a key looks again. Returns `attach` where the person wants to go there."""

    CSS_PATH = "operation.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("peek")]

    @message
    class Seen(Message, bubble=False):
        """It was looked at (or, `why`, cannot be)."""

        plan: Attachment | None
        why: str = ""

    text = query_one("#screen", TextLines)

    def __init__(self, operations: Operations, session: SessionName, title: str, *, glyphs: Glyphs) -> None:
        super().__init__(glyphs=glyphs)
        self._operations, self._session, self._title = operations, session, title

    def compose(self) -> ComposeResult:
        """Where it is, what it shows, the keys."""
        yield Static(id="question", markup=False)
        yield TextLines(self.glyphs, id="screen")
        yield KeyLine(self.glyphs)

    def on_mount(self) -> None:
        """Look."""
        self.text.focus()
        self._head((("looking" + self.glyphs.ellipsis, "$quiet"),))
        self._look()

    def _head(self, more: Pieces) -> None:
        self.query_one("#question", Static).update(content(((inert_line(self._title), "bold"), ("  ", ""), *more)))

    @work(thread=True, exclusive=True, group="peek", exit_on_error=False, description="Looking at its screen")
    def _look(self) -> None:
        try:
            self.post_message(self.Seen(self._operations.peek(self._session)))
        except RefloatError as error:
            self.post_message(self.Seen(None, str(error)))

    def on_peek_screen_seen(self, event: Seen) -> None:
        """Show it, or where it lives."""
        plan = event.plan
        if plan is None or plan.screen is None:
            self._head((("its screen cannot be shown", "$state-unresolved"),))
            why = event.why if plan is None else plan.refused.why if plan.refused is not None else ""
            place = f"It lives {plan.place.words}." if plan is not None and plan.place is not None else ""
            self.text.take([MarkdownLine(((inert(words), ""),)) for words in (why, place) if words])
            return
        where = f"{plan.place.words}, process {plan.place.pid}" if plan.place is not None else ""
        self._head(((inert_line(where), "$quiet"),))
        notes = plan.place.notes if plan.place is not None else ()
        lines = [MarkdownLine(((inert_line(line), ""),)) for line in plan.screen]
        self.text.take([*lines, *(MarkdownLine(((inert_line(note), "$quiet"),)) for note in notes)])

    def action_peek_again(self) -> None:
        """Look again."""
        self._look()

    def action_peek_attach(self) -> None:
        """Go there."""
        self.dismiss("attach")

    def action_peek_leave(self) -> None:
        """Back."""
        self.dismiss(None)
