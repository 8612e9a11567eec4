"""Copies that somebody made of a transcript under another name: the original leads, and a path is what its rows say."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from refloat.model.guard import judge
from refloat.usecases.find_sessions import Scope, list_sessions, resolve
from refloat.usecases.keep_session import keep_session
from refloat.usecases.situations import plain_situation

ID = "7c4999d0-1111-4111-8111-111111111111"


@pytest.fixture
def original(home: Any) -> Path:
    return home.write(ID, *home.talk(ID))


@pytest.mark.parametrize("name", ["copy-of-it", "aaa-backup", "zzz", "0", f"{ID}-copy", ID[:8]])
def test_the_original_leads(home: Any, original: Path, name: str):
    shutil.copy2(original, original.with_name(f"{name}.jsonl"))
    for _ in range(2):  # by the files, and by what was kept of them
        (shown,) = list_sessions(home.bench, Scope()).sessions
        assert shown.session_id == ID
        assert shown.superseded_by is None
        assert resolve(home.bench, original.stem, home.work).session.superseded_by is None
    every = {session.session_id: session for session in list_sessions(home.bench, Scope(all_copies=True)).sessions}
    assert every[name].superseded_by == f"claude-code:{ID}"


def test_a_copy_with_which_somebody_went_on_leads(home: Any, original: Path):
    copy = original.with_name("went-on.jsonl")
    shutil.copy2(original, copy)
    home.append("went-on", *home.talk(ID, "And then?", minute=5)[:1])
    (shown,) = list_sessions(home.bench, Scope()).sessions
    assert shown.session_id == "went-on"


@pytest.mark.parametrize("name", ["renamed.txt", "b.jsonl", "transcript"])
def test_a_path_is_called_by_its_rows(home: Any, original: Path, tmp_path: Path, name: str):
    outside = tmp_path / "mail" / name
    outside.parent.mkdir()
    shutil.copy2(original, outside)
    told = resolve(home.bench, str(outside), home.work)
    assert told.session.session_id == ID
    assert told.found.by_path
    assert told.session.transcript.paths == (str(outside),)


def test_a_kept_copy_of_a_path_takes_nobodys_place(home: Any, original: Path, tmp_path: Path):
    outside = tmp_path / "backup-of-it.jsonl"
    shutil.copy2(original, outside)
    keep_session(home.bench, resolve(home.bench, str(outside), home.work))
    (shown,) = list_sessions(home.bench, Scope()).sessions
    assert shown.session_id == ID
    assert shown.transcript.paths == (str(original),)
    assert shown.liveness.verdict == "gone"
    original.unlink()
    (kept,) = list_sessions(home.bench, Scope()).sessions
    assert kept.session_id == ID
    assert kept.prompts == 1


def test_what_is_printed_of_a_path_leads_to_it(home: Any, original: Path, tmp_path: Path):
    outside = tmp_path / "sent by mail.txt"
    shutil.copy2(original, outside)
    told = resolve(home.bench, str(outside), home.work)
    assert told.ref == told.session.ref == str(outside)
    why = judge(plain_situation("new", told.session, told.reader)).why
    assert f"`refloat status '{outside}'`" in why
    assert resolve(home.bench, ID, home.work).session.ref == f"claude-code:{ID}"


def test_a_kept_copy_is_called_by_name(home: Any, original: Path, tmp_path: Path):
    outside = tmp_path / "backup.jsonl"
    shutil.copy2(original, outside)
    keep_session(home.bench, resolve(home.bench, str(outside), home.work))
    original.unlink()
    assert resolve(home.bench, ID, home.work).session.ref == f"claude-code:{ID}"
