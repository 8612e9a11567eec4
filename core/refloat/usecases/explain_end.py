"""Why a failed session died, as far as the machine can tell. Asked of one session at a time, never of a list."""

from dataclasses import replace
from typing import Final

from refloat.liveness.cause import (
    AFTER_SECONDS,
    EXPLAINED,
    Gone,
    explain,
    find_crash_causes,
    find_full_now,
    find_full_then,
    find_kernel_causes,
    find_power_causes,
)
from refloat.model.liveness import Evidence
from refloat.model.session import Failure, FailureKind, Session, State, place_here
from refloat.model.stamp import Stamp, later
from refloat.model.story import Story
from refloat.ports import Machine
from refloat.usecases.workbench import Workbench

_NAMES_A_PROCESS: Final = frozenset({"register", "zombie", "hint"})


def explain_end(bench: Workbench, session: Session, story: Story) -> Session:
    """The session with what the system wrote down of its end: more evidence, and a failure that says why.

    Any other session than a failed one comes back as it is, and so does one whose record itself says why.
    """
    failure, last = session.failure, session.last_activity_at
    if session.state is not State.FAILED or failure is None or failure.kind not in EXPLAINED or last is None:
        return session
    found = _look(bench, session, story, failure, last)
    if not found:
        return session
    liveness = replace(session.liveness, evidence=(*session.liveness.evidence, *found))
    return replace(session, liveness=liveness, failure=explain(failure, found))


def _look(bench: Workbench, session: Session, story: Story, failure: Failure, last: Stamp) -> list[Evidence]:
    machine = bench.machine
    gone = _gone(bench, session, last)
    places = map(place_here, (session.worktree, session.workspace))
    directories = tuple(dict.fromkeys(place for place in places if place))
    end = min(gone.until, later(last, AFTER_SECONDS))
    found = [
        *find_kernel_causes(machine.traces.kernel_log(gone.since, end) or (), gone),
        *find_crash_causes(machine.traces.crash_files(directories, gone.since, end), gone),
    ]
    if failure.kind is FailureKind.HOST_RESTART:
        found += find_power_causes(machine.traces.power_changes() or (), gone)
    found += find_full_then([step for step in story.steps if not step.superseded], failure)
    return [*found, *_full_now(machine, session, directories)]


def _gone(bench: Workbench, session: Session, last: Stamp) -> Gone:
    now, boot = bench.machine.clock.now(), bench.machine.processes.boot_time()
    facts = session.liveness.evidence
    pids = frozenset(fact.pid for fact in facts if fact.kind in _NAMES_A_PROCESS and fact.pid is not None)
    until = boot if boot is not None and last < boot < now else now
    return Gone(session.agent, pids, last, until, bench.reader(session.agent).is_agent)


def _full_now(machine: Machine, session: Session, directories: tuple[str, ...]) -> list[Evidence]:
    """Where the session wrote: its directories and its transcript. One row for what lies on the same full disk."""
    places = (*session.transcript.paths[-1:], *directories)
    rows = {machine.traces.free_bytes(place): place for place in reversed(places)}
    return find_full_now(((place, left) for left, place in rows.items()), machine.clock.now())
