"""How checks ended: whose exit code it is, and what their output says. The outputs are what each tool prints."""

import pytest

from refloat.commands import how_it_ended
from refloat.commands.outcomes import what_output_says
from refloat.model.transcript import Outcome

OK, ERROR = Outcome.OK, Outcome.ERROR

FAILED = {
    "pytest": "FAILED tests/a.py::t - assert 1\n=== 1 failed, 12 passed in 0.10s ===",
    "pytest, quiet": "..F\n1 failed, 12 passed in 0.10s",
    "pytest, errors": "=== 3 errors in 0.10s ===",
    "pytest, collection": "!!! Interrupted: 1 error during collection !!!\n=== 1 error in 0.1s ===",
    "unittest": "Ran 3 tests in 0.001s\n\nFAILED (failures=1)",
    "unittest, errors": "Ran 3 tests in 0.001s\n\nFAILED (errors=2)",
    "mypy": "a.py:1: error: x  [y]\nFound 1 error in 1 file (checked 3 source files)",
    "pyright": "3 errors, 0 warnings, 0 informations",
    "ruff": "a.py:1:1: F401 `os` imported but unused\nFound 1 error.\n[*] 1 fixable with the `--fix` option.",
    "flake8": "./a.py:1:1: E302 expected 2 blank lines",
    "black": "would reformat a.py\n\nOh no! 💥 💔 💥\n1 file would be reformatted, 2 files would be left unchanged.",
    "jest": "Test Suites: 1 failed, 2 passed, 3 total\nTests:       1 failed, 5 passed, 6 total\nSnapshots:   0 total",
    "jest, suite": "Test Suites: 1 failed, 2 passed, 3 total\nTests:       5 passed, 5 total\nSnapshots:   0 total",
    "vitest": " Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 7 passed (8)\n   Start at  10:00:00",
    "mocha": "  12 passing (30ms)\n  1 failing\n\n  1) a b:\n     AssertionError: x",
    "node": "# tests 3\n# pass 2\n# fail 1\n# cancelled 0",
    "node, spec": "ℹ tests 3\nℹ pass 2\nℹ fail 1",
    "playwright": "  1 failed\n    a.spec.ts:3:1 › x\n  4 passed (5.1s)",
    "cypress": "  ✖  1 of 2 failed (50%)      00:05       8       7       1",
    "eslint": "/w/a.js\n  1:1  error  x  no-undef\n\n✖ 1 problem (1 error, 0 warnings)",
    "tsc": "src/a.ts(1,1): error TS2304: Cannot find name 'x'.",
    "tsc, pretty": "src/a.ts:1:1 - error TS2304: Cannot find name 'x'.\n\nFound 1 error in src/a.ts:1",
    "prettier": "Checking formatting...\n[warn] a.ts\n[warn] Code style issues found in the above file. Run Prettier.",
    "npm": "npm error Lifecycle script `build` failed with error:\nnpm error code 1",
    "vite": "error during build:\nRollupError: Could not resolve",
    "webpack": "webpack 5.88.0 compiled with 2 errors in 300 ms",
    "cargo test": "test result: FAILED. 3 passed; 1 failed; 0 ignored\n\nerror: test failed, to rerun pass `--lib`",
    "cargo test, cut": "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out",
    "cargo build": "error[E0308]: mismatched types\n --> a.rs:1:1\n"
    "error: could not compile `a` (lib) due to 1 previous error",
    "nextest": "     Summary [   0.1s] 4 tests run: 3 passed, 1 failed, 0 skipped",
    "go": "--- FAIL: TestX (0.00s)\n    a_test.go:3: no\n"
    "FAIL\nFAIL\texample.org/a\t0.01s\nok  \texample.org/b\t0.01s\nFAIL",
    "go, two packages": "FAIL\texample.org/a\t0.01s\nok  \texample.org/b\t0.01s",
    "go build": "# example.org/a\n./a.go:3:5: undefined: x",
    "golangci": "a.go:1:1: x (unused)\n3 issues:\n* unused: 3",
    "maven": "[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE",
    "gradle": "5 tests completed, 1 failed\n\nFAILURE: Build failed with an exception.\nBUILD FAILED in 3s",
    "javac": "A.java:3: error: ';' expected\n1 error",
    "sbt": "[error] Failed tests:\n[error] \ta.B\n[error] (Test / test) sbt.TestsFailedException: Tests unsuccessful",
    "dotnet test": "Failed!  - Failed:     1, Passed:     3, Skipped:     0, Total:     4, Duration: 5 ms - a.dll "
    "(net8.0)",
    "dotnet test, two": "Failed!  - Failed: 1, Passed: 3, Total: 4 - a.dll\n"
    "Passed!  - Failed: 0, Passed: 3, Total: 3 - b.dll",
    "dotnet build": "a.cs(1,1): error CS0103: x\nBuild FAILED.\n    0 Warning(s)\n    1 Error(s)",
    "rspec": "3 examples, 1 failure, 0 pending\n\nFailed examples:\nrspec ./a_spec.rb:3",
    "minitest": "3 runs, 3 assertions, 1 failures, 0 errors, 0 skips",
    "rubocop": "3 files inspected, 2 offenses detected, 1 offense autocorrectable",
    "phpunit": "FAILURES!\nTests: 3, Assertions: 3, Failures: 1.",
    "phpstan": " [ERROR] Found 2 errors",
    "pest": "  Tests:    1 failed, 3 passed (4 assertions)",
    "ctest": "67% tests passed, 1 tests failed out of 3\n\nThe following tests FAILED:",
    "gcc": "a.c:1:1: error: expected ';'",
    "make": "a.c:1:1: error: x\nmake: *** [Makefile:2: a.o] Error 1",
    "ninja": "ninja: build stopped: subcommand failed.",
    "swift": "Executed 3 tests, with 1 failure (0 unexpected) in 0.1 (0.2) seconds",
    "xcodebuild": "Executed 3 tests, with 1 failure (0 unexpected)\n** TEST FAILED **",
    "mix": "Finished in 0.1 seconds\n3 tests, 1 failure",
    "zig": "Build Summary: 1/3 steps succeeded; 1 failed; 2/3 tests passed; 1 failed",
    "hspec": "3 examples, 1 failure",
    "tasty": "1 out of 3 tests failed (0.00s)",
    "dart": "00:01 +2 -1: Some tests failed.",
    "deno": "FAILED | 2 passed | 1 failed (10ms)\n\nerror: Test failed",
    "bats": "1..2\nok 1 a\nnot ok 2 b",
    "prove": "Failed 1/3 subtests\nResult: FAIL",
    "terraform": "╷\n│ Error: Unsupported argument\n│",
    "docker": 'ERROR: failed to solve: process "/bin/sh -c x" did not complete successfully: exit code: 1',
    "pre-commit": "ruff.....................................................................Failed\n- hook id: ruff",
    "tox": "  py311: FAIL code 1 (1.0=setup[0.5]+cmd[0.5] seconds)\n  evaluation failed :( (1.2 seconds)",
    "bazel": "Executed 3 out of 3 tests: 2 tests pass and 1 fails locally.",
    "busted": "3 successes / 1 failure / 0 errors / 0 pending : 0.01 seconds",
    "foundry": "Encountered a total of 1 failing tests, 3 tests succeeded",
    "import-linter": "Contracts: 6 kept, 1 broken.",
    "colours": "\x1b[31m\x1b[1m1 failed\x1b[0m, \x1b[32m12 passed\x1b[0m in 0.1s",
    "progress": "10%\r50%\r100%\r1 failed, 2 passed in 1.0s",
    "counts before words": "All good!\nTests passed, well done\n12 passed, 1 failed",
    "python trouble": "Traceback (most recent call last):\n  File \"a.py\"\nModuleNotFoundError: No module named 'x'",
}

