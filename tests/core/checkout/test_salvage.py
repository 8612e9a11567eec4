"""Lost work comes back by `git apply`, byte for byte, and nobody else's is lost on the way."""

import os
from pathlib import Path

import pytest
from tests.core.checkout.conftest import Repo, at

from refloat.model.checkout import FileState
from refloat.model.salvage import Salvage
from refloat.model.transcript import FileEdit, Outcome, Touched
from refloat.testing.stories import StoryBuilder, edited, hunks_between, replaced, written
from refloat.usecases.salvage import salvage

OLD = "def total(rows):\n    return sum(rows)\n\n\ndef mean(rows):\n    return total(rows) / len(rows)\n"
NEW = OLD.replace("sum(rows)", "sum(row.net for row in rows)")


def find(repo: Repo, story: StoryBuilder, *others: StoryBuilder) -> Salvage:
    before = tree_of(repo)
    found = salvage(repo.bench, story.build(), others=[other.build() for other in others])
    assert tree_of(repo) == before, "the checkout was touched"
    return found


def tree_of(repo: Repo) -> dict[str, tuple[float, bytes | str]]:
    found: dict[str, tuple[float, bytes | str]] = {}
    for folder, _, names in os.walk(repo.root):
        for name in names:
            path = Path(folder) / name
            content = str(path.readlink()) if path.is_symlink() else path.read_bytes()
            found[str(path)] = (path.lstat().st_mtime, content)
    return found


def apply(repo: Repo, found: Salvage) -> None:
    patch = repo.root.parent / "lost.patch"
    patch.write_bytes(found.patch.encode())
    repo.git("apply", str(patch))


def rows(found: Salvage) -> dict[str, bool]:
    return {file.path: file.in_patch for file in found.files}


def why(found: Salvage, path: str) -> str:
    return next(file.why for file in found.files if file.path == path)


def read(repo: Repo, name: str) -> bytes:
    return (repo.root / name).read_bytes()


# ── what is lost ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_reverted_session_comes_back_whole(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    gone = repo.write("old.py", "x = 1\n")
    repo.write("mode.sh", "#!/bin/sh\n")
    (repo.root / "mode.sh").chmod(0o755)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    story.edit(written(repo.path("new/b.py"), "b\n", existed=False))
    story.edit(FileEdit(gone, "delete", before="x = 1\n", existed=True))
    story.edit(edited(repo.path("mode.sh"), "#!/bin/sh\n", "#!/bin/sh\necho\n"))
    found = find(repo, story)
    assert rows(found) == {"a.py": True, "new/b.py": True, "old.py": True, "mode.sh": True}
    apply(repo, found)
    assert read(repo, "a.py").decode() == NEW
    assert read(repo, "new/b.py") == b"b\n"
    assert not (repo.root / "old.py").exists()
    assert (repo.root / "mode.sh").stat().st_mode & 0o111
    assert find(repo, story).files == ()


