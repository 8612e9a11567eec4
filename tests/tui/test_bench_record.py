"""The record behind the app's door: ties, masks, and what a wrap says before a word is typed."""

import os
from dataclasses import replace
from pathlib import Path

from tests.tui.records import empty_record, open_at, some_record

from refloat.model.brief import Brief, Confidence, Line
from refloat.model.recovery import Seen
from refloat.model.session import SessionName
from refloat.record.chain import add_step
from refloat.record.contents import hold
from refloat.record.drafts import begin_draft, save_draft
from refloat.record.ties import Tie, tie
from refloat.testing.jobs import ENDING, OPENING
from refloat.testing.samples import SAMPLES
from refloat.usecases.draft_wrap import draft_wrap, job_name
from refloat_tui.present.record import tied_row

SESSION = SAMPLES["crashed"]().session
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_jobs_are_tied_to_a_session_by_who_saved_and_to_its_workspace_by_where(tmp_path: Path):
    record = some_record(tmp_path, SESSION)
    ties = [(tied.job.name, tied.tie) for tied in record.jobs(SESSION)]
    assert ties == [("retry", "session"), ("release", "workspace"), ("other", None)]
    beside = replace(SESSION, session_id="zz", workspace=f"{SESSION.workspace}2", repo=f"{SESSION.workspace}2")
    assert {tied.tie for tied in record.jobs(beside)} == {None}, "a name that only begins alike is another place"
    assert {tied.tie for tied in record.jobs(None)} == {None}


def test_a_step_below_the_repository_is_tied_to_it(tmp_path: Path):
    with open_at(tmp_path) as record:
        add_step(record, OPENING._replace(workspace=f"{SESSION.repo or SESSION.workspace}/sub"), ENDING)
    (tied,) = empty_record(tmp_path).jobs(SESSION)
    assert tied.tie == "workspace"


def test_the_recovery_of_a_session_is_its_own_and_a_tied_directory_counts(tmp_path: Path):
    host = os.uname().nodename
    with open_at(tmp_path) as record:
        for job in (f"recovery:{SESSION.name}", "tied", "elsewhere"):
            add_step(record, OPENING._replace(job=job, workspace=None), ENDING)
        tie(record, host, Tie(SESSION.workspace or "/", "tied", "human:ada", OPENING.started_at))
        tie(record, host, Tie("/elsewhere", "elsewhere", "human:ada", OPENING.started_at))
    ties = {tied.job.name: tied.tie for tied in empty_record(tmp_path).jobs(SESSION)}
    assert ties == {f"recovery:{SESSION.name}": "session", "tied": "workspace", "elsewhere": None}


def test_the_job_of_a_recovery_is_told_apart_by_the_title_of_its_session(tmp_path: Path):
    other = SessionName(f"{SESSION.name}-too")
    with open_at(tmp_path) as record:
        for name, title in ((SESSION.name, "Add CSV export"), (other, "Make the importer retry")):
            draft = begin_draft(record, name, title, Seen(), OPENING.started_at)
            save_draft(record, replace(draft, done=name == other), OPENING.started_at)
            add_step(record, OPENING._replace(job=f"recovery:{name}", workspace=None), ENDING)
        add_step(record, OPENING._replace(job="release", workspace=None), ENDING)
    told = {tied.job.name: tied_row(tied, OPENING.started_at)[0][0][0] for tied in empty_record(tmp_path).jobs(SESSION)}
    assert told == {
        f"recovery:{SESSION.name}": "recovery of Add CSV export",
        f"recovery:{other}": "recovery of Make the importer retry",
        "release": "release",
    }


def test_what_comes_back_is_masked(tmp_path: Path):
    with open_at(tmp_path) as record:
        summary = f"git push https://{SECRET}@example.invalid/x"
        add_step(record, OPENING._replace(summary=summary), ENDING, None, hold(b"x"))
    trail = empty_record(tmp_path).trail("retry", 10)
    assert SECRET not in str(trail)
    assert "git push" in trail.steps[0].opening.summary


def test_news_are_seen_without_opening_the_record(tmp_path: Path):
    record = some_record(tmp_path, SESSION)
    before = record.mark()
    assert before is not None
    assert record.mark() == before
    with open_at(tmp_path) as opened:
        add_step(opened, OPENING, ENDING)
        assert record.mark() != before


def test_a_wrap_says_first_what_the_brief_says():
    def lines(*texts: str) -> tuple[Line, ...]:
        return tuple(Line(text, Confidence.VERIFIED) for text in texts)

    brief = Brief("Round", (), (), lines("a", "b\n> quoted"), lines("c"), lines("d"), ())
    fields = draft_wrap(SESSION, brief, "", None)
    assert fields["summary"] == "a\nb"
    assert (fields["goal"], fields["next_steps"], fields["not_checked"]) == ("Round", "d", "c")
    assert draft_wrap(SESSION, None, "own", "job")["goal"] == "own"
    assert draft_wrap(SESSION, None, "own", "job")["job"] == "job"


def test_a_job_is_called_like_its_branch_else_like_its_title():
    assert job_name(replace(SESSION, branch="fix/rounding")) == "fix-rounding"
    assert job_name(replace(SESSION, branch="main", title="Round prices half to even, everywhere and always")) == (
        "round-prices-half-to-even-everywhere-and"
    )
    assert job_name(replace(SESSION, branch=None, title="")) == SESSION.session_id[:40]
