"""Shell lines taken apart: what runs, where, and whose exit code the line has."""

import re
import shlex
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refloat.commands import action, check_cwd, check_of, classify, commit_subject, hidden_by, may_undo, may_write
from refloat.commands.grammar import bounded
from refloat.commands.line import Simple, read_line


def simple(command: str, program: str) -> Simple:
    return next(part for part in read_line(command) if part.words[0] == program)


HIDDEN = [
    ("pytest", None),
    ("pytest && echo ok", None),
    ("cd x && pytest", None),
    ("pytest | tail -5", "tail -5"),
    ("pytest |& tail -5", "tail -5"),
    ("pytest 2>&1 | tee log | tail -5", "tail -5"),
    ("cd x && FOO=1 npm test 2>&1 | tail -5", "tail -5"),
    ("set -o pipefail; pytest | tail", None),
    ("set -euo pipefail\npytest | tail\necho done", None),
    ("bash -o pipefail -c 'pytest | tail'", None),
    ("bash -c 'pytest | tail'", "tail"),
    ("set -o pipefail; bash -c 'pytest | tail'", "tail"),
    ("set -o pipefail; set +o pipefail; pytest | tail", "tail"),
    ("pytest | tail; exit ${PIPESTATUS[0]}", None),
    ("pytest; exit $?", None),
    ("pytest; rc=$?; echo over; exit $rc", None),
    ("pytest; rc=$?; echo over; exit 0", "exit 0"),
    ("pytest; echo done", "echo done"),
    ("pytest\necho done", "echo done"),
    ("pytest || true", "true"),
    ("pytest || exit 1", None),
    ("pytest || { echo no; exit 1; }", None),
    ("pytest || exit 1; echo ok", None),
    ("pytest || echo no", "echo no"),
    ("pytest && echo ok || echo no", "echo no"),
    ("pytest &", "&"),
    ("pytest & wait", "&"),
    ("! pytest", "!"),
    ("if pytest; then echo ok; fi", "if"),
    ("if true; then pytest; fi", None),
    ("if true; then pytest; else mypy; fi", None),
    ("while pytest; do :; done", "while"),
    ("for d in a b; do (cd $d && npm test); done", "for"),
    ("for d in a b; do (cd $d && npm test) || exit 1; done", None),
    ("echo $(pytest)", "echo"),
    ('echo "out: `pytest`"', "echo"),
    ("out=$(pytest)", None),
    ("out=$(pytest); echo $out", "echo $out"),
    ("export OUT=$(pytest)", "export"),
    ("diff <(pytest) b", "diff"),
    ("(cd a; pytest)", None),
    ("(pytest; true)", "true"),
    ("{ pytest; } > log", None),
    ("case x in x) pytest;; esac", None),
    ("f() { pytest; }; f", None),
    ("f() { pytest; echo; }; f", "echo"),
    ("bash -c 'pytest; echo done'", "echo done"),
    ("eval 'pytest | cat'", "cat"),
    ("sh <<'EOF'\npytest\necho over\nEOF", "echo over"),
    ("find . -name '*.py' -exec pylint {} \\;", "find"),
    ("find . -name '*.py' -exec pylint {} +", None),
    ("ls | xargs pylint", None),
    ("cat > x <<'EOF' && pytest\nbody\nEOF", None),
    ("cat > x <<'EOF'\nbody\nEOF\npytest | tail -3", "tail -3"),
    ("git push 2>&1 | cat", "cat"),
    ("git push || echo no", "echo no"),
    ("npm test && git push | cat", None),
]


@pytest.mark.parametrize(("command", "expected"), HIDDEN)
def test_whose_exit_code_a_line_has(command: str, expected: str | None) -> None:
    assert hidden_by(command) == expected


