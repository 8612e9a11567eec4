"""What the system wrote down, judged: whose end was it?"""

import pytest

from refloat.liveness.cause import (
    Gone,
    explain,
    find_crash_causes,
    find_full_now,
    find_full_then,
    find_kernel_causes,
    find_power_causes,
)
from refloat.model.liveness import Evidence, ProcessInfo
from refloat.model.session import Failure, FailureKind
from refloat.model.stamp import Stamp, later
from refloat.model.traces import CrashFile, LogLine, PowerChange
from refloat.model.transcript import Outcome, StepKind
from refloat.testing.stories import StoryBuilder

LAST = Stamp("2026-09-14T11:00:00.000Z")
NEXT_DAY = later(LAST, 86_400)


def is_claude(process: ProcessInfo) -> bool:
    return process.name == "claude" or any("claude-code/cli.js" in word for word in process.argv)


def gone(*pids: int, until: Stamp = NEXT_DAY) -> Gone:
    return Gone("claude-code", frozenset(pids), LAST, until, is_claude)


def killed(name: str, pid: int, after: float = 3.0) -> LogLine:
    words = (
        f"Out of memory: Killed process {pid} ({name}) total-vm:9123456kB, anon-rss:8000000kB, UID:1000 pgtables:1kB"
    )
    return LogLine(later(LAST, after), words)


@pytest.mark.parametrize(
    "text",
    [
        "Out of memory: Killed process 4242 (node) total-vm:1kB, anon-rss:1kB",
        "Memory cgroup out of memory: Killed process 4242 (node) total-vm:1kB",
        "Killed process 4242 (node), UID 1000, total-vm:1kB",
        "Killed process 4242, UID 1000, (node) total-vm:1kB",
    ],
)
def test_a_kill_of_the_recorded_number_is_the_cause(text: str) -> None:
    (found,) = find_kernel_causes([LogLine(later(LAST, 2), text)], gone(4242))
    assert (found.kind, found.pid, found.at) == ("out_of_memory", 4242, later(LAST, 2))
    assert "(node)" in found.detail


@pytest.mark.parametrize(
    ("line", "pids"),
    [
        (killed("claude", 4243), (4242,)),
        (killed("chrome", 77), ()),
        (killed("node", 77), ()),
        (killed("claude", 77, after=600), ()),
        (killed("claude", 77, after=-90), ()),
        (killed("claude", 4242, after=7200), (4242,)),
        (LogLine(later(LAST, 1), "oom_reaper: reaped process 4242 (claude)"), (4242,)),
    ],
)
def test_without_number_or_name_and_time_no_kill_is_the_cause(line: LogLine, pids: tuple[int, ...]) -> None:
    assert find_kernel_causes([line], gone(*pids)) == []


def test_the_agents_own_name_counts_shortly_after_the_last_record() -> None:
    (found,) = find_kernel_causes([killed("claude", 77, after=100)], gone())
    assert "within 120 s" in found.detail


def test_nothing_after_the_next_boot_is_its_end() -> None:
    assert find_kernel_causes([killed("claude", 4242, after=50)], gone(4242, until=later(LAST, 40))) == []


@pytest.mark.parametrize(
    "text",
    [
        "node[4242]: segfault at 0 ip 00005581 sp 00007ffd error 4 in node[55d0]",
        "traps: claude[4242] trap int3 ip:55d0 sp:7ffd error:0 in claude[55d0]",
        "traps: node[4242] general protection fault ip:55d0 sp:7ffd error:0",
    ],
)
def test_a_fault_of_the_process_is_told(text: str) -> None:
    (found,) = find_kernel_causes([LogLine(later(LAST, 2), text)], gone(4242))
    assert (found.kind, found.pid) == ("kernel_fault", 4242)


def test_crash_files() -> None:
    at = later(LAST, 5)
    core = CrashFile("/var/lib/systemd/coredump/core.node.1", "node", 4242, at, "core dump")
    report = CrashFile(
        "/w/report.json", "node", 9, at, "Allocation failed, OOMError", ("node", "/x/claude-code/cli.js")
    )
    other = CrashFile("/w/report2.json", "node", 9, at, "signal", ("node", "server.js"))
    assert [fact.kind for fact in find_crash_causes([core, report, other], gone(4242))] == ["crash_file"]
    assert [fact.kind for fact in find_crash_causes([core, report, other], gone())] == ["out_of_memory"]


def test_how_the_machine_went_down() -> None:
    before, boot = PowerChange("boot", later(LAST, -900)), PowerChange("boot", later(LAST, 500))
    down = PowerChange("shutdown", later(LAST, 400))
    (told,) = find_power_causes([before, down, boot], gone())
    assert (told.at, "in order" in told.detail) == (down.at, True)
    (told,) = find_power_causes([before, boot], gone())
    assert "no orderly shutdown" in told.detail
    assert find_power_causes([boot], gone()) == []  # the log begins too late to say
    assert find_power_causes([before], gone()) == []
    assert find_power_causes([], gone()) == []


def test_a_full_disk_in_the_record() -> None:
    story = StoryBuilder(workspace="/w")
    story.step(StepKind.READ, output="ENOSPC is an error number", outcome=Outcome.ERROR)
    story.run("cat notes", "No space left on device", exit_code=0)
    story.run("make", "cc: No space left on device", outcome=Outcome.ERROR, exit_code=1)
    plain = Failure(FailureKind.PROCESS_EXIT, "the process is gone", LAST)
    (found,) = find_full_then(story.steps, plain)
    assert (found.kind, "step 3" in found.detail) == ("disk_full", True)
    (found,) = find_full_then([], Failure(FailureKind.UNKNOWN, "Error: ENOSPC: write", LAST))
    assert found.at == LAST
    for _ in range(20):
        story.run("true")
    assert find_full_then(story.steps, plain) == []


def test_a_full_disk_now_is_told_as_of_now() -> None:
    (found,) = find_full_now([("/w", 100), ("/home", 10**9), ("/gone", None)], NEXT_DAY)
    assert (found.at, "full now" in found.detail) == (NEXT_DAY, True)


def test_what_it_adds_up_to() -> None:
    torn = Failure(FailureKind.TRANSCRIPT_DAMAGED, "the last record is cut", LAST)
    assert explain(torn, []) is torn
    full = Evidence("disk_full", "the disk is full", None, LAST)
    assert explain(torn, [full]).kind is FailureKind.TRANSCRIPT_DAMAGED
    kill = Evidence("out_of_memory", "the kernel killed process 7 (node)", 7, later(LAST, 1))
    told = explain(torn, [full, kill])
    assert told.kind is FailureKind.PROCESS_EXIT
    assert told.detail == f"the last record is cut; the disk is full; the kernel killed process 7 (node) at {kill.at}"
