"""What a newcomer to a job must know first."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from refloat.model.record import Job, Trail
from refloat.model.saving import Runner
from refloat.model.stamp import Stamp
from refloat.record.store import Record
from refloat.record.trails import SHOWN as _SHOWN
from refloat.record.trails import find_jobs, load_trail
from refloat.usecases.saved_record import NothingSaved, open_saved

SHOWN: Final = _SHOWN
"""Steps of a trail, unless more are asked for."""


def show_trail(record: Record, job: str, limit: int, is_running: Callable[[Runner], bool | None]) -> Trail:
    """The trail of a job, bounded; of each step in flight, whether its process still runs.

    Raises:
        NoSuchJob: there is none of that name.

    """
    trail = load_trail(record, job, limit)
    steps = [step if step.link else replace(step, running=is_running(step.opening.runner)) for step in trail.steps]
    return replace(trail, steps=tuple(steps))


def list_jobs(data: Path, config: Path, environment: Mapping[str, str], now: Stamp) -> tuple[Job, ...]:
    """Every job, the newest activity first; none where nothing was ever saved."""
    try:
        record = open_saved(data, config, environment, now)
    except NothingSaved:
        return ()
    with record:
        return find_jobs(record)
