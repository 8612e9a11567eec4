"""What the wizard hands back to whoever opened it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Farewell:
    """What the wizard leaves behind."""

    sentence: str
    """What to tell the person: where the brief is, or how to come back. Inert."""
    written: str | None = None
    """Path of the brief, once written."""
    on_desk: str = ""
    """Instead of `sentence`, for a person who is back on the desk and needs no command."""
