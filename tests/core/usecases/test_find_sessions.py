"""Finding sessions: with and without a catalogue the same, from what is kept as from what is read."""

import json
import os
import re
import shutil
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from refloat.catalogue.store import Catalogue
from refloat.errors import NoSuchSession, Unreadable, UsageError
from refloat.model.liveness import Verdict
from refloat.model.session import State
from refloat.readers.claude_code import ClaudeCode
from refloat.testing.fakes import process
from refloat.usecases import frozen, recall
from refloat.usecases.find_sessions import Finder, Listing, Scope, list_sessions, resolve, watch_sessions
from refloat.usecases.reading import read_summary

IDS = [f"{digit * 8}-0000-4000-8000-000000000001" for digit in "1234"]


def ids(listing: Listing) -> list[str]:
    return [session.session_id for session in listing.sessions]


def test_newest_activity_first_then_by_id(home: Any):
    for session, minute in zip(IDS[:3], (1, 5, 5), strict=True):
        home.write(session, *home.talk(session, minute=minute))
    assert ids(list_sessions(home.bench, Scope())) == [IDS[1], IDS[2], IDS[0]]


def test_a_second_list_reads_nothing_and_says_the_same(home: Any, monkeypatch: pytest.MonkeyPatch):
    for session in IDS:
        home.write(session, *home.talk(session))
    first = list_sessions(home.bench, Scope())
    monkeypatch.setattr(recall, "read_summary", None)
    monkeypatch.setattr(ClaudeCode, "identify", None)
    assert list_sessions(home.bench, Scope()) == first


def test_a_grown_file_is_read_on_from_where_reading_stopped(home: Any, monkeypatch: pytest.MonkeyPatch):
    home.write(IDS[0], *home.talk(IDS[0]))
    list_sessions(home.bench, Scope())
    starts: list[int] = []
    real = read_summary

    def noted(reader: Any, found: Any, subagent: Any, start: Any, *more: Any, **words: Any) -> Any:
        starts.append(start.cursor.line if start else 0)
        return real(reader, found, subagent, start, *more, **words)

    monkeypatch.setattr(recall, "read_summary", noted)
    home.append(IDS[0], home.row(IDS[0], 3, "user", "And push", promptSource="typed"))
    (session,) = list_sessions(home.bench, Scope()).sessions
    assert starts == [2]
    assert (session.prompts, session.state, session.title) == (2, State.FAILED, "Make it retry")


@pytest.mark.parametrize("how", ["in place", "shortened and written on"])
def test_a_rewritten_file_is_read_anew(home: Any, how: str):
    path = home.write(IDS[0], *home.talk(IDS[0], prompt="The first"))
    list_sessions(home.bench, Scope())
    one, two = home.talk(IDS[0], prompt="The first" if how != "in place" else "Another")
    rows = [one, *(home.row(IDS[0], n, "user", f"More {n}", promptSource="typed") for n in (3, 4)), two]
    path.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in rows))
    kept = list_sessions(home.bench, Scope())
    shutil.rmtree(home.directory / "cache")
    assert kept == list_sessions(home.bench, Scope())


def test_everything_works_without_a_catalogue(home: Any):
    (home.directory / "cache").write_text("in the way")
    for session in IDS:
        home.write(session, *home.talk(session))
    finder = Finder(home.bench)
    assert len(finder.find(Scope()).sessions) == 4
    home.append(IDS[0], home.row(IDS[0], 3, "user", "And push", promptSource="typed"))
    assert sorted(session.prompts for session in finder.find(Scope()).sessions) == [1, 1, 1, 2]
    assert resolve(home.bench, IDS[2][:5], home.work).session.session_id == IDS[2]


@pytest.mark.parametrize(("at", "words"), [(2, "the likely one"), (0, "more likely its session")])
def test_one_alone_is_judged_with_those_that_its_process_may_own_as_well(home: Any, at: int, words: str):
    for n, session in enumerate(IDS[:3]):
        home.write(session, *home.talk(session, minute=n))
    list_sessions(home.bench, Scope())
    home.processes.rows = [process(70, cwd=str(home.work))]
    told = resolve(home.bench, IDS[at], home.work).session
    assert told.liveness.verdict is Verdict.CANDIDATE
    assert words in told.liveness.evidence[0].detail


