"""What a look at the sessions is asked, and what it tells: piece by piece, or at once."""

from collections.abc import Mapping
from pathlib import Path

from refloat.model.attempts import InChain
from refloat.model.light import field, light
from refloat.model.problem import Problem
from refloat.model.session import RecordGone, Session, SessionName, State


@light
class Scope:
    """Which sessions are asked for."""

    cwd: Path | None = None
    """Those of this directory (design, section 7); None: all."""
    agent: str | None = None
    state: State | None = None
    resumable: bool = False
    """Only those that `continue` would accept now."""
    limit: int | None = None
    all_copies: bool = False
    """Also those whose whole content another session carries."""


@light
class Batch:
    """Some sessions, as far as known now."""

    sessions: tuple[Session, ...] = ()
    """New ones, and known ones that changed."""
    removed: tuple[SessionName, ...] = ()
    """Told before and no longer on disk, or now carried whole by another. What could not be read removes nothing."""
    gone: tuple[RecordGone, ...] | None = None
    problems: tuple[Problem, ...] | None = None
    here: frozenset[SessionName] | None = None
    """Those that belong to the directory asked about; None: as before."""
    provisional: bool = False
    """From the catalogue alone, or from the ends of files: states and counts may be older than the disk."""
    by_ends: bool = False
    """All sessions, those that are not read yet by the ends of their files."""
    done: int = 0
    total: int = 0
    """Sessions read, and to be read, in this look."""
    read: int = 0
    size: int = 0
    """Bytes of their own files."""
    complete: bool = False
    """Everything was looked at."""
    narrow: bool = False
    """All that some changed paths concern was looked at, and no more."""
    unread: int = 0
    """At the end of a look: sessions that are still to be read, or could not be kept as read."""
    kept: bool = True
    """What was read is there for the next look; False where nothing can be written."""
    chains: Mapping[SessionName, InChain] = field(default_factory=dict[SessionName, InChain])
    """Of a complete one, and of one by the ends: where sessions stand among the attempts at one piece of work."""
    written: Mapping[SessionName, str] = field(default_factory=dict[SessionName, str])
    """Of one by the ends: what was written of sessions where they were told, as far as asked and possible."""


@light
class Listing:
    """What `refloat list` answers."""

    sessions: tuple[Session, ...]
    records_gone: tuple[RecordGone, ...]
    problems: tuple[Problem, ...]
    chains: Mapping[SessionName, InChain] = field(default_factory=dict[SessionName, InChain])
    """Where sessions stand among the attempts at one piece of work."""
    written: Mapping[SessionName, str] = field(default_factory=dict[SessionName, str])
    """What was written of sessions where they were told, of those of which that could be done."""
