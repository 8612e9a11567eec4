"""Events add up to a session: pairing, counting, joining, and how the record ends."""

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from refloat.model.problem import Place, Problem
from refloat.model.session import Failure, FailureKind
from refloat.model.stamp import Stamp
from refloat.model.transcript import (
    Background,
    Call,
    Event,
    Fact,
    FileEdit,
    Message,
    Outcome,
    Result,
    StepKind,
    TakenBack,
    TurnBegan,
    TurnEnded,
)
from refloat.readers.pairing import keep, keep_ends
from refloat.readers.story import Assembler


def at(second: int) -> Stamp:
    return Stamp(f"2026-05-01T10:{second // 60:02d}:{second % 60:02d}.000Z")


def here(line: int = 1) -> Place:
    return Place("/t.jsonl", line, line * 100)


def prompt(text: str, second: int, row: str = "") -> Message:
    return Message("prompt", text, at(second), here(second), row=row)


def reply(text: str, second: int, message: str = "", row: str = "") -> Message:
    return Message("reply", text, at(second), here(second), id=message, row=row)


def call(name: str, second: int, kind: StepKind = StepKind.COMMAND, message: str = "") -> Call:
    return Call(
        name, "Bash", kind, "make", '{"command":"make"}', at(second), here(second), command="make", message=message
    )


def result(name: str, second: int, outcome: Outcome = Outcome.OK, **more: object) -> Result:
    return Result(name, outcome, at(second), here(second), **more)  # pyright: ignore[reportArgumentType] - keywords of the test's own


def assemble(*events: Event, keep_items: bool = True) -> Assembler:
    assembler = Assembler("claude-code", "s1", keep_items=keep_items)
    assembler.take(events)
    return assembler


DONE = TurnEnded("completed", at(50))


def test_a_finished_turn_is_completed_and_counts_what_it_holds() -> None:
    summary = assemble(
        Fact("cwd", "/w", at(0)), prompt("Fix it", 1, "r1"), call("c1", 2), result("c1", 3), reply("Done", 4), DONE
    ).summary()
    assert (summary.prompts, summary.turns, summary.steps, summary.dangling) == (1, 1, 1, 0)
    assert summary.ending.turn == "completed"
    assert summary.title == "Fix it"
    assert summary.workspace == "/w"
    assert (summary.started_at, summary.last_activity_at) == (at(0), at(50))


def test_a_call_without_result_dangles_in_the_last_turn_only_as_long_as_that_is_the_last() -> None:
    events = [prompt("one", 1), call("c1", 2)]
    assert assemble(*events).summary().ending.dangling == 1
    later = assemble(*events, prompt("two", 3), reply("ok", 4), TurnEnded("completed", at(5))).summary()
    assert later.dangling == 1
    assert later.ending.dangling == 0
    assert later.ending.turn == "completed"


def test_a_real_result_beats_a_placeholder_whatever_the_order() -> None:
    real = result("c1", 5, output="3 passed", exit_code=0)
    made_up = result("c1", 4, Outcome.INTERRUPTED, placeholder=True)
    for answers in ((made_up, real), (real, made_up)):
        (step,) = assemble(prompt("x", 1), call("c1", 2), *answers).story({}).steps
        assert (step.outcome, step.output, step.exit_code) == (Outcome.OK, "3 passed", 0)


def test_an_event_beside_the_output_row_is_merged_into_one_step() -> None:
    edit = FileEdit("/w/a.py", "update", after="x\n")
    event = result("c1", 4, Outcome.ERROR, partial=True, exit_code=2, edits=(edit,))
    row = result("c1", 5, output="Exit code: 2")
    for answers in ((event, row), (row, event)):
        (step,) = assemble(prompt("x", 1), call("c1", 2), *answers).story({}).steps
        assert (step.outcome, step.exit_code, step.output, step.edits) == (Outcome.ERROR, 2, "Exit code: 2", (edit,))


