"""Names that other people wrote are looked up without an error, whatever they are."""

from pathlib import Path

import pytest

from refloat.there import is_directory, is_plain_file, is_there


@pytest.mark.parametrize("name", ["n" * 300, "d/" * 3000, "a\0b", "\udc80", ""])
def test_what_cannot_be_looked_up_is_not_there(tmp_path: Path, name: str) -> None:
    for path in (f"{tmp_path}/none/{name}", name):
        assert not is_there(path)
        assert not is_directory(path)
        assert not is_plain_file(path)


def test_what_is_there_is_told_by_its_kind(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert (is_there(tmp_path), is_directory(tmp_path), is_plain_file(tmp_path)) == (True, True, False)
    assert (is_there(tmp_path / "file"), is_plain_file(tmp_path / "file")) == (True, True)
