"""What commands of a session made of files, and several sessions in one file: told apart by text, supported by time."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.core.checkout.conftest import Repo, at, change_of, file_of

from refloat.model.checkout import DirtyHunk, Fate, FileState, Owner
from refloat.model.session import SessionName
from refloat.model.transcript import FileEdit, Outcome, Touched
from refloat.testing.stories import StoryBuilder, edited, replaced, written

OLD = "import os\nimport abc\n\n\ndef first():\n    return 1\n\n\ndef last():\n    return 9\n"


def commit(repo: Repo, text: str = OLD, name: str = "a.py") -> str:
    path = repo.write(name, text)
    repo.commit(name)
    return path


def owners(hunks: tuple[DirtyHunk, ...]) -> list[tuple[str, Owner]]:
    return [("|".join(hunk.lines), hunk.owner) for hunk in hunks]


# ── formatters ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("command", "typed", "formatted"),
    [
        ("black a.py", "    return foo( 1,'x' )", '    return foo(1, "x")'),
        ("uv run ruff format .", "    return foo(1, 2)", "    return foo(\n        1,\n        2,\n    )"),
        ("npx prettier --write .", "    return foo('a')", '    return foo("a");'),
        ("cd src && gofmt -w .", "    return foo(1)", "\treturn foo(1)"),
    ],
)
def test_what_a_formatter_made_of_the_sessions_lines(repo: Repo, command: str, typed: str, formatted: str) -> None:
    path = commit(repo)
    story = repo.story()
    story.edit(edited(path, OLD, OLD.replace("    return 1", typed)))
    story.run(command)
    repo.write("a.py", OLD.replace("    return 1", formatted), 21)
    file = file_of(repo.compare(story), "a.py")
    assert [hunk.owner for hunk in file.hunks] == [Owner.COMMAND]
    assert (file.state, [(edit.fate, edit.by) for edit in file.edits]) == (
        FileState.CHANGED_SINCE,
        [(Fate.REPLACED, "step 2")],
    )


def test_a_formatter_does_not_bring_back_what_is_gone(repo: Repo) -> None:
    path = commit(repo)
    story = repo.story()
    story.edit(edited(path, OLD, OLD.replace("return 1", "return gone")))
    story.run("black .")
    repo.write("a.py", OLD.replace("return 1", "return typed"), 21)
    file = file_of(repo.compare(story), "a.py")
    assert (file.state, [edit.fate for edit in file.edits]) == (FileState.DIVERGED, [Fate.LOST])


def test_what_a_formatter_made_of_lines_of_head(repo: Repo) -> None:
    commit(repo, "x = {  'a':1 }\ny = 2\n")
    story = repo.story()
    story.run("black .")
    repo.write("a.py", 'x = {"a": 1}\ny = 2\n', 11)
    change = change_of(repo.compare(story), "a.py")
    assert change.owner is Owner.COMMAND
    assert "step 1" in change.why


def test_lines_that_a_formatter_moved(repo: Repo) -> None:
    commit(repo)
    story = repo.story()
    story.run("isort a.py")
    repo.write("a.py", OLD.replace("import os\nimport abc", "import abc\nimport os"), 11)
    assert change_of(repo.compare(story), "a.py").owner is Owner.COMMAND


def test_what_was_typed_before_a_formatter_ran_is_not_the_formatters(repo: Repo) -> None:
    path = commit(repo)
    story = repo.story()
    story.edit(edited(path, OLD, OLD.replace("return 1", "return  2")))
    story.run("black .")
    repo.write("a.py", OLD.replace("return 1", "return 2").replace("return 9", "return typed"), 21)
    assert owners(file_of(repo.compare(story), "a.py").hunks) == [
        ("-    return 1|+    return 2", Owner.COMMAND),
        ("-    return 9|+    return typed", Owner.UNKNOWN),
    ]


@pytest.mark.parametrize("command", ["black --check .", "prettier --check .", "pytest", "git diff"])
def test_a_command_that_only_looks_made_nothing(repo: Repo, command: str) -> None:
    commit(repo, "x = {  'a':1 }\n")
    story = repo.story()
    story.run(command)
    repo.write("a.py", 'x = {"a": 1}\n', 11)
    assert change_of(repo.compare(story), "a.py").owner is Owner.UNKNOWN


def test_a_formatter_that_ran_before_the_file_was_written(repo: Repo) -> None:
    commit(repo, "x = {  'a':1 }\n")
    story = repo.story()
    story.run("black .")
    repo.write("a.py", 'x = {"a": 1}\n', 500)
    assert change_of(repo.compare(story), "a.py").owner is Owner.UNKNOWN


@pytest.mark.parametrize(("command", "owner"), [("black .", Owner.COMMAND), ("pytest", Owner.UNKNOWN)])
def test_a_formatter_between_two_edits(repo: Repo, command: str, owner: Owner) -> None:
    """The file's time is that of the last edit; the record shows what stood there before it."""
    path = commit(repo, "x = {  'a':1 }\ny = 2\nz = 3\n")
    between = 'x = {"a": 1}\ny = 4\nz = 3\n'
    story = repo.story()
    story.edit(edited(path, "x = {  'a':1 }\ny = 2\nz = 3\n", "x = {  'a':1 }\ny = 4\nz = 3\n"))
    story.run(command)
    story.edit(edited(path, between, between + "w = 5\n"))
    repo.write("a.py", between + "w = 5\n", 31)
    hunks = file_of(repo.compare(story), "a.py").hunks
    assert hunks[-1].owner is Owner.THIS_SESSION
    assert {hunk.owner for hunk in hunks[:-1]} <= {owner, Owner.MIXED}
    assert Owner.THIS_SESSION not in {hunk.owner for hunk in hunks if any('"a"' in line for line in hunk.lines)}


