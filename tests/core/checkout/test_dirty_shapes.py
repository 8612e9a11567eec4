"""Every shape of dirt that git knows, in real repositories: whose each is, and that nothing of it is passed over."""

import os
from pathlib import Path

import pytest
from tests.core.checkout.conftest import Repo, change_of, file_of

from refloat.model.checkout import Checkout, EditedFile, Fate, FileState, Owner, PlaceKind
from refloat.testing.stories import StoryBuilder, edited, written
from refloat.wire.documents import checkout as checkout_document
from refloat.wire.writing import dump_exact

OLD = "alpha\nbeta\ngamma\ndelta\n"
NEW = "alpha\nbeta two\ngamma\ndelta\n"


@pytest.fixture
def story(repo: Repo) -> StoryBuilder:
    """A session that changed one line of a committed file; the file is as it left it."""
    path = repo.write("a.txt", OLD)
    repo.commit("a")
    made = repo.story()
    made.edit(edited(path, OLD, NEW))
    repo.write("a.txt", NEW, 12)
    return made


def only(made: Checkout, path: str = "a.txt") -> tuple[EditedFile, list[Fate]]:
    file = file_of(made, path)
    return file, [edit.fate for edit in file.edits]


# ── staged and not ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("staged", [False, True])
def test_a_change_is_the_sessions_staged_or_not(repo: Repo, story: StoryBuilder, *, staged: bool) -> None:
    if staged:
        repo.git("add", "a.txt")
    file, fates = only(repo.compare(story))
    assert (file.state, file.owner, fates) == (FileState.PRESENT, Owner.THIS_SESSION, [Fate.UNCOMMITTED])
    assert [hunk.lines for hunk in file.hunks] == [("-beta", "+beta two")]


def test_staged_work_of_the_session_and_typing_on_top(repo: Repo, story: StoryBuilder) -> None:
    repo.git("add", "a.txt")
    repo.write("a.txt", NEW + "typed\n", 500)
    file, _ = only(repo.compare(story))
    assert [(hunk.lines, hunk.owner) for hunk in file.hunks] == [
        (("-beta", "+beta two"), Owner.THIS_SESSION),
        (("+typed",), Owner.UNKNOWN),
    ]


def test_work_that_is_only_staged_is_told_though_the_file_is_as_in_head(repo: Repo, story: StoryBuilder) -> None:
    repo.git("add", "a.txt")
    repo.write("a.txt", OLD, 500)
    file, fates = only(repo.compare(story))
    assert file.state is FileState.REVERTED
    assert [(hunk.lines, hunk.owner) for hunk in file.hunks] == [(("-beta", "+beta two"), Owner.THIS_SESSION)]
    assert fates == [Fate.REVERTED]


def test_a_new_file_that_is_only_staged(repo: Repo) -> None:
    story = repo.story()
    path = repo.write("new.txt", OLD, 12)
    story.edit(written(path, OLD, existed=False))
    repo.write("typed.txt", "typed\n", 500)
    repo.git("add", "new.txt", "typed.txt")
    (repo.root / "new.txt").unlink()
    (repo.root / "typed.txt").unlink()
    made = repo.compare(story)
    assert file_of(made, "new.txt").owner is Owner.THIS_SESSION
    assert change_of(made, "typed.txt").owner is Owner.UNKNOWN
    assert change_of(made, "typed.txt").hunks[0].lines == ("+typed",)


def test_intent_to_add(repo: Repo) -> None:
    story = repo.story()
    story.edit(written(repo.write("new.txt", OLD, 12), OLD, existed=False))
    repo.git("add", "-N", "new.txt")
    made = repo.compare(story)
    assert file_of(made, "new.txt").owner is Owner.THIS_SESSION
    assert len(file_of(made, "new.txt").hunks[0].lines) == 4


