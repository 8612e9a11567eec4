"""Keys of a plain question."""

from typing import Final

from refloat_tui.actions.row import Action

ACTIONS: Final = (
    Action("confirm.yes", "y", "yes", "Yes", "Do it.", footer=1, palette=False),
    Action(
        "confirm.no",
        "n,escape,enter",
        "no",
        "No",
        "Leave everything as it is. Enter alone is no, too: nobody agrees to a loss by going on.",
        "leave",
        footer=2,
        shown_key="n enter",
        palette=False,
    ),
)
