"""What a failed check says failed, in its own words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refloat.commands import failures, what_failed


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (
            "FAILED tests/test_importer.py::test_retries - assert 2 == 3\n===== 1 failed, 41 passed in 0.12s =====",
            "1 failed, 41 passed: tests/test_importer.py::test_retries",
        ),
        ("FAILED a.py::x\nFAILED a.py::y\n2 failed in 0.04s\n", "2 failed: a.py::x and 1 more"),
        ("FAIL: test_x (tests.T)\nRan 3 tests\nFAILED (failures=1)", "FAILED (failures=1): test_x (tests.T)"),
        ("test a::b ... FAILED\ntest result: FAILED. 1 passed; 1 failed; 0 ignored", "1 passed; 1 failed: a::b"),
        ("--- FAIL: TestSum (0.00s)\nFAIL", "TestSum"),
        ("  ● sums › adds\n\nTests:       1 failed, 3 passed, 4 total", "1 failed, 3 passed, 4 total: sums › adds"),
        (
            "src/a.py:3: error: Bad\nFound 1 error in 1 file (checked 2)",
            "Found 1 error in 1 file (checked 2): src/a.py:3: error: Bad",
        ),
        ("== 2 errors in 0.10s ==", "2 errors"),
        ("  3 failing\n", "3 failing"),
        ("✖ 2 problems (2 errors, 0 warnings)", "2 problems (2 errors, 0 warnings)"),
        ("ERROR: test_y (tests.T)", "test_y (tests.T)"),
        ("ERROR tests/test_b.py", "tests/test_b.py"),
        ("  ✕ adds one\n × adds two", "adds one and 1 more"),
        ("a.c:3:9: fatal error: no such file", "a.c:3:9: fatal error: no such file"),
        ("a.ts(3,4): error TS2304: no name", "a.ts(3,4): error TS2304: no name"),
        ("5 passed in 1.00s", ""),
        ("Segmentation fault", ""),
    ],
)
def test_the_summary_and_what_it_names(output: str, told: str) -> None:
    assert what_failed(output) == told


_PARTS = [
    *("=", " ", "\t", "1", "23", "failed", "errors", "error", "FAILED", "(", ")", "failures=1", ":", ",", "Test", "s"),
    *("test result:", " passed;", "Found", "problems", "failing", "fatal", "a.py", "...", "---", "FAIL", "●", "✕"),
]


@given(st.lists(st.sampled_from(_PARTS), max_size=12).map("".join))
def test_what_a_line_says_is_never_passed_over(line: str) -> None:
    assert failures._SUMMARY.match(line) is None or failures._COUNTS.search(line)
    assert failures._NAMED.match(line) is None or failures._POINTS.search(line)