def test_untracked_files_in_directories(repo: Repo) -> None:
    story = repo.story()
    story.edit(written(repo.write("deep/er/mine.txt", OLD, 12), OLD, existed=False))
    repo.write("deep/er/typed.txt", "typed\n", 500)
    repo.write("deep/before.txt", "before\n", -50)
    made = repo.compare(story)
    assert file_of(made, "deep/er/mine.txt").owner is Owner.THIS_SESSION
    assert change_of(made, "deep/er/typed.txt").owner is Owner.UNKNOWN
    assert change_of(made, "deep/before.txt").owner is Owner.PREDATES


# ── moved, copied, gone, of another kind ─────────────────────────────────────────────────────────────────────────────


def test_a_rename_by_a_command_of_the_session(repo: Repo) -> None:
    """A rename keeps the file's time: by that alone it would be older than the session."""
    repo.write("old.txt", OLD)
    repo.commit("old")
    story = repo.story()
    story.run("mkdir -p sub && git mv old.txt sub/new.txt")
    (repo.root / "sub").mkdir()
    repo.git("mv", "old.txt", "sub/new.txt")
    made = repo.compare(story)
    assert {(change.path, change.status, change.owner) for change in made.other_changes} == {
        ("old.txt", "D ", Owner.COMMAND),
        ("sub/new.txt", "A ", Owner.COMMAND),
    }
    assert "step 1" in change_of(made, "sub/new.txt").why


def test_a_rename_by_somebody_else(repo: Repo) -> None:
    repo.write("old.txt", OLD)
    repo.commit("old")
    story = repo.story()
    story.run("pytest")
    repo.git("mv", "old.txt", "new.txt")
    made = repo.compare(story)
    assert {change.owner for change in made.other_changes} == {Owner.UNKNOWN}


def test_a_rename_of_a_file_with_work_of_the_session(repo: Repo, story: StoryBuilder) -> None:
    story.run("git mv a.txt b.txt")
    repo.git("mv", "a.txt", "b.txt")
    made = repo.compare(story)
    file, fates = only(made)
    assert (file.state, fates) == (FileState.MOVED, [Fate.UNCOMMITTED])
    assert change_of(made, "b.txt").owner is Owner.MIXED, "lines of HEAD at a new place, and the session's"


def test_a_copy(repo: Repo) -> None:
    repo.write("old.txt", OLD)
    repo.commit("old")
    story = repo.story()
    story.run("cp old.txt copy.txt")
    repo.write("copy.txt", OLD, 11)
    repo.write("typed.txt", OLD, 300)
    repo.git("add", ".")
    made = repo.compare(story)
    assert change_of(made, "copy.txt").owner is Owner.COMMAND
    assert change_of(made, "typed.txt").owner is Owner.UNKNOWN


def test_files_that_are_gone(repo: Repo) -> None:
    for name in ("by_edit.txt", "lib/by_command.txt", "by_person.txt"):
        repo.write(name, OLD)
    repo.commit("three")
    story = repo.story()
    from refloat.model.transcript import FileEdit

    story.edit(FileEdit(repo.path("by_edit.txt"), "delete", before=OLD))
    story.run("git rm -r -q lib")
    for name in ("by_edit.txt", "lib/by_command.txt", "by_person.txt"):
        (repo.root / name).unlink()
    made = repo.compare(story)
    assert file_of(made, "by_edit.txt").owner is Owner.THIS_SESSION
    assert change_of(made, "lib/by_command.txt").owner is Owner.COMMAND
    assert change_of(made, "by_person.txt").owner is Owner.UNKNOWN


def test_a_file_that_became_a_link(repo: Repo, story: StoryBuilder) -> None:
    repo.write("target.txt", "target\n", -2000)
    repo.write("b.txt", OLD)
    repo.commit("b")
    repo.write("a.txt", NEW, 12)
    (repo.root / "b.txt").unlink()
    (repo.root / "b.txt").symlink_to("target.txt")
    made = repo.compare(story)
    change = change_of(made, "b.txt")
    assert change.status[1] == "T"
    assert change.owner is Owner.UNKNOWN, "the link is new, whatever it leads to is old"


