"""Checkouts that are no plain ones: none at all, in the middle of something, several, behind links."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.core.checkout.conftest import Repo, change_of, file_of
from tests.core.checkout.test_states import NEW, OLD, fates

from refloat.model.checkout import Fate, FileState, Owner, PlaceKind
from refloat.model.transcript import FileEdit
from refloat.testing.stories import edited, hunks_between, written


def test_a_folder_that_is_no_repository(bare: Repo) -> None:
    path = bare.write("a.py", NEW, 12)
    story = bare.story()
    story.edit(edited(path, OLD, NEW))
    made = bare.compare(story)
    assert made.repo is None
    assert "no git repository" in made.warnings[0].what
    file = file_of(made, path)
    assert (file.state, file.owner, len(file.hunks)) == (FileState.PRESENT, Owner.THIS_SESSION, 1)


def test_a_vanished_workspace(bare: Repo) -> None:
    story = bare.story()
    story.edit(written(bare.path("a.py"), "x\n"))
    bare.root.rmdir()
    made = bare.compare(story)
    assert made.warnings[0].path == str(bare.root)
    (file,) = made.files
    assert (file.state, file.why) == (FileState.DELETED, "the workspace is gone, and the file with it")
    assert file.edits[0].fate is Fate.LOST
    assert [place.where for place in file.found_in] == [PlaceKind.RECORD]


def test_a_repository_without_commits(bare: Repo) -> None:
    bare.git("init", "-q", "-b", "main")
    path = bare.write("a.py", "x\n", 12)
    bare.write("staged.py", "s\n", 12)
    bare.git("add", "staged.py")
    story = bare.story()
    story.edit(written(path, "x\n"))
    made = bare.compare(story)
    assert (made.head, made.branch, made.base.head) == (None, "main", None)
    assert (file_of(made, "a.py").state, file_of(made, "a.py").owner) == (FileState.PRESENT, Owner.THIS_SESSION)
    assert change_of(made, "staged.py").hunks[0].lines == ("+s",)


def test_a_detached_head(repo: Repo) -> None:
    repo.git("checkout", "-q", "--detach")
    made = repo.compare(repo.story())
    assert (made.branch, made.head) == (None, repo.git("rev-parse", "HEAD"))


def test_a_conflicted_rebase(repo: Repo) -> None:
    repo.write("a.py", "one\n")
    repo.commit("a")
    repo.git("switch", "-q", "-c", "topic")
    repo.write("a.py", "topic\n")
    repo.commit("topic")
    repo.git("switch", "-q", "main")
    repo.write("a.py", "main\n")
    head = repo.commit("main")
    repo.git("switch", "-q", "topic")
    repo.git("rebase", "main", check=False)
    operation = repo.compare(repo.story()).operation
    assert operation is not None
    assert (operation.kind, operation.branch, operation.onto, operation.conflicts) == (
        "rebase",
        "topic",
        head,
        ("a.py",),
    )
    assert not operation.index_lock


@pytest.mark.parametrize("kind", ["merge", "cherry_pick", "revert"])
def test_other_operations_under_way(repo: Repo, kind: str) -> None:
    repo.write("a.py", "one\n")
    repo.commit("a")
    repo.git("switch", "-q", "-c", "topic")
    repo.write("a.py", "topic\n")
    topic = repo.commit("topic")
    repo.git("switch", "-q", "main")
    repo.write("a.py", "main\n")
    first = repo.commit("main")
    repo.write("a.py", "main 2\n")
    repo.commit("main 2")
    words = {"merge": ["merge", "topic"], "cherry_pick": ["cherry-pick", topic], "revert": ["revert", first]}
    repo.git(*words[kind], check=False)
    operation = repo.compare(repo.story()).operation
    assert operation is not None
    assert (operation.kind, operation.conflicts) == (kind, ("a.py",))
    assert operation.branch == {"merge": "topic", "cherry_pick": topic, "revert": first}[kind]


def test_a_left_over_lock(repo: Repo) -> None:
    (repo.root / ".git" / "index.lock").touch()
    operation = repo.compare(repo.story()).operation
    assert operation is not None
    assert (operation.kind, operation.index_lock) == ("index_lock", True)


def test_a_session_in_a_worktree(repo: Repo, tmp_path: Path) -> None:
    place = tmp_path / "work" / ".claude" / "worktrees" / "retry"
    repo.write("a.py", OLD)
    repo.commit("a")
    repo.git("worktree", "add", "-q", str(place), "-b", "retry")
    story = repo.story()
    story.edit(edited(str(place / "a.py"), OLD, NEW))
    (place / "a.py").write_text(NEW)
    inside = replace(story)
    file = file_of(repo.compare(inside), ".claude/worktrees/retry/a.py")
    assert (file.state, file.owner) == (FileState.PRESENT, Owner.THIS_SESSION)
    inside.worktree = str(place)
    made = repo.compare(inside)
    assert (made.repo, made.branch) == (str(place), "retry")
    assert file_of(made, "a.py").owner is Owner.THIS_SESSION


def test_work_in_a_removed_worktree_is_found_on_its_branch(repo: Repo, tmp_path: Path) -> None:
    place = tmp_path / "work" / ".claude" / "worktrees" / "retry"
    repo.write("a.py", OLD)
    repo.commit("a")
    repo.git("worktree", "add", "-q", str(place), "-b", "retry")
    story = repo.story()
    story.edit(edited(str(place / "a.py"), OLD, NEW))
    (place / "a.py").write_text(NEW)
    repo.git("commit", "-qam", "retry", at=20, cwd=place)
    sha = repo.git("rev-parse", "retry")
    repo.git("worktree", "remove", str(place))
    file = file_of(repo.compare(story), ".claude/worktrees/retry/a.py")
    assert file.state is FileState.DELETED
    assert [(p.where, p.ref, p.commit) for p in file.found_in] == [(PlaceKind.BRANCH, "retry", sha)]


def test_a_submodule(repo: Repo, tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    repo.git("init", "-q", "-b", "main", cwd=library)
    (library / "lib.py").write_text(OLD)
    repo.git("add", "-A", cwd=library)
    repo.git("commit", "-qm", "lib", cwd=library)
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library), "lib")
    repo.commit("with lib")
    story = repo.story()
    story.edit(edited(repo.path("lib/lib.py"), OLD, NEW))
    (repo.root / "lib" / "lib.py").write_text(NEW)
    file = file_of(repo.compare(story), "lib/lib.py")
    assert (file.state, file.owner) == (FileState.PRESENT, Owner.THIS_SESSION)


def test_files_outside_the_repository_and_links_out_of_it(repo: Repo, tmp_path: Path) -> None:
    outside = tmp_path / "notes.txt"
    outside.write_text("x\n")
    (repo.root / "link.txt").symlink_to(outside)
    story = repo.story()
    story.edit(written(str(outside), "x\n"))
    story.edit(written(repo.path("link.txt"), "x\n"))
    made = repo.compare(story)
    assert file_of(made, str(outside)).state is FileState.PRESENT
    assert file_of(made, "link.txt").state is FileState.UNVERIFIABLE


def test_a_workspace_behind_a_link(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(repo.root)
    story = repo.story()
    story.workspace = str(tmp_path / "alias")
    story.edit(written(str(tmp_path / "alias" / "a.py"), "x\n"))
    repo.write("a.py", "x\n", 12)
    assert file_of(repo.compare(story), "a.py").owner is Owner.THIS_SESSION


def test_ignored_files_are_compared_too(repo: Repo) -> None:
    repo.write(".gitignore", "*.log\n")
    repo.commit("ignore")
    story = repo.story()
    story.edit(written(repo.path("a.log"), "x = 1\n"))
    repo.write("a.log", "x = 1\n", 12)
    file = file_of(repo.compare(story), "a.log")
    assert (file.state, file.owner, fates(repo, file)) == (FileState.PRESENT, Owner.THIS_SESSION, [Fate.UNCOMMITTED])


def test_nothing_in_the_checkout_is_written(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    repo.write("a.py", NEW + "more\n", 12)

    def seen() -> dict[str, int]:
        return {
            str(Path(folder) / name): (Path(folder) / name).lstat().st_mtime_ns
            for folder, _, names in os.walk(repo.root)
            for name in names
        }

    before = seen()
    repo.compare(story)
    assert seen() == before


def test_binary_files(repo: Repo) -> None:
    repo.write("a.bin", b"\0\1\2")
    repo.commit("bin")
    repo.write("a.bin", b"\0\1\3", 12)
    repo.write("b.bin", b"\0", 12)
    story = repo.story()
    story.edit(FileEdit(repo.path("a.bin"), "update", binary=True))
    made = repo.compare(story)
    assert file_of(made, "a.bin").state is FileState.UNVERIFIABLE
    assert file_of(made, "a.bin").owner is Owner.UNKNOWN
    assert change_of(made, "b.bin").owner is Owner.UNKNOWN


def test_hunks_only_of_a_whole_file_edited_by_a_subagent(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    sub = repo.story()
    sub.subagent = "a1"
    sub.edit(FileEdit(path, "update", hunks=hunks_between(OLD, NEW)))
    story = repo.story()
    story.subagents["a1"] = sub.build()
    repo.write("a.py", NEW, 12)
    file = file_of(repo.compare(story), "a.py")
    assert (file.state, file.owner) == (FileState.PRESENT, Owner.THIS_SESSION)
    assert file.edits[0].subagent == "a1"
