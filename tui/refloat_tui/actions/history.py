"""Keys of the desk's History."""

from typing import Final

from refloat_tui.actions.row import Action

ACTIONS: Final = (
    Action(
        "history.crash",
        "x",
        "crash",
        "Go to where it ended",
        "To the step that has no result, the error that ended it, or the last thing recorded.",
        "move",
        footer=3,
    ),
    Action(
        "history.next",
        "n",
        "trouble",
        "To the next thing that went wrong",
        "A step that failed, was refused or has no result; an error of the provider, an interruption, a compaction.",
        "move",
    ),
    Action(
        "history.before",
        "N",
        "back",
        "To the one before",
        "Back to the last thing that went wrong before the cursor.",
        "move",
    ),
    Action(
        "history.place",
        "i",
        "go to",
        "Go to a place",
        "An item by its number (12), a step (s31), a line of the transcript (l1200), or a part of the whole (40%).",
        "move",
    ),
    Action(
        "history.kinds",
        "f",
        "kinds",
        "Filter by kind",
        "All; then talk, steps, edits, checks, effects outside, and what went wrong; one after the other.",
        "move",
        footer=4,
    ),
    Action(
        "history.change",
        "v",
        "its change",
        "What became of a step's change",
        "From an edit to its place in Checkout, from a check to whether it still holds.",
        "open",
        footer=3,
    ),
)