def test_a_file_of_the_session_that_became_a_directory(repo: Repo, story: StoryBuilder) -> None:
    (repo.root / "a.txt").unlink()
    repo.write("a.txt/inner.txt", "x\n", 400)
    made = repo.compare(story)
    assert file_of(made, "a.txt").state is FileState.DIVERGED
    assert {hunk.owner for hunk in file_of(made, "a.txt").hunks} <= {Owner.UNKNOWN}
    assert change_of(made, "a.txt/inner.txt").owner is Owner.UNKNOWN


def test_a_mode_alone(repo: Repo, story: StoryBuilder) -> None:
    """Changing a mode leaves the file's time as it was."""
    for name in ("run.sh", "typed.sh"):
        repo.write(name, OLD)
    repo.git("add", "run.sh", "typed.sh")
    repo.git("commit", "-q", "-m", "scripts")
    story.run("chmod +x run.sh")
    for name in ("run.sh", "typed.sh"):
        (repo.root / name).chmod(0o755)
    made = repo.compare(story)
    assert change_of(made, "run.sh").owner is Owner.COMMAND
    assert change_of(made, "typed.sh").owner is Owner.UNKNOWN
    (repo.root / "a.txt").chmod(0o755)
    assert file_of(repo.compare(story), "a.txt").owner is Owner.THIS_SESSION


# ── submodules, nested repositories, worktrees ───────────────────────────────────────────────────────────────────────


@pytest.fixture
def outer(repo: Repo, tmp_path: Path) -> Repo:
    inner = Repo(tmp_path / "inner", repo.bench)
    inner.root.mkdir()
    inner.git("init", "-q", "-b", "main")
    inner.write("i.txt", OLD)
    inner.commit("i")
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.root), "sub")
    repo.commit("with a submodule")
    return repo


def test_a_submodule_with_new_commits(outer: Repo) -> None:
    story = outer.story()
    story.run("pytest")
    outer.write("sub/i.txt", NEW, 12)
    outer.git("commit", "-q", "-am", "inner", at=20, cwd=outer.root / "sub")
    made = outer.compare(story)
    assert (change_of(made, "sub").owner, change_of(made, "sub").hunks) == (Owner.UNKNOWN, ())


def test_a_submodule_with_dirt_is_told(outer: Repo) -> None:
    story = outer.story()
    outer.write("sub/i.txt", NEW, 300)
    change = change_of(outer.compare(story), "sub")
    assert (change.status, change.owner) == (" M", Owner.UNKNOWN)
    assert "submodule" in change.why


@pytest.mark.parametrize("place", ["../elsewhere", "link"])
def test_a_list_of_submodules_leads_nowhere_outside(repo: Repo, tmp_path: Path, place: str) -> None:
    elsewhere = Repo(tmp_path / "elsewhere", repo.bench)
    elsewhere.root.mkdir()
    elsewhere.git("init", "-q", "-b", "main")
    elsewhere.write("dirt.txt", "x\n")
    repo.write(".gitmodules", f'[submodule "x"]\n\tpath = {place}\n\turl = x\n')
    (repo.root / "link").symlink_to(elsewhere.root)
    repo.commit("modules")
    assert repo.compare(repo.story()).other_changes == ()


def test_work_of_the_session_in_a_submodule(outer: Repo) -> None:
    story = outer.story()
    story.edit(edited(outer.write("sub/i.txt", NEW, 12), OLD, NEW))
    made = outer.compare(story)
    file, fates = only(made, "sub/i.txt")
    assert (file.state, file.owner, fates) == (FileState.PRESENT, Owner.THIS_SESSION, [Fate.UNCOMMITTED])
    assert change_of(made, "sub").owner is Owner.THIS_SESSION, "nothing else in it is dirty"