# ── generators and codemods ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("npm install left-pad", "package-lock.json"),
        ("cargo build", "Cargo.lock"),
        ("uv add httpx", "uv.lock"),
        ("sed -i 's/a/b/' notes.txt", "notes.txt"),
        ("python scripts/generate.py", "generated.txt"),
        ("cp x y", "y"),
    ],
)
def test_a_file_that_a_command_wrote(repo: Repo, command: str, name: str) -> None:
    commit(repo, "one\n", name)
    story = repo.story()
    story.run(command)
    repo.write(name, "one\ntwo\n", 11)
    change = change_of(repo.compare(story), name)
    assert change.owner is Owner.COMMAND
    assert command in change.why
    repo.write(name, "one\ntwo\n", 500)
    assert change_of(repo.compare(story), name).owner is Owner.UNKNOWN


def test_a_command_that_was_killed_under_way(repo: Repo) -> None:
    """Its end is not recorded: it counts for what it is known to write, and for nothing else."""
    for name in ("package-lock.json", "notes.txt"):
        repo.write(name, "one\n")
    repo.commit("two")
    story = repo.story()
    story.run("npm install left-pad", outcome=Outcome.DANGLING)
    for name in ("package-lock.json", "notes.txt"):
        repo.write(name, "one\ntwo\n", 14)
    made = repo.compare(story)
    assert change_of(made, "package-lock.json").owner is Owner.COMMAND
    assert "never recorded" in change_of(made, "package-lock.json").why
    assert change_of(made, "notes.txt").owner is Owner.UNKNOWN


def test_a_codemod_between_two_edits(repo: Repo) -> None:
    path = commit(repo)
    turned = OLD.replace("def last", "def final")
    story = repo.story()
    story.edit(edited(path, OLD, OLD.replace("return 1", "return 2")))
    story.run("sed -i s/last/final/ a.py")
    story.edit(edited(path, turned.replace("return 1", "return 2"), turned.replace("return 1", "return 3")))
    repo.write("a.py", turned.replace("return 1", "return 3"), 31)
    assert owners(file_of(repo.compare(story), "a.py").hunks) == [
        ("-    return 1|+    return 3", Owner.THIS_SESSION),
        ("-def last():|+def final():", Owner.COMMAND),
    ]


def test_typing_between_two_edits_is_nobodys_though_the_record_leads_from_head_to_the_file(repo: Repo) -> None:
    path = commit(repo)
    typed = OLD.replace("def last", "def typed")
    story = repo.story()
    story.edit(edited(path, OLD, OLD.replace("return 1", "return 2")))
    story.edit(edited(path, typed.replace("return 1", "return 2"), typed.replace("return 1", "return 3")))
    repo.write("a.py", typed.replace("return 1", "return 3"), 21)
    assert owners(file_of(repo.compare(story), "a.py").hunks) == [
        ("-    return 1|+    return 3", Owner.THIS_SESSION),
        ("-def last():|+def typed():", Owner.UNKNOWN),
    ]


