"""What `refloat salvage` answers: a patch of lost work, and what cannot stand in one."""

from dataclasses import dataclass

from refloat.model.session import SessionName


@dataclass(frozen=True, slots=True)
class SalvagedFile:
    """A file whose recorded content the checkout lacks."""

    path: str
    """Relative to the repository's root with `/`; absolute outside it, and where there is none."""
    in_patch: bool
    why: str
    """What the patch makes of it, or why it stands in none."""
    beside: bytes | None = None
    """Its exact content, where it is no part of the patch and is known; never masked."""
    suffix: str = ""
    """What its name gets when it is written beside: `.hunks` for mere hunks."""


@dataclass(frozen=True, slots=True)
class Salvage:
    """All of a session's lost work that can still be had."""

    session: SessionName
    repo: str | None
    """What the paths of the patch are relative to: the repository, else the folder that the session worked in; None
    where that is not there.
    """
    patch: str
    """Exact, never masked; `git apply` takes it in `repo` as it is now. Empty where nothing can be patched."""
    files: tuple[SalvagedFile, ...]
    secrets: int
    """Places in the patch and in the contents beside it that look like secrets."""
    gone: str | None = None
    """The folder that they are relative to, where that is not there any more."""
    unread: tuple[str, ...] = ()
    """Edited files that could not be read: nobody knows what of them is lost."""
