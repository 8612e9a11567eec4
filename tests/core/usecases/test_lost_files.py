"""A file of the cache that is lost takes along what was made from it, and what was made from it is made once."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.core.usecases.test_search import Sessions, rich

from refloat.catalogue.store import Catalogue
from refloat.search.index import FILE
from refloat.search.shards import COUNT, open_shard, shard_path
from refloat.usecases.find_sessions import Scope, list_sessions, resolve
from refloat.usecases.recall import Recall
from refloat.usecases.refresh import refresh


@pytest.fixture
def home(tmp_path: Path) -> Sessions:
    return Sessions(tmp_path)


def written(home: Sessions) -> int:
    """Rows of the index, whether anything refers to them or not."""
    opened = [open_shard(home.cache, number) for number in range(COUNT)]
    rows = sum(shard.written() for shard in opened if shard is not None)
    for shard in opened:
        if shard is not None:
            shard.close()
    return rows


def of_another_schema(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE meta SET value = CAST('8/0.0.9' AS BLOB) WHERE name = 'schema'")


def by_the_version_before(path: Path) -> None:
    """As it stood there: another schema, and an index that says of no catalogue that it was made from it."""
    of_another_schema(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA user_version = 0")
    with closing(sqlite3.connect(path.with_name(FILE))) as connection, connection:
        assert connection.execute("DELETE FROM own WHERE name NOT IN ('form')").rowcount


def damaged(path: Path) -> None:
    for side in ("-wal", "-shm"):
        path.with_name(path.name + side).unlink(missing_ok=True)
    path.write_bytes(b"no database at all" * 400)


def removed(path: Path) -> None:
    for side in ("", "-wal", "-shm"):
        path.with_name(path.name + side).unlink(missing_ok=True)


@pytest.mark.parametrize("first", ["refresh", "list", "search"])
@pytest.mark.parametrize(
    ("file", "fate"),
    [
        ("catalogue.db", of_another_schema),
        ("catalogue.db", by_the_version_before),
        ("catalogue.db", damaged),
        ("catalogue.db", removed),
        (FILE, damaged),
        (FILE, removed),
    ],
)
def test_no_row_of_the_index_stands_twice_when_a_file_of_the_cache_is_lost(
    home: Sessions, file: str, fate: Callable[[Path], None], first: str
):
    for number in range(1, 5):
        home.write(rich(number))
    *_, state = refresh(home.bench)
    assert state.total == 4
    whole, rows = home.search("importer"), written(home)
    assert rows >= 20
    fate(home.cache / file)
    if first == "list":
        list_sessions(home.bench, Scope())
    elif first == "search":
        assert home.search("importer").hits == whole.hits
    *_, state = refresh(home.bench)
    assert (state.complete, state.kept) == (True, True)
    assert written(home) == rows
    assert home.search("importer").hits == whole.hits
    *_, state = refresh(home.bench)
    assert state.total == 0  # and it is thrown away once
    assert written(home) == rows


@pytest.mark.parametrize("fate", [damaged, removed])
def test_a_lost_shard_is_filled_again(home: Sessions, fate: Callable[[Path], None]):
    for number in range(1, 5):
        home.write(rich(number))
    refresh_all(home)
    whole, rows = home.search("importer"), written(home)
    for number in range(COUNT):
        if shard_path(home.cache, number).exists():
            fate(shard_path(home.cache, number))
    refresh_all(home)
    assert written(home) == rows
    assert home.search("importer") == whole


def refresh_all(home: Sessions) -> None:
    *_, state = refresh(home.bench)
    assert (state.complete, state.kept) == (True, True)


def test_nothing_is_read_on_from_a_state_that_another_refloat_kept_in_between(home: Sessions):
    made = rich(1)
    home.write(made)
    refresh_all(home)
    made.say("A zebra at last.")
    home.write(made)
    with Catalogue.open(home.cache) or pytest.fail("no catalogue") as catalogue:
        mine = Recall()
        mine.open(catalogue, everything=True)
        located = resolve(home.bench, made.session, home.directory)  # reads on, and makes nothing searchable
        assert mine.starts(located.found) == {}
    refresh_all(home)
    assert {hit.session.session_id for hit in home.search("zebra").hits} == {made.session}
