"""Lost work in checkouts that are no plain ones: line ends, filters, links, odd names, no repository, hostile ones."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from tests.core.checkout.conftest import Repo
from tests.core.checkout.test_salvage import NEW, OLD, apply, find, read, rows, why

from refloat.model.checkout import Warned
from refloat.model.transcript import FileEdit, Hunk
from refloat.ports import Git, GitAnswer
from refloat.testing.stories import edited, written
from refloat.usecases.salvage import salvage
from refloat.usecases.workbench import Workbench


@pytest.mark.parametrize(
    ("attributes", "setting", "disk", "record", "fits"),
    [
        ("* text=auto eol=crlf\n", "false", b"a\r\nb\r\n", b"a\r\nc\r\n", True),
        ("* text eol=crlf\n", "false", b"a\r\nb\r\n", b"a\r\nc\r\n", True),
        ("* text eol=crlf\n", "false", b"a\r\nb\r\n", b"x\ny\n", False),
        ("* text=auto\n", "true", b"a\r\nb\r\n", b"a\r\nc\r\n", True),
        ("* text=auto\n", "input", b"a\nb\n", b"a\nc\n", True),
        ("* text=auto\n", "input", b"a\r\nb\r\n", b"a\r\nc\r\n", True),
        ("* -text\n", "true", b"a\r\nb\n", b"a\r\nc\n", True),
        ("", "true", b"a\r\nb\r\n", b"a\r\nc\r\n", True),
    ],
)
def test_line_ends_that_git_would_turn(
    repo: Repo, attributes: str, setting: str, disk: bytes, record: bytes, fits: bool
) -> None:
    if attributes:
        repo.write(".gitattributes", attributes)
    repo.git("config", "core.autocrlf", setting)
    path = repo.write("a.txt", disk)
    repo.commit("a")
    repo.git("config", "core.safecrlf", "false")
    story = repo.story()
    story.edit(FileEdit(path, "update", before=disk.decode(), after=record.decode(), existed=True))
    found = find(repo, story)
    assert rows(found) == {"a.txt": fits}
    if fits:
        apply(repo, found)
        assert read(repo, "a.txt") == record


def test_a_filter_keeps_a_file_out_of_the_patch_and_does_not_run(repo: Repo, tmp_path: Path) -> None:
    repo.write(".gitattributes", "*.bin filter=evil\n")
    path = repo.write("a.bin", "a\n")
    repo.commit("a")
    ran = tmp_path / "ran"
    for what in ("clean", "smudge"):
        repo.git("config", f"filter.evil.{what}", f"touch {ran}; cat")
    story = repo.story()
    story.edit(edited(path, "a\n", "b\n"))
    (file,) = find(repo, story).files
    assert (file.in_patch, file.beside) == (False, b"b\n")
    assert "filter" in file.why
    assert not ran.exists()


def test_a_link_out_of_the_checkout_is_not_written_through(repo: Repo, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    repo.write("lib/a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(repo.path("lib/a.py"), OLD, NEW))
    shutil.rmtree(repo.root / "lib")
    (repo.root / "lib").symlink_to(outside)
    (file,) = find(repo, story).files
    assert (file.in_patch, file.beside) == (False, NEW.encode())
    assert list(outside.iterdir()) == []


def test_a_link_that_took_the_place_of_a_file(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    (repo.root / "a.py").unlink()
    (repo.root / "a.py").symlink_to("README.md")
    assert all(not file.in_patch for file in find(repo, story).files)


def test_odd_names_and_files_elsewhere(repo: Repo, tmp_path: Path) -> None:
    story = repo.story()
    names = ["with space.py", 'quote".py', "new\nline.py", "grün/☃.py"]
    for name in names:
        story.edit(written(repo.path(name), f"{name}\n", existed=False))
    story.edit(written(str(tmp_path / "notes.md"), "out\n", existed=False))
    found = find(repo, story)
    assert rows(found) == dict.fromkeys(names, True) | {str(tmp_path / "notes.md"): False}
    apply(repo, found)
    assert [read(repo, name).decode() for name in names] == [f"{name}\n" for name in names]


def test_without_a_repository_the_patch_is_relative_to_the_folder(bare: Repo) -> None:
    story = bare.story()
    story.edit(written(bare.path("lib/a.py"), "a\n", existed=False))
    kept = bare.write("b.py", OLD + "# a person's\n", 50)
    story.edit(edited(kept, OLD, NEW))
    other = bare.root.parent / "elsewhere.py"
    story.edit(written(str(other), "e\n", existed=False))
    found = find(bare, story)
    assert found.repo == str(bare.root)
    assert rows(found) == {bare.path("lib/a.py"): True, kept: True, str(other): False}
    assert "outside the workspace" in why(found, str(other))
    apply(bare, found)
    assert (read(bare, "lib/a.py"), read(bare, "b.py")) == (b"a\n", f"{NEW}# a person's\n".encode())


def test_a_workspace_that_is_gone(bare: Repo) -> None:
    story = bare.story()
    story.edit(written(bare.path("lib/a.py"), "a = 1\n", existed=False))
    story.edit(edited(bare.path("b.py"), "b = 1\n", "b = 2\n"))
    story.edit(edited(bare.path("c.py"), "c = 1\n", "c = 2\n", exact=False))
    story.edit(written(bare.path(".git/hooks/x"), "x\n", existed=False))
    story.edit(written(bare.path("d"), "d\n", existed=False))
    story.edit(written(bare.path("d/e.py"), "e\n", existed=False))
    story.edit(FileEdit(bare.path("untold.py"), "update"))
    story.edit(FileEdit(bare.path("away.py"), "delete", before="x\n", existed=True))
    bare.root.rmdir()
    found = find(bare, story)
    assert (found.repo, found.gone) == (None, str(bare.root))
    names = ("lib/a.py", "b.py", "c.py", ".git/hooks/x", "d", "d/e.py")
    assert list(rows(found)) == [bare.path(name) for name in names]
    assert list(rows(found).values()) == [True, True, False, False, False, False]
    assert [file.suffix for file in found.files if file.beside == b"@@ -1,1 +1,1 @@\n-c = 1\n+c = 2\n"] == [".hunks"]
    bare.root.mkdir()
    apply(bare, found)
    assert (read(bare, "lib/a.py"), read(bare, "b.py")) == (b"a = 1\n", b"b = 2\n")


@pytest.mark.parametrize("place", [".claude/worktrees/gone", ".wt/gone"])
def test_work_of_a_worktree_that_was_removed_goes_under_the_name_that_it_had_there(repo: Repo, place: str) -> None:
    repo.write("a.py", OLD)
    repo.commit("a")
    tree = repo.root / place
    repo.git("worktree", "add", "-q", "-b", "side", str(tree))
    path = repo.write(f"{place}/a.py", NEW, 12)
    repo.git("worktree", "remove", "--force", str(tree))
    story = replace(repo.story(), workspace=str(tree))
    story.edit(edited(path, OLD, NEW))
    story.edit(written(str(tree / "lib/n.py"), "n = 1\n", existed=False))
    found = find(repo, story)
    assert rows(found) == {f"{place}/a.py": True, f"{place}/lib/n.py": True}
    assert "as a.py: the worktree that it lay in is gone" in why(found, f"{place}/a.py")
    apply(repo, found)
    assert (read(repo, "a.py"), read(repo, "lib/n.py")) == (NEW.encode(), b"n = 1\n")


def test_a_folder_that_the_session_worked_in_is_no_worktree(repo: Repo) -> None:
    repo.write("pkg/a.py", OLD)
    repo.write("a.py", "another\n")
    repo.commit("a")
    story = replace(repo.story(), workspace=str(repo.root / "pkg"))
    story.edit(edited(repo.path("pkg/a.py"), OLD, NEW))
    story.edit(written(repo.path("pkg/n.py"), "n = 1\n", existed=False))
    shutil.rmtree(repo.root / "pkg")
    found = find(repo, story)
    apply(repo, found)
    assert (read(repo, "pkg/a.py"), read(repo, "pkg/n.py"), read(repo, "a.py")) == (
        NEW.encode(),
        b"n = 1\n",
        b"another\n",
    )


def test_two_files_of_one_name_are_not_both_in_the_patch(repo: Repo) -> None:
    repo.write("a.py", OLD)
    repo.commit("a")
    tree = repo.root / ".worktrees" / "gone"
    story = repo.story()
    story.edit(edited(repo.path("a.py"), OLD, NEW))
    story.edit(edited(str(tree / "a.py"), OLD, OLD.replace("mean", "average")))
    found = find(repo, story)
    assert rows(found) == {"a.py": True, ".worktrees/gone/a.py": False}
    assert found.files[1].beside is not None
    apply(repo, found)
    assert read(repo, "a.py") == NEW.encode()


def test_work_in_a_repository_below_the_sessions(repo: Repo) -> None:
    repo.git("init", "-q", str(repo.root / "inner"))
    path = repo.write("inner/a.py", OLD)
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    found = find(repo, story)
    assert rows(found) == {"inner/a.py": True}
    apply(repo, found)
    assert read(repo, "inner/a.py") == NEW.encode()


def test_before_the_first_commit(bare: Repo) -> None:
    bare.git("init", "-q", "-b", "main")
    story = bare.story()
    story.edit(written(bare.path("a.py"), "a\n", existed=False))
    found = find(bare, story)
    apply(bare, found)
    assert read(bare, "a.py") == b"a\n"


def test_in_the_middle_of_a_merge(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.write("b.py", OLD)
    repo.commit("a")
    repo.git("checkout", "-q", "-b", "other")
    repo.write("a.py", OLD.replace("sum", "min"), -900)
    repo.commit("min")
    repo.git("checkout", "-q", "main")
    repo.write("a.py", OLD.replace("sum", "max"), -800)
    repo.commit("max")
    story = repo.story()
    story.edit(edited(repo.path("b.py"), OLD, NEW))
    story.edit(edited(path, OLD.replace("sum", "max"), NEW))
    repo.git("merge", "other", check=False, at=20)
    found = find(repo, story)
    assert rows(found) == {"b.py": True, "a.py": False}
    apply(repo, found)
    assert read(repo, "b.py").decode() == NEW


def test_what_looks_like_a_secret_is_counted_and_exact(repo: Repo) -> None:
    token = "gh" + "p_" + "a1B2c3D4e5" * 4
    story = repo.story()
    story.edit(written(repo.path("env.sh"), f"export GITHUB_TOKEN={token}\n", existed=False))
    found = find(repo, story)
    assert found.secrets == 1
    assert token in found.patch


def test_one_that_git_refuses_does_not_take_the_others_along(repo: Repo) -> None:
    story = repo.story()
    for number in range(7):
        story.edit(written(repo.path(f"f{number}.py"), f"{number}\n", existed=False))
    # Git refuses names that hold `.git` in any spelling that some file system takes for it.
    story.edit(written(repo.path("sub/.GIT/x"), "x\n", existed=False))
    found = find(repo, story)
    assert rows(found) == {f"f{number}.py": True for number in range(7)} | {"sub/.GIT/x": False}
    apply(repo, found)
    assert read(repo, "f6.py") == b"6\n"


def test_a_positioned_insertion_without_context(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(FileEdit(path, "update", hunks=(Hunk(2, 0, 3, 1, ("+    # here",)),), existed=True))
    found = find(repo, story)
    apply(repo, found)
    assert read(repo, "a.py").decode().split("\n")[2] == "    # here"


@dataclass
class Counted:
    """The real git, counted."""

    git: Git
    asked: list[str] = field(default_factory=list[str])

    def run(
        self,
        directory: Path,
        *words: str,
        stdin: bytes | None = None,
        index: bytes | None = None,
        seconds: float = 30,
    ) -> GitAnswer:
        self.asked.append(words[0])
        return self.git.run(directory, *words, stdin=stdin, index=index, seconds=seconds)

    def version(self) -> str | None:
        return self.git.version()

    def why_not(self) -> str | None:
        return self.git.why_not()

    def not_obeyed(self, directory: Path) -> Sequence[Warned]:
        return self.git.not_obeyed(directory)


def count(repo: Repo, files: int) -> int:
    story = repo.story()
    for number in range(files):
        path = repo.path(f"f{number}.py")
        story.edit(edited(path, OLD, NEW) if number % 2 else edited(path, OLD, NEW, exact=False))
    story.edit(written(repo.path("new.py"), NEW, existed=False))
    git = Counted(repo.bench.machine.git)
    bench = Workbench(replace(repo.bench.machine, git=git), ())
    assert len(salvage(bench, story.build()).files) == files + 1
    return len(git.asked)


def test_git_is_asked_the_same_number_of_questions_however_many_files(repo: Repo) -> None:
    for number in range(60):
        repo.write(f"f{number}.py", OLD)
    repo.commit("all")
    assert count(repo, 60) == count(repo, 4)


def test_nothing_of_a_hostile_repository_runs(repo: Repo, tmp_path: Path) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    ran = tmp_path / "ran"
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\ntouch {ran}\n")
    evil.chmod(0o755)
    hooks = repo.root / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-applypatch", "pre-applypatch", "applypatch-msg", "post-index-change"):
        shutil.copy(evil, hooks / hook)
    for key in ("core.fsmonitor", "diff.external", "core.pager", "core.alternateRefsCommand"):
        repo.git("config", key, str(evil))
    repo.git("config", "alias.apply", f"!{evil}")
    repo.git("config", "apply.whitespace", "error-all")
    repo.git("config", "extensions.partialClone", "origin")
    repo.git("config", "remote.origin.url", f"ext::{evil}")
    repo.git("config", "remote.origin.promisor", "true")
    ran.unlink(missing_ok=True)
    story = repo.story()
    story.edit(edited(path, OLD, NEW + "trailing \n"))
    found = find(repo, story)
    assert rows(found) == {"a.py": True}
    assert not ran.exists()
