"""Commands that verify: tests, lint, type checks, builds. Tables of words, by program, and what their output says.

Decides from program and verb. Refuses to count a call that only prints a version or help.
"""

import re
from collections.abc import Sequence
from typing import Final

from refloat.commands.words import parts_of
from refloat.model.transcript import Outcome

_SCRIPT: Final = re.compile(
    r"(?:test|tests|lint|types?|typecheck|type-check|tsc|check|checks|build|compile|verify|validate|unit|e2e|spec|specs"
    r"|integration|ci|clippy|vet|mypy|pytest|format-check|fmt-check|coverage)(?:[:_./-].*)?",
)
"""Names of scripts, targets and recipes that verify."""

_CHECKS: Final[dict[str, frozenset[str] | None]] = {
    program: frozenset(verbs.split()) if verbs else None
    for program, verbs in {
        # Python
        "pytest": "", "py.test": "", "unittest": "", "tox": "", "nox": "", "mypy": "", "pyright": "",
        "basedpyright": "", "pyre": "check", "pytype": "", "ty": "check", "flake8": "", "pylint": "", "bandit": "",
        "lint-imports": "", "doctest": "", "compileall": "", "py_compile": "", "pre-commit": "run", "behave": "",
        "ruff": "check", "build": "", "hatch": "test build", "poetry": "build check", "uv": "build",
        # JavaScript and TypeScript
        "jest": "", "vitest": "", "mocha": "", "ava": "", "tap": "", "tsc": "", "vue-tsc": "", "eslint": "",
        "stylelint": "", "biome": "check lint ci", "oxlint": "", "playwright": "test", "cypress": "run",
        "karma": "start", "vite": "build", "next": "build lint", "nuxt": "build", "webpack": "", "rollup": "",
        "esbuild": "", "turbo": "test lint build", "nx": "test lint build", "deno": "test check lint", "tsup": "",
        "svelte-check": "", "astro": "check build", "ng": "test build lint", "node": "--test",
        # Rust, Go
        "cargo": "test t check c clippy build b nextest bench doc", "rustc": "", "trunk": "build",
        "go": "test vet build", "golangci-lint": "run", "staticcheck": "", "gotestsum": "",
        # Java, Kotlin, Scala
        "mvn": "test verify package compile install", "mvnw": "test verify package compile install",
        "gradle": "test check build assemble lint", "gradlew": "test check build assemble lint",
        "sbt": "test compile", "ktlint": "", "detekt": "", "javac": "", "kotlinc": "", "bazel": "test build",
        "lein": "test", "ant": "test build",
        # .NET, Ruby, PHP, Elixir
        "dotnet": "test build", "msbuild": "", "rspec": "", "rubocop": "", "minitest": "", "standardrb": "",
        "phpunit": "", "pest": "", "phpstan": "", "psalm": "", "phpcs": "", "php": "-l", "mix": "test compile credo",
        "steep": "check", "srb": "tc", "composer": "test validate",
        # C, C++, Swift, Zig, Haskell
        "ctest": "", "meson": "test compile", "ninja": "", "clang-tidy": "", "cppcheck": "", "gcc": "", "g++": "",
        "clang": "", "clang++": "", "swift": "test build", "xcodebuild": "", "swiftlint": "", "zig": "test build",
        "cabal": "test build", "stack": "test build", "cmake": "--build",
        # infrastructure, text, shell
        "terraform": "validate plan", "tofu": "validate plan", "tflint": "", "kubeval": "", "kubeconform": "",
        "helm": "lint template", "ansible-lint": "", "hadolint": "", "docker": "build", "podman": "build",
        "buildah": "build bud", "shellcheck": "", "yamllint": "", "actionlint": "", "markdownlint": "", "bats": "",
        "shfmt": "-d", "buf": "lint build", "sqlfluff": "lint", "vale": "", "codespell": "",
    }.items()
}  # fmt: skip
"""Program → its verifying words, None where any call of it verifies."""

