"""Which one thing a brief says to do next."""

import re
from dataclasses import replace

from tests.core.brief.test_build import brief_of, next_step, texts

from refloat.model.brief import Answers
from refloat.model.checkout import (
    CheckRun,
    EditedFile,
    EditFate,
    Fate,
    FileState,
    FoundIn,
    Freshness,
    PlaceKind,
)
from refloat.model.transcript import Outcome, StepKind
from refloat.model.triage import Finding, FindingVerdict, RecoverableFrom
from refloat.testing.samples import SAMPLES, Sample, crashed, make_step, make_story, stopped


def without_doubts(sample: Sample) -> Sample:
    """The sample with its outside actions inspected and its unconfirmed and lost edits gone."""
    files = tuple(file for file in sample.checkout.files if file.confirmed and file.edits[0].fate is not Fate.LOST)
    triage = replace(sample.triage, do_not_repeat=())
    return replace(sample, triage=triage, checkout=replace(sample.checkout, files=files))


def test_liveness_comes_before_everything() -> None:
    assert next_step(SAMPLES["live"]()).startswith("Go to the running session (process 40112)")
    assert next_step(SAMPLES["unresolved"]()).startswith("Find out whether a process (process 40112)")


def test_then_the_operation_under_way() -> None:
    assert next_step(SAMPLES["rebasing"]()).startswith("Finish what is under way in the checkout first: a rebase")


def test_then_the_unknown_action_and_how_to_look() -> None:
    text = next_step(crashed())
    assert text.startswith("Look whether `git push origin fix/rounding` (step 8) happened")
    assert "`git ls-remote origin refs/heads/fix/rounding`" in text


def test_then_the_unconfirmed_edit_is_read_and_never_done_again() -> None:
    text = next_step(crashed(), Answers(inspected={"8": ("happened", "")}))
    assert text.startswith("Read `src/invoice.py` on disk")
    assert not re.search(r"(?i)\b(?:redo|repeat|again|apply|edit it)\b", text)


def test_then_the_lost_edit() -> None:
    sample = crashed()
    files = tuple(file for file in sample.checkout.files if file.confirmed)
    sample = replace(sample, checkout=replace(sample.checkout, files=files))
    text = next_step(sample, Answers(inspected={"8": ("did_not_happen", "")}))
    assert text.startswith("Decide about the lost edit of `src/vat.py`: the file is back to what it was")
    assert "refloat history claude-code:" in text
    assert "--full" in text


def only(sample: Sample, *files: EditedFile, gone: tuple[Finding, ...] = ()) -> Sample:
    """The sample with these files, and nothing outside the checkout in doubt."""
    checkout = replace(sample.checkout, files=files, checks=())
    return replace(sample, checkout=checkout, triage=replace(sample.triage, gone=gone, do_not_repeat=()))


def test_then_the_work_that_stands_in_a_stash_only() -> None:
    sample = crashed()
    place = FoundIn(PlaceKind.STASH, "src/vat.py", "stash@{0}", "5d" * 20)
    edits = (EditFate(2, Fate.REVERTED, None, "step 3"),)
    file = replace(sample.checkout.files[0], state=FileState.DELETED, confirmed=True, found_in=(place,), edits=edits)
    text = next_step(only(sample, replace(file, path="src/vat.py")))
    assert text.startswith("Decide about the work on `src/vat.py` that stands in `stash@{0}` only")
    assert "`git stash show -p --include-untracked 5d5d5d5d5d5d`" in text
    assert "pop" not in text


def test_then_the_commit_that_is_on_no_branch() -> None:
    places = (RecoverableFrom(PlaceKind.REFLOG, None, "5d" * 20),)
    gone = Finding("vat", "commit", (), (4,), None, FindingVerdict.LOST, None, places, None, "5d5d5d5 is on no branch")
    text = next_step(only(crashed(), gone=(gone,)))
    assert text.startswith("Decide about the commit `vat` (step 4), 5d5d5d5 is on no branch: `git show 5d5d5d5d5d5d`")