def test_no_secret_of_a_title_reaches_the_disk(home: Any):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    home.write(IDS[0], *home.talk(IDS[0], prompt=f"Use the token {secret} please"))
    (session,) = list_sessions(home.bench, Scope()).sessions
    assert secret in session.title
    kept = b"".join(path.read_bytes() for path in (home.directory / "cache").iterdir())
    assert secret.encode() not in kept
    (again,) = list_sessions(home.bench, Scope()).sessions
    assert "Use the token" in again.title
    assert secret not in again.title


def test_no_secret_of_a_branch_a_model_an_id_or_an_edited_path_reaches_the_disk(home: Any):
    secret = "npm_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    path = f"/work/a/{secret}/app.py"
    use = {"type": "tool_use", "id": "t1", "name": "Write", "input": {"file_path": path, "content": "x"}}
    rows = (*home.talk(IDS[0]), home.row(IDS[0], 3, "assistant", [use]))
    rows = [*rows, home.row(IDS[0], 4, "assistant", [{"type": "text", "text": "Done."}])]
    rows[-1]["message"]["model"] = rows[-1]["uuid"] = secret
    home.write(IDS[0], *(row | {"gitBranch": f"try-{secret}"} for row in rows))
    assert [each.branch for each in list_sessions(home.bench, Scope()).sessions] == [f"try-{secret}"]
    kept = b"".join(each.read_bytes() for each in (home.directory / "cache").iterdir())
    assert secret.encode() not in kept
    assert [each.edits for each in Finder(home.bench).find(Scope()).sessions] == [1]
    with Catalogue.open(home.directory / "cache") as catalogue:  # pyright: ignore[reportOptionalContextManager]
        assert catalogue.editors([path]) == {("claude-code", IDS[0])}
        assert catalogue.editors(catalogue.edited()) == {("claude-code", IDS[0])}
        assert catalogue.editors([path.replace("app", "lib")]) == frozenset()


@pytest.mark.parametrize("call_id", ["t1", "#t1"])
def test_no_secret_of_an_open_call_reaches_the_disk_and_reading_goes_on_behind_it(
    home: Any, monkeypatch: pytest.MonkeyPatch, call_id: str
):
    password = "uNfgX7rn4" + "Ey0VuA6"
    command = {"command": f"pg_dump postgres://user:{password}@db.example:5432/x"}
    use = {"type": "tool_use", "id": call_id, "name": "Bash", "input": command}
    call = home.row(IDS[0], 3, "assistant", [use])
    answer = home.row(IDS[0], 4, "user", [{"type": "tool_result", "tool_use_id": call_id, "content": "done"}])
    ended = home.row(IDS[0], 5, "assistant", [{"type": "text", "text": "Done."}])
    home.write(IDS[0], *home.talk(IDS[0]), call)
    finder = Finder(home.bench)
    assert [each.dangling for each in finder.find(Scope()).sessions] == [1]

    def kept() -> bytes:
        return b"".join(path.read_bytes() for path in (home.directory / "cache").iterdir())

    assert password.encode() not in kept()
    home.append(IDS[0], answer)
    starts: list[bool] = []
    make = recall.make

    def noted(reader: Any, found: Any, start: Any, *rest: Any, **named: Any) -> Any:
        starts.append(bool(start))
        return make(reader, found, start, *rest, **named)

    monkeypatch.setattr(recall, "make", noted)
    monkeypatch.setattr("refloat.usecases.read_many.make", noted)
    for look in (finder, Finder(home.bench)):
        assert [each.dangling for each in look.find(Scope()).sessions] == [0]
    assert starts == [True], "read on in memory, and kept whole once nothing secret is open"
    home.append(IDS[0], ended)
    assert [each.steps for each in Finder(home.bench).find(Scope()).sessions] == [1]
    assert starts == [True, True]
    assert password.encode() not in kept()


def test_no_secret_is_sought_in_the_packed_numbers_of_a_session(home: Any, monkeypatch: pytest.MonkeyPatch):
    told: list[str] = []

    def note(strings: Sequence[str]) -> bool:
        told.extend(strings)
        return False

    monkeypatch.setattr(frozen, "hold_secret", note)
    home.write(IDS[0], *home.talk(IDS[0]))
    assert [each.session_id for each in Finder(home.bench).find(Scope()).sessions] == [IDS[0]]
    assert told
    assert [text for text in told if re.fullmatch("[A-Za-z0-9+/]{8,}={1,2}", text)] == [], "base64 looks like a token"


