"""Prints docs/keys.md from the table of actions; a test compares the two."""

import sys
from pathlib import Path

from refloat_tui.actions import SCOPES, Action, find_actions

PAGE = Path(__file__).parent / "keys.md"
_HEAD = """# Keys

Printed by `docs/print_keys.py` from `tui/refloat_tui/actions/`: change the table there.

To have other keys, name them by id in `~/.config/refloat/keys.toml`: `"desk.recover" = "f5"`.
"""


def print_keys() -> str:
    """The whole page."""
    parts = [_HEAD]
    for scope, heading in SCOPES.items():
        rows = [_row(action) for action in find_actions(scope)]
        parts.append(
            "\n".join([f"## {heading}\n", "| key | what | what comes of it | id |", "|---|---|---|---|", *rows])
        )
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _row(action: Action) -> str:
    keys = action.shown_key.split() if action.shown_key else action.key.split(",")
    shown = " ".join(f"`{key}`" for key in keys)
    return f"| {shown} | {action.title} | {action.help} | `{action.id}` |"


if __name__ == "__main__":
    PAGE.write_text(print_keys(), encoding="utf-8")
    sys.stdout.write(f"{PAGE}\n")
