"""What files are, and how they add up to threads."""

import gzip
import json
import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from refloat.model.problem import Problem

if TYPE_CHECKING:
    from tests.core.readers.codex.conftest import CodexHome, Told


T1 = "01a07276-0000-7000-8000-000000000001"
T2 = "01a07277-0000-7000-8000-000000000002"
T3 = "01a07278-0000-7000-8000-000000000003"
R2 = "01a07279-0000-7000-8000-00000000000a"
R3 = "01a0727a-0000-7000-8000-00000000000b"


def base(rollout: str, offset: int, ordinal: int = 0):
    return {"thread_id": rollout, "end_ordinal_exclusive": ordinal, "end_byte_offset": offset}


def rewound(codex: "CodexHome"):
    """A thread rewound once, behind its first turn."""
    first = codex.rollout(paginated=True).meta(history_mode="paginated").prompt("one", "a").end("1", "a")
    cut = len(first.bytes)
    first.prompt("two", "b").patch("p2", "*** Delete File: a.py").item(
        "custom_tool_call_output", call_id="p2", output="Success."
    )
    first.end("2", "b").save()
    second = codex.rollout(T1, R2, paginated=True, at=100).meta(history_mode="paginated", history_base=base(T1, cut, 6))
    second.prompt("three", "c").end("3", "c").save()
    return first, second, cut


def test_a_rewound_thread_is_one_session(codex: "CodexHome", texts_of: "Told", markers_of: "Told"):
    first, second, cut = rewound(codex)
    (found,) = codex.all()
    assert [(s.file.path, s.start, s.end, s.superseded) for s in found.segments] == [
        (str(first.path), 0, cut, False),
        (str(first.path), cut, None, True),
        (str(second.path), 0, None, False),
    ]
    story = codex.story()
    assert texts_of(story, "prompt") == ["one", "two", "three"]
    assert (story.summary.prompts, story.summary.ending.turn) == (2, "completed")
    assert [(step.id, step.superseded) for step in story.steps] == [("p2", True)]
    assert len(markers_of(story, "rewind")) == 1


def test_what_was_rewound_says_nothing_about_the_end(codex: "CodexHome"):
    first = codex.rollout(paginated=True).meta().prompt("one", "a").end("1", "a")
    cut = len(first.bytes)
    first.prompt("two", "b").run("c2", "make").save()
    codex.rollout(T1, R2, paginated=True, at=100).meta(history_base=base(T1, cut)).save()
    ending = codex.story().summary.ending
    assert (ending.turn, ending.dangling, ending.prompts) == ("completed", 0, 1)


def test_a_branch_that_was_left_is_told_as_taken_back(codex: "CodexHome", texts_of: "Told"):
    _, second, cut = rewound(codex)
    third = codex.rollout(T1, R3, paginated=True, at=200).meta(history_base=base(T1, cut)).prompt("four", "d")
    third.end("4", "d").save()
    (found,) = codex.all()
    assert [s.superseded for s in found.segments] == [False, True, True, False]
    assert found.segments[2].file.path == str(second.path)
    assert texts_of(codex.story(), "prompt") == ["one", "two", "three", "four"]
    assert codex.story().summary.prompts == 2


COLUMNS = "id, rollout_path, cwd, title, name, first_user_message"


def write_index(codex: "CodexHome", rows: Sequence[tuple[object, ...]]):
    path = codex.root / "state_5.sqlite"
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute(f"CREATE TABLE threads ({COLUMNS})")
    connection.executemany(f"INSERT INTO threads VALUES ({','.join('?' * len(COLUMNS.split(',')))})", rows)  # noqa: S608 - the test\'s own words
    connection.commit()
    return connection


def test_the_index_names_the_head_and_is_not_touched(codex: "CodexHome"):
    first, second, _ = rewound(codex)
    open_ = write_index(codex, [(T1, str(first.path), "/w", "", "", "")])
    before = {path.name: path.stat().st_mtime_ns for path in codex.root.iterdir()}
    (found,) = codex.all()
    assert found.segments[-1].file.path == str(first.path)
    assert [(s.file.path, s.superseded) for s in found.segments[:-1]] == [(str(second.path), True)]
    assert {path.name: path.stat().st_mtime_ns for path in codex.root.iterdir()} == before
    open_.close()


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"history_base": base(R3, 10)}, "missing"),
        ({"history_base": base(R2, 10)}, "circle"),
        ({"history_base": base(T1, 11)}, "no line's end"),
        ({"history_base": base(T1, 10**9)}, "but holds"),
    ],
)
def test_a_broken_chain_is_told_and_shown(codex: "CodexHome", texts_of: "Told", change: dict[str, object], what: str):
    codex.rollout().meta().prompt("one", "a").end("1", "a").save()
    codex.rollout(T1, R2, at=100).meta(T1, **change).prompt("two", "b").end("2", "b").save()
    (found,) = codex.all()
    assert any(what in problem.what for problem in found.problems)
    assert "two" in texts_of(codex.story(), "prompt")


def test_a_base_that_is_told_by_count_alone(codex: "CodexHome"):
    _, second, cut = rewound(codex)
    second.rows[0] = second.rows[0].replace(f', "end_byte_offset": {cut}'.encode(), b"")
    second.save()
    assert codex.found().segments[0].end == cut


