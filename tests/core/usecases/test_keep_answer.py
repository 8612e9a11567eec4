"""Answers given outside the wizard: kept as if it had asked, and nothing is made by looking."""

from dataclasses import replace
from pathlib import Path

import pytest

from refloat.errors import NotDone
from refloat.model.recovery import Given, LookedAt, MovedTo, WentOn
from refloat.ports import Machine
from refloat.testing.rescues import rescue_of, still_machine
from refloat.testing.samples import crashed
from refloat.usecases.keep_answer import given_so_far, keep_answer
from refloat.usecases.keep_draft import open_drafts
from refloat.usecases.recover import answer, cards, cards_of


def say(machine: Machine, *answers: LookedAt | MovedTo) -> Given:
    sample, given = crashed(), Given()
    for said in answers:
        given = keep_answer(machine, sample.session, sample.checkout, sample.triage, said)
    return given


def test_looking_makes_no_record(tmp_path: Path):
    machine = still_machine(tmp_path)
    assert given_so_far(machine, crashed().session.name) == Given()
    assert not (tmp_path / "data").exists()


def test_an_answer_is_there_for_the_next_look_and_for_the_wizard(tmp_path: Path):
    machine, sample = still_machine(tmp_path), crashed()
    key = sample.triage.gone[0].key
    given = say(machine, LookedAt(key, looked=True), MovedTo(key, "saved", "rewritten by hand"))
    assert given_so_far(machine, sample.session.name) == given
    card = next(card for card in cards_of(sample.triage, given) if card.key == key)
    assert (card.pile, card.found, card.reason, card.looked) == ("saved", "gone", "rewritten by hand", True)
    with open_drafts(machine) as drafts:
        kept = rescue_of(sample, machine, drafts=drafts).take_up()
    assert kept.resumed
    assert kept.recovery.changed == ()
    assert card in cards(kept.recovery)


def test_what_the_wizard_was_told_stays(tmp_path: Path):
    machine, sample = still_machine(tmp_path), crashed()
    with open_drafts(machine) as drafts:
        rescue = rescue_of(sample, machine, drafts=drafts)
        kept = rescue.take_up()
        rescue.save(answer(kept.recovery, WentOn(kept.recovery.given.page)))
    given = say(machine, LookedAt("x", looked=True))
    assert given.passed == {kept.recovery.given.page}
    assert given.looked_at == {"x"}


def test_where_nothing_can_be_kept_it_is_refused_with_the_reason(tmp_path: Path):
    machine = still_machine(tmp_path)
    machine = replace(machine, places=replace(machine.places, data=tmp_path / "in" / "the way"))
    (tmp_path / "in").write_text("")
    with pytest.raises(NotDone, match="not saved"):
        say(machine, LookedAt("x", looked=True))
