"""Sessions against real repositories: states, owners, fates, places."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.core.checkout.conftest import Repo, at, change_of, file_of

from refloat.model.checkout import Fate, FileState, Freshness, Owner, PlaceKind
from refloat.model.transcript import FileEdit, Outcome, Touched
from refloat.testing.stories import edited, replaced, written
from refloat.usecases.salvage import salvage

OLD = "def review(x):\n    return x\n\n\ndef other():\n    pass\n"
NEW = OLD.replace("    return x", "    if x is None:\n        raise ValueError('nothing')\n    return x")


def fates(repo: Repo, file: object) -> list[Fate]:
    return [edit.fate for edit in file.edits]  # pyright: ignore[reportAttributeAccessIssue,reportUnknownMemberType,reportUnknownVariableType] - an EditedFile


# ── uncommitted and committed ────────────────────────────────────────────────────────────────────────────────────────


def test_an_uncommitted_edit_is_this_sessions(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    repo.write("a.py", NEW, 12)
    made = repo.compare(story)
    file = file_of(made, "a.py")
    assert (file.state, file.owner, file.confirmed) == (FileState.PRESENT, Owner.THIS_SESSION, True)
    assert fates(repo, file) == [Fate.UNCOMMITTED]
    assert file.session == "claude-code:5f0c1d2e-0000-4000-8000-000000000001"
    assert [hunk.lines[0][0] for hunk in file.hunks] == ["+"]
    assert (made.repo, made.branch, made.operation) == (str(repo.root), "main", None)


def test_a_committed_edit_names_its_commit(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    repo.write("a.py", NEW, 12)
    sha = repo.commit("b", at=20)
    repo.write("b.py", "x\n", 30)
    repo.commit("c", at=30)
    file = file_of(repo.compare(story), "a.py")
    assert (file.state, file.owner, file.hunks) == (FileState.PRESENT, None, ())
    assert [(edit.fate, edit.commit) for edit in file.edits] == [(Fate.COMMITTED, sha)]
    assert [(p.where, p.ref, p.commit) for p in file.found_in] == [
        (PlaceKind.WORKTREE, None, None),
        (PlaceKind.BRANCH, "main", sha),
    ]


def test_an_edit_of_the_past_is_not_found_in_a_commit_from_before_it(repo: Repo) -> None:
    path = repo.write("a.py", NEW)
    repo.commit("had it", at=-500)
    repo.write("a.py", OLD)
    repo.commit("took it out", at=-400)
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    file = file_of(repo.compare(story), "a.py")
    assert file.state is FileState.REVERTED
    assert fates(repo, file) == [Fate.REVERTED]
    assert [place.where for place in file.found_in] == [PlaceKind.RECORD]


def test_an_edit_that_the_session_replaced_names_the_step(repo: Repo) -> None:
    path = repo.path("a.py")
    story = repo.story()
    story.edit(written(path, "one\n"))
    story.edit(edited(path, "one\n", "two\n"))
    repo.write("a.py", "two\n", 22)
    file = file_of(repo.compare(story), "a.py")
    assert [(edit.fate, edit.by) for edit in file.edits] == [(Fate.REPLACED, "step 2"), (Fate.UNCOMMITTED, None)]


def test_a_refused_edit_is_listed_and_proves_nothing(repo: Repo) -> None:
    story = repo.story()
    story.edit(written(repo.path("a.py"), "x\n"), outcome=Outcome.DENIED)
    file = file_of(repo.compare(story), "a.py")
    assert (file.state, fates(repo, file)) == (FileState.UNVERIFIABLE, [Fate.NEVER_APPLIED])
    assert "refused" in file.why


def test_a_refused_edit_of_which_only_the_path_is_left(repo: Repo) -> None:
    from refloat.model.transcript import StepKind

    story = repo.story()
    story.step(StepKind.EDIT, outcome=Outcome.ERROR, files=[repo.path("README.md")])
    file = file_of(repo.compare(story), "README.md")
    assert (file.state, fates(repo, file)) == (FileState.UNVERIFIABLE, [Fate.NEVER_APPLIED])


@pytest.mark.parametrize(("made", "state"), [(True, FileState.PRESENT), (False, FileState.REVERTED)])
def test_killed_between_the_edit_and_its_note(repo: Repo, *, made: bool, state: FileState) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(replaced(path, "    return x", "    return x + 1"), outcome=Outcome.DANGLING)
    if made:
        repo.write("a.py", OLD.replace("return x", "return x + 1"), 11)
    file = file_of(repo.compare(story), "a.py")
    assert (file.state, file.confirmed) == (state, False)
    assert fates(repo, file) == [Fate.UNCOMMITTED if made else Fate.UNCONFIRMED]


def test_edits_taken_back_with_their_talk_are_never_lost(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, OLD + "kept\n"))
    story.edit(edited(path, OLD + "kept\n", OLD + "kept\ngone\n"), superseded=True)
    repo.write("a.py", OLD + "kept\n", 30)
    file = file_of(repo.compare(story), "a.py")
    assert file.state is FileState.PRESENT
    assert [(edit.fate, edit.by) for edit in file.edits] == [
        (Fate.UNCOMMITTED, None),
        (Fate.REVERTED, "taken back with its part of the talk"),
    ]


# ── where lost content stands ────────────────────────────────────────────────────────────────────────────────────────


def edited_then(repo: Repo) -> tuple[str, object]:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    repo.write("a.py", NEW, 12)
    return path, story


def test_stashed_by_another_session(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    repo.write("a.py", NEW, 12)
    other = repo.story("01997e76-0000-7000-8000-000000000001", "codex")
    other.run("git status --short")
    other.run("git stash")
    repo.git("stash", at=21)
    made = file_of(repo.compare(story, other), "a.py")
    assert made.state is FileState.REVERTED
    stash = repo.git("rev-parse", "refs/stash")
    assert [(p.where, p.ref, p.commit) for p in made.found_in] == [(PlaceKind.STASH, "stash@{0}", stash)]
    assert [(edit.fate, edit.by) for edit in made.edits] == [
        (Fate.REVERTED, "codex:01997e76-0000-7000-8000-000000000001")
    ]


def test_an_untracked_file_in_a_stash(repo: Repo) -> None:
    story = repo.story()
    story.edit(written(repo.path("new.py"), "x = 1\n"))
    repo.write("new.py", "x = 1\n", 12)
    repo.git("stash", "-u", at=20)
    file = file_of(repo.compare(story), "new.py")
    assert file.state is FileState.DELETED
    assert [(place.where, place.ref) for place in file.found_in] == [(PlaceKind.STASH, "stash@{0}")]


def test_a_dropped_stash_is_an_unreachable_commit(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    repo.write("a.py", NEW, 12)
    repo.git("stash", at=20)
    stash = repo.git("rev-parse", "refs/stash")
    repo.git("stash", "drop")
    file = file_of(repo.compare(story), "a.py")
    assert [(p.where, p.commit) for p in file.found_in if p.where is PlaceKind.UNREACHABLE_COMMIT] == [
        (PlaceKind.UNREACHABLE_COMMIT, stash)
    ]
    assert file.found_in[-1].where is PlaceKind.RECORD


def test_on_another_branch(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    repo.git("switch", "-q", "-c", "topic")
    repo.write("a.py", NEW, 12)
    sha = repo.commit("b", at=20)
    repo.git("switch", "-q", "main")
    file = file_of(repo.compare(story), "a.py")
    assert [(p.where, p.ref, p.commit) for p in file.found_in] == [(PlaceKind.BRANCH, "topic", sha)]
    assert [(edit.fate, edit.commit) for edit in file.edits] == [(Fate.COMMITTED, sha)]


def test_only_the_reflog_knows_a_commit_that_was_reset(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    base = repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    repo.write("a.py", NEW, 12)
    sha = repo.commit("b", at=20)
    repo.git("reset", "-q", "--hard", base, at=30)
    file = file_of(repo.compare(story), "a.py")
    assert [(p.where, p.ref, p.commit) for p in file.found_in] == [
        (PlaceKind.REFLOG, "HEAD@{1}", sha),
        (PlaceKind.RECORD, "step 1", None),
    ]


def test_in_another_worktree(repo: Repo, tmp_path: Path) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    repo.git("worktree", "add", "-q", str(tmp_path / "other"), "-b", "other")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    (tmp_path / "other" / "a.py").write_text(NEW)
    file = file_of(repo.compare(story), "a.py")
    assert [(p.where, p.path) for p in file.found_in] == [(PlaceKind.OTHER_WORKTREE, str(tmp_path / "other" / "a.py"))]


def test_an_agents_backup(repo: Repo, tmp_path: Path) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    backup = tmp_path / "0123456789abcdef@v2"
    backup.write_text(OLD + "worth keeping\n")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    story.touched.append(Touched(path, "backup", at(20), source=str(backup)))
    file = file_of(repo.compare(story), "a.py")
    assert [(p.where, p.path) for p in file.found_in if p.where is PlaceKind.AGENT_BACKUP] == [
        (PlaceKind.AGENT_BACKUP, str(backup))
    ]


@pytest.mark.parametrize("committed", [True, False])
def test_moved_away(repo: Repo, *, committed: bool) -> None:
    story = repo.story()
    story.edit(written(repo.path("a.py"), "x = 1\n"))
    repo.write("lib/b.py", "x = 1\n", 12)
    if committed:
        repo.commit("b", at=20)
    file = file_of(repo.compare(story), "a.py")
    assert file.state is FileState.MOVED
    places = [PlaceKind.WORKTREE, *([PlaceKind.BRANCH] if committed else [])]
    assert [(p.where, p.path) for p in file.found_in] == [(place, "lib/b.py") for place in places]
    assert file.edits[0].fate is (Fate.COMMITTED if committed else Fate.UNCOMMITTED)


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("committed", [True, False])
def test_renamed_with_another_change(repo: Repo, *, committed: bool, exact: bool) -> None:
    """The recorded hunk stands at the new path: nothing is lost, and the old path stays gone."""
    before = "".join(f"line {n}\n" for n in range(30))
    path = repo.write("m.py", before)
    repo.commit("m")
    story = repo.story()
    story.edit(edited(path, before, before.replace("line 5\n", "line five\n"), exact=exact))
    repo.git("mv", "m.py", "pkg.py")
    repo.write("pkg.py", before.replace("line 5\n", "line five\n") + "line 30\n", 50)
    repo.write("note.txt", "line five\n", 50)  # holds the recorded line, and is no renamed file
    if committed:
        repo.commit("rename", at=60)
    file = file_of(repo.compare(story), "m.py")
    assert file.state is FileState.MOVED
    places = [PlaceKind.WORKTREE, *([PlaceKind.BRANCH] if committed else [])]
    assert [(p.where, p.path) for p in file.found_in] == [(place, "pkg.py") for place in places]
    assert file.edits[0].fate is (Fate.COMMITTED if committed else Fate.UNCOMMITTED)
    assert salvage(repo.bench, story.build()).files == ()


def test_a_file_that_is_gone_is_not_sought_in_what_was_there_before(repo: Repo) -> None:
    before = "".join(f"line {n}\n" for n in range(30))
    after = before.replace("line 5\n", "line five\n")
    path = repo.write("m.py", before)
    repo.write("copy.py", after + "more\n")
    repo.commit("both")
    story = repo.story()
    story.edit(edited(path, before, after))
    Path(path).unlink()
    assert file_of(repo.compare(story), "m.py").state is FileState.DELETED


def test_a_recorded_deletion_and_a_file_that_came_back(repo: Repo) -> None:
    gone, back = repo.write("gone.py", "g = 1\n"), repo.write("back.py", "b = 1\n")
    repo.commit("both")
    story = repo.story()
    story.edit(FileEdit(gone, "delete"), FileEdit(back, "delete"))
    Path(gone).unlink()
    made = repo.compare(story)
    assert (file_of(made, "gone.py").state, file_of(made, "gone.py").recorded) == (FileState.PRESENT, "deleted")
    assert file_of(made, "gone.py").owner is Owner.THIS_SESSION
    assert fates(repo, file_of(made, "gone.py")) == [Fate.UNCOMMITTED]
    assert file_of(made, "back.py").state is FileState.DIVERGED


# ── owners ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_each_hunk_has_its_own_owner(repo: Repo) -> None:
    lines = [f"line {n}" for n in range(20)]
    path = repo.write("a.py", "\n".join(lines) + "\n")
    repo.commit("a")
    before = "\n".join(["dirty before", *lines[1:]]) + "\n"
    after = before.replace("line 10", "mine")
    story = repo.story()
    story.touched.append(Touched(path, "read", at(5), before))
    story.edit(edited(path, before, after))
    other = repo.story("01997e76-0000-7000-8000-000000000001", "codex")
    later_text = after.replace("line 15", "theirs")
    other.edit(edited(path, after, later_text))
    repo.write("a.py", later_text.replace("line 19", "somebody's"), 50)
    file = file_of(repo.compare(story, other), "a.py")
    assert [hunk.owner for hunk in file.hunks] == [
        Owner.PREDATES,
        Owner.THIS_SESSION,
        Owner.OTHER_SESSION,
        Owner.UNKNOWN,
    ]
    assert file.owner is Owner.MIXED
    assert file.state is FileState.CHANGED_SINCE


def test_a_move_within_a_file_is_this_sessions_however_git_tells_it(repo: Repo) -> None:
    path = repo.write("a.py", "a = 1\nb = 2\n")
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, "a = 1\nb = 2\n", "b = 2\na = 1\n"))
    repo.write("a.py", "b = 2\na = 1\n", 12)
    assert file_of(repo.compare(story), "a.py").owner is Owner.THIS_SESSION


def test_a_hunk_whose_before_the_record_does_not_hold_is_not_this_sessions(repo: Repo) -> None:
    path = repo.write("a.py", "head\n")
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, "dirty\n", "mine\n"))
    repo.write("a.py", "mine\n", 12)
    assert file_of(repo.compare(story), "a.py").owner is Owner.MIXED


def test_the_dirty_rest(repo: Repo) -> None:
    story = repo.story()
    story.run("ruff format .")
    repo.write("old.txt", "before\n", -50)
    repo.write("formatted.py", "x = 1\n", 11)
    repo.write("whose.txt", "?\n", 500)
    repo.write("HANDOFF.md", '# Brief\n\n<!-- refloat/1 {"head": null} -->\n', 600)
    made = repo.compare(story)
    assert {change.path: change.owner for change in made.other_changes} == {
        "old.txt": Owner.PREDATES,
        "formatted.py": Owner.COMMAND,
        "whose.txt": Owner.UNKNOWN,
    }
    assert "step 1" in change_of(made, "formatted.py").why


def test_another_sessions_file_is_named(repo: Repo) -> None:
    other = repo.story("01997e76-0000-7000-8000-000000000001", "codex")
    other.edit(written(repo.path("b.py"), "b = 1\n"))
    repo.write("b.py", "b = 1\n", -10)
    change = change_of(repo.compare(repo.story(), other), "b.py")
    assert (change.owner, change.session) == (Owner.OTHER_SESSION, "codex:01997e76-0000-7000-8000-000000000001")


def test_odd_names(repo: Repo) -> None:
    names = [
        "two\nlines.txt",
        "-rf",
        "tab\there.txt",
        "résumé.txt",
        "[red]x[/red].txt",
        'quo"te.txt',
        "back\\slash",
        " lead",
    ]
    for name in names:
        repo.write(name, "old\n")
    repo.commit("odd")
    story = repo.story()
    for name in names:
        story.edit(edited(repo.path(name), "old\n", "new\n"))
        repo.write(name, "new\n", 100)
    made = repo.compare(story)
    assert [file.path for file in made.files] == names
    assert {(file.state, file.owner) for file in made.files} == {(FileState.PRESENT, Owner.THIS_SESSION)}


# ── checks ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_checks_and_the_tree_that_they_saw(repo: Repo) -> None:
    story = repo.story()
    story.run("pytest -q")
    story.edit(written(repo.path("a.py"), "x\n"))
    story.run("pytest -q 2>&1 | tail -1", "1 failed, 3 passed\n")
    repo.write("a.py", "x\n", 22)
    stale, current = repo.compare(story).checks
    assert (stale.freshness, stale.stale_because) == (Freshness.STALE, "step 2 edited a.py")
    assert (current.freshness, current.outcome, current.exit_code) == (Freshness.CURRENT, Outcome.ERROR, None)
    assert current.note == "its exit code is that of `tail -1`, not of the check; its output says that it failed"
    assert current.head == repo.git("rev-parse", "HEAD")


def test_a_commit_of_the_same_content_leaves_a_check_current(repo: Repo) -> None:
    story = repo.story()
    repo.write("a.py", "x\n", 5)
    story.run("pytest -q")
    repo.commit("a", at=60)
    (run,) = repo.compare(story).checks
    assert run.freshness is Freshness.CURRENT
    repo.write("a.py", "y\n", 90)
    (run,) = repo.compare(story).checks
    assert (run.freshness, run.stale_because) == (Freshness.STALE, f"a.py was written at {at(90)}")


# ── what is no ordinary checkout ─────────────────────────────────────────────────────────────────────────────────────


def test_the_same_edit_made_again_by_another_session_is_no_further_change(repo: Repo) -> None:
    path = repo.write("a.py", "l0\nz = 1\nl2\n")
    repo.commit("a")
    story = repo.story()
    story.edit(replaced(path, "z = 1", "z = 2"))
    again = replace(repo.story("5f0c1d2e-0000-4000-8000-000000000002"), started=at(60))
    again.edit(replaced(path, "z = 1", "z = 2"))
    repo.write("a.py", "l0\nz = 2\nl2\n", 90)
    (file,) = repo.compare(story, again).files
    assert file.state is FileState.PRESENT, file.why
