"""The clipboard of this machine, beside the terminal's own (OSC 52), which many terminals keep switched off.

Decides whether there is a local clipboard worth trying. Refuses to fail: a copy that cannot be made locally may still
have been made by the terminal.
"""

import sys
from collections.abc import Mapping

from textual.app import App


def has_desktop(environment: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Whether this process sits on a graphical desktop whose clipboard it can reach."""
    if platform == "darwin":
        return "SSH_CONNECTION" not in environment
    return bool(environment.get("WAYLAND_DISPLAY") or environment.get("DISPLAY"))


def copy_text(app: App[object], text: str, environment: Mapping[str, str]) -> str:
    """Copy by both roads, and say which were taken.

    The terminal comes last: where it takes the text, it is the one that still has it when Refloat is gone.
    """
    local = has_desktop(environment) and _copy_locally(text)
    app.copy_to_clipboard(text)
    if local:
        return "Copied."
    return "Copied through the terminal (OSC 52). If nothing arrives, your terminal does not allow it: write the file."


def _copy_locally(text: str) -> bool:
    try:
        import copykitten  # pyright: ignore[reportMissingImports] - a wheel that not every platform has
    except ImportError:
        return False
    try:
        copykitten.copy(text)
    except copykitten.CopykittenError:
        return False
    return True
