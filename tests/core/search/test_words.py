"""Words are the same for the index and for a text, whatever the script."""

import re
import sqlite3
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refloat.search import words
from refloat.search.query import parse
from refloat.search.words import composed, index_form, is_dense, split, word_end, word_spans, word_start

TEXTS = st.text(
    st.sampled_from(
        "abzAZ019 _-./\"'\n\t*()é\u0301ßİıÅÀ東京都한국어กขΩωЖжि\u0915\u094d\u0937…“”ﬁ½²①\ud800\U0001f600\x1b[m✓"
    ),
    max_size=40,
)


def asked_of_fts(text: str, query: str) -> bool:
    db = sqlite3.connect(":memory:")
    try:
        db.execute("CREATE VIRTUAL TABLE words USING fts5(text, content='', detail=none, tokenize='ascii')")
        db.execute("INSERT INTO words(rowid, text) VALUES (1, ?)", (index_form(text),))
        return bool(db.execute("SELECT rowid FROM words WHERE words MATCH ?", (query,)).fetchall())
    finally:
        db.close()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("retry_count in src/Importer.py", ["retry", "count", "in", "src", "importer", "py"]),
        ("Café déjà-vu", ["cafe", "deja", "vu"]),
        ("cafe\u0301", ["cafe"]),
        ("STRASSE straße", ["strasse", "strasse"]),
        ("東京 tower", ["東", "京", "tower"]),
        ("Привет, мир", ["привет", "мир"]),
        ("ﬁnd ①", ["find", "1"]),
        ("\x1b[31mFAILED\x1b[0m test", ["failed", "test"]),
        ("\x1b[1;38;5;9mé\x1b[0m", ["e"]),
        ("\\u001b[31mFAILED\\x1b[0m \\033[1mok \\e[0m", ["failed", "ok"]),
        ("🚀 deploy✓", ["🚀", "deploy", "✓"]),
        ("… “” ()", []),
    ],
)
def test_words_are_letters_and_digits_without_case_and_accents(text: str, words: list[str]):
    assert split(text) == words


CONTROL = re.compile(r"(?:\x1b\[|\x9b|\\{1,4}(?:u001[bB]|x1[bB]|033|e)\[)[0-9;:?]{0,32}[A-Za-z]")
SPELLED = st.lists(
    st.sampled_from(
        ["\x1b", "\x9b", "[", "\\", "u001b", "u001B", "x1b", "x1B", "033", "e", "1", ";", "38", "m", "K", "z", "é", " "]
    ),
    max_size=14,
).map("".join)


@given(SPELLED)
def test_what_colours_a_terminal_stands_between_words_however_it_is_spelled(text: str):
    assert split(text) == split(CONTROL.sub(" ", text))
    assert len(word_spans(composed(text))) == len(split(text))


@given(st.text("ab \n\u00a0\x85é", max_size=20), st.integers(0, 22), st.integers(1, 8))
def test_a_text_is_cut_between_words_where_one_ends_within_reach(text: str, at: int, reach: int):
    ends = [end for end in range(max(0, at - reach) + 1, at + 1) if text[end - 1 : end].isspace()]
    is_between = at >= len(text) or text[at].isspace()
    assert word_end(text, at, reach) == (at if is_between or not ends else ends[-1])
    starts = [start for start in range(at + 1, min(len(text), at + reach) + 1) if text[start - 1].isspace()]
    is_between = not at or text[at - 1 : at].isspace()
    assert word_start(text, at, reach) == (at if is_between or not starts else starts[0])


@given(TEXTS)
def test_places_show_the_words_they_are_of(text: str):
    whole = composed(text)
    found = word_spans(whole)
    assert len(found) == len(split(text))
    assert all(word in split(whole[start:end]) for word, (start, end) in zip(split(text), found, strict=True))
    assert all(first[0] <= second[0] for first, second in pairwise(found))


@given(TEXTS)
def test_the_index_takes_the_words_of_a_text_and_pairs_of_dense_ones(text: str):
    wanted: set[str] = set()
    words = split(text)
    for word, following in pairwise([*words, ""]):
        wanted.add(word)
        if is_dense(word) and following and is_dense(following):
            wanted.add(word + following)
    terms = re.findall("[0-9A-Za-z\x80-\U0010ffff]+", index_form(text))
    taken = {"".join(c.lower() if c.isascii() else c for c in term) for term in terms}
    alone = {word for word in words if is_dense(word)}
    assert wanted - alone <= taken <= wanted
    # A dense word is found by what it begins: alone, or a pair.
    assert all(any(term.startswith(word) for term in taken) for word in alone)


@given(TEXTS, st.integers(0, 30), st.integers(1, 6))
def test_the_index_finds_every_stretch_of_a_text_that_is_found_in_the_text_itself(text: str, start: int, size: int):
    spans = word_spans(composed(text))[start : start + size]
    if not spans:
        return
    stretch = composed(text)[spans[0][0] : spans[-1][1]].replace('"', " ")
    query = parse(f'"{stretch}"')
    if query.terms and query.find(composed(text)) is not None:
        assert asked_of_fts(text, query.index_query())


@given(TEXTS, TEXTS)
def test_what_a_text_holds_the_index_holds(text: str, typed: str):
    query = parse(typed)
    if query.terms and query.find(composed(text)) is not None:
        assert asked_of_fts(text, query.index_query())


def test_scripts_without_spaces_are_found_from_any_character_on():
    for sought in ("東", "京都", "都庁", "庁", "東京都庁"):
        query = parse(sought)
        assert asked_of_fts("昨日、東京都庁で", query.index_query())
        assert query.find("昨日、東京都庁で") is not None
    assert parse("京東").find("昨日、東京都庁で") is None


WORD = re.compile(f"[{words._DENSE}]|(?:[^\\W_{words._DENSE}]|[\u0900-\u0dff])+")


def test_each_character_is_judged_as_the_expressions_judge_it():
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        assert is_dense(character) is (words._IS_DENSE.match(character) is not None), hex(code)
        assert words._is_of_word(character) is (WORD.match(character) is not None), hex(code)