def test_a_result_before_its_call_is_paired_all_the_same() -> None:
    assembler = assemble(prompt("x", 1), result("c1", 2, output="early"), call("c1", 3))
    assert assembler.summary().dangling == 0
    assert [step.output for step in assembler.story({}).steps] == ["early"]


def test_a_copied_call_counts_once() -> None:
    summary = assemble(
        prompt("x", 1, "r1"), call("c1", 2), prompt("x", 1, "r1"), call("c1", 2), result("c1", 3)
    ).summary()
    assert (summary.prompts, summary.steps, summary.dangling) == (1, 1, 0)


def test_parts_of_one_message_are_one_reply_and_stand_beside_its_calls() -> None:
    story = assemble(
        prompt("x", 1), reply("Looking.", 2, "m1", "r2"), call("c1", 3, message="m1"), reply("And on.", 4, "m1", "r3")
    ).story({})
    assert [item.text for item in story.items if item.type == "reply"] == ["Looking.\nAnd on."]
    assert [step.message for step in story.steps] == ["Looking.\nAnd on."]


def test_a_reply_opens_a_turn_again_that_only_seemed_to_end() -> None:
    summary = assemble(prompt("x", 1), TurnEnded("completed", at(2)), call("c1", 3)).summary()
    assert summary.ending.turn == "open"


def test_late_rows_of_a_turn_whose_end_was_told_do_not_open_it_again() -> None:
    summary = assemble(
        TurnBegan("t1", at(1)), prompt("x", 1), TurnEnded("interrupted", at(2), id="t1"), call("c1", 3), result("c1", 3)
    ).summary()
    assert (summary.turns, summary.ending.turn, summary.ending.user_interrupted) == (1, "interrupted", True)


def test_the_end_of_another_turn_does_not_end_this_one() -> None:
    summary = assemble(TurnBegan("t1", at(1)), TurnBegan("t2", at(3)), TurnEnded("completed", at(4), id="t1")).summary()
    assert summary.ending.turn == "open"


def test_what_the_program_closed_while_ending_leaves_the_turn_open() -> None:
    summary = assemble(
        prompt("x", 1), call("c1", 2), result("c1", 3, Outcome.INTERRUPTED, shutdown=True), TurnEnded("open", at(3))
    ).summary()
    assert (summary.dangling, summary.ending.dangling, summary.ending.shutdown) == (0, 1, True)


def test_withdrawn_prompts_count_no_more_and_their_steps_are_told_as_superseded() -> None:
    assembler = assemble(
        prompt("one", 1, "r1"),
        prompt("two", 2, "r2"),
        call("c1", 3),
        TakenBack(rows=("r2", "c1")),
        prompt("three", 5, "r3"),
    )
    assert assembler.summary().prompts == 2
    story = assembler.story({})
    assert [item.superseded for item in story.items] == [False, True, True, False]


def test_rolled_back_turns_leave_the_turn_before_them() -> None:
    summary = assemble(
        TurnBegan("a", at(1)), prompt("one", 1), TurnEnded("completed", at(2), id="a"),
        TurnBegan("b", at(3)), prompt("two", 3), call("c1", 4), TurnEnded("interrupted", at(5), id="b"),
        TakenBack(turns=1, at=at(6)),
    ).summary()  # fmt: skip
    assert (summary.prompts, summary.ending.turn, summary.ending.dangling) == (1, "completed", 0)


def test_a_failed_turn_carries_what_was_observed() -> None:
    failure = Failure(FailureKind.RATE_LIMIT, "You've hit your limit", at(2))
    assert assemble(prompt("x", 1), TurnEnded("failed", at(2), failure=failure)).summary().ending.failure == failure


def test_background_work_is_open_until_its_end_is_told() -> None:
    started = Background("b1", "dev_server", "npm run dev", running=True)
    story = assemble(prompt("x", 1), call("c1", 2), result("c1", 3, background=started)).story({})
    assert [(work.background.what, work.step) for work in story.open_work] == [("npm run dev", 1)]
    ended = Background("b1", "background_shell", "", running=False)
    later = assemble(
        prompt("x", 1),
        call("c1", 2),
        result("c1", 3, background=started),
        call("c2", 4),
        result("c2", 5, background=ended),
    )
    assert later.story({}).open_work == ()