def test_then_the_check_without_a_result_then_the_failed_then_the_stale_one() -> None:
    sample = without_doubts(crashed())
    assert next_step(sample) == "Run `mypy src`: its last run has no result"
    checks = sample.checkout.checks[:2]
    failed = replace(checks[1], freshness=Freshness.CURRENT)
    sample = replace(sample, checkout=replace(sample.checkout, checks=(checks[0], failed)))
    assert next_step(sample) == (
        "Mend what `pytest -q` found: it failed with exit code 1 on this very tree; "
        "its output says `1 failed, 40 passed`"
    )
    sample = replace(sample, checkout=replace(sample.checkout, checks=checks))
    assert next_step(sample).startswith("Run `pytest -q` again: its last run does not speak of this tree")


def test_then_the_plan_then_the_last_ask() -> None:
    sample = without_doubts(crashed())
    sample = replace(sample, checkout=replace(sample.checkout, checks=()))
    steps = tuple(step for step in sample.story.steps if step.outcome is not Outcome.DANGLING)
    story = make_story(sample.session, steps, plan=sample.story.plan)
    planned = replace(sample, story=story)
    assert next_step(planned) == "Go on with the agent's plan; this entry was in progress:\n> VAT as a decimal"
    asked = replace(sample, story=replace(story, plan=None))
    assert next_step(asked).startswith("Go on with the last ask (history item 8):\n> Good. Now VAT")


def test_a_dangling_command_is_looked_at() -> None:
    sample = without_doubts(crashed())
    steps = (
        *list(sample.story.steps)[:7],
        make_step(8, StepKind.COMMAND, "npm install", outcome=Outcome.DANGLING, turn=2),
    )
    sample = replace(sample, story=make_story(sample.session, steps), checkout=replace(sample.checkout, checks=()))
    assert next_step(sample).startswith("Look how far `npm install` (step 8) came")


def test_nothing_open_and_nothing_asked() -> None:
    assert next_step(stopped()).startswith("Nothing is left open in the record")
    assert next_step(SAMPLES["unbound"]()) == "Ask for what is wanted: nothing was ever asked of this session"


# ── done when ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_next_step_goes_on_to_what_is_lost_and_what_failed() -> None:
    (line,) = brief_of(crashed()).next_step
    assert "Then: decide about the lost edit of `src/vat.py`" in line.text


def test_a_look_that_has_nobody_to_ask_says_so() -> None:
    sample = crashed()
    rows = tuple(replace(row, no_look="no remote `origin` is configured here") for row in sample.triage.do_not_repeat)
    brief = brief_of(replace(sample, triage=replace(sample.triage, do_not_repeat=rows)))
    assert "no remote `origin` is configured here" in brief.next_step[0].text
    assert not any("Look first" in text for text in texts(brief, "uncertain"))


def test_a_lost_commit_is_told_beside_what_comes_before_it() -> None:
    places = (RecoverableFrom(PlaceKind.REFLOG, None, "5d" * 20),)
    gone = Finding("vat", "commit", (), (4,), None, FindingVerdict.LOST, None, places, None, "5d5d5d5 is on no branch")
    sample = crashed()
    sample = replace(sample, triage=replace(sample.triage, gone=(*sample.triage.gone, gone)))
    assert next_step(sample).startswith("Look whether")
    assert "Commit `vat`: 5d5d5d5 is on no branch: `git show 5d5d5d5d5d5d` shows it" in texts(
        brief_of(sample), "uncertain"
    )


def test_a_check_that_was_left_running_is_not_established() -> None:
    sample = without_doubts(crashed())
    run = CheckRun(
        4, Outcome.DANGLING, None, None, Freshness.UNKNOWN_TREE, "no end", "it was left running", proved=False
    )
    sample = replace(sample, checkout=replace(sample.checkout, checks=(run,)))
    what, brief = "`pytest -q tests/test_rounding.py`", brief_of(sample)
    assert f"Not proved: {what} has no recorded result (it was left running)" in texts(brief, "uncertain")
    assert not any("pytest" in text for text in texts(brief, "established"))
    assert next_step(sample) == f"Run {what}: its last run has no result"
