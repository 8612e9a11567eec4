"""What the catalogue keeps is masked; strings of an ordinary length are looked at once."""

import pytest

from refloat.usecases import masking
from refloat.usecases.masking import hold_secret, mask, mask_each

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_only_short_strings_without_a_secret_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    clean: set[str] = set()
    monkeypatch.setattr(masking, "_clean", clean)
    words, page = "Make it retry", "All of a page. " * 200
    names = {"title", "detail"}
    assert mask({"title": words, "detail": page}) == {"title": words, "detail": page}
    assert clean == {words, *names}
    masked = mask({"title": words, "detail": f"{page}{TOKEN}"})
    assert masked["title"] == words
    assert TOKEN not in masked["detail"]
    assert clean == {words, *names}
    assert mask({"title": TOKEN})["title"] != TOKEN


def test_whether_strings_hold_a_secret() -> None:
    assert hold_secret(["nothing", f"push https://{TOKEN}@h.example/x"])
    assert not hold_secret(["nothing", ""])
    assert not hold_secret(["\x1b[31mred\x1b[0m"])


@pytest.mark.parametrize("unseen", ["\x1b[0m", "\u200b", "\\x1b[0m"])
def test_a_secret_parted_by_what_is_not_seen_is_one(unseen: str) -> None:
    parted = f"push {TOKEN[:9]}{unseen}{TOKEN[9:]} now"
    assert hold_secret(["nothing", parted])
    assert TOKEN[9:] not in mask({"title": parted})["title"]


def test_values_are_masked_each_by_itself() -> None:
    values = [{"title": f"token {TOKEN}", "detail": TOKEN[4:]}, {"title": "plain"}, {"title": TOKEN[4:]}]
    masked = mask_each(values)
    assert masked == [mask(value) for value in values]
    assert masked[1] is values[1]
    assert TOKEN[4:] not in masked[0]["detail"]
