"""The index: what replaces what, what a receipt is worth, and what is found when rows are many."""

import sqlite3
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refloat.model.problem import Place
from refloat.search import answers, shards
from refloat.search import digest as digesting
from refloat.search import index as indexing
from refloat.search.answers import Answers
from refloat.search.digest import KINDS, PIECE, Digest, Doc, Run, bounded, pack, pack_docs, unpack, unpack_docs
from refloat.search.index import Index
from refloat.search.query import parse
from refloat.search.shards import COUNT, Together, Written, close_writers, open_shard, shard_path, write_rows

KEY = ("claude-code", "one", "/t/one.jsonl")
OTHER = ("claude-code", "two", "/t/two.jsonl")


def same(texts: list[str]) -> list[str]:
    return texts


def receipt(directory: Path, *texts: str, first: int = 1, path: str = KEY[2]) -> bytes:
    digest = Digest(directory, same)  # type: ignore[arg-type]
    for n, text in enumerate(texts, first):
        digest.take(n, Place(path, n, 100 * n), "reply", text)
    made = digest.close()
    close_writers()
    return made


def found(index: Index, words: str, key: tuple[str, str, str] = KEY) -> list[int]:
    return [candidate.doc.item for candidate in Answers(index, parse(words)).of(key)]


@pytest.fixture
def index(tmp_path: Path):
    with Index.open(tmp_path) or pytest.fail("no index") as opened:
        yield opened


def test_a_session_that_is_read_on_has_more_and_one_read_anew_has_only_that(index: Index):
    index.keep([(KEY, "a", None, receipt(index.directory, "alpha", "beta alpha"))])
    assert found(index, "alpha") == [2, 1]
    index.keep([(KEY, "b", "a", receipt(index.directory, "gamma alpha", first=3))])
    assert found(index, "alpha") == [3, 2, 1]
    assert index.covers(KEY, "b")
    assert not index.covers(KEY, "a")
    assert index.covered_of([KEY, OTHER]) == index.covered()
    index.keep([(KEY, "c", None, receipt(index.directory, "delta"))])
    assert found(index, "alpha") == []
    assert found(index, "delta") == [1]


def test_what_is_told_provisionally_goes_when_the_session_is_read_on(index: Index):
    digest = Digest(index.directory, same)  # type: ignore[arg-type]
    digest.take(1, Place(KEY[2], 1, 0), "prompt", "alpha")
    digest.provisional()
    digest.take(2, Place(KEY[2], 2, 50), "prompt", "alpha half")
    index.keep([(KEY, "a", None, digest.close())])
    assert found(index, "alpha") == [2, 1]
    index.keep([(KEY, "b", "a", receipt(index.directory, "beta", first=2))])
    assert found(index, "alpha") == [1]
    assert found(index, "beta") == [2]


