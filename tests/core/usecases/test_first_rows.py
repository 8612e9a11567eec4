"""The first rows of a list come from the catalogue alone, and are those that the whole list begins with."""

import sqlite3
from dataclasses import replace
from typing import Any

import pytest

from refloat.catalogue.chains import read_chains
from refloat.catalogue.peek import FILE
from refloat.model.attempts import Attempt
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp
from refloat.readers.claude_code import ClaudeCode
from refloat.record.attempts import begin_attempt
from refloat.record.store import open_record
from refloat.usecases.find_sessions import Scope, list_sessions
from refloat.usecases.first_rows import first_rows

NOW = Stamp("2026-09-14T12:00:00.000Z")
IDS = [f"{digit * 8}-0000-4000-8000-000000000001" for digit in "123456"]


def test_the_rows_that_fit_as_the_last_look_knew_them(home: Any, monkeypatch: pytest.MonkeyPatch):
    for minute, session in enumerate(IDS):
        home.write(session, *home.talk(session, minute=minute))
    listed = list_sessions(home.bench, Scope()).sessions
    monkeypatch.setattr(ClaudeCode, "identify", None)
    for session in IDS:
        home.path(session).unlink()
    found = first_rows(home.bench.machine.places, NOW, str(home.work), 4)
    assert found is not None
    told = [replace(session, liveness=listed[0].liveness) for session in found.batch.sessions]
    assert told == [replace(session, liveness=listed[0].liveness) for session in listed[:4]]
    assert (found.batch.total, found.batch.provisional, found.batch.complete) == (6, True, False)
    assert found.group == str(home.work)


def test_this_place_comes_first_then_what_is_broken(home: Any):
    elsewhere = home.directory / "elsewhere"
    elsewhere.mkdir()
    for minute, session in enumerate(IDS[:2]):
        home.write(session, *home.talk(session, minute=minute, cwd=str(elsewhere)))
    asked = home.row(IDS[2], 1, "user", "Push it", promptSource="typed")
    home.write(IDS[2], asked)
    home.write(IDS[3], *home.talk(IDS[3], minute=1))
    list_sessions(home.bench, Scope())
    for place, first in ((home.work, [IDS[2], IDS[3]]), (elsewhere, [IDS[1], IDS[0]])):
        found = first_rows(home.bench.machine.places, NOW, str(place), 2)
        assert found is not None
        assert [session.session_id for session in found.batch.sessions] == first


def test_one_that_another_went_on_from_stands_at_once_where_the_desk_will_have_it(home: Any):
    """It is broken, and no work to do any more: it would jump down as soon as everything was looked at."""
    for session, minute in ((IDS[0], 3), (IDS[1], 2)):
        home.write(session, home.row(session, minute, "user", "Push it", promptSource="typed"))
    home.write(IDS[2], *home.talk(IDS[2], minute=1))
    old, new = (SessionName(f"claude-code:{session}") for session in (IDS[0], IDS[2]))
    places = home.bench.machine.places
    with open_record(places.data, NOW) as record:
        begin_attempt(record, Attempt("1", old, new, "new", "claude-code", "/", "ada@h", "claude", None, None, NOW))
    chains = list_sessions(home.bench, Scope()).chains
    found = first_rows(places, NOW, str(home.work), 10)
    assert found is not None
    assert [session.session_id for session in found.batch.sessions] == [IDS[1], IDS[2], IDS[0]]
    assert (found.batch.chains, chains[old].continued_by) == (chains, new)


def test_chains_of_another_form_tell_nothing():
    for text in ("", "[]", "[1]", '{"a": [1]}', "{", '{"a": 1}'):
        assert read_chains(text) == {}


def test_without_a_catalogue_or_with_a_damaged_one_there_is_nothing_to_paint(home: Any):
    places = home.bench.machine.places
    assert first_rows(places, NOW, str(home.work), 10) is None
    home.write(IDS[0], *home.talk(IDS[0]))
    list_sessions(home.bench, Scope())
    assert first_rows(places, NOW, str(home.work), 10) is not None
    (places.cache / FILE).write_bytes(b"SQLite format 3\0" + b"x" * 4096)
    assert first_rows(places, NOW, str(home.work), 10) is None


def test_a_state_of_another_form_is_no_reason_to_fail(home: Any):
    home.write(IDS[0], *home.talk(IDS[0]))
    list_sessions(home.bench, Scope())
    with sqlite3.connect(home.directory / "cache" / FILE) as kept:
        kept.execute("UPDATE sessions SET state = 'dreaming'")
    kept.close()
    assert first_rows(home.bench.machine.places, NOW, str(home.work), 10) is None
