"""What counts as damage costs a cache its files; a caller's mistake, or a lock, costs nothing."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest

from refloat.catalogue.opening import check
from refloat.catalogue.peek import FILE
from refloat.catalogue.store import Catalogue
from refloat.damage import is_damage
from refloat.readers.codex.index import read_index
from refloat.search.index import FILE as INDEX_FILE
from refloat.search.index import Index


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


def test_a_table_whose_name_is_no_text_any_more_is_damage_for_every_cache(tmp_path: Path):
    def damage(name: str, table: bytes) -> None:
        data = (tmp_path / name).read_bytes()
        assert b"CREATE TABLE " + table in data
        data = data.replace(b"CREATE TABLE " + table, b"CRE\xa4TE TABLE " + table)
        (tmp_path / name).write_bytes(data.replace(b"table" + table + table, b"table\xa4" + table[1:] + table))

    with Catalogue.open(tmp_path) as catalogue, Index.open(tmp_path) as index:  # pyright: ignore[reportOptionalContextManager]
        assert catalogue.keep_identities([("/t/s1.jsonl", (1, 2, 3, 4), "{}")])
        index.set_note("whole", "yes")
    database(tmp_path / "state.sqlite").close()
    for name, table in ((FILE, b"readings"), (INDEX_FILE, b"covered"), ("state.sqlite", b"one")):
        damage(name, table)
        with closing(sqlite3.connect(tmp_path / name)) as connection, pytest.raises(UnicodeDecodeError) as raised:
            connection.execute("SELECT 1 FROM sqlite_master")
        assert is_damage(raised.value)
    assert "cannot be read" in read_index(tmp_path / "state.sqlite").problems[0].what
    with Catalogue.open(tmp_path) as catalogue, Index.open(tmp_path) as index:  # pyright: ignore[reportOptionalContextManager]
        assert catalogue.identities() == {}
        assert index.note("whole") is None
    damage(FILE, b"readings")
    check(tmp_path / FILE)
    assert not (tmp_path / FILE).exists()
