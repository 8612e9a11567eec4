"""The stat walk: what counts as a file, how deep, and what is told instead of followed."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refloat.catalogue.walk import Spec, differing, fingerprint, patched, walk


def spec(root: Path, *suffixes: str, depth: int = 3, holds: str = "transcripts") -> Spec:
    return "claude-code", str(root), suffixes or (".jsonl",), depth, holds


def names(rows: list[tuple[str, int, int, int, int]], root: Path) -> list[str]:
    return sorted(str(Path(row[0]).relative_to(root)) for row in rows)


def test_only_wanted_names_down_to_the_depth(tmp_path: Path):
    for name in ("a.jsonl", "b.txt", "x/c.jsonl", "x/y/d.jsonl", "x/y/z/e.jsonl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (found,), faults = walk([spec(tmp_path, depth=2)])
    assert names(found, tmp_path) == ["a.jsonl", "x/c.jsonl", "x/y/d.jsonl"]
    assert faults == []


def test_specs_of_one_root_share_a_pass_and_keep_apart(tmp_path: Path):
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "a.jsonl").write_text("x")
    (tmp_path / "s" / "a.meta.json").write_text("xy")
    found, _ = walk([spec(tmp_path), spec(tmp_path, ".meta.json", holds="side"), spec(tmp_path, depth=0)])
    assert [names(rows, tmp_path) for rows in found] == [["s/a.jsonl"], ["s/a.meta.json"], []]


def test_a_linked_directory_is_walked_once_and_a_circle_ends(tmp_path: Path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "far.jsonl").write_text("x")
    root = tmp_path / "root"
    root.mkdir()
    (root / "near.jsonl").write_text("x")
    (root / "circle").symlink_to(root)
    (root / "one").symlink_to(outside)
    (root / "two").symlink_to(outside)
    (root / "loop").symlink_to(root / "loop")
    (found,), _ = walk([spec(root)])
    assert [Path(row[0]).name for row in sorted(found)] == ["near.jsonl", "far.jsonl"]


def test_a_root_that_is_a_link_or_a_file_is_fine_and_a_missing_one_no_fault(tmp_path: Path):
    real = tmp_path / "real"
    real.mkdir()
    (real / "a.jsonl").write_text("x")
    (tmp_path / "link").symlink_to(real)
    (tmp_path / "history.jsonl").write_text("x")
    specs = [spec(tmp_path / "link"), spec(tmp_path / "history.jsonl", depth=0), spec(tmp_path / "none")]
    found, faults = walk(specs)
    assert [len(rows) for rows in found] == [1, 1, 0]
    assert faults == []


def test_what_may_not_be_looked_into_is_told_and_the_rest_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "open").mkdir()
    (tmp_path / "open" / "a.jsonl").write_text("x")
    (tmp_path / "shut").mkdir()
    real = os.open

    def opened(path: str, flags: int) -> int:
        if str(path).endswith("shut"):
            raise PermissionError(13, "Permission denied", path)
        return real(path, flags)

    monkeypatch.setattr(os, "open", opened)  # root may read everything
    (found,), faults = walk([spec(tmp_path)])
    assert len(found) == 1
    assert faults == [(str(tmp_path / "shut"), "Permission denied")]


def test_no_pipe_is_taken_for_a_transcript(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe.jsonl")
    assert walk([spec(tmp_path)]) == ([[]], [])


def test_the_fingerprint_changes_with_any_file(tmp_path: Path):
    specs = [spec(tmp_path)]

    def look() -> str:
        found, faults = walk(specs)
        return fingerprint(specs, found, faults)

    (tmp_path / "a.jsonl").write_text("x")
    first = look()
    assert look() == first
    (tmp_path / "a.jsonl").write_text("xy")
    second = look()
    (tmp_path / "b.jsonl").write_text("x")
    third = look()
    (tmp_path / "b.jsonl").rename(tmp_path / "c.jsonl")
    assert len({first, second, third, look()}) == 4


def test_a_name_that_is_no_text_is_walked(tmp_path: Path):
    (tmp_path / "\udcff.jsonl").touch()
    specs = [spec(tmp_path)]
    found, faults = walk(specs)
    assert len(found[0]) == 1
    assert fingerprint(specs, found, faults).encode("utf-8", "surrogateescape")


PATHS = [f"/p/{name}" for name in ("a", "a.b", "aa", "b", "ba", "c")]
LINES = st.dictionaries(st.sampled_from(PATHS), st.integers(1, 30))


@given(one=LINES, other=LINES, apart=st.booleans())
def test_what_differs_is_what_only_one_of_two_has(one: dict[str, int], other: dict[str, int], apart: bool) -> None:
    if not apart:
        other = {path: other.get(path, size) for path, size in one.items()}
    before, after = (sorted(f"{path}\t{size} 1" for path, size in lines.items()) for lines in (one, other))
    gone, come = differing("\n".join(before), "\n".join(after))
    # A text without lines has one that is empty.
    assert gone - {""} == set(before) - set(after)
    assert come - {""} == set(after) - set(before)
    if not apart:
        since = "\n".join(line for pair in zip(sorted(gone), sorted(come), strict=True) for line in pair)
        assert patched("\n".join(before), since) == "\n".join(after)
