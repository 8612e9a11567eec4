"""Keys of the question before a pickup."""

from typing import Final

from refloat_tui.actions.row import Action

ACTIONS: Final = (
    Action(
        "pickup.take",
        "enter",
        "pick it up",
        "Pick it up",
        "Verify what most rests on, and seal that you go on.",
        footer=1,
        palette=False,
        priority=True,
    ),
    Action(
        "pickup.leave",
        "escape,q",
        "leave it",
        "Leave it",
        "Nothing is sealed.",
        "leave",
        footer=2,
        shown_key="esc",
        palette=False,
    ),
)
