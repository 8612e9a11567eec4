"""What a person said in a recovery stands in every brief of its session that is made later."""

from dataclasses import replace
from pathlib import Path

import pytest

from refloat.brief.masks import Masker
from refloat.model.brief import WrittenBrief
from refloat.model.recovery import EditedLine, LineEdit, Said, SaidNext, SaidOwner, SaidProcess
from refloat.ports import Machine
from refloat.testing.rescues import rescue_of, still_machine
from refloat.testing.samples import Sample, crashed
from refloat.usecases.brief_session import brief_writer
from refloat.usecases.keep_answer import given_so_far, keep_answer
from refloat.usecases.keep_draft import open_drafts
from refloat.usecases.recover import answer, owner_rows
from refloat.usecases.workbench import Workbench


def write(machine: Machine, sample: Sample) -> WrittenBrief:
    parts = (sample.session, sample.story, sample.checkout, sample.triage)
    return brief_writer(Workbench(machine, ()), *parts)(Masker())


def recover(machine: Machine, sample: Sample, *said: Said, done: bool = False) -> None:
    with open_drafts(machine) as drafts:
        rescue = rescue_of(sample, machine, drafts=drafts)
        recovery = rescue.take_up().recovery
        for one in said:
            recovery = answer(recovery, one)
        rescue.save(recovery, done=done)


def dirty_path(machine: Machine, sample: Sample) -> str:
    with open_drafts(machine) as drafts:
        rows = owner_rows(rescue_of(sample, machine, drafts=drafts).take_up().recovery)
    return next(row.path for row in rows if row.owner is not None)


def test_without_a_record_a_brief_asks_nothing_of_it(tmp_path: Path):
    machine = still_machine(tmp_path)
    assert "Since the answers" not in write(machine, crashed()).markdown
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("done", [False, True])
def test_what_was_answered_is_in_the_brief_as_lines_of_that_person(tmp_path: Path, done: bool):
    machine, sample = still_machine(tmp_path), crashed()
    path = dirty_path(machine, sample)
    said = (SaidOwner(path, "other_session"), SaidNext("Ask Ben."), SaidProcess("gone", "I looked"))
    edit = EditedLine("established", LineEdit("", "The rounding is right."))
    recover(machine, sample, *said, edit, done=done)
    written = write(replace(machine, places=replace(machine.places, environment={"USER": "ben"})), sample)
    own = {line.text: line for line in written.brief.next_step}
    assert own["Ask Ben."].by == "ana@harbour"
    assert own["Ask Ben."].receipt is not None
    assert any(path in line.text and "other session" in line.text for line in written.brief.current_artifact)
    assert any(line.text == "Original process: gone; I looked" for line in written.brief.previous_attempt)
    assert written.brief.established[-1].text == "The rounding is right."
    assert "by ana@harbour" in written.markdown
    assert "Since the answers" not in written.markdown


def test_what_moved_since_the_answers_is_told_with_them(tmp_path: Path):
    machine, sample = still_machine(tmp_path), crashed()
    recover(machine, sample, SaidNext("Ask Ben."))
    later = replace(sample, checkout=replace(sample.checkout, head="f" * 40))
    told = write(machine, later).brief.uncertain[0]
    assert told.by is None
    assert told.text.startswith("Since the answers of a person were given (")
    assert "and is fffffff" in told.text


def test_a_recovery_after_a_finished_one_begins_with_its_answers(tmp_path: Path):
    machine, sample = still_machine(tmp_path), crashed()
    recover(machine, sample, SaidNext("Ask Ben."), done=True)
    with open_drafts(machine) as drafts:
        kept = rescue_of(sample, machine, drafts=drafts).take_up()
    assert kept.resumed
    assert kept.recovery.given.next_step == "Ask Ben."
    keep_answer(machine, sample.session, sample.checkout, sample.triage, SaidNext(None))
    assert given_so_far(machine, sample.session.name).next_step is None
    assert "Ask Ben." not in write(machine, sample).markdown


def test_a_record_that_cannot_be_read_stops_no_brief_and_is_told(tmp_path: Path):
    machine = still_machine(tmp_path)
    machine.places.data.mkdir(parents=True)
    (machine.places.data / "record.db").write_bytes(b"no database at all, and long enough to be looked at" * 99)
    assert "What a person may have said in a recovery could not be read" in write(machine, crashed()).markdown
