"""What is typed is words: nothing of it is syntax of an engine, and nothing of it is an error."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refloat.search import titles as titling
from refloat.search.excerpt import excerpt
from refloat.search.query import Words, parse
from refloat.search.titles import Titles, distance
from refloat.search.words import composed


def found_in(title: str, typed: str) -> list[tuple[int, int]] | None:
    titles, words = Titles(parse(typed)), Words(composed(title))
    rows = titles.find_in(words)
    assert (1 in titles.among(["another title", title])) is (rows is not None)
    return None if rows is None else words.places(rows)


def held(typed: str, text: str) -> bool:
    return parse(typed).find(text) is not None


@pytest.mark.parametrize(
    ("typed", "text", "there"),
    [
        ("retry importer", "the importer must retry", True),
        ("retry importer", "the importer must stop", False),
        ('"must retry"', "the importer must retry", True),
        ('"retry must"', "the importer must retry", False),
        ("impor", "the importer must retry", True),
        ("impor retry", "the importer must retry", False),
        ('"impor"', "the importer must retry", False),
        ("importer -retry", "the importer must retry", False),
        ("importer -stop", "the importer must retry", True),
        ('importer -"must stop"', "it must, the importer must stop", False),
        ("src/importer.py", "edit src/importer.py", True),
        ("src/importer.py", "importer.py in src", False),
        ("RÉSUMÉ", "a resume of it", True),
        ("resume", "a résumé of it", True),
        ("NEAR AND OR NOT", "near and or not", True),
        ("e", "the end", False),
        ("failed", "\x1b[31mFAILED\x1b[0m test", True),
        ("31mfailed", "\x1b[31mFAILED\x1b[0m test", False),
        ("🚀 deploy", "🚀 deploy", True),
        ("🚀 deploy", "deploy", False),
        (" ".join(["a"] * 40 + ["missing"]), "a", False),
        (" ".join(["a"] * 40 + ["-there"]), "a there", False),
    ],
)
def test_a_query_holds_where_its_words_stand(typed: str, text: str, there: bool):
    assert held(typed, text) is there


@given(st.text(st.sampled_from("ab -\"*()^:{}+AND NEAR'\\\x00\n東é;,."), max_size=40))
def test_no_query_is_a_fault_of_the_engine(typed: str):
    query = parse(typed)
    query.find("a b ab 東")
    if query.terms:
        db = sqlite3.connect(":memory:")
        db.execute("CREATE VIRTUAL TABLE words USING fts5(text, content='', detail=none, tokenize='ascii')")
        db.execute("SELECT rowid FROM words WHERE words MATCH ?", (query.index_query(),)).fetchall()
        db.close()


def test_a_query_of_signs_alone_has_no_terms():
    assert parse('-- ... "" \'').terms == ()
    assert parse("-only").terms == ()
    assert parse("-only").without


@pytest.mark.parametrize(
    ("first", "second", "changes"),
    [("importer", "importer", 0), ("improter", "importer", 1), ("importr", "importer", 1), ("imprtr", "importer", 2)],
)
def test_a_change_is_a_letter_more_less_other_or_two_in_the_wrong_order(first: str, second: str, changes: int):
    assert distance(first, second, 2) == changes


@pytest.mark.parametrize(
    ("typed", "there"),
    [
        ("importer retry", True),
        ("improter retyr", True),
        ("imprter", True),
        ("imprtr", False),
        ("impotrer thre", True),
        ("exporter", False),
        ("teh", False),
        ("importer -retry", False),
    ],
)
def test_titles_forgive_mistyped_words(typed: str, there: bool):
    assert (found_in("Make the importer retry three times", typed) is not None) is there


@given(st.text("abcd", min_size=1, max_size=12), st.integers(0, 11), st.sampled_from(["drop", "swap", "other", "add"]))
def test_one_mistake_in_a_word_of_four_letters_and_more_is_forgiven(word: str, at: int, mistake: str):
    if len(word) < 4:
        return
    at %= len(word)
    typed = {
        "drop": word[:at] + word[at + 1 :],
        "swap": word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :],
        "other": word[:at] + "x" + word[at + 1 :],
        "add": word[:at] + "x" + word[at:],
    }[mistake]
    if len(typed) >= 4:
        assert found_in(f"fix {word} now", f'"{typed}"') is not None


def test_an_excerpt_shows_the_stretch_that_holds_most_of_the_words_and_marks_them():
    text = "retry " + "filler " * 100 + "the importer\nmust\tretry \x1b[31mred " + "more " * 60
    pieces = excerpt(text, parse("importer retry").find(text) or [])
    shown = "".join(piece for piece, _ in pieces)
    assert [piece for piece, sought in pieces if sought] == ["importer", "retry"]
    assert "the importer must retry \\x1b[31mred" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) < 200


def test_a_paste_of_thousands_of_words_is_a_search_for_all_of_them():
    typed = " ".join(f"w{n}" for n in range(4000))
    query = parse(typed)
    assert len(query.terms) == 4000
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE words USING fts5(text, content='', detail=none, tokenize='ascii')")
    assert db.execute("SELECT rowid FROM words WHERE words MATCH ?", (query.index_query(),)).fetchall() == []
    db.close()
    assert Titles(query).find_in(Words("w1 w2")) is None
    assert Titles(query).find_in(Words(typed))


@given(
    st.lists(st.text("aab éß東…-\n", max_size=12), max_size=20),
    st.sampled_from(["ab", "a -b", "ba éss", "東", "aabb ab"]),
)
def test_titles_are_found_among_many_as_they_are_alone(titles: list[str], typed: str):
    wanted = [at for at, title in enumerate(titles) if Titles(parse(typed)).find_in(Words(composed(title))) is not None]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(titling, "_BLOCK", 3)
        assert list(Titles(parse(typed)).among(titles)) == wanted
