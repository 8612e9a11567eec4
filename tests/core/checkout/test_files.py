"""What lies at a path is read whole, whatever was known of its size before, and parted into lines once."""

from pathlib import Path

import pytest
from tests.core.checkout.conftest import Repo

from refloat.checkout import compare, files, owners, survey
from refloat.checkout.files import read_content, state_of
from refloat.checkout.lines import bare_lines
from refloat.model.checkout import FileState
from refloat.testing.stories import edited


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


def test_a_file_is_parted_into_lines_once_and_not_as_it_was_in_head(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after = "".join(f"{at}\n" for at in range(40)), "".join(f"{at}!\n" for at in range(40))
    parted: list[str] = []

    def part(text: str) -> list[str]:
        parted.append(text)
        return bare_lines(text)

    repo.write("big.txt", before)
    repo.commit("all of it")
    now = before.replace("20\n", "twenty\n")
    story = repo.story()
    story.edit(edited(repo.write("big.txt", now, at=5), before, now, exact=False))
    story.edit(edited(repo.write("other.txt", after, at=5), "", after, exact=False))
    for module in (compare, survey, owners):
        monkeypatch.setattr(module, "bare_lines", part)
    found = repo.compare(story)
    assert {file.state for file in found.files} == {FileState.PRESENT}
    assert parted.count(now) == 1
    assert before not in parted
