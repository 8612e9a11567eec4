"""A repair holds one line at a time: memory follows the longest line, not the file."""

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from refloat.readers.claude_code import ClaudeCode
from refloat.readers.codex import Codex
from refloat.repair.frame import NewCopy, Source, Survey
from refloat.repair.registry import get_repairer
from refloat.testing.claude_talk import ClaudeTalk
from refloat.usecases.parting import part_value

from .conftest import THREAD, found_of
from .test_codex import Rollout

LONG = 400_000


def claude(path: Path, rows: int) -> None:
    talk = ClaudeTalk()
    talk.prompt("begin")
    with path.open("wb") as file:
        for at in range(rows):
            talk.call("Bash", f"toolu_{at}", command="x")
            if at % 7:
                talk.result(f"toolu_{at}", "y" * LONG)
            file.writelines(orjson.dumps(row) + b"\n" for row in talk.rows)
            talk.rows.clear()


def codex(path: Path, rows: int) -> None:
    rollout = Rollout(paginated=False)
    rollout.meta()
    with path.open("wb") as file:
        for at in range(rows):
            rollout.call(f"call_{at}")
            if at % 7:
                rollout.answer(f"call_{at}", "y" * LONG)
            file.writelines(json.dumps(row).encode() + b"\n" for row in rollout.rows)
            rollout.rows.clear()


def copied(agent: str, path: Path) -> tuple[Survey, int]:
    """What is wrong with a transcript, and the bytes of its repaired copy, made and let go of row by row."""
    repairer, heads = get_repairer(agent), (ClaudeCode if agent == "claude-code" else Codex).torn_heads
    found = found_of(agent, path)
    with Source(repairer.sources(found), heads, part_value) as source:
        survey = repairer.survey(source, found)
        return survey, sum(len(line) for line in survey.rows(source, NewCopy("x", "s", "")))


@pytest.mark.parametrize(
    ("agent", "make", "name"),
    [("claude-code", claude, "s.jsonl"), ("codex", codex, f"rollout-2026-09-05T16-00-00-{THREAD}.jsonl")],
)
def test_memory_follows_the_longest_line(
    tmp_path: Path, agent: str, make: Callable[[Path, int], None], name: str
) -> None:
    path = tmp_path / name
    make(path, 2)
    copied(agent, path)  # what is made once a process is no part of it
    make(path, 100)
    tracemalloc.start()
    try:
        survey, size = copied(agent, path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size > 80 * LONG
    assert peak < 16 * LONG
    assert len(survey.issues) == 15
