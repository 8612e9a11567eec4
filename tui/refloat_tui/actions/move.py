"""Keys of the form that moves a finding."""

from typing import Final

from refloat_tui.actions.row import Action

ACTIONS: Final = (
    Action(
        "move.keep",
        "enter",
        "move it",
        "Move it",
        "To this pile, for this reason.",
        footer=1,
        shown_key="enter",
        palette=False,
        priority=True,
    ),
    Action(
        "move.next",
        "down,tab",
        "next pile",
        "The next pile",
        "Another pile to move it to.",
        "move",
        footer=2,
        shown_key="↓",
        palette=False,
        priority=True,
    ),
    Action(
        "move.leave",
        "escape",
        "leave it",
        "Leave it",
        "It stays where it lies.",
        "leave",
        footer=3,
        shown_key="esc",
        palette=False,
    ),
)
