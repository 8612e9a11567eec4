"""Lines of text, whatever ends them."""

from hypothesis import given
from hypothesis import strategies as st

from refloat.checkout.lines import bare, bare_all, bare_lines


@given(st.lists(st.text(st.sampled_from("ab\r "), max_size=4), max_size=6))
def test_all_lines_are_bared_as_each_is(lines: list[str]):
    assert bare_all(lines) == [bare(line) for line in lines]


def test_one_carriage_return_alone_ends_a_line():
    assert bare_lines("one\r\ntwo\r\r\nth\rree\n") == ["one", "two\r", "th\rree", ""]


def test_what_comes_back_is_a_list_of_its_own():
    lines = ["one", "two"]
    assert bare_all(lines) == lines
    assert bare_all(lines) is not lines
