"""Transcripts that are repaired in a temporary directory, and the strictest checks that the formats allow."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest

from refloat.model.repair import Action, Issue
from refloat.model.repaired import CLAUDE_FIELD
from refloat.readers.claude_code import ClaudeCode
from refloat.readers.codex import Codex
from refloat.readers.contract import Found, SourceFile
from refloat.repair.frame import NewCopy, Source
from refloat.repair.registry import get_repairer
from refloat.usecases.parting import part_value

Row = dict[str, Any]
COPY = "5f0c1d2e-0000-4000-8000-0000000000ff"
THREAD = "01a07276-0000-7000-8000-000000000001"
THREAD_COPY = "01a0ffff-0000-7000-8000-0000000000ff"
TALK = {"user", "assistant", "system", "attachment", "progress"}


class Repaired:
    """What a repair of one file came to."""

    def __init__(self, issues: Sequence[Issue], actions: Sequence[Action], data: bytes) -> None:
        self.issues = list(issues)
        self.actions = list(actions)
        self.data = data

    @property
    def codes(self) -> list[str]:
        return [issue.code for issue in self.issues]

    @property
    def rows(self) -> list[Row]:
        """Without the notice at the end of a copy of Claude Code."""
        return [row for row in self.all_rows if row.get(CLAUDE_FIELD, {}).get("made") != "note"]

    @property
    def all_rows(self) -> list[Row]:
        return [orjson.loads(line) for line in self.data.splitlines()]


def found_of(agent: str, path: Path) -> Found:
    reader = ClaudeCode() if agent == "claude-code" else Codex()
    told = path.stat()
    file = SourceFile(str(path), told.st_size, told.st_mtime_ns, told.st_ino, told.st_dev)
    return reader.group([(file, reader.identify(file))])[0]


def run(agent: str, path: Path, copy: str = "") -> Repaired:
    repairer = get_repairer(agent)
    heads = (ClaudeCode() if agent == "claude-code" else Codex()).torn_heads
    before = path.read_bytes()
    found = found_of(agent, path)
    with Source(repairer.sources(found), heads, part_value) as source:
        survey = repairer.survey(source, found)
        new = NewCopy(
            copy or (COPY if agent == "claude-code" else THREAD_COPY), found.session_id, "2026-09-01T00:00:00Z"
        )
        data = b"".join(survey.rows(source, new))
    assert path.read_bytes() == before
    return Repaired(survey.issues, survey.actions, data)


Repair = Callable[[str, bytes], Repaired]


@pytest.fixture
def repair(tmp_path: Path) -> Repair:
    def go(agent: str, data: bytes) -> Repaired:
        name = "s.jsonl" if agent == "claude-code" else f"rollout-2026-09-05T16-00-00-{THREAD}.jsonl"
        path = tmp_path / name
        path.write_bytes(data)
        return run(agent, path)

    return go


# ── the strictest checks ─────────────────────────────────────────────────────────────────────────────────────────────


def blocks(row: Row, kind: str) -> list[Row]:
    content = row.get("message", {}).get("content")
    return [block for block in content if block.get("type") == kind] if isinstance(content, list) else []


def check_claude(rows: Sequence[Row], session: str = COPY) -> None:
    """Ids once; the chain whole, without circles; one result for each call, behind it; the session's own id."""
    talk = [row for row in rows if row["type"] in TALK]
    ids = [row["uuid"] for row in talk]
    assert len(set(ids)) == len(ids)
    parents = {row["uuid"]: row["parentUuid"] for row in talk}
    for row in talk:
        seen, at = set[str](), row["uuid"]
        while at is not None:
            assert at in parents, f"{row['uuid']} leads to {at}, which is not there"
            assert at not in seen, f"{row['uuid']} stands in a circle"
            seen.add(at)
            at = parents[at]
        before = any(one.get("isSidechain") is False for one in talk[: talk.index(row)])
        if row.get("subtype") == "compact_boundary" and row.get("logicalParentUuid") is not None and before:
            assert row["logicalParentUuid"] in parents
    assert all(row["sessionId"] == session for row in rows if "sessionId" in row)
    called: set[str] = set()
    answered: set[str] = set()
    for row in talk:
        for call in blocks(row, "tool_use"):
            assert call["id"] not in called
            called.add(call["id"])
        for result in blocks(row, "tool_result"):
            assert result["tool_use_id"] in called
            assert result["tool_use_id"] not in answered
            answered.add(result["tool_use_id"])
        for text in blocks(row, "text"):
            assert text["text"]
    assert called == answered


def check_codex(rows: Sequence[Row], thread: str = THREAD_COPY) -> None:
    """A head of its own; ordinals without gaps where it is paginated; one output for each call, behind it."""
    head = rows[0]
    assert head["type"] == "session_meta"
    payload: Mapping[str, Any] = head["payload"]
    assert payload["id"] == thread
    if payload.get("history_mode") == "paginated":
        first = head["ordinal"]
        assert [row["ordinal"] for row in rows] == list(range(first, first + len(rows)))
    called: dict[str, str] = {}
    answered: set[str] = set()
    for row in rows:
        item = row["payload"]
        if row["type"] != "response_item":
            continue
        if item["type"] in {"function_call", "custom_tool_call", "local_shell_call"}:
            assert item["call_id"] not in called
            called[item["call_id"]] = item["type"]
        elif item["type"] in {"function_call_output", "custom_tool_call_output"}:
            assert item["call_id"] not in answered
            assert called[item["call_id"]].split("_")[0] in {item["type"].split("_")[0], "local"}
            answered.add(item["call_id"])
    assert set(called) == answered
