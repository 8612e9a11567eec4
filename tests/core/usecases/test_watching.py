"""What is watched: agents' directories and their files, never a whole home."""

from pathlib import Path

import pytest

from refloat.readers.claude_code import ClaudeCode
from refloat.readers.codex import Codex
from refloat.testing.fakes import fake_machine
from refloat.usecases.watching import Watched


@pytest.fixture
def watched() -> Watched:
    return Watched((ClaudeCode(), Codex()), fake_machine(Path("/x")).places)


def test_neither_the_home_nor_a_directory_twice(watched: Watched):
    assert watched.roots() == [Path("/x/home/.claude"), Path("/x/home/.codex")]


@pytest.mark.parametrize(
    ("path", "told"),
    [
        (".claude/projects/-home-ana-shop/5d1f6c1e.jsonl", True),
        (".claude/projects/-home-ana-shop", True),
        (".claude/projects", True),
        (".claude", True),
        (".claude/sessions/41.json", True),
        (".claude/history.jsonl", True),
        (".codex/sessions/2026/09/14", True),
        (".claude/debug/latest.txt", False),
        (".codex/log/codex-tui.log", False),
        (".cache/refloat/catalogue.db-wal", False),
        ("notes/history.jsonl", False),
    ],
)
def test_a_change_tells_something_only_where_a_walk_goes(watched: Watched, path: str, told: bool):
    assert watched.concerns(f"/x/home/{path}") is told