def test_a_subagents_edit_is_the_sessions(repo: Repo) -> None:
    path = commit(repo)
    story, child = repo.story(), StoryBuilder(session_id="child", workspace=str(repo.root), subagent="child")
    story.run("ls")
    child.edit(edited(path, OLD, OLD.replace("return 1", "return 2")))
    story.subagents["child"] = child.build()
    repo.write("a.py", OLD.replace("return 1", "return 2"), 12)
    assert file_of(repo.compare(story), "a.py").owner is Owner.THIS_SESSION


# ── several sessions ─────────────────────────────────────────────────────────────────────────────────────────────────

HERS = "5f0c1d2e-0000-4000-8000-000000000002"
FIRST = OLD.replace("return 1", "return 2")


def dated(story: StoryBuilder, seconds: float | None) -> StoryBuilder:
    """The same session with its last step at another time."""
    when = at(seconds) if seconds is not None else None
    story.steps[-1] = replace(story.steps[-1], at=when, ended_at=when)
    return story


@pytest.mark.parametrize(
    ("mine", "hers", "owner"),
    [
        (10, 20, Owner.OTHER_SESSION),
        (20, 10, Owner.THIS_SESSION),
        (None, 20, Owner.UNKNOWN),
        (20, None, Owner.UNKNOWN),
        (None, None, Owner.UNKNOWN),
    ],
)
def test_the_same_lines_in_two_records(repo: Repo, mine: float | None, hers: float | None, owner: Owner) -> None:
    """Who wrote them last, where the times tell; else nobody, and never this session to be on the safe side."""
    path = commit(repo)
    one, two = repo.story(), repo.story(HERS)
    one.edit(edited(path, OLD, FIRST))
    two.edit(replaced(path, "    return 1", "    return 2"))
    repo.write("a.py", FIRST, 30)
    (hunk,) = file_of(repo.compare(dated(one, mine), dated(two, hers)), "a.py").hunks
    assert hunk.owner is owner


def test_a_record_that_was_copied_tells_of_the_same_edit(repo: Repo) -> None:
    path = commit(repo)
    one, two = repo.story(), repo.story(HERS)
    for story in (one, two):
        story.edit(edited(path, OLD, FIRST))
    repo.write("a.py", FIRST, 30)
    assert file_of(repo.compare(one, two), "a.py").owner is Owner.THIS_SESSION


def test_who_replaces_what_another_session_put_there_owns_the_change(repo: Repo) -> None:
    path = commit(repo)
    one, two = repo.story(), repo.story(HERS)
    two.edit(edited(path, OLD, FIRST))
    one.edit(edited(path, FIRST, OLD.replace("return 1", "return 3")))
    dated(one, 50)
    repo.write("a.py", OLD.replace("return 1", "return 3"), 51)
    file = file_of(repo.compare(one, two), "a.py")
    assert owners(file.hunks) == [("-    return 1|+    return 3", Owner.THIS_SESSION)]
    other = file_of(repo.compare(two, dated(one, 50)), "a.py")
    assert (other.owner, other.session) == (Owner.OTHER_SESSION, SessionName(f"claude-code:{one.session_id}"))


def test_lines_of_one_in_the_place_of_what_another_took_away(repo: Repo) -> None:
    path = commit(repo)
    gone = OLD.replace("    return 1\n", "")
    one, two = repo.story(), repo.story(HERS)
    two.edit(edited(path, OLD, gone))
    one.edit(edited(path, gone, gone.replace("def first():\n", "def first():\n    return 7\n")))
    dated(one, 50)
    repo.write("a.py", OLD.replace("return 1", "return 7"), 51)
    (hunk,) = file_of(repo.compare(one, two), "a.py").hunks
    assert hunk.owner is Owner.MIXED


def test_three_hands_in_one_file(repo: Repo) -> None:
    path = commit(repo)
    one, two = repo.story(), repo.story(HERS, "codex")
    one.edit(replaced(path, "    return 1", "    return 2"))
    two.edit(replaced(path, "    return 9", "    return 10"))
    disk = FIRST.replace("return 9", "return 10").replace("import os", "import typed")
    repo.write("a.py", disk, 500)
    file = file_of(repo.compare(one, two), "a.py")
    assert [(hunk.owner, hunk.session) for hunk in file.hunks] == [
        (Owner.UNKNOWN, None),
        (Owner.THIS_SESSION, SessionName(f"claude-code:{one.session_id}")),
        (Owner.OTHER_SESSION, SessionName(f"codex:{HERS}")),
    ]
    assert (file.owner, file.session) == (Owner.MIXED, None)


