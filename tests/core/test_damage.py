"""What counts as damage costs a cache its files; a caller's mistake, or a lock, costs nothing."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest

from refloat.catalogue.peek import FILE
from refloat.catalogue.store import Catalogue
from refloat.damage import is_damage


def fault_of(work: Callable[[], object]) -> sqlite3.Error:
    with pytest.raises(sqlite3.Error) as raised:
        work()
    return raised.value


def database(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=0, isolation_level=None)
    connection.execute("CREATE TABLE one (name TEXT PRIMARY KEY)")
    connection.executemany("INSERT INTO one VALUES (?)", [(f"{n:0500}",) for n in range(200)])
    return connection


def test_a_page_that_is_none_is_damage(tmp_path: Path):
    path = tmp_path / "a.db"
    database(path).close()
    data = bytearray(path.read_bytes())
    data[4096 * 2 :] = b"\xff" * (len(data) - 4096 * 2)
    path.write_bytes(data)
    with closing(sqlite3.connect(path)) as connection:
        assert is_damage(fault_of(lambda: connection.execute("SELECT name FROM one").fetchall()))
    path.write_bytes(b"no database at all" * 400)
    with closing(sqlite3.connect(path)) as connection:
        assert is_damage(fault_of(lambda: connection.execute("SELECT name FROM one").fetchall()))


def test_a_text_that_is_none_is_damage(tmp_path: Path):
    with closing(database(tmp_path / "a.db")) as connection:
        connection.execute("INSERT INTO one VALUES (CAST(x'ff61' AS TEXT))")
        assert is_damage(fault_of(lambda: connection.execute("SELECT name FROM one").fetchall()))


def test_a_lock_and_a_mistake_are_none(tmp_path: Path):
    path = tmp_path / "a.db"
    with closing(database(path)) as connection, closing(sqlite3.connect(path, timeout=0)) as other:
        connection.execute("BEGIN EXCLUSIVE")
        assert not is_damage(fault_of(lambda: other.execute("SELECT * FROM one").fetchall()))
        connection.execute("ROLLBACK")
        assert not is_damage(fault_of(lambda: other.execute("SELECT * FROM two")))
        assert not is_damage(fault_of(lambda: other.execute("INSERT INTO one SELECT name FROM one")))
    assert not is_damage(fault_of(lambda: connection.execute("SELECT 1")))


def test_a_question_from_another_thread_costs_no_catalogue(tmp_path: Path):
    with Catalogue.open(tmp_path) as catalogue:  # pyright: ignore[reportOptionalContextManager]
        assert catalogue.keep_identities([("/t/s1.jsonl", (1, 2, 3, 4), "{}")])
        asking = Thread(target=catalogue.identities)
        asking.start()
        asking.join()
        assert not catalogue.is_damaged
    assert catalogue.identities() == {}
    catalogue.close()
    assert (tmp_path / FILE).exists()
