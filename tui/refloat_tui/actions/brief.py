"""Keys of the desk's Brief."""

from typing import Final

from refloat_tui.actions.row import Action

ACTIONS: Final = (
    Action(
        "brief.write",
        "w",
        "write",
        "Write the brief to a file",
        "Write HANDOFF.md into the workspace, readable for you alone; asks before it replaces a file.",
        footer=3,
    ),
    Action("brief.copy", "y", "copy", "Copy the brief", "Copy the whole brief, over SSH too.", footer=3),
)