def test_two_equal_lines_taken_away_and_one_of_them_by_the_session(repo: Repo) -> None:
    """A record that removes a line once explains it once."""
    path = commit(repo, "dup = 1\na = 1\nb = 2\ndup = 1\n")
    story = repo.story()
    story.edit(replaced(path, "dup = 1\na = 1", "a = 1"))
    repo.write("a.py", "a = 1\nb = 2\n", 500)
    assert {hunk.owner for hunk in file_of(repo.compare(story), "a.py").hunks} == {Owner.UNKNOWN}


def test_a_whole_write_does_not_own_lines_that_another_session_had_written(repo: Repo) -> None:
    path = commit(repo)
    one, two = repo.story(), repo.story(HERS)
    two.edit(edited(path, OLD, FIRST))
    one.edit(written(path, FIRST.replace("return 9", "return 10"), existed=True))
    dated(one, 50)
    repo.write("a.py", FIRST.replace("return 9", "return 10"), 51)
    assert owners(file_of(repo.compare(one, two), "a.py").hunks) == [
        ("-    return 1|+    return 2", Owner.UNKNOWN),
        ("-    return 9|+    return 10", Owner.THIS_SESSION),
    ]


def test_a_file_that_both_deleted(repo: Repo) -> None:
    path = commit(repo)
    one, two = repo.story(), repo.story(HERS)
    for story in (one, two):
        story.edit(FileEdit(path, "delete", before=OLD))
    (repo.root / "a.py").unlink()
    assert file_of(repo.compare(dated(one, 10), dated(two, 20)), "a.py").owner is Owner.OTHER_SESSION
    assert file_of(repo.compare(dated(one, 20), dated(two, 10)), "a.py").owner is Owner.THIS_SESSION


# ── what the session found ───────────────────────────────────────────────────────────────────────────────────────────


def test_dirt_that_the_session_read_before_it_did_anything_predates_it(repo: Repo) -> None:
    """Times can be newer than the work (a restored backup, a copy): a read is better evidence."""
    path = commit(repo)
    found = OLD.replace("return 9", "return found")
    story = repo.story()
    story.touched.append(Touched(path, "read", at(5), found))
    story.run("make everything")
    repo.write("a.py", found.replace("import os", "import typed"), 500)
    change = change_of(repo.compare(story), "a.py")
    assert owners(change.hunks) == [
        ("-import os|+import typed", Owner.UNKNOWN),
        ("-    return 9|+    return found", Owner.PREDATES),
    ]


def test_what_was_read_after_the_session_wrote_proves_nothing_of_before(repo: Repo) -> None:
    path = commit(repo)
    found = OLD.replace("return 9", "return found")
    story = repo.story()
    story.run("make everything")
    story.touched.append(Touched(path, "read", at(15), found))
    repo.write("a.py", found, 500)
    assert change_of(repo.compare(story), "a.py").owner is Owner.UNKNOWN


def test_what_only_the_first_edit_found_may_have_come_since_the_session_began(repo: Repo) -> None:
    path = commit(repo)
    found = OLD.replace("return 9", "return found")
    mine = found.replace("import os", "import mine")
    story = repo.story()
    story.edit(edited(path, found, mine))
    repo.write("a.py", mine, 12)
    assert owners(file_of(repo.compare(story), "a.py").hunks) == [
        ("-import os|+import mine", Owner.THIS_SESSION),
        ("-    return 9|+    return found", Owner.UNKNOWN),
    ]


@pytest.mark.parametrize(
    ("command", "owner"), [("sed -i s/9/10/ a.py", Owner.COMMAND), ("python gen.py", Owner.UNKNOWN)]
)
def test_what_a_command_changed_between_the_read_and_the_first_edit(repo: Repo, command: str, owner: Owner) -> None:
    path = commit(repo)
    changed = OLD.replace("return 9", "return 10")
    mine = changed.replace("import os", "import mine")
    story = repo.story()
    story.touched.append(Touched(path, "read", at(5), OLD))
    story.run(command)
    story.edit(edited(path, changed, mine))
    repo.write("a.py", mine, 22)
    assert owners(file_of(repo.compare(story), "a.py").hunks) == [
        ("-import os|+import mine", Owner.THIS_SESSION),
        ("-    return 9|+    return 10", owner),
    ]


