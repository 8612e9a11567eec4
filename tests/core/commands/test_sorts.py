"""What a check looks at."""

import pytest

from refloat.commands.sorts import is_tool, mainly, programs_of, sorts_of


@pytest.mark.parametrize(
    ("command", "sorts", "main"),
    [
        ("python -m pytest -q", "test", "test"),
        ("cd x && FOO=1 npm test 2>&1 | tail -5", "test", "test"),
        ("npm run test:unit", "test", "test"),
        ("npm run lint", "lint", "lint"),
        ("pnpm build", "build", "build"),
        ("cargo test", "build test", "test"),
        ("cargo clippy -- -D warnings", "build lint", "lint"),
        ("cargo check", "build lint", "lint"),
        ("tsc --noEmit", "build lint", "lint"),
        ("go vet ./...", "build lint", "lint"),
        ("go build ./...", "build", "build"),
        ("ruff check . && mypy src && pytest", "lint test", "lint test"),
        ("black --check .", "lint", "lint"),
        ("make check", "build lint test", "test"),
        ("make build", "build", "build"),
        ("docker build -t x .", "build", "build"),
        ("ls -la", "", ""),
        ("git push", "", ""),
        ("cargo test --no-run", "build", "build"),
        ("go test -c ./x", "build", "build"),
        ("mvn test -DskipTests", "build", "build"),
        ("mvn -q -DskipTests install", "build", "build"),
        ("make -C app -n test", "", ""),
        ("mvn verify -DskipTests", "build", "build"),
        ("mvn package -DskipTests", "build", "build"),
        ("./gradlew build -x test", "build lint", "build"),
        ("make -n test", "", ""),
        ("make --dry-run test", "", ""),
        ("pytest -q --setup-plan", "", ""),
        ("pytest --collect-only", "", ""),
        ("ctest -N", "", ""),
        ("vitest list", "", ""),
        ("npx vitest run list", "test", "test"),
        ("npx playwright test --list", "", ""),
        ("tox -l", "", ""),
        ("nox -l", "", ""),
        ("swift test list", "", ""),
        ("swift test", "build test", "test"),
        ("ruff check --show-files", "", ""),
        ("tsc --init", "", ""),
    ],
)
def test_sorts(command: str, sorts: str, main: str) -> None:
    assert sorts_of(command) == set(sorts.split())
    assert mainly(command) == set(main.split())


def test_programs() -> None:
    assert programs_of("uv run pytest -q && npm run lint") == {"pytest", "npm"}
    assert is_tool("pytest")
    assert is_tool("ruff")
    assert not is_tool("npm")
    assert not is_tool("make")
    assert not is_tool("cargo")
    assert not is_tool("ls")
