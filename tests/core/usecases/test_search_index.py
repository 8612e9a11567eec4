"""What a search keeps between two runs: damaged, killed, shared, gone, it never makes an answer look complete."""

import fcntl
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.core.usecases.test_search import ALL, CLAUDE, Sessions, codex, rich, talk

from refloat.catalogue.store import Catalogue
from refloat.model.refreshed import Refreshed
from refloat.model.search import Asked
from refloat.search.answers import Answers
from refloat.search.index import FILE, Index
from refloat.search.query import parse
from refloat.search.shards import COUNT, shard_path
from refloat.usecases.answer_search import answer_search
from refloat.usecases.refresh import LOCK, refresh
from refloat.usecases.searched import KeptIndex


@pytest.fixture
def home(tmp_path: Path) -> Sessions:
    return Sessions(tmp_path)


def test_cold_and_warm_and_made_anew_give_the_same_answer(home: Sessions):
    for number in range(1, 5):
        home.write(rich(number))
    codex(home)
    cold = home.search("importer retry", limit=4)
    warm = home.search("importer retry", limit=4)
    shutil.rmtree(home.cache)
    anew = home.search("importer retry", limit=4)
    assert cold == warm == anew
    assert cold.complete
    assert cold.more


def test_a_damaged_index_is_made_anew(home: Sessions):
    home.write(rich())
    found = home.found("importer")
    for name in (FILE, shard_path(home.cache, 0).name):
        (home.cache / name).write_bytes(b"no database at all" * 400)
        for side in ("-wal", "-shm"):
            (home.cache / f"{name}{side}").unlink(missing_ok=True)
        assert home.found("importer") == found


@pytest.mark.parametrize("page", range(1, 12))
def test_a_damaged_page_of_the_index_never_makes_an_answer_look_complete(home: Sessions, page: int):
    for number in range(1, 9):
        home.write(rich(number))
    home.search("importer")
    whole = home.search("importer")
    path = home.cache / FILE
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray(path.read_bytes())
    start = page * 4096 % len(data)
    data[start : start + 4096] = b"\xa5" * 4096
    path.write_bytes(data)
    answers = [answer_search(home.bench, Asked("importer", limit=ALL), unchanged=True) for _ in range(3)]
    for found in answers:
        assert found.hits == whole.hits or not found.complete
    assert answers[-1] == whole


def test_a_catalogue_that_turns_out_damaged_on_the_way_is_made_anew_and_answers_all_the_same(
    home: Sessions, monkeypatch: pytest.MonkeyPatch
):
    for number in range(1, 4):
        home.write(rich(number))
    wanted = home.search("importer")

    def broken(_: Catalogue) -> Iterator[tuple[str, str, bytes, str, str, str, str, str]]:
        raise sqlite3.DatabaseError("database disk image is malformed")

    monkeypatch.setattr(Catalogue, "scope", broken)
    found = answer_search(home.bench, Asked("importer", limit=ALL), unchanged=True)
    assert (found.complete, {hit.item for hit in found.hits}) == (True, {hit.item for hit in wanted.hits})


@pytest.mark.parametrize("damage", ["head", "gone", "directory", "pages"])
def test_a_damaged_shard_never_makes_an_answer_look_complete(home: Sessions, damage: str):
    for number in range(1, 9):
        home.write(rich(number))
    home.search("importer")
    whole = home.search("importer")
    assert whole.complete
    for number in range(COUNT):
        path = shard_path(home.cache, number)
        if not path.exists():
            continue
        data = bytearray(path.read_bytes())
        for side in ("-wal", "-shm"):
            path.with_name(path.name + side).unlink(missing_ok=True)
        path.unlink()
        if damage == "directory":
            path.mkdir()
        elif damage != "gone":
            start = 0 if damage == "head" else data.rfind(b"importer") - 600
            data[start : start + 1200] = b"\xa5" * 1200
            path.write_bytes(data)
    answers = [answer_search(home.bench, Asked("importer", limit=ALL), unchanged=True) for _ in range(3)]
    for found in answers:
        assert found.hits == whole.hits or not found.complete
    assert damage == "directory" or answers[-1] == whole


def test_a_shard_that_is_gone_takes_its_sessions_along_until_they_are_read_again(home: Sessions):
    home.write(rich())
    home.found("importer")
    for number in range(COUNT):
        shard_path(home.cache, number).unlink(missing_ok=True)
    *_, state = refresh(home.bench)
    assert state.total == 1
    assert home.found("importer")


