"""Who waits for the record says so after a moment, and waits no shorter for it."""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from refloat import waiting
from refloat.model.stamp import Stamp
from refloat.record import sqlite as engine
from refloat.record.engine import NotWritten
from refloat.record.sqlite import open_file

NOW = Stamp("2026-09-14T09:00:00.000Z")


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(engine, "QUIET", 0.05)
    path = tmp_path / "record.db"
    open_file(path, NOW).close()
    yield path
    waiting.tell_to()


def test_a_writer_that_waits_says_so_and_goes_on_once_it_may(record: Path) -> None:
    told: list[str] = []
    with closing(sqlite3.connect(record, isolation_level=None)) as other:

        def hear(sentence: str) -> None:
            told.append(sentence)
            other.execute("ROLLBACK")

        waiting.tell_to(hear)
        with closing(open_file(record, NOW)) as mine:
            with mine.writing():
                pass
            assert told == [], "nobody was waited for"
            other.execute("BEGIN IMMEDIATE")
            with mine.writing():
                pass
    assert told == ["another process holds the record; this one waits for it"]


def test_the_limit_stays(record: Path) -> None:
    told: list[str] = []
    waiting.tell_to(told.append)
    with closing(sqlite3.connect(record, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with closing(open_file(record, NOW, patience=0.2)) as mine:
            for _ in range(2):
                with pytest.raises(NotWritten, match="locked"), mine.writing():
                    raise AssertionError
    assert len(told) == 2


def test_who_waits_for_another_that_makes_the_record_says_so(record: Path) -> None:
    record.unlink()
    lock = os.open(record.with_name(f"{record.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    told: list[str] = []

    def hear(sentence: str) -> None:
        told.append(sentence)
        os.close(lock)

    waiting.tell_to(hear)
    open_file(record, NOW).close()
    assert len(told) == 1
