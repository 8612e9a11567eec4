"""What the wizard does to the outside: a confirmed look, a file, the clipboard. Each says first what it will do.

Decides how it is asked. Refuses to decide whether: a person does.
"""

import shlex

from textual import work
from textual.getters import query_one
from textual.message import Message

from refloat.errors import RefloatError
from refloat.model.brief import BriefPreview
from refloat.model.recovery import ChosePath, Said, WroteTo
from refloat.text import inert
from refloat.usecases.hold_session import Held
from refloat.usecases.probe import Look
from refloat.usecases.recover import Recovery, Uncertain, uncertain_rows
from refloat_tui.clipboard import COPIED, COPIED_BY_TERMINAL, copy_locally
from refloat_tui.messages import message
from refloat_tui.operations import Asked, Operations
from refloat_tui.present.age import local_times
from refloat_tui.present.markdown import MarkdownLine, markdown_lines
from refloat_tui.present.path import from_home, homes_shortened
from refloat_tui.present.preview import preview_pieces
from refloat_tui.present.recovered import replacing
from refloat_tui.screens.confirm import Confirm
from refloat_tui.screens.operation import OperationScreen
from refloat_tui.screens.operation_work import Done
from refloat_tui.screens.text import TextScreen
from refloat_tui.screens.wizard.keeping import Keeping
from refloat_tui.screens.wizard.rows import PageRows
from refloat_tui.widgets.words import Words

PATH = "path"
"""The key of the field that asks for a path."""


