"""Keys of the look at a session's terminal."""

from typing import Final

from refloat_tui.actions.row import Action

ACTIONS: Final = (
    Action(
        "peek.again",
        "r,space",
        "look again",
        "Look again",
        "What it shows now.",
        footer=2,
        shown_key="r",
        palette=False,
    ),
    Action("peek.attach", "a", "attach", "Go there", "Shows the exact command first.", footer=3, palette=False),
    Action(
        "peek.leave",
        "escape,q",
        "back",
        "Back",
        "Back to where you were.",
        "leave",
        footer=1,
        shown_key="esc",
        palette=False,
    ),
)