def test_a_line_doubled_after_the_read_does_not_predate_the_session(repo: Repo) -> None:
    path = commit(repo)
    found = OLD.replace("return 9", "return found")
    story = repo.story()
    story.touched.append(Touched(path, "read", at(5), found))
    repo.write("a.py", found.replace("import abc", "import abc\nimport os"), 500)
    assert owners(change_of(repo.compare(story), "a.py").hunks) == [
        ("+import os", Owner.UNKNOWN),
        ("-    return 9|+    return found", Owner.PREDATES),
    ]


def test_a_command_that_names_its_file_made_no_other(repo: Repo) -> None:
    for name in ("m.py", "k.py", "deep/d.py"):
        repo.write(name, OLD)
    repo.commit("three")
    story = repo.story()
    story.run("sed -i 's/return 9/return 10/' m.py deep/d.py && sleep 1")
    for name in ("m.py", "k.py", "deep/d.py"):
        repo.write(name, OLD.replace("return 9", "return 10"), 11)
    made = repo.compare(story)
    assert {change.path: change.owner for change in made.other_changes} == {
        "m.py": Owner.COMMAND,
        "k.py": Owner.UNKNOWN,
        "deep/d.py": Owner.COMMAND,
    }


def test_a_command_whose_files_a_shell_puts_together_may_have_made_any(repo: Repo) -> None:
    path = commit(repo)
    story = repo.story()
    story.run('for f in *.py; do sed -i s/9/10/ "$f"; done')
    repo.write("a.py", OLD.replace("return 9", "return 10"), 11)
    assert change_of(repo.compare(story), Path(path).name).owner is Owner.COMMAND


def test_a_formatter_after_an_edit_on_the_same_lines(repo: Repo) -> None:
    """Both made the place: the session its words, the formatter its layout."""
    old = "def f(a,b):\n    x = {'a':1}\n    return a+b\n\n\ndef g(a,b):\n    return 1\n"
    path = repo.write("m.py", old)
    repo.commit("m")
    story = repo.story()
    story.edit(edited(path, old, old.replace("return a+b", "return a-b")))
    story.run("black .")
    repo.write(
        "m.py",
        'def f(a, b):\n    x = {"a": 1}\n    return a - b\n\n\ndef g(a, b):\n    return 1\n',
        21,
    )
    file = file_of(repo.compare(story), "m.py")
    assert [hunk.owner for hunk in file.hunks] == [Owner.MIXED, Owner.COMMAND]


@pytest.mark.parametrize(
    ("command", "written_at"),
    [
        ("sed -i 's/{ 1,2 }/{1, 2}/' a.py", 99),
        ("make format", 21),
        ("git commit -qam four", 21),  # a hook of it
    ],
)
def test_lines_in_the_layout_of_a_command_of_the_session_are_replaced_and_not_lost(
    repo: Repo, command: str, written_at: int
) -> None:
    path = repo.write("a.py", "x = 0\ny = 1\n")
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, "x = 0\ny = 1\n", "x = { 1,2 }\ny = 1\n"))
    story.run(command)
    repo.write("a.py", "x = {1, 2}\ny = 1\n", written_at)
    file = file_of(repo.compare(story), "a.py")
    assert (file.state, file.why) == (
        FileState.CHANGED_SINCE, "every recorded hunk is there, in the layout that step 2 gave it"
    )  # fmt: skip
    assert [(edit.fate, edit.by) for edit in file.edits] == [(Fate.REPLACED, "step 2")]


@pytest.mark.parametrize(("command", "written_at"), [("make format", 99), ("cat a.py", 21), ("sed -i s/x/z/ b.py", 21)])
def test_a_layout_that_no_command_of_the_session_gave_is_not_its(repo: Repo, command: str, written_at: int) -> None:
    path = repo.write("a.py", "x = 0\ny = 1\n")
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, "x = 0\ny = 1\n", "x = { 1,2 }\ny = 1\n"))
    story.run(command)
    repo.write("a.py", "x = {1, 2}\ny = 1\n", written_at)
    file = file_of(repo.compare(story), "a.py")
    assert (file.state, file.edits[0].fate) == (FileState.DIVERGED, Fate.LOST)
