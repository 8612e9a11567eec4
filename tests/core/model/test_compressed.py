"""Contents of files that lie compressed are texts like any other."""

import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refloat.brief.masks import strings_of
from refloat.model.compressed import WORTH, Compressed, Compressor
from refloat.model.transcript import FileEdit, Touched
from refloat.readers import history
from refloat.readers.claude_code import ClaudeCode
from refloat.readers.contract import Found, Segment, SourceFile
from refloat.usecases.read_session import read_story

LONG = "line of a file\n" * WORTH


def is_compressed(edit: FileEdit, name: str) -> bool:
    return isinstance(FileEdit.__dict__[name]._slot.__get__(edit), Compressed)


@given(st.text(alphabet=st.characters(codec=None, exclude_categories=())))
def test_any_text_comes_back(text: str) -> None:
    assert Compressed(text).text() == text


def test_a_compressed_value_is_the_same_value() -> None:
    plain, compressed = (FileEdit("/a", "update", LONG, "short") for _ in range(2))
    Compressor(0).take((compressed,), "before", "after")
    assert is_compressed(compressed, "before")
    assert not is_compressed(compressed, "after"), "what is short gains nothing"
    assert compressed == plain
    assert hash(compressed) == hash(plain)
    assert repr(compressed) == repr(plain)
    assert strings_of(compressed) == strings_of(plain)
    assert replace(compressed, path="/b") == replace(plain, path="/b")
    assert pickle.loads(pickle.dumps(compressed)) == plain  # noqa: S301 - our own bytes


def test_what_comes_first_lies_as_it_is() -> None:
    compressor = Compressor(3 * len(LONG))
    edits = [FileEdit("/a", "update", LONG, LONG) for _ in range(3)]
    compressor.take(edits, "before", "after")
    assert [is_compressed(edit, name) for edit in edits for name in ("before", "after")] == [False] * 3 + [True] * 3
    touched = Touched("/a", "read", None, LONG)
    compressor.take((touched,), "content")
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


def test_a_story_is_the_same_whether_its_contents_are_compressed(
    transcript: Found, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = read_story(ClaudeCode(), transcript)
    monkeypatch.setattr(history, "LYING", 0)
    compressed = read_story(ClaudeCode(), transcript)
    edits = [edit for step in compressed.steps for edit in step.edits]
    assert len(edits) == 5
    assert all(is_compressed(edit, "after") for edit in edits)
    assert compressed == plain
