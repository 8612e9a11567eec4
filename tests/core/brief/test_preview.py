"""What is masked is told without telling it."""

import string

from hypothesis import given
from hypothesis import strategies as st
from tests.core.brief.test_masks import PASSWORD, PEM, TOKENS

from refloat.brief.masks import Masker
from refloat.brief.preview import Ledger, find_masked
from refloat.model.brief import MaskedPlace

TOKEN = TOKENS["GitHub token"]


def places(text: str) -> tuple[MaskedPlace, ...]:
    ledger = Ledger()
    return find_masked(Masker().text(text), ledger.text(text), ledger)


def test_each_place_is_told_by_kind_length_and_where_it_stands() -> None:
    text = f"# A\n\nuse {TOKEN}\n## B\npassword={PASSWORD} and {TOKEN}\n\n{PASSWORD}\n"
    assert places(text) == (
        MaskedPlace("GitHub token", len(TOKEN), 1, "A", 3),
        MaskedPlace("password", len(PASSWORD), 2, "B", 5),
        MaskedPlace("GitHub token", len(TOKEN), 1, "B", 5),
        MaskedPlace("password", len(PASSWORD), 2, "B", 7),
    )


def test_a_private_key_and_a_line_that_came_masked_have_no_length() -> None:
    (key,) = {(place.kind, place.length, place.value) for place in places(f"x\n{PEM}\ny")}
    assert key == ("private key", None, None)
    (place,) = places("he wrote [masked: password] there")
    assert (place.kind, place.length, place.value) == ("password", None, None)


def test_a_place_that_was_cut_is_still_a_place() -> None:
    plain, ledger = Masker().text(f"x {TOKEN}"), Ledger()
    noted = ledger.text(f"x {TOKEN}")
    (place,) = find_masked(plain[:14], noted[:14], ledger)
    assert (place.kind, place.length) == ("GitH"[: len(place.kind)], None)


def test_more_values_than_words_are_still_masked() -> None:
    ledger = Ledger()
    names = {ledger.name("k", str(number)) for number in range(40)}
    assert names == set(string.ascii_lowercase)
    assert ledger.noted("k") is None


@given(
    st.lists(
        st.sampled_from([*TOKENS.values(), PEM, f"password={PASSWORD}", PASSWORD, "words", "\n", "## C\n", "\\n", '"']),
        max_size=10,
    )
)
def test_a_ledger_masks_the_same_places_and_tells_no_value(parts: list[str]) -> None:
    text = " ".join(parts)
    ledger = Ledger()
    plain, noted = Masker().text(text), ledger.text(text)
    assert len(plain) == len(noted)
    found = find_masked(plain, noted, ledger)
    assert len(found) == plain.count("[masked: ")
    assert all(set(place.kind) <= set(string.ascii_letters + string.digits + " -.()/") for place in found)
    told = repr(found)
    assert PASSWORD not in told
    assert not any(token in told for token in TOKENS.values())