def test_the_first_batch_comes_from_the_catalogue_before_the_disk_is_looked_at(home: Any):
    home.write(IDS[0], *home.talk(IDS[0]))
    list_sessions(home.bench, Scope())
    home.write(IDS[1], *home.talk(IDS[1]))
    looked = home.processes.looks
    batches = watch_sessions(home.bench, home.work)
    first = next(batches)
    assert (home.processes.looks, first.provisional, first.complete) == (looked, True, False)
    assert [session.session_id for session in first.sessions] == [IDS[0]]
    last = list(batches)[-1]
    assert last.complete
    assert last.here == {f"claude-code:{each}" for each in IDS[:2]}


def test_a_look_can_be_stopped_between_two_files_and_keeps_what_it_read(home: Any):
    for at, session in enumerate(IDS):
        os.utime(home.write(session, *home.talk(session)), (1_780_000_000 + at, 1_780_000_000 + at))
    asked: list[int] = []
    batches = list(watch_sessions(home.bench, stop=lambda: asked.append(1) or len(asked) > 2))
    assert not any(batch.complete for batch in batches)
    with sqlite3.connect(home.directory / "cache" / "catalogue.db") as kept:
        rows = kept.execute("SELECT session_id FROM readings ORDER BY session_id").fetchall()
    kept.close()
    assert rows == [(IDS[2],), (IDS[3],)]


def test_what_could_not_be_read_is_told_and_removes_nothing(home: Any, monkeypatch: pytest.MonkeyPatch):
    home.write(IDS[0], *home.talk(IDS[0]), project="shut")
    home.write(IDS[1], *home.talk(IDS[1]), project="open")
    finder = Finder(home.bench)
    list(finder.watch())
    real = os.open

    def opened(path: str, *more: int) -> int:
        if str(path).endswith("shut"):
            raise PermissionError(13, "Permission denied", path)
        return real(path, *more)

    monkeypatch.setattr(os, "open", opened)
    last = list(finder.watch())[-1]
    assert last.removed == ()
    assert [(Path(problem.path).name, problem.what) for problem in last.problems or ()] == [
        ("shut", "cannot be looked into: Permission denied")
    ]
    monkeypatch.undo()
    home.path(IDS[0], "shut").unlink()
    assert list(finder.watch())[-1].removed == (f"claude-code:{IDS[0]}",)


def test_a_source_that_goes_on_too_takes_its_rows_back(home: Any):
    copied = [
        home.row(IDS[1], n, kind, said, of=IDS[0]) for n, kind, said in ((1, "user", "One"), (2, "assistant", "1"))
    ]
    home.write(IDS[0], *home.talk(IDS[0], prompt="One"))
    home.write(IDS[1], *copied, home.row(IDS[1], 3, "user", "Two", minute=2, promptSource="typed"))
    (fork,) = list_sessions(home.bench, Scope()).sessions
    assert (fork.session_id, fork.prompts, fork.parent) == (IDS[1], 2, f"claude-code:{IDS[0]}")
    home.append(IDS[0], home.row(IDS[0], 3, "user", "Three", minute=1, promptSource="typed"))
    for _ in ("read", "kept"):
        told = {row.session_id: row for row in list_sessions(home.bench, Scope()).sessions}
        assert {name: row.prompts for name, row in told.items()} == {IDS[0]: 2, IDS[1]: 1}
    assert told[IDS[1]].parent == f"claude-code:{IDS[0]}"
    assert resolve(home.bench, IDS[0], home.work).session.superseded_by is None


def test_a_copy_that_goes_on_hides_the_one_that_it_carries(home: Any):
    home.write(IDS[0], *home.talk(IDS[0]))
    more = [home.row(IDS[1], 3, "user", "Go on", minute=9, promptSource="typed")]
    home.write(IDS[1], *home.talk(IDS[1], of=IDS[0]), *more)
    branch = home.row(IDS[2], 9, "user", "Another way", promptSource="typed", of=IDS[2])
    home.write(IDS[2], home.talk(IDS[2], of=IDS[0])[0], branch)
    assert IDS[0] not in ids(list_sessions(home.bench, Scope()))
    every = {row.session_id: row.superseded_by for row in list_sessions(home.bench, Scope(all_copies=True)).sessions}
    assert every == {IDS[0]: f"claude-code:{IDS[1]}", IDS[1]: None, IDS[2]: None}
    assert resolve(home.bench, IDS[0], home.work).session.superseded_by == f"claude-code:{IDS[1]}"


