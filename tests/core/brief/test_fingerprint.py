"""What ages a brief: files that are there, and names that no file can have."""

import hashlib
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from refloat.brief.fingerprint import ABSENT, check_fingerprint, hash_file, is_own, take_fingerprint
from refloat.model.session import SessionName


@pytest.mark.parametrize("name", ["a\0b.py", "a\ud800b.py"])
def test_a_recorded_path_that_no_file_can_have_is_no_file(tmp_path: Path, name: str):
    assert hash_file(tmp_path / name) == ABSENT
    assert not is_own(tmp_path / name)
    taken = take_fingerprint(SessionName("codex:1"), None, str(tmp_path), [name], [f"/t/{name}"])
    assert (taken.files, taken.transcript) == (((name, ABSENT),), ())


def test_a_file_is_its_content(tmp_path: Path):
    (tmp_path / "m.py").write_bytes(b"x\n")
    assert hash_file(tmp_path / "m.py") == hashlib.sha256(b"x\n").hexdigest()


@pytest.mark.parametrize("place", [".", "sub", "a\0b"])
def test_a_brief_that_names_no_absolute_place_is_held_against_none(tmp_path: Path, place: str, monkeypatch: Any):
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    asked = MagicMock()
    told = check_fingerprint(take_fingerprint(SessionName("codex:1"), "4" * 40, place, [], []), asked)
    assert [(moved.what, moved.now) for moved in told.moved] == [("workspace", "gone")]
    assert not asked.mock_calls
