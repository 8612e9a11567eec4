"""What a row of the table of actions says, and the scopes and groups that rows stand in.

Decides the order of both. Refuses to know a row.
"""

from typing import Final, Literal, cast

from refloat.model.light import light

Scope = Literal[
    "anywhere",
    "rows",
    "text",
    "desk",
    "history",
    "checkout",
    "triage",
    "brief",
    "record",
    "search",
    "jobs",
    "job",
    "wrap",
    "pickup",
    "operation",
    "peek",
    "confirm",
    "move",
    "help",
    "wizard",
]
"""Who has the method: the app, a list, a long text, the desk, one of its panes, or another screen."""

Group = Literal["move", "open", "do", "leave"]
"""The groups of the footer and of help, in their order."""

GROUPS: Final[tuple[Group, ...]] = ("move", "open", "do", "leave")

SCOPES: Final[dict[Scope, str]] = {
    "desk": "On the desk",
    "rows": "In any list",
    "history": "History",
    "checkout": "Checkout",
    "triage": "Triage",
    "brief": "Brief",
    "record": "Record",
    "search": "Searching all sessions",
    "jobs": "The list of jobs",
    "job": "One job",
    "wrap": "Writing a wrap",
    "pickup": "Picking a job up",
    "text": "Reading a long text",
    "wizard": "In the wizard",
    "operation": "Before something is done",
    "peek": "Looking at a session's screen",
    "confirm": "A question",
    "move": "Moving a finding",
    "help": "This page",
    "anywhere": "Anywhere",
}
"""The scopes with their headings, in the order of the help page."""


@light
class Action:
    """One row of the table."""

    id: str
    """`scope.name`; users remap keys by it, so a released id never changes."""
    key: str
    """Textual's names of keys; several with commas between."""
    word: str
    """What the footer says: one or two short words."""
    title: str
    """What the palette says."""
    help: str
    """One sentence: what comes of it."""
    group: Group = "do"
    footer: int = 0
    """0: not in the footer. Otherwise the smaller number is kept longer when there is little room."""
    shown_key: str | None = None
    """How the key is written, where its name would not do."""
    footer_key: str | None = None
    """How the footer writes it, where one row stands there for several (`↑↓`)."""
    palette: bool = True
    priority: bool = False
    """Works also while an input has the focus."""

    @property
    def scope(self) -> Scope:
        """Whose row it is: the first word of its id."""
        return cast("Scope", self.id.partition(".")[0])  # a test holds every id to the scopes

    @property
    def method(self) -> str:
        """The name of the method that does it, without `action_`."""
        return self.id.replace(".", "_")
