"""Forks and sub-agents begin with rows of their parent's."""

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.core.readers.codex.conftest import CodexHome, Rollout, Told


T1 = "01a07276-0000-7000-8000-000000000001"
T2 = "01a07277-0000-7000-8000-000000000002"


def parent(codex: "CodexHome"):
    file = codex.rollout(T1).meta(T1).prompt("parent asks", "pa").run("pc1", "ls").exited("pc1", 0)
    return file.said("assistant", "Parent says.").end("Parent says.", "pa").save()


def copied(file: "Rollout", source: "Rollout"):
    """The parent's rows, written at the moment of copying."""
    for raw in source.rows:
        file.raw(json.dumps(json.loads(raw) | {"timestamp": "2026-09-05T16:01:41.500Z"}).encode() + b"\n")
    return file


def fork(codex: "CodexHome", source: "Rollout"):
    return copied(codex.rollout(T2, at=100).meta(T2, forked_from_id=T1), source)


def own(file: "Rollout"):
    file.prompt("fork asks", "fa").run("fc1", "pwd").exited("fc1", 0).said("assistant", "Fork says.")
    return file.end("Fork says.", "fa").save()


def check(codex: "CodexHome", texts_of: "Told"):
    story = codex.story(T2)
    assert texts_of(story, "prompt") == ["fork asks"]
    assert texts_of(story, "reply") == ["Fork says."]
    assert [step.id for step in story.steps] == ["fc1"]
    assert (story.summary.turns, story.summary.parent) == (1, T1)


def test_copied_rows_are_known_from_the_parents_file(codex: "CodexHome", texts_of: "Told"):
    own(fork(codex, parent(codex)))
    check(codex, texts_of)


def test_copied_rows_end_at_the_own_settings(codex: "CodexHome", texts_of: "Told"):
    source = parent(codex)
    source.path.unlink()
    file = fork(codex, source)
    file.now = 101
    own(file.event("thread_settings_applied", thread_id=T2, thread_settings={"cwd": "/home/ada/src/ledgerly"}))
    check(codex, texts_of)


def test_copied_rows_were_written_at_once(codex: "CodexHome", texts_of: "Told"):
    source = parent(codex)
    source.path.unlink()
    file = fork(codex, source)
    file.now = 160
    own(file)
    check(codex, texts_of)


def test_the_same_words_in_the_fork_are_its_own(codex: "CodexHome", texts_of: "Told"):
    source = parent(codex)
    file = fork(codex, source)
    file.now = 200
    file.prompt("parent asks", "fa").end("Fork says.", "fa").save()
    assert texts_of(codex.story(T2), "prompt") == ["parent asks"]


def test_a_fork_without_a_turn_of_its_own_is_unbound(codex: "CodexHome"):
    fork(codex, parent(codex)).save()
    assert codex.story(T2).summary.ending.prompts == 0
    assert codex.story(T2).summary.steps == 0


def test_a_paginated_fork_copies_nothing(codex: "CodexHome", texts_of: "Told"):
    source = parent(codex)
    base = {"thread_id": T1, "end_ordinal_exclusive": 9, "end_byte_offset": len(source.bytes)}
    own(codex.rollout(T2, at=100).meta(T2, forked_from_id=T1, history_base=base))
    check(codex, texts_of)
    assert codex.found(T2).problems == ()


@pytest.mark.parametrize("numbered", [True, False])
def test_rows_of_the_parent_in_a_subagent(codex: "CodexHome", texts_of: "Told", numbered: bool):
    source = parent(codex)
    spawn = {"source": {"subagent": {"thread_spawn": {"parent_thread_id": T1}}}, "session_id": T1}
    file = codex.rollout(T2, at=100, paginated=numbered)
    if numbered:
        file.meta(T2, **spawn, subagent_history_start_ordinal=len(source.rows) + 1)
        for raw in source.rows:
            row = json.loads(raw)
            file.row(row["type"], row["payload"])
    else:
        file = copied(file.meta(T2, **spawn), source)
        file.now = 160
    own(file)
    found = codex.found(T1)
    story = codex.story(T1, found.subagents[0])
    assert texts_of(story, "prompt") == ["fork asks"]
    assert [step.id for step in story.steps] == ["fc1"]


def test_a_second_head_later_in_the_file_is_nothing(codex: "CodexHome", texts_of: "Told"):
    file = codex.rollout().meta().prompt("one", "a").end("1", "a").meta(T2).prompt("two", "b").end("2", "b").save()
    del file
    story = codex.story()
    assert texts_of(story, "prompt") == ["one", "two"]
    assert story.summary.session_id == T1


def test_a_fork_is_marked(codex: "CodexHome", markers_of: "Told"):
    own(fork(codex, parent(codex)))
    assert markers_of(codex.story(T2), "fork") == [f"forked from {T1}"]


def test_a_damaged_head_makes_nobody_elses_head_its_own(codex: "CodexHome", texts_of: "Told"):
    file = fork(codex, parent(codex))
    file.rows[0] = b'{"timestamp":"2026-09-05T16:01:41.000Z","type":"session_m\n'
    file.now = 200
    own(file)
    story = codex.story(T2)
    assert story.summary.session_id == T2
    assert "fork asks" in texts_of(story, "prompt")
