"""Ties: which job the work in a directory belongs to, on this machine.

Decides that the nearest tied directory at or above a place counts. A tie is a note of a person, no link of the chain:
it says where steps go, not what was done.
"""

import os
from collections.abc import Sequence
from typing import NamedTuple

from refloat.model.stamp import Stamp
from refloat.record.chain import check_name, storable
from refloat.record.engine import Row
from refloat.record.rows import stamp, text
from refloat.record.store import Record


class Tie(NamedTuple):
    """A directory and its job."""

    workspace: str
    job: str
    tied_by: str
    tied_at: Stamp


def tie(record: Record, host: str, new: Tie) -> None:
    """Tie a directory (absolute, links followed) to a job, in place of what it was tied to.

    Raises:
        UsageError: the job's name is none.
        NotWritten: the record did not take it.

    """
    check_name(new.job)
    with record.writing() as connection:
        connection.run("ties.put", **storable({"host": host, **new._asdict()}))


def untie(record: Record, host: str, workspace: str) -> bool:
    """Take a tie away; False where there was none.

    Raises:
        NotWritten: the record did not take it.

    """
    with record.writing() as connection:
        return bool(connection.run("ties.remove", **storable({"host": host, "workspace": workspace})))


def find_ties(record: Record, host: str) -> Sequence[Tie]:
    """Every tie of this machine, by directory."""
    with record.reading() as connection:
        return [_tie(row) for row in connection.rows("ties.of_host", **storable({"host": host}))]


def find_tie(record: Record, host: str, places: Sequence[str]) -> Tie | None:
    """The tie of the first of these places (absolute, links followed) that has one, at it or above it."""
    ties = {each.workspace: each for each in find_ties(record, host)}
    if not ties:
        return None
    for place in places:
        at: str = text(storable({"place": place}), "place")
        while True:
            if at in ties:
                return ties[at]
            above: str = os.path.dirname(at)  # noqa: PTH120 - text stays text
            if above == at:
                break
            at = above
    return None


def _tie(row: Row) -> Tie:
    return Tie(text(row, "workspace"), text(row, "job"), text(row, "tied_by"), stamp(row, "tied_at"))
