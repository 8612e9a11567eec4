"""Keys of the desk's Triage."""

from typing import Final

from refloat_tui.actions.row import Action

ACTIONS: Final = (
    Action(
        "triage.looked",
        "space",
        "looked at",
        "Looked at",
        "Mark a finding as looked at, or take that back. Kept with the recovery of this session.",
        footer=5,
    ),
    Action(
        "triage.move",
        "m",
        "move",
        "Move to another pile",
        "Say that a finding is saved, claimed or gone, and why. Kept with the recovery of this session.",
        footer=4,
    ),
    Action(
        "triage.undo",
        "u",
        "take back",
        "Take your word back",
        "The finding lies again where the evidence put it.",
        footer=9,
    ),
    Action(
        "triage.behind",
        "v",
        "behind it",
        "What stands behind a finding",
        "Its change or check in Checkout; for a claim, the step that confirms or contradicts it.",
        "open",
        footer=6,
    ),
    Action("triage.left", "left", "left", "Pile to the left", "To the pile at the left.", "move", palette=False),
    Action(
        "triage.right",
        "right",
        "piles",
        "Pile to the right",
        "To the pile at the right; left and right go along the three.",
        "move",
        footer=4,
        shown_key="← →",
        palette=False,
    ),
)
