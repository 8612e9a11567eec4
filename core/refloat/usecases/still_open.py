"""What else was open when a session ended, and whether it still runs (design §5).

Asks the process table only for recorded process numbers.
"""

from collections.abc import Iterable
from typing import Final

from refloat.model.liveness import Verdict
from refloat.model.session import Session, State
from refloat.model.stamp import Stamp, seconds_of
from refloat.model.story import Story
from refloat.model.triage import StillOpen
from refloat.usecases.workbench import Workbench

_SLACK: Final = 120.0
"""Seconds between the record of a start and the start that the system tells."""


def find_still_open(bench: Workbench, story: Story, session: Session) -> Iterable[StillOpen]:
    """What the record shows alive at its end beside the conversation, each with whether it still runs."""
    over = session.liveness.verdict is Verdict.GONE
    rebooted = _rebooted(bench, session.last_activity_at)
    for work in story.open_work:
        running = _runs(bench, work.background.pid, work.at) if work.background.pid is not None else None
        if rebooted or (work.background.kind == "subagent" and over):
            running = False
        yield StillOpen(work.background.what, work.background.kind, work.step, work.background.pid, running)
    known = {work.background.id for work in story.open_work}
    for sub in session.subagents:
        if sub.id not in known and sub.state is not State.STOPPED and sub.state is not State.UNBOUND:
            title = story.subagents[sub.id].summary.title if sub.id in story.subagents else ""
            running = False if over else (True if sub.state is State.LIVE else None)
            yield StillOpen(title or f"sub-agent {sub.id}", "subagent", None, None, running)
    for prompt in story.queued:
        yield StillOpen(prompt.text, "queued_prompt", None, None, False if over else None)


def _rebooted(bench: Workbench, last: Stamp | None) -> bool:
    boot = bench.machine.processes.boot_time()
    return boot is not None and last is not None and boot > last


def _runs(bench: Workbench, pid: int, at: Stamp | None) -> bool | None:
    """Whether a recorded process still runs: a number that another process took over later proves the end."""
    process = bench.machine.processes.get(pid)
    if process is None or process.zombie:
        return False
    if at is None:
        return None
    begun = seconds_of(at)
    if process.started > begun + _SLACK:
        return False
    return True if process.started > begun - _SLACK else None
