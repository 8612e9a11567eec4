"""One table says what became of an edit."""

import pytest

from refloat.model.checkout import TAKEN_BACK, EditedFile, EditFate, Fate, FileState, Owner, PlaceKind
from refloat.model.fate_words import FATE_WORDS, OWNER_WORDS, PLACE_WORDS, STATE_WORDS, fate_words, file_words


def test_every_fate_and_place_has_a_word_of_its_own() -> None:
    assert set(FATE_WORDS) == set(Fate)
    assert set(PLACE_WORDS) == set(PlaceKind)
    assert len({*FATE_WORDS.values(), *PLACE_WORDS.values()}) == len(Fate) + len(PlaceKind)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (EditFate(1, Fate.COMMITTED, "9c0e2bf4aa11", None), "committed 9c0e2bf"),
        (EditFate(1, Fate.COMMITTED, None, None), "committed"),
        (EditFate(1, Fate.REPLACED, None, "codex:1\x1b[31m"), "replaced by codex:1\\x1b[31m"),
        (EditFate(1, Fate.REPLACED, None, None), "replaced later"),
        (EditFate(1, Fate.LOST, None, "step 4"), "lost, taken away by step 4"),
        (EditFate(1, Fate.REVERTED, None, "step 4"), "reverted by step 4"),
        (EditFate(1, Fate.REVERTED, None, TAKEN_BACK), TAKEN_BACK),
        (EditFate(1, Fate.UNCOMMITTED, None, None), "on disk, uncommitted"),
    ],
)
def test_one_edit(edit: EditFate, words: str) -> None:
    assert fate_words(edit) == words


def test_a_command_tells_more_of_a_commit() -> None:
    assert fate_words(EditFate(1, Fate.COMMITTED, "9c0e2bf4aa11bb22", None), digits=12) == "committed 9c0e2bf4aa11"


def test_the_words_of_states_are_the_designs_and_an_owner_has_one() -> None:
    assert {word.replace(" ", "_") for word in STATE_WORDS.values()} == {state.value for state in FileState}
    assert set(OWNER_WORDS) == set(Owner)
    assert OWNER_WORDS[Owner.UNKNOWN] == "unknown"


def file(state: FileState, *fates: EditFate, confirmed: bool = True) -> EditedFile:
    return EditedFile("a.py", state, "", "content", confirmed, None, None, (), fates, ())


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (file(FileState.PRESENT, EditFate(1, Fate.UNCOMMITTED, None, None)), "present, uncommitted"),
        (file(FileState.PRESENT, EditFate(1, Fate.COMMITTED, "9c0e2bf4aa", None)), "present, committed 9c0e2bf"),
        (file(FileState.CHANGED_SINCE, EditFate(1, Fate.UNCOMMITTED, None, None)), "changed since, uncommitted"),
        (file(FileState.DIVERGED, EditFate(1, Fate.LOST, None, None)), "diverged, lost"),
        (file(FileState.DELETED, EditFate(1, Fate.LOST, None, "step 4")), "deleted, lost"),
        (file(FileState.REVERTED, EditFate(1, Fate.REVERTED, None, None)), "reverted"),
        (file(FileState.UNVERIFIABLE, EditFate(1, Fate.NEVER_APPLIED, None, None)), "unverifiable, never applied"),
        (
            file(FileState.PARTLY, EditFate(1, Fate.LOST, None, None), EditFate(2, Fate.UNCOMMITTED, None, None)),
            "partly",
        ),
        (file(FileState.PRESENT, EditFate(1, Fate.UNCONFIRMED, None, None), confirmed=False), "present, unconfirmed"),
        (file(FileState.PARTLY, EditFate(1, Fate.LOST, None, None), confirmed=False), "partly, unconfirmed"),
    ],
)
def test_a_file_is_told_by_its_state_and_then_its_edits_fate(told: EditedFile, words: str) -> None:
    assert file_words(told) == words
