"""Judges what the system wrote down: is it the end of this session's process? Pure.

Decides by number, name and time together. Refuses to name a cause without a number or a name that fits: a kill for
want of memory in the same minute is no evidence when another program was killed.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from refloat.model.liveness import Evidence, ProcessInfo
from refloat.model.session import Failure, FailureKind
from refloat.model.stamp import Stamp, later
from refloat.model.traces import CrashFile, LogLine, PowerChange
from refloat.model.transcript import Outcome, Step, StepKind

AFTER_SECONDS: Final = 3600.0
"""A trace with the process's own number counts so long after the last record: it may have been silent meanwhile."""
_NAMED_SECONDS: Final = 120.0
"""One with its name alone counts only so long."""
_BEFORE_SECONDS: Final = 60.0
"""Clocks of logs and records differ; the last record may be written after the end was noted."""
_FULL: Final = 1024 * 1024
"""Bytes: with less the next write of a transcript or a build fails."""
_LAST_STEPS: Final = 15


@dataclass(frozen=True, slots=True)
class Gone:
    """A process that ended badly, as far as its session's record and register tell."""

    agent: str
    pids: frozenset[int]
    """Numbers that the agent's register gives it; none where no register was left."""
    last: Stamp
    """The last record."""
    until: Stamp
    """Nothing later can be its end: the next boot, or now."""
    is_agent: Callable[[ProcessInfo], bool]

    @property
    def since(self) -> Stamp:
        """Nothing earlier can be its end."""
        return later(self.last, -_BEFORE_SECONDS)

    def fits(self, program: str, pid: int | None, at: Stamp, argv: Sequence[str] = ()) -> str | None:
        """Why a trace is of this process: by its number, else by the agent's own name; None: it is not."""
        if not self.since <= at <= min(self.until, later(self.last, AFTER_SECONDS)):
            return None
        if self.pids:
            return "the process of this session" if pid in self.pids else None
        if at > later(self.last, _NAMED_SECONDS):
            return None
        own = self.is_agent(_named(program, pid or 0, tuple(argv)))
        return f"a process of {self.agent}, within {_NAMED_SECONDS:.0f} s of the last record" if own else None


def _named(program: str, pid: int, argv: tuple[str, ...]) -> ProcessInfo:
    """A process of which nothing but its name and words is known."""
    return ProcessInfo(
        pid=pid, ppid=0, name=program, argv=argv, cwd=None, started=0.0, start_token="", uid=None, zombie=False,
        stopped=False, terminal=None, inspectable=False,
    )  # fmt: skip


# ── the kernel's log ─────────────────────────────────────────────────────────────────────────────────────────────────

# mm/oom_kill.c: `Out of memory: Killed process 4242 (node) total-vm:…`, `Memory cgroup out of memory: Killed process …`
# (older kernels: `Kill process … or sacrifice child`, then `Killed process …`).
_KILLED: Final = re.compile(r"\bKilled process (?P<pid>\d+),? (?:UID \d+,? )?\((?P<name>.{1,32}?)\)(?:,|:| |$)")
# arch/x86/kernel/traps.c and mm/fault.c: `node[4242]: segfault at 0 ip …`, `traps: claude[4242] trap int3 ip:…`.
_FAULT: Final = re.compile(
    r"(?:traps: )?(?P<name>\S.{0,31}?)\[(?P<pid>\d+)\]:? (?P<what>segfault|trap [\w ]+?|general protection)\b"
)


def find_kernel_causes(lines: Iterable[LogLine], gone: Gone) -> list[Evidence]:
    """Kills for want of memory, and faults, of the session's process."""
    found: list[Evidence] = []
    for line in lines:
        kill = _KILLED.search(line.text)
        match = kill or _FAULT.search(line.text)
        if match is None:
            continue
        pid, name = int(match["pid"]), match["name"]
        why = gone.fits(name, pid, line.at)
        if why is None:
            continue
        if kill:
            words = f"the kernel killed process {pid} ({name}) because memory ran out: {why}"
            found.append(Evidence("out_of_memory", words, pid, line.at))
        else:
            words = f"the kernel stopped process {pid} ({name}) for a fault of its own ({match['what']}): {why}"
            found.append(Evidence("kernel_fault", words, pid, line.at))
    return found


# ── crash files ──────────────────────────────────────────────────────────────────────────────────────────────────────


