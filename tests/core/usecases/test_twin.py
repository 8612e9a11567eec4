"""A twin brings what its work came to; where it fails, it says nothing and the caller does the work."""

import os
import sys
from typing import Any

import pytest

from refloat.usecases import glimpse, twin
from refloat.usecases.sighting import sight

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="twins are for Linux")


def fail() -> int:
    raise ValueError("no")


def test_its_result_comes_back():
    wait = twin.begin_twin(lambda: (os.getpid(), "x" * 1_000_000))
    told = wait()
    assert told is not None
    assert (told[0] != os.getpid(), len(told[1])) == (True, 1_000_000)


def test_a_failing_one_brings_nothing(capfd: pytest.CaptureFixture[str]):
    assert twin.begin_twin(fail)() is None
    capfd.readouterr()


def test_one_that_is_killed_brings_nothing():
    assert twin.begin_twin(lambda: os.kill(os.getpid(), 9))() is None


def test_many_sessions_are_seen_in_their_order(home: Any, monkeypatch: pytest.MonkeyPatch):
    for n in range(1, 6):
        name = f"{n}1111111-0000-4000-8000-00000000000{n}"
        home.write(name, *home.talk(name, prompt=f"Ask {n}"))
    found = list(sight(home.bench, {}).found)
    alone = glimpse.glimpse_each(found)
    monkeypatch.setattr(glimpse, "_SHARED", 1)
    monkeypatch.setattr(glimpse, "processors", lambda: 2)
    monkeypatch.setattr(glimpse, "active_count", lambda: 1)
    assert glimpse.glimpse_each(found) == alone
    assert glimpse.glimpse_each(found[:4]) == alone[:4]