def test_without_a_cache_a_search_answers_all_the_same(home: Sessions):
    home.write(rich())
    home.cache.write_text("a file where the cache should be")
    assert home.found("gave up")


SECRETS = {
    "prompt": "Use the token ghp_Zq8vK3mXw2LpR7nT5yB1cD4fG6hJ9kS0aV2e for the push",
    "output": "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYzQ9pLm3KdT8u",
    "bare": "wJalrXUtnFEMIK7MDENGbPxRfiCYzQ9pLm3KdT8u was the one",
    "password": "curl -u ada:Tr0ubadour-xK9 https://example.org",
}


def test_no_file_of_the_cache_holds_a_secret_nor_is_one_found(home: Sessions):
    made = talk(1, SECRETS["prompt"])
    made.ran("env", SECRETS["output"])
    made.say(SECRETS["bare"])
    made.ran(SECRETS["password"], "pushed")
    home.write(made)
    assert len(home.found("push")) == 2
    kept = b"".join(path.read_bytes() for path in home.cache.iterdir()).lower()
    values = ("zq8vk3mxw2lpr7nt5yb1cd4fg6hj9ks0av2e", "wjalrxutnfemik7mdengbpxrficyzq9plm3kdt8u", "tr0ubadour", "xk9")
    for value in values:
        assert value.encode() not in kept
        assert home.found(value) == set()
    shown = "".join(text for hit in home.search("the").hits for text, _ in hit.excerpt).lower()
    assert shown
    assert not any(value in shown for value in values)


KILLED = """
import os, sys
sys.path[:0] = {path!r}
from pathlib import Path
from refloat.search import index
from refloat.usecases.refresh import refresh
from tests.core.usecases.test_search import Sessions
home = Sessions.__new__(Sessions)
home.directory = Path({directory!r})
from refloat.readers.registry import load
from refloat.testing.fakes import FakeClock, fake_machine
from refloat.usecases.workbench import Workbench
home.bench = Workbench(fake_machine(home.directory), [load("claude-code"), load("codex")])
keep = index.Index.keep
index.Index.keep = lambda self, rows: os._exit(9)
list(refresh(home.bench))
"""


def test_a_reading_that_is_killed_between_its_words_and_its_receipt_leaves_nothing_to_be_found(home: Sessions):
    home.write(rich())
    code = KILLED.format(path=sys.path, directory=str(home.directory))
    done = subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[3], check=False)
    assert done.returncode == 9
    db = sqlite3.connect(shard_path(home.cache, 0))
    assert db.execute("SELECT count(*) FROM words WHERE words MATCH 'importer'").fetchone()[0] > 0
    db.close()
    with Index.open(home.cache) or pytest.fail("no index") as index:
        assert index.covered() == {}
        assert not list(Answers(index, parse("importer")).of(("claude-code", f"{CLAUDE}1", "")))
    assert home.found("importer") == home.held("importer", [f"{CLAUDE}1"])


def test_a_shard_that_another_one_writes_to_holds_nobody_up_and_nothing_is_lost(home: Sessions):
    home.write(rich(1))
    assert home.search("importer").complete
    for number in range(2, 9):
        home.write(rich(number))
    held = sqlite3.connect(shard_path(home.cache, 0), isolation_level=None)
    held.execute("BEGIN IMMEDIATE")  # another Refloat writes
    try:
        assert home.search("importer").complete
    finally:
        held.execute("ROLLBACK")
        held.close()
    assert shard_path(home.cache, 1).exists()
    assert len({name for name, _ in home.found("importer")}) == 8


def test_a_search_reads_what_is_small_and_says_what_it_left(home: Sessions, monkeypatch: pytest.MonkeyPatch):
    from refloat.usecases import answer_search as answering

    newest = home.write(rich(2))
    oldest = home.write(rich(1))
    os.utime(oldest, (1_700_000_000, 1_700_000_000))
    monkeypatch.setattr(answering, "AT_ONCE", newest.stat().st_size)
    found = home.search("importer")
    assert not found.complete
    assert found.unread == 1
    assert {hit.session.session_id for hit in found.hits if hit.item} == {f"{CLAUDE}2"}
    again = home.search("importer")
    assert again.complete


