"""Where work stands that is not at its recorded path: removed worktrees, links, stashes, a reflog dated back."""

from dataclasses import replace
from pathlib import Path

from tests.core.checkout.conftest import Repo, at, change_of, file_of

from refloat.checkout.repository import Repository
from refloat.model.checkout import TAKEN_BACK, Fate, FileState, Owner, PlaceKind
from refloat.model.stamp import stamp_of_seconds
from refloat.testing.stories import edited

OLD = "def total(rows):\n    return sum(rows)\n"
NEW = OLD.replace("sum(rows)", "sum(row.net for row in rows)")


def test_a_commit_of_a_worktree_that_was_removed_is_found(repo: Repo) -> None:
    repo.write("lib/a.py", OLD)
    repo.commit("a")
    tree = repo.root.parent / "beside"
    repo.git("worktree", "add", "-q", "-b", "feature", str(tree))
    path = repo.write("../beside/lib/a.py", NEW, 12)
    repo.git("commit", "-qam", "net", cwd=tree, at=20)
    sha = repo.git("rev-parse", "HEAD", cwd=tree)
    repo.git("worktree", "remove", "--force", str(tree))
    story = repo.story()
    story.edit(edited(str(Path(path).resolve()), OLD, NEW))
    (file,) = repo.compare(story).files
    assert (file.state, file.edits[0].fate, file.edits[0].commit) == (FileState.DELETED, Fate.COMMITTED, sha)
    assert [(p.where, p.path, p.ref) for p in file.found_in] == [(PlaceKind.BRANCH, "lib/a.py", "feature")]


def test_a_workspace_that_is_gone_is_compared_with_the_repository_around_it(repo: Repo) -> None:
    tree = repo.root / ".claude/worktrees/net"
    repo.git("worktree", "add", "-q", "-b", "net", str(tree))
    path = repo.write(".claude/worktrees/net/a.py", OLD, 12)
    repo.git("add", "a.py", cwd=tree)
    repo.git("commit", "-qm", "a", cwd=tree, at=20)
    repo.git("worktree", "remove", "--force", str(tree))
    story = replace(repo.story(), workspace=str(tree))
    story.edit(edited(path, "", OLD))
    made = repo.compare(story)
    assert made.repo == str(repo.root)
    assert any("the workspace is gone" in warned.what for warned in made.warnings)
    assert [(p.where, p.ref) for p in made.files[0].found_in] == [(PlaceKind.BRANCH, "net")]


def test_a_worktree_anywhere_below_the_repository_that_was_removed(repo: Repo) -> None:
    repo.write("a.py", OLD)
    repo.commit("a")
    tree = repo.root / ".wt/x"
    repo.git("worktree", "add", "-q", "-b", "side", str(tree))
    path = repo.write(".wt/x/a.py", NEW, 12)
    repo.git("commit", "-qam", "net", cwd=tree, at=20)
    sha = repo.git("rev-parse", "side")
    repo.git("worktree", "remove", "--force", str(tree))
    story = replace(repo.story(), workspace=str(tree))
    story.edit(edited(path, OLD, NEW))
    (file,) = repo.compare(story).files
    assert (file.edits[0].fate, file.edits[0].commit) == (Fate.COMMITTED, sha)
    assert [(p.where, p.path, p.ref) for p in file.found_in] == [(PlaceKind.BRANCH, "a.py", "side")]


def test_what_was_carried_over_from_a_worktree_that_was_removed_stands_in_the_main_one(repo: Repo) -> None:
    repo.write("a.py", OLD)
    repo.commit("a")
    repo.write("a.py", NEW, 50)
    story = replace(repo.story(), workspace=repo.path(".claude/worktrees/x"))
    story.edit(edited(repo.path(".claude/worktrees/x/a.py"), OLD, NEW))
    (file,) = repo.compare(story).files
    assert [(p.where, p.path) for p in file.found_in] == [(PlaceKind.OTHER_WORKTREE, repo.path("a.py"))]


