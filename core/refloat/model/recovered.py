"""What recoveries of a session left: who finished one when, its brief and its wrap; and the briefs that stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from refloat.model.light import light

if TYPE_CHECKING:
    from refloat.model.stamp import Stamp


@light
class Handed:
    """A wrap, in short."""

    receipt: str
    at: Stamp
    job: str
    recipient: str | None


@light
class Recovered:
    """The recovery that was finished last."""

    by: str
    """`user@host`; nothing where an older Refloat kept it."""
    at: Stamp
    brief: str | None
    """The file that it was written to."""
    written_at: Stamp | None
    brief_there: bool
    """The session's own brief stands under that name now."""
    wrap: Handed | None
    """The newest one that a person made."""
    instead: str = ""
    """What stands under that name now in place of its brief: `the brief of codex:1`; empty: nothing does."""


@light
class Unfinished:
    """The recovery that is open: begun, and not finished."""

    by: str
    """`user@host`; nothing where nobody answered yet."""
    at: Stamp
    """The last answer."""
    page: int
    """Where it stands, from one."""
    of: int
    """Pages."""


@light
class Aside:
    """A brief that is not taken."""

    path: str
    why: str


@light
class StandingBriefs:
    """The briefs of a session that stand somewhere."""

    taken: str | None = None
    """The file to start a new session with; None: one must be written."""
    aside: tuple[Aside, ...] = ()
