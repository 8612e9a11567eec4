"""Lines of text, whatever ends them."""

from difflib import SequenceMatcher

from hypothesis import given
from hypothesis import strategies as st

from refloat.checkout.lines import bare, bare_all, bare_lines, find_blocks, find_differences


@given(st.lists(st.text(st.sampled_from("ab\r "), max_size=4), max_size=6))
def test_all_lines_are_bared_as_each_is(lines: list[str]):
    assert bare_all(lines) == [bare(line) for line in lines]


def test_one_carriage_return_alone_ends_a_line():
    assert bare_lines("one\r\ntwo\r\r\nth\rree\n") == ["one", "two\r", "th\rree", ""]


def test_what_comes_back_is_a_list_of_its_own():
    lines = ["one", "two"]
    assert bare_all(lines) == lines
    assert bare_all(lines) is not lines


LINES = st.lists(st.sampled_from("abcdef"), max_size=30)


@given(LINES, LINES)
def test_blocks_are_those_of_the_standard_library(old: list[str], new: list[str]) -> None:
    plain = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    pairs = [(at + n, there + n) for at, there, size in sorted(find_blocks(old, new)) for n in range(size)]
    assert pairs == [(at + n, there + n) for at, there, size in plain for n in range(size)]


@given(LINES, LINES)
def test_differences_lead_from_one_text_to_the_other(old: list[str], new: list[str]) -> None:
    made = list(old)
    for place in reversed(find_differences(old, new)):
        assert old[place.old_from : place.old_to] != new[place.new_from : place.new_to]
        made[place.old_from : place.old_to] = new[place.new_from : place.new_to]
    assert made == new
