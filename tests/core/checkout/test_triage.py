"""Saved and gone, what is still open, and what must not be repeated."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.core.checkout.conftest import Repo, at

from refloat.model.checkout import Fate, FileState, PlaceKind
from refloat.model.liveness import Liveness, Verdict
from refloat.model.session import Session, State, Subagent, TranscriptFiles
from refloat.model.stamp import seconds_of
from refloat.model.story import OpenWork
from refloat.model.transcript import Background, FileEdit, Outcome, Queued, StepKind
from refloat.model.triage import ActionOutcome, Finding, FindingVerdict, Triage
from refloat.testing.fakes import FakeProcesses, process
from refloat.testing.stories import StoryBuilder, edited, written
from refloat.usecases.triage_session import triage_session
from refloat.usecases.workbench import Workbench

OLD, NEW = "x = 1\n", "x = 2\n"


def session_of(story: StoryBuilder, verdict: Verdict = Verdict.GONE) -> Session:
    return Session(
        agent=story.agent,
        session_id=story.session_id,
        title="",
        workspace=story.workspace,
        repo=None,
        branch=None,
        model=None,
        started_at=story.started,
        last_activity_at=at(600),
        state=State.FAILED,
        activity=None,
        failure=None,
        liveness=Liveness(verdict, ()),
        turns=1,
        prompts=1,
        steps=0,
        dangling=0,
        edits=0,
        parent=None,
        superseded_by=None,
        subagents=(),
        worktree=None,
        transcript=TranscriptFiles((), 0, ()),
    )


def triage(
    repo: Repo, story: StoryBuilder, *, session: Session | None = None, processes: FakeProcesses | None = None
) -> Triage:
    checkout = repo.compare(story)
    bench = repo.bench
    if processes is not None:
        bench = Workbench(replace(bench.machine, processes=processes), ())
    return triage_session(bench, story.build(), checkout, session or session_of(story))


def what(findings: tuple[Finding, ...]) -> list[tuple[str, str]]:
    return [(finding.kind, finding.what) for finding in findings]


def test_an_edit_on_disk_is_saved_and_one_nowhere_is_gone(repo: Repo) -> None:
    story = repo.story()
    story.edit(written(repo.path("here.py"), NEW))
    story.edit(written(repo.path("gone.py"), NEW))
    repo.write("here.py", NEW, 12)
    made = triage(repo, story)
    (saved,), (gone,) = made.saved, made.gone
    assert (saved.files, saved.verdict, saved.where and saved.where.place) == (
        ("here.py",),
        FindingVerdict.CONFIRMED,
        PlaceKind.WORKTREE,
    )
    assert (gone.files, gone.verdict) == (("gone.py",), FindingVerdict.LOST)
    assert [place.source for place in gone.recoverable_from] == [PlaceKind.RECORD]
    assert not made.claimed


def test_an_edit_in_a_stash_is_saved_and_says_who_put_it_there(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    repo.write("a.py", NEW, 12)
    story.run("git stash")
    repo.git("stash", at=21)
    (saved,) = triage(repo, story).saved
    assert saved.where is not None
    assert (saved.where.place, saved.where.ref) == (PlaceKind.STASH, "stash@{0}")
    assert saved.where.commit == repo.git("rev-parse", "refs/stash")
    assert "step 2" in saved.why


def test_an_unconfirmed_edit_on_disk_is_saved_without_a_second_finding(repo: Repo) -> None:
    story = repo.story()
    story.edit(written(repo.path("a.py"), NEW), outcome=Outcome.DANGLING)
    repo.write("a.py", NEW, 11)
    story.run("pytest -q", outcome=Outcome.DANGLING)
    made = triage(repo, story)
    assert [(finding.what, finding.confirmed) for finding in made.saved] == [("a.py edited", False)]
    assert what(made.gone) == [("dangling", "pytest -q")]


def test_an_unconfirmed_edit_that_is_not_there_is_gone_beside_the_saved_rest(repo: Repo) -> None:
    path = repo.path("a.py")
    story = repo.story()
    story.edit(written(path, "one\n"))
    story.edit(edited(path, "one\n", "one\ntwo\n"), outcome=Outcome.DANGLING)
    repo.write("a.py", "one\n", 12)
    made = triage(repo, story)
    assert what(made.saved) == [("edit", "a.py edited")]
    assert what(made.gone) == [("dangling", path)]


def test_refused_edits_and_edits_taken_back_are_no_loss(repo: Repo) -> None:
    story = repo.story()
    story.edit(written(repo.path("a.py"), NEW), outcome=Outcome.DENIED)
    story.edit(written(repo.path("b.py"), NEW), superseded=True)
    made = triage(repo, story)
    assert (made.saved, made.gone) == ((), ())


@pytest.mark.parametrize("outcome", [Outcome.OK, Outcome.DANGLING])
def test_of_a_workspace_that_is_gone_nothing_shows_that_an_edit_stands(bare: Repo, outcome: Outcome) -> None:
    story = bare.story()
    story.edit(written(bare.path("whole.py"), NEW), outcome=outcome)
    story.edit(edited(bare.path("hunk.py"), OLD, NEW, exact=False), outcome=outcome)
    story.edit(FileEdit(bare.path("untold.py"), "update"), outcome=outcome)
    story.edit(FileEdit(bare.path("away.py"), "delete", before=OLD, existed=True))
    story.say("I updated untold.py.")
    bare.root.rmdir()
    made = triage(bare, story)
    assert [(f.what.split("/")[-1], f.verdict) for f in made.saved] == [("away.py deleted", FindingVerdict.RECORDED)]
    assert [(f.files[0].split("/")[-1], f.verdict, len(f.recoverable_from)) for f in made.gone] == [
        ("whole.py", FindingVerdict.RECORDED, 1),
        ("hunk.py", FindingVerdict.RECORDED, 0),
        ("untold.py", FindingVerdict.RECORDED, 0),
    ]
    whole, *rest = (finding.why for finding in made.gone)
    begins = "the record says so" if outcome is Outcome.OK else "its result was never recorded"
    assert whole == f"{begins}, and it could not be verified: the workspace is gone, and the file with it"
    assert rest == [f"{whole}; the record does not hold its whole content"] * 2
    assert [(f.claim, f.verdict) for f in made.claimed] == [("edited", FindingVerdict.STALE)]


def test_an_edit_that_the_disk_may_hold_is_saved_as_recorded_and_a_call_without_a_result_is_not(repo: Repo) -> None:
    story = repo.story()
    for name in ("ok.py", "both.py", "open.py"):
        repo.write(name, NEW, 11)
    story.edit(FileEdit(repo.path("ok.py"), "update"))
    story.edit(FileEdit(repo.path("both.py"), "update"))
    story.edit(FileEdit(repo.path("both.py"), "update"), outcome=Outcome.DANGLING)
    story.edit(FileEdit(repo.path("open.py"), "update"), outcome=Outcome.DANGLING)
    made = triage(repo, story)
    recorded = FindingVerdict.RECORDED
    assert [(f.what, f.verdict) for f in made.saved] == [("ok.py edited", recorded), ("both.py edited", recorded)]
    assert [(f.kind, f.steps) for f in made.gone] == [("dangling", (3,)), ("dangling", (4,))]


def test_a_deletion_is_saved_work(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(FileEdit(path, "delete"))
    Path(path).unlink()
    (saved,) = triage(repo, story).saved
    assert saved.what == "a.py deleted"


@pytest.mark.parametrize(
    "command",
    [
        "git checkout -- a.py",
        "git restore .",
        "git checkout HEAD -- pkg/a.py",
        "git reset --hard",
        "git restore pkg",
        "cp /keep/a.py pkg/a.py",
        "ls && mv /keep/old.py ./pkg/a.py",
    ],
)
def test_a_deletion_that_the_session_undid_by_a_command_is_not_gone(repo: Repo, command: str) -> None:
    story = _deleting(repo)
    story.run(command)
    (file,), made = repo.compare(story).files, triage(repo, story)
    assert (file.state, [(edit.fate, edit.by) for edit in file.edits]) == (
        FileState.DIVERGED,
        [(Fate.REVERTED, "step 2")],
    )
    (saved,) = made.saved
    assert (made.gone, saved.what, saved.verdict) == ((), "pkg/a.py deleted and put back", FindingVerdict.RECORDED)
    assert f"put back by the session itself, by step 2 (`{command}`)" in (saved.why or "")


@pytest.mark.parametrize(
    "command",
    [
        "git stash",
        "git restore --staged .",
        "git checkout -- b.py",
        "git reset pkg/a.py",
        "git clean -f pkg",
        "rm pkg/a.py",
        "mv pkg/a.py /keep/a.py",
        "cat pkg/a.py",
    ],
)
def test_a_deletion_that_nothing_of_the_session_undid_is_gone(repo: Repo, command: str) -> None:
    story = _deleting(repo)
    story.run(command)
    assert what(triage(repo, story).gone) == [("edit", "pkg/a.py deleted")]


@pytest.mark.parametrize("outcome", [Outcome.OK, Outcome.DANGLING])
@pytest.mark.parametrize("text", [OLD, NEW])
def test_a_deletion_that_the_session_wrote_over_was_replaced(repo: Repo, text: str, outcome: Outcome) -> None:
    story = _deleting(repo)
    story.edit(written(repo.path("pkg/a.py"), text, existed=False), outcome=outcome)
    repo.write("pkg/a.py", text, 22)
    there = Fate.COMMITTED if text == OLD else Fate.UNCOMMITTED
    (file,), made = repo.compare(story).files, triage(repo, story)
    assert [(edit.fate, edit.by) for edit in file.edits] == [(Fate.REPLACED, "step 2"), (there, None)]
    assert (made.gone, what(made.saved)) == ((), [("edit", "pkg/a.py edited")])


def test_a_path_that_was_moved_away_and_written_anew(repo: Repo) -> None:
    story = repo.story()
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story.edit(FileEdit(path, "update", OLD, moved_to=repo.path("b.py"), existed=True))
    story.edit(written(path, NEW, existed=False))
    repo.write("a.py", NEW, 22)
    repo.write("b.py", OLD, 12)
    made = repo.compare(story)
    assert {file.path: [edit.fate for edit in file.edits] for file in made.files} == {
        "a.py": [Fate.REPLACED, Fate.UNCOMMITTED],
        "b.py": [Fate.UNCOMMITTED],
    }


def _deleting(repo: Repo) -> StoryBuilder:
    """A session that deletes a file, which is there again."""
    path = repo.write("pkg/a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(FileEdit(path, "delete", before=OLD, existed=True))
    return story


def test_only_the_last_run_of_a_check_is_told(repo: Repo) -> None:
    story = repo.story()
    story.run("pytest -q", outcome=Outcome.ERROR, exit_code=1)
    story.run("pytest -q")
    story.run("cargo test", outcome=Outcome.DENIED)
    story.run("cat a.py", outcome=Outcome.DANGLING)
    made = triage(repo, story)
    assert [(f.what, f.steps, f.verdict) for f in made.saved] == [("pytest -q", (2,), FindingVerdict.CONFIRMED)]
    assert made.gone == ()


def test_commits_on_a_branch_rewritten_and_lost(repo: Repo) -> None:
    story = repo.story()
    shas: list[str] = []
    for number, subject in enumerate(("Kept", "Rewritten", "Lost"), 1):
        repo.write(f"{number}.py", "x\n", 5)
        shas.append(repo.commit(subject, at=number * 10 + 1))
        story.run(f"git commit -qm '{subject}'", f"[main {shas[-1][:7]}] {subject}\n")
    repo.git("reset", "-q", "--hard", shas[0], at=50)
    repo.write("2.py", "y\n", 60)
    newer = repo.commit("Rewritten", at=60)
    made = triage(repo, story)
    assert [(f.what, f.where and f.where.commit) for f in made.saved] == [("Kept", shas[0]), ("Rewritten", newer)]
    (gone,) = made.gone
    assert [(place.source, place.commit) for place in gone.recoverable_from] == [(PlaceKind.REFLOG, shas[2])]


def test_a_commit_that_was_never_noted_is_found_by_its_subject(repo: Repo) -> None:
    story = repo.story()
    story.run("git commit -am 'Add x'", outcome=Outcome.DANGLING)
    repo.write("a.py", "x\n", 11)
    sha = repo.commit("Add x", at=11)
    (saved,) = triage(repo, story).saved
    assert (saved.kind, saved.confirmed, saved.where and saved.where.commit) == ("commit", False, sha)


@pytest.mark.parametrize(
    ("attempts", "outcome"),
    [
        ([Outcome.OK], ActionOutcome.DONE),
        ([Outcome.DENIED], ActionOutcome.NOT_STARTED),
        ([Outcome.DANGLING], ActionOutcome.UNKNOWN),
        ([Outcome.INTERRUPTED], ActionOutcome.UNKNOWN),
        ([Outcome.ERROR], ActionOutcome.UNKNOWN),
        ([Outcome.ERROR, Outcome.OK], ActionOutcome.DONE),
        ([Outcome.OK, Outcome.DANGLING], ActionOutcome.UNKNOWN),
        ([Outcome.DANGLING, Outcome.OK], ActionOutcome.UNKNOWN),
        ([Outcome.OK, Outcome.DENIED], ActionOutcome.DONE),
    ],
)
def test_what_is_known_of_an_action(repo: Repo, attempts: list[Outcome], outcome: ActionOutcome) -> None:
    story = repo.story()
    for attempt in attempts:
        story.run("git push origin main", outcome=attempt)
    made = triage(repo, story)
    (row,) = made.do_not_repeat
    assert (row.action, row.outcome, row.times) == ("git push origin main", outcome, len(attempts))
    assert row.probe == ("git", "ls-remote", "origin", "main")
    assert bool(made.inspect) is (outcome is ActionOutcome.UNKNOWN)


def test_a_pipe_makes_an_action_unknown_and_a_tool_has_its_own_name(repo: Repo) -> None:
    story = repo.story()
    story.run("git push 2>&1 | tail -1")
    story.step(StepKind.EXTERNAL, summary="mcp__tracker__create_issue")
    made = triage(repo, story)
    assert [(row.action, row.outcome) for row in made.do_not_repeat] == [
        ("git push", ActionOutcome.UNKNOWN),
        ("mcp__tracker__create_issue", ActionOutcome.DONE),
    ]


def test_what_else_was_open(repo: Repo) -> None:
    story = repo.story()
    story.open_work += [
        OpenWork(Background("b1", "dev_server", "npm run dev", running=True, pid=4001), 1, at(10)),
        OpenWork(Background("b2", "background_shell", "sleep 99", running=True, pid=4002), 2, at(20)),
        OpenWork(Background("b3", "watcher", "tail -f log", running=True, pid=4003), 3, at(30)),
        OpenWork(Background("b4", "timer", "wake up", running=True), 4, at(40)),
    ]
    story.queued.append(Queued("and then the docs", "q1", waiting=True, at=at(50)))

    processes = FakeProcesses(
        rows=[process(4001, started=seconds_of(at(11))), process(4003, started=seconds_of(at(9000)))]
    )
    session = replace(session_of(story), subagents=(Subagent("a1", State.FAILED, 1),))
    made = triage(repo, story, session=session, processes=processes)
    assert [(row.kind, row.running) for row in made.still_open] == [
        ("dev_server", True),
        ("background_shell", False),
        ("watcher", False),
        ("timer", False),
        ("subagent", False),
        ("queued_prompt", False),
    ]
    rebooted = triage(repo, story, processes=FakeProcesses(boot=at(700)))
    assert {row.running for row in rebooted.still_open} == {False}


def test_the_same_answer_twice(repo: Repo) -> None:
    story = repo.story()
    for number in range(5):
        story.edit(written(repo.path(f"{number}.py"), NEW))
        story.run(f"git push origin b{number}", outcome=Outcome.DANGLING)
    assert triage(repo, story) == triage(repo, story)


def test_what_is_gone_says_what_can_have_taken_it_and_where_a_quiet_commit_went(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    repo.write("a.py", NEW, 12)
    repo.commit("two", at=20)
    sha = repo.git("rev-parse", "HEAD")
    story.run("git commit -qam two")
    repo.git("reset", "-q", "--hard", "HEAD~1", at=30)
    story.run("git reset --hard HEAD~1")
    made = triage(repo, story)
    edit, commit = made.gone
    assert edit.why is not None
    assert edit.why.endswith("taken away by step 3 (`git reset --hard HEAD~1`)")
    assert commit.kind == "commit"
    assert [(row.source, row.commit) for row in commit.recoverable_from] == [(PlaceKind.REFLOG, sha)]


def test_a_quiet_commit_that_was_dated_before_the_session_is_where_it_stands(repo: Repo) -> None:
    """HEAD is taken to have been there when the session began then, and its commits are not asked for."""
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    repo.write("a.py", NEW, 12)
    sha = repo.commit("two", at=-900)
    story.run("git commit -qam two")
    commit = next(row for row in triage(repo, story).saved if row.kind == "commit")
    assert commit.where is not None
    assert (commit.where.commit, commit.where.ref) == (sha, "main")


@pytest.mark.parametrize("command", ["git -C sub commit -am four", "cd sub && git commit -am four"])
@pytest.mark.parametrize("quiet", [True, False])
def test_a_commit_in_a_repository_below_is_looked_for_there(repo: Repo, command: str, quiet: bool) -> None:
    sub = repo.root / "sub"
    sub.mkdir()
    repo.git("init", "-q", "-b", "trunk", cwd=sub)
    (sub / "l.py").write_text("four\n")
    repo.git("add", "-A", cwd=sub)
    repo.git("commit", "-qm", "four", cwd=sub)
    sha = repo.git("rev-parse", "HEAD", cwd=sub)
    story = repo.story()
    story.run(command, "" if quiet else f"[trunk {sha[:7]}] four\n 1 file changed\n")
    made = triage(repo, story)
    assert made.gone == ()
    if not quiet:
        (commit,) = made.saved
        assert commit.where is not None
        assert (commit.verdict, commit.where.ref) == (FindingVerdict.CONFIRMED, "trunk")


def test_what_another_session_replaced_is_gone_and_says_so(repo: Repo) -> None:
    path = repo.write("a.py", OLD)
    repo.commit("a")
    story = repo.story()
    story.edit(edited(path, OLD, NEW))
    other = replace(repo.story("5f0c1d2e-0000-4000-8000-000000000002"), started=at(60))
    other.edit(edited(path, NEW, "x = 3\n"))
    repo.write("a.py", "x = 3\n", 90)
    made = triage_session(repo.bench, story.build(), repo.compare(story, other), session_of(story))
    (gone,) = made.gone
    assert gone.why is not None
    assert f"replaced later by another session: claude-code:{other.session_id}" in gone.why


def test_a_write_that_never_ended_and_is_not_there_is_one_finding(repo: Repo) -> None:
    story = repo.story()
    story.edit(written(repo.path("off.py"), "off = 1\n"), outcome=Outcome.DANGLING)
    assert [row.kind for row in triage(repo, story).gone] == ["edit"]


def test_work_in_a_workspace_that_is_not_there_is_recorded_and_not_lost(bare: Repo) -> None:
    """The folder may only have been moved: nothing was looked at, so nothing is known to be gone."""
    story = bare.story()
    story.edit(written(bare.path("a.py"), NEW))
    bare.root.rename(bare.root.with_name("elsewhere"))
    made = triage(bare, story)
    assert made.saved == ()
    (gone,) = made.gone
    assert (gone.verdict, gone.where) == (FindingVerdict.RECORDED, None)
    assert [place.source for place in gone.recoverable_from] == [PlaceKind.RECORD]


@pytest.mark.parametrize(
    "command", ["git commit -qam six", "git commit -am six 2>&1 | tail -1", "git commit -am six || true"]
)
def test_a_commit_that_is_looked_for_and_stands_nowhere_is_not_saved(repo: Repo, command: str) -> None:
    story = repo.story()
    story.run(command, "hook declined")
    story.say("I committed the change.")
    made = triage(repo, story)
    assert made.saved == ()
    assert [(f.what, f.why) for f in made.gone] == [("six", "no branch and no reflog holds a commit of that subject")]
    assert [(f.claim, f.verdict) for f in made.claimed] == [("committed", FindingVerdict.UNSUPPORTED)]


@pytest.mark.parametrize(
    "command",
    [
        'git commit -qm "$SUBJECT"',
        "cd /elsewhere && git commit -qam six",
        "git commit -qm 'add the'",
        "git commit -q --amend --no-edit",
    ],
)
def test_a_commit_that_cannot_be_looked_for_is_what_the_record_says(repo: Repo, command: str) -> None:
    story = repo.story()
    repo.write("a.py", NEW, 11)
    repo.commit("add the\nfirst of two", at=11)
    story.run(command)
    (saved,) = triage(repo, story).saved
    assert (saved.kind, saved.verdict) == ("commit", FindingVerdict.RECORDED)


def test_an_amended_commit_was_rewritten(repo: Repo) -> None:
    story = repo.story()
    repo.write("a.py", NEW, 11)
    first = repo.commit("one", at=11)
    story.run("git commit -qam one")
    story.run("git commit -am again", f"[main {first[:7]}] again")
    for subject in ("two", "three"):
        repo.git("commit", "-q", "--amend", "-m", subject, at=30)
    newest = repo.git("rev-parse", "HEAD")
    story.say("I committed the change.")
    made = triage(repo, story)
    assert made.gone == ()
    assert {f.where and f.where.commit for f in made.saved} == {newest}
    assert [f.verdict for f in made.saved if f.claim] == [FindingVerdict.CONFIRMED]


def test_commits_that_were_squashed_were_rewritten(repo: Repo) -> None:
    story = repo.story()
    repo.git("checkout", "-q", "-b", "feat")
    shas: list[str] = []
    for number, text in enumerate(("one\n", "one\ntwo\n", "other\n"), 1):
        repo.write("b.py" if number == 3 else "a.py", text, number * 10)
        shas.append(repo.commit(f"Part {number}", at=number * 10))
        story.run(f"git commit -am 'Part {number}'", f"[feat {shas[-1][:7]}] Part {number}\n")
    repo.git("checkout", "-q", "main", at=40)
    repo.git("merge", "-q", "--squash", shas[1], at=40)
    repo.git("commit", "-q", "-m", "Both parts", at=40)
    squashed = repo.git("rev-parse", "HEAD")
    repo.git("branch", "-q", "-D", "feat")
    made = triage(repo, story)
    assert [(f.what, f.where and f.where.commit) for f in made.saved] == [("Part 1", squashed), ("Part 2", squashed)]
    assert [f.what for f in made.gone] == ["Part 3"]


def test_a_check_that_was_left_running_is_not_saved(repo: Repo) -> None:
    story = repo.story()
    story.run("ruff check . > log 2>&1 &")
    shell = Background("b1", "background_shell", "pytest -q", running=True)
    story.step(StepKind.CHECK, command="pytest -q", exit_code=0, background=shell)
    made = triage(repo, story)
    assert made.saved == ()
    why = "it was left running in the background: nobody knows how far it came"
    assert [(row.kind, row.what, row.verdict, row.why) for row in made.gone] == [
        ("dangling", "ruff check . > log 2>&1 &", FindingVerdict.LOST, f"step 1: {why}"),
        ("dangling", "pytest -q", FindingVerdict.LOST, f"step 2: {why}"),
    ]
