"""A person's answers are steps too: saved with the draft or not at all, each change once, on either engine."""

import json
import os
import random
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refloat.brief.masks import Masker
from refloat.errors import NotDone
from refloat.model.checkout import DirtyHunk, OtherChange, Owner
from refloat.model.recovery import (
    EditedLine,
    Given,
    Inspected,
    LineEdit,
    LookedAt,
    MovedTo,
    Page,
    Probe,
    Probed,
    Said,
    SaidDoneWhen,
    SaidGoal,
    SaidHappened,
    SaidHunk,
    SaidNext,
    SaidOwner,
    SaidProcess,
    SaidTitle,
    WentOn,
)
from refloat.model.stamp import Stamp
from refloat.record import drafts as saving
from refloat.record.checking import verify_job
from refloat.record.contents import read
from refloat.record.drafts import get_draft
from refloat.record.store import Record, open_in_memory, open_record
from refloat.record.whole import steps_of
from refloat.testing.rescues import plain_brief, rescue_of, still_machine
from refloat.testing.samples import crashed
from refloat.usecases.decided import decisions, job_of
from refloat.usecases.keep_draft import Drafts
from refloat.usecases.known_keys import make_key
from refloat.usecases.preview_brief import preview_brief
from refloat.usecases.recover import Recovery, answer, begin, cards, owner_rows, uncertain_rows
from refloat.usecases.rescue import Case, Rescue
from refloat.usecases.write_recovery import brief_of

NOW = Stamp("2026-09-14T14:00:00.000Z")
ROOT = Path(__file__).parents[3]
SAMPLE = crashed()
NAME = SAMPLE.session.name
JOB = f"recovery:{NAME}"


def rescue(record: Record, home: Path) -> Rescue:
    machine = still_machine(home, user="ana")
    return rescue_of(SAMPLE, machine, drafts=Drafts(machine, record))


def steps(record: Record) -> list[dict[str, Any]]:
    """Every step of the recovery, with what went in and came out."""
    with record.reading() as connection:
        rows = [dict(row) for row in steps_of(connection, JOB)]
        for row in rows:
            for part in ("input", "output"):
                data = b"".join(read(record, connection, str(row[f"{part}_sha256"]), row[f"{part}_bytes"]))  # pyright: ignore[reportArgumentType]
                row[part] = json.loads(data)
    return rows


def say(rescue_: Rescue, recovery: Recovery, *said: Said) -> Recovery:
    for one in said:
        recovery = answer(recovery, one)
        rescue_.save(recovery)
    return recovery


def first_of(recovery: Recovery) -> tuple[str, str, str]:
    """A path, a finding and an uncertain step of the sample."""
    return owner_rows(recovery)[0].path, cards(recovery)[0].key, uncertain_rows(recovery)[0].key


def test_every_kind_of_answer_is_a_step_with_its_evidence(record: Record, tmp_path: Path):
    desk = rescue(record, tmp_path)
    recovery = desk.take_up().recovery
    path, finding, step = first_of(recovery)
    say(
        desk,
        recovery,
        SaidProcess("gone", "lid closed"),
        SaidHappened("The battery died"),
        SaidOwner(path, "predates"),
        MovedTo(finding, "gone", "I looked"),
        Probed(step, Probe(("git", "ls-remote"), 1, "nothing", NOW)),
        Inspected(step, "did_not_happen", "not there"),
        SaidGoal("Round half to even"),
        SaidNext("Run the tests"),
        SaidDoneWhen(("green", "pushed")),
        SaidTitle("Rounding"),
        EditedLine("uncertain", LineEdit("", "Ask Bo")),
    )
    rows = steps(record)
    assert [row["tool"] for row in rows] == [
        *("process", "happened", "owner", "triage", "look", "inspect", "goal", "next_step", "done_when", "title"),
        "line",
    ]
    assert {(row["origin"], row["producer"], row["automatic"]) for row in rows} == {("recovery", "human:ana", 0)}
    by_tool = {row["tool"]: row for row in rows}
    assert by_tool["process"]["output"] == {"answer": "gone", "before": None, "note": "lid closed"}
    assert by_tool["process"]["input"]["evidence"]["verdict"] == "gone"
    assert by_tool["process"]["input"]["by"] == "ana@harbour"
    assert by_tool["triage"]["output"] == {"answer": "gone", "before": None, "reason": "I looked"}
    assert by_tool["triage"]["input"]["evidence"]["finding"] == finding
    assert by_tool["look"]["output"]["output"] == "nothing"
    assert (by_tool["look"]["outcome"], by_tool["look"]["exit_code"]) == ("error", 1)
    # What was looked up stands beside the answer that rests on it.
    assert by_tool["inspect"]["input"]["evidence"]["looked"]["output"] == "nothing"
    assert by_tool["owner"]["input"]["evidence"]["path"] == path
    assert by_tool["done_when"]["output"]["answer"] == ["green", "pushed"]
    found = verify_job(record, JOB)
    assert (found.ok, found.checked, found.in_flight) == (True, len(rows), ())