class Outside(Keeping):
    """A screen with a list of rows and a field for words."""

    @message
    class Planned(Message, bubble=False):
        """It is known whether a look can be run, and where."""

        row: Uncertain
        look: Look

    @message
    class Probed(Message, bubble=False):
        """A look was run."""

        said: Said | None
        why: str | None = None

    @message
    class Copied(Message, bubble=False):
        """The text is on the desktop's clipboard, where there is one (`local`)."""

        text: str
        local: bool

    @message
    class Put(Message, bubble=False):
        """The brief is in a file (or, `why`, is not)."""

        recovery: Recovery | None
        why: str | None = None

    @message
    class Previewed(Message, bubble=False):
        """What of the brief is masked, and what of it will age (or, `why`, cannot be told)."""

        preview: BriefPreview | None
        why: str | None = None

    rows = query_one("#page-rows", PageRows)
    words = query_one(Words)

    _probing = False
    _operations: Operations | None = None

    def _uncertain(self) -> Uncertain | None:
        if self._recovery is None:
            return None
        key = self.rows.cursor_key
        return next((row for row in uncertain_rows(self._recovery) if row.key == key), None)

    def action_wizard_probe(self) -> None:
        """Show the exact command, and run it on a yes."""
        row = self._uncertain()
        if row is not None and row.probe is not None:
            self._plan_now(row)

    @work(thread=True, exclusive=True, group="plan", exit_on_error=False, description="Looking whether it can be run")
    def _plan_now(self, row: Uncertain) -> None:
        """Whether a look can be run is asked of git, which may be slow."""
        if self._rescue is not None:
            self.post_message(self.Planned(row, self._rescue.look(row)))

    def on_outside_planned(self, event: Planned) -> None:
        """Say why it cannot be run, or ask."""
        row, look = event.row, event.look
        if look.why_not is not None:
            self.tell(inert(look.why_not))
            return
        if self.app.screen is not self or self._uncertain() != row:
            return  # the person went on meanwhile
        ask = Confirm(
            f"Run this read-only command now?\n\n  {shlex.join(look.argv)}\n",
            f"In {look.place}, for 20 seconds at most. It asks; it changes nothing.",
            glyphs=self.glyphs,
        )

        def heard(yes: bool | None) -> None:
            if yes:
                self._probing = True
                self._probe_now(row)
                self.tell("Looking" + self.glyphs.ellipsis)

        self.app.push_screen(ask, heard)

    @work(thread=True, exclusive=True, group="probe", exit_on_error=False, description="The look")
    def _probe_now(self, row: Uncertain) -> None:
        if self._rescue is None:
            return
        try:
            self.post_message(self.Probed(self._rescue.probe(row)))
        except RefloatError as error:
            self.post_message(self.Probed(None, str(error)))

    def on_outside_probed(self, event: Probed) -> None:
        """Show what it said."""
        self._probing = False
        self.hush()
        if event.why is not None:
            self.tell(inert(event.why), bad=True)
        self._hear(event.said)

    def action_wizard_write(self) -> None:
        """Say the path first; it can be changed."""
        if self._recovery is not None:
            self.words.open(
                PATH, "Write it to this file", from_home(self._path(self._recovery), self._home), lines=False
            )

    def _write_to(self, text: str) -> None:
        if self._rescue is None or self._recovery is None or not text:
            return
        path = self._rescue.resolve(text)
        if str(path) != self._path(self._recovery):
            self._hear(ChosePath(str(path)))
        if not (self._rescue.is_there(path) and self._rescue.may_be_written(path)):
            self._put_now(self._recovery, str(path), overwrite=False)
            return

        def heard(yes: bool | None) -> None:
            if yes and self._recovery is not None:
                self._put_now(self._recovery, str(path), overwrite=True)
            elif not yes:
                self.tell(f"{inert(path.name)} stays as it is, and nothing was written. w names another file.")

        ask = Confirm(*replacing(path, self._rescue.whose(path)), glyphs=self.glyphs)
        self.app.push_screen(ask, heard)

    @work(thread=True, exclusive=True, group="put", exit_on_error=False, description="Writing the file")
    def _put_now(self, recovery: Recovery, path: str, *, overwrite: bool) -> None:
        if self._rescue is None:
            return
        try:
            done = self._rescue.put(recovery, self._rescue.resolve(path), overwrite=overwrite)
        except RefloatError as error:
            self.post_message(self.Put(None, str(error)))
        else:
            self.post_message(self.Put(done))

    def on_outside_put(self, event: Put) -> None:
        """Say where it is."""
        if event.recovery is None or self._recovery is None:
            self.tell(inert(event.why or "The brief could not be written."), bad=True)
            return
        written = event.recovery.given.written
        if written is not None:
            self._hear(WroteTo(*written))
            self.tell(f"Written to {from_home(written[0], self._home)}. Enter leaves; n shows how to go on with it.")

    def action_wizard_copy(self) -> None:
        """The whole brief, masked."""
        if self._written is not None and self._rescue is not None:
            self._copy_now(self._written.markdown)

    @work(thread=True, exclusive=True, group="copy", exit_on_error=False, description="Copying")
    def _copy_now(self, text: str) -> None:
        if self._rescue is not None:
            self.post_message(self.Copied(text, copy_locally(text, self._rescue.environment)))

    def on_outside_copied(self, event: Copied) -> None:
        """The terminal comes last: it is the one that still has it when Refloat is gone."""
        self.app.copy_to_clipboard(event.text)
        self.tell(COPIED if event.local else COPIED_BY_TERMINAL)

    def action_wizard_preview(self) -> None:
        """What of the brief is masked, and what of it will age."""
        if self._recovery is not None:
            self._preview_now(self._recovery)

    @work(thread=True, exclusive=True, group="preview", exit_on_error=False, description="The preview")
    def _preview_now(self, recovery: Recovery) -> None:
        if self._rescue is None:
            return
        try:
            self.post_message(self.Previewed(self._rescue.preview(recovery)))
        except RefloatError as error:
            self.post_message(self.Previewed(None, str(error)))

    def on_outside_previewed(self, event: Previewed) -> None:
        """Show it over everything."""
        if event.preview is None:
            self.tell(inert(event.why or "The preview could not be made."), bad=True)
            return
        lines = [MarkdownLine(pieces) for pieces in preview_pieces(event.preview, self._home)]
        heading = (("Before it leaves: what is masked, and what will age", "bold"),)
        self.app.push_screen(TextScreen(heading, lines, glyphs=self.glyphs))

    def action_wizard_command(self) -> None:
        """Start the next session with the brief: the same question as on the desk."""
        rescue, recovery = self._rescue, self._recovery
        if self._operations is None or rescue is None or recovery is None or recovery.given.written is None:
            return
        asked = Asked("new", rescue.session.name, brief=rescue.resolve(recovery.given.written[0]))
        holding = rescue.holding
        aside = holding.release if holding is not None else lambda: None
        question = OperationScreen(self._operations, asked, glyphs=self.glyphs, home=str(rescue.home), step_aside=aside)

        def heard(done: Done | None) -> None:
            self._take_back()
            if done is not None:
                self.tell(done.words, bad=done.bad)

        self.app.push_screen(question, heard)

    @work(thread=True, exclusive=True, group="take-back", exit_on_error=False, description="Holding the session again")
    def _take_back(self) -> None:
        """The agent that was started may hold the session by now: then it is theirs."""
        if self._rescue is None or self._rescue.holding is None or self._rescue.why_memory is not None:
            return
        try:
            self._rescue.holding.take()
        except Held as held:
            self.post_message(self.LostTo(held.lease))

    def action_wizard_brief(self) -> None:
        """The brief over everything."""
        if self._written is not None:
            lines = markdown_lines(local_times(homes_shortened(self._written.markdown, self._home)), self.glyphs)
            self.app.push_screen(TextScreen((("The brief so far", "bold"),), lines, glyphs=self.glyphs))