def find_crash_causes(crashes: Iterable[CrashFile], gone: Gone) -> list[Evidence]:
    """Crash files of the session's process."""
    found: list[Evidence] = []
    for crash in crashes:
        why = gone.fits(crash.program, crash.pid, crash.at, crash.argv) if crash.at else None
        if why is None:
            continue
        memory = "out of memory" in crash.what.lower() or "OOMError" in crash.what
        told = f" ({crash.what})" if crash.what else ""
        who = f"process {crash.pid}" if crash.pid else "a process"
        words = f"{who} ({crash.program or 'unnamed'}) left the crash file {crash.path}{told}: {why}"
        found.append(Evidence("out_of_memory" if memory else "crash_file", words, crash.pid, crash.at))
    return found


# ── the machine itself ───────────────────────────────────────────────────────────────────────────────────────────────


def find_power_causes(changes: Sequence[PowerChange], gone: Gone) -> list[Evidence]:
    """How the machine went down after the last record: in order, or without a word before the next boot."""
    after = [change for change in changes if gone.last < change.at]
    boot = next((change for change in after if change.kind == "boot"), None)
    if boot is None:
        return []
    down = next((change for change in after if change.kind == "shutdown" and change.at <= boot.at), None)
    if down is not None:
        return [Evidence("shutdown", f"the machine was shut down in order at {down.at}", None, down.at)]
    if changes[0].at >= gone.last:
        return []  # the log begins later: a shutdown may have stood in an older one
    words = f"no orderly shutdown is written before the boot at {boot.at}: a loss of power, a reset or a crash"
    return [Evidence("shutdown", words, None, boot.at)]


# ── full file systems ────────────────────────────────────────────────────────────────────────────────────────────────

_NO_SPACE: Final = re.compile(
    r"\bENOSPC\b|\bEDQUOT\b|No space left on device|Disk quota exceeded|not enough space on the disk|\bdisk is full\b",
    re.IGNORECASE,
)
_ONLY_LOOKS: Final = frozenset({StepKind.READ, StepKind.SEARCH, StepKind.WEB})


def find_full_then(steps: Sequence[Step], failure: Failure) -> list[Evidence]:
    """That the record itself says, at its end, that nothing more could be written."""
    found: list[Evidence] = []
    if match := _NO_SPACE.search(failure.detail):
        found.append(Evidence("disk_full", f"the record's last error says: {match.group()}", None, failure.at))
    for step in steps[-_LAST_STEPS:]:
        failed = step.outcome in {Outcome.ERROR, Outcome.INTERRUPTED} and step.kind not in _ONLY_LOOKS
        if failed and (match := _NO_SPACE.search(step.output)):
            words = f"the result of step {step.n} says: {match.group()}"
            found.append(Evidence("disk_full", words, None, step.ended_at or step.at))
    return found[-2:]


def find_full_now(free: Iterable[tuple[str, int | None]], at: Stamp) -> list[Evidence]:
    """File systems that are full now: (path, bytes left). It is not told as a fact of then."""
    return [
        Evidence("disk_full", f"the file system of {path} is full now ({left:,} bytes left)", None, at)
        for path, left in free
        if left is not None and left < _FULL
    ]


# ── what it adds up to ───────────────────────────────────────────────────────────────────────────────────────────────

EXPLAINED: Final = frozenset(
    {
        FailureKind.PROCESS_EXIT,
        FailureKind.HOST_RESTART,
        FailureKind.TRANSCRIPT_DAMAGED,
        FailureKind.UNKNOWN,
    }
)
"""Failures of which the record does not say why: the others tell it themselves."""
_PROVES_EXIT: Final = frozenset({"out_of_memory", "kernel_fault", "crash_file"})


def explain(failure: Failure, evidence: Sequence[Evidence]) -> Failure:
    """The failure with what was found. A trace of the process's own end makes it a `process_exit`."""
    if not evidence:
        return failure
    exited = any(fact.kind in _PROVES_EXIT for fact in evidence)
    kind = FailureKind.PROCESS_EXIT if exited else failure.kind
    return Failure(kind, "; ".join((failure.detail, *(_short(fact) for fact in evidence))), failure.at)


def _short(fact: Evidence) -> str:
    at = f" at {fact.at}" if fact.at and fact.at not in fact.detail and fact.kind in _PROVES_EXIT else ""
    return f"{fact.detail}{at}"