_SCRIPTED: Final = frozenset({"npm", "yarn", "pnpm", "bun"})
_TARGETS: Final = frozenset(
    {"make", "gmake", "just", "task", "rake", "invoke", "inv", "mage", "poe", "rails", "bin/rails"}
)
_ONLY_CHECKING: Final[dict[str, tuple[str, ...]]] = {
    "black": ("--check", "--diff"),
    "isort": ("--check", "--check-only", "-c", "--diff"),
    "prettier": ("--check", "-c", "-l", "--list-different"),
    "gofmt": ("-l", "-d"),
    "rustfmt": ("--check",),
    "clang-format": ("--dry-run", "-n"),
    "terraform fmt": ("-check",),
    "ruff format": ("--check", "--diff"),
    "cargo fmt": ("--check",),
    "biome format": (),
    "dotnet format": ("--verify-no-changes",),
    "deno fmt": ("--check",),
    "mix format": ("--check-formatted",),
}
"""Formatters → what makes them only look."""


def is_check(words: Sequence[str]) -> bool:
    """Whether a simple command verifies."""
    program, rest = words[0], words[1:]
    formatter = formatter_of(words)
    if formatter is not None:
        return any(flag in _ONLY_CHECKING[formatter] for flag in rest)
    if {"--version", "--help", "-h", "-V"} & set(rest):
        return False
    plain = [word for word in rest if not word.startswith("-")]
    if program in _SCRIPTED:
        name = plain[1:2] if plain[:1] in (["run"], ["run-script"]) else plain[:1]
        return bool(name) and (name[0] in {"t", "tst"} or bool(_SCRIPT.fullmatch(name[0])))
    if program in _TARGETS:
        return any(_SCRIPT.fullmatch(word) for word in plain)
    if program not in _CHECKS:
        return False
    verbs = _CHECKS[program]
    return verbs is None or any(word in verbs or word.rpartition(":")[2] in verbs for word in rest[:6])


def formatter_of(words: Sequence[str]) -> str | None:
    """The formatter that a simple command calls, as the table names it; None for anything else."""
    for size in (2, 1):
        name = " ".join(words[:size])
        if name in _ONLY_CHECKING:
            return name
    return None


def check_of(command: str) -> str | None:
    """The verifying part of a command in one line, the same for the same check; None where it has none."""
    return next((" ".join(words) for words, _, _ in parts_of(command) if is_check(words)), None)


_FAILED: Final = re.compile(
    r"^=+ .*?\b[1-9]\d* (?:failed|errors?)\b|^FAILED\b|^FAIL\b|\b[1-9]\d* failing\b|^Tests:\s+[1-9]\d* failed"
    r"|^ *Tests +[1-9]\d* failed|test result: FAILED|^Found [1-9]\d* errors?\b|^[1-9]\d* errors?,|error TS\d+"
    r"|[✖×] [1-9]\d* problems?|^error(?:\[E\d+\])?:|^--- FAIL|BUILD FAIL(?:ED|URE)"
    r"|[1-9]\d* examples?, [1-9]\d* failures?"
    r"|(?:^|[,;:(] ?)[1-9]\d* failed\b|^Build FAILED|^FAILURES!|Failed: +[1-9]|^make: \*\*\*",
    re.MULTILINE,
)
_PASSED: Final = re.compile(
    r"^=+ .*?\b\d+ passed\b|^\d+ passed\b|^OK(?: \(|$)|\b\d+ passing\b|^Tests:\s+\d+ passed|^ *Tests +\d+ passed"
    r"|test result: ok|^Success: no issues|^All checks passed|^0 errors,|^ok\s+\S+|^PASS\b|BUILD SUCCESS"
    r"|\d+ examples?, 0 failures|^Build succeeded|Passed!|^100% tests passed",
    re.MULTILINE,
)


def outcome_in(output: str) -> Outcome | None:
    """What a check's own summary says, where its exit code cannot tell; None where it says nothing known."""
    tail = output[-20_000:]
    if _FAILED.search(tail):
        return Outcome.ERROR
    return Outcome.OK if _PASSED.search(tail) else None
