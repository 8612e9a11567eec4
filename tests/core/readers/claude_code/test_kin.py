"""To which of several sessions that begin alike their common rows count."""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest

from refloat.model.story import Story
from refloat.model.transcript import Outcome
from refloat.readers.claude_code import ClaudeCode
from refloat.readers.claude_code.layout import source_file
from refloat.readers.contract import Found
from refloat.testing.claude_talk import ClaudeTalk
from refloat.usecases.read_session import read_story

READER = ClaudeCode()
SOURCE, FORK, THIRD = (f"5f0c1d2e-0000-4000-8000-00000000000{n}" for n in (1, 2, 3))


def begun(session: str = SOURCE) -> ClaudeTalk:
    talk = ClaudeTalk(session)
    talk.prompt("begin")
    talk.ran("pytest -q", "3 passed")
    talk.say("begun")
    return talk


def fork_of(talk: ClaudeTalk, session: str, **more: object) -> ClaudeTalk:
    fork = ClaudeTalk(session)
    fork.rows = [{**cast("Mapping[str, object]", row), "sessionId": session, **more} for row in talk.rows]
    fork.parent, fork.clock = talk.parent, talk.clock
    fork._made = 4096 * int(session[-1])  # pyright: ignore[reportPrivateUsage] - row ids of its own
    return fork


def go_on(talk: ClaudeTalk, said: str, later: int) -> ClaudeTalk:
    talk.clock += later
    talk.prompt(said)
    talk.ran("make", "built")
    talk.say("done")
    return talk


def group(root: Path, *talks: ClaudeTalk) -> dict[str, Found]:
    files = [found for talk in talks if (found := source_file(talk.write(root / "projects" / "p")))]
    return {found.session_id: found for found in READER.group([(file, READER.identify(file)) for file in files])}


def prompts(story: Story) -> list[str]:
    return [item.text or "" for item in story.items if item.type == "prompt"]


def steps(story: Story) -> list[str | None]:
    return [item.step.command for item in story.items if item.step is not None]


def test_fork_and_source_go_on(tmp_path: Path):
    source = begun()
    fork = fork_of(source, FORK)
    found = group(tmp_path, go_on(source, "one way", 10), go_on(fork, "the other", 20))
    assert found[SOURCE].relatives == ()
    assert found[FORK].parent == SOURCE
    told = read_story(READER, found[FORK])
    assert prompts(told) == ["the other"]
    assert steps(told) == ["make"]
    assert (told.summary.prompts, told.summary.steps, told.summary.turns) == (1, 1, 1)
    assert told.summary.workspace == read_story(READER, found[SOURCE]).summary.workspace
    assert prompts(read_story(READER, found[SOURCE])) == ["begin", "one way"]


def test_a_mark_beats_the_order_in_time(tmp_path: Path):
    source = begun()
    fork = fork_of(source, FORK, forkedFrom={"sessionId": SOURCE, "messageUuid": "m"})
    found = group(tmp_path, go_on(source, "late", 60), go_on(fork, "early", 5))
    assert prompts(read_story(READER, found[FORK])) == ["early"]
    assert prompts(read_story(READER, found[SOURCE])) == ["begin", "late"]


def test_what_no_fork_copies_shows_the_source(tmp_path: Path):
    source = ClaudeTalk(SOURCE)
    source.prompt("begin")
    source.metadata("queue-operation", operation="enqueue", content="x", timestamp="2026-08-20T09:10:00.500Z")
    source.say("begun")
    fork = fork_of(source, FORK)
    fork.rows = [row for row in fork.rows if "uuid" in cast("Mapping[str, object]", row)]
    found = group(tmp_path, go_on(source, "late", 60), go_on(fork, "early", 5))
    assert found[FORK].parent == SOURCE
    assert found[SOURCE].parent == ""


def test_a_copy_that_carries_the_whole_counts_everything(tmp_path: Path):
    source = begun()
    found = group(tmp_path, source, go_on(fork_of(source, FORK), "more", 10))
    assert found[FORK].relatives == ()
    assert found[FORK].parent == SOURCE
    assert prompts(read_story(READER, found[FORK])) == ["begin", "more"]
    assert prompts(read_story(READER, found[SOURCE])) == ["begin"]


def test_two_forks_of_a_finished_source_count_it_once(tmp_path: Path):
    source = begun()
    first, second = go_on(fork_of(source, FORK), "one", 10), go_on(fork_of(source, THIRD), "two", 20)
    found = group(tmp_path, source, first, second)
    assert {found[FORK].parent, found[THIRD].parent} == {SOURCE}
    assert prompts(read_story(READER, found[FORK])) == ["begin", "one"]
    assert prompts(read_story(READER, found[THIRD])) == ["two"]


def test_a_fork_whose_source_is_gone_counts_everything(tmp_path: Path):
    fork = go_on(fork_of(begun(), FORK, forkedFrom={"sessionId": SOURCE, "messageUuid": "m"}), "more", 10)
    found = group(tmp_path, fork)
    assert found[FORK].parent == SOURCE
    assert prompts(read_story(READER, found[FORK])) == ["begin", "more"]


