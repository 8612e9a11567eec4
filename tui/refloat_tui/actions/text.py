"""Keys of a long text."""

from typing import Final

from refloat_tui.actions.row import Action

ACTIONS: Final = (
    Action("text.page_down", "space", "page down", "Page down", "One page down.", "move", footer=2, palette=False),
    Action("text.page_up", "b", "page up", "Page up", "One page up.", "move", palette=False),
    Action("text.copy", "y", "copy", "Copy this text", "Copy what is shown, secrets masked.", footer=3),
    Action(
        "text.leave",
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
