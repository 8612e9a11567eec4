"""What the system does not let be read: named, told apart from what is not there, and never an error of the program."""

import builtins
import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from refloat.errors import NoSuchSession, UsageError
from refloat.hooks.wanted import settings_files
from refloat.model.problem import Problem, only_unread, unread
from refloat.model.search import Asked
from refloat.model.stamp import Stamp
from refloat.readers.registry import load
from refloat.record.store import RecordUnavailable, open_record
from refloat.usecases.answer_search import answer_search
from refloat.usecases.doctor import examine_machine
from refloat.usecases.find_sessions import Scope, list_sessions, resolve
from refloat.usecases.refresh import refresh
from refloat.usecases.saved_record import NothingSaved, open_saved
from refloat.usecases.workbench import Workbench

ONE = "11111111-1111-4111-8111-111111111111"
GARBAGE = "22222222-2222-4222-8222-222222222222"
EMPTY = "33333333-3333-4333-8333-333333333333"


def _shut(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    """Let nothing below a directory be looked up, as its own user has it where the directory's mode is 000."""
    below = f"{place}/"

    def refusing(real: Callable[..., Any], *, itself: bool) -> Callable[..., Any]:
        def refuses(path: Any, *more: Any, **named: Any) -> Any:
            if isinstance(path, str | bytes | os.PathLike):
                told = os.fsdecode(path)
                if told.startswith(below) or (itself and told == str(place)):
                    raise PermissionError(13, "Permission denied", told)
            return real(path, *more, **named)

        return refuses

    for name in ("stat", "lstat", "readlink"):
        monkeypatch.setattr(os, name, refusing(getattr(os, name), itself=False))
    for name in ("open", "scandir", "listdir"):
        monkeypatch.setattr(os, name, refusing(getattr(os, name), itself=True))
    monkeypatch.setattr(io, "open", refusing(io.open, itself=True))
    monkeypatch.setattr(builtins, "open", refusing(builtins.open, itself=True))


@pytest.fixture
def both(home: Any) -> Workbench:
    """A session of each agent."""
    home.write(ONE, *home.talk(ONE, "Mend the importer"))
    thread, at = "0199aaaa-0000-7000-8000-000000000001", "2026-09-01T09:00:00.000Z"
    head = {"id": thread, "timestamp": at, "cwd": str(home.work), "cli_version": "0.147.0"}
    said = {"type": "user_message", "message": "Mend the exporter"}
    rows = [("session_meta", head), ("event_msg", said)]
    day = home.directory / "home" / ".codex" / "sessions" / "2026" / "09" / "01"
    day.mkdir(parents=True)
    text = "".join(json.dumps({"timestamp": at, "type": kind, "payload": told}) + "\n" for kind, told in rows)
    (day / f"rollout-2026-09-01T09-00-00-{thread}.jsonl").write_text(text)
    return Workbench(home.bench.machine, [load("claude-code"), load("codex")])


def _everything(bench: Workbench, here: Path) -> list[Problem]:
    """Ask all that looks around, and return what could not be read."""
    listing = list_sessions(bench, Scope())
    *_, state = refresh(bench)
    assert only_unread(state.problems)
    found = answer_search(bench, Asked(words="exporter"))
    assert found.unreadable
    assert not found.complete
    examine_machine(bench)
    with pytest.raises(NoSuchSession) as fault:
        resolve(bench, "claude-code:99999999", here)
    assert fault.value.exit_code == 3  # it may lie in what could not be read
    return only_unread(listing.problems)


@pytest.mark.parametrize("name", [".claude", ".codex"])
def test_a_directory_of_an_agent_is_shut(both: Workbench, home: Any, monkeypatch: pytest.MonkeyPatch, name: str):
    _shut(monkeypatch, home.directory / "home" / name)
    problems = _everything(both, home.work)
    assert problems
    assert all(f"/{name}" in problem.path for problem in problems)
    left = {session.agent for session in list_sessions(both, Scope()).sessions}
    assert left == {"codex" if name == ".claude" else "claude-code"}  # and the rest is told


def test_the_home_itself_is_shut(both: Workbench, home: Any, monkeypatch: pytest.MonkeyPatch):
    _shut(monkeypatch, home.directory / "home")
    assert _everything(both, home.work)
    assert list_sessions(both, Scope()).sessions == ()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_directory_that_is_really_shut(both: Workbench, home: Any):
    shut = home.directory / "home" / ".claude"
    shut.chmod(0)
    try:
        assert _everything(both, home.work)
    finally:
        shut.chmod(0o700)


def test_settings_that_cannot_be_looked_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    _shut(monkeypatch, tmp_path / "shut")
    assert [path.name for path in settings_files("codex", "user", tmp_path / "shut", tmp_path)] == [
        "hooks.json",
        "config.toml",
    ]


def test_nothing_is_wrong_with_what_is_not_there(both: Workbench, home: Any):
    assert only_unread(list_sessions(both, Scope()).problems) == []
    with pytest.raises(NoSuchSession) as fault:
        resolve(both, "claude-code:99999999", home.work)
    assert fault.value.exit_code == UsageError.exit_code


def test_a_damaged_line_is_not_an_unreadable_file():
    damaged = Problem("/a", 3, 120, "cannot be read")
    assert only_unread([damaged, unread("/b", "Permission denied")]) == [unread("/b", "Permission denied")]


def test_a_record_that_may_not_be_looked_up_is_not_told_as_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    data = tmp_path / "data"
    open_record(data, Stamp("2026-09-14T09:00:00.000Z"), None).close()
    with open_saved(data, tmp_path, {}, Stamp("2026-09-14T10:00:00.000Z")):
        pass
    _shut(monkeypatch, data)
    with pytest.raises(RecordUnavailable, match="Permission denied"):
        open_saved(data, tmp_path, {}, Stamp("2026-09-14T10:00:00.000Z"))


def test_no_record_is_none(tmp_path: Path):
    for data in (tmp_path, tmp_path / "none", tmp_path / "none" / "below"):
        with pytest.raises(NothingSaved):
            open_saved(data, tmp_path, {}, Stamp("2026-09-14T10:00:00.000Z"))


# ── transcripts of which nothing can be read ─────────────────────────────────────────────────────────────────────────


def test_a_transcript_of_garbage_failed_and_an_empty_one_did_not(home: Any):
    home.write(GARBAGE, b"\x00\xffgarbage", b"no json")
    home.write(EMPTY, end=b"")
    told = {session.session_id: session for session in list_sessions(home.bench, Scope()).sessions}
    damaged = told[GARBAGE]
    assert damaged.state == "failed"
    assert damaged.failure is not None
    assert damaged.failure.kind == "transcript_damaged"
    assert "nothing of the transcript could be read" in damaged.failure.detail
    assert told[EMPTY].state == "unbound"
