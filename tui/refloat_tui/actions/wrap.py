"""Keys of the form of a wrap."""

from typing import Final

from refloat_tui.actions.row import Action

ACTIONS: Final = (
    Action(
        "wrap.seal",
        "ctrl+s",
        "seal it",
        "Seal the wrap",
        "Into the chain of the job, as it stands here.",
        footer=1,
        shown_key="^s",
        palette=False,
        priority=True,
    ),
    Action(
        "wrap.next",
        "tab",
        "next field",
        "The next field",
        "From field to field.",
        "move",
        footer=2,
        palette=False,
        priority=True,
    ),
    Action(
        "wrap.before",
        "shift+tab",
        "field before",
        "The field before",
        "Back from field to field.",
        "move",
        palette=False,
        priority=True,
    ),
    Action(
        "wrap.leave",
        "escape",
        "leave",
        "Leave the wrap",
        "Nothing is sealed; what was typed stays where there is a session to keep it with.",
        "leave",
        footer=3,
        shown_key="esc",
        palette=False,
        priority=True,
    ),
)