def test_an_edit_in_another_worktree_is_told_as_such(repo: Repo) -> None:
    repo.write("a.py", OLD)
    repo.commit("a")
    tree = repo.root.parent / "beside"
    repo.git("worktree", "add", "-q", "-b", "feature", str(tree))
    path = repo.write("../beside/a.py", NEW, 12)
    story = repo.story()
    story.edit(edited(str(Path(path).resolve()), OLD, NEW))
    (file,) = repo.compare(story).files
    assert (file.state, [p.where for p in file.found_in]) == (FileState.PRESENT, [PlaceKind.OTHER_WORKTREE])


def test_an_edit_through_a_link_owns_the_file_that_it_leads_to(repo: Repo) -> None:
    repo.write("AGENTS.md", OLD)
    (repo.root / "CLAUDE.md").symlink_to("AGENTS.md")
    repo.commit("both")
    story = repo.story()
    story.edit(edited(repo.path("CLAUDE.md"), OLD, NEW))
    repo.write("AGENTS.md", NEW, 12)
    made = repo.compare(story)
    file = file_of(made, "CLAUDE.md")
    assert (file.state, file.owner, file.edits[0].fate) == (FileState.PRESENT, Owner.THIS_SESSION, Fate.UNCOMMITTED)
    assert change_of(made, "AGENTS.md").owner is Owner.THIS_SESSION


def test_work_in_a_stash_is_not_lost(repo: Repo) -> None:
    story = repo.story()
    story.edit(edited(repo.path("new.py"), "", NEW))
    repo.write("new.py", NEW, 12)
    repo.git("stash", "-u", at=20)
    file = file_of(repo.compare(story), "new.py")
    assert (file.state, file.edits[0].fate) == (FileState.DELETED, Fate.REVERTED)
    assert [p.where for p in file.found_in] == [PlaceKind.STASH]


def test_the_order_of_the_reflog_counts_more_than_its_times(repo: Repo) -> None:
    # A checkout dated back (as by GIT_COMMITTER_DATE) does not make a later commit the one of the start.
    log = [(0, "back at the first"), (120, "second"), (0, "first")]
    tree = Repository(repo.bench.machine.git, repo.root, repo.root / ".git", repo.root / ".git", "sha1", reflog=log)
    assert tree.head_at(stamp_of_seconds(100)) == "first"
    assert tree.head_at(stamp_of_seconds(200)) == "back at the first"
    assert tree.head_at(stamp_of_seconds(-1)) is None


def test_what_another_session_put_in_the_place_of_an_edit_is_the_others(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    first = repo.story()
    second = replace(repo.story("5f0c1d2e-0000-4000-8000-000000000002"), started=at(60))
    newer = NEW.replace("row.net", "row.gross")
    first.edit(edited(path, OLD, NEW))
    second.edit(edited(path, NEW, newer))
    repo.write("a.py", newer, 90)
    assert file_of(repo.compare(second, first), "a.py").owner is Owner.THIS_SESSION
    seen = file_of(repo.compare(first, second), "a.py")
    assert (seen.owner, seen.edits[0].fate) == (Owner.OTHER_SESSION, Fate.REPLACED)


def test_an_edit_that_only_took_lines_away_is_replaced_by_no_other_session(repo: Repo) -> None:
    before = "first line\nsecond line\nthird line\n"
    path = repo.write("a.py", before)
    repo.commit("a")
    first = repo.story()
    second = replace(repo.story("5f0c1d2e-0000-4000-8000-000000000002"), started=at(60))
    newer = before.replace("first", "other")
    first.edit(edited(path, before, "first line\nthird line\n"))
    second.edit(edited(path, before, newer))
    repo.write("a.py", newer, 90)
    (edit,) = file_of(repo.compare(first, second), "a.py").edits
    assert edit.fate in {Fate.REVERTED, Fate.LOST}


def test_an_edit_that_was_taken_back_does_not_stand(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, OLD.replace("sum", "max")))
    story.steps[-1] = replace(story.steps[-1], superseded=True)
    story.edit(edited(path, OLD, NEW))
    repo.write("a.py", NEW, 20)
    taken, kept = file_of(repo.compare(story), "a.py").edits
    assert (taken.fate, taken.by, kept.fate) == (Fate.REVERTED, TAKEN_BACK, Fate.UNCOMMITTED)
