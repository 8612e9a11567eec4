"""What is asked of git, and of paths, in a cheap way is what the dear way gives."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refloat.checkout import pieces
from refloat.checkout.lines import tells
from refloat.checkout.pieces import FOREIGN, Piece, Traces, apply_edit, loose_pieces, whole_piece
from refloat.checkout.porcelain import Index
from refloat.checkout.repository import load_repository
from refloat.checkout.trees import Trees
from refloat.model.transcript import FileEdit, Hunk
from refloat.testing.fakes import ScriptedGit
from refloat.testing.stories import hunks_between

from .conftest import Repo


def test_before_the_first_commit_everything_staged_is_a_hunk(bare: Repo) -> None:
    bare.git("init", "-q", "-b", "main")
    bare.write("a.py", "one\n")
    bare.git("add", "a.py")
    repository = load_repository(bare.bench.machine.git, bare.root)
    assert repository is not None
    assert (repository.head, list(repository.hunks), repository.reflog, repository.warnings) == (None, ["a.py"], (), [])


def test_hunks_are_against_the_head_that_status_tells() -> None:
    """HEAD moved between the two questions, which are asked at the same time."""
    one, other = "1" * 40, "2" * 40
    git = ScriptedGit(
        {
            ("rev-parse", "--path-format=absolute"): f"/w\n/w/.git\n/w/.git\nsha1\n{one}\n",
            ("status",): f"# branch.oid {other}\0" + f"1 .M N... 100644 100644 100644 {one} {one} a.py\0",
            ("diff",): "",
        }
    )
    repository = load_repository(git, Path("/w"))
    assert repository is not None
    assert repository.head == other
    assert [words[-1] for _, words in git.asked if words[0] == "diff"] == [one, other]


def test_a_path_is_the_one_that_the_disk_has(tmp_path: Path) -> None:
    (tmp_path / "real" / "deep").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "real" / "up").symlink_to("..")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("nowhere/at/all")
    trees = Trees(ScriptedGit(), None, str(tmp_path))
    for directory in (
        "real/deep", "link", "link/deep", "link/up/link/deep", "loop", "loop/x", "dangling", "dangling/x", "no/such",
        ".",
    ):  # fmt: skip
        expected = f"{os.path.realpath(tmp_path / directory)}/name"
        assert trees.real(f"{tmp_path}/{directory}/name") == expected
        assert trees.real(f"{directory}/name") == expected
    assert trees.real("/name") == "/name"


@given(st.text())
def test_a_line_tells_something_where_it_has_a_letter_or_a_digit(line: str) -> None:
    assert tells(line) == any(character.isalnum() for character in line)


LINES = st.lists(st.sampled_from(["a", "b", "a b", "  a", "", "c\r"]), min_size=1, max_size=6)


def every_piece(candidates: Iterable[Piece], _edit: FileEdit) -> Iterator[Piece]:
    return iter(candidates)


@given(LINES, LINES, st.booleans(), st.booleans())
def test_the_cheap_look_at_a_piece_refuses_nothing_that_would_be_applied(
    text: list[str], old: list[str], positioned: bool, every: bool
) -> None:
    hunk = Hunk(1 if positioned else None, len(old), None, 1, tuple(["-" + line for line in old] + ["+new"]))
    edit = FileEdit("/a", "update", hunks=(hunk,), replace_all=every and not positioned)
    one, other = (whole_piece("\n".join(text), FOREIGN, before=True) for _ in range(2))
    done = apply_edit(one, edit, 0, Traces())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "may_hold", every_piece)
        assert apply_edit(other, edit, 0, Traces()) == done
    assert one == other


def test_a_hunk_without_old_lines_needs_nothing_to_stand_there() -> None:
    edit = FileEdit("/a", "update", hunks=hunks_between("", "x\n"))
    assert list(loose_pieces(edit, [[]], 0, Traces()))


@given(st.lists(st.text(st.characters(exclude_characters="\0", codec="utf-8"), min_size=1), unique=True), st.text())
def test_every_listed_path_is_found_and_no_other(paths: list[str], other: str) -> None:
    tags = {path: "HhSM"[len(path) % 4] for path in paths}
    listed = sorted(path.encode() for path in paths)
    index = Index(b"".join(b"%b %b\0" % (tags[path.decode()].encode(), path) for path in listed))
    assert {path: index.tag(path) for path in paths} == tags
    assert (other in index) == (other in tags)
    assert index.plain == (set(tags.values()) == {"H"})


def test_no_path_is_called_by_half_a_character() -> None:
    assert "\ud83d" not in Index(b"H a\0")
