"""Paths in little room: the name and what tells it apart stay, the middle goes."""

import re
from pathlib import PurePosixPath

from refloat.text import inert_line


def from_home(path: str | None, home: str) -> str:
    """`~/src/x` for what lies below the home directory, inert."""
    if path is None:
        return ""
    if home and (path == home or path.startswith(home.rstrip("/") + "/")):
        path = "~" + path[len(home.rstrip("/")) :]
    return inert_line(path)


def homes_shortened(text: str, home: str) -> str:
    """The home directory as `~` wherever a path in a text begins with it."""
    home = home.rstrip("/")
    return re.sub(rf"(?<![\w./~-]){re.escape(home)}(?=/)", "~", text) if home else text


def short_path(path: str, width: int, ellipsis: str = "…") -> str:
    """At most `width` characters: whole, else with its first directories left out, else the end of its name."""
    path = inert_line(path)
    if len(path) <= width:
        return path
    parts = path.split("/")
    for start in range(1, len(parts)):
        candidate = f"{ellipsis}/" + "/".join(parts[start:])
        if len(candidate) <= width:
            return candidate
    return ellipsis + parts[-1][-max(1, width - len(ellipsis)) :]


def group_name(workspace: str | None) -> str:
    """The last directory of a workspace, as the heading of a group."""
    if not workspace:
        return "no workspace recorded"
    return inert_line(PurePosixPath(workspace.replace("\\", "/")).name or workspace)