PASSED = {
    "pytest": "=== 12 passed, 1 skipped in 0.10s ===",
    "pytest, quiet": "............\n12 passed in 0.10s",
    "pytest, warnings": "12 passed, 3 warnings in 0.1s",
    "pytest, expected failures": "=== 12 passed, 2 xfailed in 0.10s ===",
    "unittest": "Ran 3 tests in 0.001s\n\nOK",
    "unittest, skipped": "Ran 3 tests in 0.001s\n\nOK (skipped=1)",
    "mypy": "Success: no issues found in 3 source files",
    "pyright": "0 errors, 0 warnings, 0 informations",
    "ruff": "All checks passed!",
    "black": "All done! ✨ 🍰 ✨\n3 files would be left unchanged.",
    "jest": "Test Suites: 3 passed, 3 total\nTests:       5 passed, 5 total\nSnapshots:   0 total\nTime: 1 s",
    "vitest": " Test Files  3 passed (3)\n      Tests  8 passed (8)",
    "mocha": "  12 passing (30ms)\n  2 pending",
    "node": "# tests 3\n# pass 3\n# fail 0",
    "playwright": "  4 passed (5.1s)",
    "prettier": "Checking formatting...\nAll matched files use Prettier code style!",
    "vite": "dist/a.js 1 kB\n✓ built in 300ms",
    "cargo test": "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
    "cargo test, doc tests": "test result: ok. 3 passed; 0 failed; 0 ignored\n"
    "\n   Doc-tests a\n\ntest result: ok. 0 passed; 0 failed",
    "cargo build": "    Finished `dev` profile [unoptimized + debuginfo] target(s) in 0.1s",
    "go": "ok  \texample.org/a\t0.01s\n?   \texample.org/b\t[no test files]",
    "go, cached": "ok  \texample.org/a\t(cached)",
    "maven": "[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS",
    "gradle": "BUILD SUCCESSFUL in 3s\n7 actionable tasks: 7 executed",
    "dotnet test": "Passed!  - Failed:     0, Passed:     4, Skipped:     0, Total:     4 - a.dll (net8.0)",
    "dotnet build": "Build succeeded.\n    0 Warning(s)\n    0 Error(s)",
    "rspec": "3 examples, 0 failures",
    "minitest": "3 runs, 3 assertions, 0 failures, 0 errors, 0 skips",
    "rubocop": "3 files inspected, no offenses detected",
    "phpunit": "OK (3 tests, 3 assertions)",
    "phpstan": " [OK] No errors",
    "pest": "  Tests:    3 passed (4 assertions)",
    "ctest": "100% tests passed, 0 tests failed out of 3",
    "swift": "Test Suite 'All tests' passed\n\t Executed 3 tests, with 0 failures (0 unexpected) in 0.1 (0.2) seconds",
    "xcodebuild": "** BUILD SUCCEEDED **",
    "mix": "3 tests, 0 failures",
    "tasty": "All 3 tests passed (0.00s)",
    "dart": "00:01 +3: All tests passed!",
    "deno": "ok | 3 passed | 0 failed (10ms)",
    "prove": "All tests successful.\nResult: PASS",
    "terraform": "Success! The configuration is valid.",
    "bazel": "Executed 3 out of 3 tests: 3 tests pass.",
    "colours": "\x1b[32m12 passed\x1b[0m in 0.1s",
    "the last summary": "1 failed, 11 passed in 1.0s\n$ pytest --lf\n12 passed in 1.0s",
}