def test_plain_wins_over_packed_and_active_over_archived(codex: "CodexHome"):
    file = codex.rollout().meta().prompt("x").save()
    file.path.with_name(file.path.name + ".zst").write_bytes(b"not zstd")
    archived = codex.root / "archived_sessions" / file.path.name
    archived.parent.mkdir()
    archived.write_bytes(file.bytes)
    assert [segment.file.path for segment in codex.found().segments] == [str(file.path)]
    file.path.unlink()
    file.path.with_name(file.path.name + ".zst").unlink()
    assert [segment.file.path for segment in codex.found().segments] == [str(archived)]


@pytest.mark.parametrize(
    "name", [".sync-conflict-20260905-160000-ABCDEFG.jsonl", "_old.jsonl", " (1).jsonl", "elsewhere"]
)
@pytest.mark.parametrize("rows", [1, 2, 4])
def test_a_copy_of_its_beginning_leads_no_thread(codex: "CodexHome", name: str, rows: int):
    file = codex.rollout().meta().prompt("x").prompt("y").end().save()
    place = file.path.with_name(file.path.name.removesuffix(".jsonl") + name)
    if name == "elsewhere":
        place = codex.root / "sessions" / "2026" / "01" / "02" / file.path.name
        place.parent.mkdir(parents=True)
    place.write_bytes(b"".join(file.bytes.splitlines(keepends=True)[:rows]))
    found = codex.found()
    assert [segment.file.path for segment in found.segments] == [str(file.path)]
    assert found.problems == ()


def test_a_copy_that_went_on_by_itself_is_told(codex: "CodexHome"):
    file = codex.rollout().meta().prompt("x").end().save()
    other = file.path.with_name(file.path.name.removesuffix(".jsonl") + "_old.jsonl")
    other.write_bytes(
        file.bytes.splitlines(keepends=True)[0] + b'{"timestamp":"2026-09-05T16:00:09.000Z","type":"z"}\n'
    )
    assert {segment.file.path for segment in codex.found().segments} == {str(file.path), str(other)}


def test_a_file_without_a_readable_head_is_still_a_session(codex: "CodexHome"):
    file = codex.rollout()
    file.raw(b'{"timestamp":"2026-09-05T16:00:00.000Z","type":"session_me').save()
    assert codex.found(T1).session_id == T1
    file.rows.clear()
    file.save()
    assert codex.found(T1).session_id == T1


def test_other_files_are_none(codex: "CodexHome"):
    (codex.root / "sessions").mkdir(parents=True)
    (codex.root / "sessions/notes.jsonl").write_text("{}\n")
    (codex.root / "sessions/rollout-compress-1.tmp").write_text("{}\n")
    assert codex.all() == []


def test_a_subagent_hangs_on_its_root(codex: "CodexHome"):
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": T1, "depth": 1}}}
    nested = {"subagent": {"thread_spawn": {"parent_thread_id": T2, "depth": 2}}}
    codex.rollout(T1).meta(T1).prompt("x").save()
    codex.rollout(T2, at=10).meta(T2, source=spawn, session_id=T1).prompt("child", "s").end("ok", "s").save()
    codex.rollout(T3, at=20).meta(T3, source=nested).prompt("grandchild", "t").save()
    (found,) = codex.all()
    assert [child.id for child in found.subagents] == [T2, T3]
    story = codex.story(T1, found.subagents[0])
    assert (story.summary.prompts, story.summary.ending.turn) == (1, "completed")


def test_an_orphan_subagent_is_a_session_with_a_parent(codex: "CodexHome"):
    codex.rollout(T2).meta(T2, source={"subagent": {"thread_spawn": {"parent_thread_id": T1}}}).prompt("child").save()
    (found,) = codex.all()
    assert (found.session_id, found.parent, found.hidden) == (T2, T1, False)
    assert codex.story(T2).summary.parent == T1


@pytest.mark.parametrize(
    "head",
    [
        {"source": {"subagent": "review"}},
        {"source": {"subagent": "compact"}},
        {"source": {"subagent": {"other": "guardian"}}},
        {"source": {"subagent": "memory_consolidation"}},
        {"source": {"internal": "x"}},
        {"thread_source": "guardian_review"},
    ],
)
def test_the_agents_own_machinery_is_hidden(codex: "CodexHome", head: dict[str, object]):
    codex.rollout().meta(T1, **head).prompt("x").save()
    assert codex.found().hidden


def test_names_come_from_the_name_list_then_the_index(codex: "CodexHome"):
    for thread in (T1, T2, T3):
        codex.rollout(thread).meta(thread).prompt(f"prompt of {thread}").save()
    rows = [
        (T1, "", "", "", "from the index", ""),
        (T2, "", "", "made title", None, "x"),
        (T3, "", "", "same", "", "same words"),
    ]
    write_index(codex, rows).close()
    names = [{"id": T1, "thread_name": "old"}, {"id": T1, "thread_name": "Given"}]
    (codex.root / "session_index.jsonl").write_text("".join(json.dumps(row) + "\n" for row in names))
    assert {found.session_id: found.title for found in codex.all()} == {T1: "Given", T2: "made title", T3: ""}
    assert codex.story(T1).summary.title == "Given"
    assert codex.story(T3).summary.title == f"prompt of {T3}"


def test_an_index_that_is_no_database_is_no_end(codex: "CodexHome"):
    codex.rollout().meta().prompt("x").save()
    (codex.root / "state_5.sqlite").write_bytes(gzip.compress(b"x" * 4096))
    assert codex.found().title == ""
    assert any(isinstance(row, Problem) for row in codex.reader.find_gone(codex.home, {}, [T1]))
