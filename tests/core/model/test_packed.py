"""Contents of files that lie packed are texts like any other."""

import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refloat.brief.masks import strings_of
from refloat.model.packed import WORTH, Packed, Packer
from refloat.model.transcript import FileEdit, Touched
from refloat.readers import history
from refloat.readers.claude_code import ClaudeCode
from refloat.readers.contract import Found, Segment, SourceFile
from refloat.usecases.read_session import read_story

LONG = "line of a file\n" * WORTH


def is_packed(edit: FileEdit, name: str) -> bool:
    return isinstance(FileEdit.__dict__[name]._slot.__get__(edit), Packed)


@given(st.text(alphabet=st.characters(codec=None, exclude_categories=())))
def test_any_text_comes_back(text: str) -> None:
    assert Packed(text).text() == text


def test_a_packed_value_is_the_same_value() -> None:
    plain, packed = (FileEdit("/a", "update", LONG, "short") for _ in range(2))
    Packer(0).take((packed,), "before", "after")
    assert is_packed(packed, "before")
    assert not is_packed(packed, "after"), "what is short gains nothing"
    assert packed == plain
    assert hash(packed) == hash(plain)
    assert repr(packed) == repr(plain)
    assert strings_of(packed) == strings_of(plain)
    assert replace(packed, path="/b") == replace(plain, path="/b")
    assert pickle.loads(pickle.dumps(packed)) == plain  # noqa: S301 - our own bytes


def test_what_comes_first_lies_as_it_is() -> None:
    packer = Packer(3 * len(LONG))
    edits = [FileEdit("/a", "update", LONG, LONG) for _ in range(3)]
    packer.take(edits, "before", "after")
    assert [is_packed(edit, name) for edit in edits for name in ("before", "after")] == [False] * 3 + [True] * 3
    touched = Touched("/a", "read", None, LONG)
    packer.take((touched,), "content")
    assert touched.content == LONG


def row(n: int) -> dict[str, object]:
    """A step that writes a file."""
    written = {"file_path": f"/w/f{n}", "content": f"{'word ' * 900}{n}"}
    call = {"type": "tool_use", "id": f"t{n}", "name": "Write", "input": written}
    stamp = f"2026-09-14T12:00:0{n}.000Z"
    return {"type": "assistant", "uuid": f"a{n}", "timestamp": stamp, "message": {"id": f"m{n}", "content": [call]}}


@pytest.fixture
def transcript(tmp_path: Path) -> Found:
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(row(n)) + "\n" for n in range(1, 6)), encoding="utf-8")
    stat = path.stat()
    file = SourceFile(str(path), stat.st_size, stat.st_mtime_ns, stat.st_dev, stat.st_ino)
    return Found("claude-code", "s", (Segment(file),))


def test_a_story_is_the_same_whether_its_contents_are_packed(
    transcript: Found, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = read_story(ClaudeCode(), transcript)
    monkeypatch.setattr(history, "LYING", 0)
    packed = read_story(ClaudeCode(), transcript)
    edits = [edit for step in packed.steps for edit in step.edits]
    assert len(edits) == 5
    assert all(is_packed(edit, "after") for edit in edits)
    assert packed == plain