NOTHING = {
    "pytest": "collected 0 items\n\n=== no tests ran in 0.01s ===",
    "unittest": "Ran 0 tests in 0.000s\n\nNO TESTS RAN",
    "jest": "No tests found, exiting with code 0",
    "vitest": "No test files found, exiting with code 0",
    "go": "?   \texample.org/b\t[no test files]",
    "cargo": "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out",
    "rspec": "0 examples, 0 failures",
    "mocha": "  0 passing (1ms)",
    "gradle": "> Task :test NO-SOURCE",
    "phpunit": "No tests executed!",
    "swift": "Executed 0 tests, with 0 failures (0 unexpected)",
    "ctest": "No tests were found!!!",
}

SILENT = ["", "hello", "done", "error handling is described below", "0 failed attempts so far\nbut", "a" * 100_000]


@pytest.mark.parametrize("tool", FAILED)
def test_outputs_of_failed_checks(tool: str) -> None:
    assert what_output_says(FAILED[tool]) == "failed"


@pytest.mark.parametrize("tool", PASSED)
def test_outputs_of_checks_that_passed(tool: str) -> None:
    assert what_output_says(PASSED[tool]) == "passed"


@pytest.mark.parametrize("tool", NOTHING)
def test_outputs_of_checks_that_had_nothing_to_run(tool: str) -> None:
    assert what_output_says(NOTHING[tool]) == "nothing"


