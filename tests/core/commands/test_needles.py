"""What a line must hold for an expression to match in it: nothing that matches may be without it."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refloat.commands.needles import Hint, Needle, find_hint, find_parts
from refloat.knowledge.tables import table

ROWS = [
    pytest.param(str(source), id=f"{section} {name}")
    for section, rows in table("outcomes").items()
    for name, source in rows.items()
]


def needle(text: str) -> Needle:
    return Needle(text, behind_digit=False)


def counted(text: str) -> Needle:
    return Needle(text, behind_digit=True)


def allows(hint: Hint, line: str) -> bool:
    """Whether a line may hold a match, as far as the hint says."""
    if hint.starts:
        return line.startswith(tuple(hint.starts))
    if not hint.needles:
        return True
    return any(
        re.search(r"\d" + re.escape(one.text), line) if one.behind_digit else one.text in line for one in hint.needles
    )


@pytest.mark.parametrize(
    ("source", "starts"),
    [
        ("^FAILED \\(", {"FAILED ("}),
        ("^(?:BUILD|TEST) FAILED", {"BUILD FAILED", "TEST FAILED"}),
        ("^g?make: ", {"make: ", "gmake: "}),
        ("^error: .*\\d", {"error: "}),
        ("^a|^b", {"a", "b"}),
        ("^[Ff]ail", {"Fail", "fail"}),
    ],
)
def test_what_is_tied_to_the_beginning_of_a_line_tells_how_that_begins(source: str, starts: set[str]) -> None:
    assert find_hint(source) == Hint(starts=frozenset(starts))


@pytest.mark.parametrize(
    ("source", "needles"),
    [
        ("All specs passed!", {needle("All specs passed!")}),
        (r"[1-9]\d* (?:failed|errors?)\b", {counted(" failed"), counted(" error")}),
        (r"\d+ tests?, [1-9]\d* failures?", {counted(" failure")}),
        (r"^\s*ERR_PNPM|ELIFECYCLE", {needle("ERR_PNPM"), needle("ELIFECYCLE")}),
        (r"\S+\.py:\d+: error:", {counted(": error:")}),
        (r"(?:one )?two(?= three)", {needle("two")}),
        (r"(?:ab)+c", {needle("ab")}),
    ],
)
def test_the_texts_that_say_most_are_taken(source: str, needles: set[Needle]) -> None:
    assert find_hint(source) == Hint(needles=frozenset(needles))


@pytest.mark.parametrize(
    "source",
    ["", ".*", "a?", r"\d+", "x|", "(?i)failed", r"(\w)\1", "(?P<a>x)(?P=a)", r"\x41", "a{,3}", "(?#failed)", "(failed",
     r"^ok|\d", "^(?:failed)?"],
)  # fmt: skip
def test_of_what_may_match_anything_or_is_not_read_nothing_is_said(source: str) -> None:
    assert find_hint(source) == Hint()


@pytest.mark.parametrize("source", ROWS)
@settings(max_examples=8)
@given(data=st.data())
def test_no_line_that_a_row_of_the_table_is_found_in_is_passed_over(source: str, data: st.DataObject) -> None:
    line = data.draw(st.from_regex(source)).split("\n")[0]
    if re.search(source, line):
        assert allows(find_hint(source), line)


ATOMS = st.sampled_from(
    ["a", "b", " ", "1", "ab", r"\.", r"\(", r"\d", "[1-9]", "[0-9]", "[ab]", "[^a]", "[a1.]", "[a-c]", ".", r"\s",
     r"\w", r"\b", "^", "$", "a b", "(?=a)", "(?!1)", "(?<=b)"]
)  # fmt: skip
TIMES = st.sampled_from(["", "", "", "?", "*", "+", "{2}", "{0,1}", "{1,2}", "*?", "+?"])
UNREPEATED = ("^", "$", r"\b", "(?=a)", "(?!1)", "(?<=b)")


def _times(atom: str, times: str) -> str:
    return atom if atom in UNREPEATED else f"{atom}{times}"


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    joined = st.lists(inner, min_size=1, max_size=4).map("".join)
    either = st.lists(joined, min_size=1, max_size=3).map("|".join)
    return st.builds("(?:{}){}".format, either, TIMES) | joined | either


SOURCES = st.recursive(st.builds(_times, ATOMS, TIMES), _grown, max_leaves=12)
LINES = st.text("ab1 .(c2", max_size=12)


@given(source=SOURCES, data=st.data())
def test_no_line_that_any_expression_is_found_in_is_passed_over(source: str, data: st.DataObject) -> None:
    pattern = re.compile(source)
    line = data.draw(LINES | st.from_regex(source, alphabet="ab1 .(c2").map(lambda text: text.split("\n")[0]))
    if pattern.search(line):
        assert allows(find_hint(source), line), (find_hint(source), line)


@given(st.sets(st.text("ab t", min_size=1, max_size=12), max_size=12))
def test_in_each_of_some_texts_stands_one_of_a_few(texts: set[str]) -> None:
    parts = find_parts(texts)
    assert all(any(part in text for part in parts) for text in texts)
    assert len(parts) <= len(texts)


def test_what_texts_have_in_common_is_sought_once() -> None:
    assert find_parts(["no tests ran", "No tests found", "no test specified", "0 passing"]) == ["o test", " passi"]
