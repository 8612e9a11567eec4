"""The record for commands that read what was saved: opened where it is, and not made to be found empty."""

from collections.abc import Mapping
from pathlib import Path

from refloat.errors import UsageError
from refloat.model.stamp import Stamp
from refloat.record.store import FILE_NAME, Record, find_url, open_record


class NothingSaved(UsageError):  # noqa: N818 - reads as the answer that it is
    """There is no record here yet."""


def open_saved(data: Path, config: Path, environment: Mapping[str, str], now: Stamp) -> Record:
    """The record that is there.

    Raises:
        NothingSaved: nothing was ever saved here.
        Unreadable: it cannot be opened; the sentence says why.

    """
    url = find_url(environment, config)
    if url is None and not (data / FILE_NAME).exists():
        raise NothingSaved("nothing is saved here yet; `refloat run --job JOB -- COMMAND` saves a first step")
    return open_record(data, now, url)