def test_filters(home: Any):
    other = home.work / "sub"
    home.write(IDS[0], *home.talk(IDS[0]))
    home.write(IDS[1], *home.talk(IDS[1], cwd=str(other)))
    home.write(IDS[2], home.row(IDS[2], 1, "user", "Never answered", promptSource="typed"))
    assert set(ids(list_sessions(home.bench, Scope(state=State.FAILED)))) == {IDS[2]}
    assert ids(list_sessions(home.bench, Scope(resumable=True))) == [IDS[0]], "the other one's directory is gone"
    other.mkdir()
    assert set(ids(list_sessions(home.bench, Scope(resumable=True)))) == {IDS[0], IDS[1]}
    assert ids(list_sessions(home.bench, Scope(cwd=other))) == [IDS[1]]
    assert len(ids(list_sessions(home.bench, Scope(cwd=home.work, limit=2)))) == 2
    assert ids(list_sessions(home.bench, Scope(agent="codex"))) == []


def test_growth_between_two_looks_leaves_the_session_unresolved(home: Any):
    home.write(IDS[0], *home.talk(IDS[0]))
    finder = Finder(home.bench)
    assert finder.find(Scope()).sessions[0].state is State.STOPPED
    home.append(IDS[0], home.row(IDS[0], 3, "assistant", [{"type": "text", "text": "More."}]))
    assert finder.find(Scope()).sessions[0].state is State.UNRESOLVED
    assert finder.find(Scope()).sessions[0].state is State.STOPPED


def test_a_running_agent_is_seen_in_what_is_kept_too(home: Any):
    home.write(IDS[0], *home.talk(IDS[0], version="1.0.98"))
    list_sessions(home.bench, Scope())
    home.processes.rows = [process(42, cwd=str(home.work))]
    (session,) = list_sessions(home.bench, Scope()).sessions
    assert session.state is State.UNRESOLVED
    assert next(watch_sessions(home.bench)).sessions[0].state is State.UNRESOLVED


# ── one of them ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_names(home: Any):
    for at, session in enumerate(IDS):
        home.write(session, *home.talk(session, minute=at))
    for ref in (IDS[1], IDS[1][:3], f"claude-code:{IDS[1]}", f"claude-code:{IDS[1][:4]}", str(home.path(IDS[1]))):
        assert resolve(home.bench, ref, home.work).session.session_id == IDS[1]
    assert resolve(home.bench, "last", home.work).session.session_id == IDS[3]
    assert resolve(home.bench, f"p/{IDS[0]}.jsonl", home.projects).session.session_id == IDS[0]


def test_only_the_named_session_is_opened(home: Any, monkeypatch: pytest.MonkeyPatch):
    for session in IDS:
        home.write(session, *home.talk(session))
    read: list[str] = []
    real = read_summary

    def noted(reader: Any, found: Any, *more: Any, **words: Any) -> Any:
        read.append(found.session_id)
        return real(reader, found, *more, **words)

    monkeypatch.setattr(recall, "read_summary", noted)
    resolve(home.bench, IDS[2][:6], home.work)
    assert read == [IDS[2]]


def test_unknown_and_doubtful_names_come_with_those_that_are_like_them(home: Any):
    for session in [*IDS, IDS[0][:-1] + "2"]:
        home.write(session, *home.talk(session, prompt=f"Repair {session[0]}"))
    with pytest.raises(NoSuchSession) as unknown:
        resolve(home.bench, "22222229", home.work)
    assert unknown.value.nearest == (f"claude-code:{IDS[1]}",)
    with pytest.raises(NoSuchSession, match="refloat list --all") as unlike:
        resolve(home.bench, "nosuch", home.work)
    assert unlike.value.nearest == (), "a name that shares nothing with the word is no help"
    with pytest.raises(NoSuchSession) as doubtful:
        resolve(home.bench, IDS[0][:8], home.work)
    assert doubtful.value.ambiguous
    assert len(doubtful.value.nearest) == 2
    list_sessions(home.bench, Scope())
    with pytest.raises(NoSuchSession) as titled:
        resolve(home.bench, "repair 3", home.work)
    assert titled.value.nearest[0] == f"claude-code:{IDS[2]}"


