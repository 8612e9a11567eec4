"""A record that lies where nothing may be written is read all the same, and nothing is written there."""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from refloat.model.saving import Ending, Opening, Runner, Tree
from refloat.model.stamp import Stamp
from refloat.record.chain import add_step
from refloat.record.migrating import find_migrations
from refloat.record.store import FILE_NAME, NotWritten, RecordNewer, RecordUnavailable, open_record
from refloat.record.trails import load_trail
from refloat.record.unwritable import is_unwritable, open_unwritable
from refloat.record.whole import NoSuchJob
from refloat.usecases.saved_record import open_saved

NOW = Stamp("2026-11-02T09:00:00.000Z")
NOBODY = 65534
_UNSEEN = Tree(unknown="not looked at")


def save(directory: Path, summary: str) -> None:
    with open_record(directory, NOW) as record:
        opening = Opening("retry", "human:ada", "run", summary, "run", NOW, None, _UNSEEN, Runner("vm", 1, "1"))
        add_step(record, opening, Ending("ok", NOW, 0, _UNSEEN))


@pytest.fixture
def place() -> Generator[Path]:
    """A directory that anybody may look into."""
    directory = Path(tempfile.mkdtemp(prefix="refloat-test-"))
    directory.chmod(0o755)
    yield directory
    directory.chmod(0o755)
    shutil.rmtree(directory)


@contextmanager
def unwritable(directory: Path) -> Generator[None]:
    """While nobody (who this process is then, were it root) may write there."""
    root = os.geteuid() == 0
    for file in directory.iterdir():
        file.chmod(0o444)
    directory.chmod(0o555)
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        directory.chmod(0o755)


def files_of(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def summaries(directory: Path) -> list[str]:
    with open_saved(directory, directory, {}, NOW) as record:
        return [step.opening.summary for step in load_trail(record, "retry").steps]


def test_a_record_at_rest_is_read_where_it_lies(place: Path) -> None:
    save(place, "pytest -q")
    before = files_of(place)
    with unwritable(place):
        assert is_unwritable(place)
        assert summaries(place) == ["pytest -q"]
    assert files_of(place) == before


def test_what_stands_in_the_log_alone_is_read_too(place: Path, tmp_path: Path) -> None:
    save(tmp_path, "pytest -q")
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as held:
        held.execute("SELECT count(*) FROM sqlite_master").fetchone()  # as long as one has it open, the log stays
        save(tmp_path, "ruff check")
        assert (tmp_path / f"{FILE_NAME}-wal").stat().st_size
        for suffix in ("", "-wal"):
            shutil.copyfile(tmp_path / f"{FILE_NAME}{suffix}", place / f"{FILE_NAME}{suffix}")
    before = files_of(place)
    with unwritable(place):
        assert sorted(summaries(place)) == ["pytest -q", "ruff check"]
    assert files_of(place) == before


def test_an_older_record_is_brought_up_to_date_in_a_copy(place: Path) -> None:
    open_record(place, NOW, migrations=find_migrations()[:1]).close()
    before = files_of(place)
    with unwritable(place), open_saved(place, place, {}, NOW) as record, pytest.raises(NoSuchJob):
        load_trail(record, "retry")  # asked of a table that the older schema did not have
    assert files_of(place) == before


def test_nothing_is_left_of_a_copy(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_record(place, NOW, migrations=find_migrations()[:1]).close()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    open_unwritable(place / FILE_NAME, NOW).close()
    assert list(tmp_path.iterdir()) == []


def test_it_takes_nothing(place: Path) -> None:
    save(place, "pytest -q")
    opening = Opening("retry", "human:ada", "run", "more", "run", NOW, None, _UNSEEN, Runner("vm", 1, "1"))
    with unwritable(place), open_saved(place, place, {}, NOW) as record, pytest.raises(NotWritten, match="readonly"):
        add_step(record, opening, Ending("ok", NOW, 0, _UNSEEN))


def test_a_newer_one_is_refused_and_a_damaged_one_says_so(place: Path) -> None:
    open_record(place, NOW).close()
    with closing(sqlite3.connect(place / FILE_NAME)) as connection, connection:
        connection.execute("INSERT INTO schema_version VALUES (9000, 'x')")
    with unwritable(place), pytest.raises(RecordNewer):
        open_saved(place, place, {}, NOW)
    (place / FILE_NAME).chmod(0o600)
    (place / FILE_NAME).write_bytes(b"no database at all" * 400)
    with unwritable(place), pytest.raises(RecordUnavailable, match="cannot be"):
        open_saved(place, place, {}, NOW)
