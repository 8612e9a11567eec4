"""What the panes of the desk ask for: a text on the whole screen, a copy, a file, an answer kept, a reason told.

Decides how each is asked back and done. Refuses to know what is chosen or read: the desk does.
"""

import os
from pathlib import Path

from textual import on

from refloat.model.recovery import MovedTo
from refloat.model.session import SessionName
from refloat_tui.screens.confirm import Confirm
from refloat_tui.screens.desk_work import DeskWork
from refloat_tui.screens.move import MoveFinding
from refloat_tui.screens.text import item_screen
from refloat_tui.widgets.brief_pane import BriefPane
from refloat_tui.widgets.detail import Detail
from refloat_tui.widgets.history_pane import HistoryPane
from refloat_tui.widgets.panes import Unreachable
from refloat_tui.widgets.triage_pane import TriagePane


class DeskAsks(DeskWork):
    """A screen with a `Detail` that answers what its panes ask for."""

    _chosen: SessionName | None = None

    @property
    def _detail(self) -> Detail:
        return self.query_one(Detail)

    @on(TriagePane.Said)
    def _keep(self, event: TriagePane.Said) -> None:
        event.stop()
        if self._chosen is not None and self._detail.opened is not None:
            self.keep_answer(self._chosen, self._detail.opened, event.said)

    @on(TriagePane.AskedToMove)
    def _ask_where_to(self, event: TriagePane.AskedToMove) -> None:
        event.stop()
        name, opened = self._chosen, self._detail.opened

        def answered(said: MovedTo | None) -> None:
            if said is not None and name is not None and opened is not None:
                self.keep_answer(name, opened, said)

        self.app.push_screen(MoveFinding(event.card, glyphs=self.glyphs), answered)

    @on(Unreachable)
    def _say_why(self, event: Unreachable) -> None:
        event.stop()
        self.tell(event.why)

    @on(HistoryPane.Asked)
    def _show_item(self, event: HistoryPane.Asked) -> None:
        self.app.push_screen(item_screen(event.item, self.glyphs))

    @on(BriefPane.Copy)
    def _copy_brief(self, event: BriefPane.Copy) -> None:
        self.app.copy_to_clipboard(event.written.markdown)
        self.tell("The brief is copied.")

    @on(BriefPane.Write)
    def _ask_to_write(self, event: BriefPane.Write) -> None:
        session = self._detail.session
        if session is None:
            return
        from refloat.usecases.put_brief import usual_path

        path = usual_path(session, Path.cwd())
        if not os.path.lexists(path):
            self.write_brief(event.written, path)
            return
        question = Confirm(
            f"Replace {path}?",
            "There is a file of that name. The brief takes its place, readable for you alone.",
            glyphs=self.glyphs,
        )

        def answered(yes: bool | None) -> None:
            if yes:
                self.write_brief(event.written, path)

        self.app.push_screen(question, answered)
