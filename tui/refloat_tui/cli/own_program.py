"""How this very program is started again: by the command line in a tmux window, by the app in its own terminal."""

import os
import sys


def own_program() -> tuple[str, ...]:
    """The words that start this program again. `-P`: a module of its name in the directory is none of ours."""
    if getattr(sys, "frozen", False):
        return (sys.executable,)
    script = os.path.abspath(sys.argv[0])  # noqa: PTH100 - text stays text
    if os.path.basename(script) == "refloat" and os.access(script, os.X_OK):  # noqa: PTH119
        return (script,)
    return (sys.executable, "-P", "-m", "refloat_tui")