def test_a_transcript_from_anywhere_is_recognised_and_unresolved(home: Any, tmp_path: Path):
    away = tmp_path / "mail" / f"{IDS[0]}.jsonl"
    away.parent.mkdir()
    away.write_bytes(home.write(IDS[0], *home.talk(IDS[0])).read_bytes())
    home.path(IDS[0]).unlink()
    located = resolve(home.bench, str(away), home.work)
    assert located.found.by_path
    assert located.session.state is State.UNRESOLVED
    assert not (home.directory / "cache" / "catalogue.db").exists() or not list_sessions(home.bench, Scope()).sessions


def test_paths_that_hold_no_session(home: Any, tmp_path: Path):
    home.write(IDS[0], *home.talk(IDS[0]))
    with pytest.raises(NoSuchSession):
        resolve(home.bench, "./nothing.jsonl", home.work)
    (tmp_path / "notes.jsonl").write_text("no transcript\n")
    with pytest.raises(UsageError, match="no transcript"):
        resolve(home.bench, str(tmp_path / "notes.jsonl"), home.work)
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(UsageError, match="neither"):
        resolve(home.bench, str(tmp_path / "pipe.jsonl"), home.work)
    with pytest.raises(NoSuchSession):
        resolve(home.bench, "last", tmp_path / "elsewhere")


def test_a_directory_of_an_agent_means_the_one_session_in_it(home: Any, monkeypatch: pytest.MonkeyPatch):
    path = home.write(IDS[0], *home.talk(IDS[0]))
    home.write(IDS[1], *home.talk(IDS[1]), project="q")
    monkeypatch.setattr(ClaudeCode, "recognise", None)  # what is known is not sought
    for word in (str(path.parent), f"./{path.parent.relative_to(home.directory)}", f"{path.parent}/../p/"):
        assert resolve(home.bench, word, home.directory).found.session_id == IDS[0]
    for directory in (home.projects, home.projects.parent):
        with pytest.raises(NoSuchSession) as doubtful:
            resolve(home.bench, str(directory), home.work)
        assert sorted(doubtful.value.nearest) == [f"claude-code:{IDS[0]}", f"claude-code:{IDS[1]}"]


def test_a_directory_without_transcripts_is_refused_with_what_to_type(home: Any, tmp_path: Path):
    home.write(IDS[0], *home.talk(IDS[0]))
    deep = tmp_path / "some disk" / "a" / "b" / "projects" / "p"
    deep.mkdir(parents=True)
    (deep / f"{IDS[1]}.jsonl").write_bytes(home.path(IDS[0]).read_bytes())
    for directory in ("/", str(home.directory), str(tmp_path / "some disk"), "."):
        with pytest.raises(UsageError, match="is a directory with no transcript") as told:
            resolve(home.bench, directory, home.work)
        assert "`refloat list --cwd " in str(told.value)
    with pytest.raises(UsageError, match=r"--cwd '.*some disk'`"):
        resolve(home.bench, str(tmp_path / "some disk"), home.work)


def test_no_title_is_like_no_word_and_no_catalogue_is_left_open(home: Any, monkeypatch: pytest.MonkeyPatch):
    home.write(IDS[0], *home.talk(IDS[0]))
    monkeypatch.setattr("refloat.usecases.naming.Catalogue", None)
    for word in ("last", "claude-code:"):
        with pytest.raises(NoSuchSession) as told:
            resolve(home.bench, word, home.directory / "elsewhere")
        assert told.value.nearest == (f"claude-code:{IDS[0]}",)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_path_that_may_not_be_read(home: Any, tmp_path: Path):
    shut = tmp_path / "shut.jsonl"
    shut.write_text("{}")
    shut.chmod(0)
    with pytest.raises(Unreadable):
        resolve(home.bench, str(shut), home.work)


def test_an_empty_home(home: Any):
    assert list_sessions(home.bench, Scope()) == Listing((), (), ())
    with pytest.raises(NoSuchSession):
        resolve(home.bench, "abc", home.work)


def test_what_grew_is_told_before_what_only_the_whole_can_tell(home: Any):
    for session in IDS:
        home.write(session, *home.talk(session))
    finder = Finder(home.bench)
    list(finder.watch())
    home.append(IDS[2], home.row(IDS[2], 3, "user", "And now the report", promptSource="typed"))
    first, *_, last = finder.watch()
    assert [(one.session_id, one.prompts) for one in first.sessions] == [(IDS[2], 2)]
    assert (first.complete, last.complete, len(last.sessions)) == (False, True, 4)
