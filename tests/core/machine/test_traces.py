"""What the system wrote down of bad ends, read from files of the forms that systems use."""

import json
import os
import struct
import sys
from pathlib import Path

import pytest

from refloat.machine.asking import ask
from refloat.machine.crashes import find_crash_files, readable_places
from refloat.machine.traces import SystemTraces, read_journal, read_kmsg
from refloat.machine.wtmp import read_power_changes
from refloat.model.stamp import Stamp
from refloat.model.traces import LogLine, PowerChange

SINCE, UNTIL = Stamp("2026-09-14T00:00:00.000Z"), Stamp("2026-09-15T00:00:00.000Z")
NOON = 1_789_387_200
"""2026-09-14T12:00:00Z"""
AT = Stamp("2026-09-14T12:00:00.000Z")


def test_lines_of_the_journal() -> None:
    text = f"{NOON}.000000 box kernel: Killed process 7 (node)\nnonsense\n-- Boot 0 --\n{NOON}.5 box sshd[1]: hello\n"
    assert read_journal(text) == (LogLine(AT, "Killed process 7 (node)"),)


def test_records_of_the_kernels_memory() -> None:
    record = "6,1024,30000000,-;Out of memory: Killed process 7 (node)\n SUBSYSTEM=memory\n"
    assert read_kmsg(record, NOON - 30.0) == LogLine(AT, "Out of memory: Killed process 7 (node)")
    for broken in ("", "words", "6,1;x", "6,1,x,-;words"):
        assert read_kmsg(broken, 0.0) is None


NARROW = "<hxxi32s4s32s256shhiii16s20s"
WIDE = "<hxxi32s4s32s256shhqqq16s20s4x"


def login(form: str, kind: int, user: bytes, seconds: int) -> bytes:
    return struct.pack(form, kind, 0, b"~", b"~~", user, b"6.1.0", 0, 0, 0, seconds, 0, b"", b"")


@pytest.mark.parametrize("form", [NARROW, WIDE])
def test_boots_and_shutdowns(tmp_path: Path, form: str) -> None:
    path = tmp_path / "wtmp"
    rows = [(2, b"reboot", NOON - 99), (7, b"ana", NOON - 50), (1, b"runlevel", NOON - 9), (1, b"shutdown", NOON)]
    path.write_bytes(b"".join(login(form, *row) for row in rows))
    found = read_power_changes(path)
    assert found is not None
    assert [change.kind for change in found] == ["boot", "shutdown"]
    assert found[-1] == PowerChange("shutdown", AT)


def test_what_is_no_login_record_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "wtmp"
    assert read_power_changes(path) is None
    for content in (b"", b"x" * 384, b"\0" * 400, b"short"):
        path.write_bytes(content)
        assert read_power_changes(path) is None


def test_crash_files_are_found_by_name_and_time(tmp_path: Path) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    reports = home / "Library/Logs/DiagnosticReports"
    reports.mkdir(parents=True)
    work.mkdir()
    head = {"app_name": "node", "timestamp": "2026-09-14 14:00:00.00 +0200", "bug_type": "309"}
    body = {
        "pid": 4242,
        "procName": "node",
        "captureTime": "2026-09-14 14:00:00.0000 +0200",
        "exception": {"type": "EXC_CRASH", "signal": "SIGABRT"},
    }
    (reports / "node-2026-09-14-140000.ips").write_text(json.dumps(head) + "\n" + json.dumps(body))
    (reports / "broken.ips").write_text("{")
    node = {
        "header": {
            "event": "Allocation failed - JavaScript heap out of memory",
            "trigger": "OOMError",
            "dumpEventTime": "2026-09-14T12:00:00Z",
            "processId": 51,
            "commandLine": ["node", "cli.js"],
        }
    }
    (work / "report.20260914.120000.51.0.001.json").write_text(json.dumps(node))
    (work / "report.json").write_text(json.dumps(node))
    (work / f"core.node.1000.{'a' * 32}.77.{NOON}000000.zst").write_bytes(b"")
    (work / f"core.node.1000.{'a' * 32}.78.{NOON - 10**6}000000.zst").write_bytes(b"")
    core = work / "core.99"
    core.write_bytes(b"")
    os.utime(core, (NOON, NOON))
    (work / "core.100").symlink_to(core)
    found = {crash.pid: crash for crash in find_crash_files(home, [str(work), str(work)], SINCE, UNTIL)}
    assert set(found) >= {4242, 51, 77, 99}
    assert not {78, 100} & set(found)
    assert found[4242].what == "EXC_CRASH, SIGABRT"
    assert (found[51].argv, "OOMError" in found[51].what) == (("node", "cli.js"), True)
    assert {found[pid].at for pid in (4242, 51, 77, 99)} == {AT}
    assert str(reports) in readable_places(home)


def test_a_folder_that_cannot_be_read_holds_nothing(tmp_path: Path) -> None:
    nothing = find_crash_files(tmp_path, [str(tmp_path / "missing"), str(tmp_path / "\0")], SINCE, UNTIL)
    assert [crash for crash in nothing if crash.path.startswith(str(tmp_path))] == []


def test_free_space_is_told_where_a_path_would_lie(tmp_path: Path) -> None:
    traces = SystemTraces(tmp_path)
    free = traces.free_bytes(str(tmp_path / "not" / "made" / "yet"))
    assert free is not None
    assert free > 0
    assert traces.free_bytes(str(tmp_path / "a\0b")) == pytest.approx(free, rel=0.5)  # pyright: ignore[reportUnknownMemberType] - pytest's own


def test_every_question_gets_an_answer_on_this_machine(tmp_path: Path) -> None:
    traces = SystemTraces(tmp_path)
    lines = traces.kernel_log(SINCE, UNTIL)
    assert lines is None or all(line.at >= SINCE for line in lines)
    changes = traces.power_changes()
    assert changes is None or all(change.kind in {"boot", "shutdown"} for change in changes)
    assert all(isinstance(words, str) for words in traces.readable(UNTIL))


def test_a_tool_that_is_not_there_or_does_not_answer_says_nothing() -> None:
    assert ask("no-such-tool-anywhere", seconds=5) is None
    assert ask(sys.executable, "-c", "import sys; sys.stdin.read(); print('x' * 9)", seconds=60, most=4) is not None
    assert ask("sleep", "600", seconds=0.01) is None