def test_a_submodule_in_which_somebody_else_worked_too(outer: Repo) -> None:
    story = outer.story()
    story.edit(edited(outer.write("sub/i.txt", NEW, 12), OLD, NEW))
    outer.write("sub/by_hand.txt", "x\n", 300)
    assert change_of(outer.compare(story), "sub").owner is Owner.MIXED
    outer.git("add", "-A", cwd=outer.root / "sub")
    outer.git("commit", "-q", "-m", "by hand", at=400, cwd=outer.root / "sub")
    assert change_of(outer.compare(story), "sub").owner is Owner.UNKNOWN, "whose its commit is, is not told"


def test_a_nested_repository(repo: Repo) -> None:
    nested = Repo(repo.root / "vendor" / "lib", repo.bench)
    nested.root.mkdir(parents=True)
    nested.git("init", "-q", "-b", "main")
    nested.write("n.txt", OLD)
    nested.commit("n")
    os.utime(nested.root, (1, 1))
    story = repo.story()
    story.edit(edited(nested.write("n.txt", NEW, 12), OLD, NEW))
    made = repo.compare(story)
    file, fates = only(made, "vendor/lib/n.txt")
    assert (file.owner, fates) == (Owner.THIS_SESSION, [Fate.UNCOMMITTED])
    change = change_of(made, "vendor/lib/")
    assert (change.owner, change.hunks) == (Owner.UNKNOWN, ())


def test_a_linked_worktree(repo: Repo, tmp_path: Path) -> None:
    repo.write("a.txt", OLD)
    repo.commit("a")
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Repo(tmp_path / "side", repo.bench)
    story = side.story()
    story.edit(edited(side.write("a.txt", NEW, 12), OLD, NEW))
    repo.write("a.txt", OLD + "elsewhere\n", 12)
    made = side.compare(story)
    assert (made.repo, made.branch) == (str(side.root), "side")
    assert only(made)[0].owner is Owner.THIS_SESSION
    assert made.other_changes == ()


def test_a_bare_repository_is_no_checkout(repo: Repo, tmp_path: Path) -> None:
    repo.git("clone", "-q", "--bare", str(repo.root), str(tmp_path / "bare.git"))
    bare = Repo(tmp_path / "bare.git", repo.bench)
    story = bare.story()
    story.edit(written(bare.write("x.txt", OLD, 12), OLD, existed=False))
    made = bare.compare(story)
    assert (made.repo, file_of(made, bare.path("x.txt")).state) == (None, FileState.PRESENT)
    assert made.warnings


# ── conflicts ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_conflict_in_a_file_of_the_session(repo: Repo, story: StoryBuilder) -> None:
    repo.git("commit", "-q", "-am", "session", at=20)
    repo.git("checkout", "-q", "-b", "side", "HEAD~1")
    repo.write("a.txt", OLD.replace("beta", "beta side"), 30)
    repo.git("commit", "-q", "-am", "side", at=30)
    repo.git("checkout", "-q", "main")
    repo.git("merge", "side", check=False)
    made = repo.compare(story)
    assert made.operation is not None
    assert made.operation.conflicts == ("a.txt",)
    file, _ = only(made)
    assert file.hunks, "conflicted places are dirty"
    marked = [hunk for hunk in file.hunks if any("<<<<<<<" in line or ">>>>>>>" in line for line in hunk.lines)]
    assert marked
    assert all(hunk.owner is not Owner.THIS_SESSION for hunk in marked)


@pytest.mark.parametrize("kind", ["AA", "DU", "UD"])
def test_conflicts_of_other_files(repo: Repo, story: StoryBuilder, kind: str) -> None:
    repo.git("commit", "-q", "-am", "session", at=20)
    if kind != "AA":
        repo.write("c.txt", OLD)
        repo.commit("c")
    repo.git("checkout", "-q", "-b", "side")
    repo.write("c.txt", "side\n")
    if kind == "UD":
        (repo.root / "c.txt").unlink()
    repo.commit("side")
    repo.git("checkout", "-q", "main")
    repo.write("c.txt", "main\n")
    if kind == "DU":
        (repo.root / "c.txt").unlink()
    repo.commit("main")
    repo.git("merge", "side", check=False)
    made = repo.compare(story)
    assert made.operation is not None
    assert (made.operation.kind, made.operation.conflicts) == ("merge", ("c.txt",))
    change = change_of(made, "c.txt")
    assert change.status == kind
    assert change.owner in (Owner.UNKNOWN, Owner.MIXED)