@pytest.mark.parametrize(
    "command",
    [
        "sudo -u ada pytest",
        "env -u A B=1 pytest",
        "timeout -k 5 60 pytest",
        "nice -n 10 pytest",
        "nohup pytest",
        "time pytest",
        "xvfb-run -a pytest",
        "uv run --with x pytest",
        "uv run -m pytest",
        "poetry run pytest",
        "pdm run pytest",
        "bundle exec pytest",
        "docker compose exec -T -e A=1 app pytest",
        "docker exec -it c pytest",
        "docker run --rm -v a:/b image pytest",
        "bash -lc 'pytest'",
        'bash -c "cd x && pytest"',
        "sh -ec pytest",
        "eval pytest",
        "pwsh -NoProfile -Command 'pytest -q'",
        "powershell.exe -c pytest",
        "cmd /c pytest -q",
        "wsl -d x pytest",
        "command pytest",
        "exec pytest",
        "if pytest; then :; fi",
        "(pytest)",
        "{ pytest; }",
        "x=$(pytest)",
        "/usr/bin/pytest",
        "./venv/bin/pytest",
        "venv/Scripts/pytest.exe",
        "python -m pytest",
        "python3.12 -X dev -m pytest",
        "A=1 B='x y' pytest",
        "pytest > log 2>&1",
        "pytest <<< x",
        "2>/dev/null pytest",
        "cat a | xargs pytest",
        "for i in 1 2; do pytest; done",
        "[[ -f a ]] && pytest",
        "\\pytest",
        "'pytest'",
        '"py"test',
        "true; pytest # why",
        "cat <<'A' > b\nx\nA\npytest",
        "if pytest; then",
        "pytest && (",
        "pytest 'unclosed",
        "echo $(pytest",
    ],
)
def test_what_is_really_run(command: str) -> None:
    assert any(part.words[0] == "pytest" for part in read_line(command)), read_line(command)


@pytest.mark.parametrize(
    "command",
    ["f() { git push; }", "echo 'git push'", "cat <<'EOF' > x\ngit push\nEOF", "# git push", "git commit -m 'git push'",
     "grep 'git push' a", "alias p='git push'", "trap 'git push' INT", "trap - EXIT",
     "tmux send-keys -t a ls Enter", "tmux ls"],
)  # fmt: skip
def test_what_is_not_run(command: str) -> None:
    assert action(command) is None


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("pytest", ""),
        ("cd a && pytest", "a"),
        ("cd a; cd b && pytest | tail", "a/b"),
        ("cd a && cd .. && pytest", ""),
        ("cd /x/y && pytest", "/x/y"),
        ("(cd a && ls); pytest", ""),
        ("(cd a && pytest)", "a"),
        ("cd $X && pytest", None),
        ("cd - && pytest", None),
        ("if true; then cd a; fi; pytest", None),
        ("make -C a test", "a"),
        ("cd b && make -C a test", "b/a"),
        ("npm --prefix web test", "web"),
        ("bash -c 'cd a && pytest'", "a"),
        ("pushd a && pytest", "a"),
        ("cd a && npm test 2>&1 | tail; pytest", "a"),
    ],
)
def test_where_a_check_runs(command: str, expected: str | None) -> None:
    assert check_cwd(command) == expected


def test_flags_before_a_verb_are_kept_apart() -> None:
    part = simple("kubectl -n prod get pods", "kubectl")
    assert (part.words, part.flags) == (("kubectl", "get", "pods"), ("-n", "prod"))


def test_what_a_command_is_given_to_read() -> None:
    assert simple("psql <<'EOF'\nselect 1\nEOF", "psql").stdin == "select 1\n"
    assert simple("cat <<EOF | psql\nselect 1\nEOF", "psql").stdin == "select 1\n"
    assert simple("psql <<< 'select 1'", "psql").stdin == "select 1"


def test_writing_is_that_of_the_command_with_the_redirection() -> None:
    assert simple("a && b > x", "b").writes
    assert not simple("a && b > x", "a").writes
    assert not simple("a > /dev/null 2>&1", "a").writes
    assert not simple("a 2>&1 | b > x", "a").writes
    assert may_write("ls > x")
    assert not may_write("ls 2>/dev/null")


