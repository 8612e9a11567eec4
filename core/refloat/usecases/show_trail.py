"""What a newcomer to a job must know first."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from refloat.model.record import Job, Trail
from refloat.model.stamp import Stamp
from refloat.record.store import Record
from refloat.record.trails import SHOWN as _SHOWN
from refloat.record.trails import find_jobs, load_trail
from refloat.usecases.saved_record import NothingSaved, open_saved

SHOWN: Final = _SHOWN
"""Steps of a trail, unless more are asked for."""


def show_trail(record: Record, job: str, limit: int) -> Trail:
    """The trail of a job, bounded.

    Raises:
        NoSuchJob: there is none of that name.

    """
    return load_trail(record, job, limit)


def list_jobs(data: Path, config: Path, environment: Mapping[str, str], now: Stamp) -> tuple[Job, ...]:
    """Every job, the newest activity first; none where nothing was ever saved."""
    try:
        record = open_saved(data, config, environment, now)
    except NothingSaved:
        return ()
    with record:
        return find_jobs(record)