@pytest.mark.parametrize("output", SILENT)
def test_outputs_that_say_nothing(output: str) -> None:
    assert what_output_says(output) is None


def test_a_summary_far_above_the_end_is_found() -> None:
    assert what_output_says("1 failed, 2 passed in 1s\n" + "x\n" * 500) == "failed"


LEFT = (Outcome.DANGLING, None, "it was left running in the background", False)
PIPED, CODE = "pytest 2>&1 | tail -5", "its exit code is that of `tail -5`, not of the check"


@pytest.mark.parametrize(
    ("command", "outcome", "code", "output", "expected"),
    [
        ("pytest", OK, 0, "3 passed", (OK, 0, None, True)),
        ("pytest", ERROR, 1, "1 failed", (ERROR, 1, None, True)),
        ("pytest", OK, 0, "", (OK, 0, None, True)),
        ("pytest", OK, None, "1 failed, 2 passed",
         (ERROR, None, "no exit code is recorded, and its output says that it failed", True)),
        (PIPED, OK, 0, "1 failed, 2 passed", (ERROR, None, f"{CODE}; its output says that it failed", True)),
        (PIPED, OK, 0, "3 passed", (OK, None, f"{CODE}; its output says that it passed", True)),
        (PIPED, OK, 0, "hello", (OK, None, f"{CODE}; nothing says how it ended", False)),
        (PIPED, OK, 0, "no tests ran in 0.01s", (OK, None, f"{CODE}; there was nothing to run", False)),
        (f"set -o pipefail; {PIPED}", OK, 0, "", (OK, 0, None, True)),
        ("npm test", OK, 0, "No tests found", (OK, 0, "there was nothing to run", False)),
        ("npm test && git push", ERROR, 1, "Tests:  5 passed, 5 total\nfatal: no remote",
         (OK, None, "the failing exit code 1 is that of `git push`: its output says that it passed", True)),
        ("npm test && git push", ERROR, 1, "Tests:  1 failed, 5 total", (ERROR, 1, None, True)),
        ("pytest && mypy .", ERROR, 1, "3 passed\nFound 1 error in 1 file", (ERROR, 1, None, True)),
        ("timeout 60 pytest", ERROR, 124, "", (ERROR, 124, "its time was up before it ended", True)),
        ("pytest", ERROR, 127, "sh: pytest: not found", (ERROR, 127, "the program could not be run", True)),
        ('pytest; echo "exit: $?"', OK, 0, "...\nexit: 1",
         (ERROR, 1, "its exit code is that of `echo exit: $?`, not of the check; it printed its own, 1", True)),
        ("pytest | tee log; echo rc=${PIPESTATUS[0]}", OK, 0, "x\nrc=0",
         (OK, 0, "its exit code is that of `echo rc=${PIPESTATUS[0]}`, not of the check; it printed its own, 0", True)),
        ("pytest | tail; echo rc=$?", OK, 0, "x\nrc=0",
         (OK, None, "its exit code is that of `echo rc=$?`, not of the check; nothing says how it ended", False)),
        ("pytest", Outcome.DANGLING, None, "", (Outcome.DANGLING, None, None, True)),
        ("pytest | tail", Outcome.INTERRUPTED, None, "",
         (Outcome.INTERRUPTED, None, "its exit code is that of `tail`, not of the check", True)),
        (None, OK, 0, "3 passed", (OK, 0, None, True)),
        ("pytest > log 2>&1 &", OK, 0, "", LEFT),
        ("nohup pytest > log 2>&1 & echo $!", OK, 0, "4711", LEFT),
        ("(cd app && pytest; echo done) &", OK, 0, "", LEFT),
        ("bash -c 'pytest | tee log &'", OK, 0, "", LEFT),
        ("pytest > log & sleep 60; cat log", OK, 0, "3 passed",
         (OK, None, "its exit code is that of `&`, not of the check; its output says that it passed", True)),
        ("pytest & wait", OK, 0, "",
         (OK, None, "its exit code is that of `&`, not of the check; nothing says how it ended", False)),
        ("npm run dev & pytest", OK, 0, "", (OK, 0, None, True)),
    ],
)  # fmt: skip
def test_how_it_ended(
    command: str | None, outcome: Outcome, code: int | None, output: str, expected: tuple[object, ...]
) -> None:
    ended = how_it_ended(command, outcome, code, output)
    assert (ended.outcome, ended.exit_code, ended.note, ended.proved) == expected