BROKEN = [
    "",
    " ",
    "'",
    '"',
    "$(",
    "((",
    "|||",
    "<<",
    "<<EOF",
    "\0",
    "# x",
    "if",
    "for",
    "case x in",
    "}",
    "esac",
    "fi;",
    "a &&",
    "|| a",
    "a |",
    ">",
    "a >",
    "$((1+",
    "${x",
    "`a",
    "a\\",
    "\ud800",
    "é" * 10,
    "a;;b",
    "&",
    ";",
]


@pytest.mark.parametrize("command", BROKEN)
def test_broken_lines_never_raise(command: str) -> None:
    classify(command)
    check_of(command)
    hidden_by(command)
    commit_subject(command)
    may_undo(command)


_TOKENS = [
    "pytest",
    "git push",
    "cd a",
    "(",
    ")",
    "{",
    "}",
    ";",
    "&&",
    "||",
    "|",
    "&",
    "\n",
    "'",
    '"',
    "`",
    "$(",
    "<<EOF",
    "EOF",
    "if ",
    "then ",
    "fi",
    "for x in ",
    "do ",
    "done",
    "case ",
    "esac",
    "!",
    "$x",
    ">",
    "<",
    "\\",
    " ",
    "#",
    "[[",
    "]]",
    "((",
    "))",
    "f()",
    "=",
    "bash -c ",
    "eval ",
    "\0",
    "é",
]


@given(st.lists(st.sampled_from(_TOKENS), max_size=60).map("".join))
def test_random_lines_never_raise(command: str) -> None:
    for part in read_line(command):
        assert part.words
        assert part.words[0] is not None
    classify(command)
    hidden_by(command)


@given(st.text(max_size=200))
def test_random_texts_never_raise(command: str) -> None:
    classify(command)


@pytest.mark.parametrize(
    "piece", ["a|", "((a", "<<<<", "a=(", "<<EOF\n", "$(", "{ ", "[[ ", "if ", "f() { f; };", "a;"]
)
def test_hostile_lines_take_no_longer_than_their_bound(piece: str) -> None:
    def cost(times: int) -> float:
        begin = process_time()
        read_line(piece * times + " ")
        return process_time() - begin

    few = cost(20_000 // len(piece))
    many = cost(200_000 // len(piece))
    assert many < 30 * few + 5


def test_nesting_has_a_bound() -> None:
    deep = "pytest"
    for _ in range(60):
        deep = f"bash -c {shlex.quote(deep)}" if len(deep) < 3_000 else deep
    read_line(deep)
    read_line("(" * 300 + "pytest" + ")" * 300)
    read_line("f() { g; }; g() { f; }; f")


def test_what_stands_behind_a_large_heredoc_is_read() -> None:
    command = (
        "cat > a.txt <<'EOF'\n" + "some words (of text) | here\n" * 3_000 + "EOF\ngit add -A && git push origin main"
    )
    assert action(command) == "git push origin main"


def test_a_function_runs_where_it_is_called() -> None:
    assert action("deploy() { git push origin $1; }; deploy main") == "git push origin $1"


@given(
    st.lists(st.sampled_from(["{", "${", "a", "1", "..", "\u6da8", "\U000fa430", "\U0010ffff", "\U0001f680", " "])).map(
        "".join
    )
)
def test_nothing_that_the_grammar_dies_of_is_given_to_it(command: str) -> None:
    assert re.search(r"\{[0-9.\x80-\uffff]*[^\0-\uffff]", bounded(command)) is None
    classify(command)


def test_a_character_of_the_upper_planes_is_read_where_it_harms_nobody() -> None:
    assert [part.words for part in read_line("echo \U000fa430 && git commit -m 'go \U0001f680'")] == [
        ("echo", "\U000fa430"),
        ("git", "commit", "-m", "go \U0001f680"),
    ]


def test_what_runs_in_a_container_or_another_directory_is_told() -> None:
    line = "ls; docker exec web sh -c 'rm -rf a && if true; then rm b; fi'; env --chdir=x ls; timeout 5 sudo ls; ls"
    told = [(part.words[0], part.elsewhere) for part in read_line(line)]
    assert told == [
        ("ls", False),
        ("rm", True),
        ("true", True),
        ("rm", True),
        ("ls", True),
        ("ls", False),
        ("ls", False),
    ]
