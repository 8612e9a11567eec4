"""Keys of the help page."""

from typing import Final

from refloat_tui.actions.row import Action

ACTIONS: Final = (
    Action(
        "help.leave",
        "escape,q,question_mark",
        "back",
        "Back",
        "Back to where you were.",
        "leave",
        footer=1,
        shown_key="esc",
        palette=False,
    ),
)
