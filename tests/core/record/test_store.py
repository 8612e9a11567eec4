"""The record's file: private, migrated with its note, refused when newer, whole after any kill."""

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from refloat.model.recovery import Given, Page, Seen
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp
from refloat.record.drafts import begin_draft, get_draft
from refloat.record.store import (
    FILE_NAME,
    Migration,
    RecordNewer,
    RecordUnavailable,
    find_migrations,
    open_in_memory,
    open_record,
    schema_version,
)

NOW = Stamp("2026-09-14T14:00:00.000Z")
NAME = SessionName("claude-code:abc")


def test_everything_is_private(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with open_record(tmp_path / "a" / "data", NOW) as record:
            begin_draft(record, NAME, "title", Seen(), NOW)
            for file in (tmp_path / "a" / "data").iterdir():
                assert stat.S_IMODE(file.stat().st_mode) == 0o600, file.name
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a" / "data").stat().st_mode) == 0o700


def test_a_file_that_others_could_read_is_made_private(tmp_path: Path) -> None:
    open_record(tmp_path, NOW).close()
    (tmp_path / FILE_NAME).chmod(0o644)
    open_record(tmp_path, NOW).close()
    assert stat.S_IMODE((tmp_path / FILE_NAME).stat().st_mode) == 0o600


def test_a_second_opening_finds_what_the_first_saved(tmp_path: Path) -> None:
    with open_record(tmp_path, NOW) as record:
        begin_draft(record, NAME, "title", Seen(), NOW)
    with open_record(tmp_path, NOW) as record:
        assert get_draft(record, NAME) is not None


def test_migrations_are_numbered_without_a_gap() -> None:
    assert [step.version for step in find_migrations()] == list(range(1, len(find_migrations()) + 1))


def test_a_newer_record_is_refused_and_left_alone(tmp_path: Path) -> None:
    open_record(tmp_path, NOW).close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
        connection.execute("INSERT INTO schema_version VALUES (9000, 'x')")
    before = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(RecordNewer, match=r"newer Refloat .*REFLOAT_DATA_DIR"):
        open_record(tmp_path, NOW)
    assert (tmp_path / FILE_NAME).read_bytes() == before


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"not a database at all, but long enough to look at" * 100)
    before = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(RecordUnavailable):
        open_record(tmp_path, NOW)
    assert (tmp_path / FILE_NAME).read_bytes() == before


def test_a_directory_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RecordUnavailable, match="cannot be opened"):
        open_record(tmp_path / "file" / "data", NOW)


MORE = Migration(2, "0002_more.sql", "-- adds\nCREATE TABLE more (a TEXT);\nINSERT INTO more VALUES ('x;y');\n")


def test_migrating_keeps_a_private_copy_of_what_was_there(tmp_path: Path) -> None:
    first = find_migrations()[:1]
    with open_record(tmp_path, NOW, first) as record:
        begin_draft(record, NAME, "title", Seen(), NOW)
    with open_record(tmp_path, NOW, (*first, MORE)) as record, record.reading() as connection:
        assert schema_version(connection) == 2
        assert connection.execute("SELECT a FROM more").fetchone()[0] == "x;y"
        assert get_draft(record, NAME) is not None
    copy = tmp_path / f"{FILE_NAME}.schema-1.bak"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT session FROM drafts").fetchone()[0] == NAME
        assert schema_version(connection) == 1


def test_a_migration_that_fails_leaves_nothing_of_itself(tmp_path: Path) -> None:
    first = find_migrations()[:1]
    open_record(tmp_path, NOW, first).close()
    broken = Migration(2, "0002_broken.sql", "CREATE TABLE half (a TEXT);\nCREATE TABLE half (a TEXT);\n")
    with pytest.raises(RecordUnavailable):
        open_record(tmp_path, NOW, (*first, broken))
    with open_record(tmp_path, NOW, first) as record, record.reading() as connection:
        assert schema_version(connection) == 1
        assert connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'half'").fetchone() is None


def test_many_that_open_a_new_record_at_once_migrate_it_once(tmp_path: Path) -> None:
    start, failed = threading.Barrier(8), list[BaseException]()

    def open_it() -> None:
        start.wait()
        try:
            with open_record(tmp_path, NOW) as record:
                begin_draft(record, NAME, "title", Seen(), NOW)
        except BaseException as error:  # noqa: BLE001 - a thread's failure is the test's
            failed.append(error)

    threads = [threading.Thread(target=open_it) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    with open_record(tmp_path, NOW) as record, record.reading() as connection:
        assert connection.execute("SELECT count(*) FROM drafts").fetchone()[0] == 1
        assert connection.execute("SELECT count(*) FROM schema_version").fetchone()[0] == len(find_migrations())


def test_in_memory_nothing_is_left() -> None:
    with open_in_memory(NOW) as record:
        assert record.path is None
        assert begin_draft(record, NAME, "t", Seen(), NOW).given == Given(page=Page.PROCESS)


WRITER = """
import sys
from dataclasses import replace
from pathlib import Path
from refloat.model.recovery import Given, Seen
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp
from refloat.record.drafts import begin_draft, save_draft
from refloat.record.store import open_record
now = Stamp("2026-09-14T14:00:00.000Z")
record = open_record(Path(sys.argv[1]), now)
draft = begin_draft(record, SessionName("claude-code:abc"), "title", Seen(), now)
count = draft.revision
while True:
    draft = save_draft(record, replace(draft, given=Given(happened=str(count) * 400)), now)
    print(count, flush=True)
    count += 1
"""


@pytest.mark.parametrize("lines", [0, 1, 2, 7, 23, 64])
def test_what_was_saved_outlives_a_kill_at_any_moment(tmp_path: Path, lines: int) -> None:
    acknowledged = 0
    for _ in range(2):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        ) as writer:
            assert writer.stdout is not None
            for _ in range(lines):
                acknowledged = int(writer.stdout.readline())
            writer.send_signal(signal.SIGKILL)
            rest = writer.stdout.read().split(b"\n")
            acknowledged = max([acknowledged, *(int(line) for line in rest[:-1] if line)])
        with open_record(tmp_path, NOW) as record:
            draft = get_draft(record, NAME)
            with record.reading() as connection:
                assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        if draft is None:
            assert acknowledged == 0
            continue
        said = draft.revision - 1
        assert said in {acknowledged, acknowledged + 1}  # at most the one that was not acknowledged yet
        assert draft.given.happened == (str(said) * 400 if said else None)