def test_an_index_that_began_anew_holds_what_is_kept_in_it_next(index: Index, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(indexing, "_DEAD", 3)
    index.keep([(OTHER, "a", None, receipt(index.directory, "alpha", "beta", path=OTHER[2]))])
    for files in ("a", "b", "c", "d"):
        index.keep([(KEY, files, None, receipt(index.directory, "gamma", "delta"))])
    assert not index.covers(OTHER, "a")  # more was dead than alive
    for key, files in ((OTHER, "b"), (KEY, "e")):
        index.keep([(key, files, None, receipt(index.directory, "epsilon", path=key[2]))])
        assert index.covers(key, files)
        assert found(index, "epsilon", key) == [1]
    assert index.covers(OTHER, "b")


def test_a_reading_that_went_on_from_nothing_that_is_kept_covers_nothing(index: Index):
    index.keep([(KEY, "b", "a", receipt(index.directory, "gamma", first=3))])
    assert not index.covers(KEY, "b")


def test_of_two_that_read_on_from_the_same_place_neither_counts_until_all_is_read_anew(index: Index):
    index.keep([(KEY, "a", None, receipt(index.directory, "alpha"))])
    index.keep([(KEY, "b", "a", receipt(index.directory, "beta", first=2))])
    index.keep([(KEY, "c", "a", receipt(index.directory, "beta", "gamma", first=2))])
    assert not index.covers(KEY, "b")
    assert not index.covers(KEY, "c")
    assert found(index, "alpha") == [1]
    index.keep([(KEY, "c", None, receipt(index.directory, "alpha", "beta", "gamma"))])
    assert index.covers(KEY, "c")
    assert found(index, "gamma") == [3]


def test_what_could_not_be_written_covers_nothing(index: Index):
    index.keep([(KEY, "a", None, receipt(index.directory, "alpha"))])
    index.keep([(KEY, "b", None, b"")])
    assert not index.covers(KEY, "b")
    assert found(index, "alpha") == []


def test_forgetting_takes_one_session_and_leaves_the_others(index: Index):
    index.keep([(KEY, "a", None, receipt(index.directory, "alpha"))])
    index.keep([(OTHER, "a", None, receipt(index.directory, "alpha", path=OTHER[2]))])
    index.forget([KEY])
    assert found(index, "alpha") == []
    assert found(index, "alpha", OTHER) == [1]


def test_a_session_in_very_many_pieces_is_read_anew(index: Index, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(indexing, "_RUNS", 2)
    index.keep([(KEY, "0", None, receipt(index.directory, "alpha"))])
    for n in range(1, 4):
        index.keep([(KEY, str(n), str(n - 1), receipt(index.directory, "alpha", first=n + 1))])
    assert not index.covers(KEY, "3")
    assert found(index, "alpha") == [4, 3, 2, 1]


def test_dead_rows_make_the_index_begin_anew(index: Index, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(indexing, "_DEAD", 3)
    for n in range(5):
        index.keep([(KEY, str(n), None, receipt(index.directory, "alpha", "beta"))])
    rows = sum(shard.written() for shard in index._opened())
    assert rows < 10


def test_many_rows_are_found_from_both_ends_and_between(index: Index, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(answers, "_PROBE", 5)
    monkeypatch.setattr(answers, "_PAGE", 3)
    monkeypatch.setattr(answers, "PIECE", 4)
    monkeypatch.setattr(digesting, "PIECE", 4)
    keys = [("claude-code", f"s{n}", f"/t/{n}.jsonl") for n in range(6)]
    for key in keys:
        texts = ["alpha beta", "alpha", "gamma", "alpha beta", "alpha", "alpha", "alpha beta"]
        index.keep([(key, "a", None, receipt(index.directory, *texts, path=key[2]))])
    for key in keys:
        assert found(index, "alpha", key) == [7, 6, 5, 4, 2, 1]
        assert found(index, "alpha beta", key) == [7, 4, 1]
        assert Answers(index, parse("gamma")).holds(key)
        assert not Answers(index, parse("delta")).holds(key)


PLACES = st.lists(
    st.builds(Place, st.sampled_from(["/a", "/b"]), st.integers(1, 9**9), st.integers(0, 9**12)), min_size=1, max_size=3
).map(tuple)
DOCS = st.lists(st.builds(Doc, st.integers(1, 9**6), st.integers(0, 127), PLACES, st.booleans()), max_size=5)
RUNS = st.lists(
    st.builds(
        Run,
        shard=st.integers(0, 3),
        mark=st.text("0af", max_size=4),
        first=st.integers(1, 9**9),
        count=st.integers(1, 9**6),
        pieces=st.lists(st.binary(max_size=9), max_size=3).map(tuple),
        late=st.booleans(),
        provisional=st.booleans(),
        cleaned=st.booleans(),
    ),
    max_size=3,
)


@given(RUNS)
def test_a_receipt_says_what_was_put_into_it(runs: list[Run]):
    assert unpack(pack(runs)) == runs


@given(DOCS)
def test_a_piece_says_what_was_put_into_it(docs: list[Doc]):
    assert unpack_docs(pack_docs([(doc.item, doc.kinds, doc.places, doc.late) for doc in docs])) == docs


def test_a_long_session_is_told_in_pieces(index: Index):
    made = receipt(index.directory, *(f"alpha n{n}" for n in range(2 * PIECE + 3)))
    (run,) = unpack(made)
    assert [len(unpack_docs(piece)) for piece in run.pieces] == [PIECE, PIECE, 3]
    index.keep([(KEY, "a", None, made)])
    for n in (1, PIECE, PIECE + 1, 2 * PIECE + 3):
        assert found(index, f"n{n - 1}") == [n]
    assert found(index, "alpha") == list(range(2 * PIECE + 3, 0, -1))


def rows_of(directory: Path, words: str) -> list[int]:
    """Rows of all shards that somebody else sees."""
    opened = [open_shard(directory, number) for number in range(COUNT)]
    found = [row for shard in opened if shard is not None for row in shard.rows(words, 9)]
    for shard in opened:
        if shard is not None:
            shard.close()
    return found


def test_rows_that_are_written_together_are_kept_together(tmp_path: Path):
    with Together() as together:
        first, second = write_rows(tmp_path, ["alpha", "beta"]), write_rows(tmp_path, ["alpha"])
        assert first is not None
        assert second is not None
        assert (first.shard, first.mark, first.first + 2) == (second.shard, second.mark, second.first)
        assert rows_of(tmp_path, "alpha") == []
    assert together.kept
    assert rows_of(tmp_path, "alpha") == [second.first, first.first]
    close_writers()


def test_many_rows_are_kept_before_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shards, "_TOGETHER", 4)
    with Together() as together:
        write_rows(tmp_path, ["alpha", "beta"])
        assert rows_of(tmp_path, "alpha") == [1]
    assert together.kept
    close_writers()


def test_of_rows_written_together_none_counts_when_some_are_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    with Together() as together:
        write_rows(tmp_path, ["alpha"])
        with monkeypatch.context() as patched:
            patched.setattr(shards, "enumerate", full, raising=False)
            assert write_rows(tmp_path, ["beta"]) is None
        assert write_rows(tmp_path, ["gamma"]) is not None
    assert not together.kept
    assert rows_of(tmp_path, "alpha") == []
    close_writers()


def test_of_rows_written_together_none_counts_when_their_file_goes(tmp_path: Path):
    with Together() as together:
        written = write_rows(tmp_path, ["alpha"])
        assert written is not None
        shard_path(tmp_path, written.shard).unlink()
        write_rows(tmp_path, ["beta"])
    assert not together.kept
    close_writers()


TOLD = st.lists(
    st.tuples(st.integers(0, 6), st.integers(1, 4), st.sampled_from(KINDS), st.sampled_from(["", "ab", "cd ef"])),
    max_size=24,
)


@given(TOLD, st.sampled_from([3, 10**6]))
def test_an_item_has_a_row_in_each_window_in_which_something_is_told_of_it(
    told: list[tuple[int, int, str, str]], window: int
):
    wrote: list[str] = []

    def write(_: Path, texts: Sequence[str]) -> Written:
        wrote.extend(texts)
        return Written(0, "m", len(wrote) - len(texts) + 1)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(digesting, "write_rows", write)
        patched.setattr(digesting, "_WINDOW", window)
        digest = Digest(Path("/t"), lambda texts: texts)
        for n, line, kind, text in told:
            digest.take(n, Place("/t/one.jsonl", line, 10 * line), kind, text)
        runs = unpack(digest.close())
    docs = [doc for run in runs for piece in run.pieces for doc in unpack_docs(piece)]
    assert list(zip(docs, wrote, strict=True)) == list(rows_by_hand(told, window))
    assert [run.late for run in runs] == [
        any(doc.late for doc in docs[run.first - 1 : run.first - 1 + run.count]) for run in runs
    ]


def rows_by_hand(told: list[tuple[int, int, str, str]], window: int) -> Iterator[tuple[Doc, str]]:
    """Window by window, item by item."""
    left, upto = [row for row in told if row[0] and row[3]], 0
    while left:
        sizes = accumulate(len(text) for *_, text in left)
        end = next((at for at, size in enumerate(sizes, 1) if size > window), len(left))
        held, left = left[:end], left[end:]
        for n in sorted({n for n, *_ in held}):
            own = [row for row in held if row[0] == n]
            lines = [line for line, _ in groupby(line for _, line, _, _ in own)]
            kinds = sum(1 << KINDS.index(kind) for kind in {kind for _, _, kind, _ in own})
            places = tuple(Place("/t/one.jsonl", line, 10 * line) for line in lines)
            yield Doc(n, kinds, places, n <= upto or own[0][2] == "output"), "\n".join(text for *_, text in own)
        upto = max(upto, *(n for n, *_ in held))


@given(st.text("ab \n", max_size=4000), st.sampled_from(["output", "reply", "path"]))
def test_what_is_searched_of_a_text_has_only_whole_words_of_it(text: str, kind: str):
    parted = set(bounded(kind, text).split()) - set(text.split())
    assert not parted or max(map(len, text.split())) > 400
