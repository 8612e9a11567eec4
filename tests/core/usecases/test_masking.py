"""What the catalogue keeps is masked; strings of an ordinary length are looked at once."""

import pytest

from refloat.usecases import masking
from refloat.usecases.masking import hold_secret, mask

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