def test_a_search_leaves_the_reading_to_whoever_is_at_it_where_it_is_much(
    home: Sessions, monkeypatch: pytest.MonkeyPatch
):
    from refloat.usecases import answer_search as answering

    monkeypatch.setattr(answering, "AT_ONCE", 1)
    home.write(rich(1))
    home.cache.mkdir()
    with (home.cache / LOCK).open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        found = home.search("importer")
        assert (found.complete, found.unread) == (False, 1)
        assert not any(hit.item for hit in found.hits)


def test_a_search_waits_for_a_short_reading_of_another_one_and_reads_nothing_twice(home: Sessions):
    home.write(rich(1))
    home.cache.mkdir()
    other = (home.cache / LOCK).open("w")
    fcntl.flock(other, fcntl.LOCK_EX)
    told: list[Refreshed] = []

    def tell(state: Refreshed) -> None:
        if state.waits:
            fcntl.flock(other, fcntl.LOCK_UN)
            list(refresh(home.bench))
        told.append(state)

    found = answer_search(home.bench, Asked("importer", limit=ALL), tell=tell)
    other.close()
    assert [state.waits for state in told] == [True, False]
    assert told[-1].total == 0
    assert found.complete
    assert found.hits


def test_what_grew_by_little_is_read_however_large_its_session_is(home: Sessions, monkeypatch: pytest.MonkeyPatch):
    from refloat.usecases import answer_search as answering

    made = rich(1)
    home.write(made)
    assert home.search("importer").complete
    monkeypatch.setattr(answering, "AT_ONCE", 2000)
    made.say("A later word: zebra.")
    assert home.write(made).stat().st_size > 2000
    assert home.found("zebra") == home.held("zebra", [f"{CLAUDE}1"])


def test_the_index_lets_go_of_a_session_that_went_while_nobody_looked(home: Sessions):
    home.write(rich(1))
    gone = home.write(rich(2))
    home.found("importer")
    for name in ("", "-wal", "-shm"):
        (home.cache / f"catalogue.db{name}").unlink(missing_ok=True)
    gone.unlink()
    home.found("importer")
    with Index.open(home.cache) or pytest.fail("no index") as index:
        assert {key[1] for key in index.covered()} == {f"{CLAUDE}1"}


def test_what_a_refresh_or_a_look_of_the_app_has_read_is_searchable_and_read_on_when_it_grows(home: Sessions):
    from refloat.usecases.finder import Finder
    from refloat.usecases.search_sessions import search_known
    from refloat.usecases.searched import searched

    made = rich(1)
    home.write(made)
    *_, state = refresh(home.bench)
    assert state.complete
    finder = Finder(home.bench, searched=searched(home.bench))
    *_, batch = finder.watch()
    assert batch.total == 0  # nothing was read again
    made.ran("make zebra", "striped")
    made.call("Bash", "toolu_open", command="sleep walrus")
    home.write(made)
    *_, batch = finder.watch()
    made.result("toolu_open", "tusk")
    home.write(made)
    *_, batch = finder.watch()
    for words in ("importer", "zebra striped", "walrus", "tusk", "walrus tusk", "sleep tusk"):
        found = search_known(home.bench, batch.sessions, Asked(words, limit=ALL), lambda: False)
        assert found.complete
        hits = {(hit.session.session_id, hit.item) for hit in found.hits if hit.item}
        assert hits
        assert hits == home.held(words, [f"{CLAUDE}1"])


def test_a_look_opens_the_index_for_all_that_it_keeps_and_lets_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    opened: list[Index] = []
    open_index = Index.open.__func__  # type: ignore[attr-defined]

    def noting(cls: type[Index], directory: Path, *, wait: float = 2.0) -> Index | None:
        index = open_index(cls, directory, wait=wait)
        opened.append(index)
        return index

    monkeypatch.setattr(Index, "open", classmethod(noting))
    kept = KeptIndex(tmp_path)
    assert not kept.covers(("claude-code", "one", "/one"), "a")
    asked = len(opened)
    for at in range(3):
        kept.keep([(("claude-code", f"{at}", f"/{at}"), "a", None, b"")])
    assert len(opened) == asked + 1
    assert (tmp_path / f"{FILE}-wal").exists()
    kept.close()
    assert not (tmp_path / f"{FILE}-wal").exists()
    kept.keep([(("claude-code", "4", "/4"), "a", None, b"")])  # and opens it again
    kept.close()
    assert not (tmp_path / f"{FILE}-wal").exists()
