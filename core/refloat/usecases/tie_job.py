"""Tying a directory of this machine to a job, so that hooks know where an agent's steps belong."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from refloat.errors import NotDone, UsageError
from refloat.model.stamp import Stamp
from refloat.record.store import Record, find_url, open_record
from refloat.record.ties import Tie, find_ties, tie, untie
from refloat.record.whole import names_instead
from refloat.usecases.saved_record import NothingSaved, open_saved

__all__ = ["Tie", "find_record", "said_of_new", "tie_job", "ties_here", "untie_job"]


def find_record(data: Path, config: Path, environment: Mapping[str, str], now: Stamp) -> Record:
    """The record, made where there is none: a tie may be the first thing that is saved.

    Raises:
        Unreadable: it cannot be opened.

    """
    return open_record(data, now, find_url(environment, config))


def tie_job(record: Record, host: str, job: str, directory: Path, by: str, now: Stamp) -> Tie:
    """Tie a directory to a job, which need not be there yet.

    Raises:
        UsageError: it is no directory, or the name is none.
        NotWritten: the record did not take it.

    """
    place = os.path.realpath(directory)
    if not os.path.isdir(place):  # noqa: PTH112
        raise UsageError(f"{directory} is no directory")
    new = Tie(place, job, by, now)
    tie(record, host, new)
    return new


def said_of_new(record: Record, job: str) -> str:
    """What to know of a name that no job has so far, as a sentence; empty where a job has it."""
    with record.reading() as connection:
        near = names_instead(connection, job)
    if near is None:
        return ""
    return f"no job is called {job!r} so far" + (f"; did you mean {', '.join(near)}?" if near else "")


def untie_job(record: Record, host: str, directory: Path) -> str:
    """Take the tie of a directory away; the directory as it was tied.

    Raises:
        NotDone: it is not tied; the sentence names a tied directory above it.
        NotWritten: the record did not take it.

    """
    place = os.path.realpath(directory)
    if untie(record, host, place):
        return place
    above = next((each for each in find_ties(record, host) if Path(place).is_relative_to(each.workspace)), None)
    hint = f"; {above.workspace} above it is tied to {above.job}" if above else ""
    raise NotDone(f"{place} is tied to no job{hint}")


def ties_here(data: Path, config: Path, environment: Mapping[str, str], host: str, now: Stamp) -> Sequence[Tie]:
    """Every tie of this machine; none where nothing was ever saved."""
    try:
        record = open_saved(data, config, environment, now)
    except NothingSaved:
        return ()
    with record:
        return find_ties(record, host)