def test_an_answer_made_up_for_the_copy_is_none(tmp_path: Path):
    source = ClaudeTalk(SOURCE)
    source.prompt("begin")
    source.call("Bash", "toolu_open", command="make all")
    fork = fork_of(source, FORK, forkedFrom={"sessionId": SOURCE, "messageUuid": "m"})
    fork.result("toolu_open", "[Tool call result not in this copy: it ran elsewhere]", failed=True)
    source.result("toolu_open", "built", {"stdout": "built", "stderr": "", "interrupted": False})
    found = group(tmp_path, go_on(source, "late", 60), go_on(fork, "early", 5))
    told = read_story(READER, found[FORK])
    assert steps(told) == ["make"]
    assert told.summary.dangling == 0


def in_flight() -> ClaudeTalk:
    talk = ClaudeTalk(SOURCE)
    talk.prompt("begin")
    talk.call("Bash", "toolu_open", command="git push origin main")
    return talk


@pytest.mark.parametrize(
    ("words", "more"),
    [
        ("[Tool call result not in this copy: it ran elsewhere]", {}),
        ("[Request interrupted by user for tool use]", {"toolDenialKind": "interrupted"}),
    ],
)
def test_an_answer_made_up_shows_the_copy(tmp_path: Path, words: str, more: Mapping[str, object]):
    source = in_flight()
    fork = fork_of(source, FORK)
    fork.result("toolu_open", words, failed=True, **more)
    source.clock += 500
    source.result("toolu_open", "pushed", {"stdout": "pushed", "stderr": "", "interrupted": False})
    found = group(tmp_path, source, go_on(fork, "early", 5))
    assert (found[SOURCE].parent, found[FORK].parent) == ("", SOURCE)
    story = read_story(READER, found[SOURCE])
    assert [step.outcome for step in story.steps] == [Outcome.OK]
    assert prompts(read_story(READER, found[FORK])) == ["early"]


def test_a_copy_with_an_answer_made_up_does_not_carry_the_source(tmp_path: Path):
    source = in_flight()
    fork = fork_of(source, FORK)
    fork.result("toolu_open", "[Tool call result not in this copy: it ran elsewhere]", failed=True)
    found = group(tmp_path, source, go_on(fork, "early", 5))
    assert [file.path for file in found[FORK].relatives] == [file.path for file in found[SOURCE].files]
    assert found[FORK].parent == SOURCE
    assert read_story(READER, found[SOURCE]).summary.dangling == 1


def test_a_queue_behind_the_shared_rows_is_of_the_sessions_own_time(tmp_path: Path):
    source = begun()
    fork = fork_of(source, FORK)
    source.metadata("queue-operation", operation="enqueue", content="x", timestamp="2026-08-20T09:10:05.000Z")
    found = group(tmp_path, go_on(source, "late", 600), go_on(fork, "early", 50))
    assert (found[SOURCE].parent, found[FORK].parent) == ("", SOURCE)
    assert prompts(read_story(READER, found[SOURCE])) == ["begin", "late"]


def test_sub_agents_of_the_shared_part_show_the_source(tmp_path: Path):
    source = ClaudeTalk(SOURCE)
    source.prompt("begin")
    source.call("Agent", "toolu_agent", description="look", prompt="look")
    source.result("toolu_agent", "found", {"status": "completed", "agentId": "a4388d337bf8a9397"})
    source.say("begun")
    fork = fork_of(source, FORK)
    agent = ClaudeTalk(SOURCE)
    agent.prompt("look", isSidechain=True, agentId="a4388d337bf8a9397")
    (path,) = [agent.write(tmp_path / "projects" / "p" / SOURCE / "subagents")]
    beside = path.rename(path.with_name("agent-a4388d337bf8a9397.jsonl"))
    talks = [go_on(source, "late", 60), go_on(fork, "early", 5)]
    paths = [*(talk.write(tmp_path / "projects" / "p") for talk in talks), beside]
    files = [found for path in paths if (found := source_file(path))]
    found = {each.session_id: each for each in READER.group([(file, READER.identify(file)) for file in files])}
    assert (found[SOURCE].parent, found[FORK].parent) == ("", SOURCE)


def test_sessions_that_begin_otherwise_are_no_kin(tmp_path: Path):
    other = fork_of(ClaudeTalk(FORK), FORK)
    found = group(tmp_path, begun(), go_on(other, "own", 0))
    assert not any(session.parent or session.relatives for session in found.values())


def test_the_rows_that_follow_a_huge_first_one(tmp_path: Path):
    source = ClaudeTalk(SOURCE)
    source.prompt("x" * 200_000)
    source.say("begun")
    fork = fork_of(source, FORK)
    found = group(tmp_path, go_on(source, "one way", 10), go_on(fork, "the other", 20))
    assert prompts(read_story(READER, found[FORK])) == ["the other"]


def test_only_the_tail_is_huge(tmp_path: Path):
    source = begun()
    fork = fork_of(source, FORK)
    source.clock += 5
    source.prompt("y" * 200_000)
    found = group(tmp_path, source, go_on(fork, "the other", 20))
    assert prompts(read_story(READER, found[FORK])) == ["the other"]


def test_a_last_row_of_a_wrong_type_is_looked_past(tmp_path: Path):
    talk = begun()
    fork = fork_of(talk, "44444444-0000-4000-8000-000000000004")
    talk.row("assistant", type=["user"])
    assert set(group(tmp_path, talk, fork)) == {SOURCE, "44444444-0000-4000-8000-000000000004"}
