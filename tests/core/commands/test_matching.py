"""Which lines the expressions of a table are found in: just what searching each line for each of them gives."""

import re

from hypothesis import given
from hypothesis import strategies as st

from refloat.commands.matching import Rows, lines_with
from refloat.knowledge.tables import table

SECTIONS = ("failed", "passed", "part_failed", "part_passed", "nothing")
TABLE = [(section, str(source)) for section in SECTIONS for source in table("outcomes")[section].values()]
ODD = [("odd", source) for source in (r"\w+ing$", "(?i)TESTS", r"(.)\1\1", "^ok", "", "x?", r"^\s*[1-9] of")]
WORDS = """failed passed error errors FAILED FAIL PASS ok OK tests test: example examples, 0 1 12 failures, failing
passing no ran in 0.1s = == | ; # - --- (x) file.py:3:4: E501 :error: Found Tests: Test Suites: total
Executed with skipped"""
LINE = st.lists(st.sampled_from([*WORDS.split(), "", "  "]), max_size=9).map(" ".join)


def plainly(rows: list[tuple[str, str]], lines: list[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for section, source in rows:
        for index, line in enumerate(lines):
            if line and re.search(source, line):
                found[section] = max(index, found.get(section, -1))
    return found


@given(st.lists(st.sampled_from([*TABLE, *ODD]), max_size=30, unique=True), st.lists(LINE, max_size=12))
def test_a_table_is_found_where_each_of_its_rows_is(rows: list[tuple[str, str]], lines: list[str]) -> None:
    assert Rows(rows).find(lines) == plainly(rows, lines)


@given(st.data())
def test_a_line_made_for_a_row_is_found(data: st.DataObject) -> None:
    rows = [data.draw(st.sampled_from(TABLE)) for _ in range(3)]
    lines = [data.draw(st.from_regex(source)).split("\n")[0] for _, source in rows]
    assert Rows(TABLE).find(lines) == plainly(TABLE, lines)


@given(st.lists(st.sampled_from([*TABLE, *ODD]), max_size=30, unique=True), st.lists(LINE, max_size=12))
def test_where_nothing_may_be_found_nothing_is(rows: list[tuple[str, str]], lines: list[str]) -> None:
    found = plainly(rows, [line.rstrip() for line in lines])
    assert Rows(rows).may_find("\n".join(lines)) or not found


@given(st.sampled_from([row for row in TABLE if row[0] == "nothing"]), st.data())
def test_a_line_made_for_a_row_may_be_found(row: tuple[str, str], data: st.DataObject) -> None:
    line = data.draw(st.from_regex(row[1])).split("\n")[0]
    text = data.draw(st.sampled_from(["", "x\n"])) + line
    assert Rows([row]).may_find(text) or not plainly([row], [line])


def test_most_outputs_are_not_looked_through() -> None:
    rows = Rows([row for row in TABLE if row[0] == "nothing"])
    assert not rows.may_find("tests/test_a.py ....\n== 4 passed in 0.1s ==\n")
    assert rows.may_find("x\n? module [no test files]\n")


@given(st.lists(st.sampled_from(WORDS.split()), max_size=4), st.lists(LINE, max_size=12))
def test_lines_with_a_word_are_those_that_hold_one(words: list[str], lines: list[str]) -> None:
    assert lines_with(words, lines) == [line for line in lines if any(word in line for word in words)]


def test_of_texts_that_begin_alike_behind_a_number_each_is_found() -> None:
    rows = Rows([("long", r"\d failed tests"), ("short", r"\d fail")])
    assert rows.find(["1 fail", "2 failed tests", "x failed"]) == {"long": 1, "short": 1}


def test_a_number_that_ends_one_text_begins_the_next() -> None:
    rows = Rows([("first", r"\d examples, 0 failures"), ("second", r"\d failures")])
    assert rows.find(["3 examples, 0 failures"]) == {"first": 0, "second": 0}
