"""Keys of the desk's Record."""

from typing import Final

from refloat_tui.actions.row import Action

ACTIONS: Final = (
    Action(
        "record.verify",
        "v",
        "verify",
        "Verify this job",
        "Re-hash every field and every saved byte; says what is not as it was saved.",
        footer=3,
    ),
    Action("record.stop", "x", "stop", "Stop verifying", "What was found so far is forgotten.", footer=2),
    Action(
        "record.wrap",
        "W",
        "wrap",
        "Wrap",
        "Hand over: what was done, what for, to whom, what comes next. Sealed into the chain.",
        footer=4,
    ),
    Action(
        "record.pickup",
        "P",
        "pick up",
        "Pick this job up",
        "Read it, verify what most rests on, and go on at the first step that nobody may take for done.",
        footer=4,
    ),
    Action(
        "record.other",
        "o",
        "other job",
        "The next job of this session",
        "Where a session or its workspace is on several jobs: the next one.",
        "move",
        footer=6,
    ),
)
