"""Keys of the desk's Checkout."""

from typing import Final

from refloat_tui.actions.row import Action

ACTIONS: Final = (
    Action(
        "checkout.sides",
        "u",
        "layout",
        "Both sides beside each other, or in one column",
        "Recorded and on disk: two columns, or one with a sign for each side.",
        footer=4,
    ),
)
