"""Who made what no text explains: from commands that name it, and from when it was written.

Pure. Time is only support: a file's time says nothing of a rename, a mode, a directory, or of what a link leads to.
Refuses to call anything older than the session by a time that does not speak of it.
"""

from collections.abc import Sequence
from typing import Final

from refloat.checkout.files import Content
from refloat.checkout.owners import UNKNOWN, Fallback
from refloat.checkout.porcelain import StatusEntry
from refloat.checkout.runs import Run, removed_by
from refloat.model.checkout import Owner
from refloat.model.light import light
from refloat.model.stamp import Stamp, stamp_of_seconds

_SUBMODULE: Final = Fallback(Owner.UNKNOWN, "a submodule: whose its dirt is, is told where a session edited in it")
_DIRECTORY: Final = Fallback(Owner.UNKNOWN, "a repository of its own: its files are told where a session edited them")
_REWRITTEN: Final = frozenset({"UU", "AA"})
"""Conflicts whose file the merge wrote anew."""


@light
class Circumstance:
    """What is known of one dirty path apart from its text."""

    real: str
    content: Content
    entry: StatusEntry | None
    written: float | None
    """When the path itself was last written (a link, not what it leads to), in seconds since 1970."""
    changed: bool
    """Whether its text differs from HEAD's."""
    origin: str | None
    """The path that the same content was taken from."""
    reported: tuple[int, bool] | None = None
    """The step of a recorded `git status` before the session's first edit, and whether it called the path dirty."""


def find_fallback(place: Circumstance, since: Stamp | None, runs: Sequence[Run]) -> Fallback:
    """The owner of what no record explains."""
    entry = place.entry
    if place.content.kind == "directory":
        return _SUBMODULE if entry is not None and entry.submodule else _DIRECTORY
    if place.content.kind == "missing":
        run = removed_by(runs, place.real)
        return UNKNOWN if run is None else Fallback(Owner.COMMAND, f"step {run.step} took it away: {run.command}")
    if place.origin is not None:
        run = removed_by(runs, place.origin)
        return UNKNOWN if run is None else Fallback(Owner.COMMAND, f"step {run.step} moved it here: {run.command}")
    if entry is not None and not place.changed and entry.mode != entry.head_mode:
        named = [run for run in runs if "chmod" in run.command and run.names_above(place.real)]
        return Fallback(Owner.COMMAND, f"step {named[-1].step} set its mode: {named[-1].command}") if named else UNKNOWN
    return _by_time(place, since, runs)


def _by_time(place: Circumstance, since: Stamp | None, runs: Sequence[Run]) -> Fallback:
    written = stamp_of_seconds(place.written) if place.written is not None else None
    if written is None:
        return UNKNOWN
    entry = place.entry
    if since is not None and written < since:
        if entry is not None and entry.unmerged and entry.xy not in _REWRITTEN:
            return UNKNOWN
        return _older(written, place.reported)
    run = run_at(runs, written, place.real)
    if run is None or (run.formats and (run.until is None or (entry is not None and entry.head is not None))):
        return UNKNOWN  # what a formatter made of a known text is told by the text
    if run.until is None:
        words = f"written at {written}, after step {run.step} began, whose end was never recorded: {run.command}"
        return Fallback(Owner.COMMAND, words)
    return Fallback(Owner.COMMAND, f"written at {written}, while step {run.step} ran: {run.command}")


def _older(written: Stamp, reported: tuple[int, bool] | None) -> Fallback:
    """Of a file older than the session: what its own record says of that time speaks before the file's time."""
    words = f"its file time is older: last written at {written}, before the session's first record"
    if reported is None:
        return Fallback(Owner.PREDATES, words)
    step, dirty = reported
    if dirty:
        return Fallback(Owner.PREDATES, f"the `git status` of step {step} lists it, before the session's first edit")
    return Fallback(Owner.UNKNOWN, f"the `git status` of step {step} did not list it yet, though {words}")


def run_at(runs: Sequence[Run], moment: Stamp, real: str) -> Run | None:
    """The first command that ran at a moment and can have written a file.

    One whose end was never recorded may have written for as long as it liked: it counts for what it names or is known
    to write, and for the layout of a formatter.
    """
    ended = next((run for run in runs if run.spans(moment) and run.may_write(real)), None)
    if ended is not None:
        return ended
    return next((run for run in reversed(runs) if run.until is None and run.at <= moment and run.means(real)), None)
