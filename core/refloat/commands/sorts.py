"""What a check looks at: tests, lint (types and formatting too) or the build. A check may be several of them.

A table over the words of `refloat.commands`. Refuses to call anything a check that is none there.
"""

import re
from collections.abc import Sequence
from typing import Final, Literal

from refloat.commands.checks import formatter_of, is_check
from refloat.commands.words import parts_of

Sort = Literal["tests", "lint", "build"]
_ALL: Final[tuple[Sort, ...]] = ("tests", "lint", "build")

_TABLE: Final[tuple[tuple[tuple[Sort, ...], tuple[str, ...]], ...]] = (
    (
        ("tests",),
        (
            "pytest py.test unittest tox nox doctest behave jest vitest mocha ava tap playwright cypress karma",
            "gotestsum rspec minitest phpunit pest ctest bats",
        ),
    ),
    (
        ("lint",),
        (
            "mypy pyright basedpyright pyre pytype ty flake8 pylint bandit lint-imports pre-commit ruff eslint",
            "stylelint biome oxlint svelte-check golangci-lint staticcheck ktlint detekt rubocop standardrb phpstan",
            "psalm phpcs steep srb clang-tidy cppcheck swiftlint tflint kubeval kubeconform helm ansible-lint",
            "hadolint shellcheck yamllint actionlint markdownlint shfmt sqlfluff vale codespell black isort prettier",
            "gofmt rustfmt clang-format php terraform tofu",
        ),
    ),
    (("lint", "build"), ("tsc vue-tsc",)),
    (
        ("build",),
        (
            "compileall py_compile build webpack rollup esbuild vite tsup rustc trunk javac kotlinc msbuild gcc g++",
            "clang clang++ ninja cmake docker podman buildah nuxt",
        ),
    ),
)
_PROGRAMS: Final[dict[str, tuple[Sort, ...]]] = {
    program: sorts for sorts, rows in _TABLE for row in rows for program in row.split()
}
_VERBS: Final[tuple[tuple[re.Pattern[str], tuple[Sort, ...]], ...]] = (
    (re.compile(r"(?:t|tst|tests?|unit|e2e|specs?|integration|coverage|nextest|bench|doc|--test)"), ("tests",)),
    (
        re.compile(
            r"(?:lint|linter|types?|type-?check|tsc|mypy|clippy|vet|credo|format-check|fmt-check|fmt|format|tc|style)"
        ),
        ("lint",),
    ),
    (re.compile(r"(?:build|b|compile|assemble|bundle|install|package|bud)"), ("build",)),
    (re.compile(r"(?:checks?|verify|validate|ci|all)"), ("tests", "lint", "build")),
)
_OWN: Final[dict[tuple[str, str], tuple[Sort, ...]]] = {
    ("cargo", "check"): ("build", "lint"),
    ("cargo", "c"): ("build", "lint"),
    ("cargo", "test"): ("tests", "build"),
    ("cargo", "t"): ("tests", "build"),
    ("go", "test"): ("tests",),
    ("swift", "test"): ("tests", "build"),
    ("mvn", "package"): ("build", "tests"),
    ("mvn", "verify"): ("tests", "build"),
    ("mvn", "install"): ("build", "tests"),
    ("mvnw", "verify"): ("tests", "build"),
    ("gradle", "build"): ("build", "tests"),
    ("gradlew", "build"): ("build", "tests"),
    ("gradle", "check"): ("tests", "lint", "build"),
    ("gradlew", "check"): ("tests", "lint", "build"),
    ("deno", "check"): ("lint",),
    ("uv", "build"): ("build",),
    ("poetry", "check"): ("lint",),
    ("composer", "validate"): ("lint",),
    ("buf", "build"): ("build",),
}  # fmt: skip


def _of_words(words: Sequence[str]) -> tuple[Sort, ...]:
    """The sorts of a simple command, the one that it is for first."""
    program = words[0]
    if formatter_of(words) is not None:
        return ("lint",)
    plain = [word for word in words[1:] if not word.startswith("-") or word == "--test"]
    own = next((_OWN[program, word] for word in plain[:4] if (program, word) in _OWN), None)
    if own is not None:
        return own
    if program in _PROGRAMS:
        return _PROGRAMS[program]
    pieces = [piece for word in plain[:4] for piece in re.split(r"[:_./]", word)]
    found = (sorts for piece in pieces for pattern, sorts in _VERBS if pattern.fullmatch(piece))
    return tuple(dict.fromkeys(sort for sorts in found for sort in sorts)) or _ALL


def sorts_of(command: str) -> frozenset[Sort]:
    """The sorts of check that a command line holds; empty where it is no check."""
    found: set[Sort] = set()
    for words, _, _ in parts_of(command):
        if is_check(words):
            found.update(_of_words(words))
    return frozenset(found)


def mainly(command: str) -> frozenset[Sort]:
    """What the checks of a command line are for, each for one thing: `tsc` checks types, although it builds too."""
    return frozenset(_of_words(words)[0] for words, _, _ in parts_of(command) if is_check(words))


TOOLS: Final = frozenset(_PROGRAMS) - {"build"}
"""Programs that check one thing by themselves: no script that may run anything."""


def tools_in(text: str, sort: Sort) -> tuple[str, ...]:
    """The tools of a sort that a text calls by name."""
    words = re.findall(r"[a-z][a-z0-9+-]*", text.lower())
    return tuple(dict.fromkeys(word for word in words if word in TOOLS and sort in _PROGRAMS[word]))


def programs_of(command: str) -> frozenset[str]:
    """The programs of a command's checks."""
    return frozenset(word for words, _, _ in parts_of(command) if is_check(words) for word in words[:1])