def test_an_answer_to_one_place_of_a_file_is_a_step_of_its_own(record: Record, tmp_path: Path):
    hunks = tuple(DirtyHunk(10 * n, 1, 10 * n, 1, ("-a", f"+{n}"), Owner.UNKNOWN, None) for n in (1, 2))
    change = OtherChange("src/both.py", " M", Owner.MIXED, None, "", hunks)
    sample = replace(SAMPLE, checkout=replace(SAMPLE.checkout, other_changes=(change,)))
    machine = still_machine(tmp_path, user="ana")
    desk = rescue_of(sample, machine, drafts=Drafts(machine, record))
    recovery = desk.take_up().recovery
    (place, *_), path = next((row.places, row.path) for row in owner_rows(recovery) if row.places)
    say(desk, recovery, SaidHunk(place.key, "predates"), SaidHunk(place.key, None))
    rows = steps(record)
    assert [(row["tool"], row["output"]["answer"]) for row in rows] == [("owner", "predates"), ("owner", None)]
    assert rows[0]["input"]["evidence"] == {
        "path": path,
        "line": place.hunk.new_start,
        "lines": list(place.hunk.lines),
        "owner": place.found,
    }


def test_answers_are_signed_where_there_is_a_key(opened: Callable[[], Record], tmp_path: Path):
    make_key(tmp_path / "data", "ana")
    record = opened()
    desk = rescue(record, tmp_path)
    say(desk, desk.take_up().recovery, SaidGoal("x"))
    found = verify_job(record, JOB)
    assert (found.ok, found.signature) == (True, "valid")


def test_where_a_person_stands_and_looks_is_no_step(record: Record, tmp_path: Path):
    desk = rescue(record, tmp_path)
    recovery = desk.take_up().recovery
    say(desk, recovery, WentOn(Page.PROCESS), LookedAt(first_of(recovery)[1], looked=True))
    with record.reading() as connection:
        assert list(steps_of(connection, JOB)) == []


def test_the_same_answer_twice_is_one_step_and_taken_back_is_another(record: Record, tmp_path: Path):
    desk = rescue(record, tmp_path)
    recovery = desk.take_up().recovery
    path = first_of(recovery)[0]
    recovery = say(desk, recovery, SaidOwner(path, "predates"), SaidOwner(path, "predates"), SaidGoal("x"))
    # Somebody comes back tomorrow and says the same.
    later = rescue(record, tmp_path)
    recovery = say(later, later.take_up().recovery, SaidGoal("x"), SaidOwner(path, None), SaidGoal(None))
    told = [(row["tool"], row["output"]["answer"], row["output"]["before"]) for row in steps(record)]
    assert told == [
        ("owner", "predates", None),
        ("goal", "x", None),
        ("owner", None, "predates"),
        ("goal", None, "x"),
    ]
    assert "taken back" in steps(record)[2]["summary"]


def test_words_are_one_step_once_they_are_typed_to_their_end(record: Record, tmp_path: Path):
    held = rescue(record, tmp_path)
    recovery = held.take_up().recovery
    first = answer(recovery, SaidGoal("retry three times"))
    held.save(first)
    for words in ("r", "retry", "retry twice"):
        first = answer(first, SaidGoal(words))
        kept = held.save(first, typing=True)
        assert kept.draft.given.goal == words  # a kill loses no letter
        assert "goal" not in kept.draft.receipts
    assert [row["output"]["answer"] for row in steps(record)] == ["retry three times"]
    again = rescue(record, tmp_path)  # killed while typing, taken up by another process
    kept = again.take_up()
    assert kept.recovery.given.goal == "retry twice"
    kept = again.save(kept.recovery)
    assert [row["output"]["answer"] for row in steps(record)] == ["retry three times", "retry twice"]
    assert kept.draft.receipts["goal"] == steps(record)[-1]["receipt"]
    again.save(kept.recovery)
    assert len(steps(record)) == 2


def test_words_typed_back_to_what_they_were_are_no_step(record: Record, tmp_path: Path):
    held = rescue(record, tmp_path)
    said = answer(held.take_up().recovery, SaidGoal("retry"))
    receipt = held.save(said).draft.receipts["goal"]
    held.save(answer(said, SaidGoal("retr")), typing=True)
    kept = held.save(said, typing=True)
    assert kept.draft.receipts["goal"] == receipt
    assert held.save(said).draft.receipts["goal"] == receipt
    assert len(steps(record)) == 1