# ── what git does not tell ───────────────────────────────────────────────────────────────────────────────────────────


def test_an_ignored_file_of_the_session(repo: Repo) -> None:
    repo.write(".gitignore", "*.local\n")
    repo.commit("ignore")
    story = repo.story()
    story.edit(written(repo.write("env.local", OLD, 12), OLD, existed=False))
    file, fates = only(repo.compare(story), "env.local")
    assert (file.state, file.owner, fates) == (FileState.PRESENT, Owner.THIS_SESSION, [Fate.UNCOMMITTED])


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_a_change_that_git_was_told_to_overlook(repo: Repo, story: StoryBuilder, flag: str) -> None:
    repo.git("update-index", flag, "a.txt")
    repo.write("a.txt", NEW + "typed\n", 500)
    made = repo.compare(story)
    file, fates = only(made)
    assert fates == [Fate.UNCOMMITTED]
    assert [(hunk.lines, hunk.owner) for hunk in file.hunks] == [
        (("-beta", "+beta two"), Owner.THIS_SESSION),
        (("+typed",), Owner.UNKNOWN),
    ]


def test_an_overlooked_file_without_a_change_is_committed(repo: Repo, story: StoryBuilder) -> None:
    repo.git("commit", "-q", "-am", "session", at=20)
    repo.git("update-index", "--assume-unchanged", "a.txt")
    file, fates = only(repo.compare(story))
    assert (file.hunks, fates) == ((), [Fate.COMMITTED])


def test_a_file_outside_a_sparse_checkout_is_not_gone(repo: Repo) -> None:
    repo.write("in/x.txt", "x\n")
    path = repo.write("out/a.txt", OLD)
    repo.commit("two")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    repo.write("out/a.txt", NEW, 12)
    sha = repo.commit("session", at=20)
    repo.git("sparse-checkout", "set", "in")
    assert not (repo.root / "out/a.txt").exists()
    made = repo.compare(story)
    file = file_of(made, "out/a.txt")
    assert file.state is FileState.PRESENT
    assert [(edit.fate, edit.commit) for edit in file.edits] == [(Fate.COMMITTED, sha)]
    assert any("sparse" in warned.what for warned in made.warnings)


# ── odd names, sizes, line ends, heads ───────────────────────────────────────────────────────────────────────────────


def test_names_that_are_no_utf8(repo: Repo) -> None:
    name = os.fsdecode(b'caf\xe9 "q"\t\n.txt')
    repo.write(name, OLD)
    repo.commit("odd")
    story = repo.story()
    story.edit(edited(repo.write(name, NEW, 12), OLD, NEW))
    repo.write(os.fsdecode(b"\xff.txt"), "typed\n", 500)
    made = repo.compare(story)
    assert only(made, name)[0].owner is Owner.THIS_SESSION
    assert change_of(made, os.fsdecode(b"\xff.txt")).owner is Owner.UNKNOWN
    dump_exact(checkout_document(made)).encode()  # a name that is no text must not keep the answer from being written


def test_a_huge_file_is_told_without_its_lines(repo: Repo) -> None:
    repo.write("big.log", "line\n")
    repo.commit("big")
    story = repo.story()
    repo.write("big.log", b"grown\n" * 3_000_000, 500)
    repo.write("new.log", b"grown\n" * 3_000_000, 500)
    made = repo.compare(story)
    for name in ("big.log", "new.log"):
        change = change_of(made, name)
        assert change.owner is Owner.UNKNOWN
        assert sum(len(hunk.lines) for hunk in change.hunks) == 0


