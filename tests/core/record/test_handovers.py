"""Trails and pickups: bounded, newest and load-bearing first, nothing of unknown outcome handed on as done."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from refloat.errors import UsageError
from refloat.model.saving import Opening, Tree
from refloat.model.stamp import Stamp
from refloat.record.chain import add_step, add_steps, begin_step
from refloat.record.contents import Content, hold
from refloat.record.handovers import NewDecision, NewWrap
from refloat.record.store import FILE_NAME, Record
from refloat.record.trails import find_jobs, load_trail
from refloat.record.whole import NoSuchJob
from refloat.testing.jobs import END, ENDING, NOW, OPENING, fill
from refloat.usecases.hand_over import decide_job, pick_up, wrap_job

CLEAN = Tree("a" * 40, "0" * 64)


def tree(n: int) -> Tree:
    return Tree("a" * 40, f"{n:064x}")


def save(record: Record, tool: str, outcome: str = "ok", before: Tree = CLEAN, after: Tree = CLEAN) -> str:
    sealed = add_step(
        record,
        OPENING._replace(tool=tool, summary=tool, tree=before),
        ENDING._replace(outcome=outcome, tree=after),  # pyright: ignore[reportArgumentType] - a word of the record
        hold(f"do {tool}".encode()),
        hold(tool.encode()),
    )
    return sealed.receipt


def now() -> Stamp:
    return END


def test_a_trail_shows_every_kind_and_reads_no_output(record: Record, tmp_path: Path) -> None:
    fill(record, tmp_path)
    for file in tmp_path.rglob("*.zst"):
        file.write_bytes(b"not read")
    trail = load_trail(record, "retry")
    assert [(step.seq, step.link is None, step.verdict) for step in trail.steps] == [
        (4, True, "not_checked"),
        (3, False, "unchanged"),
        (2, False, "unchanged"),
        (1, False, "unchanged"),
    ]
    assert trail.outcomes == (("error", 1), ("ok", 2))
    assert (trail.goal, trail.omitted) == ("stop after 3", 0)
    assert [len(trail.wraps), len(trail.pickups), len(trail.decisions)] == [1, 1, 1]
    assert {trail.wraps[0].verdict, trail.pickups[0].verdict, trail.decisions[0].verdict} == {"unchanged"}


def test_a_long_trail_is_bounded_and_says_what_it_leaves_out(record: Record) -> None:
    save(record, "make", before=tree(0), after=tree(1))
    save(record, "broken", "error", tree(1), tree(1))
    row = (OPENING._replace(tree=tree(1)), ENDING._replace(tree=tree(1)), None, None)
    add_steps(record, [row] * 300)
    trail = load_trail(record, "retry", 20)
    assert len(trail.steps) == 20
    assert trail.omitted == 282
    numbers = [step.seq for step in trail.steps]
    assert numbers == sorted(numbers, reverse=True)
    assert {1, 2, 302} <= set(numbers)  # what all rests on, the last failure, the newest
    assert trail.load_bearing == (1,)


def test_what_most_later_steps_rest_on_is_load_bearing(record: Record) -> None:
    save(record, "edit one", before=tree(0), after=tree(1))
    for n in range(2):
        save(record, f"check {n}", before=tree(1), after=tree(1))
    save(record, "edit two", before=tree(1), after=tree(2))
    for n in range(4):
        save(record, f"check again {n}", before=tree(2), after=tree(2))
    assert load_trail(record, "retry").load_bearing == (4, 1)


def test_an_input_that_was_an_output_rests_on_it(record: Record) -> None:
    unknown = Tree(unknown="no repository")
    opening, ending = OPENING._replace(tree=unknown), ENDING._replace(tree=unknown)
    add_step(record, opening, ending, None, hold(b"the list"))
    add_step(record, opening, ending, hold(b"the list"), hold(b"other"))
    assert load_trail(record, "retry").load_bearing == (1,)


def test_an_automatic_wrap_never_buries_a_person_s(record: Record) -> None:
    save(record, "make")
    wrap_job(record, NewWrap("retry", NOW, "human:ada", "by hand", "the goal"))
    for n in range(9):
        wrap_job(record, NewWrap("retry", END, "codex:1", f"automatic {n}", "", automatic=True))
    trail = load_trail(record, "retry")
    assert (trail.wraps[0].summary, trail.wraps[0].automatic) == ("by hand", False)
    assert trail.wraps[1].summary == "automatic 8"
    picked = pick_up(record, "retry", "bob", now)
    assert picked.wrap is not None
    assert picked.wrap.summary == "by hand"


def test_a_job_without_a_wrap_is_picked_up_too(record: Record) -> None:
    save(record, "make")
    picked = pick_up(record, "retry", "bob", now)
    assert (picked.wrap, picked.pickup.wrap, picked.pickup.continue_at) == (None, None, 2)


@pytest.mark.parametrize("outcome", ["interrupted", "dangling"])
def test_work_goes_on_at_the_first_step_of_unknown_outcome(record: Record, outcome: str) -> None:
    save(record, "one")
    save(record, "deploy", outcome)
    save(record, "two")
    picked = pick_up(record, "retry", "bob", now)
    assert ([step.seq for step in picked.unsettled], picked.pickup.continue_at) == ([2], 2)
    save(record, "deploy")  # somebody did it again, and it ended well
    assert pick_up(record, "retry", "bob", now).pickup.continue_at == 5


GIVEN = hold(b"deploy --prod")


@pytest.mark.parametrize(
    ("opening", "given", "settled"),
    [
        (OPENING, GIVEN, True),
        (OPENING, None, False),
        (OPENING, hold(b"deploy --staging"), False),
        (OPENING._replace(workspace="/srv/other"), GIVEN, False),
        (OPENING._replace(workspace=None), GIVEN, False),
        (OPENING._replace(origin="reconstruction"), GIVEN, False),
    ],
)
def test_only_the_very_same_step_settles_one(
    record: Record, opening: Opening, given: Content | None, settled: bool
) -> None:
    add_step(record, OPENING, ENDING._replace(outcome="dangling"), GIVEN)
    add_step(record, opening, ENDING, given)
    assert [step.seq for step in pick_up(record, "retry", "bob", now).unsettled] == ([] if settled else [1])


def test_steps_that_say_nothing_of_their_input_settle_nothing(record: Record) -> None:
    add_step(record, OPENING, ENDING._replace(outcome="dangling"))
    add_step(record, OPENING, ENDING)
    assert [step.seq for step in pick_up(record, "retry", "bob", now).unsettled] == [1]


def test_an_altered_step_settles_nothing(file_record: Record, tmp_path: Path) -> None:
    add_step(file_record, OPENING, ENDING._replace(outcome="dangling"), GIVEN)
    add_step(file_record, OPENING, ENDING._replace(outcome="error"), GIVEN)
    with closing(sqlite3.connect(tmp_path / "data" / FILE_NAME)) as connection, connection:
        connection.execute("UPDATE steps SET outcome = 'ok' WHERE seq = 2")
    assert 1 in [step.seq for step in pick_up(file_record, "retry", "bob", now).unsettled]


def test_many_settled_steps_hide_no_unsettled_one(record: Record) -> None:
    unknown = (OPENING, ENDING._replace(outcome="dangling"), GIVEN, None)
    add_steps(record, [unknown] * 50)
    add_steps(record, [(OPENING._replace(tool="other"), *unknown[1:]), (OPENING, ENDING, GIVEN, None)])
    assert [step.seq for step in pick_up(record, "retry", "bob", now).unsettled] == [51]


def test_work_goes_on_at_the_step_in_flight(record: Record) -> None:
    save(record, "one")
    begin_step(record, OPENING)
    save(record, "three")
    assert pick_up(record, "retry", "bob", now).pickup.continue_at == 2


def test_a_load_bearing_step_that_was_altered_is_where_work_goes_on(file_record: Record, tmp_path: Path) -> None:
    record = file_record
    save(record, "edit", before=tree(0), after=tree(1))
    save(record, "check", before=tree(1), after=tree(1))
    with closing(sqlite3.connect(tmp_path / "data" / FILE_NAME)) as connection, connection:
        connection.execute("UPDATE pieces SET data = CAST('forged' AS BLOB) WHERE data = CAST('edit' AS BLOB)")
    picked = pick_up(record, "retry", "bob", now)
    assert [(each.seq, each.verdict) for each in picked.checked] == [(1, "altered")]
    assert [(fault.seq, fault.field) for fault in picked.problems] == [(1, "output")]
    assert picked.pickup.continue_at == 1


def test_a_step_that_was_altered_or_taken_out_long_ago_is_where_work_goes_on(
    file_record: Record, tmp_path: Path
) -> None:
    for n in range(60):
        save(file_record, f"step {n}")
    for seq, sql in ((7, "DELETE FROM steps WHERE seq = 7"), (3, "UPDATE steps SET summary = 'other' WHERE seq = 3")):
        with closing(sqlite3.connect(tmp_path / "data" / FILE_NAME)) as connection, connection:
            connection.execute(sql)
        picked = pick_up(file_record, "retry", "bob", now)
        assert picked.pickup.continue_at == seq
        assert seq in {fault.seq for fault in picked.problems}


def test_a_wrap_is_found_by_the_beginning_of_its_id(record: Record) -> None:
    save(record, "make")
    wrap = wrap_job(record, NewWrap("retry", NOW, "human:ada", "did", "goal"))
    assert pick_up(record, wrap.id[:6], "bob", now).pickup.wrap == wrap.id
    for ref in ("ffffffff", "no such", ""):
        with pytest.raises(UsageError):
            pick_up(record, ref, "bob", now)


def test_the_goal_goes_on_where_a_wrap_names_none(record: Record) -> None:
    save(record, "make")
    wrap_job(record, NewWrap("retry", NOW, "human:ada", "did", "the goal"))
    assert wrap_job(record, NewWrap("retry", END, "human:bob", "did more", "")).goal == "the goal"


def test_nothing_is_wrapped_that_is_not_there(record: Record) -> None:
    with pytest.raises(NoSuchJob):
        wrap_job(record, NewWrap("retry", NOW, "human:ada", "did", "goal"))
    assert find_jobs(record) == ()


def test_jobs_are_listed_by_their_last_activity(record: Record) -> None:
    for name, moment in (("old", NOW), ("new", END)):
        add_step(record, OPENING._replace(job=name, started_at=moment), ENDING._replace(ended_at=moment))
    begin_step(record, OPENING._replace(job="old"))
    assert [(job.name, job.steps, job.in_flight, job.last_at) for job in find_jobs(record)] == [
        ("new", 1, 0, END),
        ("old", 2, 1, NOW),
    ]


def test_a_damaged_row_is_shown_as_far_as_it_goes(file_record: Record, tmp_path: Path) -> None:
    record = file_record  # PostgreSQL keeps its columns' types
    fill(record, tmp_path)
    with closing(sqlite3.connect(tmp_path / "data" / FILE_NAME)) as connection, connection:
        for column in (
            "started_at",
            "ended_at",
            "summary",
            "exit_code",
            "outcome",
            "origin",
            "output_bytes",
            "receipt",
        ):
            connection.execute(f"UPDATE steps SET {column} = x'ff00' WHERE seq = 1")  # noqa: S608
        connection.execute("UPDATE wraps SET next_steps = '{', at = 'noon'")
        connection.execute("UPDATE decisions SET status = 'maybe'")
        connection.execute("UPDATE pickups SET checked = '[1, null]'")
    trail = load_trail(record, "retry")
    assert {step.seq: step.verdict for step in trail.steps}[1] == "altered"
    assert {trail.wraps[0].verdict, trail.pickups[0].verdict, trail.decisions[0].verdict} == {"altered"}
    assert find_jobs(record) != ()
    pick_up(record, "retry", "bob", now)


def test_a_note_is_never_what_others_rest_on(record: Record) -> None:
    save(record, "make", before=tree(0), after=tree(1))
    save(record, "note", before=Tree(unknown="saved when it had ended"), after=tree(1))
    for n in range(3):
        save(record, f"check {n}", before=tree(1), after=tree(1))
    save(record, "note", before=Tree(unknown="saved when it had ended"), after=tree(1))
    trail = load_trail(record, "retry")
    assert (trail.load_bearing, trail.resting) == ((1,), (3,))


def test_an_edit_saved_when_it_had_ended_is_what_later_steps_rest_on(record: Record) -> None:
    save(record, "look", before=tree(0), after=tree(0))
    save(record, "edit", before=Tree(unknown="saved when it had ended"), after=tree(1))
    for n in range(2):
        save(record, f"check {n}", before=tree(1), after=tree(1))
    assert load_trail(record, "retry").load_bearing == (2,)


def test_a_step_that_failed_or_was_altered_is_not_verified_first(file_record: Record, tmp_path: Path) -> None:
    save(file_record, "edit", before=tree(0), after=tree(1))
    save(file_record, "check", before=tree(1), after=tree(1))
    save(file_record, "broken edit", "error", before=tree(1), after=tree(2))
    for n in range(3):
        save(file_record, f"check {n}", before=tree(2), after=tree(2))
    assert load_trail(file_record, "retry").load_bearing == (1,)
    with closing(sqlite3.connect(tmp_path / "data" / FILE_NAME)) as connection, connection:
        connection.execute("UPDATE steps SET summary = 'other' WHERE seq = 1")
    trail = load_trail(file_record, "retry")
    assert trail.load_bearing == ()
    assert trail.outcomes == (("altered", 1), ("error", 1), ("ok", 4))


def test_nothing_is_proposed_where_nothing_rests_on_anything(record: Record) -> None:
    for n in range(3):
        save(record, f"look {n}")
    assert load_trail(record, "retry").load_bearing == ()
    save(record, "edit", before=CLEAN, after=tree(1))
    trail = load_trail(record, "retry")
    assert (trail.load_bearing, trail.resting) == ((4,), (0,))


@pytest.mark.parametrize(("outcome", "why"), [("error", "failed"), ("denied", "was denied"), ("dangling", "unknown")])
def test_work_goes_on_at_what_failed_and_says_why(record: Record, outcome: str, why: str) -> None:
    save(record, "one")
    save(record, "build", outcome)
    picked = pick_up(record, "retry", "bob", now)
    assert ([step.seq for step in picked.unsettled], picked.pickup.continue_at) == ([2], 2)
    assert why in picked.why
    save(record, "build")
    assert pick_up(record, "retry", "bob", now).why == "every step before it ended well and stands"


def test_an_altered_wrap_does_not_move_where_work_goes_on(file_record: Record, tmp_path: Path) -> None:
    save(file_record, "one")
    wrap_job(file_record, NewWrap("retry", NOW, "human:ada", "did", "goal"))
    with closing(sqlite3.connect(tmp_path / "data" / FILE_NAME)) as connection, connection:
        connection.execute("UPDATE wraps SET summary = 'did all'")
    picked = pick_up(file_record, "retry", "bob", now)
    assert ("wrap.summary", None) in {(fault.field, fault.seq) for fault in picked.problems}
    assert picked.pickup.continue_at == 2


def test_whoever_takes_a_wrap_hears_whose_it_is_and_who_took_it(record: Record) -> None:
    save(record, "make")
    wrap = wrap_job(record, NewWrap("retry", NOW, "human:ada", "did", "goal", "bob"))
    assert pick_up(record, wrap.id, "human:Bob", now).remarks == ()
    assert pick_up(record, wrap.id, "eve", now).remarks == (
        "this wrap is for bob, not for eve",
        f"human:Bob picked this wrap up already, at {END}",
    )


def test_steps_of_dead_processes_do_not_crowd_out_those_that_ended(record: Record) -> None:
    for n in range(30):
        save(record, f"step {n}")
    for _ in range(30):
        begin_step(record, OPENING)
    trail = load_trail(record, "retry", 8)
    ended = [step.seq for step in trail.steps if step.link]
    assert (len(trail.steps), trail.in_flight, trail.omitted) == (8, 30, 52)
    assert ended == [30, 29, 28, 27, 26, 25]


def test_a_moment_of_no_calendar_is_no_crash(file_record: Record, tmp_path: Path) -> None:
    fill(file_record, tmp_path)
    with closing(sqlite3.connect(tmp_path / "data" / FILE_NAME)) as connection, connection:
        for table, column in (("steps", "started_at"), ("steps", "ended_at"), ("wraps", "at"), ("decisions", "at")):
            connection.execute(f"UPDATE {table} SET {column} = '2026-13-45T99:99:99.000Z'")  # noqa: S608
    trail = load_trail(file_record, "retry")
    assert {step.opening.started_at for step in trail.steps} == {"1970-01-01T00:00:00.000Z"}
    assert find_jobs(file_record) != ()
    assert pick_up(file_record, "retry", "bob", now).pickup.continue_at == 1


def test_an_altered_decision_is_not_listed_as_it_stands(file_record: Record, tmp_path: Path) -> None:
    save(file_record, "one")
    decide_job(file_record, NewDecision("retry", NOW, "declined", "ada"))
    assert [job.status_verdict for job in find_jobs(file_record)] == ["unchanged"]
    with closing(sqlite3.connect(tmp_path / "data" / FILE_NAME)) as connection, connection:
        connection.execute("UPDATE decisions SET status = 'accepted'")
    assert [job.status_verdict for job in find_jobs(file_record)] == ["altered"]