EVENTS: list[Event] = [
    Fact("cwd", "/w", at(0)), prompt("one", 1, "r1"), reply("hm", 2, "m1", "x"), call("c1", 3, StepKind.EDIT, "m1"),
    Problem("/t", 4, 0, "torn"), result("c1", 5, kind=StepKind.EDIT), call("c2", 6), result("c9", 6),
    TurnBegan("t", at(7)),
    prompt("two", 8, "r2"), call("c3", 9), result("c3", 9, Outcome.INTERRUPTED, shutdown=True), TakenBack(rows=("r1",)),
    TurnEnded("failed", at(10), failure=Failure(FailureKind.AUTH, "no", at(10))),
]  # fmt: skip


@given(st.lists(st.sampled_from(EVENTS), max_size=30), st.integers(0, 30))
def test_freezing_anywhere_changes_nothing(events: list[Event], where: int) -> None:
    straight = assemble(*events, keep_items=False).summary()
    first = assemble(*events[:where], keep_items=False)
    second = Assembler("claude-code", "s1", keep_items=False, frozen=json.loads(json.dumps(first.freeze())))
    second.take(events[where:])
    assert second.summary() == straight
    assert assemble(*events).summary() == straight


def test_what_is_kept_of_a_text_parts_no_word() -> None:
    """Half of a secret is not found any more."""
    token = "gh" + "p_" + "a1B2c3D4e5" * 4
    for at in range(1, len(token)):
        start = "x" * (99 - at) + " "
        assert keep(start + token + " rest", 100) in {start, f"{start}{token}"}
    words = "word " * 40
    assert keep(words, 12) == "word word "
    ends = keep_ends(f"{'a ' * 25}{token} {'b ' * 200}{token} {'c ' * 10}", 90)
    assert token[:8] not in ends
    assert token[-8:] not in ends
    assert keep("x" * 5_000, 3_000) == "x" * 3_000


def test_another_call_under_a_used_id_is_a_step_of_its_own_and_told() -> None:
    one, two = replace(call("c1", 2), told="a"), replace(call("c1", 4), told="b")
    for events in (
        (one, result("c1", 3, output="1"), two, result("c1", 5, output="2")),
        (one, two, result("c1", 3, output="1"), result("c1", 5, output="2")),
        (one, result("c1", 3, output="1"), two, result("c1", 5, output="2"), one, result("c1", 3, output="1"), two),
    ):
        assembler = assemble(prompt("x", 1), *events)
        assert [(step.id, step.output) for step in assembler.story({}).steps] == [("c1", "1"), ("c1#2", "2")]
        summary = assembler.summary()
        assert (summary.steps, summary.dangling) == (2, 0)
        assert [(problem.line, "earlier tool call" in problem.what) for problem in summary.problems] == [(4, True)]


def test_an_answer_is_not_given_to_a_call_of_an_earlier_turn_that_died_under_the_same_id() -> None:
    one, two = replace(call("c1", 2), told="a"), replace(call("c1", 4), told="b")
    assembler = assemble(prompt("x", 1, "r1"), one, prompt("y", 3, "r2"), two, result("c1", 5, output="2"))
    assert [(step.outcome, step.output) for step in assembler.story({}).steps] == [
        (Outcome.DANGLING, ""),
        (Outcome.OK, "2"),
    ]


def test_a_frozen_reading_knows_which_ids_were_used_again() -> None:
    one, two = replace(call("c1", 2), told="a"), replace(call("c1", 4), told="b")
    frozen = json.loads(json.dumps(assemble(prompt("x", 1), one, result("c1", 3), two, keep_items=False).freeze()))
    thawed = Assembler("claude-code", "s1", keep_items=False, frozen=frozen)
    thawed.take([one, two, result("c1", 5)])
    assert (thawed.summary().steps, thawed.summary().dangling) == (2, 0)
