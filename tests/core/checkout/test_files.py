"""What lies at a path is read whole, whatever was known of its size before."""

from pathlib import Path

import pytest

from refloat.checkout import files
from refloat.checkout.files import read_content, state_of


@pytest.mark.parametrize("size", [0, 1, 5000, 300_000])
def test_a_file_that_changed_its_size_since_it_was_asked_is_read_whole(tmp_path: Path, size: int) -> None:
    place = tmp_path / "a.txt"
    for earlier in (0, 1, 4999, 5001, 400_000):
        place.write_text("x" * earlier)
        known = state_of(str(place))
        place.write_text("y" * size)
        content = read_content(str(place), None, known)
        assert (content.kind, content.text) == ("text", "y" * size)


def test_a_file_that_grew_past_the_largest_is_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LARGEST", 100)
    place = tmp_path / "a.txt"
    place.write_text("x")
    known = state_of(str(place))
    place.write_text("x" * 100)
    assert read_content(str(place), None, known).kind == "text"
    place.write_text("x" * 5000)
    assert read_content(str(place), None, known).kind == "large"


def test_a_file_that_went_meanwhile_is_missing(tmp_path: Path) -> None:
    place = tmp_path / "a.txt"
    place.write_text("x")
    known = state_of(str(place))
    place.unlink()
    assert read_content(str(place), None, known).kind == "missing"