MAY_NOT_HAVE_RUN = (
    "[ -d tests ] || pytest -q",
    "git diff --quiet || pytest -q",
    "if [ -f x ]; then pytest -q; fi",
    "if git diff --quiet; then echo same; else pytest -q; fi",
    "case $CI in true) pytest -q;; esac",
    "false || true && echo skip || pytest",
    "[ -d tests ] || (cd app && pytest -q)",
    "set -o pipefail; [ -d tests ] || pytest -q 2>&1 | tee log",
    "set -e; [ -d tests ] && pytest -q; echo done",
    "bash -c '[ -d tests ] || pytest -q'",
)


@pytest.mark.parametrize("command", MAY_NOT_HAVE_RUN)
def test_a_line_that_succeeds_without_its_check_proves_nothing_of_it(command: str) -> None:
    silent = how_it_ended(command, OK, 0, "")
    assert (silent.proved, silent.exit_code) == (False, None)
    assert how_it_ended(command, OK, 0, "3 passed in 0.10s").proved
    assert how_it_ended(command, OK, 0, "1 failed, 2 passed in 0.10s").outcome is ERROR


@pytest.mark.parametrize("command", ["cd app && pytest -q", "cd app || exit 1; pytest -q", "[ -d tests ] && pytest -q"])
def test_a_check_that_must_have_run_for_its_line_to_succeed_is_proved(command: str) -> None:
    assert how_it_ended(command, OK, 0, "") == how_it_ended("pytest -q", OK, 0, "")


@pytest.mark.parametrize(
    ("command", "output", "outcome", "proved"),
    [
        ("npm test --if-present", "", OK, False),
        ("npm run build --if-present", "", OK, False),
        ("ruff check --exit-zero .", "Found 3 errors.", ERROR, True),
        ("ruff check --exit-zero .", "All checks passed!", OK, True),
        ("jest --passWithNoTests", "", OK, False),
        ("make -i test", "", OK, False),
        ("go test -run XXX ./...", "ok  \tx\t0.1s [no tests to run]", OK, False),
        ("go test -run A ./...", "ok  \tx\t0.1s [no tests to run]\nok  \ty\t0.1s", OK, True),
    ],
)
def test_an_exit_code_that_is_fine_whatever_was_found_proves_nothing(
    command: str, output: str, outcome: Outcome, proved: bool
) -> None:
    ended = how_it_ended(command, OK, 0, output)
    assert (ended.outcome, ended.proved) == (outcome, proved)