def test_a_refused_save_leaves_no_step(record: Record, tmp_path: Path):
    slow, quick = rescue(record, tmp_path), rescue(record, tmp_path)
    theirs, mine = slow.take_up().recovery, quick.take_up().recovery
    say(quick, mine, SaidGoal("mine"))
    with pytest.raises(NotDone, match="another terminal"):
        slow.save(answer(theirs, SaidGoal("theirs")))
    assert [row["output"]["answer"] for row in steps(record)] == ["mine"]


def test_a_draft_that_cannot_be_written_takes_its_steps_with_it(
    record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    desk = rescue(record, tmp_path)
    recovery = desk.take_up().recovery

    def broken(*_: object, **_more: object) -> str:
        raise NotDone("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(saving, "write_state", broken)
        with pytest.raises(NotDone):
            desk.save(answer(recovery, SaidGoal("x")))
    with record.reading() as connection:
        assert list(steps_of(connection, JOB)) == []
    say(desk, recovery, SaidGoal("x"))
    assert len(steps(record)) == 1


def test_lines_of_the_brief_name_the_receipt_of_what_is_saved(record: Record, tmp_path: Path):
    desk = rescue(record, tmp_path)
    recovery = say(desk, desk.take_up().recovery, SaidProcess("gone", "lid closed"), SaidHappened("Battery"))
    receipts = {row["tool"]: row["receipt"] for row in steps(record)}
    lines = {line.text: line.receipt for line in desk.brief(recovery).brief.previous_attempt if line.by}
    assert lines == {
        "Original process: gone; lid closed": receipts["process"],
        "What happened: Battery": receipts["happened"],
    }
    unsaved = answer(recovery, SaidHappened("The mains"))
    lines = {line.text: line.receipt for line in desk.brief(unsaved).brief.previous_attempt if line.by}
    assert lines["What happened: The mains"] is None
    assert lines["Original process: gone; lid closed"] == receipts["process"]


def test_receipts_come_back_with_the_draft(record: Record, tmp_path: Path):
    desk = rescue(record, tmp_path)
    say(desk, desk.take_up().recovery, SaidHappened("Battery"))
    later = rescue(record, tmp_path)
    recovery = later.take_up().recovery
    (line,) = [line for line in later.brief(recovery).brief.previous_attempt if line.by]
    assert line.receipt == steps(record)[0]["receipt"]


def test_evidence_is_saved_masked_as_the_person_saw_it(record: Record, tmp_path: Path):
    secret = "ghp_" + "Zb3" * 12
    first, *others = SAMPLE.checkout.files
    checkout = replace(SAMPLE.checkout, files=(replace(first, why=f"pushed with {secret}"), *others))
    machine = still_machine(tmp_path, user="ana")
    desk = Rescue(
        machine,
        Drafts(machine, record),
        Case(SAMPLE.session, SAMPLE.story, checkout, SAMPLE.triage),
        write=lambda answers: plain_brief(SAMPLE, answers),
        preview=lambda answers: preview_brief(lambda _: plain_brief(SAMPLE, answers)),
        mask=Masker().tree,
        refuse=print,
        cwd=tmp_path,
    )
    recovery = desk.take_up().recovery
    (shown,) = [row.why for row in owner_rows(recovery) if row.path == first.path]
    say(desk, recovery, SaidOwner(first.path, "predates"))
    (step,) = steps(record)
    assert secret not in json.dumps(step, default=str)
    assert step["input"]["evidence"]["why"] == shown


def test_two_sessions_have_a_job_each_and_any_id_makes_a_name():
    assert job_of(NAME) == JOB
    odd = job_of(type(NAME)("codex:a\n\u202eb" + "x" * 400))
    assert odd.isprintable()
    assert len(odd) == 200


# ── any answers in any order ─────────────────────────────────────────────────────────────────────────────────────────

START = begin(SAMPLE.session, SAMPLE.story, SAMPLE.checkout, SAMPLE.triage, plain_brief(SAMPLE, None), by="ana@harbour")
words = st.none() | st.sampled_from(["", "a", "b\0", "\ud800"])
any_said: st.SearchStrategy[Said] = st.one_of(
    st.builds(SaidGoal, words),
    st.builds(SaidHappened, words),
    st.builds(SaidOwner, st.sampled_from(["src/invoice.py", "gone.txt"]), words),
    st.builds(MovedTo, st.sampled_from(["k", first_of(START)[1]]), st.sampled_from([None, "saved", "gone"])),
    st.builds(Inspected, st.sampled_from(["8", "a7c2/1"]), st.sampled_from([None, "happened", "unknown"])),
    st.builds(
        EditedLine,
        st.just("uncertain"),
        st.builds(LineEdit, st.sampled_from(["", "one"]), st.sampled_from(["", "x", "y"])),
    ),
)


@settings(max_examples=40)
@given(st.lists(st.lists(any_said, max_size=3), max_size=5))
def test_the_steps_replayed_are_the_answers_that_stand(saves: list[list[Said]]):
    """After any saves: one step for each change, the last of each question says what stands, all of them verify."""
    with open_in_memory(NOW) as record:
        desk = rescue(record, Path("/nowhere"))
        recovery, many = desk.take_up().recovery, 0
        for batch in saves:
            before = recovery.given
            for said in batch:
                recovery = answer(recovery, said)
            many += len(list(decisions(recovery, before)))
            desk.save(recovery)
        if not many:
            return
        rows = steps(record)
        assert len(rows) == many
        assert verify_job(record, JOB).ok
        last = {row["input"]["question"]: row["output"]["answer"] for row in rows}
        for question, now in last.items():
            if question in {"goal", "happened"}:
                assert now == getattr(recovery.given, question)
            elif question.startswith("owner "):
                assert now == recovery.given.owners.get(question.removeprefix("owner "))
        assert list(decisions(recovery, recovery.given)) == []
        assert {step.key for step in decisions(replace(recovery, given=Given()), recovery.given)} <= set(last)


def test_an_answer_is_told_in_the_words_of_the_screens():
    recovery = START
    for said in (SaidOwner("src/invoice.py", "other_session"), SaidOwner("src/vat.py", "ben"), SaidHappened("Battery")):
        recovery = answer(recovery, said)
    told = {decided.key: decided.summary for decided in decisions(recovery, Given())}
    assert told["owner src/invoice.py"] == "owner of src/invoice.py: another session"
    assert told["owner src/vat.py"] == "owner of src/vat.py: ben"
    assert told["happened"] == "what happened: Battery"


def test_a_brief_without_a_record_names_none():
    recovery = answer(START, SaidHappened("Battery"))
    brief = brief_of(recovery, lambda answers: plain_brief(SAMPLE, answers)).brief
    assert [line.receipt for line in brief.previous_attempt if line.by] == [None]


# ── killed ───────────────────────────────────────────────────────────────────────────────────────────────────────────

ANSWERS = """
    import sys
    from pathlib import Path
    from refloat.model.recovery import SaidGoal, SaidOwner
    from refloat.testing.rescues import rescue_of, still_machine
    from refloat.testing.samples import crashed
    from refloat.usecases.keep_draft import open_drafts
    from refloat.usecases.recover import answer
    machine = still_machine(Path(sys.argv[1]))
    desk = rescue_of(crashed(), machine, drafts=open_drafts(machine))
    recovery = desk.take_up().recovery
    start = int(recovery.given.goal or 0)
    print("go", flush=True)
    for n in range(start + 1, 100_000):
        recovery = answer(answer(recovery, SaidGoal(str(n))), SaidOwner("p", str(n)))
        desk.save(recovery)
        print(n, flush=True)
"""


def test_killed_at_any_instant_draft_and_steps_agree(tmp_path: Path):
    chance = random.Random(11)  # noqa: S311 - no secret
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "core"), "HOME": str(tmp_path)}
    said = 0
    for _ in range(8):
        argv = [sys.executable, "-c", textwrap.dedent(ANSWERS), str(tmp_path)]
        process = subprocess.Popen(argv, env=environment, stdout=subprocess.PIPE)
        assert process.stdout is not None
        for _ in range(chance.randrange(2, 12)):
            line = process.stdout.readline().strip()
            said = int(line) if line.isdigit() else said
        for _ in range(chance.randrange(200_000)):
            pass  # no clock: the kill falls wherever so many turns of an empty loop end
        process.send_signal(signal.SIGKILL)
        process.wait(60)
        rest, _ = process.stdout.read(), process.stdout.close()
        said = max([said, *(int(line) for line in rest.split() if line.isdigit())])
        with open_record(tmp_path / "data", NOW) as record:
            draft = get_draft(record, NAME)
            rows = steps(record)
            assert draft is not None
            goal = int(draft.given.goal or 0)
            assert goal in {said, said + 1}
            assert [int(row["output"]["answer"]) for row in rows if row["tool"] == "goal"] == list(range(1, goal + 1))
            assert draft.given.owners == {"p": str(goal)}
            assert draft.receipts == {row["input"]["question"]: row["receipt"] for row in rows}
            found = verify_job(record, JOB)
            assert (found.ok, found.checked, found.in_flight) == (True, 2 * goal, ())
