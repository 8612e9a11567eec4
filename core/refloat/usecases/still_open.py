"""What else was open when a session ended, and whether it still runs (design §5).

Looks at the process table once, and only where the record left open what lives in a process of its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from refloat.liveness.evidence import ancestry, carries
from refloat.liveness.leftovers import SLACK, Launched, Leftover, Table, descendants, judge_leftover
from refloat.model.liveness import ProcessInfo, Verdict
from refloat.model.session import Session, State
from refloat.model.stamp import Stamp, seconds_of
from refloat.model.story import OpenWork, Story
from refloat.model.transcript import Background, Outcome, Step
from refloat.model.triage import StillOpen
from refloat.readers.running import kind_of_running
from refloat.there import is_plain_file
from refloat.usecases.workbench import Workbench

_WITHIN: Final = frozenset({"timer", "subagent"})
"""Kinds that live in the session's own process and end with it."""
_START: Final = 120.0
"""Seconds between the record of a start and the start of a process whose number the record holds."""


@dataclass(frozen=True, slots=True)
class _Left:
    """Open work, and the step that began it."""

    work: OpenWork
    step: Step | None
    subagent: str | None

    @property
    def command(self) -> str:
        return (self.step.command if self.step is not None else None) or self.work.background.what

    @property
    def began(self) -> float | None:
        at = self.step.at if self.step is not None and self.step.at else self.work.at
        return seconds_of(at) if at else None

    @property
    def answered(self) -> float | None:
        return seconds_of(self.work.at) if self.work.at else self.began


def find_still_open(bench: Workbench, story: Story, session: Session) -> Iterator[StillOpen]:
    """What the record shows alive at its end beside the conversation, each with whether it still runs."""
    over = session.liveness.verdict is Verdict.GONE
    left = _left_of(story)
    known = {each.work.background.id for each in left}
    eyes = _Eyes(bench, session, story, left)
    yield from _judge_all(eyes)
    yield from _outlived(eyes)
    yield from _marked(eyes)
    for sub in session.subagents:
        if sub.id not in known and sub.state is not State.STOPPED and sub.state is not State.UNBOUND:
            title = story.subagents[sub.id].summary.title if sub.id in story.subagents else ""
            running = False if over else (True if sub.state is State.LIVE else None)
            yield StillOpen(title or f"sub-agent {sub.id}", "subagent", None, None, running, _within(running))
    for prompt in story.queued:
        running = False if over else None
        yield StillOpen(prompt.text, "queued_prompt", None, None, running, _within(running))


def _left_of(story: Story) -> list[_Left]:
    steps = {step.n: step for step in story.steps}
    left = [_Left(work, steps.get(work.step or 0), None) for work in story.open_work]
    for name, sub in story.subagents.items():
        own = {step.n: step for step in sub.steps}
        left += [_Left(work, own.get(work.step or 0), name) for work in sub.open_work]
    return left


def _within(running: bool | None) -> str:
    match running:
        case True:
            return "it lives in the session's process, which runs"
        case False:
            return "it lived in the session's process, which is gone"
        case None:
            return "it lives in the session's process, of which nobody knows"


def _judge_all(eyes: "_Eyes") -> Iterator[StillOpen]:
    for each in eyes.left:
        work = each.work.background
        found = _judge(eyes, each)
        ports = ""
        if found.running and found.pid is not None:
            family = descendants(found.pid, eyes.rows)
            eyes.taken |= family
            ports = _ports(eyes.bench, family)
        step = None if each.subagent else each.work.step
        why = _begun_by(each) + found.why + ports
        yield StillOpen(work.what, work.kind, step, found.pid, found.running, why, _output(work.output))


def _judge(eyes: "_Eyes", each: _Left) -> Leftover:
    work, verdict = each.work.background, eyes.session.liveness.verdict
    if verdict is not Verdict.UNKNOWABLE and (boot := eyes.booted_after):
        return Leftover(running=False, pid=work.pid, why=f"the machine booted at {boot}, after the last record")
    if work.kind in _WITHIN:
        running = {Verdict.GONE: False, Verdict.RUNNING: True}.get(verdict)
        return Leftover(running=running, pid=None, why=_within(running))
    if work.pid is not None:
        return _by_number(eyes.bench, work.pid, each.work.at)
    if verdict is Verdict.UNKNOWABLE:
        return Leftover(running=None, pid=None, why="it may run on another machine or as another user")
    return judge_leftover(_launched(each, eyes), eyes.table, eyes.taken)


def _outlived(eyes: "_Eyes") -> Iterator[StillOpen]:
    """Commands that the session waited for when it ended, where a process proves that they go on without it."""
    if eyes.session.liveness.verdict is not Verdict.GONE or eyes.booted_after:
        return
    for step in eyes.story.every_step:
        if step.outcome is not Outcome.DANGLING or not step.command or step.superseded:
            continue
        work = OpenWork(Background(step.id, "background_shell", step.command, running=True), step.n, step.at)
        each = _Left(work, step, step.subagent)
        found = judge_leftover(_launched(each, eyes), eyes.table, eyes.taken)
        if found.running and found.pid is not None:
            eyes.taken |= descendants(found.pid, eyes.rows)
            why = f"{_begun_by(each)}its call has no result, and it runs on: {found.why}"
            number = None if step.subagent else step.n
            yield StillOpen(step.command, kind_of_running(step.command), number, found.pid, running=True, why=why)


