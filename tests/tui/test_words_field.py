"""The field for a person's words: what is pressed while it closes is lost nowhere."""

from tests.tui.waiting import until
from textual import events
from textual.app import App, ComposeResult
from textual.screen import Screen
from textual.widgets import OptionList, TextArea

from refloat_tui.theme import THEMES
from refloat_tui.widgets.words import Words


class FormScreen(Screen[None]):
    """A list, and a field below it. The screen hears of both, as the wizard's does."""

    def __init__(self, *, takes_focus: bool) -> None:
        super().__init__()
        self.takes_focus = takes_focus
        self.kept: list[str] = []
        self.picked: list[int] = []

    def compose(self) -> ComposeResult:
        yield OptionList("one", "two", "three")
        yield Words()

    def on_words_left(self, event: Words.Left) -> None:
        self.kept.append(event.text)
        if self.takes_focus:
            self.query_one(OptionList).focus()
        self.query_one(Words).let_go()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.picked.append(event.option_index)


class Form(App[None]):
    """The screen alone."""

    def __init__(self, *, takes_focus: bool = True) -> None:
        super().__init__()
        self.register_theme(THEMES[0])
        self.theme = THEMES[0].name
        self.form = FormScreen(takes_focus=takes_focus)

    def on_mount(self) -> None:
        self.push_screen(self.form)


def press_at_field(form: FormScreen, *keys: str) -> None:
    """Keys that Textual handed to the field, because it had the focus when they came."""
    area = form.query_one(TextArea)
    for key in keys:
        area.post_message(events.Key(key, key if len(key) == 1 else None))


async def test_what_is_pressed_while_it_closes_goes_to_what_has_the_focus_next() -> None:
    app = Form()
    form = app.form
    async with app.run_test() as pilot:
        form.query_one(Words).open("note", "Your note", "kept", lines=False)
        await pilot.pause()
        press_at_field(form, "enter", "down", "enter")
        await until(pilot, lambda: form.picked)
        assert form.kept == ["kept"]
        assert form.picked == [1]
        assert form.query_one(TextArea).text == "kept"


async def test_a_key_that_is_for_nobody_goes_round_once() -> None:
    app = Form(takes_focus=False)
    form = app.form
    async with app.run_test() as pilot:
        words = form.query_one(Words)
        words.open("note", "Your note", "", lines=False)
        await pilot.pause()
        press_at_field(form, "escape", "x")
        await until(pilot, lambda: form.kept)
        await pilot.pause()
        assert form.kept == [""]
        assert form.query_one(TextArea).text == ""
        words.open("note", "Your note", "", lines=True)
        await pilot.press("y")
        assert form.query_one(TextArea).text == "y"


async def test_what_takes_a_line_away_takes_all_of_it_however_it_is_wrapped() -> None:
    app = Form()
    form = app.form
    async with app.run_test(size=(40, 20)) as pilot:
        words, area = form.query_one(Words), form.query_one(TextArea)
        words.open("note", "Your note", "one\n" + "the process may have ended before that " * 3, lines=True)
        await pilot.pause()
        await pilot.press("ctrl+u", *"died")
        assert area.text == "one\ndied"
        words.open("note", "Your note", "the process may have ended before that " * 3, lines=False)
        area.move_cursor((0, 4))
        await pilot.press("ctrl+k", *"end")
        assert area.text == "the end"
