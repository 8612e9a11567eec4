"""What is frozen of a session goes to disk only when all of it was looked through."""

from hypothesis import given
from hypothesis import strategies as st

from refloat.brief.masks import strings_of
from refloat.usecases.recall import _news  # pyright: ignore[reportPrivateUsage] - the law of what is left out

LEAF = st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(("a", "b", "c", "d"))
JSON = st.recursive(
    LEAF, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3)
)


@given(JSON, JSON)
def test_no_text_is_passed_over_that_was_not_there(value: object, known: object) -> None:
    every, was = set(strings_of([value])), set(strings_of([known]))
    joined = "\n".join(strings_of([_news(value, known)]))
    assert all(each in was or each in joined for text in every for each in text.split("\n"))


def test_of_a_state_that_grew_little_is_left() -> None:
    before = {"open": {"one": ["a", "b"]}, "rows": [["r", 1], ["s", 2]], "seen": [1, 5]}
    after = {"open": {"one": ["a", "b"], "two": ["c"]}, "rows": [["r", 1], ["s", 2], ["t", 3]], "seen": [1, 4, 5]}
    assert {*strings_of(_news(after, before))} - {""} == {"c", "open", "rows", "seen", "t", "two"}
    assert _news(before, before) == []


def test_lines_are_looked_through_together() -> None:
    assert strings_of(_news({"said": ["a", "b", "c"]}, {"said": ["a", "b"]})) == ["said", "a\nb\nc"]
