"""A field for a person's words: enter keeps, ctrl+j begins a new line where there may be several, esc leaves it."""

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.getters import query_one
from textual.message import Message
from textual.widgets import Static, TextArea

from refloat_tui.messages import message


class _Area(TextArea):
    """A text area whose enter and escape belong to the field around it."""

    async def _on_key(self, event: events.Key) -> None:
        field = self.query_ancestor(Words)
        if field.is_open and event.key not in {"enter", "escape", "ctrl+j"}:
            await super()._on_key(event)
            return
        event.stop()
        event.prevent_default()
        if not field.is_open:
            field.pass_on(event)
        elif event.key != "ctrl+j":
            field.leave(kept=event.key == "enter")
        elif field.lines:
            self.insert("\n")

    def action_delete_to_start_of_line(self) -> None:
        """To the start of the line as it was typed: how it is wrapped on the screen is no end of anything."""
        row, column = self.selection.end
        if column:
            self._delete_via_keyboard((row, 0), (row, column))
        else:
            super().action_delete_to_start_of_line()

    def action_delete_to_end_of_line(self) -> None:
        """To its end."""
        row, column = self.selection.end
        self._delete_via_keyboard((row, column), (row, len(self.document.get_line(row))))


class Words(Vertical):
    """The field. Hidden until `open`."""

    DEFAULT_CSS = """
    Words {
        display: none;
        height: auto;
        border-top: solid $rule;
        padding: 0 1;
        #words-label { height: auto; max-height: 2; color: $quiet; }
        TextArea {
            height: auto;
            max-height: 6;
            border: none;
            padding: 0;
            background: $cursor-ground;
            scrollbar-size-vertical: 1;
        }
        &.-open { display: block; }
    }
    """

    @message
    class Typed(Message):
        """The words changed."""

        key: str
        text: str

    @message
    class Left(Message):
        """The person is done with the field."""

        key: str
        text: str
        kept: bool
        """Left with enter."""
        changed: bool
        """Since it was opened."""

    area = query_one(_Area)
    label = query_one("#words-label", Static)

    def __init__(self) -> None:
        super().__init__()
        self.key = ""
        self.lines = False
        self._begun = ""
        self._seen = ""
        self._late: list[events.Key] = []
        """Keys that came after it was left, while it had the focus still."""
        self._passed: list[events.Key] | None = None
        """Those that were passed on; None until somebody else is asked to take the focus."""

    def compose(self) -> ComposeResult:
        """A label and the text."""
        yield Static(id="words-label")
        yield _Area("", soft_wrap=True, show_line_numbers=False, compact=True, tab_behavior="focus", id="words-text")

    @property
    def is_open(self) -> bool:
        """Whether somebody types."""
        return self.has_class("-open")

    def open(self, key: str, label: str, text: str, *, lines: bool) -> None:
        """Show it for a row, with these words in it, and take the keys."""
        self.key, self.lines = key, lines
        self._begun = self._seen = text
        self._late, self._passed = [], None
        hint = "enter keeps, ^j new line, esc back" if lines else "enter keeps, esc back"
        self.label.update(Content.assemble((label, "bold"), (f"   {hint}", "$faint")))
        self.area.load_text(text)
        self.area.move_cursor(self.area.document.end)
        self.add_class("-open")
        self.area.focus()

    def warn(self, words: str) -> None:
        """Say above the words what becomes of them."""
        self.label.update(Content.assemble((words, "bold $state-failed"), ("   esc back", "$faint")))

    def leave(self, *, kept: bool) -> None:
        """Hide it and say so."""
        if (left := self.close(kept=kept)) is not None:
            self.post_message(left)

    def close(self, *, kept: bool) -> Left | None:
        """Hide it; what there is to say, None where nobody typed."""
        if not self.is_open:
            return None
        self.remove_class("-open")
        text = self.area.text
        return self.Left(self.key, text, kept, text != self._begun)

    def let_go(self) -> None:
        """Somebody else was asked to take the focus: what came too late goes there, and what still comes."""
        late, self._late, self._passed = self._late, [], []
        for key in late:
            self.pass_on(key)

    def pass_on(self, key: events.Key) -> None:
        """A key that came after it was left: it is for whatever has the focus next."""
        if self._passed is None:
            self._late.append(key)
        elif not any(key is known for known in self._passed):  # nobody took the focus: it would come for ever
            # From the app, as those of the terminal are: a screen's own message does not rise past the screen, and what
            # keys are bound to is looked up above it.
            again = events.Key(key.key, key.character).set_sender(self.app)
            self._passed.append(again)
            self.app.post_message(again)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Tell the words as they are typed. Loading them is no typing."""
        event.stop()
        text = self.area.text
        if self.is_open and text != self._seen:
            self._seen = text
            if not self.lines and "\n" in text:  # pasted
                self.area.text = text = " ".join(text.split("\n"))
                self._seen = text
            self.post_message(self.Typed(self.key, text))
