"""The record for who reads what was saved: opened where it is, and not made to be found empty."""

from collections.abc import Mapping
from pathlib import Path

from refloat.errors import Unreadable, UsageError
from refloat.model.stamp import Stamp
from refloat.record.store import FILE_NAME, Record, RecordNewer, RecordUnavailable, find_url, open_record
from refloat.there import is_there, may_be_there


class NothingSaved(UsageError):  # noqa: N818 - reads as the answer that it is
    """There is no record here yet."""


def open_saved(data: Path, config: Path, environment: Mapping[str, str], now: Stamp) -> Record:
    """The record that is there; where nothing can be written beside it, for reading alone.

    Raises:
        NothingSaved: nothing was ever saved here.
        Unreadable: it cannot be opened; the sentence says why.

    """
    url = find_url(environment, config)
    if url is None and not may_be_there(data / FILE_NAME):
        raise NothingSaved("nothing is saved here yet; `refloat run --job JOB -- COMMAND` saves a first step")
    try:
        return open_record(data, now, url)
    except RecordNewer:
        raise
    except RecordUnavailable:
        from refloat.record.unwritable import is_unwritable, open_unwritable

        if url is not None or not is_there(data / FILE_NAME) or not is_unwritable(data):
            raise
        return Record(open_unwritable(data / FILE_NAME, now), data, data)


def mark_of(data: Path, config: Path, environment: Mapping[str, str]) -> tuple[tuple[int, int], ...] | None:
    """What changes with everything that is written to a record file; None where only the record itself can tell."""
    try:
        if find_url(environment, config) is not None:
            return None
    except Unreadable:
        return None
    marks: list[tuple[int, int]] = []
    for name in (FILE_NAME, f"{FILE_NAME}-wal"):  # SQLite writes to the second until it tidies up
        try:
            seen = (data / name).stat()
        except OSError:
            marks.append((0, 0))
        else:
            marks.append((seen.st_mtime_ns, seen.st_size))
    return tuple(marks)
