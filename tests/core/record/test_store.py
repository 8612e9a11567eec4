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
from refloat.record.migrating import NEWEST, Migration, find_migrations
from refloat.record.store import (
    FILE_NAME,
    Record,
    RecordNewer,
    RecordUnavailable,
    find_url,
    open_in_memory,
    open_record,
)

NOW = Stamp("2026-09-14T14:00:00.000Z")
NAME = SessionName("claude-code:abc")


def asked(path: Path, sql: str) -> object:
    """The first value of an answer, from the file itself."""
    with closing(sqlite3.connect(path)) as connection:
        answer: tuple[object, ...] = connection.execute(sql).fetchone()
    return answer[0]


def version(path: Path) -> object:
    return asked(path, "SELECT max(version) FROM schema_version")


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
    assert [step.version for step in find_migrations()] == list(range(1, NEWEST + 1))


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
    with open_record(tmp_path, NOW, migrations=first) as record:
        begin_draft(record, NAME, "title", Seen(), NOW)
    with open_record(tmp_path, NOW, migrations=(*first, MORE)) as record:
        assert get_draft(record, NAME) is not None
    assert version(tmp_path / FILE_NAME) == 2
    assert asked(tmp_path / FILE_NAME, "SELECT a FROM more") == "x;y"
    copy = tmp_path / f"{FILE_NAME}.schema-1.bak"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert asked(copy, "SELECT session FROM drafts") == NAME
    assert version(copy) == 1


def test_a_migration_that_fails_leaves_nothing_of_itself(tmp_path: Path) -> None:
    first = find_migrations()[:1]
    open_record(tmp_path, NOW, migrations=first).close()
    broken = Migration(2, "0002_broken.sql", "CREATE TABLE half (a TEXT);\nCREATE TABLE half (a TEXT);\n")
    with pytest.raises(RecordUnavailable):
        open_record(tmp_path, NOW, migrations=(*first, broken))
    open_record(tmp_path, NOW, migrations=first).close()
    assert version(tmp_path / FILE_NAME) == 1
    assert asked(tmp_path / FILE_NAME, "SELECT count(*) FROM sqlite_master WHERE name = 'half'") == 0


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
    assert asked(tmp_path / FILE_NAME, "SELECT count(*) FROM drafts") == 1
    assert asked(tmp_path / FILE_NAME, "SELECT count(*) FROM schema_version") == NEWEST


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
            assert record.engine.integrity() == ()
        if draft is None:
            assert acknowledged == 0
            continue
        said = draft.revision - 1
        assert said in {acknowledged, acknowledged + 1}  # at most the one that was not acknowledged yet
        assert draft.given.happened == (str(said) * 400 if said else None)


def test_a_record_of_the_first_schema_comes_up_to_date_on_either_engine(url: str | None, tmp_path: Path) -> None:
    with open_record(tmp_path, NOW, url, find_migrations()[:1]) as record:
        begin_draft(record, NAME, "title", Seen(), NOW)
    with open_record(tmp_path, NOW, url) as record, record.reading() as connection:
        assert get_draft(record, NAME) is not None
        assert connection.rows("jobs.names") == []


def test_a_newer_record_is_refused_on_either_engine(url: str | None, tmp_path: Path) -> None:
    later = Migration(NEWEST + 1, "later.sql", "CREATE TABLE later (a TEXT);\n")
    open_record(tmp_path, NOW, url, (*find_migrations(), later)).close()
    with pytest.raises(RecordNewer, match="newer Refloat"):
        open_record(tmp_path, NOW, url)


def test_many_that_open_a_new_record_at_once_on_either_engine(url: str | None, tmp_path: Path) -> None:
    start, failed = threading.Barrier(6), list[BaseException]()

    def open_it() -> None:
        start.wait()
        try:
            open_record(tmp_path, NOW, url).close()
        except BaseException as error:  # noqa: BLE001 - a thread's failure is the test's
            failed.append(error)

    threads = [threading.Thread(target=open_it) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


MAKER = """
import sys
from pathlib import Path
from refloat.model.stamp import Stamp
from refloat.record.store import open_record
sys.stdin.read()
open_record(Path(sys.argv[1]), Stamp("2026-09-14T14:00:00.000Z")).close()
"""


def test_processes_that_make_a_new_record_at_once_all_get_it(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for n in range(3):
        words = [sys.executable, "-c", MAKER, str(tmp_path / str(n))]
        makers = [subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=env) for _ in range(5)]
        for maker in makers:
            assert maker.stdin is not None
            maker.stdin.close()
        for maker in makers:
            with maker:
                assert maker.stderr is not None
                assert maker.stderr.read() == b""
            assert maker.returncode == 0


def test_opening_it_again_in_one_process_keeps_the_first_ones_lock(file_record: Record, tmp_path: Path) -> None:
    with file_record.writing() as connection:
        connection.run("jobs.make", job="a", now=NOW)
        open_record(tmp_path / "data", NOW).close()
        path = str(tmp_path / "data" / FILE_NAME)
        code = f"import sqlite3; sqlite3.connect({path!r}, timeout=0).execute('BEGIN IMMEDIATE')"
        other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert "locked" in other.stderr


def test_the_url_comes_from_the_environment_then_from_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[record]\nurl = "postgresql://db/team"\n')
    assert find_url({}, tmp_path) == "postgresql://db/team"
    assert find_url({"REFLOAT_RECORD_URL": "postgres://x/y"}, tmp_path) == "postgres://x/y"
    assert find_url({}, tmp_path / "none") is None
    (tmp_path / "config.toml").write_text("[keys]\n")
    assert find_url({}, tmp_path) is None


@pytest.mark.parametrize("config", ['[record]\nurl = "mysql://x"\n', "[record\n", "\xff"])
def test_a_url_that_is_none_is_told_and_not_passed_over(tmp_path: Path, config: str) -> None:
    (tmp_path / "config.toml").write_bytes(config.encode("latin-1"))
    with pytest.raises(RecordUnavailable):
        find_url({}, tmp_path)


def test_a_server_that_does_not_answer_is_a_sentence_without_the_password(tmp_path: Path) -> None:
    with pytest.raises(RecordUnavailable, match="PostgreSQL does not answer") as told:
        open_record(tmp_path, NOW, f"postgresql://ada:hunter2-secret@/x?host={tmp_path}&connect_timeout=2")
    assert "hunter2" not in str(told.value)
