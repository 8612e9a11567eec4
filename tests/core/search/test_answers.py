"""What is found first beside something else, and how little is asked where a word stands everywhere."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.search.test_index import receipt

from refloat.search import answers, shards
from refloat.search.answers import Answers, find_first
from refloat.search.index import Index, Key
from refloat.search.query import parse
from refloat.search.shards import COUNT, open_shard, shard_path

KEYS = [("claude-code", f"s{n}", f"/t/{n}.jsonl") for n in range(5)]
WORDS = ("alpha", "alphabet", "beta", "gamma")


@pytest.fixture
def index(tmp_path: Path):
    with Index.open(tmp_path) or pytest.fail("no index") as opened:
        yield opened


def items(found: Answers, key: Key) -> list[int]:
    return [candidate.doc.item for candidate in found.of(key)]


@given(
    st.lists(st.lists(st.sets(st.sampled_from(WORDS), min_size=1).map(sorted), max_size=5), min_size=5, max_size=5),
    st.sampled_from(["alpha", "alph", "beta gamma", "alphabet beta", "nothing"]),
)
def test_each_session_answers_with_what_it_holds_however_little_is_asked_at_once(
    tmp_path_factory: pytest.TempPathFactory, texts: list[list[list[str]]], typed: str
):
    query = parse(typed)
    directory = tmp_path_factory.mktemp("index")
    with pytest.MonkeyPatch.context() as patched, Index.open(directory) or pytest.fail("no index") as index:
        patched.setattr(answers, "_PROBE", 3)
        patched.setattr(answers, "_PAGE", 2)
        for key, rows in zip(KEYS, texts, strict=True):
            index.keep([(key, "a", None, receipt(directory, *map(" ".join, rows), path=key[2]))])
        wanted = {
            key: [n for n, row in reversed(list(enumerate(rows, 1))) if query.find(" ".join(row)) is not None]
            for key, rows in zip(KEYS, texts, strict=True)
        }
        for first in (None, find_first(directory, query)):
            found = Answers(index, query, first)
            assert {key: items(found, key) for key in KEYS} == wanted
            assert all(found.holds(key) == bool(wanted[key]) for key in KEYS)
            sessions = found.sessions()
            assert sessions is None or set(sessions) == {key[:2] for key in KEYS if wanted[key]}


def test_a_rare_word_tells_its_sessions_and_a_common_one_does_not(index: Index, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(answers, "_PROBE", 3)
    for key in KEYS:
        rare = ["rare"] if key == KEYS[2] else []
        index.keep([(key, "a", None, receipt(index.directory, "common", *rare, path=key[2]))])
    assert Answers(index, parse("rare")).sessions() == {KEYS[2][:2]}
    assert Answers(index, parse("common")).sessions() is None


def test_an_item_parted_between_two_readings_makes_its_session_one_that_may_hold_both_words(index: Index):
    from refloat.model.problem import Place
    from refloat.search.digest import Digest
    from refloat.search.shards import close_writers

    index.keep([(KEYS[0], "a", None, receipt(index.directory, "alpha", path=KEYS[0][2]))])
    digest = Digest(index.directory, list)
    digest.take(1, Place(KEYS[0][2], 2, 50), "output", "beta")
    index.keep([(KEYS[0], "b", "a", digest.close())])
    close_writers()
    found = Answers(index, parse("alpha beta"))
    assert found.sessions() == {KEYS[0][:2]}
    assert items(found, KEYS[0]) == [1]
    assert Answers(index, parse("alpha")).sessions() == {KEYS[0][:2]}
    assert Answers(index, parse("gamma")).sessions() == set()
    assert Answers(index, parse("gamma")).sessions(late=True) == {KEYS[0][:2]}


def test_what_was_found_first_in_another_file_counts_for_nothing(index: Index):
    index.keep([(KEYS[0], "a", None, receipt(index.directory, "alpha", path=KEYS[0][2]))])
    first = find_first(index.directory, parse("alpha"))
    index.start_anew()
    for number in range(COUNT):
        assert not shard_path(index.directory, number).exists()
    index.keep([(KEYS[1], "a", None, receipt(index.directory, "beta", "alpha", path=KEYS[1][2]))])
    with Index.open(index.directory) or pytest.fail("no index") as again:
        assert items(Answers(again, parse("alpha"), first), KEYS[1]) == [2]
        assert items(Answers(again, parse("alpha"), first), KEYS[0]) == []


@pytest.mark.parametrize("few", [0, 2, 64])
@pytest.mark.parametrize("typed", ["alph", "alpha", "al beta", "öl", "beta al", "zeta", "東"])
def test_a_beginning_of_words_finds_the_same_rows_whether_its_words_are_sought_one_by_one_or_not(
    index: Index, monkeypatch: pytest.MonkeyPatch, few: int, typed: str
):
    texts = ["alpha", "alphabet beta", "ölpreis öl", "al", "beta alpine", "gamma", "東京 都", "alphas alpha"]
    written = receipt(index.directory, *texts, path=KEYS[0][2])
    index.keep([(KEYS[0], "a", None, written)])
    query = parse(typed)
    wanted = [at for at, text in enumerate(texts, 1) if query.find(text) is not None]
    monkeypatch.setattr(shards, "_ENDINGS", few)
    shard = open_shard(index.directory, 0) or pytest.fail("no shard")
    assert shard.rows(query.index_query(), 9, newest=False) == wanted
    assert shard.rows(query.index_query(), 9, newest=True) == wanted[::-1]
    assert shard.rows(query.index_query(), 1, newest=True) == wanted[-1:]
    assert not shard.failed
    shard.close()
