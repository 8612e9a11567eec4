"""Reading everything that is new: what it tells, what it keeps, and that two do not read at once."""

import fcntl
from typing import Any

from refloat.usecases.find_sessions import Scope, list_sessions
from refloat.usecases.refresh import LOCK, refresh

IDS = [f"{n}1111111-0000-4000-8000-00000000000{n}" for n in range(1, 5)]


def write_all(home: Any) -> int:
    return sum(home.write(name, *home.talk(name)).stat().st_size for name in IDS)


def test_everything_is_read_and_told(home: Any):
    size = write_all(home)
    end = list(refresh(home.bench))[-1]
    assert (end.done, end.total, end.read, end.size, end.sessions, end.complete) == (4, 4, size, size, 4, True)


def test_nothing_is_read_twice(home: Any):
    write_all(home)
    list(refresh(home.bench))
    end = list(refresh(home.bench))[-1]
    assert (end.done, end.total, end.sessions, end.complete) == (0, 0, 4, True)


def test_what_was_read_before_it_was_given_up_stays(home: Any, monkeypatch: Any):
    from refloat.usecases import finder

    monkeypatch.setattr(finder, "_BATCH", 1)
    write_all(home)
    states = refresh(home.bench)
    assert next(states).done == 1
    states.close()
    assert list(refresh(home.bench))[-1].total == 3


def test_a_second_one_waits_and_says_so(home: Any):
    write_all(home)
    place = home.bench.machine.places.cache
    place.mkdir(parents=True)
    with (place / LOCK).open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        states = refresh(home.bench)
        assert next(states).waits
    assert list(states)[-1].complete


def test_a_place_that_cannot_be_written_is_no_hindrance(home: Any):
    write_all(home)
    (home.directory / "cache").write_text("in the way")
    end = list(refresh(home.bench))[-1]
    assert (end.complete, end.kept, end.done, end.sessions) == (False, False, 4, 4)
    assert len(list_sessions(home.bench, Scope()).sessions) == 4


def test_a_catalogue_that_takes_nothing_is_said(home: Any, monkeypatch: Any):
    from refloat.catalogue.store import Catalogue

    write_all(home)

    def full(*_: object) -> bool:
        return False

    monkeypatch.setattr(Catalogue, "keep_readings", full)
    end = list(refresh(home.bench))[-1]
    assert (end.complete, end.kept, end.sessions) == (False, False, 4)


def test_a_list_that_cannot_be_kept_is_read_whole(home: Any, monkeypatch: Any):
    from refloat.usecases import finder, glimpse

    monkeypatch.setattr(finder, "BY_ENDS", 1)
    monkeypatch.setattr(glimpse, "SMALL", 100)
    write_all(home)
    assert all(session.provisional for session in list_sessions(home.bench, Scope()).sessions)
    (home.directory / "cache").rename(home.directory / "before")
    (home.directory / "cache").write_text("in the way")
    assert not any(session.provisional for session in list_sessions(home.bench, Scope()).sessions)
