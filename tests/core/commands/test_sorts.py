"""What a check looks at."""

import pytest

from refloat.commands.sorts import mainly, programs_of, sorts_of, tools_in


@pytest.mark.parametrize(
    ("command", "sorts", "main"),
    [
        ("python -m pytest -q", "tests", "tests"),
        ("cd x && FOO=1 npm test 2>&1 | tail -5", "tests", "tests"),
        ("npm run test:unit", "tests", "tests"),
        ("npm run lint", "lint", "lint"),
        ("pnpm build", "build", "build"),
        ("cargo test", "build tests", "tests"),
        ("cargo clippy -- -D warnings", "lint", "lint"),
        ("cargo check", "build lint", "build"),
        ("tsc --noEmit", "build lint", "lint"),
        ("go vet ./...", "lint", "lint"),
        ("go build ./...", "build", "build"),
        ("ruff check . && mypy src && pytest", "lint tests", "lint tests"),
        ("black --check .", "lint", "lint"),
        ("make check", "build lint tests", "tests"),
        ("make build", "build", "build"),
        ("docker build -t x .", "build", "build"),
        ("ls -la", "", ""),
        ("git push", "", ""),
    ],
)
def test_sorts(command: str, sorts: str, main: str) -> None:
    assert sorts_of(command) == set(sorts.split())
    assert mainly(command) == set(main.split())


def test_tools_by_name() -> None:
    assert tools_in("Ruff and mypy are clean, pytest passes", "lint") == ("ruff", "mypy")
    assert tools_in("Ruff and mypy are clean, pytest passes", "tests") == ("pytest",)
    assert programs_of("uv run pytest -q && npm run lint") == {"pytest", "npm"}
