"""Keys of a plain question."""

from typing import Final

from refloat_tui.actions.row import Action

ACTIONS: Final = (
    Action("confirm.yes", "y", "yes", "Yes", "Do it.", footer=1, palette=False),
    Action(
        "confirm.no",
        "n,escape",
        "no",
        "No",
        "Leave everything as it is.",
        "leave",
        footer=2,
        shown_key="n",
        palette=False,
    ),
)
