"""One table says what became of an edit."""

import pytest

from refloat.model.checkout import TAKEN_BACK, EditFate, Fate, PlaceKind
from refloat.model.fate_words import FATE_WORDS, PLACE_WORDS, fate_words


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
        (EditFate(1, Fate.LOST, None, "step 4"), "taken away by step 4"),
        (EditFate(1, Fate.REVERTED, None, "step 4"), "reverted by step 4"),
        (EditFate(1, Fate.REVERTED, None, TAKEN_BACK), TAKEN_BACK),
        (EditFate(1, Fate.UNCOMMITTED, None, None), "on disk, uncommitted"),
    ],
)
def test_one_edit(edit: EditFate, words: str) -> None:
    assert fate_words(edit) == words


def test_a_command_tells_more_of_a_commit() -> None:
    assert fate_words(EditFate(1, Fate.COMMITTED, "9c0e2bf4aa11bb22", None), digits=12) == "committed 9c0e2bf4aa11"
