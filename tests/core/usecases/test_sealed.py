"""Damage of the index that SQLite does not notice is noticed by its seal, and no hit is lost in silence."""

import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.core.usecases.test_search import Sessions, rich, talk

from refloat.model.search import Asked
from refloat.search.index import FILE, Index
from refloat.search.seal import SEAL, is_broken, is_broken_in_use, put_seal
from refloat.search.shards import close_writers, shard_path, throw_away, write_rows
from refloat.usecases.find_sessions import Scope, list_sessions
from refloat.usecases.refresh import refresh
from refloat.usecases.search_sessions import search_known

PAGE = 4096


@pytest.fixture
def home(tmp_path: Path) -> Sessions:
    """Two dozen sessions, read and sealed."""
    made = Sessions(tmp_path)
    for number in range(1, 4):
        made.write(rich(number))
    for number in range(4, 9):
        made.write(talk(number, f"Make importer {number} retry"))
    assert [*refresh(made.bench)][-1].complete
    assert made.search("importer").complete
    return made


def flip(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    at = chance.randrange(len(data))
    data[at] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def exchange(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    many = len(data) // PAGE
    to, source = (PAGE * page for page in chance.sample(range(1, many), 2))
    data[to : to + PAGE] = data[source : source + PAGE]
    path.write_bytes(data)


@pytest.mark.parametrize("damage", [flip, exchange])
@pytest.mark.parametrize("name", [FILE, shard_path(Path(), 0).name])
def test_what_is_damaged_unseen_by_sqlite_is_made_anew(home: Sessions, damage: object, name: str):
    assert callable(damage)
    wanted = home.found("importer")
    kept = home.cache.with_name("kept")
    shutil.copytree(home.cache, kept)
    chance = random.Random(name)  # noqa: S311 - the same damage each time
    for by_refresh in (True, False) * 4:
        shutil.rmtree(home.cache)
        shutil.copytree(kept, home.cache)
        damage(home.cache / name, chance)
        if by_refresh:
            assert [*refresh(home.bench)][-1].complete
        found = home.search("importer")
        assert found.complete
        assert {(hit.session.session_id, hit.item) for hit in found.hits} == wanted
        assert not is_broken(home.cache)
        assert (home.cache / SEAL).exists(), "and it is sealed again"


def test_the_app_notices_it_too(home: Sessions):
    sessions = list_sessions(home.bench, Scope()).sessions
    assert search_known(home.bench, sessions, Asked("importer"), _never).complete
    sealed = (home.cache / SEAL).read_text()
    exchange(home.cache / FILE, random.Random(1))  # noqa: S311 - as above
    (home.cache / SEAL).write_text(f"{sealed}\n")  # another one: that one was looked at
    found = search_known(home.bench, sessions, Asked("importer"), _never)
    assert (found.complete, found.unread) == (False, len(sessions))


def _never() -> bool:
    return False


def test_whoever_writes_takes_the_seal_away_and_what_was_written_is_sealed_anew(home: Sessions):
    directory = home.cache
    before = (directory / SEAL).read_text()
    assert not is_broken_in_use(directory)
    write_rows(directory, ["some words"])
    close_writers()
    assert not (directory / SEAL).exists()
    assert not is_broken(directory), "nothing is known"
    put_seal(directory)
    assert (directory / SEAL).read_text() != before
    for write in (_note, _forget, _keep):
        put_seal(directory)
        assert (directory / SEAL).exists()
        index = Index.open(directory)
        assert index is not None
        with index:
            assert index.is_sound()
            assert (directory / SEAL).exists(), "to look at it is no writing"
            write(index)
        assert not (directory / SEAL).exists()


def _note(index: Index) -> None:
    index.set_note("x", "y")


def _forget(index: Index) -> None:
    index.forget([])


def _keep(index: Index) -> None:
    index.keep([])


def test_it_is_not_sealed_while_somebody_writes(home: Sessions):
    (home.cache / SEAL).unlink()
    with closing(sqlite3.connect(home.cache / FILE, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        put_seal(home.cache)
        assert not (home.cache / SEAL).exists()
        other.execute("ROLLBACK")
    put_seal(home.cache)
    assert not is_broken(home.cache)
    assert (home.cache / SEAL).read_text().startswith("search-0.db ")


_READ = "SELECT * FROM own"
_WRITE = ("BEGIN IMMEDIATE", "INSERT OR REPLACE INTO own VALUES ('x', 'y')", "COMMIT")


def ask_beside(path: Path, *questions: str) -> bool:
    """Ask a file of the index in another process, as one that writes there does; whether it could be asked."""
    asking = f"""
import sqlite3
from refloat.search.seal import take_seal
db = sqlite3.connect({str(path)!r}, timeout=0, isolation_level=None)
for question in {questions!r}:
    db.execute(question).fetchall()
    if question.startswith("BEGIN"):
        take_seal({str(path.parent)!r})
db.close()
"""
    ran = subprocess.run([sys.executable, "-c", asking], capture_output=True, text=True, check=False)
    assert ran.returncode == 0 or "database is locked" in ran.stderr, ran.stderr
    return ran.returncode == 0


@pytest.mark.parametrize("number", range(2))
def test_nobody_writes_between_the_sums_and_the_seal(home: Sessions, monkeypatch: pytest.MonkeyPatch, number: int):
    path = (home.cache / FILE, shard_path(home.cache, 0))[number]
    (home.cache / SEAL).unlink()
    done: list[bool] = []
    _before_it_is_put(monkeypatch, lambda: done.extend((ask_beside(path, _READ), ask_beside(path, *_WRITE))))
    put_seal(home.cache)
    assert done == [True, False]
    assert (home.cache / SEAL).exists()
    assert not is_broken(home.cache)
    assert ask_beside(path, *_WRITE)
    assert not (home.cache / SEAL).exists()


def test_what_is_thrown_away_before_the_seal_is_put_is_not_sealed(home: Sessions, monkeypatch: pytest.MonkeyPatch):
    (home.cache / SEAL).unlink()
    _before_it_is_put(monkeypatch, lambda: throw_away(shard_path(home.cache, 0)))
    put_seal(home.cache)
    assert not (home.cache / SEAL).exists()


def test_a_seal_that_is_put_while_a_file_is_thrown_away_goes_with_it(home: Sessions, monkeypatch: pytest.MonkeyPatch):
    sealed = (home.cache / SEAL).read_text()
    path = shard_path(home.cache, 0)
    unlink = Path.unlink

    def put_first(gone: Path, *, missing_ok: bool = False) -> None:
        if gone == path:
            (home.cache / SEAL).write_text(sealed)
        unlink(gone, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", put_first)
    throw_away(path)
    assert not path.exists()
    assert not (home.cache / SEAL).exists()


def _before_it_is_put(monkeypatch: pytest.MonkeyPatch, then: Callable[[], object]) -> None:
    put = os.replace

    def after_that(source: str, target: str) -> None:
        then()
        put(source, target)

    monkeypatch.setattr(os, "replace", after_that)
