"""Drafts: what was said comes back as it was said, whatever else is in the row."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refloat.model.brief import SECTIONS
from refloat.model.recovery import LOOKED_SAID, PAGES, PILES, PROCESS_SAID, Given, LineEdit, Page, Probe, Seen
from refloat.model.session import SessionName
from refloat.model.stamp import Stamp
from refloat.record.drafts import (
    DraftMoved,
    begin_draft,
    find_drafts,
    get_draft,
    read_state,
    save_draft,
    write_state,
)
from refloat.record.store import Record, open_in_memory

NOW = Stamp("2026-09-14T14:00:00.000Z")
NAME = SessionName("codex:0199")
words = st.text(max_size=12)  # lone surrogates and controls included
stamps = st.just(NOW)

said = st.builds(
    Given,
    page=st.sampled_from(PAGES),
    passed=st.frozensets(st.sampled_from(PAGES)),
    process=st.none() | st.sampled_from(PROCESS_SAID),
    process_note=words,
    happened=st.none() | words,
    owners=st.dictionaries(words, words, max_size=3),
    hunks=st.dictionaries(words, words, max_size=3),
    looked_at=st.frozensets(words, max_size=3),
    moved=st.dictionaries(words, st.tuples(st.sampled_from(PILES), words), max_size=3),
    inspected=st.dictionaries(words, st.tuples(st.sampled_from(LOOKED_SAID), words), max_size=3),
    probes=st.dictionaries(
        words, st.builds(Probe, st.lists(words, max_size=3).map(tuple), st.integers(0, 255), words, stamps), max_size=2
    ),
    goal=st.none() | words,
    next_step=st.none() | words,
    done_when=st.none() | st.lists(words, max_size=3).map(tuple),
    title=st.none() | words,
    edits=st.dictionaries(
        st.sampled_from([section for section, _ in SECTIONS]),
        st.lists(st.builds(LineEdit, words, words), max_size=3).map(tuple),
        max_size=3,
    ),
    path=st.none() | words,
    written=st.none() | st.tuples(words, stamps),
    stale=st.booleans(),
)
looks = st.builds(
    Seen,
    state=words,
    head=words,
    transcript=st.integers(0, 2**40),
    files=st.dictionaries(words, words, max_size=3),
    open_steps=st.lists(st.integers(1, 99), max_size=3).map(tuple),
)


@given(said, looks)
def test_state_comes_back_as_it_was_written(given_: Given, seen: Seen) -> None:
    assert read_state(write_state(given_, seen)) == (given_, seen)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(sorted(json.loads(write_state(Given(), Seen())))), json_values))
def test_a_state_of_any_shape_is_read_as_far_as_it_goes(state: object) -> None:
    given_, _ = read_state(json.dumps(state))
    assert given_.page in PAGES


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "7"])
def test_a_broken_state_says_nothing(text: str) -> None:
    assert read_state(text) == (Given(), Seen())


@settings(max_examples=30)
@given(st.lists(said, max_size=5))
def test_every_save_is_what_is_found(answers: list[Given]) -> None:
    with open_in_memory(NOW) as record:
        draft = begin_draft(record, NAME, "title", Seen(), NOW)
        for given_ in answers:
            draft = save_draft(record, replace(draft, given=given_), NOW)
        assert get_draft(record, NAME) == draft


def test_two_that_begin_share_one_and_the_slower_is_told(record: Record) -> None:
    first = begin_draft(record, NAME, "title", Seen(), NOW)
    second = begin_draft(record, NAME, "other", Seen(), NOW)
    assert second == first
    save_draft(record, replace(first, given=Given(goal="mine")), NOW)
    with pytest.raises(DraftMoved, match="another terminal"):
        save_draft(record, replace(second, given=Given(goal="theirs")), NOW)
    found = get_draft(record, NAME)
    assert found is not None
    assert found.given.goal == "mine"


def test_a_finished_one_leaves_the_list_and_makes_room(record: Record) -> None:
    draft = begin_draft(record, NAME, "title", Seen(), NOW)
    save_draft(record, replace(draft, done=True, given=Given(page=Page.BRIEF)), NOW)
    assert find_drafts(record) == ()
    assert [row.id for row in find_drafts(record, done=True)] == [draft.id]
    assert begin_draft(record, NAME, "title", Seen(), NOW).id != draft.id