def test_what_stands_or_is_saved_is_not_lost(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.write("b.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    story.edit(edited(repo.path("b.py"), OLD, NEW))
    repo.write("a.py", NEW, 12)
    repo.write("b.py", NEW, 12)
    repo.git("stash", "push", "b.py", at=30)
    found = find(repo, story)
    assert (found.files, found.patch, found.secrets) == ((), "", 0)


def test_a_staged_edit_is_saved_in_the_index(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    repo.write("a.py", NEW, 12)
    repo.git("add", "a.py")
    repo.write("a.py", OLD, 20)
    (file,) = repo.compare(story).files
    assert [(p.where, p.ref) for p in file.found_in] == [("worktree", "index")]
    assert find(repo, story).files == ()


def test_a_refused_edit_and_one_that_was_taken_back_are_no_lost_work(repo: Repo) -> None:
    story = repo.story()
    story.edit(written(repo.path("a.py"), "a\n"), outcome=Outcome.DENIED)
    story.edit(written(repo.path("b.py"), "b\n"), superseded=True)
    assert find(repo, story).files == ()


def test_an_edit_without_a_recorded_result_is_offered(repo: Repo) -> None:
    story = repo.story()
    story.edit(written(repo.path("a.py"), "a\n"), outcome=Outcome.DANGLING)
    assert rows(find(repo, story)) == {"a.py": True}


def test_only_edits_that_were_not_taken_back_come_back(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    story.edit(edited(path, NEW, NEW + "gone\n"), superseded=True)
    found = find(repo, story)
    apply(repo, found)
    assert read(repo, "a.py").decode() == NEW


# ── what others did since ────────────────────────────────────────────────────────────────────────────────────────────


def test_what_somebody_else_changed_since_stays(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    repo.write("a.py", OLD + "# theirs\n", 60)
    found = find(repo, story)
    assert "keeps what was changed since" in why(found, "a.py")
    apply(repo, found)
    assert read(repo, "a.py").decode() == NEW + "# theirs\n"


def test_a_change_of_the_same_lines_is_put_beside(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    repo.write("a.py", OLD.replace("sum(rows)", "max(rows)"), 60)
    found = find(repo, story)
    (file,) = found.files
    assert (file.in_patch, file.beside, found.patch) == (False, NEW.encode(), "")
    assert file.why == "the lines that the session changed were changed by somebody else, too"


def test_what_is_no_text_any_more_is_told_as_that(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    Path(path).write_bytes(b"\0\1\2")
    (file,) = find(repo, story).files
    assert file.why == "what stands there now is no text, so the session's lines cannot be put back into it"


def test_a_new_file_in_whose_place_something_else_stands(repo: Repo) -> None:
    story = repo.story()
    story.edit(written(repo.path("a.py"), "mine = 1\n", existed=False))
    repo.write("a.py", "theirs = 2\n", 60)
    (file,) = find(repo, story).files
    assert (file.in_patch, file.beside) == (False, b"mine = 1\n")


def test_a_deleted_file_that_came_back_as_another_is_not_deleted(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(FileEdit(path, "delete", before=OLD, existed=True))
    repo.write("a.py", "something = 'else'\n", 60)
    (file,) = find(repo, story).files
    assert not file.in_patch


def test_a_replacement_of_every_place_of_which_some_were_put_back(repo: Repo) -> None:
    before = "a = foo\nb = foo\nc = bar\nd = foo\n"
    path = repo.write("m.py", before)
    repo.commit("m")
    story = repo.story()
    story.edit(edited(path, before, before.replace("foo", "baz")))
    repo.write("m.py", "a = baz\nb = foo\nc = bar\nd = foo\n", 60)
    assert [file.state for file in repo.compare(story).files] == [FileState.PARTLY]
    (file,) = find(repo, story).files
    assert (file.in_patch, file.beside) == (False, before.replace("foo", "baz").encode())


def test_what_another_session_replaced_and_lost_is_lost_work_too(repo: Repo) -> None:
    path = repo.write("a.py", "one\ntwo\n")
    repo.commit("a")
    story, other = repo.story(), repo.story("01997e76-0000-7000-8000-000000000001", "codex")
    story.edit(edited(path, "one\ntwo\n", "one\nmine\n"))
    other.edit(edited(path, "one\nmine\n", "one\ntheirs\n"))
    found = salvage(repo.bench, story.build(), others=[other.build()])
    assert rows(found) == {"a.py": True}
    apply(repo, found)
    assert read(repo, "a.py") == b"one\nmine\n"


def test_a_deletion_that_somebody_undid_is_not_made_again(repo: Repo) -> None:
    """The session's edit stands: whoever put the one file back meant just that."""
    path, gone = repo.write("a.py", OLD), repo.write("old.py", "x = 1\n")
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    story.edit(FileEdit(gone, "delete", before="x = 1\n", existed=True))
    repo.write("a.py", NEW, 12)
    found = find(repo, story)
    assert (rows(found), found.patch) == ({"old.py": False}, "")
    assert "put it back" in why(found, "old.py")


def test_a_deletion_that_the_session_took_back_itself_is_no_lost_work(repo: Repo) -> None:
    path, gone = repo.write("a.py", OLD), repo.write("old.py", "x = 1\n")
    repo.commit("a")
    story = repo.story()
    story.edit(FileEdit(gone, "delete", before="x = 1\n", existed=True))
    story.run("git checkout -- old.py")
    story.edit(edited(path, OLD, NEW))
    found = find(repo, story)
    assert rows(found) == {"a.py": True}
    apply(repo, found)
    assert read(repo, "old.py") == b"x = 1\n"


def test_a_whole_write_over_a_file_that_only_head_holds(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(written(path, "rewritten = 1\n", existed=True))
    found = find(repo, story)
    apply(repo, found)
    assert read(repo, "a.py") == b"rewritten = 1\n"


def test_a_directory_in_the_place_of_a_file(repo: Repo) -> None:
    story = repo.story()
    story.edit(written(repo.path("a"), "mine\n", existed=False))
    story.edit(written(repo.path("b/c"), "mine too\n", existed=False))
    repo.write("a/inner", "theirs\n", 60)
    repo.write("b", "theirs\n", 60)
    found = find(repo, story)
    assert rows(found) == {"a": False, "b/c": False}
    assert why(found, "a") == "a directory stands in its place now"
    assert why(found, "b/c") == "b is no directory now"


def test_a_file_that_the_session_made_a_directory_of(repo: Repo) -> None:
    path = repo.write("a", "a\n")
    repo.commit("a")
    story = repo.story()
    story.edit(FileEdit(path, "delete", before="a\n", existed=True))
    story.edit(written(repo.path("a/b"), "b\n", existed=False))
    found = find(repo, story)
    assert rows(found) == {"a": True, "a/b": True}
    apply(repo, found)
    assert read(repo, "a/b") == b"b\n"


# ── shapes of content ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"a\r\nb\r\n", b"a\r\nc\r\n"),
        (b"a\r\nb\n", b"a\r\nc\n"),
        (b"a\nb", b"a\nc"),
        (b"a\nb\n", b"a\nb"),
        (b"a\nb", b"a\nb\n"),
        (b"a\n", b""),
        (b"", b"a\n"),
        (b"a\x0cb\n\xe2\x80\xa8x\n", b"a\x0cc\n\xe2\x80\xa8y\n"),
        (b"\xef\xbb\xbfa\n", b"\xef\xbb\xbfb\n"),
        (b"a\n", b"a\x00b\n"),
        (b"a\x00b\n", b"a\x00c\n"),
        ("a\n".encode("utf-16"), "b\n".encode("utf-16")),
    ],
)
@pytest.mark.parametrize("exact", [True, False])
def test_the_recorded_bytes_come_back(repo: Repo, old: bytes, new: bytes, exact: bool) -> None:
    def text(data: bytes) -> str:
        return data.decode("utf-16" if data[:2] == b"\xff\xfe" else "utf-8")

    path = repo.write("a.txt", old)
    repo.commit("a")
    story = repo.story()
    if exact or b"\0" in old or text(old).rstrip("\n") == text(new).rstrip("\n"):
        edit = FileEdit(path, "update", before=text(old), after=text(new), existed=True)
    else:
        edit = FileEdit(path, "update", hunks=hunks_between(text(old), text(new)), existed=True)
    story.edit(edit)
    found = find(repo, story)
    assert rows(found) == {"a.txt": True}
    apply(repo, found)
    assert read(repo, "a.txt") == new


def test_a_record_that_leaves_carriage_returns_out(repo: Repo) -> None:
    """Claude Code's hunks and contents have no carriage returns, whatever the file has."""
    path = repo.write("a.txt", "a\r\nb\r\nc\r\nd\r\ne\r\n")
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, "a\nb\nc\nd\ne\n", "a\nB\nc\nd\ne\n"))
    found = find(repo, story)
    apply(repo, found)
    assert read(repo, "a.txt") == b"a\r\nB\r\nc\r\nd\r\ne\r\n"


def test_bytes_that_are_no_text_stay_as_they_are(repo: Repo) -> None:
    path = repo.write("a.txt", b"caf\xe9\nb\n")
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, "caf\ufffd\nb\n", "caf\ufffd\nc\n"))
    found = find(repo, story)
    apply(repo, found)
    assert read(repo, "a.txt") == b"caf\xe9\nc\n"


def test_a_deleted_file_keeps_its_executable_bit_and_comes_from_its_hunks(repo: Repo) -> None:
    path = repo.write("run.sh", OLD)
    (repo.root / "run.sh").chmod(0o755)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW, exact=False))
    (repo.root / "run.sh").unlink()
    found = find(repo, story)
    apply(repo, found)
    assert read(repo, "run.sh").decode() == NEW
    assert (repo.root / "run.sh").stat().st_mode & 0o100


def test_a_rename_with_an_edit(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    target = repo.path("lib/b.py")
    story.edit(FileEdit(path, "update", hunks=hunks_between(OLD, NEW), moved_to=target, existed=True))
    found = find(repo, story)
    assert rows(found) == {"a.py": True, "lib/b.py": True}
    apply(repo, found)
    assert not (repo.root / "a.py").exists()
    assert read(repo, "lib/b.py").decode() == NEW


def test_hunks_that_fit_nowhere_are_told_as_such(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(replaced(path, "sum(rows)", "max(rows)"))
    repo.write("a.py", "all = 'new'\n", 60)
    (file,) = find(repo, story).files
    assert (file.in_patch, file.suffix) == (False, ".hunks")
    assert file.beside is not None
    assert b"+max(rows)" in file.beside


def test_one_of_two_hunks_stands_already(repo: Repo) -> None:
    both = NEW.replace("len(rows)", "(len(rows) or 1)")
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW, exact=False))
    story.edit(edited(path, NEW, both, exact=False))
    repo.write("a.py", NEW, 60)
    found = find(repo, story)
    apply(repo, found)
    assert read(repo, "a.py").decode() == both


# ── where the content comes from ─────────────────────────────────────────────────────────────────────────────────────


def lose_after_commit(repo: Repo, *, dangling: bool) -> StoryBuilder:
    """A file of which the record has one hunk, committed with more in it, then lost with its branch."""
    path = repo.path("a.py")
    story = repo.story()
    story.edit(replaced(path, "sum(rows)", "sum(row.net for row in rows)"))
    repo.git("checkout", "-q", "-b", "feature")
    repo.write("a.py", NEW, 12)
    repo.commit("net", at=20)
    repo.git("checkout", "-q", "main", at=30)
    repo.git("branch", "-D", "feature")
    if dangling:
        repo.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
    return story


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("dangling", [False, True])
def test_a_lost_commit_gives_what_the_record_has_mere_hunks_of(repo: Repo, *, dangling: bool, packed: bool) -> None:
    story = lose_after_commit(repo, dangling=dangling)
    if packed:
        repo.git("repack", "-q", "-a", "-d", "-k" if dangling else "-q")
    found = find(repo, story)
    assert ("unreachable" if dangling else "reflog") in why(found, "a.py")
    apply(repo, found)
    assert read(repo, "a.py").decode() == NEW


@pytest.mark.parametrize("told", [True, False])
def test_a_pack_from_before_the_session_is_searched_only_where_another_store_lends_to_it(
    repo: Repo, tmp_path: Path, *, told: bool
) -> None:
    story = lose_after_commit(repo, dangling=False)
    repo.git("repack", "-q", "-a", "-d")
    repo.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
    assert "unreachable" in why(find(repo, story), "a.py")
    for pack in (repo.root / ".git" / "objects" / "pack").iterdir():
        os.utime(pack, (0, 0))
    if told:
        (repo.root / ".git" / "objects" / "info" / "alternates").write_text(f"{tmp_path}/elsewhere\n")
    assert ("unreachable" in why(find(repo, story), "a.py")) is told


@pytest.mark.parametrize("whole", [True, False])
def test_a_content_that_was_staged_once(repo: Repo, *, whole: bool) -> None:
    path = repo.path("a.py")
    story = repo.story()
    story.edit(
        written(path, NEW, existed=False) if whole else replaced(path, "sum(rows)", "sum(row.net for row in rows)")
    )
    repo.write("a.py", NEW, 12)
    repo.git("add", "a.py")
    repo.git("rm", "-q", "--cached", "a.py")
    (repo.root / "a.py").unlink()
    (file,) = repo.compare(story).files
    place = next(p for p in file.found_in if p.where == "unreachable_commit")
    assert (place.ref, place.commit) == ("blob " + repo.git("hash-object", "--stdin", stdin=NEW), None)
    found = find(repo, story)
    apply(repo, found)
    assert read(repo, "a.py").decode() == NEW


def test_an_agents_backup_gives_it_back(repo: Repo, tmp_path: Path) -> None:
    backup = tmp_path / "0123456789abcdef@v2"
    backup.write_text(NEW)
    story = repo.story()
    story.edit(replaced(repo.path("a.py"), "sum(rows)", "sum(row.net for row in rows)"))
    # The backup is of a later prompt: it holds what the edit left.
    story.touched.append(Touched(repo.path("a.py"), "backup", at(500), source=str(backup)))
    found = find(repo, story)
    assert "backup" in why(found, "a.py")
    apply(repo, found)
    assert read(repo, "a.py").decode() == NEW


# ── where git stands in the way ──────────────────────────────────────────────────────────────────────────────────────
