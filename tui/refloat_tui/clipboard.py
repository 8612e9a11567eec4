"""The clipboard of this machine, beside the terminal's own (OSC 52), which many terminals keep switched off.

Decides whether there is a local clipboard worth trying. Refuses to fail: a copy that cannot be made locally may still
be made by the terminal.
"""

import sys
from collections.abc import Mapping
from typing import Final

COPIED: Final = "Copied."
COPIED_BY_TERMINAL: Final = "Sent to your terminal's clipboard (OSC 52). If nothing arrives, it does not allow that."


def has_desktop(environment: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Whether this process sits on a graphical desktop whose clipboard it can reach."""
    if platform == "darwin":
        return "SSH_CONNECTION" not in environment
    return bool(environment.get("WAYLAND_DISPLAY") or environment.get("DISPLAY"))


def copy_locally(text: str, environment: Mapping[str, str]) -> bool:
    """Copy to the desktop's clipboard; False where there is none. May wait for a display: call it from a thread.

    Send the text to the terminal after it: where the terminal takes it, it still has it when Refloat is gone.
    """
    if not has_desktop(environment):
        return False
    try:
        import copykitten
    except ImportError:
        return False
    try:
        copykitten.copy(text)
    except copykitten.CopykittenError:
        return False
    return True
