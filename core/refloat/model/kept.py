"""An own copy of a session's transcript and side files (design, section 7: `keep`)."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from refloat.model.session import SessionName
from refloat.model.stamp import Stamp

Role = Literal["transcript", "side"]


@dataclass(frozen=True, slots=True)
class Source:
    """A file to be kept."""

    path: str
    place: str
    """Where it lies among the others of its session: relative, so that a reader knows it again elsewhere."""
    role: Role
    lines: bool
    """It grows line by line: a copy of one that grew meanwhile ends at a line's end."""


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file as it was kept. The copy's name is its `sha256`."""

    path: str
    """Where the original lay."""
    place: str
    role: Role
    bytes: int
    mtime_ns: int
    sha256: str
    kept_bytes: int
    """Compressed."""
    kept_sha256: str


@dataclass(frozen=True, slots=True)
class KeptCopy:
    """One session's kept files."""

    session: SessionName
    at: Stamp
    title: str
    """The name that the agent's own index had for it; exact."""
    by_path: bool
    """It was given by path from outside the agent's directories."""
    files: tuple[KeptFile, ...]
    directory: Path
    sha256: str
    """Over all of the above but `directory`, the hash of every file included."""

    @property
    def agent(self) -> str:
        """The agent's name."""
        return self.session.partition(":")[0]

    @property
    def session_id(self) -> str:
        """The agent's own id of it."""
        return self.session.partition(":")[2]

    @property
    def bytes(self) -> int:
        """Of the originals."""
        return sum(file.bytes for file in self.files)


@dataclass(frozen=True, slots=True)
class KeptNow:
    """What `refloat keep` did."""

    copy: KeptCopy
    secrets: int
    """What looks like a secret in the kept text."""
    changed: bool
    """The copy is new, or not as the one before."""
    missing: tuple[str, ...] = ()
    """Kept earlier, and no longer with the agent: they stay in the copy."""
    unlike: tuple[str, ...] = ()
    """Originals that are not what was kept of them, grown: shortened, emptied, or another file. The copy stays."""
    damaged: tuple[tuple[str, str], ...] = ()
    """Files of a copy from before that are not what was kept: (path of the original, what)."""


@dataclass(frozen=True, slots=True)
class KeptMany:
    """What `refloat keep --all-due` did."""

    kept: tuple[KeptNow, ...]
    failed: tuple[tuple[SessionName, str], ...]
    """(session, why)."""
