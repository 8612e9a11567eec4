"""Every shape that a file can take, recorded and held against a real checkout."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.core.checkout.conftest import Repo, change_of, file_of

from refloat.model.checkout import Fate, FileState, Owner, PlaceKind
from refloat.model.transcript import FileEdit
from refloat.testing.claude_talk import ClaudeTalk, story_of
from refloat.testing.stories import START, edited, hunks_between, written

OLD = "def review(x):\n    return x\n\n\ndef other():\n    pass\n"
NEW = OLD.replace("return x", "return x + 1")
BARE_OLD, BARE_NEW = OLD.rstrip("\n"), NEW.rstrip("\n")


def windows(text: str) -> str:
    return text.replace("\n", "\r\n")


# ── renames and deletes ──────────────────────────────────────────────────────────────────────────────────────────────


def moving(repo: Repo, *, exact: bool) -> FileEdit:
    before = OLD if exact else None
    hunks = hunks_between(OLD, NEW)
    return FileEdit(repo.path("a.py"), "update", before, None, hunks, moved_to=repo.path("lib/b.py"), existed=True)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("committed", [True, False])
def test_a_rename_with_an_edit_that_stands(repo: Repo, *, exact: bool, committed: bool) -> None:
    repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(moving(repo, exact=exact))
    (repo.root / "a.py").unlink()
    repo.write("lib/b.py", NEW, 12)
    if committed:
        repo.commit("moved", at=20)
    made = repo.compare(story)
    there = Fate.COMMITTED if committed else Fate.UNCOMMITTED
    assert [(file.path, file.state, file.recorded) for file in made.files] == [
        ("a.py", FileState.PRESENT, "deleted"),
        ("lib/b.py", FileState.PRESENT, "content"),
    ]
    assert [edit.fate for file in made.files for edit in file.edits] == [there, there]


@pytest.mark.parametrize("exact", [True, False])
def test_a_rename_that_was_undone(repo: Repo, *, exact: bool) -> None:
    repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(moving(repo, exact=exact))
    made = repo.compare(story)
    assert [(file.path, file.state) for file in made.files] == [
        ("a.py", FileState.DIVERGED),
        ("lib/b.py", FileState.DELETED),
    ]


def test_a_renamed_file_that_was_edited_again(repo: Repo) -> None:
    repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(moving(repo, exact=True))
    story.edit(edited(repo.path("lib/b.py"), NEW, NEW + "# more\n", exact=False))
    (repo.root / "a.py").unlink()
    repo.write("lib/b.py", NEW + "# more\n", 22)
    file = file_of(repo.compare(story), "lib/b.py")
    assert (file.state, [edit.fate for edit in file.edits]) == (FileState.PRESENT, [Fate.UNCOMMITTED] * 2)


def test_a_copy_that_was_there_before_is_no_move(repo: Repo) -> None:
    repo.write("template.py", NEW)
    repo.commit("template")
    story = repo.story()
    story.edit(written(repo.path("a.py"), NEW, existed=False))
    assert file_of(repo.compare(story), "a.py").state is FileState.DELETED


def test_a_deletion_and_a_new_start(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(FileEdit(path, "delete", before=OLD, existed=True))
    story.edit(written(path, NEW, existed=False))
    repo.write("a.py", NEW, 22)
    file = file_of(repo.compare(story), "a.py")
    assert (file.state, file.recorded, file.owner) == (FileState.PRESENT, "content", Owner.THIS_SESSION)


# ── modes ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_executable_bit_says_nothing_of_the_content(repo: Repo) -> None:
    path = repo.write("a.sh", OLD)
    repo.write("b.sh", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    repo.write("a.sh", NEW, 12)
    (repo.root / "a.sh").chmod(0o755)
    (repo.root / "b.sh").chmod(0o755)
    made = repo.compare(story)
    file = file_of(made, "a.sh")
    assert (file.state, file.owner) == (FileState.PRESENT, Owner.THIS_SESSION)
    change = change_of(made, "b.sh")
    assert (change.status, change.hunks) == (" M", ())
    assert change.owner is not Owner.THIS_SESSION


# ── line ends and encodings ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("autocrlf", ["false", "true"])
@pytest.mark.parametrize(
    ("before", "after", "exact"),
    [(windows(OLD), windows(NEW), True), (OLD, NEW, True), (OLD, NEW, False), (windows(OLD), windows(NEW), False)],
)
@pytest.mark.parametrize("stands", [True, False])
def test_windows_line_ends(repo: Repo, autocrlf: str, before: str, after: str, *, exact: bool, stands: bool) -> None:
    """Whether the record keeps carriage returns or, as some agents do, leaves them out."""
    repo.git("config", "core.autocrlf", autocrlf)
    repo.git("config", "core.safecrlf", "false")
    path = repo.write("a.py", windows(OLD))
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, before, after, exact=exact))
    if stands:
        repo.write("a.py", windows(NEW), 12)
    file = file_of(repo.compare(story), "a.py")
    told = (FileState.PRESENT, FileState.CHANGED_SINCE) if stands else (FileState.REVERTED,)
    assert file.state in told
    assert [edit.fate for edit in file.edits] == [Fate.UNCOMMITTED if stands else Fate.REVERTED]
    if stands:
        assert file.owner is Owner.THIS_SESSION


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(("before", "after"), [(BARE_OLD, BARE_NEW), (OLD, BARE_NEW), (BARE_OLD, NEW)])
def test_no_newline_at_the_end(repo: Repo, before: str, after: str, *, exact: bool) -> None:
    path = repo.write("a.py", before)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, before, after, exact=exact))
    assert file_of(repo.compare(story), "a.py").state is FileState.REVERTED
    repo.write("a.py", after, 12)
    file = file_of(repo.compare(story), "a.py")
    assert file.state is FileState.PRESENT
    if exact:
        assert file.owner is Owner.THIS_SESSION


def test_only_the_last_line_feed_was_the_edit_and_it_is_gone(repo: Repo) -> None:
    path = repo.write("a.py", BARE_OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, BARE_OLD, OLD))
    assert file_of(repo.compare(story), "a.py").state is FileState.REVERTED
    repo.write("a.py", OLD, 12)
    assert file_of(repo.compare(story), "a.py").state is FileState.PRESENT


@pytest.mark.parametrize("exact", [True, False])
def test_bytes_that_are_no_utf_8(repo: Repo, *, exact: bool) -> None:
    before, after = b"caf\xe9 = 1\nx = 1\n", b"caf\xe9 = 1\nx = 2\n"
    path = repo.write("a.py", before)
    repo.commit("a")
    story = repo.story()
    told = before.decode(errors="replace"), after.decode(errors="replace")
    story.edit(edited(path, *told, exact=exact))
    assert file_of(repo.compare(story), "a.py").state is FileState.REVERTED
    repo.write("a.py", after, 12)
    file = file_of(repo.compare(story), "a.py")
    assert (file.state, file.owner) == (FileState.PRESENT, Owner.THIS_SESSION)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_text(repo: Repo, codec: str) -> None:
    mark = "\ufeff".encode(codec)
    path = repo.write("a.txt", mark + OLD.encode(codec))
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    assert file_of(repo.compare(story), "a.txt").state is FileState.REVERTED
    repo.write("a.txt", mark + NEW.encode(codec), 12)
    file = file_of(repo.compare(story), "a.txt")
    assert (file.state, file.edits[0].fate) == (FileState.PRESENT, Fate.UNCOMMITTED)


def test_a_text_that_git_takes_for_binary(repo: Repo) -> None:
    path = repo.write("a.bin", b"a\x00b\n")
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, "a\0b\n", "a\0c\n"))
    file = file_of(repo.compare(story), "a.bin")
    assert (file.state, file.edits[0].fate) == (FileState.REVERTED, Fate.REVERTED)
    repo.write("a.bin", b"a\x00c\n", 12)
    file = file_of(repo.compare(story), "a.bin")
    assert (file.state, file.edits[0].fate) == (FileState.PRESENT, Fate.UNCOMMITTED)


def test_a_binary_file_of_which_the_record_holds_nothing(repo: Repo) -> None:
    path = repo.write("a.png", b"\x89PNG\x00\x01")
    repo.commit("a")
    story = repo.story()
    story.edit(FileEdit(path, "update", existed=True, binary=True))
    repo.write("a.png", b"\x89PNG\x00\x02", 12)
    file = file_of(repo.compare(story), "a.png")
    assert (file.state, file.edits[0].fate) == (FileState.UNVERIFIABLE, Fate.UNCONFIRMED)


# ── links, other places, other directories ───────────────────────────────────────────────────────────────────────────


def test_a_link_that_leads_nowhere_inside_the_checkout(repo: Repo) -> None:
    (repo.root / "link.py").symlink_to("gone.py")
    repo.commit("link")
    story = repo.story()
    story.edit(edited(repo.path("link.py"), OLD, NEW))
    assert file_of(repo.compare(story), "link.py").state is FileState.DELETED


def test_a_link_in_a_circle(repo: Repo) -> None:
    (repo.root / "one.py").symlink_to("two.py")
    (repo.root / "two.py").symlink_to("one.py")
    story = repo.story()
    story.edit(edited(repo.path("one.py"), OLD, NEW))
    assert file_of(repo.compare(story), "one.py").state in (FileState.UNVERIFIABLE, FileState.DELETED)


def test_one_file_by_the_name_of_a_link_to_its_directory(repo: Repo) -> None:
    repo.write("real/a.py", OLD)
    (repo.root / "alias").symlink_to("real")
    repo.commit("a")
    story = repo.story()
    story.edit(edited(repo.path("alias/a.py"), OLD, NEW))
    story.edit(edited(repo.path("real/a.py"), NEW, NEW + "# more\n"))
    repo.write("real/a.py", NEW + "# more\n", 22)
    (file,) = repo.compare(story).files
    assert (file.path, file.state, len(file.edits)) == ("real/a.py", FileState.PRESENT, 2)


@pytest.mark.parametrize("stands", [True, False])
def test_a_file_outside_the_repository(repo: Repo, tmp_path: Path, *, stands: bool) -> None:
    story = repo.story()
    outside = tmp_path / "notes.md"
    story.edit(edited(str(outside), OLD, NEW))
    outside.write_text(NEW if stands else OLD)
    (file,) = repo.compare(story).files
    assert (file.path, file.state) == (str(outside), FileState.PRESENT if stands else FileState.REVERTED)


def test_a_shell_that_changed_its_directory(repo: Repo) -> None:
    """A relative path counts from where the shell was, by the record's word or by the command's own `cd`."""
    talk = ClaudeTalk(cwd=str(repo.root))
    talk.prompt("Write them.")
    talk.envelope["cwd"] = repo.path("sub")
    talk.ran("cat > a.py <<'EOF'\na = 1\nEOF")
    talk.ran("cd deeper && cat > b.py <<'EOF'\nb = 1\nEOF")
    repo.write("sub/a.py", "a = 1\n")
    repo.write("sub/deeper/b.py", "b = 1\n")
    made = repo.compare(story_of(talk))
    assert [(file.path, file.state) for file in made.files] == [
        ("sub/a.py", FileState.PRESENT),
        ("sub/deeper/b.py", FileState.PRESENT),
    ]


def test_a_path_that_the_record_has_relative(repo: Repo) -> None:
    story = repo.story()
    story.edit(edited("lib/../a.py", "", NEW))
    repo.write("a.py", NEW, 12)
    (file,) = repo.compare(story).files
    assert (file.path, file.state) == ("a.py", FileState.PRESENT)


def test_the_same_file_in_two_worktrees_is_two(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    tree = repo.root.parent / "beside"
    repo.git("worktree", "add", "-q", "-b", "feature", str(tree))
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    story.edit(edited(str(tree.resolve() / "a.py"), OLD, OLD + "# there\n"))
    (tree / "a.py").write_text(OLD + "# there\n")
    made = repo.compare(story)
    assert [(file.path, file.state) for file in made.files] == [
        ("a.py", FileState.REVERTED),
        (os.path.realpath(tree / "a.py"), FileState.PRESENT),
    ]
    assert [place.where for place in made.files[0].found_in] == [PlaceKind.RECORD]


def test_a_session_in_a_directory_below_the_top(repo: Repo) -> None:
    repo.write("pkg/a.py", OLD)
    repo.commit("a")
    story = replace(repo.story(), workspace=repo.path("pkg"), started=START)
    story.edit(edited("a.py", OLD, NEW))
    repo.write("pkg/a.py", NEW, 12)
    (file,) = repo.compare(story).files
    assert (file.path, file.state) == ("pkg/a.py", FileState.PRESENT)


@pytest.mark.parametrize("staged", [True, False])
@pytest.mark.parametrize("more", ["", "and somebody's\n"])
@pytest.mark.parametrize(
    ("edit", "left", "owner"),
    [
        (edited("", OLD, NEW), NEW, Owner.MIXED),
        (edited("", OLD, NEW, exact=False), NEW, Owner.MIXED),
        (FileEdit("", "update", OLD, "all\nof\nit\n"), "all\nof\nit\n", Owner.THIS_SESSION),
    ],
)
def test_both_halves_of_a_rename_have_one_owner(
    repo: Repo, edit: FileEdit, left: str, owner: Owner, *, more: str, staged: bool
) -> None:
    """One change that git tells at two paths: it cannot be nobody's at the one and the session's at the other."""
    path = repo.write("a.txt", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(replace(edit, path=path))
    repo.write("a.txt", left, 12)
    if staged:
        repo.git("mv", "a.txt", "b.txt")
    else:
        (repo.root / "a.txt").rename(repo.root / "b.txt")
    repo.write("b.txt", left + more, 300)
    made = repo.compare(story)
    file, other = file_of(made, "a.txt"), change_of(made, "b.txt")
    assert file.state is FileState.MOVED
    assert (file.owner, file.session) == (other.owner, other.session)
    assert {hunk.owner for hunk in file.hunks} == {file.owner}
    assert file.owner is (Owner.MIXED if more else owner)
