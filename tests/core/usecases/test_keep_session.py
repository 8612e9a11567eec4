"""Sessions kept: listed, read and named like any other when only the copy is left, and told when it is damaged."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from refloat import wire
from refloat.brief.masks import Masker
from refloat.errors import NotDone
from refloat.readers.codex import Codex
from refloat.testing.fakes import fake_machine
from refloat.usecases.doctor import examine_machine
from refloat.usecases.find_sessions import Finder, Scope, list_sessions, resolve
from refloat.usecases.keep_session import keep_due, keep_session
from refloat.usecases.read_session import read_story
from refloat.usecases.show_status import find_next, show_status
from refloat.usecases.workbench import Workbench

ID = "11111111-0000-4000-8000-000000000001"
OTHER = "22222222-0000-4000-8000-000000000001"
DAY = 86_400
NOW = 1_789_387_200  # the fakes' clock: 2026-09-14T12:00:00Z


def keep(home: Any, ref: str = ID) -> Any:
    return keep_session(home.bench, resolve(home.bench, ref, home.work))


def one(home: Any) -> Any:
    (session,) = list_sessions(home.bench, Scope()).sessions
    return session


def delete(home: Any) -> None:
    shutil.rmtree(home.directory / "home" / ".claude")


def write_all(home: Any) -> dict[str, Path]:
    """A session with everything beside it that an agent leaves."""
    config = home.directory / "home" / ".claude"
    home.write(ID, *home.talk(ID))
    rows = [{**row, "isSidechain": True, "agentId": "a1"} for row in home.talk(ID, "Look around")]
    places = {
        "subagent": config / "projects" / "p" / ID / "subagents" / "agent-a1.jsonl",
        "result": config / "projects" / "p" / ID / "tool-results" / "toolu_1.txt",
        "backup": config / "file-history" / ID / "0123456789abcdef@v1",
        "todo": config / "todos" / f"{ID}-agent-{ID}.json",
        "task": config / "tasks" / ID / "1.json",
    }
    for name, path in places.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(map(json.dumps, rows)) + "\n" if name == "subagent" else f"{name}\n")
    (config / "todos" / f"{OTHER}-agent-{OTHER}.json").write_text("[]")
    (config / "file-history" / ID / "link").symlink_to("/etc/hostname")
    return places


def test_transcript_and_side_files_are_kept_and_nobody_elses(home: Any):
    places = write_all(home)
    kept = keep(home)
    assert {file.path for file in kept.copy.files} == {str(home.path(ID)), *map(str, places.values())}
    assert [file.path for file in kept.copy.files if file.role == "transcript"] == [
        str(home.path(ID)),
        str(places["subagent"]),
    ]
    document = wire.keep(kept)
    assert document["session"] == f"claude-code:{ID}"
    assert document["bytes"] == sum(path.stat().st_size for path in (home.path(ID), *places.values()))
    assert document["sha256"] == kept.copy.sha256


def test_a_kept_one_whose_original_is_there_is_told_once(home: Any):
    home.write(ID, *home.talk(ID))
    before = one(home)
    assert before.kept is None
    keep(home)
    after = one(home)
    assert after.kept is not None
    assert not after.kept.original_gone
    assert after.transcript == before.transcript


def test_after_the_agent_deleted_it_everything_still_answers(home: Any):
    write_all(home)
    bench = home.bench
    located = resolve(bench, ID, home.work)
    before = read_story(located.reader, located.found)
    keep(home)
    delete(home)
    listing = list_sessions(home.bench, Scope())
    (session,) = listing.sessions
    assert listing.problems == ()
    assert (session.title, session.prompts, session.turns) == ("Make it retry", 1, 1)
    assert [sub.id for sub in session.subagents] == ["a1"]
    assert session.kept is not None
    assert session.kept.original_gone
    found = resolve(home.bench, ID[:6], home.work)
    story = read_story(found.reader, found.found)
    assert [(item.type, item.text) for item in story.items] == [(item.type, item.text) for item in before.items]
    assert list(story.subagents) == list(before.subagents)
    status = show_status(found.reader, found.session, story)
    assert status.session.kept == session.kept
    assert wire.read_session(wire.session(session)) == session
    # A second run knows it from the catalogue; a second look does not list it twice.
    finder = Finder(home.bench)
    assert [one.session_id for one in finder.find(Scope()).sessions] == [ID]
    assert [one.session_id for one in finder.find(Scope()).sessions] == [ID]
    assert list_sessions(home.bench, Scope()).records_gone == ()


def test_the_agents_own_resume_is_not_offered_for_what_it_does_not_have(home: Any):
    home.write(ID, *home.talk(ID))
    reader = home.bench.reader("claude-code")
    assert find_next(reader, one(home)).operation == "continue"
    keep(home)
    assert find_next(reader, one(home)).operation == "continue"
    delete(home)
    next_ = find_next(reader, one(home))
    assert next_.operation == "new_linked"
    assert "only Refloat's copy" in next_.why
    assert list_sessions(home.bench, Scope(resumable=True)).sessions == ()


def test_one_that_comes_back_is_read_from_the_original_again(home: Any):
    home.write(ID, *home.talk(ID))
    keep(home)
    delete(home)
    assert one(home).kept.original_gone
    home.write(ID, *home.talk(ID))
    session = one(home)
    assert not session.kept.original_gone
    assert session.transcript.paths == (str(home.path(ID)),)


def test_growth_is_kept_by_keeping_again(home: Any):
    home.write(ID, *home.talk(ID))
    assert keep(home).changed
    assert not keep(home).changed
    home.append(ID, home.row(ID, 3, "user", "And push", promptSource="typed"))
    assert keep(home).changed
    delete(home)
    assert one(home).prompts == 2


def test_what_is_only_left_as_a_copy_is_not_copied_from_itself(home: Any):
    home.write(ID, *home.talk(ID))
    first = keep(home)
    delete(home)
    again = keep(home)
    assert (again.copy, again.changed) == (first.copy, False)
    assert again.missing == (str(home.path(ID)),)


def test_keeping_what_is_only_left_as_a_damaged_copy_says_so(home: Any):
    home.write(ID, *home.talk(ID))
    first = keep(home)
    delete(home)
    assert keep(home).damaged == ()
    (packed,) = first.copy.directory.glob("*.zst")
    packed.write_bytes(packed.read_bytes()[:-3])
    again = keep(home)
    assert [(path, "damaged" in what) for path, what in again.damaged] == [(str(home.path(ID)), True)]
    assert wire.keep(again)["damaged"]


def test_a_damaged_copy_is_told_and_the_rest_is_read(home: Any):
    places = write_all(home)
    kept = keep(home)
    delete(home)
    (damaged,) = [file for file in kept.copy.files if file.path == str(places["subagent"])]
    (kept.copy.directory / f"{damaged.sha256}.zst").write_bytes(b"rubbish")
    session = one(home)
    assert session.title == "Make it retry"
    assert [problem.path for problem in session.transcript.problems] == [str(places["subagent"])]
    warned = [row for row in examine_machine(home.bench).warnings if row.path == str(places["subagent"])]
    assert "damaged" in warned[0].what


def test_a_cache_that_cannot_be_written_is_told(home: Any):
    home.write(ID, *home.talk(ID))
    keep(home)
    delete(home)
    cache = home.bench.machine.places.cache
    shutil.rmtree(cache, ignore_errors=True)
    cache.parent.mkdir(parents=True, exist_ok=True)
    cache.write_text("in the way")
    listing = list_sessions(home.bench, Scope())
    assert [("cannot be unpacked" in problem.what) for problem in listing.problems] == [True]


def test_a_damaged_manifest_is_told(home: Any):
    home.write(ID, *home.talk(ID))
    kept = keep(home)
    delete(home)
    manifest = kept.copy.directory / "manifest.json"
    manifest.write_bytes(manifest.read_bytes().replace(b"transcript", b"transcripts"))
    listing = list_sessions(home.bench, Scope())
    assert listing.sessions == ()
    assert [problem.path for problem in listing.problems] == [str(manifest)]
    with pytest.raises(NotDone):
        delete_and_keep(home)


def delete_and_keep(home: Any) -> None:
    """The copy is damaged after it was found."""
    home.write(OTHER, *home.talk(OTHER))
    kept = keep(home, OTHER)
    delete(home)
    located = resolve(home.bench, OTHER, home.work)
    (kept.copy.directory / "manifest.json").write_bytes(b"{}")
    keep_session(home.bench, located)


def test_secrets_are_counted_and_stay_exact(home: Any):
    secret = "ghp_" + "Zb3" * 12
    home.write(ID, *home.talk(ID, f"Use {secret}"))
    kept = keep(home)
    assert kept.secrets == 1
    delete(home)
    path = Path(one(home).transcript.paths[0])
    assert secret in path.read_text()
    assert secret not in wire.dump(wire.keep(kept), masker=Masker())


# ── what is due ──────────────────────────────────────────────────────────────────────────────────────────────────────


def aged(home: Any, session: str, days: float) -> None:
    path = home.write(session, *home.talk(session))
    os.utime(path, (NOW - days * DAY, NOW - days * DAY))


def due_warning(home: Any) -> list[str]:
    return [row.what for row in examine_machine(home.bench).warnings if "clean-up" in row.what]


def test_doctor_names_how_many_go_within_a_week_and_the_command(home: Any):
    aged(home, ID, 22.9)
    assert due_warning(home) == []
    aged(home, ID, 23.1)
    aged(home, OTHER, 40)
    (said,) = due_warning(home)
    assert said.startswith("2 transcripts of Claude Code are deleted by its clean-up within 7 days")
    assert "refloat keep --all-due" in said


@pytest.mark.parametrize(
    ("settings", "due"),
    [
        ('{"cleanupPeriodDays": 99999}', False),
        ('{"cleanupPeriodDays": 8}', True),
        ('{"cleanupPeriodDays": 0}', False),
        ('{"cleanupPeriodDays": "8"}', False),
        ('{"cleanupPeriodDays": true}', False),
        ("{", False),
    ],
)
def test_the_agents_setting_counts(home: Any, settings: str, *, due: bool):
    aged(home, ID, 2)
    (home.directory / "home" / ".claude" / "settings.json").write_text(settings)
    assert bool(due_warning(home)) is due


def test_all_that_is_due_is_kept_at_once_and_then_nothing_is(home: Any):
    aged(home, ID, 25)
    aged(home, OTHER, 1)
    many = keep_due(home.bench)
    assert [kept.copy.session for kept in many.kept] == [f"claude-code:{ID}"]
    assert due_warning(home) == []
    assert keep_due(home.bench).kept == ()
    home.append(ID, home.row(ID, 3, "user", "And push", promptSource="typed"))
    os.utime(home.path(ID), (NOW - 25 * DAY, NOW - 25 * DAY))
    assert len(keep_due(home.bench).kept) == 1


def test_one_given_by_path_is_kept_and_its_process_stays_unknowable(home: Any):
    path = home.directory / "from elsewhere" / f"{ID}.jsonl"
    path.parent.mkdir()
    home.write(ID, *home.talk(ID))
    home.path(ID).rename(path)
    keep(home, str(path))
    session = one(home)
    assert session.liveness.verdict == "unknowable"
    assert session.title == "Make it retry"


# ── another agent ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_codex_threads_are_kept_too(tmp_path: Path):
    thread = "0199aaaa-0000-7000-8000-000000000001"
    (tmp_path / "work").mkdir()
    day = tmp_path / "home" / ".codex" / "sessions" / "2026" / "09" / "01"
    day.mkdir(parents=True)
    at = "2026-09-01T09:00:00.000Z"
    head = {"id": thread, "timestamp": at, "cwd": str(tmp_path / "work"), "cli_version": "0.147.0"}
    said = {"type": "user_message", "message": "Fix it"}
    rows = [
        {"timestamp": at, "type": "session_meta", "payload": head},
        {"timestamp": at, "type": "event_msg", "payload": said},
    ]
    rollout = day / f"rollout-2026-09-01T09-00-00-{thread}.jsonl"
    rollout.write_text("".join(json.dumps(row) + "\n" for row in rows))
    bench = Workbench(fake_machine(tmp_path), [Codex()])
    before = list_sessions(bench, Scope()).sessions[0]
    keep_session(bench, resolve(bench, thread, tmp_path))
    shutil.rmtree(tmp_path / "home" / ".codex")
    (after,) = list_sessions(bench, Scope()).sessions
    assert (after.title, after.prompts, after.workspace) == (before.title, before.prompts, before.workspace)
    assert after.kept is not None
    assert after.kept.original_gone
