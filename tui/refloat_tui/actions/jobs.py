"""Keys of the list of jobs."""

from typing import Final

from refloat_tui.actions.row import Action

ACTIONS: Final = (
    Action(
        "jobs.leave",
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
