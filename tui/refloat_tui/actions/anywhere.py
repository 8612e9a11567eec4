"""Keys that work on every screen; the app does them."""

from typing import Final

from refloat_tui.actions.row import Action

ACTIONS: Final = (
    Action(
        "anywhere.help",
        "question_mark,f1",
        "help",
        "Help",
        "Every key that works here, and what the signs mean.",
        "open",
        footer=5,
        shown_key="?",
    ),
    Action(
        "anywhere.palette",
        "ctrl+p",
        "all actions",
        "All actions",
        "Find any action by its name and do it.",
        "open",
        footer=9,
        shown_key="^p",
        palette=False,
        priority=True,
    ),
    Action(
        "anywhere.look",
        "f2",
        "look",
        "Change the look",
        "Dark, light, or the terminal's own sixteen colours, one after the other.",
    ),
    Action(
        "anywhere.quit",
        "ctrl+q",
        "quit",
        "Quit",
        "Leave Refloat. Nothing is lost: answers of a recovery are saved as they are given.",
        "leave",
        shown_key="^q",
        priority=True,
    ),
)
