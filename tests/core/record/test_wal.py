"""A write-ahead log that a kill left behind: whole, it is read; one bit of it turned, that is said."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refloat.record.chain import add_step
from refloat.record.checking import verify_job
from refloat.record.contents import hold
from refloat.record.store import FILE_NAME, open_record
from refloat.testing.jobs import ENDING, NOW, OPENING

STEPS = 4


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What stands on the disk when a machine goes down while somebody has the record open."""
    home = tmp_path_factory.mktemp("left")
    with open_record(home / "data", NOW) as record:
        add_step(record, OPENING, ENDING, None, hold(b"0"))
    with closing(sqlite3.connect(home / "data" / FILE_NAME)) as reader:
        reader.execute("SELECT count(*) FROM steps").fetchone()
        for n in range(1, STEPS):
            with open_record(home / "data", NOW) as record:
                add_step(record, OPENING, ENDING, None, hold(f"{n}".encode()))
        shutil.copytree(home / "data", home / "copy", ignore=lambda _folder, names: [n for n in names if "shm" in n])
    return home / "copy"


def log_of(data: Path) -> Path:
    return data / f"{FILE_NAME}-wal"


def verify(data: Path) -> tuple[int, list[str]]:
    """Links that were checked, and what was wrong."""
    with open_record(data, NOW) as record:
        found = verify_job(record, OPENING.job)
    return found.checked, [fault.what for fault in found.problems]


def test_a_log_that_was_left_behind_is_read_whole(left: Path, tmp_path: Path):
    shutil.copytree(left, tmp_path / "data")
    assert log_of(tmp_path / "data").stat().st_size > 0
    assert verify(tmp_path / "data") == (STEPS, [])


def test_a_log_that_ends_in_the_middle_of_a_transaction_is_no_damage(left: Path, tmp_path: Path):
    shutil.copytree(left, tmp_path / "data")
    log = log_of(tmp_path / "data")
    log.write_bytes(log.read_bytes()[:-100])  # killed while it wrote the last frame, which nobody was told of
    assert verify(tmp_path / "data") == (STEPS - 1, [])


@settings(max_examples=60)
@given(st.data())
def test_a_bit_that_was_turned_is_told(left: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject):
    folder = tmp_path_factory.mktemp("turned") / "data"
    shutil.copytree(left, folder)
    log = log_of(folder)
    raw = bytearray(log.read_bytes())
    last = len(raw) - 4096 - 24  # the last frame has no whole transaction behind it but its own
    raw[data.draw(st.integers(32, last - 1))] ^= 1 << data.draw(st.integers(0, 7))
    log.write_bytes(raw)
    assert verify(folder)[1]
