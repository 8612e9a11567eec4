"""A first look tells of every session what one process tells that judges all of them together."""

import itertools
import os
import weakref
from collections.abc import Sequence
from typing import Any

import pytest

from refloat.catalogue.pack import Packed
from refloat.forking import may_fork
from refloat.model.liveness import ProcessInfo, Verdict
from refloat.model.session import Session
from refloat.readers.contract import Found, Reader
from refloat.readers.story import Assembler
from refloat.testing.fakes import process
from refloat.usecases import by_ends, finder, glimpse, sharing
from refloat.usecases.by_ends import Maker
from refloat.usecases.find_sessions import Finder, Scope

IDS = [f"{n}1111111-0000-4000-8000-00000000000{n}" for n in range(1, 8)]
HERE = os.getpid()


@pytest.fixture(params=["alone", "together"])
def large(request: pytest.FixtureRequest, home: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A home whose sessions are told by their ends, by one process and by two."""
    monkeypatch.setattr(finder, "BY_ENDS", 1)
    monkeypatch.setattr(glimpse, "SMALL", 100)
    if request.param == "together":
        if not may_fork():
            pytest.skip("only on Linux, and with one thread")
        monkeypatch.setattr(sharing, "processors", lambda: 2)
        monkeypatch.setattr(sharing, "WORTH", 1)
        monkeypatch.setattr(sharing, "_PIECE", 1)
    for n, session in enumerate(IDS):
        home.write(session, *home.talk(session, f"Ask {n}", minute=n))
    return home


def never(*_: object) -> None:
    return None


def found(home: Any, monkeypatch: pytest.MonkeyPatch, **more: Any) -> tuple[Session, ...]:
    """What is told; and that it is the same where nothing is told before all are judged together."""
    told = Finder(home.bench, **more).find(Scope()).sessions
    with monkeypatch.context() as patch:
        patch.setattr(Maker, "make_alone", never)
        assert Finder(home.bench).find(Scope()).sessions == told
    return told


def test_each_is_told_as_if_all_were_judged_together(large: Any, monkeypatch: pytest.MonkeyPatch):
    told = found(large, monkeypatch)
    assert [session.title for session in told] == [f"Ask {n}" for n in reversed(range(7))]
    assert {session.liveness.verdict for session in told} == {Verdict.GONE}


def running(home: Any) -> ProcessInfo:
    return process(70, cwd=str(home.work))


def test_what_one_process_may_own_is_judged_with_all_others(large: Any, monkeypatch: pytest.MonkeyPatch):
    large.processes.rows = [running(large)]
    details = [fact.detail for session in found(large, monkeypatch) for fact in session.liveness.evidence]
    assert sum("this is the newest and the likely one" in detail for detail in details) == 1
    assert sum("is newer and more likely its session" in detail for detail in details) == 6


def test_one_that_was_written_just_now_is_judged_with_the_record(large: Any, monkeypatch: pytest.MonkeyPatch):
    rows = large.talk(IDS[0], "Now")
    rows[-1]["timestamp"] = large.clock.now()
    large.write(IDS[0], *rows)
    told = found(large, monkeypatch)
    assert [fact.kind for fact in told[0].liveness.evidence if fact.kind == "recent"] == ["recent"]


def test_a_file_without_a_record_is_a_session_in_its_order(large: Any, monkeypatch: pytest.MonkeyPatch):
    large.path(IDS[3]).write_bytes(b"no record\n" * 40)
    told = found(large, monkeypatch)
    assert [session.session_id for session in told] == [*reversed([*IDS[:3], *IDS[4:]]), IDS[3]]


def test_what_cannot_be_read_is_no_session_and_why_is_told(large: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(glimpse, "SMALL", 1 << 20)
    path = large.path(IDS[3])
    aside, really = path.with_suffix(".aside"), glimpse.glimpse

    def look(reader: Reader, found: Found) -> Packed:
        if found.session_id != IDS[3]:
            return really(reader, found)
        path.rename(aside)
        try:
            return really(reader, found)
        finally:
            aside.rename(path)

    monkeypatch.setattr(by_ends, "glimpse", look)
    listing = Finder(large.bench).find(Scope())
    assert [session.session_id for session in listing.sessions] == [*IDS[:3], *IDS[4:]][::-1]
    assert [(problem.path, problem.what.partition(":")[0]) for problem in listing.problems] == [
        (str(path), "cannot be read")
    ]
    assert found(large, monkeypatch) == listing.sessions


def test_what_is_written_of_them_is_written_where_they_are_told(large: Any):
    numbers = itertools.count()

    def write(sessions: Sequence[Session]) -> list[str | None]:
        next(numbers)
        return [None if session.title == "Ask 3" else session.title for session in sessions]

    listing = Finder(large.bench, write=write).find(Scope())
    assert listing.written == {session.name: session.title for session in listing.sessions if session.title != "Ask 3"}
    assert len(listing.written) == 6


def test_it_is_written_of_all_of_them_while_an_agent_runs(large: Any):
    large.processes.rows = [running(large)]
    listing = Finder(large.bench, write=lambda sessions: [session.title for session in sessions]).find(Scope())
    assert sorted(listing.written.values()) == [f"Ask {n}" for n in range(7)]


def test_somebody_hears_before_how_many_will_be_read(large: Any):
    heard: list[tuple[int, int]] = []
    Finder(large.bench, before=lambda many: heard.append((many, os.getpid()))).find(Scope())
    assert heard == [(7, HERE)]


def test_what_was_read_of_one_is_let_go_of_on_the_way(large: Any, monkeypatch: pytest.MonkeyPatch):
    """Where thousands are told, what was read of each would stay until the end otherwise."""
    monkeypatch.setattr(sharing, "processors", lambda: 1)
    alive: list[int] = []
    made: list[weakref.ref[Assembler]] = []
    tail = glimpse._tail

    def noted(*given: Any) -> Assembler:
        alive.append(sum(each() is not None for each in made))
        assembler = tail(*given)
        made.append(weakref.ref(assembler))
        return assembler

    monkeypatch.setattr(glimpse, "_tail", noted)
    monkeypatch.setattr(sharing, "_PIECE", 2)
    assert len(Finder(large.bench).find(Scope()).sessions) == 7
    assert len(made) == 7
    assert max(alive) <= 2
