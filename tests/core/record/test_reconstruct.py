"""A session that had no record is put on a job: labelled, with its gaps, nothing of unknown outcome told as done."""

import json
from dataclasses import replace

import pytest

from refloat.errors import NotDone
from refloat.model.problem import Problem
from refloat.model.saving import OUTCOMES
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp
from refloat.model.transcript import Outcome
from refloat.record.checking import verify_job
from refloat.record.contents import Content, keep, read
from refloat.record.store import Record
from refloat.record.trails import load_trail
from refloat.testing.stories import StoryBuilder, written
from refloat.usecases.hand_over import pick_up
from refloat.usecases.reconstruct import LABEL, reconstruct

NOW = Stamp("2026-09-20T08:00:00.000Z")
NAME = SessionName("codex:0199")


def builder() -> StoryBuilder:
    story = StoryBuilder("codex", "0199", workspace="/srv/app")
    story.edit(written("/srv/app/a.py", "x = 1\n"))
    story.run("pytest -q", "2 failed", outcome=Outcome.ERROR, exit_code=1)
    story.run("make deploy", outcome=Outcome.DANGLING)
    return story


def test_its_steps_stand_on_the_job_with_their_outcomes(record: Record) -> None:
    done = reconstruct(record, "retry", NAME, builder().build(), NOW)
    steps = sorted(load_trail(record, "retry").steps, key=lambda step: step.seq)
    assert len(done.receipts) == len(steps) == 4
    assert {step.opening.origin for step in steps} == {"reconstruction"}
    assert {step.opening.producer for step in steps} == {NAME}
    assert [step.ending.outcome for step in steps if step.ending] == ["ok", "ok", "error", "dangling"]
    assert all(step.ending and LABEL in (step.ending.note or "") for step in steps)
    assert verify_job(record, "retry").ok
    assert pick_up(record, "retry", "bob", lambda: NOW).pickup.continue_at == 3  # it failed


def test_gaps_are_named_in_the_record_too(record: Record) -> None:
    story = builder().build()
    problem = Problem("/t/x.jsonl", 7, 100, "a broken line")
    story = replace(story, summary=replace(story.summary, problems=(problem,), unknown={"new_row": 3}))
    done = reconstruct(record, "retry", NAME, story, NOW)
    assert len(done.gaps) == 3
    assert done.gaps[0] == "/t/x.jsonl: a broken line"
    assert "step 3" in done.gaps[1]
    first = min(load_trail(record, "retry").steps, key=lambda step: step.seq)
    with record.reading() as connection:
        kept = b"".join(read(record, connection, first.output_sha256 or "", first.output_bytes))
    assert json.loads(kept)["gaps"] == [
        done.gaps[0],
        "the 3. step after this one: step 3 (Bash) has no recorded result",
        done.gaps[2],
    ]
    assert done.gaps[1] == "#4: step 3 (Bash) has no recorded result"


def test_a_job_that_has_steps_already_names_the_gaps_by_its_own_numbers(record: Record) -> None:
    reconstruct(record, "retry", SessionName("codex:0200"), builder().build(), NOW)
    done = reconstruct(record, "retry", NAME, builder().build(), NOW)
    assert (done.first, done.gaps) == (5, ("#8: step 3 (Bash) has no recorded result",))
    assert load_trail(record, "retry").reconstructed == 6


def test_the_same_session_stands_there_once(record: Record) -> None:
    reconstruct(record, "retry", NAME, builder().build(), NOW)
    with pytest.raises(NotDone, match="stands on retry already"):
        reconstruct(record, "retry", NAME, builder().build(), NOW)
    reconstruct(record, "other", NAME, builder().build(), NOW)
    reconstruct(record, "retry", SessionName("codex:0200"), builder().build(), NOW)


def test_it_stands_there_once_though_two_put_it_there_at_a_time(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = list(builder().build().every_step)
    done: list[int] = []

    def meanwhile(at: Record, data: bytes) -> Content:
        if not done:
            done.append(0)
            done[0] = len(reconstruct(at, "retry", NAME, builder().build(), NOW).receipts)
        return keep(at, data)

    monkeypatch.setattr("refloat.usecases.reconstruct.keep", meanwhile)
    with pytest.raises(NotDone, match="stands on retry already"):
        reconstruct(record, "retry", NAME, builder().build(), NOW)
    assert done == [len(told) + 1]
    assert len(load_trail(record, "retry").steps) == len(told) + 1
    assert verify_job(record, "retry").ok


def test_every_outcome_of_a_transcript_has_its_word_here() -> None:
    assert {outcome.value for outcome in Outcome} == set(OUTCOMES)


def test_the_agents_variables_are_those_that_their_readers_name() -> None:
    from refloat.readers import registry
    from refloat.usecases.save_step import SESSION_VARIABLES

    named = {name: agent for agent in registry.names() for name in registry.load(agent).child_variables()}
    assert named == SESSION_VARIABLES
