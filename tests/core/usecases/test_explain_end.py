"""Why a failed session died: asked of failed ones alone, and told everywhere that it is told at all."""

from dataclasses import replace
from pathlib import Path

import pytest

from refloat import wire
from refloat.brief.masks import Masker
from refloat.model.liveness import Evidence
from refloat.model.session import Failure, FailureKind, Session, State
from refloat.model.stamp import Stamp, later
from refloat.model.traces import CrashFile, LogLine, PowerChange
from refloat.readers.claude_code import ClaudeCode
from refloat.testing.fakes import FakeClock, FakeProcesses, FakeTraces, fake_machine
from refloat.testing.samples import crashed
from refloat.usecases.explain_end import explain_end
from refloat.usecases.show_status import show_status
from refloat.usecases.workbench import Workbench
from refloat.usecases.write_brief import write_brief

SAMPLE = crashed()
LAST = SAMPLE.session.last_activity_at or Stamp("")
PID = 41_000


def session_of(kind: FailureKind = FailureKind.PROCESS_EXIT, state: State = State.FAILED) -> Session:
    left = Evidence("register", "its register was left behind", PID, LAST)
    liveness = replace(SAMPLE.session.liveness, evidence=(left,))
    return replace(SAMPLE.session, state=state, failure=Failure(kind, "the process is gone", LAST), liveness=liveness)


def bench_with(tmp_path: Path, traces: FakeTraces, processes: FakeProcesses | None = None) -> Workbench:
    return Workbench(
        fake_machine(tmp_path, clock=FakeClock(later(LAST, 7200)), traces=traces, processes=processes), (ClaudeCode(),)
    )


KILL = LogLine(later(LAST, 2), f"Out of memory: Killed process {PID} (node) total-vm:1kB")


def test_a_kill_for_want_of_memory_is_told_in_status_and_brief(tmp_path: Path) -> None:
    bench = bench_with(tmp_path, FakeTraces(log=[KILL]))
    told = explain_end(bench, session_of(), SAMPLE.story)
    assert told.failure is not None
    assert told.failure.kind is FailureKind.PROCESS_EXIT
    assert "memory ran out" in told.failure.detail
    status = show_status(ClaudeCode(), told, SAMPLE.story)
    assert "out_of_memory" in wire.dump(wire.status(status), masker=Masker())
    brief = write_brief(bench, told, SAMPLE.story, SAMPLE.checkout, SAMPLE.triage)
    (because,) = [line.text for line in brief.brief.previous_attempt if line.text.startswith("Stopped because")]
    assert f"killed process {PID}" in because


@pytest.mark.parametrize(
    "session",
    [session_of(state=state) for state in State if state is not State.FAILED]
    + [session_of(kind) for kind in (FailureKind.API_ERROR, FailureKind.RATE_LIMIT, FailureKind.INTERRUPTED_BY_USER)]
    + [replace(session_of(), last_activity_at=None)],
)
def test_of_no_other_session_is_anything_asked(tmp_path: Path, session: Session) -> None:
    traces = FakeTraces(log=[KILL])
    assert explain_end(bench_with(tmp_path, traces), session, SAMPLE.story) is session
    assert traces.asked == 0


def test_without_traces_a_session_stays_as_it_is(tmp_path: Path) -> None:
    session = session_of()
    assert explain_end(bench_with(tmp_path, FakeTraces()), session, SAMPLE.story) is session


def test_a_crash_file_makes_a_damaged_record_an_exit(tmp_path: Path) -> None:
    crash = CrashFile("/w/core.1", "node", PID, later(LAST, 1), "core dump")
    session = session_of(FailureKind.TRANSCRIPT_DAMAGED)
    told = explain_end(bench_with(tmp_path, FakeTraces(crashes=[crash])), session, SAMPLE.story)
    assert told.failure is not None
    assert told.failure.kind is FailureKind.PROCESS_EXIT
    assert [fact.kind for fact in told.liveness.of_the_end] == ["crash_file"]


def test_a_restart_is_told_with_how_the_machine_went_down(tmp_path: Path) -> None:
    power = [
        PowerChange("boot", later(LAST, -9000)),
        PowerChange("shutdown", later(LAST, 60)),
        PowerChange("boot", later(LAST, 90)),
    ]
    bench = bench_with(
        tmp_path, FakeTraces(log=[replace(KILL, at=later(LAST, 99))], power=power), FakeProcesses(boot=later(LAST, 90))
    )
    told = explain_end(bench, session_of(FailureKind.HOST_RESTART), SAMPLE.story)
    assert [fact.kind for fact in told.liveness.of_the_end] == ["shutdown"]  # the kill came after the boot
    plain = explain_end(bench_with(tmp_path, FakeTraces(power=power)), session_of(), SAMPLE.story)
    assert plain.liveness.of_the_end == ()


def test_a_full_disk_is_told_once_for_all_that_lies_on_it(tmp_path: Path) -> None:
    session = replace(session_of(), workspace="/w", worktree=None)
    path = session.transcript.paths[-1]
    told = explain_end(bench_with(tmp_path, FakeTraces(free={"/w": 10, path: 10})), session, SAMPLE.story)
    assert [(fact.kind, path in fact.detail) for fact in told.liveness.of_the_end] == [("disk_full", True)]