def _marked(eyes: "_Eyes") -> Iterator[StillOpen]:
    """What carries the session's id and no open work accounts for: something of it that still runs."""
    if eyes.session.liveness.verdict is Verdict.RUNNING:
        return
    told = {row.pid: row for row in eyes.session.liveness.evidence if row.kind == "child" and row.pid is not None}
    rows = {row.pid: row for row in eyes.rows if row.pid in told} if told else {}
    for pid, row in rows.items():
        if pid not in eyes.taken and row.ppid not in rows:
            command = " ".join(row.argv) or row.name
            why = told[pid].detail + _ports(eyes.bench, descendants(pid, eyes.rows))
            yield StillOpen(command, kind_of_running(command), None, pid, running=True, why=why)


def _begun_by(each: _Left) -> str:
    if each.subagent is None:
        return ""
    return f"begun by sub-agent {each.subagent}{f', its step {each.work.step}' if each.work.step else ''}; "


def _ports(bench: Workbench, pids: frozenset[int]) -> str:
    ports = sorted(bench.machine.processes.listening_ports(pids))
    if not ports:
        return ""
    return f"; it listens on port{'s' if len(ports) > 1 else ''} {', '.join(map(str, ports[:5]))}"


def _output(path: str) -> str | None:
    """The recorded file, where it is still there. It is named, never opened."""
    return path if path and is_plain_file(path) else None


def _launched(each: _Left, eyes: "_Eyes") -> Launched:
    step, session = each.step, eyes.session
    cwd = step.cwd if step is not None and step.cwd else session.worktree or session.workspace
    began, answered = each.began, each.answered
    alone = _alone(step, eyes.story, began, answered)
    unique = sum(other.command == each.command for other in eyes.left) < 2
    return Launched(each.command, cwd, began, answered, alone, unique)


def _alone(step: Step | None, story: Story, began: float | None, answered: float | None) -> bool:
    """Whether no other command of the session, or of a sub-agent, ran while this one was started."""
    if step is None or began is None:
        return False
    last = (answered or began) + SLACK
    for other in story.every_step:
        if other.command is None or other.at is None or (other.id == step.id and other.subagent == step.subagent):
            continue
        ended = seconds_of(other.ended_at) if other.ended_at else last
        if seconds_of(other.at) <= last and ended >= began - SLACK:
            return False
    return True


class _Eyes:
    """One look at the process table for one session, taken when it is first needed."""

    def __init__(self, bench: Workbench, session: Session, story: Story, left: Sequence[_Left]) -> None:
        self.bench, self.session, self.story, self.left = bench, session, story, left
        self.taken: frozenset[int] = frozenset()
        """Processes that were proved to be work of the session."""

    @cached_property
    def rows(self) -> tuple[ProcessInfo, ...]:
        return tuple(self.bench.machine.processes.all())

    @cached_property
    def booted_after(self) -> Stamp | None:
        boot, last = self.bench.machine.processes.boot_time(), self.session.last_activity_at
        return boot if boot is not None and last is not None and boot > last else None

    @cached_property
    def table(self) -> Table:
        processes = self.bench.machine.processes
        # An agent without a reader here: nothing says how its work is marked.
        reader = next((one for one in self.bench.readers if one.agent == self.session.agent), None)
        own = ancestry({row.pid: row for row in self.rows})
        uid = next((row.uid for row in self.rows if row.pid in own and row.uid is not None), None)
        marked: list[ProcessInfo] = []
        plain: list[ProcessInfo] = []
        dark: list[ProcessInfo] = []
        for row in self.rows:
            kernel = not row.argv and row.inspectable
            if row.zombie or kernel or row.pid in own or row.pid in self.session.liveness.owners:
                continue
            environment = processes.environment(row.pid)
            if environment is None:
                dark.append(row)
            elif reader is not None and carries(environment, reader, self.session.session_id):
                marked.append(row)
            else:
                plain.append(row)
        always = reader is not None and reader.marks_children(self.story.summary.version)
        return Table(tuple(marked), tuple(plain), tuple(dark), uid, always)


def _by_number(bench: Workbench, pid: int, at: Stamp | None) -> Leftover:
    """Whether a recorded process still runs: a number that another process took over later proves the end."""
    process = bench.machine.processes.get(pid)
    if process is None or process.zombie:
        return Leftover(running=False, pid=pid, why=f"process {pid}, which the record names, no longer runs")
    if at is None:
        return Leftover(running=None, pid=pid, why=f"process {pid} runs, and the record does not say since when")
    begun = seconds_of(at)
    if process.started > begun + _START:
        return Leftover(running=False, pid=pid, why=f"process number {pid} belongs to a later process now")
    if process.started > begun - _START:
        return Leftover(running=True, pid=pid, why=f"process {pid}, which the record names, started at that time")
    return Leftover(running=None, pid=pid, why=f"process {pid} started long before the record names it")
