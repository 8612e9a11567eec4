"""What a newcomer to a job must know first."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from refloat.model.record import Job, SavedStep, TiedJob, Trail
from refloat.model.saving import Runner
from refloat.model.stamp import Stamp
from refloat.record.running import read_command
from refloat.record.store import Record
from refloat.record.trails import SHOWN as _SHOWN
from refloat.record.trails import find_jobs, find_tied, load_trail
from refloat.record.whole import NoSuchJob
from refloat.usecases.saved_record import NothingSaved, open_saved

if TYPE_CHECKING:  # the short road of `refloat trail` does without it
    from refloat.model.session import Session

SHOWN: Final = _SHOWN
"""Steps of a trail, unless more are asked for."""


def show_trail(record: Record, job: str, limit: int, is_running: Callable[[Runner], bool | None]) -> Trail:
    """The trail of a job, bounded; of each step in flight, whether its process still runs. `job` is its name, or a
    beginning that no other's has.

    Raises:
        NoSuchJob: there is none of that name.

    """
    try:
        trail = load_trail(record, job, limit)
    except NoSuchJob:
        begun = [each.name for each in find_jobs(record) if job and each.name.startswith(job)]
        if len(begun) != 1:
            raise
        trail = load_trail(record, begun[0], limit)
    return replace(trail, steps=with_running(record, trail.steps, is_running))


def with_running(
    record: Record, steps: Sequence[SavedStep], is_running: Callable[[Runner], bool | None]
) -> tuple[SavedStep, ...]:
    """Steps, and of each that is in flight, whether its process still runs."""
    return tuple(_with_running(record, step, is_running) for step in steps)


def _with_running(record: Record, step: SavedStep, is_running: Callable[[Runner], bool | None]) -> SavedStep:
    """Of a step in flight, whether its process still runs.

    A command outlives the `refloat run` that was killed before it. So a step of `run` is gone only where both are:
    that process by the step's own row, the command by the note of it beside the record. Without one nobody can tell.
    """
    if step.link is not None:
        return step
    running = is_running(step.opening.runner)
    if running is False and step.opening.origin == "run":
        command = None if record.beside is None else read_command(record.beside, step.id)
        running = None if command is None else is_running(command)
    return replace(step, running=running)


def tied_jobs(record: Record, session: "Session | None", host: str) -> tuple[TiedJob, ...]:
    """Every job, those of a session and of its recovery first, then those of its workspace (tied to it on this host, or
    with a step from there); each kind with the newest activity first.
    """
    from refloat.record.drafts import find_drafts
    from refloat.usecases.decided import job_of

    drafts = (*find_drafts(record, done=True), *find_drafts(record))
    titles = {job_of(draft.session): draft.title for draft in drafts}
    return tuple(replace(tied, title=titles.get(tied.job.name, "")) for tied in _tied(record, session, host))


def _tied(record: Record, session: "Session | None", host: str) -> tuple[TiedJob, ...]:
    from refloat.record.ties import find_ties
    from refloat.usecases.decided import job_of

    if session is None:
        return tuple(TiedJob(job, None) for job in find_jobs(record))
    places = dict.fromkeys(place for place in (session.repo, session.worktree, session.workspace) if place)
    roots = [Path(place) for place in places]
    near = {tie.job for tie in find_ties(record, host) if any(root.is_relative_to(tie.workspace) for root in roots)}
    return find_tied(record, session.name, tuple(places), own={job_of(session.name)}, near=near)


def list_jobs(data: Path, config: Path, environment: Mapping[str, str], now: Stamp) -> tuple[Job, ...]:
    """Every job, the newest activity first; none where nothing was ever saved."""
    try:
        record = open_saved(data, config, environment, now)
    except NothingSaved:
        return ()
    with record:
        return find_jobs(record)