def test_before_the_first_commit(bare: Repo) -> None:
    bare.git("init", "-q", "-b", "main")
    story = bare.story()
    story.edit(written(bare.write("a.txt", OLD, 12), OLD, existed=False))
    story.edit(written(bare.write("b.txt", OLD, 22), OLD, existed=False))
    bare.git("add", "a.txt")
    made = bare.compare(story)
    assert (made.head, made.branch) == (None, "main")
    for name in ("a.txt", "b.txt"):
        file, fates = only(made, name)
        assert (file.owner, fates) == (Owner.THIS_SESSION, [Fate.UNCOMMITTED])


def test_a_detached_head(repo: Repo, story: StoryBuilder) -> None:
    repo.git("checkout", "-q", "--detach")
    made = repo.compare(story)
    assert (made.branch, only(made)[0].owner) == (None, Owner.THIS_SESSION)


def test_windows_line_ends_with_autocrlf(repo: Repo) -> None:
    repo.git("config", "core.autocrlf", "true")
    path = repo.write("a.txt", OLD.replace("\n", "\r\n"))
    repo.commit("a")
    assert repo.git("show", "HEAD:a.txt") == OLD.strip()
    story = repo.story()
    before, after = OLD.replace("\n", "\r\n"), NEW.replace("\n", "\r\n")
    story.edit(edited(path, before, after))
    repo.write("a.txt", after, 12)
    repo.write("b.txt", "x\r\n", 500)
    made = repo.compare(story)
    file, fates = only(made)
    assert (file.owner, fates) == (Owner.THIS_SESSION, [Fate.UNCOMMITTED])
    assert [hunk.lines for hunk in file.hunks] == [("-beta", "+beta two")]


def test_line_ends_that_somebody_turned_are_no_work_of_the_session(repo: Repo, story: StoryBuilder) -> None:
    repo.write("a.txt", NEW.replace("\n", "\r\n"), 500)
    file, _ = only(repo.compare(story))
    assert file.owner is not Owner.THIS_SESSION


def test_a_repository_that_ignores_case(repo: Repo, story: StoryBuilder) -> None:
    repo.git("config", "core.ignorecase", "true")
    made = repo.compare(story)
    assert only(made)[0].owner is Owner.THIS_SESSION
    assert made.other_changes == ()


def test_a_file_that_became_a_link_out_of_the_checkout_is_not_there(repo: Repo, tmp_path: Path) -> None:
    path = repo.write("m.txt", OLD)
    repo.commit("m")
    made = repo.story()
    made.edit(edited(path, OLD, NEW))
    Path(path).unlink()
    (tmp_path / "outside.txt").write_text(NEW)
    Path(path).symlink_to(tmp_path / "outside.txt")
    file = file_of(repo.compare(made), "m.txt")
    assert file.state is FileState.DIVERGED
    assert [place.where for place in file.found_in] == [PlaceKind.RECORD]
    assert [edit.fate for edit in file.edits] == [Fate.LOST]


def test_an_edit_whose_commit_is_being_rebased_is_committed(repo: Repo) -> None:
    path = repo.write("m.txt", "one\ntwo\nthree\n")
    repo.commit("m")
    repo.git("checkout", "-q", "-b", "feat")
    made = repo.story()
    made.edit(edited(path, "one\ntwo\nthree\n", "one\nmine\nthree\n"))
    repo.write("m.txt", "one\nmine\nthree\n", 12)
    sha = repo.commit("mine", at=20)
    repo.git("checkout", "-q", "main")
    repo.write("m.txt", "one\ntheirs\nthree\n", 30)
    repo.commit("theirs", at=30)
    repo.git("checkout", "-q", "feat")
    repo.git("rebase", "main", at=40, check=False)
    file = file_of(repo.compare(made), "m.txt")
    assert [(edit.fate, edit.commit) for edit in file.edits] == [(Fate.COMMITTED, sha)]
    assert ("branch", "feat", sha) in [(place.where, place.ref, place.commit) for place in file.found_in]
