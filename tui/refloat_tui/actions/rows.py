"""Keys of every list of rows."""

from typing import Final

from refloat_tui.actions.row import Action

ACTIONS: Final = (
    Action("rows.up", "up,k", "up", "Up", "One row up.", "move", shown_key="↑ k", palette=False),
    Action(
        "rows.down",
        "down,j",
        "move",
        "Down",
        "One row down.",
        "move",
        footer=10,
        shown_key="↓ j",
        footer_key="↑↓",
        palette=False,
    ),
    Action("rows.page_up", "pageup", "page up", "Page up", "One page up.", "move", palette=False),
    Action("rows.page_down", "pagedown", "page down", "Page down", "One page down.", "move", palette=False),
    Action("rows.first", "g,home", "first", "First row", "To the first row.", "move", shown_key="g"),
    Action("rows.last", "G,end", "last", "Last row", "To the last row.", "move", shown_key="G"),
    Action("rows.open", "enter", "open", "Open", "Open what the cursor is on.", "open", footer=2, shown_key="enter"),
)
